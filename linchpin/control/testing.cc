#include "linchpin/control/testing.h"

#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {

std::vector<double> as_vector(const Vector& x) { return {x.data(), x.data() + x.size()}; }
Vector six(const Motion<double>& m) { return vector_of(std::vector{m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z}); }
Vector six(const Force<double>& f) { return vector_of(std::vector{f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z}); }

State bent_state(const Model& model, std::uint64_t seed, double speed, double part) {
  State state = random_state(model, seed, 1, speed);
  for (const Link& link : model.links()) {
    if (link.nv != 1) continue;
    const DofSpec& dof = model.dofs()[link.v];
    double& q = state.q[link.q];
    if (dof.upper - dof.lower < 100) q = dof.lower + (dof.upper - dof.lower) * (0.5 + part * q);
  }
  return state;
}

Equations::Equations(const Model& m, const State& s) : model(m), plan(m), kin(plan), vel(m), state(s) {
  const std::size_t nv = std::size_t(m.nv());
  const MassMatrixLayout layout(m);
  CrbaWorkspace<double> crba_ws(plan, layout);
  MassMatrix<double> mass(layout);
  std::vector<double> dense(nv * nv), bias(nv);
  crba<double>(plan, layout, s.q, crba_ws, mass);
  to_dense(layout, mass, dense);
  M = matrix_of(dense, m.nv(), m.nv());
  RneaWorkspace<double> rnea_ws(plan);
  rnea<double>(plan, s.q, s.v, std::vector<double>(nv), {}, rnea_ws, bias);
  h = vector_of(bias);
  kinematics<double>(plan, s.q, kin);
  velocities(m, kin, s.v, vel);
}

Transform<double> Equations::pose(const Node& node) const { return node_pose(model, kin, node); }

Vector Equations::velocity(const Node& node) const {
  return six(point_velocity(model, kin, vel, node.body, node.X_BN.p));
}

DenseMatrix Equations::jacobian(const Node& node) const {
  std::vector<double> J(6 * std::size_t(model.nv()));
  point_jacobian(model, kin, vel, node.body, node.X_BN.p, J);
  return matrix_of(J, 6, model.nv());
}

Vector Equations::drift(const Node& node) const {
  std::vector<double> J(6 * std::size_t(model.nv()));
  point_jacobian_rate(model, kin, vel, node.body, node.X_BN.p, J);
  return matrix_of(J, 6, model.nv()) * vector_of(state.v);
}

Vector Equations::acceleration(const Node& node, const Vector& vdot) const {
  return jacobian(node) * vdot + drift(node);
}

DenseMatrix row_matrix(const std::vector<Row>& rows, Axes axes, const Mat3<double>& R_WN) {
  DenseMatrix R(Eigen::Index(rows.size()), 6);
  for (std::size_t i = 0; i < rows.size(); ++i)
    R.row(Eigen::Index(i)) = six(row_in_world(rows[i], axes, R_WN)).transpose();
  return R;
}

Constrained constrained_motion(const DenseMatrix& M, const Vector& h, const Vector& tau, const DenseMatrix& J,
                               const Vector& c) {
  const DenseMatrix Jt = J.transpose();
  const Vector freely = solve_positive(M, Vector(tau - h));
  const DenseMatrix W = J * solve_positive(M, Jt);
  // scaled to a unit diagonal: rows of metres and of radians alike
  Vector unit = W.diagonal();
  for (double& x : unit) x = x > 0 ? 1 / std::sqrt(x) : 1;
  const Vector right = unit.cwiseProduct(c - J * freely);
  const Vector lambda = unit.cwiseProduct(least_squares(scaled(unit, W, unit), right, 1e-10));
  return {freely + solve_positive(M, Jt * lambda), lambda};
}

std::vector<double> moved_by(const Model& model, const State& state, const std::vector<double>& tau,
                             const std::vector<double>& f_ext) {
  const Plan<double> plan(model);
  AbaWorkspace<double> ws(plan);
  std::vector<double> total = tau, vdot(tau.size());
  add_passive_forces(model, state.q, state.v, total);
  aba<double>(plan, state.q, state.v, total, f_ext, ws, vdot);
  return vdot;
}

}  // namespace linchpin
