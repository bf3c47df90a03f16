#include "linchpin/sim/position_level/held_forces.h"

#include <algorithm>

namespace linchpin {

HeldForces::HeldForces(const StepPlan& plan)
    : plan_(plan), tau_(plan.model.nv()), f_ext_(6 * plan.model.bodies().size()), tau_sum_(plan.model.nv()) {}

void HeldForces::clear() {
  contacts_.clear();
  work_.clear();
  joint_work_ = 0;
  std::ranges::fill(tau_, 0);
}

void HeldForces::add_contact(const Contact& c, const Kinematics<double>& kin, const Vec3<double>& force) {
  const auto shapes = plan_.model.shapes();
  Held held{.body_a = shapes[c.key.shape_a].body, .body_b = shapes[c.key.shape_b].body};
  const auto seen_from = [&](int body) {
    const Transform<double> X = body_pose(plan_.model, kin, body);
    return transpose_times(X.R, c.point - X.p);
  };
  held.at_a = seen_from(held.body_a);
  held.at_b = seen_from(held.body_b);
  held.normal = dot(force, c.normal) * c.normal;
  held.friction = force - held.normal;
  contacts_.push_back(held);
  work_.push_back({});
}

void HeldForces::add(int body, const Vec3<double>& at, const Vec3<double>& force, const Kinematics<double>& kin) {
  const Vec3<double> f = transpose_times(body_pose(plan_.model, kin, body).R, force), n = cross(at, f);
  const double six[] = {n.x, n.y, n.z, f.x, f.y, f.z};
  for (int k = 0; k < 6; ++k) f_ext_[std::size_t(6 * body + k)] += six[k];
}

Inputs HeldForces::with(const Inputs& inputs, const Kinematics<double>& kin) {
  std::ranges::copy(tau_, tau_sum_.begin());
  for (std::size_t k = 0; k < inputs.tau.size(); ++k) tau_sum_[k] += inputs.tau[k];
  if (inputs.f_ext.empty())
    std::ranges::fill(f_ext_, 0);
  else
    std::ranges::copy(inputs.f_ext, f_ext_.begin());
  for (const Held& held : contacts_) {
    const Vec3<double> force = held.normal + held.friction;
    add(held.body_a, held.at_a, force, kin);
    add(held.body_b, held.at_b, -1.0 * force, kin);
  }
  return {.tau = tau_sum_, .f_ext = f_ext_, .controls = inputs.controls};
}

void HeldForces::add_work(double share, const Placed& placed, std::span<const double> v) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Held& held = contacts_[i];
    const Vec3<double> u = point_velocity(plan_.model, placed.kin, placed.vel, held.body_a, held.at_a).v -
                           point_velocity(plan_.model, placed.kin, placed.vel, held.body_b, held.at_b).v;
    work_[i].normal += share * dot(held.normal, u);
    work_[i].friction += share * dot(held.friction, u);
  }
  for (std::size_t k = 0; k < v.size(); ++k) joint_work_ += share * tau_[k] * v[k];
}

double HeldForces::total_work() const {
  double sum = joint_work_;
  for (const Work& work : work_) sum += work.normal + work.friction;
  return sum;
}

StepReport integrate_with(HeldForces& forces, const StepPlan& plan, Dynamics& dynamics, const Departure& from,
                          Stages& stages, Placed& placed, Arrival& to) {
  const State& s = from.state;
  const double h = from.options.dt;
  const RungeKuttaTable table = explicit_method(from.options.order);
  const std::span<const double> weights = table.back();
  place_stage(dynamics, s.time, s.q, s.v, h, {}, stages);
  for (std::size_t i = 0; i < table.size(); ++i) {
    place(plan.model, plan.plan, stages.q, stages.v, placed);
    evaluate_stage(dynamics, forces.with(from.inputs, placed.kin), i, stages);
    forces.add_work(h * weights[i], placed, stages.v);
    place_stage(dynamics, s.time, s.q, s.v, h, table[i], stages);
  }
  std::ranges::copy(stages.q, to.q.begin());
  std::ranges::copy(stages.v, to.v.begin());
  std::ranges::fill(to.reactions, 0);
  add_mean_reactions(1, weights, stages, to.reactions);
  StepReport report = arrived(dynamics.model, from, to);
  if (!report.ok()) return report;
  add_work(h, weights, stages, report);
  report.work -= forces.total_work();  // to the stages the forces are inputs
  return report;
}

}  // namespace linchpin
