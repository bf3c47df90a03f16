#include "linchpin/sim/steppers.h"

#include <algorithm>
#include <cmath>

#include "linchpin/contact/actuators.h"
#include "linchpin/dynamics/tree/springs.h"

namespace linchpin {
namespace {

bool has_passive_forces(const Model& model) {
  return std::ranges::any_of(model.dofs(), [](const DofSpec& dof) { return dof.stiffness != 0 || dof.damping != 0; });
}

Vec3<double> vector_at(const double* x) { return {x[0], x[1], x[2]}; }

// Index of the first number that is not finite, or -1.
int first_not_finite(std::span<const double> x) {
  const auto bad = std::ranges::find_if_not(x, [](double value) { return std::isfinite(value); });
  return bad == x.end() ? -1 : int(bad - x.begin());
}

int body_of_position(const Model& model, int q) {
  for (const Joint& joint : model.joints())
    if (q >= joint.q && q < joint.q + joint.nq) return joint.child;
  return -1;
}
int body_of_velocity(const Model& model, int v) {
  for (const Joint& joint : model.joints())
    if (v >= joint.v && v < joint.v + joint.nv) return joint.child;
  return -1;
}

StepReport failed(StepStatus status, const char* reason, int body) {
  StepReport report;
  report.status = status;
  report.reason = reason;
  report.body = body;
  return report;
}

}  // namespace

Dynamics::Dynamics(const Model& m)
    : model(m),
      position_of(m.nv(), -1),
      passive_(has_passive_forces(m)),
      actuated_(!m.actuators().empty()),
      driven_(std::ranges::any_of(m.constraints(), is_driven)),
      plan_(m),
      aba_(plan_),
      kin_(plan_),
      vel_(m),
      tau_(m.nv()),
      vdot_(m.nv()),
      f_(m.springs().empty() ? 0 : 6 * m.bodies().size()) {
  if (!m.constraints().empty()) chain_.emplace(m, plan_, m.constraints());
  for (const Link& link : model.links()) {
    const bool quaternion = link.kind == LinkKind::ball || link.kind == LinkKind::free;
    if (quaternion) rotations.push_back(link.v);
    for (int k = quaternion ? 3 : 0; k < link.nv; ++k) position_of[link.v + k] = link.q + k + (quaternion ? 1 : 0);
  }
}

void Dynamics::gather_forces(std::span<const double> q, std::span<const double> v, const Inputs& inputs) {
  if (inputs.tau.empty())
    std::ranges::fill(tau_, 0);
  else
    std::ranges::copy(inputs.tau, tau_.begin());
  if (passive_) add_passive_forces(model, q, v, tau_);
  if (actuated_) add_actuator_forces(model, q, v, inputs.controls, tau_);
  if (f_.empty()) return;
  if (inputs.f_ext.empty())
    std::ranges::fill(f_, 0);
  else
    std::ranges::copy(inputs.f_ext, f_.begin());
  kinematics<double>(plan_, q, kin_);
  velocities(model, kin_, v, vel_);
  add_spring_forces(model, kin_, vel_, f_);
}

void Dynamics::accelerations(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs,
                             std::span<double> vdot) {
  gather_forces(q, v, inputs);
  const std::span<const double> f = f_.empty() ? inputs.f_ext : std::span<const double>(f_);
  if (chain_)
    constrained_dynamics(q, v, tau_, f, time, *chain_, vdot);
  else
    aba<double>(plan_, q, v, tau_, f, aba_, vdot);
  ++evaluations;
}

double Dynamics::stored(std::span<const double> q, std::span<const double> v) {
  kinematics<double>(plan_, q, kin_);
  velocities(model, kin_, v, vel_);
  return energy(model, kin_, vel_, q, v).total();
}

Power Dynamics::power(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs) {
  Power power;
  if (passive_) power.damping = damping_power(model, v);
  for (std::size_t k = 0; k < inputs.tau.size(); ++k) power.input += inputs.tau[k] * v[k];
  if (actuated_) power.input += actuator_power(model, q, v, inputs.controls);
  if (driven_) {  // power of the reactions on prescribed rows: lambda . J v, J v = -drift
    accelerations(time, q, v, inputs, vdot_);
    --evaluations;
    for (std::size_t r = 0; r < chain_->reactions.size(); ++r)
      power.input -= chain_->reactions[r] * chain_->rows.drift[r];
  }
  if (inputs.f_ext.empty() && f_.empty()) return power;
  kinematics<double>(plan_, q, kin_);
  velocities(model, kin_, v, vel_);
  if (!f_.empty()) power.damping += spring_damping_power(model, kin_, vel_);
  if (inputs.f_ext.empty()) return power;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Mat3<double> R_WB = body_pose(model, kin_, int(b)).R;
    const Motion<double> motion = point_velocity(model, kin_, vel_, int(b), Vec3<double>::zero());
    const double* f = inputs.f_ext.data() + 6 * b;
    power.input += dot(Force<double>{R_WB * vector_at(f), R_WB * vector_at(f + 3)}, motion);
  }
  return power;
}

Arrival::Arrival(const Model& model, int constraint_rows) : q(model.nq()), v(model.nv()), reactions(constraint_rows) {}

void Arrival::start_from(const State& state) {
  std::ranges::copy(state.q, q.begin());
  std::ranges::copy(state.v, v.begin());
  memory.assign(state.memory.begin(), state.memory.end());
  fresh = state.fresh;
  loose_steps = state.loose_steps;
  vdot.assign(state.vdot.begin(), state.vdot.end());
  still.assign(state.still.begin(), state.still.end());
}

bool all_finite(std::span<const double> x) { return first_not_finite(x) < 0; }

StepReport not_finite(const Model& model, const Departure& from, std::span<const double> vdot, const Arrival& to) {
  constexpr StepStatus status = StepStatus::not_finite;
  if (const int i = first_not_finite(from.state.q); i >= 0)
    return failed(status, "q is not finite at the start of the step", body_of_position(model, i));
  if (const int i = first_not_finite(from.state.v); i >= 0)
    return failed(status, "v is not finite at the start of the step", body_of_velocity(model, i));
  if (const int i = first_not_finite(from.inputs.tau); i >= 0)
    return failed(status, "tau is not finite", body_of_velocity(model, i));
  if (const int i = first_not_finite(from.inputs.f_ext); i >= 0) return failed(status, "f_ext is not finite", i / 6);
  if (const int i = first_not_finite(from.inputs.controls); i >= 0)
    return failed(status, "a control is not finite", body_of_velocity(model, model.actuators()[i].v));
  if (const int i = first_not_finite(vdot); i >= 0)
    return failed(status, "the acceleration is not finite", body_of_velocity(model, i));
  if (const int i = first_not_finite(to.v); i >= 0)
    return failed(status, "v is not finite at the end of the step", body_of_velocity(model, i));
  const int i = first_not_finite(to.q);
  return failed(status, "q is not finite at the end of the step", i < 0 ? -1 : body_of_position(model, i));
}

StepReport arrived(const Model& model, const Departure& from, const Arrival& to) {
  if (all_finite(to.q) && all_finite(to.v)) return {};
  return not_finite(model, from, {}, to);
}

void move(const Model& model, std::span<const double> q, double factor, std::span<const double> velocity,
          std::span<double> step, std::span<double> to) {
  for (std::size_t k = 0; k < step.size(); ++k) step[k] = factor * velocity[k];
  std::ranges::copy(q, to.begin());
  integrate(model, step, to);
}

}  // namespace linchpin
