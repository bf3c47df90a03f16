#include "linchpin/solvers/conic/cone_system.h"

#include <algorithm>

namespace linchpin {

void ConeSearch::keep(double figure, const std::vector<double>& r) {
  if (!(figure < best)) return;
  best = figure;
  ws.best = r;
}

void ConeSearch::try_whole_steps(const ConePoint& from, double figure, int most, ConePoint& room, ConeStep& step) {
  room.r = from.r;
  room.w = from.w;
  const WholeStepsResult result = whole_steps(ws.p, figure, tolerance, std::min(most, most_whole_steps),
                                              {room.r, room.w, room.u, step.r, step.u, ws.system});
  outcome.iterations += result.steps;
  keep(result.figure, room.r);
}

double longest_step(const ScaledProblem& p, const ConePoint& at, const ConeStep& step, double most) {
  const auto& [r, u, v] = step;
  double a = most;
  for (std::size_t g = 0; g < p.cones.size(); ++g) {
    const Double8 longest =
        min(step_within(hat(p, g, at.r), hat(p, g, r), most), step_within(cones(p, g, at.u), cones(p, g, u), most));
    for (int i = 0; i < p.cones[g].count; ++i) a = std::min(a, longest[i]);
  }
  for (const int c : p.others) {
    const Bounds b = bounds(p, p.cells[c]);
    const std::size_t i = p.cells[c].start;
    if (b.fixed) continue;
    if (b.has_lower) a = std::min({a, step_above(b.above_lower(at.r[i]), r[i], most), step_above(at.u[i], u[i], most)});
    if (b.has_upper)
      a = std::min({a, step_above(b.below_upper(at.r[i]), -r[i], most), step_above(at.v[i], v[i], most)});
  }
  return a;
}

}  // namespace linchpin
