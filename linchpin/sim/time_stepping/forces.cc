#include "linchpin/sim/time_stepping/forces.h"

#include <algorithm>

namespace linchpin {

Forces::Forces(const Model& model) : tau_(model.nv()), q_moved_(model.nq()), step_(model.nv()) {}

std::span<const double> Forces::gather(const StepPlan& plan, const Inputs& inputs, std::span<const double> q,
                                       std::span<const double> v, double h, bool with_bounded_servos) {
  if (inputs.tau.empty())
    std::ranges::fill(tau_, 0);
  else
    std::ranges::copy(inputs.tau, tau_.begin());
  add_implicit_forces(plan.model, plan.joints, q, v, inputs.controls, h, with_bounded_servos, q_moved_, step_, tau_);
  return tau_;
}

void free_velocity(Variant& mechanism, std::span<const double> q, std::span<const double> v,
                   std::span<const double> tau, std::span<const double> f_ext, double h, std::span<double> vdot,
                   std::span<double> out) {
  aba<double>(mechanism.plan, q, v, tau, f_ext, mechanism.aba, vdot);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = v[k] + h * vdot[k];
}

void find_free_motion(const StepPlan& plan, const Interval& interval, Variant& mechanism, Forces& forces,
                      FreeMotion& out) {
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  const std::span<const double> tau = forces.gather(plan, interval.inputs, q, v, interval.h, true);
  move(plan.model, q, 0.5 * interval.h, v, out.step, out.q_forces);
  free_velocity(mechanism, out.q_forces, v, tau, interval.inputs.f_ext, interval.h, out.vdot, out.v);
  link_velocities_at(plan.model, interval.placed, out.v, out.vel);
  out.h = interval.h;
}

}  // namespace linchpin
