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

// Of (6): the part of their size by which bodies move, and the angle by which they turn.
constexpr double difference_size = 1e-3;
// Rates below this (1/s) leave velocity products of contacts below rounding.
constexpr double no_rate = 1e-12;
// m/s: below this a sliding velocity has no direction of its own.
constexpr double no_slip = 1e-11;
// m/s^2: without gravity, contacts may carry no load; forces are then judged relative to this.
constexpr double no_acceleration = 1e-3;
// Of forces of size 1, in scaled rows: smaller accelerations are rounding.
constexpr double no_change = 1e-9;

std::unique_ptr<Formulation> operational_space(const StepPlan& plan) {
  Result<std::unique_ptr<Formulation>> made = make_formulation(Method::os, plan.model, plan.plan);
  check(bool(made), "event_driven: ", made ? "" : made.error().message);
  return std::move(made).value();
}

Vec3<double> velocity_at(int link, const Vec3<double>& point, const Placed& placed) {
  const Motion<double>& m = placed.vel.link[link];
  return m.v + cross(m.w, point - placed.kin.X_WL[link].p);
}
Vec3<double> slip_velocity(const Contact& c, const Placed& placed) {
  return velocity_at(c.link_a, c.point, placed) - velocity_at(c.link_b, c.point, placed);
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

std::size_t at(int row, int column, int n) { return std::size_t(row) * std::size_t(n) + std::size_t(column); }

}  // namespace

ModeForces::ModeForces(const Model& model) : vdot(model.nv()) {}

