#include "linchpin/live/live_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "linchpin/record/certificate_json.h"

namespace linchpin {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

LiveRun::LiveRun(const Model& model, const SimulationOptions& options, State start, const CertificateLimits& limits,
                 std::function<double()> clock)
    : model_(model),
      options_(options),
      start_(std::move(start)),
      state_(start_),
      clock_(clock ? std::move(clock) : steady_seconds),
      simulation_(model, options),
      monitor_(model, limits),
      take_(model),
      write_(model),
      hand_(model),
      last_turn_(clock_()),
      frame_due_(last_turn_),
      status_due_(last_turn_),
      rate_from_(last_turn_) {
  reset();
}

// The Simulation is kept: it has no state of its own, and building it may take much longer than a step.
void LiveRun::reset() {
  state_ = start_;
  monitor_.start(state_);
  last_report_ = {};
  steps_ = 0;
  steps_due_ = 0;
  owed_ = 0;
  time_from_ = state_.time;
  frame_changed_ = status_changed_ = true;
}

void LiveRun::step() {
  Inputs inputs;
  if (!held_.empty()) {
    pulls_.clear();
    for (const Held& h : held_) pulls_.push_back(h.pull);
    inputs.f_ext = hand_.forces(state_, options_.dt, pulls_);
  }
  last_report_ = simulation_.step(state_, inputs);
  monitor_.add(state_, last_report_);
  if (last_report_.ok()) ++steps_;
  frame_changed_ = true;
  if (!failed()) return;
  running_ = false;
  status_changed_ = true;
}

// Commands before the last reset matter only for what a reset leaves unchanged.
void LiveRun::apply_all(std::span<const ViewerCommand> commands, double now) {
  using Kind = ViewerCommand::Kind;
  const bool was_running = running_;
  const double old_speed = speed_;
  const long long old_steps = steps_;
  bool was_reset = false;
  const auto last_reset = std::ranges::find(commands.rbegin(), commands.rend(), Kind::reset, &ViewerCommand::kind);
  const std::size_t reset_end = std::size_t(commands.rend() - last_reset);  // 0: there is none
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i + 1 == reset_end) {
      was_reset = steps_ > 0 || failed();
      if (was_reset) reset();
      steps_due_ = 0;
    } else if (i < reset_end && commands[i].kind == Kind::step) {
      running_ = false;
    } else {
      apply(commands[i]);
      take_steps_due(now);
    }
  }
  if (running_ && !was_running) owed_ = 0;
  if (running_ == was_running && speed_ == old_speed && steps_ == old_steps && !was_reset) return;
  frame_due_ = last_turn_;  // send both at once, in answer to the command
  status_changed_ = true;
}

void LiveRun::apply(const ViewerCommand& command) {
  using Kind = ViewerCommand::Kind;
  const auto mine = std::ranges::find(held_, command.viewer, &Held::viewer);
  switch (command.kind) {
    case Kind::play:
      running_ = !failed();
      steps_due_ = 0;
      break;
    case Kind::pause:
      running_ = false;
      steps_due_ = 0;
      break;
    case Kind::step:
      running_ = false;
      steps_due_ = std::min(steps_due_ + 1, most_steps_due);
      break;
    case Kind::reset:
      break;  // by apply_all()
    case Kind::speed:
      speed_ = command.speed;
      break;
    case Kind::push:
      if (mine == held_.end())
        held_.push_back({command.viewer, {command.body, command.at, command.to}});
      else
        mine->pull = {command.body, command.at, command.to};
      break;
    case Kind::release:
      if (mine != held_.end()) held_.erase(mine);
      break;
  }
}

// At least one, if one is due, and as many as fit into the time of a frame.
void LiveRun::take_steps_due(double now) {
  if (failed()) steps_due_ = 0;
  if (steps_due_ == 0 || stepped_at_ == now) return;
  while (steps_due_ > 0 && !failed()) {
    step();
    --steps_due_;
    if (clock_() - now >= frame_time) {
      stepped_at_ = now;
      break;
    }
  }
}

void LiveRun::advance(double now) {
  const double dt = options_.dt;
  owed_ += (now - last_turn_) * speed_;
  // The sum of the turns' times is a multiple of dt only up to rounding, hence the factor.
  while (running_ && owed_ >= dt * (1 - 1e-9)) {
    step();
    owed_ -= dt;
    if (clock_() - now >= frame_time) {
      owed_ = std::min(owed_, dt);  // too slow for the clock: drop the backlog
      break;
    }
  }
}

std::string LiveRun::status_text(double now) {
  if (now > rate_from_) rate_ = running_ ? (state_.time - time_from_) / (now - rate_from_) : 0;
  rate_from_ = now;
  time_from_ = state_.time;
  using Json = nlohmann::ordered_json;
  const Certificate& c = monitor_.certificate();
  Json failure = nullptr;
  const std::span<const ContactReport> without_mode = simulation_.contacts_without_mode();
  if (failed()) {
    std::string reason = last_report_.ok() ? why_not_passed(model_, c) : last_report_.reason;
    if (!without_mode.empty()) reason += "; in touch: " + touching_pairs(model_, without_mode);
    failure = {{"time", state_.time},
               {"body", c.body >= 0 ? Json(model_.bodies()[c.body].name) : Json(nullptr)},
               {"reason", reason}};
  }
  Json status = {{"type", "status"},    {"running", running_},
                 {"speed", speed_},     {"rate", rate_},
                 {"time", state_.time}, {"steps", steps_},
                 {"failed", failure},   {"certificate", Json::parse(certificate_json(model_, c, {}, without_mode))}};
  return status.dump(-1, ' ', false, Json::error_handler_t::replace);
}

LiveRun::Turn LiveRun::turn(std::span<const ViewerCommand> commands, bool watched) {
  const double now = clock_();
  if (!commands.empty()) apply_all(commands, now);
  take_steps_due(now);
  if (running_ && watched) advance(now);
  last_turn_ = now;

  Turn turn;
  if (frame_changed_ && now >= frame_due_) {
    const Certificate& certificate = monitor_.certificate();
    turn.frame = write_(steps_ == 0 && !failed() ? take_.start(state_, simulation_, certificate)
                                                 : take_(steps_, state_, simulation_, last_report_, certificate));
    frame_changed_ = false;
    frame_due_ = now + frame_time;
  }
  if (status_changed_ || (watched && now >= status_due_)) {
    status_ = status_text(now);
    turn.status = status_;
    status_changed_ = false;
    status_due_ = now + status_time;
  }
  const double next = steps_due_ > 0 ? now : running_ && watched ? std::min(frame_due_, status_due_) : status_due_;
  turn.idle = std::clamp(next - clock_(), 0.0, status_time);
  return turn;
}

}  // namespace linchpin
