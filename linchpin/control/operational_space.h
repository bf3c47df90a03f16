// Operational-space control: joint forces that accelerate frames as demanded, with the posture in what is left free.
//
// Nodes x = x(q) accelerate by J vdot + Jdot v. Joint forces J' F, as if forces F acted on the nodes, make them give
// way by J M^-1 J' F [001 (14), (15)], so with Lambda = (J M^-1 J')^-1 and a posture that alone would make vdot_0,
//     F   = Lambda (a - J vdot_0 - Jdot v)                                                                       (1)
//     tau = M vdot_0 + h + J' F                                                                                  (2)
// h the Coriolis, centrifugal and gravity forces: the nodes accelerate by a, and vdot_0 acts in their null space in the
// dynamically consistent way, tau = J' F_a + h + (1 - J' Lambda J M^-1) M vdot_0 with F_a from a alone [001 s.1, s.4,
// and its reference 1]. Of all accelerations that do what is demanded, these are nearest to vdot_0 in the metric of M.
//
// Where we differ. Where every coordinate has a motor, no Jacobian, mass matrix, projector or bias term is formed:
// J M^-1 J' comes from the compliance recursion in O(n + m^2) (compliance.h), J vdot_0 + Jdot v is one pass of
// accelerations, and (2) one call of rnea() with -F among the external forces, in O(n). (Coordinates without one cost
// more: (3) needs their columns of J, and their entries of M from crba().) Tasks stand in levels, and each acts where
// those before it leave the mechanism free: the block factors of J M^-1 J' (priority_stack.h). Singular and redundant
// tasks are met as far as they can be, and the report says the rank.
//
// Coordinates without motors (`passive`, such as those of a floating base) get no force. What stands on supports, tasks
// with `support`, is pushed by them: M vdot + h = tau + Js' lambda, where the passive rows E' of it must hold with some
// lambda. What no lambda can carry is therefore held to, before all levels,
//     Pi E' (M vdot + h) = 0,   Js vdot + Jsdot v = as                                                           (3)
// Pi onto what supports cannot push (all of it for a robot in flight). Of the lambda that carry E' (M vdot + h) the
// least is taken: supports are taken to hold, whichever way they are pushed. Each row of (3) is a row like any other,
// with J = E' M, so that J M^-1 J' = E' M E and the joint forces it takes are vdot_0's own: M E f.
//
//     OperationalSpace control(model, {{.node = node_at(model, "left_hand")}});
//     control.update(q, v);
//     FrameDemand demand{tracking_acceleration(control.pose(0), control.velocity(0), target, gains, gains)};
//     control.torques({&demand, 1}, {.posture = vdot_0}, tau);
// with tracking_acceleration() of feedback.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"

namespace linchpin {

struct OperationalSpaceOptions {
  // Velocity coordinates without a motor. Those of trees without a task are left alone: an object that hands carry is
  // none of (3).
  std::vector<int> passive = {};
  // Directions that give way by less, as a part of what their nodes do on average, count as held. One that is barely
  // kept has lost nine digits of its acceleration to rounding of the compliance.
  double tolerance = 1e-9;
  double moment_arm = 0.1;      // m: in the least lambda a moment counts as the force at this arm, the size of a foot
  bool counter_passive = true;  // make up for the joints' own springs and damping, which simulations add to tau
};

// What else acts. Empty spans are zeros.
struct OperationalSpaceInputs {
  std::span<const double> posture = {};        // vdot_0, one per velocity coordinate
  std::span<const double> posture_force = {};  // the same as forces: adds M^-1 of it to vdot_0
  std::span<const double> f_ext = {};          // known forces on bodies, as for aba(): (2) makes up for them
};

struct LevelReport {
  int rows = 0, rank = 0;
  double error = 0;  // largest |demanded - expected| of its rows
};

enum class ControlStatus { done, not_finite };

struct OperationalSpaceReport {
  ControlStatus status = ControlStatus::done;  // not_finite: so are the torques
  LevelReport held;                            // (3)
  std::span<const LevelReport> levels;         // until the next call
  double uncarried = 0;  // largest force that a passive coordinate would need and does not get, N or N m
  bool ok() const { return status == ControlStatus::done; }
};

// Holds plans and workspaces only; nothing but the constructor allocates. The model must outlive it.
class OperationalSpace {
 public:
  OperationalSpace(const Model& model, std::vector<FrameTask> tasks, const OperationalSpaceOptions& options = {});
  ~OperationalSpace();
  OperationalSpace(OperationalSpace&&) noexcept;
  OperationalSpace& operator=(OperationalSpace&&) noexcept;

  std::span<const FrameTask> tasks() const;

  // Where everything is, how fast, and how it gives way. Before all that follows.
  void update(std::span<const double> q, std::span<const double> v);

  Transform<double> pose(int task) const;   // X_WN
  Motion<double> velocity(int task) const;  // in the world's axes

  // Fills tau. One demand a task.
  OperationalSpaceReport torques(std::span<const FrameDemand> demands, const OperationalSpaceInputs& inputs,
                                 std::span<double> tau);

  // After torques(): F of (1) as it acts on the task's node by its rows, and for a support the lambda that pushes it;
  // in the world's axes about the node's origin.
  Force<double> task_force(int task) const;
  Force<double> support_force(int task) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
