#include "linchpin/sim/time_stepping/interval.h"

#include <algorithm>

#include "linchpin/base/larger.h"

namespace linchpin {

void SolveEffort::add_to(StepReport& report) const {
  report.problems += problems;
  report.iterations += iterations;
  report.declared_fallbacks += fallbacks;
}

void SolveQuality::add_to(StepReport& report) const {
  report.residual = larger(report.residual, residual);
  report.loose += loose;
  report.painleve = std::max(report.painleve, painleve);
}

Solved::Solved(const Model& model)
    : v(model.nv()), vel(model), q_forces(model.nq()), v_mean(model.nv()), vel_mean(model) {}

void RowVelocities::fill(const Rows& rows, const Velocities& vel_before, const Velocities& vel_after) {
  before.resize(rows.size());
  after.resize(rows.size());
  row_velocities(rows, vel_before, before);
  row_velocities(rows, vel_after, after);
}

void find_mean_motion(const Interval& interval, std::span<const int> of_link, Solved& solved) {
  for (std::size_t i = 1; i < of_link.size(); ++i) {
    const Motion<double>& end = solved.vel.link[i];
    solved.vel_mean.link[i] = solved.tree_jumps[of_link[i]] ? end : 0.5 * (interval.placed.vel.link[i] + end);
  }
}

}  // namespace linchpin
