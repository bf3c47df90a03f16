#include "linchpin/black_box/multiplier_stepper.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/base/check.h"

namespace linchpin {

namespace {
// Sets tiny numbers to zero. Repeated projection turns numbers that should be zero into denormal ones, and arithmetic
// with these is twenty times slower: a plane chain of hinges in space took 200 us per step instead of 17.
void drop_dust(std::span<double> numbers) {
  for (double& x : numbers)
    if (std::abs(x) < 1e-100) x = 0;
}
}  // namespace

MultiplierStepper::MultiplierStepper(MultiplierSystem& system, const MultiplierStepOptions& options, Force force)
    : system_(&system), options_(options), force_(std::move(force)) {
  check(options.dt > 0, "a step of ", options.dt, " s");
  const std::size_t positions = std::size_t(system.positions()), velocities = std::size_t(system.velocities());
  for (MultiplierState* state : {&stage_, &start_}) {
    state->q.resize(positions);
    state->v.resize(velocities);
  }
  F_.resize(velocities);
  qdot_.resize(positions);
  vdot_.resize(velocities);
  q_sum_.resize(positions);
  v_sum_.resize(velocities);
}

MultiplierStatus MultiplierStepper::touch(MultiplierState& state) {
  bool closing = false;
  for (int i = 0; i < system_->constraints(); ++i) {
    const RowLaw::Kind kind = system_->spec().constraints[i].constraint->law().kind;
    if (kind != RowLaw::Kind::nonnegative && kind != RowLaw::Kind::cone) continue;
    const RowBlocks& out = system_->evaluate(state, i);
    const bool touching = out.error[0] <= options_.touch;
    system_->set_active(i, touching);
    closing |= touching && system_->speed_of(state, i, 0) < out.speed[0] - options_.settling.tolerance;
  }
  return closing ? system_->impulses(state, {}, options_.restitution) : MultiplierStatus::solved;
}

MultiplierStatus MultiplierStepper::stage(const MultiplierState& at, std::span<double> qdot, std::span<double> vdot) {
  system_->rate(at.q, at.v, qdot);
  if (!force_) return system_->accelerations(at, {}, vdot, options_.baumgarte);
  std::ranges::fill(F_, 0.0);
  force_(at, F_);
  return system_->accelerations(at, F_, vdot, options_.baumgarte);
}

MultiplierStatus MultiplierStepper::runge_kutta(MultiplierState& state) {
  constexpr double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const double h = options_.dt;
  std::ranges::copy(state.q, q_sum_.begin());
  std::ranges::copy(state.v, v_sum_.begin());
  for (int s = 0; s < 4; ++s) {
    stage_.t = state.t + place[s] * h;
    for (std::size_t i = 0; i < state.q.size(); ++i) stage_.q[i] = state.q[i] + (s > 0 ? place[s] * h * qdot_[i] : 0);
    for (std::size_t i = 0; i < state.v.size(); ++i) stage_.v[i] = state.v[i] + (s > 0 ? place[s] * h * vdot_[i] : 0);
    const MultiplierStatus status = stage(stage_, qdot_, vdot_);
    if (status != MultiplierStatus::solved) return status;
    for (std::size_t i = 0; i < state.q.size(); ++i) q_sum_[i] += weight[s] * h * qdot_[i];
    for (std::size_t i = 0; i < state.v.size(); ++i) v_sum_[i] += weight[s] * h * vdot_[i];
  }
  std::ranges::copy(q_sum_, state.q.begin());
  std::ranges::copy(v_sum_, state.v.begin());
  system_->settle_manifold(state.q);
  return MultiplierStatus::solved;
}

MultiplierStatus MultiplierStepper::euler(MultiplierState& state) {
  const MultiplierStatus status = stage(state, qdot_, vdot_);
  if (status != MultiplierStatus::solved) return status;
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] += options_.dt * vdot_[i];
  system_->advance(state.q, state.v, options_.dt);
  return status;
}

MultiplierStatus MultiplierStepper::step(MultiplierState& state) {
  start_.t = state.t;
  std::ranges::copy(state.q, start_.q.begin());
  std::ranges::copy(state.v, start_.v.begin());
  MultiplierStatus status = touch(state);
  if (status == MultiplierStatus::solved)
    status = options_.method == MultiplierStepOptions::Method::runge_kutta ? runge_kutta(state) : euler(state);
  if (status == MultiplierStatus::solved) {
    state.t += options_.dt;
    if (options_.settle) status = system_->settle(state, options_.settling);
    drop_dust(state.q);
    drop_dust(state.v);
  }
  if (status != MultiplierStatus::solved && status != MultiplierStatus::not_settled) {
    state.t = start_.t;
    std::ranges::copy(start_.q, state.q.begin());
    std::ranges::copy(start_.v, state.v.begin());
  }
  return status;
}

MultiplierStatus MultiplierStepper::run(MultiplierState& state, int steps) {
  for (int i = 0; i < steps; ++i)
    if (const MultiplierStatus status = step(state); status != MultiplierStatus::solved) return status;
  return MultiplierStatus::solved;
}

MultiplierDragReport drag(MultiplierSystem& system, MultiplierState& state, const MultiplierDragOptions& options) {
  MultiplierDragReport report;
  MultiplierState to = state;
  std::vector<double> v(state.v.size());
  report.strain = options.dt * system.strain(state);
  for (; report.steps < options.steps; ++report.steps) {
    report.status = system.velocities(state.t, state.q, {}, v);
    if (report.status != MultiplierStatus::solved) return report;
    double largest = 0;
    for (const double x : v) largest = std::max(largest, options.dt * std::abs(x));
    if (largest <= options.tolerance) {
      report.arrived = true;
      return report;
    }
    // The whole step, halved until it reduces the distance.
    bool nearer = false;
    for (double part = 1; !nearer && part * largest > options.tolerance; part /= 2) {
      std::ranges::copy(state.q, to.q.begin());
      system.advance(to.q, v, part * options.dt);
      report.status = system.settle_positions(to, options.settling);
      nearer = report.status == MultiplierStatus::solved && options.dt * system.strain(to) < report.strain;
    }
    if (!nearer) {  // only rounding is left
      report.arrived = report.status == MultiplierStatus::solved;
      return report;
    }
    std::ranges::copy(to.q, state.q.begin());
    report.strain = options.dt * system.strain(state);
  }
  return report;
}

}  // namespace linchpin
