// Contacts and joint limits that close: landings. Internal to sim/.
//
// A step is split where one touches, as at a bounce, and the velocities jump there by an impact (impact.h), at a fixed
// configuration. So momentum is kept, and the step stays of second order. If a row closed the gap within the step
// instead, as in (3) of contact_stepper.h, momentum would change by the order of h, since M does along the way, however
// slow the approach is: three rods that fall on their ends drifted by 65 mm in 1.5 s at 1 ms, and less than 1 mm with
// landings.
//
// A contact with a gap has no row then: it is idle. What approaches faster than `impact_speed` is expected to touch by
// the free motion (touch.h), other contacts are found where the solved motion closes them (missed_contacts.h). Limits
// land if they are approached that fast; otherwise a row closes them. Gaps and approaches that are errors of curved
// paths, or that a fall from rest closes within the interval, are no landings ((2), (3) of jumps.h).
//
// Contacts of crowds (contact_islands.h) do not land, and none does after `most_landings` intervals of a step: rows
// close them.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/contact_islands.h"
#include "linchpin/sim/time_stepping/interval.h"

namespace linchpin {

// Intervals of one step after which nothing lands. Each costs a step of the whole model.
inline constexpr int most_landings = 16;
// m/s, rad/s: what touches and approaches more slowly is at rest, up to errors of solutions and of curved paths.
inline constexpr double struck_speed = 1e-6;

class Landings {
 public:
  explicit Landings(const StepPlan& plan) : plan_(plan), islands_(plan) {}

  void clear();
  // Finds those within h.
  void find(std::span<const Contact> contacts, const Placed& placed, const Arrival& start, double h);

  // Whether the contact has a gap and lands where it closes: it needs no row.
  bool lands(int contact) const { return any_ && contacts_[contact] != 0; }
  // Whether it, or a limit, is fast: the free motion tells where it touches.
  bool is_fast(int contact) const { return any_ && contacts_[contact] == fast; }
  bool is_fast_limit(int limit) const { return any_fast_ && limits_[limit] != 0; }
  bool any_fast() const { return any_fast_; }
  // Whether a contact or a fast limit touches and approaches: an impact.
  bool touch() const { return touch_; }

 private:
  enum : char { none = 0, slow = 1, fast = 2 };
  void leave_out_crowds(std::span<const Contact> contacts);
  bool in_crowd(int tree) const { return islands_.contacts_of(islands_.island_of(tree)) > crowd; }

  const StepPlan& plan_;
  ContactIslands islands_;
  bool any_ = false, any_fast_ = false, touch_ = false;
  std::vector<char> contacts_, limits_;  // with a gap
  std::vector<char> touching_;           // per contact, then per limit: touches and approaches
};

}  // namespace linchpin
