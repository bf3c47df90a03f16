// A run that somebody watches and plays with: it keeps pace with a clock, and does what viewers ask for.
//
//     LiveRun run(model, options, make_state(model));
//     while (!done) {
//       server.take(commands);
//       const LiveRun::Turn turn = run.turn(commands, server.viewers() > 0);
//       if (!turn.frame.empty()) server.publish_frame(turn.frame);
//       if (!turn.status.empty()) server.publish_status(turn.status);
//       server.wait(std::chrono::duration<double>(turn.idle));
//     }
//
// It knows nothing of servers. It begins at once, but time stands still while nobody watches, so that nobody misses how
// things fall. Where steps take longer than they last, motion is slower than asked for, and the status says so.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/live/hand_pull.h"
#include "linchpin/live/page_data.h"
#include "linchpin/live/viewer_command.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

class LiveRun {
 public:
  static constexpr double frame_time = 1.0 / 60, status_time = 0.25;  // s of the clock, at least between two

  // clock: seconds; by default the system's steady one. The model must outlive the run.
  LiveRun(const Model& model, const SimulationOptions& options, State start, const CertificateLimits& limits = {},
          std::function<double()> clock = {});

  struct Turn {
    std::span<const std::byte> frame;  // empty: nothing new; else the run's own, as is the status, until the next turn
    std::string_view status;
    double idle = 0;  // s: nothing to do for so long, unless somebody asks for something
  };
  // Does what is asked and, if it is running and watched, steps as far as the clock has gone on since the last turn; for
  // a frame's time at most, and one step at least where one is due.
  Turn turn(std::span<const ViewerCommand> commands, bool watched);

  bool running() const { return running_; }
  bool failed() const { return !last_report_.ok() || !monitor_.certificate().finite; }
  const State& state() const { return state_; }
  const Certificate& certificate() const { return monitor_.certificate(); }

 private:
  struct Held {
    std::uint64_t viewer;
    Pull pull;
  };
  void apply(const ViewerCommand& command);
  void reset();
  void advance(double now);
  void step();
  std::string status_text(double now);

  const Model& model_;
  SimulationOptions options_;
  State start_, state_;
  std::function<double()> clock_;
  Simulation simulation_;
  RunMonitor monitor_;
  SnapshotTaker take_;
  FrameWriter write_;
  Hand hand_;
  std::vector<Held> held_;
  std::vector<Pull> pulls_;

  StepReport last_report_;
  Inputs last_inputs_;
  long long steps_ = 0;
  bool running_ = true;
  double speed_ = 1;
  double owed_ = 0;   // s of motion that the clock is ahead
  double last_turn_;  // on the clock
  double frame_due_;  //   the next frame, at the earliest
  double status_due_;
  double rate_ = 0, rate_from_, time_from_ = 0;  // of motion since the last status: where the clock and the motion were
  bool frame_changed_ = true, status_changed_ = true;
  std::string status_;
};

}  // namespace linchpin
