// A mechanism dragged by points of it: kinematic manipulation, by the law f = m v [004 s.3].
//
// Springs pull points x of bodies to where they are wanted, and the mechanism moves without inertia's memory,
//     M v = sum of J_x' f + reactions,     f = k (goal - x - h J_x v)                                             (1)
// (the springs as they are at the end of the step: any k is stable). So heavy parts are loath to move and light ones go
// first, where inverse kinematics would ask for nothing but the goal. With k as a softness this is a problem of rows
// (contact/rows.h) from rest and without time: J_x v + f / (k h) = (goal - x) / h; loops, joint limits and contacts
// (without friction) are rows beside them, and any formulation poses it, multipliers by default.
//
// A step is cut where a joint would turn by more than `largest_turn`, and shortened in time where (1), which takes x for
// linear, would leave the springs longer than they were: goals out of reach are approached as far as it goes.
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
  double stiffness = 1e3;  // k of (1), kg/s, where a step is at most 1 s: beside the masses, how firmly it is held
};

struct DragOptions {
  // multipliers, or os where a body has no inertia of its own in some direction.
  std::optional<Method> method;
  double largest_turn = 0.2;      // rad by step and joint
  double tolerance = 1e-9;        // m: a goal that is met
  double loop_tolerance = 1e-10;  // rad, m: of loops after a step
};

struct DragReport {
  double distance = 0;  // m: from the farthest goal, after the step
  double turn = 0;      // rad or m: the largest change of a coordinate
  int contacts = 0;     // that were in the way
  bool there = false;   // every goal is met
  std::string reason;   // why there is no step; empty if there is, or if it is as near as it gets (turn = 0)
  bool ok() const { return reason.empty(); }
};

// Holds plans and workspaces only. The model must outlive it.
class Drag {
 public:
  explicit Drag(const Model& model, const DragOptions& options = {});
  ~Drag();
  Method method() const;

  // Moves q towards the goals; velocities become zero, memories of contact are cleared, time stays.
  DragReport step(State& state, std::span<const DragGoal> goals);
  // Steps until the goals are met, nothing moves any more (by `still`, rad or m), or there were `most` steps.
  DragReport settle(State& state, std::span<const DragGoal> goals, int most = 1000, double still = 1e-12);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
