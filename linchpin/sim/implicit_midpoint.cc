// The implicit midpoint rule. With vm and qm at the middle of the step,
//     vm = v0 + dt/2 vdot(qm, vm),   qm = q0 (+) dt/2 vm                                                       (1)
//     v1 = v0 + dt vdot(qm, vm),     q1 = q0 (+) dt vm                                                         (2)
// The constraint forces of the step are those at the middle.
// The rule is symmetric in time, also on the manifold: qm = q1 (+) (-dt/2 vm).
//
// (1) is solved by fixed-point iteration. The difference of two rounds shrinks by a factor of about
// (dt/2)^2 |dvdot/dq| + dt/2 |dvdot/dv| each. It is iterated to round-off, since the remaining error would add or
// remove energy systematically over a long run.
#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/sim/steppers.h"

namespace linchpin {
namespace {

// Converged if velocities change by less than this, relative to the largest velocity: some units in the last place.
constexpr double converged = 8 * std::numeric_limits<double>::epsilon();
// Accelerations have round-off errors amplified by the mass matrix (1e-8 for a chain of 300 rods). If the change is
// below this number and no longer shrinks, it is such noise, and further rounds do not help.
constexpr double noise = 1e-9;

// (1): one round. Returns the largest change of vm, relative to the largest velocity seen.
double iterate(Dynamics& dynamics, const Departure& from, MidpointWorkspace& ws) {
  const double half = 0.5 * from.options.dt;
  const std::vector<double>& v0 = from.state.v;
  for (std::size_t k = 0; k < v0.size(); ++k) ws.v[k] = v0[k] + half * ws.vdot[k];
  move(dynamics.model, from.state.q, half, ws.v, ws.step, ws.q);
  std::swap(ws.vdot, ws.before);
  dynamics.accelerations(from.state.time + half, ws.q, ws.v, from.inputs, ws.vdot);
  double change = 0, size = 0;
  for (std::size_t k = 0; k < v0.size(); ++k) {
    const double difference = half * std::abs(ws.vdot[k] - ws.before[k]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    change = std::max(change, difference);
    size = std::max(size, std::abs(v0[k]) + half * std::abs(ws.vdot[k]));
  }
  return size > 0 ? change / size : 0;
}

// Whether the last round changed no coordinate over the step by more than the rounding error of positions. Where a
// mechanism has come to rest under springs or servos, velocities and accelerations are nothing but rounding errors of
// forces in balance, and never converge relative to themselves.
bool at_rest(const Departure& from, const MidpointWorkspace& ws) {
  const double dt = from.options.dt;
  double place = 0;
  for (const double q : from.state.q) place = std::max(place, std::abs(q));
  for (std::size_t k = 0; k < ws.vdot.size(); ++k)
    if (!(0.5 * dt * dt * std::abs(ws.vdot[k] - ws.before[k]) <= converged * place)) return false;
  return true;
}

// Returns whether the iteration converged within max_iterations.
bool solve_midpoint(Dynamics& dynamics, const Departure& from, MidpointWorkspace& ws) {
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < from.options.max_iterations; ++round) {
    const double change = iterate(dynamics, from, ws);
    if (change <= converged) return true;
    if (change >= last && change <= noise) return true;
    if (std::isinf(change)) return false;
    last = change;
  }
  return at_rest(from, ws);
}

}  // namespace

MidpointWorkspace::MidpointWorkspace(const Model& model)
    : q(model.nq()), v(model.nv()), vdot(model.nv()), before(model.nv()), step(model.nv()) {}

StepReport implicit_midpoint(Dynamics& dynamics, const Departure& from, MidpointWorkspace& ws, Arrival& to) {
  const State& s = from.state;
  const double dt = from.options.dt;
  dynamics.accelerations(s.time, s.q, s.v, from.inputs, ws.vdot);
  if (!all_finite(s.q) || !all_finite(ws.vdot)) return not_finite(dynamics.model, from, ws.vdot, to);
  if (!solve_midpoint(dynamics, from, ws)) {
    StepReport report;
    report.status = StepStatus::no_convergence;
    report.reason =
        "the midpoint iteration did not converge: dt is too long for this motion, or max_iterations too few";
    return report;
  }
  std::ranges::copy(dynamics.reactions(), to.reactions.begin());  // of the last round
  for (std::size_t k = 0; k < s.v.size(); ++k) {
    ws.v[k] = s.v[k] + 0.5 * dt * ws.vdot[k];
    to.v[k] = s.v[k] + dt * ws.vdot[k];  // (2)
  }
  move(dynamics.model, s.q, dt, ws.v, ws.step, to.q);  // (2)
  StepReport report = arrived(dynamics.model, from, to);
  if (!report.ok()) return report;
  const Power middle = dynamics.power(s.time + 0.5 * dt, ws.q, ws.v, from.inputs);
  report.work = dt * middle.input;
  report.dissipated = -dt * middle.damping;
  return report;
}

}  // namespace linchpin
