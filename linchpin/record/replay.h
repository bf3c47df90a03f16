// A recorded run done again, and compared with the recording bit for bit.
#pragma once

#include <functional>
#include <string>

#include "linchpin/base/result.h"
#include "linchpin/record/recording.h"

namespace linchpin {

struct Replay {
  bool same = true;
  long long frames = 0;  // compared
  // The first number that is not the same: in which frame, of which time, and by what name (signals.h, or "time",
  // "contact[2].force.x", "memory[0].force[1]", ...).
  long long frame = 0;
  double time = 0;
  std::string what;
  double recorded = 0, again = 0;
};

// From the recorded start with the recorded settings, as far as the recording goes. An Error where it cannot be read or
// where its inputs are not in it. go_on is asked from time to time with the part that is done, and ends it by false.
Result<Replay> replay(const Recording& recording, const std::function<bool(double)>& go_on = {});

}  // namespace linchpin
