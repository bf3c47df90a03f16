// From errors to what makes them vanish: feedback of joints and of frames, and the forces that make up for gravity.
//
// An error e and its rate follow  edotdot + kd edot + kp e = 0  where accelerations follow
//     a = a_d + kd (w_d - w) + kp log(R_d R')          angular, in the world's axes                                (1)
//     a = a_d + kd (v_d - v) + kp (p_d - p)            linear
// log the rotation vector of the shortest way, at most pi long. Joints: the same coordinate by coordinate; for
// rotations in the axes of M as it is, where what the target says, in the axes of M as it should be, must be turned by
// E = R' R_d. That the axes turn is felt in the feed-forward:
//     wdot = E wdot_d - w x E w_d + kd (E w_d - w) + kp log E                                                     (2)
// As accelerations, (1) goes to OperationalSpace and (2) to rnea(): computed torque. As forces, (2) is plain PD.
#pragma once

#include <span>

#include "linchpin/control/frame_task.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {

struct Gains {
  double kp = 0;  // 1/s^2 (N m/rad, N/m where the result is a force)
  double kd = 0;  // 1/s (N m s/rad, N s/m)
};
// No overshoot; an error is down to 2 % after 6 / rate.
inline Gains critically_damped(double rate) { return {rate * rate, 2 * rate}; }

// A motion of the joints; empty velocities and accelerations are zeros.
struct JointMotion {
  std::span<const double> q, v = {}, vdot = {};
};

// Fills out, one number per velocity coordinate, by (2). Gains: one pair for all, or one for each velocity coordinate.
void joint_feedback(const Model& model, std::span<const double> q, std::span<const double> v, const JointMotion& target,
                    std::span<const Gains> gains, std::span<double> out);

// By (1), in the world's axes.
Motion<double> tracking_acceleration(const Transform<double>& X_WN, const Motion<double>& velocity,
                                     const FrameMotion& target, const Gains& angular, const Gains& linear);

struct FeedbackWorkspace {
  explicit FeedbackWorkspace(const Plan<double>& plan);
  RneaWorkspace<double> rnea;
  std::vector<double> zeros, vdot;  // zeros are never written
};

// Joint forces that hold the mechanism where it stands; with v, those that let it move on without acceleration.
void gravity_forces(const Plan<double>& plan, std::span<const double> q, FeedbackWorkspace& ws, std::span<double> tau);
void bias_forces(const Plan<double>& plan, std::span<const double> q, std::span<const double> v, FeedbackWorkspace& ws,
                 std::span<double> tau);

// tau = M (2) + h, less the joints' own springs and damping: errors vanish as the gains say, whatever the
// configuration.
void computed_torque(const Model& model, const Plan<double>& plan, std::span<const double> q, std::span<const double> v,
                     const JointMotion& target, std::span<const Gains> gains, FeedbackWorkspace& ws,
                     std::span<double> tau);

// Cuts tau to the effort limits of the joints; says how many coordinates it cut.
int limit_efforts(const Model& model, std::span<double> tau);

}  // namespace linchpin
