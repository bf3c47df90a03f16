#include "linchpin/sim/event_driven/mode_dynamics.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/contact/actuators.h"
#include "linchpin/dynamics/tree/springs.h"
#include "linchpin/sim/time_stepping/account.h"
#include "linchpin/sim/time_stepping/interval_rows.h"

namespace linchpin {
namespace {

// m/s^2: without gravity, contacts may carry no load; forces are then judged relative to this.
constexpr double no_acceleration = 1e-3;

std::unique_ptr<Formulation> operational_space(const StepPlan& plan) {
  Result<std::unique_ptr<Formulation>> made = make_formulation(Method::os, plan.model, plan.plan);
  check(bool(made), "event_driven: ", made ? "" : made.error().message);
  return std::move(made).value();
}

// Makes the row of an upper limit, whose force is negative, one of the rate at which its gap opens.
void reverse_last_row(Rows& rows) {
  Block& block = rows.blocks.back();
  block.kind = BlockKind::nonnegative;
  const std::size_t r = index(block.start);
  for (std::size_t s = index(rows.first_side[r]); s < index(rows.first_side[r + 1]); ++s)
    rows.sides[s].force = {-rows.sides[s].force.n, -rows.sides[s].force.f};
  rows.coordinate[r] = -1;
  rows.lower[r] = rows.upper[r] = 0;
}

}  // namespace

ModeDynamics::ModeDynamics(Dynamics& dynamics, const StepPlan& plan)
    : dynamics_(dynamics),
      plan_(plan),
      formulation_(operational_space(plan)),
      placed_(plan.model, plan.plan),
      follower_(plan),
      products_(dynamics, plan),
      q_(plan.model.nq()),
      v_(plan.model.nv()),
      tau_(plan.model.nv()),
      f_(6 * plan.model.bodies().size()),
      v_plus_(plan.model.nv()),
      aba_(plan.plan) {
  if (const ClosedChain* chain = dynamics.chain()) {
    loops_.emplace(chain->constraints);
  }
}

void ModeDynamics::gather_forces(const Inputs& inputs) {
  const Model& model = plan_.model;
  if (inputs.tau.empty())
    std::ranges::fill(tau_, 0);
  else
    std::ranges::copy(inputs.tau, tau_.begin());
  if (plan_.joints.passive) add_passive_forces(model, q_, v_, tau_);
  if (!model.actuators().empty()) add_actuator_forces(model, q_, v_, inputs.controls, tau_);
  f_ext_ = inputs.f_ext;
  if (model.springs().empty()) return;
  if (inputs.f_ext.empty())
    std::ranges::fill(f_, 0);
  else
    std::ranges::copy(inputs.f_ext, f_.begin());
  add_spring_forces(model, placed_.kin, placed_.vel, f_);
  f_ext_ = f_;
}

void ModeDynamics::add_rows(const Mode& mode, bool all_rows, ModeForces& out) {
  out.rows.clear();
  if (const ClosedChain* chain = dynamics_.chain()) add_loop_rows(chain->constraints, *loops_, {}, out.rows);
  out.contact_row.assign(mode.contacts.size(), -1);
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    if (!all_rows && mode.contacts[i].hold == Hold::open) continue;
    out.contact_row[i] = out.rows.rows.size();
    Contact c = out.contacts[i];
    c.across = 1;
    add_contact(c, placed_.kin, Vec3<double>::zero(), out.rows.rows);
    out.rows.add_owner(RowOwner::Kind::contact, int(i));
  }
  out.limit_row.assign(mode.limits.size(), -1);
  for (std::size_t i = 0; i < mode.limits.size(); ++i) {
    if (!all_rows && !mode.limits[i].closed) continue;
    out.limit_row[i] = out.rows.rows.size();
    add_limit(plan_, placed_, mode.limits[i].limit, q_, 0, out.rows);
    if (plan_.joints.limits[index(mode.limits[i].limit)].kind == JointLimit::Kind::upper)
      reverse_last_row(out.rows.rows);
  }
  out.dry_row.assign(mode.dry.size(), -1);
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    out.dry_row[i] = out.rows.rows.size();
    const int k = plan_.joints.frictional[i];
    add_friction_row(plan_.model, plan_.joints, placed_.kin, placed_.vel, k, 0, 1, out.rows.rows);
    out.rows.add_owner(RowOwner::Kind::dry_friction, k);
  }
}

