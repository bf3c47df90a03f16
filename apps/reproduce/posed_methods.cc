#include "apps/reproduce/posed_methods.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/model/state.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {
namespace {

constexpr Method methods[] = {Method::nmc, Method::nmc_os, Method::mc, Method::rmc, Method::os};

// The point against the world, the normal up.
void add_contact(const Kinematics<double>& kin, const PointContact& point, Rows& rows) {
  rows.begin_block(BlockKind::cone, 3, 0.5);  // the pendulums' coefficient of friction
  for (const Vec3<double>& f : {Vec3<double>{0, 0, 1}, Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}}) {
    rows.add_side(point.link, {cross(kin.X_WL[point.link].R * point.at_L, f), f});
    rows.end_row(0);
  }
}

}  // namespace

std::vector<PointContact> last_links(const Model& model) {
  std::vector<PointContact> points;
  const int links = int(model.links().size()) - 1;
  for (int c = 0; c < posed_contacts; ++c) points.push_back({links - c % links, {0.1 * (c + 1), 0.05 * c, 0}});
  return points;
}

std::vector<Posed> pose_all(const Model& model, std::span<const PointContact> points) {
  const Plan<double> plan(model);
  const State state = random_state(model, 1);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  const std::vector<double> tau(state.v.size(), 0.0);
  const Motive motive{model, plan, kin, vel, state.q, state.v, tau, {}, 1e-4};
  Rows rows;
  for (const PointContact& point : points) add_contact(kin, point, rows);

  Solver solver;
  ResidualWorkspace ws;
  std::vector<Posed> posed;
  std::vector<std::vector<double>> impulses;
  for (const Method method : methods) {
    Problem conic;
    make_formulation(method, model, plan).value()->pose(motive, rows, conic);
    const Problem problem = polyhedral(conic, posed_directions).problem;
    std::vector<double> z(problem.q.size(), 0.0);
    solver.solve(problem, SolverId::automatic, {.tolerance = 1e-12}, z);
    posed.push_back({.method = method, .size = problem.size()});
    z.erase(z.begin(), z.end() - std::ptrdiff_t(points.size()) * (posed_directions + 2));  // contacts come last
    impulses.push_back(std::move(z));
    if (method != Method::os) continue;
    for (std::size_t m = 0; m < posed.size(); ++m) {
      const Residual r = residual(problem, impulses[m], ws);
      posed[m].residual = larger(r.relative, r.plain_relative);
    }
  }
  return posed;
}

double worst_residual(std::span<const Posed> posed) {
  double worst = 0;
  for (const Posed& p : posed) worst = std::max(worst, std::isfinite(p.residual) ? p.residual : HUGE_VAL);
  return worst;
}

}  // namespace linchpin
