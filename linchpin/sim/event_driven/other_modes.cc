#include "linchpin/sim/event_driven/other_modes.h"

#include <algorithm>

#include "linchpin/base/index.h"

namespace linchpin {

bool OtherModes::is_consistent_if(const Mode& mode, std::size_t i, Hold hold, ModeForces& f) {
  other_ = mode;
  other_.contacts[i].hold = hold;
  solve_with_directions(dynamics_, other_, f);
  if (!f.is_consistent || worst_condition(other_, f).margin < -choice_tolerance) return false;
  const std::size_t r = index(f.contact_row[i]);
  const double size = hold == Hold::open ? f.w[r] * f.D[r] : f.z[r] / f.D[r];
  return size > clearly * f.scale;
}

bool OtherModes::any_is_consistent(const Mode& mode, ModeForces& f) {
  const auto has_friction = [](const Contact& c) { return c.mu > 0; };
  if (std::ranges::none_of(f.contacts, has_friction) && std::ranges::none_of(f.in_motion, has_friction)) return false;
  const std::size_t count = std::min(mode.contacts.size(), std::size_t(most_tried));
  for (std::size_t i = 0; i < count; ++i) {
    const ModeContact& m = mode.contacts[i];
    const Hold closed = m.incipient ? Hold::sticking : Hold::sliding;
    if (is_consistent_if(mode, i, m.hold == Hold::open ? closed : Hold::open, f)) return true;
  }
  return false;
}

}  // namespace linchpin
