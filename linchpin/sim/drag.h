// Drags a mechanism by points of its bodies: kinematic manipulation, by the law f = m v [004 s.3].
//
// Springs pull points x of bodies to their goals, and the mechanism moves in proportion to the forces:
//     M v = sum of J_x' f + reactions,     f = k (goal - x - h J_x v)                                             (1)
// The springs are evaluated at the end of the step, so any k is stable. Light parts move more than heavy ones, unlike
// in inverse kinematics, which knows the goal only. With 1 / (k h) as softness (1) is a problem of rows
// (contact/rows.h) from rest with dt = 0: J_x v + f / (k h) = (goal - x) / h. Loops, joint limits and contacts (without
// friction) are further rows. Any formulation can pose it; multipliers is the default.
//
// A step is scaled down if a joint would turn by more than `largest_turn`. h is reduced if the springs would be longer
// after the step, since (1) takes x as linear. So goals out of reach are approached as far as possible.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "linchpin/contact/formulation.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct DragGoal {
  int body = 0;
  Vec3<double> point_B{0, 0, 0};  // m, in the body's axes
  Vec3<double> goal_W{0, 0, 0};   // m
  double stiffness = 1e3;  // k of (1), kg/s, with h at most 1 s: the ratio to the masses says how firmly it is held
};

struct DragOptions {
  // Empty: multipliers, or os if a body lacks inertia in some direction.
  std::optional<Method> method;
  double largest_turn = 0.2;      // rad or m: the largest change of a coordinate per step
  double tolerance = 1e-9;        // m: distance at which a goal counts as reached
  double loop_tolerance = 1e-10;  // rad, m: the largest error of loops after a step
};

struct DragReport {
  double distance = 0;  // m: to the farthest goal, after the step
  double turn = 0;      // rad or m: the largest change of a coordinate
  int contacts = 0;     // contacts with rows in the step
  bool there = false;   // all goals are reached
  std::string reason;   // why the step failed; empty if it succeeded, or if no step gets nearer (turn = 0)
  bool ok() const { return reason.empty(); }
};

// Holds only precomputed data and workspace. The model must outlive it.
class Drag {
 public:
  explicit Drag(const Model& model, const DragOptions& options = {});
  explicit Drag(const Model&&, const DragOptions& = {}) = delete;
  ~Drag();
  Method method() const;

  // Moves q towards the goals; sets velocities to zero, clears the memory of contact forces; time stays.
  DragReport step(State& state, std::span<const DragGoal> goals);
  // Steps until the goals are reached, no coordinate changes by more than `still` (rad or m), or after `most` steps.
  DragReport settle(State& state, std::span<const DragGoal> goals, int most = 1000, double still = 1e-12);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
