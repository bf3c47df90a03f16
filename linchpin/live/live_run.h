// An interactive run: it keeps pace with a clock and executes the commands of viewers.
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
// It is independent of the server. It starts running, but simulated time advances only while someone watches, so that
// no one misses the beginning. If steps take longer than the time they simulate, motion is slower than requested, and
// the status reports the rate.
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
  static constexpr double frame_time = 1.0 / 60, status_time = 0.25;  // s of the clock: least interval
  static constexpr int most_steps_due = 100;  // of single steps: more than anyone has clicked before they are seen

  // clock: returns seconds; by default the system's steady clock. The model must outlive the run.
  LiveRun(const Model& model, const SimulationOptions& options, State start, const CertificateLimits& limits = {},
          std::function<double()> clock = {});
  LiveRun(const Model&&, const SimulationOptions&, State, const CertificateLimits& = {},
          std::function<double()> = {}) = delete;

  struct Turn {
    std::span<const std::byte> frame;  // empty: nothing new. Valid until the next turn, like the status
    std::string_view status;
    double idle = 0;  // s: time until there is something to do, unless a command arrives
  };
  // Executes the commands and, if running and watched, steps as far as the clock has advanced since the last turn: for
  // at most the time of a frame, but at least one step if one is due.
  //
  // Any number of commands takes a bounded time. Of several resets the last one counts, and what came before it is not
  // stepped. A reset of a run at its start changes nothing. Single steps end after the time of a frame; the rest of
  // them, at most most_steps_due, is left to later turns. Commands do not take the time away that the run is owed, so
  // that it goes on during a flood of them.
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
  void apply_all(std::span<const ViewerCommand> commands, double now);
  void apply(const ViewerCommand& command);
  void take_steps_due(double now);
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
  long long steps_ = 0;
  bool running_ = true;
  double speed_ = 1;
  int steps_due_ = 0;       // single steps that were requested and not made yet
  double owed_ = 0;         // s: simulated time still to be stepped
  double stepped_at_ = -1;  // clock of the last turn whose single steps took the time of a frame
  double last_turn_;        // on the clock, as are the next two
  double frame_due_;        // earliest time of the next frame
  double status_due_;
  double rate_ = 0;                   // simulated time over time on the clock, since the last status
  double rate_from_, time_from_ = 0;  // clock and simulated time at the last status
  bool frame_changed_ = true, status_changed_ = true;
  std::string status_;
};

}  // namespace linchpin
