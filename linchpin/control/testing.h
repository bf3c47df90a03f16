// Helpers of this room's tests: reference computations with dense matrices.
#pragma once

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/control/frame_task.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {

using Vector = Eigen::VectorXd;
using DenseMatrix = Eigen::MatrixXd;

std::vector<double> as_vector(const Vector& x);
Vector six(const Motion<double>& m);
Vector six(const Force<double>& f);
inline Motion<double> motion_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
inline Force<double> force_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// A state inside the joints' limits, within `part` of their range on either side of the middle: arms are not straight.
State bent_state(const Model& model, std::uint64_t seed, double speed = 1, double part = 0.35);

// The equations of motion of one state, M vdot + h = tau.
struct Equations {
  Equations(const Model& m, const State& s);

  Transform<double> pose(const Node& node) const;
  Vector velocity(const Node& node) const;
  DenseMatrix jacobian(const Node& node) const;  // 6 x nv, in the world's axes
  Vector drift(const Node& node) const;          // Jdot v
  Vector acceleration(const Node& node, const Vector& vdot) const;

  const Model& model;
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
  State state;
  DenseMatrix M;
  Vector h;
};

// A task's rows in the world's axes: k x 6.
DenseMatrix row_matrix(const std::vector<Row>& rows, Axes axes, const Mat3<double>& R_WN);

// M vdot + h = tau + J' lambda with J vdot = c, for any rank of J. The accelerations are unique; lambda is the least.
struct Constrained {
  Vector vdot, lambda;
};
Constrained constrained_motion(const DenseMatrix& M, const Vector& h, const Vector& tau, const DenseMatrix& J,
                               const Vector& c);

// Forward dynamics as in a simulation: springs and damping of the joints are added to tau.
std::vector<double> moved_by(const Model& model, const State& state, const std::vector<double>& tau,
                             const std::vector<double>& f_ext = {});

}  // namespace linchpin
