#include "linchpin/sim/time_stepping/forces.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// Rounds of (1). Each shrinks the error by about h |v|: more than one or two are for bodies that turn by a large part
// of a radian in a step. Without them their energy grows.
constexpr int most_rounds = 5;
constexpr int most_newton_rounds = 12;  // at 3 rad an interval it takes six
// Relative error of velocities that is worth another round.
constexpr double worth_a_round = 1e-5;
// rad or m: where the assumed motion over the step is off by less, the velocity products change velocities by less than
// this part of them. Of a chain of 1000 links the fastest waves, which no step follows, are off by 4e-7. In the short
// intervals after an impact it would spoil the accelerations that the next step is predicted by.
constexpr double same_turn = 1e-6;
// The same after the last round: the interval is too long.
constexpr double far_off = 1e-3;
// m/s or rad/s: velocity products that change velocities less than this are left out.
constexpr double negligible = 1e-14;

// Part of dt. What a shorter interval changes is mostly not an acceleration: its rows also bring velocities to what the
// rows demand, and that divided by 1e-7 s would predict speeds from which the rounds do not come back.
constexpr double shortest_remembered = 0.1;

double largest_of(std::span<const double> x) {
  double most = 0;
  for (const double e : x) most = larger(most, std::abs(e));
  return most;
}

}  // namespace

MeanVelocityForces::MeanVelocityForces(const StepPlan& plan)
    : plan_(plan),
      rnea_(plan.plan),
      assumed_(plan.model.nv()),
      v_mean_(plan.model.nv()),
      v_first_(plan.model.nv()),
      damping_(plan.model.nv()),
      added_(plan.model.nv()),
      bias_(plan.model.nv()),
      bias_before_(plan.model.nv()),
      next_(plan.model.nv()),
      zero_(plan.model.nv(), 0.0),
      factors_(plan.model.nv()) {
  if (plan.is_trapezoidal && !plan.plan.wide_links.empty()) gyroscopic_.emplace(plan);
}

void MeanVelocityForces::begin(const Interval& interval, const Variant& mechanism, std::span<const double> q,
                               bool with_bounded_servos, std::span<const char> tree_jumps) {
  q_ = q;
  has_bias_ = false;
  implicit_ = false;
  diverges_ = false;
  if (gyroscopic_) gyroscopic_->begin();
  const Arrival& start = interval.start;
  is_predicted_ = !start.vdot.empty();
  const std::size_t nv = assumed_.size();
  for (std::size_t k = 0; k < nv; ++k)
    assumed_[k] = is_predicted_ ? start.v[k] + interval.h * (start.vdot[k] + start.vdot[nv + k]) : start.v[k];  // (2)
  implicit_factors(plan_.model, plan_.weights.coordinate, interval.h, with_bounded_servos, factors_);
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const double armature = mechanism.armature[k];
    factors_[k] -= armature;
    // Rounds converge if this is less than the inertia.
    const double most = 0.5 * (plan_.weights.inertia[k] + armature);
    factors_[k] = std::clamp(factors_[k], -most, most);
    if (std::abs(factors_[k]) <= 1e-15 * armature || (plan_.is_trapezoidal && plan_.damper_factor(int(k), interval.h)))
      factors_[k] = 0;
    implicit_ = implicit_ || factors_[k] != 0;
  }
  find_means(interval, tree_jumps);
  std::ranges::copy(v_mean_, v_first_.begin());
}

void MeanVelocityForces::find_means(const Interval& interval, std::span<const char> tree_jumps) {
  const std::span<const double> v = interval.start.v;
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    const bool jumps = plan_.is_position_level || (!tree_jumps.empty() && tree_jumps[plan_.trees.of_link[i]]);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      v_mean_[k] = jumps ? v[k] : 0.5 * (v[k] + assumed_[k]);  // (1)
      damping_[k] = jumps ? 0 : -factors_[k] / interval.h * (assumed_[k] - v[k]);
    }
  }
}

// Whether (1) could matter for this v+.
bool MeanVelocityForces::matters(const Interval& interval, std::span<const double> v_end,
                                 std::span<const char> tree_jumps) const {
  const std::span<const double> v = interval.start.v;
  double speed = 0, jump = 0;
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    if (!tree_jumps.empty() && tree_jumps[plan_.trees.of_link[i]]) continue;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      speed = larger(speed, std::abs(v[k]));
      jump = larger(jump, std::abs(v_end[k] - v[k]));
    }
  }
  return (implicit_ && jump > 0) || interval.h * (speed + jump) * jump > negligible;
}

void MeanVelocityForces::assume(const Interval& interval, std::span<const double> v_end,
                                std::span<const char> tree_jumps) {
  std::ranges::copy(v_end, next_.begin());
  if (gyroscopic_) gyroscopic_->improve(q_, interval.h, interval.start.v, assumed_, v_end, next_);
  std::swap(assumed_, next_);
  find_means(interval, tree_jumps);
}

