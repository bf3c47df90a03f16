// Helpers of this room's tests: reference computations with dense matrices, solved by Eigen.
#pragma once

#include <Eigen/Dense>

#include "linchpin/control/frame_task.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {

using Vector = Eigen::VectorXd;
using DenseMatrix = Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Vector as_eigen(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
}
inline std::vector<double> as_vector(const Vector& x) { return {x.data(), x.data() + x.size()}; }
inline Vector six(const Motion<double>& m) {
  return (Vector(6) << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z).finished();
}
inline Vector six(const Force<double>& f) { return (Vector(6) << f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z).finished(); }
inline Motion<double> motion_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
inline Force<double> force_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// A state inside the joints' limits, within `part` of their range on either side of the middle: arms are not straight.
inline State bent_state(const Model& model, std::uint64_t seed, double speed = 1, double part = 0.35) {
  State state = random_state(model, seed, 1, speed);
  for (const Link& link : model.links()) {
    if (link.nv != 1) continue;
    const DofSpec& dof = model.dofs()[link.v];
    double& q = state.q[link.q];
    if (dof.upper - dof.lower < 100) q = dof.lower + (dof.upper - dof.lower) * (0.5 + part * q);
  }
  return state;
}

// The equations of motion of one state, M vdot + h = tau.
struct Equations {
  Equations(const Model& m, const State& s) : model(m), plan(m), kin(plan), vel(m), state(s) {
    const std::size_t nv = std::size_t(m.nv());
    const MassMatrixLayout layout(m);
    CrbaWorkspace<double> crba_ws(plan, layout);
    MassMatrix<double> mass(layout);
    std::vector<double> dense(nv * nv), bias(nv);
    crba<double>(plan, layout, s.q, crba_ws, mass);
    to_dense(layout, mass, dense);
    M = Eigen::Map<RowMatrix>(dense.data(), m.nv(), m.nv());
    RneaWorkspace<double> rnea_ws(plan);
    rnea<double>(plan, s.q, s.v, std::vector<double>(nv), {}, rnea_ws, bias);
    h = as_eigen(bias);
    kinematics<double>(plan, s.q, kin);
    velocities(m, kin, s.v, vel);
  }

  Transform<double> pose(const Node& node) const { return node_pose(model, kin, node); }
  Vector velocity(const Node& node) const { return six(point_velocity(model, kin, vel, node.body, node.X_BN.p)); }
  // 6 x nv, in the world's axes.
  DenseMatrix jacobian(const Node& node) const {
    std::vector<double> J(6 * std::size_t(model.nv()));
    point_jacobian(model, kin, vel, node.body, node.X_BN.p, J);
    return Eigen::Map<RowMatrix>(J.data(), 6, model.nv());
  }
  // Jdot v.
  Vector drift(const Node& node) const {
    std::vector<double> J(6 * std::size_t(model.nv()));
    point_jacobian_rate(model, kin, vel, node.body, node.X_BN.p, J);
    return Eigen::Map<RowMatrix>(J.data(), 6, model.nv()) * as_eigen(state.v);
  }
  Vector acceleration(const Node& node, const Vector& vdot) const { return jacobian(node) * vdot + drift(node); }

  const Model& model;
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
  State state;
  DenseMatrix M;
  Vector h;
};

// A task's rows in the world's axes: k x 6.
inline DenseMatrix row_matrix(const std::vector<Row>& rows, Axes axes, const Mat3<double>& R_WN) {
  DenseMatrix R(Eigen::Index(rows.size()), 6);
  for (std::size_t i = 0; i < rows.size(); ++i)
    R.row(Eigen::Index(i)) = six(row_in_world(rows[i], axes, R_WN)).transpose();
  return R;
}

// M vdot + h = tau + J' lambda with J vdot = c, for any rank of J. The accelerations are unique; lambda is the least.
struct Constrained {
  Vector vdot, lambda;
};
inline Constrained constrained_motion(const DenseMatrix& M, const Vector& h, const Vector& tau, const DenseMatrix& J,
                                      const Vector& c) {
  const Eigen::LLT<DenseMatrix> factors(M);
  const Vector freely = factors.solve(tau - h);
  const DenseMatrix W = J * factors.solve(J.transpose());
  // scaled to a unit diagonal: rows of metres and of radians alike
  const Vector unit = W.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1; });
  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> cod(W.rows(), W.cols());
  cod.setThreshold(1e-10);
  cod.compute(unit.asDiagonal() * W * unit.asDiagonal());
  const Vector lambda = unit.asDiagonal() * Vector(cod.solve(unit.asDiagonal() * (c - J * freely)));
  return {freely + factors.solve(J.transpose() * lambda), lambda};
}

// Forward dynamics as in a simulation: springs and damping of the joints are added to tau.
inline std::vector<double> moved_by(const Model& model, const State& state, const std::vector<double>& tau,
                                    const std::vector<double>& f_ext = {}) {
  const Plan<double> plan(model);
  AbaWorkspace<double> ws(plan);
  std::vector<double> total = tau, vdot(tau.size());
  add_passive_forces(model, state.q, state.v, total);
  aba<double>(plan, state.q, state.v, total, f_ext, ws, vdot);
  return vdot;
}

}  // namespace linchpin
