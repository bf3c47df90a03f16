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

void LiveRun::reset() {
  state_ = start_;
  simulation_ = Simulation(model_, options_);
  monitor_.start(state_);
  last_report_ = {};
  last_inputs_ = {};
  steps_ = 0;
  owed_ = 0;
  time_from_ = state_.time;
  frame_changed_ = status_changed_ = true;
}

void LiveRun::step() {
  last_inputs_ = {};
  if (!held_.empty()) {
    pulls_.clear();
    for (const Held& h : held_) pulls_.push_back(h.pull);
    last_inputs_.f_ext = hand_.forces(state_, options_.dt, pulls_);
  }
  last_report_ = simulation_.step(state_, last_inputs_);
  monitor_.add(state_, last_report_);
  if (last_report_.ok()) ++steps_;
  frame_changed_ = true;
  if (!failed()) return;
  running_ = false;
  status_changed_ = true;
}

void LiveRun::apply(const ViewerCommand& command) {
  using Kind = ViewerCommand::Kind;
  const auto mine = std::ranges::find(held_, command.viewer, &Held::viewer);
  switch (command.kind) {
    case Kind::play:
      running_ = !failed();
      break;
    case Kind::pause:
      running_ = false;
      break;
    case Kind::step:
      running_ = false;
      if (!failed()) step();
      break;
    case Kind::reset:
      reset();
      break;
    case Kind::speed:
      speed_ = command.speed;
      break;
    case Kind::push:
      if (mine == held_.end())
        held_.push_back({command.viewer, {command.body, command.at, command.to}});
      else
        mine->pull = {command.body, command.at, command.to};
      return;  // not part of the status
    case Kind::release:
      if (mine != held_.end()) held_.erase(mine);
      return;
  }
  owed_ = 0;
  frame_due_ = status_due_ = last_turn_;  // send both at once, in answer to the command
  status_changed_ = true;
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
  if (failed())
    failure = {{"time", state_.time},
               {"body", c.body >= 0 ? Json(model_.bodies()[c.body].name) : Json(nullptr)},
               {"reason", last_report_.ok() ? why_not_passed(model_, c) : last_report_.reason}};
  Json status = {{"type", "status"},    {"running", running_},
                 {"speed", speed_},     {"rate", rate_},
                 {"time", state_.time}, {"steps", steps_},
                 {"failed", failure},   {"certificate", Json::parse(certificate_json(model_, c))}};
  return status.dump(-1, ' ', false, Json::error_handler_t::replace);
}

LiveRun::Turn LiveRun::turn(std::span<const ViewerCommand> commands, bool watched) {
  const double now = clock_();
  for (const ViewerCommand& command : commands) apply(command);
  if (running_ && watched) advance(now);
  last_turn_ = now;

  Turn turn;
  if (frame_changed_ && now >= frame_due_) {
    turn.frame = write_(take_(steps_, state_, simulation_, last_report_, monitor_.certificate(), last_inputs_));
    frame_changed_ = false;
    frame_due_ = now + frame_time;
  }
  if (status_changed_ || (watched && now >= status_due_)) {
    status_ = status_text(now);
    turn.status = status_;
    status_changed_ = false;
    status_due_ = now + status_time;
  }
  const double next = running_ && watched ? std::min(frame_due_, status_due_) : status_due_;
  turn.idle = std::clamp(next - clock_(), 0.0, status_time);
  return turn;
}

}  // namespace linchpin