bool MeanVelocityForces::assume_and_find_change(const Interval& interval, const Variant& mechanism,
                                                std::span<const double> v_end, std::span<const char> tree_jumps) {
  if (!has_bias_) rnea<double>(mechanism.plan, q_, v_mean_, zero_, {}, rnea_, bias_);
  has_bias_ = true;
  std::swap(bias_, bias_before_);
  for (std::size_t k = 0; k < added_.size(); ++k) added_[k] = -damping_[k];
  assume(interval, v_end, tree_jumps);
  rnea<double>(mechanism.plan, q_, v_mean_, zero_, {}, rnea_, bias_);
  for (std::size_t k = 0; k < added_.size(); ++k) added_[k] += damping_[k] + bias_before_[k] - bias_[k];
  return largest_of(added_) != 0;
}

bool MeanVelocityForces::needs_another(const Interval& interval, std::span<const double> v_end,
                                       std::span<const char> tree_jumps, int rounds) {
  if (plan_.is_position_level) return false;
  if (rounds == 1 && !is_predicted_) return matters(interval, v_end, tree_jumps);
  double change = 0, largest = 0;
  for (std::size_t i = 1; i < plan_.model.links().size(); ++i) {
    const Link& link = plan_.model.links()[i];
    if (!tree_jumps.empty() && tree_jumps[plan_.trees.of_link[i]]) continue;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      change = larger(change, std::abs(v_end[k] - assumed_[k]));
      largest = larger(largest, std::abs(v_end[k]));
    }
  }
  const int most = gyroscopic_ ? most_newton_rounds : most_rounds;
  diverges_ = rounds >= most && !(change <= far_off * largest);
  const bool turns_alike = interval.h == plan_.dt && interval.h * change <= same_turn;
  return rounds < most && change > worth_a_round * largest && !turns_alike &&
         (matters(interval, v_end, tree_jumps) || matters(interval, assumed_, tree_jumps));
}

Forces::Forces(const Model& model) : tau_(model.nv()), q_moved_(model.nq()), step_(model.nv()) {}

std::span<const double> Forces::gather(const StepPlan& plan, const Inputs& inputs, std::span<const double> q,
                                       std::span<const double> v, double h, bool with_bounded_servos) {
  if (inputs.tau.empty())
    std::ranges::fill(tau_, 0);
  else
    std::ranges::copy(inputs.tau, tau_.begin());
  add_implicit_forces(plan.model, plan.joints, plan.weights.coordinate, q, v, inputs.controls, h, with_bounded_servos,
                      q_moved_, step_, tau_);
  return tau_;
}

void find_free_velocity(const Interval& interval, Variant& mechanism, std::span<const double> q,
                        std::span<const double> tau, bool with_bounded_servos, MeanVelocityForces& mean,
                        std::span<double> v_end) {
  const std::span<const double> v = interval.start.v, f_ext = interval.inputs.f_ext;
  mean.begin(interval, mechanism, q, with_bounded_servos, {});
  for (int rounds = 1;; ++rounds) {
    for (std::size_t k = 0; k < v.size(); ++k) mechanism.tau[k] = tau[k] + mean.damping()[k];
    aba<double>(mechanism.plan, q, mean.v_mean(), mechanism.tau, f_ext, mechanism.aba, mechanism.vdot);
    for (std::size_t k = 0; k < v.size(); ++k) v_end[k] = v[k] + interval.h * mechanism.vdot[k];
    if (!mean.needs_another(interval, v_end, {}, rounds)) break;
    mean.assume(interval, v_end, {});
  }
}

void remember_acceleration(const StepPlan& plan, std::span<const char> tree_jumps, std::span<const double> v,
                           std::span<const double> v_end, double h, bool regular, std::vector<double>& vdot) {
  const std::size_t nv = v.size();
  regular = regular && !vdot.empty();
  vdot.resize(2 * nv);
  const bool is_long = h >= shortest_remembered * plan.dt;
  for (std::size_t i = 1; i < plan.model.links().size(); ++i) {
    const Link& link = plan.model.links()[i];
    const bool jumps = tree_jumps[plan.trees.of_link[i]];
    for (std::size_t k = std::size_t(link.v); k < std::size_t(link.v + link.nv); ++k) {
      double &last = vdot[k], &change = vdot[nv + k];
      const bool is_known = regular && !jumps && (last != 0 || change != 0);
      const double a = jumps ? 0 : is_long ? (v_end[k] - v[k]) / h : last;
      change = is_known ? a - last : 0;
      last = a;
    }
  }
}

void find_free_motion(const StepPlan& plan, const Interval& interval, Variant& mechanism, Forces& forces,
                      MeanVelocityForces& mean, FreeMotion& out) {
  const auto& [q, v] = std::tie(interval.start.q, interval.start.v);
  const std::span<const double> tau = forces.gather(plan, interval.inputs, q, v, interval.h, true);
  move(plan.model, q, 0.5 * interval.h, v, out.step, out.q_forces);
  find_free_velocity(interval, mechanism, out.q_forces, tau, true, mean, out.v);
  link_velocities_at(plan.model, interval.placed, out.v, out.vel);
  out.h = interval.h;
  out.diverges = mean.diverges();
}

}  // namespace linchpin
