#include "linchpin/control/node_compliance.h"

#include <cmath>

namespace linchpin {
namespace {

double reach_of(const Model& model, const Node& node) {
  const Body& body = model.bodies()[node.body];
  double sum = norm((body.X_LB * node.X_BN).p);
  for (int i = body.link; i != 0; i = model.links()[i].parent) sum += norm(model.links()[i].X_PF.p);
  return sum > 0 ? sum : 1;
}

}  // namespace

NodeCompliance::NodeCompliance(const Model& m, std::vector<Node> n)
    : model(m), plan(m), nodes(std::move(n)), tree(m, plan, nodes), paths(tree), factors(plan), kin(plan), vel(m) {
  for (const Node& node : nodes) reach.push_back(reach_of(model, node));
}

void NodeCompliance::update(std::span<const double> q, std::span<const double> v) {
  kinematics<double>(plan, q, kin);
  velocities(model, kin, v, vel);
  factor<double>(plan, q, factors);
  compound_paths<double>(plan, tree, factors, paths);
}

NodeUnits node_units(const double* C, std::size_t stride, double reach) {
  // The square of 1e-9: a lever arm shorter than a billionth of the reach is rounding error.
  constexpr double no_lever = 1e-18;
  const double turning = (C[0] + C[stride + 1] + C[2 * stride + 2]) / 3;
  const double moving = (C[3 * stride + 3] + C[4 * stride + 4] + C[5 * stride + 5]) / 3;
  return {turning + no_lever * moving / (reach * reach), moving + no_lever * turning * (reach * reach)};
}

}  // namespace linchpin
