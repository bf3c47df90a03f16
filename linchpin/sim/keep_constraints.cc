#include "linchpin/sim/keep_constraints.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// Errors (m, rad) beyond which a state is not assembled, and beyond which constraint velocities contradict each other
// (relative to the largest velocity).
constexpr double largest_error = 1e-6;

// The largest |velocity coordinate|, at least 1. Constraints mix rad/s and m/s, and so does this.
double speed_of(std::span<const double> v) {
  double fastest = 1;
  for (const double x : v) fastest = std::max(fastest, std::abs(x));
  return fastest;
}

void set_failure(StepStatus status, const char* reason, const ClosedChain& chain, int row, StepReport& report) {
  report.status = status;
  report.reason = reason;
  report.constraint = row < 0 ? -1 : chain.constraints.constraint_of(row);
}

}  // namespace

std::optional<StepReport> refused_start(Dynamics& dynamics, const State& state, const SimulationOptions& options) {
  ClosedChain& chain = *dynamics.chain();
  place_chain(state.q, state.v, state.time, chain);
  row_velocities(chain.constraints, chain.rows, chain.vel, state.q, state.v, chain.g);
  const double allowed_error = std::max(largest_error, options.loop_tolerance);
  for (int r = 0; r < chain.constraints.rows(); ++r) {
    StepReport report;
    report.loop_error = std::abs(chain.rows.error[r]);
    report.loop_speed = std::abs(chain.g[r]);
    constexpr StepStatus status = StepStatus::not_assembled;
    if (report.loop_error > allowed_error)
      set_failure(status, "the state violates its constraints: assemble it first", chain, r, report);
    else if (report.loop_speed > allowed_error * speed_of(state.v))
      set_failure(status, "velocities violate the constraints: assemble the state first", chain, r, report);
    if (!report.ok()) return report;
  }
  return std::nullopt;
}

void project(Dynamics& dynamics, double time, const SimulationOptions& options, Arrival& to, StepReport& report) {
  ClosedChain& chain = *dynamics.chain();
  const double before = dynamics.stored(to.q, to.v);
  const ConstraintReport position = project_position(to.q, time, 1e-3 * options.loop_tolerance, chain);
  report.loop_error = larger(report.loop_error, position.unmet);
  if (!(position.unmet <= options.loop_tolerance))
    return set_failure(StepStatus::constraints_unmet, "no nearby position satisfies the constraints", chain,
                       position.worst, report);
  const ConstraintReport velocity = project_velocity(to.q, to.v, time, chain);
  report.loop_speed = larger(report.loop_speed, velocity.unmet);
  // A row that has just become singular keeps a velocity error of up to 1e-6. Contradictions are much larger.
  if (!(velocity.unmet <= std::max(largest_error, options.loop_tolerance) * speed_of(to.v)))
    return set_failure(StepStatus::constraints_unmet, "the constraints ask for contradictory velocities", chain,
                       velocity.worst, report);
  report.projected += dynamics.stored(to.q, to.v) - before;
}

}  // namespace linchpin
