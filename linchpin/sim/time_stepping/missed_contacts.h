// Contacts that come into reach within a step. Internal to sim/.
#pragma once

#include <optional>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// Contacts were searched as far as links get at the speeds they had. Impulses and strong forces of the interval itself
// may move them farther, and they must not pass through anything there. If the motion `solved` closes a contact that is
// not among those of the interval (contacts in `set`), fills `wider` with all contacts now in reach and returns the
// time at which the first of the missed ones touches, if it is to bounce or is far, otherwise h.
std::optional<double> find_missed_contacts(const StepPlan& plan, const Interval& interval, const Solved& solved,
                                           const ContactSet& set, ContactSet& wider);

}  // namespace linchpin
