#include "linchpin/live/hand_pull.h"

#include <algorithm>

namespace linchpin {
namespace {

// S^-1 v of a positive definite S, by cofactors.
Vec3<double> solve(const Sym3<double>& S, const Vec3<double>& v) {
  const Vec3<double> a{S.xx, S.xy, S.xz}, b{S.xy, S.yy, S.yz}, c{S.xz, S.yz, S.zz};
  const Vec3<double> bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  return (1 / dot(a, bc)) * Vec3<double>{dot(bc, v), dot(ca, v), dot(ab, v)};
}

Vec3<double> wanted_acceleration(Vec3<double> e, const Vec3<double>& v, double dt) {
  constexpr double w = Hand::frequency;
  const double most = Hand::most_pull / (w * w), length = norm(e);
  if (length > most) e = (most / length) * e;
  return (1 / (1 + 2 * w * dt + w * w * dt * dt)) * (w * w * (e - dt * v) - (2 * w) * v);  // (1)
}

}  // namespace

Hand::Hand(const Model& model)
    : model_(model), plan_(model), kin_(plan_), vel_(model), factors_(plan_), forces_(6 * model.bodies().size()) {}

std::span<const double> Hand::forces(const State& state, double dt, std::span<const Pull> pulls) {
  std::ranges::fill(forces_, 0.0);
  kinematics<double>(plan_, state.q, kin_);
  velocities(model_, kin_, state.v, vel_);
  factor<double>(plan_, state.q, factors_);
  nodes_.clear();
  for (const Pull& pull : pulls) {  // a node has the axes of its body
    const Body& body = model_.bodies()[pull.body];
    nodes_.push_back({body.link, body.X_LB * Transform<double>{Mat3<double>::identity(), pull.at}});
  }
  tree_.place(model_, plan_, nodes_);
  compliance_.fit(tree_);
  compound_paths<double>(plan_, tree_, factors_, compliance_);
  const std::size_t rows = 6 * pulls.size();
  matrix_.resize(rows * rows);
  compliance_matrix<double>(tree_, compliance_, matrix_);

  for (std::size_t i = 0; i < pulls.size(); ++i) {
    const Pull& pull = pulls[i];
    const auto at = [&](std::size_t r, std::size_t c) { return matrix_[(6 * i + 3 + r) * rows + 6 * i + 3 + c]; };
    Sym3<double> W{at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)};
    const double more = softness * (W.xx + W.yy + W.zz);
    if (!(more > 0)) continue;  // fixed in the world
    W += Sym3<double>::diagonal(more, more, more);
    const Transform<double> X_WB = body_pose(model_, kin_, pull.body);
    const Vec3<double> v = point_velocity(model_, kin_, vel_, pull.body, pull.at).v;
    const Vec3<double> a = transpose_times(X_WB.R, wanted_acceleration(pull.to - X_WB * pull.at, v, dt));
    const Vec3<double> f = (1.0 / double(pulls.size())) * solve(W, a);  // (2)
    const Vec3<double> moment = cross(pull.at, f);
    double* const on_body = forces_.data() + 6 * std::size_t(pull.body);
    const double six[] = {moment.x, moment.y, moment.z, f.x, f.y, f.z};
    for (int k = 0; k < 6; ++k) on_body[k] += six[k];
  }
  return forces_;
}

}  // namespace linchpin
