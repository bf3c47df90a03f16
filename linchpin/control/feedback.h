// Feedback of joints and of frames, and joint forces that compensate gravity.
//
// An error e obeys  edotdot + kd edot + kp e = 0  if accelerations follow
//     a = a_d + kd (w_d - w) + kp log(R_d R')          angular, in the world's axes                                (1)
//     a = a_d + kd (v_d - v) + kp (p_d - p)            linear
// with log the rotation vector of the shortest rotation, at most pi long. Joints: the same for each coordinate.
// Rotations of joints are in the axes of the actual M; the target, given in the axes of the desired M, is rotated by E
// = R' R_d, and the rotation of the axes adds a term to the feed-forward:
//     wdot = E wdot_d - w x E w_d + kd (E w_d - w) + kp log E                                                     (2)
// As accelerations, (1) is an input of OperationalSpace and (2) of rnea(): computed torque. As forces, (2) is PD
// control.
#pragma once

#include <span>

#include "linchpin/control/frame_task.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {

struct Gains {
  double kp = 0;  // 1/s^2 (N m/rad or N/m if the result is a force)
  double kd = 0;  // 1/s (N m s/rad or N s/m)
};
// No overshoot; an error decays to 2 % within 6 / rate.
inline Gains critically_damped(double rate) { return {rate * rate, 2 * rate}; }

// A target motion of the joints; empty velocities and accelerations are zero.
struct JointMotion {
  std::span<const double> q, v = {}, vdot = {};
};

// Fills `out`, one number per velocity coordinate, by (2). Gains: one pair for all, or one per velocity coordinate.
void joint_feedback(const Model& model, std::span<const double> q, std::span<const double> v, const JointMotion& target,
                    std::span<const Gains> gains, std::span<double> out);

// By (1), in the world's axes.
Motion<double> tracking_acceleration(const Transform<double>& X_WN, const Motion<double>& velocity,
                                     const FrameMotion& target, const Gains& angular, const Gains& linear);

struct FeedbackWorkspace {
  explicit FeedbackWorkspace(const Plan<double>& plan);
  RneaWorkspace<double> rnea;
  std::vector<double> zeros, vdot;  // zeros is never written
};

// Joint forces that hold the mechanism at rest at q; bias_forces(): those that keep the velocity v constant.
void gravity_forces(const Plan<double>& plan, std::span<const double> q, FeedbackWorkspace& ws, std::span<double> tau);
void bias_forces(const Plan<double>& plan, std::span<const double> q, std::span<const double> v, FeedbackWorkspace& ws,
                 std::span<double> tau);

// tau = M (2) + h minus the forces of the joints' springs and damping: errors decay as the gains say at every
// configuration.
void computed_torque(const Model& model, const Plan<double>& plan, std::span<const double> q, std::span<const double> v,
                     const JointMotion& target, std::span<const Gains> gains, FeedbackWorkspace& ws,
                     std::span<double> tau);

// Clamps tau to the effort limits of the joints; returns the number of clamped coordinates.
int limit_efforts(const Model& model, std::span<double> tau);

}  // namespace linchpin