ModeDynamics::ModeDynamics(Dynamics& dynamics, const StepPlan& plan)
    : dynamics_(dynamics),
      plan_(plan),
      formulation_(operational_space(plan)),
      placed_(plan.model, plan.plan),
      moved_(plan.model, plan.plan),
      there_(plan.contacts),
      q_(plan.model.nq()),
      v_(plan.model.nv()),
      q_moved_(plan.model.nq()),
      step_(plan.model.nv()),
      tau_(plan.model.nv()),
      f_(6 * plan.model.bodies().size()),
      zero_(plan.model.nv(), 0.0),
      v_plus_(plan.model.nv()),
      aba_(plan.plan),
      link_acceleration_(plan.model.links().size()) {
  if (const ClosedChain* chain = dynamics.chain()) {
    loops_.emplace(chain->constraints);
    loop_bias_.resize(chain->constraints.rows());
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

// Fills there_ with the contacts of the mode's pairs.
void ModeDynamics::follow(const Mode& mode, const ContactSet& set, const Kinematics<double>& kin,
                          const Velocities& vel) {
  followed_.assign(set.found.pairs.size(), 0);
  for (const ModeContact& m : mode.contacts)
    for (std::size_t p = 0; p < followed_.size(); ++p)
      if (set.found.pairs[p].a == int(m.at.key.shape_a) && set.found.pairs[p].b == int(m.at.key.shape_b))
        followed_[p] = 1;
  follow_contacts(plan_.contacts, set, followed_, kin, vel, there_);
}

// The contact with the same key in there_. Where features change along a smooth surface (the triangles of a mesh), the
// nearest one of the pair with nearly the same normal.
const Contact* ModeDynamics::find_same(const Contact& contact) const {
  const Contact* nearest = nullptr;
  double least = 0.05 * std::min(plan_.radius[contact.key.shape_a], plan_.radius[contact.key.shape_b]);
  for (const Contact& c : there_.contacts) {
    if (c.key == contact.key) return &c;
    if (c.key.shape_a != contact.key.shape_a || c.key.shape_b != contact.key.shape_b) continue;
    const double distance = norm(c.point - contact.point);
    if (dot(c.normal, contact.normal) > 0.999 && distance < least) {
      least = distance;
      nearest = &c;
    }
  }
  return nearest;
}

Vec3<double> ModeDynamics::sliding_direction(const ModeContact& contact, const Contact& c, const Vec3<double>& u) {
  const Vec3<double> slip = u - dot(u, c.normal) * c.normal;
  const double speed = norm(slip);
  const Vec3<double> slide = contact.slide - dot(contact.slide, c.normal) * c.normal;
  // Where the velocity has reversed, friction goes on as before: the event is located before that.
  if (speed < no_slip || dot(slip, slide) <= 0) return (1 / norm(slide)) * slide;
  return (1 / speed) * slip;
}

Vec3<double> ModeDynamics::friction_per_load(const Contact& c, const Vec3<double>& d) {
  const double d1 = dot(d, c.t1), d2 = c.across * dot(d, c.t2), size = std::hypot(d1, d2);
  if (!(size > 0)) return Vec3<double>::zero();
  return (-c.mu / size) * (d1 * c.t1 + (c.across * d2) * c.t2);  // (5)
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

// eps of (6); 0 if nothing moves.
double ModeDynamics::difference_step(const ModeForces& out) const {
  double rate = 0;
  for (std::size_t i = 0; i < out.contacts.size(); ++i) {
    if (out.contact_row[i] < 0) continue;
    const Contact& c = out.contacts[i];
    const Vec3<double>& origin = placed_.kin.X_WL[c.link_a != 0 ? c.link_a : c.link_b].p;
    const double size = std::min(plan_.radius[c.key.shape_a], plan_.radius[c.key.shape_b]);
    const double shift = norm(velocity_at(c.link_a, origin, placed_) - velocity_at(c.link_b, origin, placed_));
    rate = std::max(rate, norm(placed_.vel.link[c.link_a].w) + norm(placed_.vel.link[c.link_b].w) + shift / size);
  }
  for (std::size_t i = 0; i < out.limit_row.size(); ++i)
    if (out.limit_row[i] >= 0) rate = std::max(rate, 1.0);
  return rate > no_rate ? difference_size / rate : 0;
}

// c of (1), by row.
void ModeDynamics::add_velocity_products(const Mode& mode, const ContactSet& set, ModeForces& out) {
  const Model& model = plan_.model;
  c_.assign(out.rows.rows.size(), 0.0);
  if (const ClosedChain* chain = dynamics_.chain()) {
    accelerations(model, placed_.kin, placed_.vel, v_, zero_, link_acceleration_);
    row_accelerations(chain->constraints, *loops_, link_acceleration_, q_, zero_, loop_bias_);
    std::ranges::copy(loop_bias_, c_.begin());
  }
  const double eps = difference_step(out);
  if (eps == 0) return;
  samples_.assign(out.contacts.size(), {});
  const bool any = std::ranges::any_of(out.contact_row, [](int row) { return row >= 0; });
  static constexpr std::array<double, 4> places{-2, -1, 1, 2};
  std::vector<std::array<double, 4>>& rates = limit_rates_;
  rates.assign(mode.limits.size(), {});
  for (std::size_t k = 0; k < places.size(); ++k) {
    move(model, q_, places[k] * eps, v_, step_, q_moved_);
    for (std::size_t i = 0; i < mode.limits.size(); ++i)
      rates[i][k] = rate_of(plan_.joints.limits[mode.limits[i].limit], q_moved_, v_);
    if (!any) continue;
    place(model, plan_.plan, q_moved_, v_, moved_);
    follow(mode, set, moved_.kin, moved_.vel);
    for (std::size_t i = 0; i < out.contacts.size(); ++i) {
      if (out.contact_row[i] < 0) continue;
      const Contact* c = find_same(out.contacts[i]);
      if (!c) continue;
      const Vec3<double> u = slip_velocity(*c, moved_);
      samples_[i][k] = {true, dot(c->normal, u), u};
    }
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (out.limit_row[i] >= 0)
      c_[out.limit_row[i]] = (8 * (rates[i][2] - rates[i][1]) - (rates[i][3] - rates[i][0])) / (12 * eps);
  for (std::size_t i = 0; i < out.contacts.size(); ++i) {
    const int row = out.contact_row[i];
    if (row < 0) continue;
    const Contact& c = out.contacts[i];
    const auto& [far_back, back, ahead, far_ahead] = samples_[i];
    const Sample here{true, dot(c.normal, out.u[i]), out.u[i]};
    const auto difference = [&](const auto& f) {
      if (far_back.found && back.found && ahead.found && far_ahead.found)
        return (1 / (12 * eps)) * (8.0 * (f(ahead) - f(back)) - (f(far_ahead) - f(far_back)));  // (6)
      if (back.found && far_back.found) return (1 / (2 * eps)) * (3.0 * f(here) - 4.0 * f(back) + f(far_back));
      if (ahead.found && far_ahead.found) return (1 / (2 * eps)) * (4.0 * f(ahead) - 3.0 * f(here) - f(far_ahead));
      return 0.0 * f(here);
    };
    c_[row] = difference([](const Sample& s) { return s.normal; });
    if (c.mu == 0 || !mode.contacts[i].incipient) continue;
    const Vec3<double> rate = difference([](const Sample& s) { return s.u; });
    c_[row + 1] = dot(c.t1, rate);
    c_[row + 2] = dot(c.t2, rate);
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
  if (!mode.contacts.empty()) follow(mode, set, placed_.kin, placed_.vel);
  for (const ModeContact& m : mode.contacts) {
    Contact c = m.at;
    if (const Contact* found = find_same(m.at))
      c = *found;
    else if (m.hold != Hold::open)
      out.all_found = false;
    set_friction(plan_.contacts, there_, false, c);
    Contact moving = c;
    set_friction(plan_.contacts, there_, true, moving);
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
  add_velocity_products(mode, set, out);
  // With dt = 1, v+ = v + vdot: w = J v+ + offset is (1) for offset = c - J v.
  std::vector<double>& offset = out.rows.rows.offset;
  row_velocities(out.rows.rows, placed_.vel, offset);
  for (int r = 0; r < n; ++r) offset[std::size_t(r)] = c_[std::size_t(r)] - offset[std::size_t(r)];
  const Motive motive{model, plan_.plan, placed_.kin, placed_.vel, q_, v_, tau_, f_ext_, 1};
  formulation_->pose(motive, out.rows.rows, problem_);
  out.W.resize(std::size_t(n) * std::size_t(n));
  problem_.M.to_dense(out.W.data(), n);
  out.b.assign(problem_.q.begin(), problem_.q.end());
  out.D.resize(std::size_t(n));
  out.scale = 0;
  for (int r = 0; r < n; ++r) {
    const double diagonal = out.W[at(r, r, n)];
    out.D[std::size_t(r)] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
    const double size =
        std::max({std::abs(out.b[std::size_t(r)]), 1e-2 * std::abs(c_[std::size_t(r)]), no_acceleration});
    out.scale = std::max(out.scale, out.D[std::size_t(r)] * size);
  }
}

void ModeDynamics::solve(const Mode& mode, ModeForces& out) {
  const int n = out.rows.rows.size();
  out.is_unique = out.is_consistent = true;
  out.z.assign(std::size_t(n), 0.0);
  out.w.assign(out.b.begin(), out.b.end());
  if (n == 0) return;
  unknown_.clear();
  load_.assign(mode.contacts.size(), Vec3<double>::zero());
  // Of an unknown normal force whose contact slides: its contact, else -1.
  near_.clear();
  const auto add_unknown = [&](int row, double near = 0) {
    unknown_.push_back(row);
    near_.push_back(near / out.D[std::size_t(row)]);
  };
  if (dynamics_.chain())
    for (int r = 0; r < dynamics_.constraint_rows(); ++r) add_unknown(r);
  std::vector<int>& slides = slides_;
  slides.assign(std::size_t(n), -1);
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const ModeContact& m = mode.contacts[i];
    const int row = out.contact_row[i];
    if (row < 0 || m.hold == Hold::open) continue;
    add_unknown(row, m.near.x);
    if (out.contacts[i].mu == 0) continue;
    if (m.hold == Hold::sticking) {
      add_unknown(row + 1, m.near.y);
      add_unknown(row + 2, m.near.z);
    } else {
      const Vec3<double> d = sliding_direction(m, out.contacts[i], out.u[i]);
      load_[i] = friction_per_load(out.in_motion[i], d);
      slides[std::size_t(row)] = int(i);
    }
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (out.limit_row[i] >= 0 && mode.limits[i].closed) add_unknown(out.limit_row[i], mode.limits[i].near);
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const int row = out.dry_row[i];
    if (mode.dry[i].sign == 0)
      add_unknown(row);
    else
      out.z[std::size_t(row)] = -mode.dry[i].sign * out.rows.rows.upper[std::size_t(row)];  // z_0
  }
  const auto add_response = [&](int row, double force) {
    if (force == 0) return;
    for (int i = 0; i < n; ++i) out.w[std::size_t(i)] += out.W[at(i, row, n)] * force;
  };
  for (int r = 0; r < n; ++r) add_response(r, out.z[std::size_t(r)]);
  const int m = int(unknown_.size());
  if (m == 0) return;
  A_.resize(std::size_t(m) * std::size_t(m));
  x_.resize(std::size_t(m));
  const auto friction_in_rows = [&](int contact, double& f1, double& f2) {
    const Contact& c = out.contacts[std::size_t(contact)];
    f1 = dot(load_[std::size_t(contact)], c.t1);
    f2 = dot(load_[std::size_t(contact)], c.t2);
  };
  for (int j = 0; j < m; ++j) {
    const int column = unknown_[std::size_t(j)], contact = slides[std::size_t(column)];
    double f1 = 0, f2 = 0;
    if (contact >= 0) friction_in_rows(contact, f1, f2);
    for (int i = 0; i < m; ++i) {
      const int row = unknown_[std::size_t(i)];
      double value = out.W[at(row, column, n)];
      if (contact >= 0) value += out.W[at(row, column + 1, n)] * f1 + out.W[at(row, column + 2, n)] * f2;
      A_[at(i, j, m)] = out.D[std::size_t(row)] * value * out.D[std::size_t(column)];
    }
  }
  for (int i = 0; i < m; ++i)
    x_[std::size_t(i)] = -out.D[std::size_t(unknown_[std::size_t(i)])] * out.w[std::size_t(unknown_[std::size_t(i)])];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) x_[std::size_t(i)] -= A_[at(i, j, m)] * near_[std::size_t(j)];
  const int rank = solver_.factor(A_, m);
  if (rank < 0) {
    out.is_consistent = false;
    return;
  }
  out.is_unique = rank == m;
  solver_.solve(x_);
  for (int j = 0; j < m; ++j) x_[std::size_t(j)] += near_[std::size_t(j)];
  for (int j = 0; j < m; ++j) {
    const int row = unknown_[std::size_t(j)];
    const double force = out.D[std::size_t(row)] * x_[std::size_t(j)];
    out.z[std::size_t(row)] = force;
    add_response(row, force);
    if (slides[std::size_t(row)] < 0) continue;
    double f1 = 0, f2 = 0;
    friction_in_rows(slides[std::size_t(row)], f1, f2);
    out.z[std::size_t(row) + 1] = f1 * force;
    out.z[std::size_t(row) + 2] = f2 * force;
    add_response(row + 1, f1 * force);
    add_response(row + 2, f2 * force);
  }
  for (const int row : unknown_)
    if (!(std::abs(out.D[std::size_t(row)] * out.w[std::size_t(row)]) <= contradiction * out.scale))
      out.is_consistent = false;
}

int ModeDynamics::idle_forces(const ModeForces& f, std::vector<double>& out) {
  const int n = f.rows.rows.size(), m = int(unknown_.size()), count = m - solver_.rank();
  out.assign(index(n * count), 0.0);
  std::vector<double>& x = idle_;
  x.resize(index(m));
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    solver_.null_vector(k, x);
    double* z = out.data() + index(kept * n);
    std::fill_n(z, n, 0.0);
    for (int j = 0; j < m; ++j) {
      const std::size_t row = index(unknown_[index(j)]);
      z[row] = f.D[row] * x[index(j)];
      if (slides_[row] < 0) continue;
      const Contact& c = f.contacts[index(slides_[row])];
      z[row + 1] = z[row] * dot(load_[index(slides_[row])], c.t1);
      z[row + 2] = z[row] * dot(load_[index(slides_[row])], c.t2);
    }
    // Where the friction of sliding depends on how the load is shared, forces change accelerations.
    double change = 0;
    for (int i = 0; i < n; ++i) {
      double w = 0;
      for (int j = 0; j < n; ++j) w += f.W[at(i, j, n)] * z[j];
      change = std::max(change, std::abs(f.D[index(i)] * w));
    }
    if (change < no_change) ++kept;
  }
  out.resize(index(n * kept));
  return kept;
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
      A_[at(i, j, m)] = D(i) * forces.W[at(rows[std::size_t(i)], rows[std::size_t(j)], n)] * D(j);
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
