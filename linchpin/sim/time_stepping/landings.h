// Contacts without restitution and joint limits that close with speed: landings. Internal to sim/.
//
// A step is split where one touches, as at a bounce, and the velocities jump there by an impact (impact.h), at a fixed
// configuration. So momentum is kept, and the step stays of second order. If a row closed the gap within the step
// instead, as in (3) of contact_stepper.h, momentum would change by the order of h, since M does along the way: three
// rods that fall on their ends drifted by 65 mm in 1.5 s at 1 ms, against 0.1 mm with landings.
//
// A contact or limit lands if it approaches faster than `impact_speed` and may touch within the interval, or touches.
// Those of crowds (contact_islands.h) do not, and after `most_landings` splits of a step none does any more: rows close
// them. What approaches more slowly is closed by rows as well.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/contact_islands.h"
#include "linchpin/sim/time_stepping/interval.h"

namespace linchpin {

// Splits of one step at landings. Each costs an interval of the whole model.
inline constexpr int most_landings = 16;

class Landings {
 public:
  explicit Landings(const StepPlan& plan) : plan_(plan), islands_(plan) {}

  void clear();
  // Finds those within h, for trees at q and v.
  void find(std::span<const Contact> contacts, const Placed& placed, std::span<const double> q,
            std::span<const double> v, double h);
  bool any() const { return any_; }
  bool has_contact(int i) const { return any_ && contacts_[i] != 0; }
  bool has_limit(int i) const { return any_ && limits_[i] != 0; }
  // Whether one of them touches.
  bool touch() const { return touch_; }

 private:
  const StepPlan& plan_;
  ContactIslands islands_;
  bool any_ = false, touch_ = false;
  std::vector<char> contacts_, limits_;  // 1: lands
};

}  // namespace linchpin
