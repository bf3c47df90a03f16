// What is told of a step: where energy went, and what contacts did.
#include <algorithm>

#include "linchpin/sim/contact_stepper_parts.h"

namespace linchpin {

// Energy that contacts, limits and dry friction took over h: -z . (u + u+) / 2. The work of servos and of loops, which may
// be driven, and what springs' dampers took go into the report, and how far friction is beyond its cone.
double ContactStepper::Parts::add_losses(double h, StepReport& report) {
  const std::size_t n = std::size_t(rows.rows.size());
  w_before.resize(n);
  w_after.resize(n);
  velocities(model, kin, v_after, vel_after);
  linchpin::row_velocities(rows.rows, vel, w_before);
  linchpin::row_velocities(rows.rows, vel_after, w_after);
  double loss = 0;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const RowOwner::Kind kind = rows.owner[b].kind;
    const Block& block = rows.rows.blocks[b];
    double work = 0;
    for (std::size_t r = std::size_t(block.start); r < std::size_t(block.start + block.size); ++r)
      work += 0.5 * impulses[r] * (w_before[r] + w_after[r]);
    if (kind == RowOwner::Kind::servo || kind == RowOwner::Kind::loop) {
      report.work += work;
    } else if (kind == RowOwner::Kind::spring) {  // the rest of it is stored
      const std::size_t r = std::size_t(block.start);
      const double damping = model.springs()[rows.owner[b].index].damping;
      report.dissipated += h * damping * w_after[r] * 0.5 * (w_before[r] + w_after[r]);
    } else {
      loss -= work;
    }
    if (block.kind == BlockKind::cone) {
      const double* p = impulses.data() + block.start;
      report.cone_violation = std::max(report.cone_violation, length(p[1], p[2]) - block.mu * p[0]);
    }
  }
  return loss;
}

void ContactStepper::Parts::count_work(const Inputs& inputs, std::span<const double> q, std::span<const double> v,
                                       double h, bool servos, StepReport& report) {
  const auto mean = [&](int k) { return 0.5 * (v[k] + v_after[k]); };
  for (std::size_t k = 0; k < inputs.tau.size(); ++k) report.work += h * inputs.tau[k] * mean(int(k));
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& a = model.actuators()[i];
    const double u = control_of(model, inputs.controls, i);
    if (a.type == ActuatorType::force)
      report.work += h * std::clamp(a.gear * u, a.lower, a.upper) * mean(a.v);
    else if (is_servo(a) && (servos || !is_bounded(a)))
      report.work += h * servo_force(a, u, q[a.q], v_after[a.v], h) * mean(a.v);
  }
  for (const int k : joint_plan.damped) report.dissipated += h * model.dofs()[k].damping * v_after[k] * mean(k);
  if (inputs.f_ext.empty()) return;
  velocities(model, kin, v_after, vel_after);
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Mat3<double> R_WB = body_pose(model, kin, int(b)).R;
    const double* f = inputs.f_ext.data() + 6 * b;
    const Force<double> F{R_WB * Vec3<double>{f[0], f[1], f[2]}, R_WB * Vec3<double>{f[3], f[4], f[5]}};
    for (const Velocities* at : {&vel, &vel_after})
      report.work += 0.5 * h * dot(F, point_velocity(model, kin, *at, int(b), Vec3<double>::zero()));
  }
}

// Adds the rows' impulses to what contacts have had in this step.
void ContactStepper::Parts::collect() {
  const bool first = sums.empty();  // then nothing is known yet
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (rows.owner[b].kind != RowOwner::Kind::contact) continue;
    const Contact& c = set.contacts[rows.owner[b].index];
    const Block& block = rows.rows.blocks[b];
    const double* p = impulses.data() + block.start;
    const double* u = w_after.data() + block.start;
    const bool cone = block.kind == BlockKind::cone;
    Vec3<double> impulse = p[0] * c.normal;
    if (cone) impulse = impulse + p[1] * c.t1 + (c.across * p[2]) * c.t2;
    auto known = first ? sums.end() : std::ranges::find_if(sums, [&](const Sum& s) { return s.contact.key == c.key; });
    if (known == sums.end()) {
      sums.push_back({.contact = c, .gap = c.gap});
      known = sums.end() - 1;
    }
    Sum& sum = *known;
    sum.contact = c;
    sum.impulse = sum.impulse + impulse;
    sum.normal += p[0];
    sum.slip = cone ? length(u[1], u[2]) : 0;
  }
}

void ContactStepper::Parts::finish_reports() {
  reports.clear();
  std::ranges::sort(sums, {}, [](const Sum& sum) { return sum.contact.key; });
  const auto shape = [&](std::uint32_t i) { return model.shapes()[i]; };
  for (const Sum& sum : sums) {
    const Contact& c = sum.contact;
    const Vec3<double> force = (1 / dt) * sum.impulse;
    const double normal = sum.normal / dt, friction_force = norm(force - dot(force, c.normal) * c.normal);
    reports.push_back({.shape_a = int(c.key.shape_a),
                       .shape_b = int(c.key.shape_b),
                       .body_a = shape(c.key.shape_a).body,
                       .body_b = shape(c.key.shape_b).body,
                       .point = c.point,
                       .normal = c.normal,
                       .gap = sum.gap,
                       .force = force,
                       .normal_force = normal,
                       .friction = friction_force,
                       .mu = c.mu,
                       .state = sum.normal == 0         ? ContactState::separating
                                : sum.slip > slip_speed ? ContactState::sliding
                                                        : ContactState::sticking});
  }
}

}  // namespace linchpin
