// The two Euler methods, with one evaluation per step:
//     v1 = v0 + dt vdot(q0, v0)                                                                                (1)
//     q1 = q0 (+) dt v0  (explicit)   or   q0 (+) dt v1  (semi-implicit)                                       (2)
// The constraint forces of the step are those of that evaluation.
// Work is the trapezoidal rule over the power at both ends: second order, one more than the step itself.
#include <algorithm>

#include "linchpin/sim/steppers.h"

namespace linchpin {
namespace {

void update_velocity(Dynamics& dynamics, const Departure& from, EulerWorkspace& ws, Arrival& to) {
  const State& s = from.state;
  dynamics.accelerations(s.time, s.q, s.v, from.inputs, ws.vdot);
  std::ranges::copy(dynamics.reactions(), to.reactions.begin());
  for (std::size_t k = 0; k < s.v.size(); ++k) to.v[k] = s.v[k] + from.options.dt * ws.vdot[k];  // (1)
}

StepReport finish(Dynamics& dynamics, const Departure& from, const Arrival& to) {
  StepReport report = arrived(dynamics.model, from, to);
  if (!report.ok()) return report;
  const Power before = dynamics.power(from.state.time, from.state.q, from.state.v, from.inputs);
  const Power after = dynamics.power(from.state.time + from.options.dt, to.q, to.v, from.inputs);
  report.work = 0.5 * from.options.dt * (before.input + after.input);
  report.dissipated = -0.5 * from.options.dt * (before.damping + after.damping);
  return report;
}

}  // namespace

EulerWorkspace::EulerWorkspace(const Model& model) : vdot(model.nv()), step(model.nv()) {}

StepReport explicit_euler(Dynamics& dynamics, const Departure& from, EulerWorkspace& ws, Arrival& to) {
  update_velocity(dynamics, from, ws, to);
  move(dynamics.model, from.state.q, from.options.dt, from.state.v, ws.step, to.q);  // (2)
  return finish(dynamics, from, to);
}

StepReport semi_implicit_euler(Dynamics& dynamics, const Departure& from, EulerWorkspace& ws, Arrival& to) {
  update_velocity(dynamics, from, ws, to);
  move(dynamics.model, from.state.q, from.options.dt, to.v, ws.step, to.q);  // (2)
  return finish(dynamics, from, to);
}

}  // namespace linchpin
