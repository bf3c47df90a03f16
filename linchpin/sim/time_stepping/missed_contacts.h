// Contacts that come into reach within a step. Internal to sim/.
#pragma once

#include <vector>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/landings.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// Contacts without rows that the motion `solved` closes: idle ones of the interval (contacts in `set`), and those that
// were out of reach when they were searched, as far as links get at the speeds they had; impulses and strong forces may
// move them farther, and they must not pass through anything there.
struct MissedContacts {
  bool any = false;
  bool is_wider = false;          // `wider` has all contacts in reach, more than `set`
  std::vector<Contact> contacts;  // that the motion closes; they need rows, unless they end the interval
  double end = 0;                 // s: when the first one touches that is to bounce, to land or is far; otherwise h
};
// Fills vel_mean of `solved` if any shapes are near each other.
void find_missed_contacts(const StepPlan& plan, const Interval& interval, const ContactSet& set,
                          const Landings& landings, Solved& solved, ContactSet& wider, MissedContacts& out);

}  // namespace linchpin
