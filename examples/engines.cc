// One step in contact by every engine of forward dynamics [002 s.2.3]: they pose the identical problem, and the
// solution of one is that of all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "linchpin/contact/formulation.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/solvers/solver.h"

int main() {
  using namespace linchpin;
  const Model model = compile(scene("@chain:links=40").value()).value();
  const Plan<double> plan(model);
  const State state = random_state(model, 1, 3, 0);  // at rest, in a random shape
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  const std::vector<double> tau(state.v.size(), 0.0);
  const Motive motive{model, plan, kin, vel, state.q, state.v, tau, {}, 1e-3};

  // The last link and the one in the middle touch the floor with friction 0.5: a normal row and two tangents each.
  Rows rows;
  for (const int link : {40, 20}) {
    rows.begin_block(BlockKind::cone, 3, 0.5);
    for (const Vec3<double>& axis : {Vec3<double>{0, 0, 1}, Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}}) {
      rows.add_side(link, {{0, 0, 0}, axis});
      rows.end_row(0);
    }
  }

  std::vector<double> first;
  Solver solver;
  for (const Method method :
       {Method::os, Method::multipliers, Method::hybrid_dense, Method::hybrid_aba, Method::hybrid_dca}) {
    const auto formulation = make_formulation(method, model, plan, method == Method::hybrid_dca ? 2 : 1).value();
    Problem problem;
    formulation->pose(motive, rows, problem);
    std::vector<double> z(rows.size(), 0.0), v(state.v.size()), impulses(rows.size());
    const SolveReport report = solver.solve(problem, SolverId::automatic, {.tolerance = 1e-12}, z);
    if (report.status != Status::solved) return 1;
    formulation->lift(motive, rows, z, v, impulses);
    if (first.empty()) first = v;
    double most = 0, largest = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      most = std::max(most, std::abs(v[k] - first[k]));
      largest = std::max(largest, std::abs(first[k]));
    }
    std::printf("%-13s normal impulses %.6f and %.6f N s, velocities as by os to %.0e\n",
                std::string(to_string(method)).c_str(), impulses[0], impulses[3], most / largest);
    if (!(most < 1e-9 * largest)) return 1;
  }
  return 0;
}
