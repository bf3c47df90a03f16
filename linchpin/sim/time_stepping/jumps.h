// Trees whose velocities jump within an interval because a row closes a contact or a limit. Internal to sim/.
//
// Most contacts that close have no row, but split the interval where they touch (landings.h). This is for the others:
// in crowds, late in a step, missed ones, limits that close slowly.
//
// Where contacts last, velocities are continuous, and positions move by the mean of v and v+: second order. A contact
// that closes stops a velocity at once. Moved by the mean, its bodies would end half of the way inside each other, so
// they move by v+, and so does their island: trees joined by rows. A contact with the gap g (0 in touch) closes if
//     g + h n . u < -position_tolerance                                                                           (1)
// at the velocities of the start. What accelerations close beyond that is found by the solution: a contact with a gap
// that carries an impulse.
//
// A contact lasts if it touches. If it carried a force in the last step, it was not approaching at its end. Where paths
// are curved, it still has a gap or an approach then, which is an error of the third order. It lasts if
//     g, -h n . u <= 4 h (h turn)^2 speed        (gaps also up to 2 touch_gap)                                    (2)
// `turn` bounds the rate at which the normal turns, by the relative angular velocity and by sliding over curved
// surfaces, and `speed` that at which the point of contact moves along them.
//
// What a fall from rest closes within the interval counts as lasting, too:
//     g, -h n . u <= |gravity| h^2 / 2, at most 1e-5 m                                                            (3)
// That is an error of the second order each time a contact closes. Otherwise each corner of a foot that rocks by a
// micrometre would land by itself: the humanoid @stand, pushed, had 45 problems a step instead of 3.
//
// The trees of a crowd (contact_islands.h) move by v+ at once; to find out by the solution would cost three problems a
// step in place of one.
//
// position_level and higher_order pose their problems at the start of the step: every tree counts as one that jumps.
#pragma once

#include <vector>

#include "linchpin/sim/time_stepping/contact_islands.h"
#include "linchpin/sim/time_stepping/interval.h"

namespace linchpin {

struct Closing {
  bool lasts;   // (2), or a touch at rest
  bool closes;  // (1)
};
// u: relative velocity in the contact's frame; vel: of the links; h: length of the interval.
Closing closing_of(const StepPlan& plan, const Contact& contact, const Velocities& vel, const Vec3<double>& u, double h,
                   std::span<const RowMemory> memory);

class Jumps {
 public:
  explicit Jumps(const StepPlan& plan) : plan_(plan), islands_(plan) {}

  // Fills solved.lasts, and solved.tree_jumps by (1).
  void find(const Interval& interval, Solved& solved);
  // Adds the trees of contacts and limits that closed in `solved` although they did not by (1). Returns whether there
  // are any: then the interval has to be solved again.
  bool add_closed(const Interval& interval, Solved& solved);

 private:
  void mark(int link_a, int link_b, Solved& solved) const;
  void spread(const Interval& interval, Solved& solved);
  void mark_crowds(const Interval& interval, Solved& solved);

  const StepPlan& plan_;
  ContactIslands islands_;
  std::vector<char> open_;  // per island: has a contact with a gap
};

}  // namespace linchpin
