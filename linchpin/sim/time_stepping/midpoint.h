// Where the forces and rows of an interval are evaluated. Internal to sim/.
//
// Trees whose velocities do not jump are placed halfway along the path that v leads along,
//     q_m = q (+) h/2 v                                                                                          (1)
// and those whose velocities jump (jumps.h) at the start. With M, forces and J there, v+ is of second order if the rows
// hold at the end of the interval, where J has changed as much again as from the start to the middle. So a row is
//     J_m v+ + (J_m - J_0) v                                                                                     (2)
// J of a contact depends on its point and normal, which move over curved surfaces: the pair of shapes is collided again
// at q_m. A contact whose features have changed there moves with its bodies.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

class Midpoint {
 public:
  explicit Midpoint(const StepPlan& plan);

  // Fills q() and is_ahead(). solved: trees that jump.
  void find(const Interval& interval, const Solved& solved);
  // Fills the rest, which rows need. solved: contacts that last.
  void place_rows(const Interval& interval, const Solved& solved);

  // Valid as long as the interval is, until the next call of find().
  std::span<const double> q() const { return q_; }
  const Placed& placed() const { return *placed_; }  // at q(), with the velocities at the start of the interval
  std::span<const Contact> contacts() const { return contacts_; }  // those of the interval, in the same order, at q()
  bool is_ahead(int link) const { return ahead_[link] != 0; }      // at (1); false: at the start
  // The rows of loops; null without any. By row: (J_m - J_0) v, and the change of prescribed rates.
  const ConstraintRows* loops() const { return loops_ ? &*loops_ : nullptr; }
  std::span<const double> loop_changes() const { return loop_change_; }

 private:
  void follow(const Interval& interval, std::span<const char> lasts);
  void place_loops(const Interval& interval);

  const StepPlan& plan_;
  std::vector<double> q_, step_;
  std::vector<char> ahead_;  // per link
  bool moves_ = false;       // does any link move?
  Placed moved_;
  const Placed* placed_ = nullptr;
  ContactSet there_;
  std::vector<char> followed_;  // per pair of shapes
  std::vector<Contact> contacts_;
  std::optional<ConstraintRows> loops_;
  bool driven_ = false;  // is any motion prescribed?
  std::vector<double> loop_velocity_, loop_change_, drift_end_;
};

}  // namespace linchpin
