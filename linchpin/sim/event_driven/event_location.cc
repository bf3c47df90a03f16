#include "linchpin/sim/event_driven/event_location.h"

#include <algorithm>
#include <array>

namespace linchpin {
namespace {

constexpr int most_rounds = 200;
// m, m/s, and part of the largest force: violations up to this are rounding, and the event is there.
constexpr double no_margin = 5e-16;

}  // namespace

double EventLocation::find(const SubstepStart& start, double length, EventCheck& event) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double ok = 0, ok_margin = unknown, margin = event.margin, taken = length;
  std::array<double, 4> intervals;  // of the last rounds
  intervals.fill(2 * length);
  int side = 0;  // 1: the last place was beyond the event, -1: before it
  for (int round = 0; round < most_rounds && length - ok > resolution_ && event.margin < -no_margin; ++round) {
    double s = 0.5 * (ok + length);
    double& before = intervals[std::size_t(round) % intervals.size()];
    const bool shrinks = length - ok <= 0.5 * before;
    before = length - ok;
    if (ok_margin >= 0 && margin < 0 && shrinks) {
      const double aim = 0.5 * no_margin, edge = 0.25 * resolution_;
      s = std::clamp(ok + (ok_margin + aim) / (ok_margin - margin) * (length - ok), ok + edge, length - edge);
    }
    taken = s;
    substep_.take(start, s);
    const EventCheck check = events_.at_end(start, substep_, s, event.what);
    if (check.violated) {
      const bool is_same = check.what == event.what;
      length = s;
      event = check;
      margin = check.margin;
      ok_margin = !is_same ? unknown : side == 1 ? 0.5 * ok_margin : ok_margin;
      side = is_same ? 1 : 0;
    } else {
      ok = s;
      ok_margin = check.watched;
      if (side == -1) margin *= 0.5;
      side = -1;
    }
  }
  if (taken == length) return length;
  substep_.take(start, length);
  const EventCheck again = events_.at_end(start, substep_, length);
  if (again.violated) event = again;
  return length;
}

}  // namespace linchpin
