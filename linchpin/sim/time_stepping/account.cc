#include "linchpin/sim/time_stepping/account.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

double length(double x, double y) { return std::sqrt(x * x + y * y); }

double work_of_block(const Block& block, std::span<const double> impulses, const RowVelocities& u) {
  double work = 0;
  for (int r = block.start; r < block.start + block.size; ++r) work += 0.5 * impulses[r] * (u.before[r] + u.after[r]);
  return work;
}

void add_work_of_external_forces(const Model& model, const Interval& interval, const Velocities& after, double& work) {
  const Kinematics<double>& kin = interval.placed.kin;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Mat3<double> R_WB = body_pose(model, kin, int(b)).R;
    const double* f = interval.inputs.f_ext.data() + 6 * b;
    const Force<double> F{R_WB * Vec3<double>{f[0], f[1], f[2]}, R_WB * Vec3<double>{f[3], f[4], f[5]}};
    for (const Velocities* at : {&interval.placed.vel, &after})
      work += 0.5 * interval.h * dot(F, point_velocity(model, kin, *at, int(b), Vec3<double>::zero()));
  }
}

}  // namespace

double energy_lost(const StepPlan& plan, const StepRows& rows, std::span<const double> impulses, const RowVelocities& u,
                   double h, StepReport& report) {
  double loss = 0;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const Block& block = rows.rows.blocks[b];
    const double work = work_of_block(block, impulses, u);
    switch (rows.owner[b].kind) {
      case RowOwner::Kind::servo:
      case RowOwner::Kind::loop:
        report.work += work;
        break;
      case RowOwner::Kind::spring: {  // the rest of its work is stored
        const int r = block.start;
        const double damping = plan.model.springs()[rows.owner[b].index].damping;
        const double theta = plan.weights.spring[rows.owner[b].index];
        report.dissipated +=
            h * damping * (u.before[r] + theta * (u.after[r] - u.before[r])) * 0.5 * (u.before[r] + u.after[r]);
        break;
      }
      case RowOwner::Kind::sway:    // stored
      case RowOwner::Kind::damper:  // in count_work()
        break;
      default:
        loss -= work;
    }
    if (block.kind == BlockKind::cone) {
      const double* p = impulses.data() + block.start;
      report.cone_violation = larger(report.cone_violation, length(p[1], p[2]) - block.mu * p[0]);
    }
  }
  return loss;
}

void count_work(const StepPlan& plan, const Interval& interval, const Solved& solved, StepReport& report) {
  const Model& model = plan.model;
  const Inputs& inputs = interval.inputs;
  const double h = interval.h;
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  const auto mean = [&](int k) { return 0.5 * (v[k] + solved.v[k]); };
  const auto at_theta = [&](int k) { return v[k] + plan.weights.coordinate[k] * (solved.v[k] - v[k]); };
  for (std::size_t k = 0; k < inputs.tau.size(); ++k) report.work += h * inputs.tau[k] * mean(int(k));
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& a = model.actuators()[i];
    const double u = control_of(model, inputs.controls, i);
    if (a.type == ActuatorType::force)
      report.work += h * commanded_force(a, u) * mean(a.v);
    else if (is_servo(a) && !(solved.choice.servos_as_rows && is_bounded(a)))
      report.work += h * servo_force(a, u, q[a.q], at_theta(a.v), plan.weights.coordinate[a.v] * h) * mean(a.v);
  }
  for (const int k : plan.joints.damped) report.dissipated += h * model.dofs()[k].damping * at_theta(k) * mean(k);
  if (!inputs.f_ext.empty()) add_work_of_external_forces(model, interval, solved.vel, report.work);
}

void add_loop_impulses(const StepPlan& plan, const StepRows& rows, std::span<const double> impulses,
                       std::span<const char> tree_asleep, std::span<double> sum) {
  if (sum.empty()) return;
  // All links of a row are in one island, which sleeps or does not as a whole.
  const auto sleeps = [&](int r) {
    const int side = rows.rows.first_side[r];
    return side < rows.rows.first_side[r + 1] && tree_asleep[plan.trees.of_link[rows.rows.sides[side].link]] != 0;
  };
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (rows.owner[b].kind != RowOwner::Kind::loop) continue;
    const Block& block = rows.rows.blocks[b];
    for (int k = 0; k < block.size; ++k)
      if (!sleeps(block.start + k)) sum[rows.owner[b].index + k] += impulses[block.start + k];
  }
}

// A step that is split may have several impulses at one contact, each at another place.
void ContactSums::Sum::take_place(const Contact& c, double impulse) {
  if (normal == 0) {
    contact = c;
  } else if (impulse > 0) {
    const double part = impulse / (normal + impulse);
    contact.point += part * (c.point - contact.point);
    const Vec3<double> mean = contact.normal + part * (c.normal - contact.normal);
    if (norm(mean) > 0) contact.normal = (1 / norm(mean)) * mean;
  }
}

void ContactSums::start(std::span<const Contact> contacts) {
  sums_.clear();
  for (const Contact& c : contacts) sums_.push_back({.contact = c, .gap = c.gap});
  if (!std::ranges::is_sorted(sums_, {}, &Sum::key)) std::ranges::sort(sums_, {}, &Sum::key);
}

void ContactSums::add(const StepRows& rows, std::span<const Contact> contacts, std::span<const double> impulses,
                      const RowVelocities& u) {
  auto known = sums_.begin();
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (rows.owner[b].kind != RowOwner::Kind::contact) continue;
    const Contact& c = contacts[rows.owner[b].index];
    const Block& block = rows.rows.blocks[b];
    const double* p = impulses.data() + block.start;
    const double* w = u.after.data() + block.start;
    const bool cone = block.kind == BlockKind::cone;
    Vec3<double> impulse = p[0] * c.normal;
    if (cone) impulse = impulse + p[1] * c.t1 + (c.across * p[2]) * c.t2;
    if (known == sums_.end() || known->key() != c.key) {  // contacts are nearly in this order
      known = std::ranges::lower_bound(sums_, c.key, {}, &Sum::key);
      if (known == sums_.end() || known->key() != c.key) known = sums_.insert(known, {.contact = c, .gap = c.gap});
    }
    known->take_place(c, p[0]);
    known->impulse = known->impulse + impulse;
    known->normal += p[0];
    known->slip = cone ? length(w[1], w[2]) : 0;
    ++known;
  }
}

void ContactSums::report(const Model& model, double dt, std::vector<ContactReport>& out) {
  out.clear();
  for (const Sum& sum : sums_) {
    const Contact& c = sum.contact;
    const Vec3<double> force = (1 / dt) * sum.impulse;
    out.push_back({.shape_a = int(c.key.shape_a),
                   .shape_b = int(c.key.shape_b),
                   .body_a = model.shapes()[c.key.shape_a].body,
                   .body_b = model.shapes()[c.key.shape_b].body,
                   .point = c.point,
                   .normal = c.normal,
                   .gap = sum.gap,
                   .force = force,
                   .normal_force = sum.normal / dt,
                   .friction = norm(force - dot(force, c.normal) * c.normal),
                   .mu = c.mu,
                   .state = sum.normal == 0         ? ContactState::separating
                            : sum.slip > slip_speed ? ContactState::sliding
                                                    : ContactState::sticking});
  }
}

}  // namespace linchpin
