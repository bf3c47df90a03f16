#include "linchpin/sim/event_driven/velocity_products.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

// Of (1): the part of their size by which bodies move, and the angle by which they turn.
constexpr double difference_size = 1e-3;
// Rates below this (1/s) leave velocity products of contacts below rounding.
constexpr double no_rate = 1e-12;

}  // namespace

VelocityProducts::VelocityProducts(Dynamics& dynamics, const StepPlan& plan)
    : dynamics_(dynamics),
      plan_(plan),
      moved_(plan.model, plan.plan),
      q_moved_(plan.model.nq()),
      step_(plan.model.nv()),
      zero_(plan.model.nv(), 0.0),
      loop_bias_(std::size_t(dynamics.constraint_rows())),
      link_acceleration_(plan.model.links().size()) {}

// eps of (1); 0 if nothing moves.
double VelocityProducts::difference_step(const Placed& placed, const ModeForces& out) const {
  double rate = 0;
  for (std::size_t i = 0; i < out.contacts.size(); ++i) {
    if (out.contact_row[i] < 0) continue;
    const Contact& c = out.contacts[i];
    const Vec3<double>& origin = placed.kin.X_WL[c.link_a != 0 ? c.link_a : c.link_b].p;
    const double size = std::min(plan_.radius[c.key.shape_a], plan_.radius[c.key.shape_b]);
    const double shift = norm(velocity_at(c.link_a, origin, placed) - velocity_at(c.link_b, origin, placed));
    rate = std::max(rate, norm(placed.vel.link[c.link_a].w) + norm(placed.vel.link[c.link_b].w) + shift / size);
  }
  for (std::size_t i = 0; i < out.limit_row.size(); ++i)
    if (out.limit_row[i] >= 0) rate = std::max(rate, 1.0);
  return rate > no_rate ? difference_size / rate : 0;
}

std::span<const double> VelocityProducts::find(std::span<const double> q, std::span<const double> v,
                                               const Placed& placed, const ConstraintRows* loops, const Mode& mode,
                                               const ContactSet& set, ContactFollower& follower,
                                               const ModeForces& out) {
  const Model& model = plan_.model;
  c_.assign(out.rows.rows.size(), 0.0);
  if (const ClosedChain* chain = dynamics_.chain()) {
    accelerations(model, placed.kin, placed.vel, v, zero_, link_acceleration_);
    row_accelerations(chain->constraints, *loops, link_acceleration_, q, zero_, loop_bias_);
    std::ranges::copy(loop_bias_, c_.begin());
  }
  const double eps = difference_step(placed, out);
  if (eps == 0) return c_;
  samples_.assign(out.contacts.size(), {});
  const bool any = std::ranges::any_of(out.contact_row, [](int row) { return row >= 0; });
  static constexpr std::array<double, 4> places{-2, -1, 1, 2};
  std::vector<std::array<double, 4>>& rates = limit_rates_;
  rates.assign(mode.limits.size(), {});
  for (std::size_t k = 0; k < places.size(); ++k) {
    move(model, q, places[k] * eps, v, step_, q_moved_);
    for (std::size_t i = 0; i < mode.limits.size(); ++i)
      rates[i][k] = rate_of(plan_.joints.limits[mode.limits[i].limit], q_moved_, v);
    if (!any) continue;
    place(model, plan_.plan, q_moved_, v, moved_);
    follower.follow(mode, set, moved_.kin, moved_.vel);
    for (std::size_t i = 0; i < out.contacts.size(); ++i) {
      if (out.contact_row[i] < 0) continue;
      const Contact* c = follower.find_same(out.contacts[i]);
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
        return (1 / (12 * eps)) * (8.0 * (f(ahead) - f(back)) - (f(far_ahead) - f(far_back)));  // (1)
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
  return c_;
}

}  // namespace linchpin
