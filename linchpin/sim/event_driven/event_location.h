// The time at which a contact mode ends within a substep. Internal to sim/.
//
// By the secant of Illinois on the margin of the condition that ends the mode (mode_events.h), which aims at a
// violation that counts as rounding, and by bisection where the margin is not known or the interval does not shrink.
// For each place the substep is taken again with the length that ends there.
#pragma once

#include "linchpin/sim/event_driven/mode_events.h"

namespace linchpin {

// Events are located to this part of dt; rounding of times within a step.
inline constexpr double event_resolution = 4 * std::numeric_limits<double>::epsilon();

class EventLocation {
 public:
  EventLocation(double dt, ModeSubstep& substep, ModeEvents& events)
      : resolution_(event_resolution * dt), substep_(substep), events_(events) {}
  // Takes the substep of the least length at which the mode has ended, up to rounding of time. `event` is the check at
  // `length`, where it has; it becomes the check at the length returned.
  double find(const SubstepStart& start, double length, EventCheck& event);

 private:
  const double resolution_;
  ModeSubstep& substep_;
  ModeEvents& events_;
};

}  // namespace linchpin
