// The conditions that end a contact mode. Internal to sim/.
//
// A mode ends when
//     (a) a contact or limit that is open closes: gap < 0 while it approaches,
//     (b) a sliding velocity reaches zero: u_T . slide < 0, slide its direction at the start of the substep,
//     (c) the mode is no longer consistent (mode_conditions.h): with redundant contacts, that no admissible forces
//         give its accelerations, not that one of the forces changes its sign,
//     (d) a contact leaves the feature that it was on.
// Each condition has a margin that changes its sign at the event, but for (d) and for (c) with redundant contacts,
// which are located by bisection. The margin of the condition that is violated is followed back in time (`Watch`),
// since another one may have a smaller margin before.
#pragma once

#include <limits>

#include "linchpin/sim/event_driven/admissible_forces.h"
#include "linchpin/sim/event_driven/mode_choice.h"
#include "linchpin/sim/event_driven/mode_substep.h"

namespace linchpin {

// m/s: contacts that approach or slide more slowly are at rest. Far below what positions resolve within a step, far
// above the rounding of velocities and the tolerance of impacts.
inline constexpr double approach_rest = 1e-8, slip_rest = 1e-10;

// A condition, to be found again at another time.
struct Watch {
  enum class Kind { none, touch, limit_touch, slip_end, dry_end, lost, condition };
  Kind kind = Kind::none;
  int index = -1;           // of the limit, or of an item of the mode
  ContactKey key{};         // touch: of the contact
  double touch_gap = 0;     // touch, limit_touch: added to the gap
  ModeFault::Kind fault{};  // condition: none if its margin cannot be followed
  friend bool operator==(const Watch&, const Watch&) = default;
};

struct EventCheck {
  Watch what;
  double margin = 0;      // the least of all, in the unit of its condition
  bool violated = false;  // beyond its tolerance
  // The forces of the mode are not admissible any more, but those of replacement() are, with the same accelerations.
  bool is_replaced = false;
  double watched = std::numeric_limits<double>::quiet_NaN();  // the margin of the condition asked for, if it was found
};

class ModeEvents {
 public:
  ModeEvents(const StepPlan& plan, ModeDynamics& dynamics);

  // At the end of a substep of length h. watch: a condition whose margin is of interest.
  EventCheck at_end(const SubstepStart& start, ModeSubstep& substep, double h, const Watch& watch = {});
  const Mode& replacement() const { return other_; }
  // (a) within the substep: the first of some times, as parts of h, at which a contact or limit has closed; 1 if none
  // has.
  double first_touch_within(const SubstepStart& start, ModeSubstep& substep, double h);

 private:
  void check_touch(const Mode& mode, std::span<const Contact> known, std::span<const double> q,
                   std::span<const double> v, const Placed& placed, double h, const Watch& watch, EventCheck& check);

  const StepPlan& plan_;
  ModeDynamics& dynamics_;
  AdmissibleForces admissible_;
  ContactSet found_;
  Placed placed_;
  std::vector<Contact> known_;
  Mode other_;
  std::vector<double> q_, v_;
};

}  // namespace linchpin
