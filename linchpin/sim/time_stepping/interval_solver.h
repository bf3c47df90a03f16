// Solves (1) and (2) of contact_stepper.h for one interval. Internal to sim/.
#pragma once

#include <memory>
#include <vector>

#include "linchpin/contact/island_solver.h"
#include "linchpin/sim/time_stepping/forces.h"
#include "linchpin/sim/time_stepping/jumps.h"
#include "linchpin/sim/time_stepping/midpoint.h"
#include "linchpin/solvers/problem/polyhedral.h"

namespace linchpin {

// A problem in the form that a formulation poses, and the solvers. All stages of a step share one.
struct ProblemWorkspace {
  Problem problem;
  std::vector<double> z;
  IslandSolver solver;
};

class IntervalSolver {
 public:
  explicit IntervalSolver(const StepPlan& plan);

  // The contacts of the last solution, where their rows were evaluated (midpoint.h).
  std::span<const Contact> contacts() const { return middle_.contacts(); }
  // The motion without rows, for this mechanism.
  void find_free_motion(const Interval& interval, FreeMotion& out) {
    linchpin::find_free_motion(plan_, interval, soft_, forces_, mean_, out);
  }

  // Fills `out`; returns the reason for a failure, or null. Rows are added while the solution violates a condition that
  // had none: a joint limit that was not near, a servo beyond its force limits. It is solved again by other laws where
  // sliding ends (interval_rows.h) or a contact closes (jumps.h).
  // `free` is used where it is known for this interval.
  const char* solve(const Interval& interval, const FreeMotion& free, std::span<const char> tree_asleep,
                    ProblemWorkspace& ws, Solved& out);

 private:
  const char* solve_rows(const Interval& interval, const FreeMotion& free, std::span<const char> tree_asleep,
                         bool with_rows, ProblemWorkspace& ws, Solved& out);
  const char* solve_for_mean_forces(const Interval& interval, Variant& mechanism, bool servos_as_forces,
                                    ProblemWorkspace& ws, Solved& out);
  const char* solve_problem(const Interval& interval, bool again, ProblemWorkspace& ws, Solved& out);
  void find_trees_with_rows(Solved& out) const;
  bool mark_without_lever(const Problem& problem, Solved& out) const;
  void find_mean_velocities(const Interval& interval, Solved& out) const;

  const StepPlan& plan_;
  Variant soft_;                   // springs, dampers and all servos in the armature
  std::unique_ptr<Variant> firm_;  // without servos that have limits; null where there are none
  Jumps jumps_;
  Midpoint middle_;
  Forces forces_;
  MeanVelocityForces mean_;
  std::vector<double> tau_;
  std::vector<RowMemory> tried_;  // forces of the last round, a guess for the next
  bool has_tried_ = false;
  Velocities vel_;  // of the links at the middle, for v+
  PolyhedralFriction friction_;
  Problem flat_problem_;  // with polyhedral friction
  std::vector<double> flat_z_;
};

}  // namespace linchpin
