// Repeats a recorded run and compares it with the recording bit for bit.
#pragma once

#include <functional>
#include <string>

#include "linchpin/base/result.h"
#include "linchpin/record/recording.h"

namespace linchpin {

struct Replay {
  bool same = true;
  long long frames = 0;  // number compared
  // The first number that differs: its frame, time and name (signals.h, or "time", "contact[2].force.x",
  // "memory[0].force[1]", ...).
  long long frame = 0;
  double time = 0;
  std::string what;
  double recorded = 0, again = 0;
};

// From the recorded start with the recorded settings, as far as the recording goes. Returns an Error if the recording
// cannot be read or has no inputs. go_on is called from time to time with the fraction done; false ends the replay.
Result<Replay> replay(const Recording& recording, const std::function<bool(double)>& go_on = {});

}  // namespace linchpin
