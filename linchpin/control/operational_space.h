// Operational-space control: joint forces that accelerate frames as demanded, with a posture in the null space.
//
// Nodes x = x(q) accelerate by J vdot + Jdot v. Joint forces J' F, equivalent to forces F on the nodes, accelerate them
// by W F, W = J M^-1 J' the compliance [001 (14), (15)]. With Lambda = W^-1, the operational-space inertia, and vdot_0
// the acceleration of the posture alone,
//     F   = Lambda (a - J vdot_0 - Jdot v)                                                                       (1)
//     tau = M vdot_0 + h + J' F                                                                                  (2)
// h the Coriolis, centrifugal and gravity forces: the nodes accelerate by a, and vdot_0 acts in their dynamically
// consistent null space, tau = J' F_a + h + (1 - J' Lambda J M^-1) M vdot_0 with F_a from a alone [001 s.1, s.4, and
// its reference 1]. Of all accelerations that meet the demand, these are nearest to vdot_0 in the metric of M.
//
// Differences from the paper. If every coordinate has a motor, no Jacobian, mass matrix, projector or bias term is
// formed: W comes from the compliance recursion in O(n + m^2) (compliance.h), J vdot_0 + Jdot v is one pass of
// accelerations, and (2) one call of rnea() with -F among the external forces, in O(n). (Coordinates without a motor
// cost more: (3) needs their columns of J, and their entries of M from crba().) Tasks have priority levels, and each
// level acts in the null space of those before it: the block factors of W (priority_stack.h). Singular and redundant
// tasks are met as far as possible, and the report gives the rank.
//
// Coordinates without motors (`passive`, such as those of a floating base) get no force. Supports, tasks with
// `support`, push the mechanism: M vdot + h = tau + Js' lambda, and the passive rows E' of this must hold with some
// lambda. The part that no lambda can carry is therefore a constraint, before all levels,
//     Pi E' (M vdot + h) = 0,   Js vdot + Jsdot v = as                                                           (3)
// Pi the projection onto the directions that supports cannot push (all of them for a robot in flight). Of the lambda
// that carry E' (M vdot + h) the least is taken: supports are treated as bilateral. Each row of (3) is a row like any
// other, with J = E' M, so that its W is E' M E and its joint forces M E f add E f to vdot_0.
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
  // Velocity coordinates without a motor. Those of trees without a task are not in (3): for example, an object that
  // hands carry.
  std::vector<int> passive = {};
  // Directions whose compliance, relative to the mean of their nodes, is below this count as singular. A direction just
  // above it has lost nine digits of its acceleration to rounding of the compliance.
  double tolerance = 1e-9;
  double moment_arm = 0.1;      // m: for the least lambda, a moment counts as the force at this arm, the size of a foot
  bool counter_passive = true;  // compensate the springs and damping of the joints, which simulations add to tau
};

// Empty spans are zeros.
struct OperationalSpaceInputs {
  std::span<const double> posture = {};        // vdot_0, one per velocity coordinate
  std::span<const double> posture_force = {};  // adds M^-1 of it to vdot_0
  std::span<const double> f_ext = {};          // known forces on bodies, as for aba(): (2) compensates them
};

struct LevelReport {
  int rows = 0, rank = 0;
  double error = 0;  // largest |demanded - expected| of its rows
};

enum class ControlStatus { done, not_finite };

struct OperationalSpaceReport {
  ControlStatus status = ControlStatus::done;  // not_finite: the torques are NaN
  LevelReport held;                            // (3)
  std::span<const LevelReport> levels;         // valid until the next call
  double uncarried = 0;  // largest force that a passive coordinate would need but does not get, N or N m
  bool ok() const { return status == ControlStatus::done; }
};

// Holds precomputed data and workspaces only; only the constructor allocates. The model must outlive it.
class OperationalSpace {
 public:
  OperationalSpace(const Model& model, std::vector<FrameTask> tasks, const OperationalSpaceOptions& options = {});
  OperationalSpace(const Model&&, std::vector<FrameTask>, const OperationalSpaceOptions& = {}) = delete;
  ~OperationalSpace();
  OperationalSpace(OperationalSpace&&) noexcept;
  OperationalSpace& operator=(OperationalSpace&&) noexcept;

  std::span<const FrameTask> tasks() const;

  // Computes kinematics, velocities and compliance at this state. To be called before the functions below.
  void update(std::span<const double> q, std::span<const double> v);

  Transform<double> pose(int task) const;   // X_WN
  Motion<double> velocity(int task) const;  // in the world's axes

  // Fills tau. One demand per task.
  OperationalSpaceReport torques(std::span<const FrameDemand> demands, const OperationalSpaceInputs& inputs,
                                 std::span<double> tau);

  // After torques(): the force F of (1) on the task's node by its rows, and for a support the force of lambda on it; in
  // the world's axes about the node's origin.
  Force<double> task_force(int task) const;
  Force<double> support_force(int task) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