void ModeDynamics::evaluate(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs,
                            const Mode& mode, const ContactSet& set, bool all_rows, ModeForces& out) {
  const Model& model = plan_.model;
  ++dynamics_.evaluations;
  time_ = time;
  std::ranges::copy(q, q_.begin());
  std::ranges::copy(v, v_.begin());
  place(model, plan_.plan, q_, v_, placed_);
  gather_forces(inputs);
  if (const ClosedChain* chain = dynamics_.chain())
    evaluate_rows(model, chain->constraints, placed_.kin, placed_.vel, q_, v_, time, *loops_);
  out.all_found = true;
  out.contacts.clear();
  out.in_motion.clear();
  out.u.clear();
  if (!mode.contacts.empty()) follower_.follow(mode, set, placed_.kin, placed_.vel);
  for (const ModeContact& m : mode.contacts) {
    Contact c = m.at;
    if (const Contact* found = follower_.find_same(m.at))
      c = *found;
    else if (m.hold != Hold::open)
      out.all_found = false;
    set_friction(plan_.contacts, follower_.there(), false, c);
    Contact moving = c;
    set_friction(plan_.contacts, follower_.there(), true, moving);
    out.contacts.push_back(c);
    out.in_motion.push_back(moving);
    out.u.push_back(slip_velocity(c, placed_));
  }
  add_rows(mode, all_rows, out);
  const int n = out.rows.rows.size();
  if (n == 0) {
    aba<double>(plan_.plan, q_, v_, tau_, f_ext_, aba_, out.vdot);
    out.W.clear();
    out.b.clear();
    out.D.clear();
    out.scale = 0;
    return;
  }
  const std::span<const double> c =
      products_.find(q_, v_, placed_, loops_ ? &*loops_ : nullptr, mode, set, follower_, out);
  // With dt = 1, v+ = v + vdot: w = J v+ + offset is (1) for offset = c - J v.
  std::vector<double>& offset = out.rows.rows.offset;
  row_velocities(out.rows.rows, placed_.vel, offset);
  for (int r = 0; r < n; ++r) offset[std::size_t(r)] = c[std::size_t(r)] - offset[std::size_t(r)];
  const Motive motive{model, plan_.plan, placed_.kin, placed_.vel, q_, v_, tau_, f_ext_, 1};
  formulation_->pose(motive, out.rows.rows, problem_);
  out.W.resize(std::size_t(n) * std::size_t(n));
  problem_.M.to_dense(out.W.data(), n);
  out.b.assign(problem_.q.begin(), problem_.q.end());
  out.D.resize(std::size_t(n));
  out.scale = 0;
  for (int r = 0; r < n; ++r) {
    const double diagonal = out.W[entry_of(r, r, n)];
    out.D[std::size_t(r)] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
    const double size =
        std::max({std::abs(out.b[std::size_t(r)]), 1e-2 * std::abs(c[std::size_t(r)]), no_acceleration});
    out.scale = std::max(out.scale, out.D[std::size_t(r)] * size);
  }
}

void ModeDynamics::lift(ModeForces& out) {
  if (out.rows.rows.size() == 0) return;  // evaluate() has found vdot
  const Motive motive{plan_.model, plan_.plan, placed_.kin, placed_.vel, q_, v_, tau_, f_ext_, 1};
  impulses_.resize(out.z.size());
  formulation_->lift(motive, out.rows.rows, out.z, v_plus_, impulses_);
  for (std::size_t k = 0; k < v_.size(); ++k) out.vdot[k] = v_plus_[k] - v_[k];
}

void ModeDynamics::respond(std::span<const double> z, ModeForces& forces, std::span<double> change) {
  const Motive motive{plan_.model, plan_.plan, placed_.kin, placed_.vel, q_, v_, tau_, f_ext_, 1};
  impulses_.assign(z.size(), 0.0);
  formulation_->lift(motive, forces.rows.rows, impulses_, v_plus_, impulses_);
  impulses_.resize(z.size());
  formulation_->lift(motive, forces.rows.rows, z, change, impulses_);
  for (std::size_t k = 0; k < v_.size(); ++k) change[k] -= v_plus_[k];
}

bool ModeDynamics::correct(std::span<const double> errors, std::span<const int> rows, ModeForces& forces,
                           std::span<double> change) {
  const int n = forces.rows.rows.size(), m = int(rows.size());
  A_.resize(std::size_t(m) * std::size_t(m));
  x_.resize(std::size_t(m));
  const auto D = [&](int i) { return forces.D[std::size_t(rows[std::size_t(i)])]; };
  for (int i = 0; i < m; ++i) {
    x_[std::size_t(i)] = -D(i) * errors[std::size_t(i)];
    for (int j = 0; j < m; ++j)
      A_[entry_of(i, j, m)] = D(i) * forces.W[entry_of(rows[std::size_t(i)], rows[std::size_t(j)], n)] * D(j);
  }
  if (solver_.factor(A_, m) < 0) return false;
  solver_.solve(x_);
  z_correct_.assign(std::size_t(n), 0.0);
  for (int i = 0; i < m; ++i) z_correct_[std::size_t(rows[std::size_t(i)])] = D(i) * x_[std::size_t(i)];
  respond(z_correct_, forces, change);
  return true;
}

void ModeDynamics::evaluate_power(const Inputs& inputs, ModeForces& out) {
  const Model& model = plan_.model;
  out.power = {};
  out.lost = 0;
  if (plan_.joints.passive) out.power.damping = damping_power(model, v_);
  for (std::size_t k = 0; k < inputs.tau.size(); ++k) out.power.input += inputs.tau[k] * v_[k];
  if (!model.actuators().empty()) out.power.input += actuator_power(model, q_, v_, inputs.controls);
  if (!model.springs().empty()) out.power.damping += spring_damping_power(model, placed_.kin, placed_.vel);
  if (!inputs.f_ext.empty()) {
    for (std::size_t b = 1; b < model.bodies().size(); ++b) {
      const Mat3<double> R_WB = body_pose(model, placed_.kin, int(b)).R;
      const double* f = inputs.f_ext.data() + 6 * b;
      const Force<double> F{R_WB * Vec3<double>{f[0], f[1], f[2]}, R_WB * Vec3<double>{f[3], f[4], f[5]}};
      out.power.input += dot(F, point_velocity(model, placed_.kin, placed_.vel, int(b), Vec3<double>::zero()));
    }
  }
  const Rows& rows = out.rows.rows;
  speeds_.resize(std::size_t(rows.size()));
  row_velocities(rows, placed_.vel, speeds_);
  for (std::size_t k = 0; k < out.rows.owner.size(); ++k)
    for (int r = rows.blocks[k].start; r < rows.blocks[k].start + rows.blocks[k].size; ++r) {
      if (out.rows.owner[k].kind == RowOwner::Kind::loop)
        out.power.input -= out.z[std::size_t(r)] * loops_->drift[std::size_t(r)];
      else
        out.lost -= out.z[std::size_t(r)] * speeds_[std::size_t(r)];
    }
}

}  // namespace linchpin
