// Impacts: velocities jump where contacts touch; positions stay. Internal to sim/.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/impact.h"
#include "linchpin/sim/time_stepping/contact_islands.h"
#include "linchpin/sim/time_stepping/interval_solver.h"

namespace linchpin {

class ImpactSolver {
 public:
  // m/s: nothing happens in islands where nothing approaches faster than struck_speed, and there is no restitution in
  // impacts where nothing approaches faster than bounce_speed.
  ImpactSolver(const StepPlan& plan, double struck_speed, double bounce_speed)
      : plan_(plan), struck_speed_(struck_speed), bounce_speed_(bounce_speed), islands_(plan) {}

  // Solves the impact of the contacts and limits that touch (impact.h), in islands where one of them approaches:
  // nothing happens in the others. Fills v, vel, rows and impulses of `out`; the report says
  // whether that succeeded. The interval's h and idle rows are not used.
  ImpactReport solve(const Interval& interval, Variant& mechanism, ProblemWorkspace& ws, Solved& out);
  // Whether an impulse of the last impact was out of all proportion to the masses: its contact has no lever
  // (step_plan.h).
  bool lacks_lever(const Solved& solved) const;

 private:
  void find_struck_islands(const Interval& interval);
  void gather_rows(const Interval& interval, StepRows& out);
  void describe_blocks(const Interval& interval, const StepRows& rows, std::span<const int> block_of,
                       const Problem& problem);

  const StepPlan& plan_;
  const double struck_speed_, bounce_speed_;
  ImpactWorkspace impact_;
  ContactIslands islands_;
  std::vector<char> apart_;           // per contact: 1 if it does not touch
  std::vector<char> struck_;          // per island
  double fastest_ = 0;                // approach, m/s or rad/s
  bool bounces_ = false;              // is anything fast enough?
  std::vector<double> row_velocity_;  // by row: J v-
  std::vector<double> restitution_;   // by block of the problem
  std::vector<double> approach_;      // by row of the problem
};

}  // namespace linchpin
