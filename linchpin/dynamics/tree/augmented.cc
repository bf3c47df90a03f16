#include "linchpin/dynamics/tree/augmented.h"

#include <cmath>

#include <Eigen/Dense>

#include "linchpin/dynamics/tree/augmented_solvers.h"

namespace linchpin {
namespace {

template <class Real>
using Vector3 = Eigen::Matrix<Real, 3, 1>;
template <class Real>
using Matrix3 = Eigen::Matrix<Real, 3, 3>;
template <class Real>
using Matrix6 = Eigen::Matrix<Real, 6, 6>;
template <class Real>
using Vector6 = Eigen::Matrix<Real, 6, 1>;
template <class Real>
using JointColumns = Eigen::Matrix<Real, 6, Eigen::Dynamic, 0, 6, 6>;

template <class Real>
Vector3<Real> vector(const Vec3<double>& v) {
  return {Real(v.x), Real(v.y), Real(v.z)};
}
template <class Real>
Matrix3<Real> matrix(const Mat3<double>& R) {
  Matrix3<Real> m;
  m << vector<Real>(R.x), vector<Real>(R.y), vector<Real>(R.z);
  return m;
}
template <class Real>
Matrix3<Real> skew(const Vector3<Real>& v) {
  Matrix3<Real> m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}
template <class Real>
struct Pose {
  Matrix3<Real> R = Matrix3<Real>::Identity();
  Vector3<Real> p = Vector3<Real>::Zero();
  Pose operator*(const Pose& other) const { return {R * other.R, p + R * other.p}; }
};
// A rotation given in double is orthonormal only to 1e-16, which is an error in extended precision: normalise it.
template <class Real>
Pose<Real> pose(const Transform<double>& X) {
  Eigen::Quaternion<Real> q(matrix<Real>(X.R));
  q.normalize();
  return {q.toRotationMatrix(), vector<Real>(X.p)};
}
template <class Real>
Pose<Real> inverse(const Pose<Real>& X) {
  return {X.R.transpose(), -(X.R.transpose() * X.p)};
}
// Transforms motions from frame A to frame B (X = X_AB).
template <class Real>
Matrix6<Real> motion_matrix(const Pose<Real>& X) {
  Matrix6<Real> m;
  m << X.R.transpose(), Matrix3<Real>::Zero(), -X.R.transpose() * skew<Real>(X.p), X.R.transpose();
  return m;
}
template <class Real>
Matrix6<Real> motion_cross(const Vector6<Real>& v) {
  Matrix6<Real> m;
  m << skew<Real>(v.template head<3>()), Matrix3<Real>::Zero(), skew<Real>(v.template tail<3>()),
      skew<Real>(v.template head<3>());
  return m;
}
template <class Real>
Matrix6<Real> spatial_inertia(const RigidInertia<double>& I) {
  Matrix3<Real> moments;
  moments << Real(I.I.xx), Real(I.I.xy), Real(I.I.xz), Real(I.I.xy), Real(I.I.yy), Real(I.I.yz), Real(I.I.xz),
      Real(I.I.yz), Real(I.I.zz);
  const Matrix3<Real> h = skew<Real>(vector<Real>(I.h));
  Matrix6<Real> m;
  m << moments, h, -h, Real(I.mass) * Matrix3<Real>::Identity();
  return m;
}

template <class Matrix>
std::vector<typename Matrix::Scalar> out(const Matrix& x) {
  return {x.data(), x.data() + x.size()};
}

// A joint at one state: the pose of M in F, S in M's axes, and the apparent derivative of S times v.
template <class Real>
struct JointMotion {
  Pose<Real> X_FM;
  JointColumns<Real> S;
  Vector6<Real> c = Vector6<Real>::Zero();
};

template <class Real>
JointMotion<Real> joint_motion(const Joint& joint, const double* q, const double* v) {
  using std::sin, std::cos;
  JointMotion<Real> m;
  m.S.setZero(6, joint.nv);
  const Vector3<Real> axis = vector<Real>(joint.spec.axis).normalized(),
                      axis2 = vector<Real>(joint.spec.axis2).normalized();
  const auto turn = [](const Vector3<Real>& u, Real angle) {
    const Matrix3<Real> k = skew<Real>(u);
    return Matrix3<Real>(Matrix3<Real>::Identity() + sin(angle) * k + (1 - cos(angle)) * k * k);
  };
  const auto coordinate = [&](int k) { return Real(q[k]); };
  const auto rate = [&](int k) { return Real(v[k]); };
  const auto quaternion = [&] {
    Eigen::Quaternion<Real> r(coordinate(0), coordinate(1), coordinate(2), coordinate(3));
    r.normalize();
    return r.toRotationMatrix();
  };
  switch (joint.type) {
    case JointType::weld:
      break;
    case JointType::revolute:
      m.X_FM.R = turn(axis, coordinate(0));
      m.S.col(0) << axis, Vector3<Real>::Zero();
      break;
    case JointType::prismatic:
      m.X_FM.p = coordinate(0) * axis;
      m.S.col(0) << Vector3<Real>::Zero(), axis;
      break;
    case JointType::screw:
      m.X_FM = {turn(axis, coordinate(0)), Real(joint.spec.pitch) * coordinate(0) * axis};
      m.S.col(0) << axis, Real(joint.spec.pitch) * axis;
      break;
    case JointType::cylindrical:
      m.X_FM = {turn(axis, coordinate(0)), coordinate(1) * axis};
      m.S.col(0) << axis, Vector3<Real>::Zero();
      m.S.col(1) << Vector3<Real>::Zero(), axis;
      break;
    case JointType::universal: {
      const Matrix3<Real> second = turn(axis2, coordinate(1));
      m.X_FM.R = turn(axis, coordinate(0)) * second;
      const Vector3<Real> first_axis = second.transpose() * axis;
      m.S.col(0) << first_axis, Vector3<Real>::Zero();
      m.S.col(1) << axis2, Vector3<Real>::Zero();
      m.c.template head<3>() = rate(0) * rate(1) * first_axis.cross(axis2);
      break;
    }
    case JointType::planar: {
      const Matrix3<Real> A = matrix<Real>(frame_with_z(joint.spec.axis));
      m.X_FM = {turn(axis, coordinate(2)), A.col(0) * coordinate(0) + A.col(1) * coordinate(1)};
      m.S.col(0) << Vector3<Real>::Zero(), m.X_FM.R.transpose() * A.col(0);
      m.S.col(1) << Vector3<Real>::Zero(), m.X_FM.R.transpose() * A.col(1);
      m.S.col(2) << axis, Vector3<Real>::Zero();
      const Vector3<Real> sliding = m.X_FM.R.transpose() * (A.col(0) * rate(0) + A.col(1) * rate(1));
      m.c.template tail<3>() = -rate(2) * axis.cross(sliding);
      break;
    }
    case JointType::translational:
      m.X_FM.p << coordinate(0), coordinate(1), coordinate(2);
      m.S.template bottomRows<3>().setIdentity();
      break;
    case JointType::ball:
      m.X_FM.R = quaternion();
      m.S.template topRows<3>().setIdentity();
      break;
    case JointType::free: {
      m.X_FM.R = quaternion();
      m.X_FM.p << coordinate(4), coordinate(5), coordinate(6);
      m.S.template topLeftCorner<3, 3>().setIdentity();
      m.S.template bottomRightCorner<3, 3>() = m.X_FM.R.transpose();
      const Vector3<Real> omega(rate(0), rate(1), rate(2)), velocity(rate(3), rate(4), rate(5));
      m.c.template tail<3>() = -omega.cross(m.X_FM.R.transpose() * velocity);
      break;
    }
  }
  return m;
}

}  // namespace

template <class Real>
struct AugmentedTree<Real>::Coefficients {
  using Matrix6 = Eigen::Matrix<Real, 6, 6>;
  using Vector6 = Eigen::Matrix<Real, 6, 1>;
  // Matrices of one joint have at most six columns, known to Eigen: no allocation, and much less to compile.
  using Columns = JointColumns<Real>;
  using JointVector = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, 6, 1>;
  using JointMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  struct Node {
    int parent, v, nv;
    Matrix6 X;  // transforms motions from the parent's frame to the body's
    Columns S;  // motion subspace, in the body's frame
    Vector6 c;  // velocity-product acceleration
    Matrix6 I;
    Vector6 b;  // velocity and external terms: v x* I v - f_ext
    Vector6 velocity;
    JointVector armature;
  };
  Coefficients(const Model& model, std::span<const double> q, std::span<const double> v, std::span<const double> f_ext);

  std::vector<Node> nodes;  // [0] is the world
  Vector6 base;             // acceleration of the world: -gravity
  int nv = 0;

  Vector inverse_dynamics(const Vector& vdot, Real* largest) const;
  Vector by_sparse_lu(const Vector& tau) const;
  Vector by_composite(const Vector& tau) const;
  Vector by_articulated(const Vector& tau, Pivot pivot) const;
  Matrix mass_matrix() const;
};

template <class Real>
AugmentedTree<Real>::Coefficients::Coefficients(const Model& model, std::span<const double> q,
                                                std::span<const double> v, std::span<const double> f_ext) {
  check(q.size() == std::size_t(model.nq()), "q has ", q.size(), " numbers, the model needs ", model.nq());
  check(v.size() == std::size_t(model.nv()), "v has ", v.size(), " numbers, the model needs ", model.nv());
  const std::size_t n = model.bodies().size();
  check(f_ext.empty() || f_ext.size() == 6 * n, "f_ext has ", f_ext.size(), " numbers, the model needs none or ",
        6 * n);
  nv = model.nv();
  base << Vector3<Real>::Zero(), -vector<Real>(model.gravity());
  nodes.resize(n);
  nodes[0].velocity.setZero();
  for (std::size_t i = 1; i < n; ++i) {
    const Body& body = model.bodies()[i];
    const Joint& joint = model.joints()[body.joint];
    Node& node = nodes[i];
    node.parent = joint.parent;
    node.v = joint.v;
    node.nv = joint.nv;
    const JointMotion<Real> motion = joint_motion<Real>(joint, q.data() + joint.q, v.data() + joint.v);
    const Pose<Real> X_MB = inverse(pose<Real>(joint.spec.X_CM));
    const Matrix6 M_to_B = motion_matrix(X_MB);
    node.X = motion_matrix(pose<Real>(joint.spec.X_PF) * motion.X_FM * X_MB);
    node.S = M_to_B * motion.S;
    JointVector vj(node.nv);
    for (int k = 0; k < node.nv; ++k) vj[k] = Real(v[joint.v + k]);
    const Vector6 v_joint = node.S * vj;
    node.velocity = node.X * nodes[node.parent].velocity + v_joint;
    node.c = M_to_B * motion.c + motion_cross<Real>(node.velocity) * v_joint;
    node.I = spatial_inertia<Real>(body.inertia);
    node.b = -motion_cross<Real>(node.velocity).transpose() * (node.I * node.velocity);
    if (!f_ext.empty())
      for (int k = 0; k < 6; ++k) node.b[k] -= Real(f_ext[6 * i + std::size_t(k)]);
    node.armature.resize(node.nv);
    for (int k = 0; k < node.nv; ++k) node.armature[k] = Real(model.dofs()[joint.v + k].armature);
  }
}

template <class Real>
auto AugmentedTree<Real>::Coefficients::inverse_dynamics(const Vector& vdot, Real* largest) const -> Vector {
  std::vector<Vector6> a(nodes.size()), f(nodes.size()), size(nodes.size());  // size: magnitudes of the terms of f
  a[0] = base;
  Real seen = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    a[i] = node.X * a[node.parent] + node.S * vdot.segment(node.v, node.nv) + node.c;
    f[i] = node.I * a[i] + node.b;
    size[i] = node.I.cwiseAbs() * a[i].cwiseAbs() + node.b.cwiseAbs();
  }
  f[0].setZero();
  size[0].setZero();
  Vector tau(nv);
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    const Node& node = nodes[i];
    const JointVector inertial = node.armature.cwiseProduct(vdot.segment(node.v, node.nv));
    tau.segment(node.v, node.nv) = node.S.transpose() * f[i] + inertial;
    if (node.nv > 0) {
      const Real term = (node.S.cwiseAbs().transpose() * size[i] + inertial.cwiseAbs()).maxCoeff();
      if (term > seen) seen = term;
    }
    f[node.parent] += node.X.transpose() * f[i];
    size[node.parent] += node.X.cwiseAbs().transpose() * f[i].cwiseAbs();
  }
  if (largest) *largest = seen;
  return tau;
}

// (5), block row by block row: unknowns f at 0..5, -a at 6..11, vdot from 12 on, body after body.
template <class Real>
auto AugmentedTree<Real>::Coefficients::by_sparse_lu(const Vector& tau) const -> Vector {
  std::vector<int> offset(nodes.size() + 1, 0);
  for (std::size_t i = 1; i < nodes.size(); ++i) offset[i + 1] = offset[i] + 12 + nodes[i].nv;
  const int size = offset.back();
  std::vector<SparseEntry<Real>> entries;
  Vector rhs = Vector::Zero(size);
  const auto put = [&](int row, int col, const auto& block) {
    for (int r = 0; r < block.rows(); ++r)
      for (int c = 0; c < block.cols(); ++c)
        if (block(r, c) != Real(0)) entries.push_back({row + r, col + c, block(r, c)});
  };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const int o = offset[i];
    const Matrix6 one = Matrix6::Identity();
    put(o, o, one);              // f
    put(o, o + 6, node.I);       // - I a
    put(o + 6, o + 6, one);      // -a
    put(o + 6, o + 12, node.S);  // + S vdot
    put(o + 12, o, node.S.transpose().eval());
    put(o + 12, o + 12, JointMatrix(node.armature.asDiagonal()));
    rhs.segment(o, 6) = node.b;
    rhs.segment(o + 6, 6) = -node.c;
    if (node.parent == 0) {
      rhs.segment(o + 6, 6) -= node.X * base;
    } else {
      const int p = offset[node.parent];
      put(o + 6, p + 6, (-node.X).eval());      // + X a_p = -X (-a_p)
      put(p, o, (-node.X.transpose()).eval());  // - X' f_c
    }
    rhs.segment(o + 12, node.nv) = tau.segment(node.v, node.nv);
  }
  const std::vector<Real> x = sparse_lu_solve<Real>(size, entries, {rhs.data(), rhs.data() + size});
  Vector vdot(nv);
  for (std::size_t i = 1; i < nodes.size(); ++i)
    for (int k = 0; k < nodes[i].nv; ++k) vdot[nodes[i].v + k] = x[offset[i] + 12 + k];
  return vdot;
}

template <class Real>
auto AugmentedTree<Real>::Coefficients::mass_matrix() const -> Matrix {
  std::vector<Matrix6> composite(nodes.size(), Matrix6::Zero());
  Matrix M = Matrix::Zero(nv, nv);
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    const Node& node = nodes[i];
    composite[i] += node.I;
    composite[node.parent] += node.X.transpose() * composite[i] * node.X;
    Columns F = composite[i] * node.S;
    M.block(node.v, node.v, node.nv, node.nv) = node.S.transpose() * F;
    for (int k = 0; k < node.nv; ++k) M(node.v + k, node.v + k) += node.armature[k];
    for (std::size_t j = i; nodes[j].parent != 0;) {
      F = (nodes[j].X.transpose() * F).eval();
      j = std::size_t(nodes[j].parent);
      M.block(nodes[j].v, node.v, nodes[j].nv, node.nv) = nodes[j].S.transpose() * F;
      M.block(node.v, nodes[j].v, node.nv, nodes[j].nv) = M.block(nodes[j].v, node.v, nodes[j].nv, node.nv).transpose();
    }
  }
  return M;
}

template <class Real>
auto AugmentedTree<Real>::Coefficients::by_composite(const Vector& tau) const -> Vector {
  const Vector bias = inverse_dynamics(Vector::Zero(nv), nullptr);
  const Vector rest = tau - bias;
  const std::vector<Real> vdot = ldlt_solve<Real>(out(mass_matrix()), out(rest));
  return Eigen::Map<const Vector>(vdot.data(), nv);
}

template <class Real>
auto AugmentedTree<Real>::Coefficients::by_articulated(const Vector& tau, Pivot pivot) const -> Vector {
  struct Eliminated {
    Matrix6 outboard = Matrix6::Zero();  // Itilde: the sum over the children
    Vector6 p = Vector6::Zero();
    Columns U;
    JointMatrix D_inverse;
    JointVector u;
  };
  std::vector<Eliminated> e(nodes.size());
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    const Node& node = nodes[i];
    const Matrix6 IA = node.I + e[i].outboard;
    e[i].p += node.b;
    e[i].U = IA * node.S;
    JointMatrix D = node.S.transpose() * e[i].U;
    if (pivot == Pivot::split)
      D = node.S.transpose() * (node.I * node.S) + node.S.transpose() * (e[i].outboard * node.S);
    D.diagonal() += node.armature;
    e[i].D_inverse = D.ldlt().solve(JointMatrix::Identity(node.nv, node.nv));
    e[i].u = tau.segment(node.v, node.nv) - node.S.transpose() * e[i].p;
    const Matrix6 Ia = IA - e[i].U * e[i].D_inverse * e[i].U.transpose();
    const Vector6 pa = e[i].p + Ia * node.c + e[i].U * (e[i].D_inverse * e[i].u);
    Eliminated& parent = e[node.parent];
    parent.outboard += node.X.transpose() * Ia * node.X;
    parent.p += node.X.transpose() * pa;
  }
  std::vector<Vector6> a(nodes.size());
  a[0] = base;
  Vector vdot(nv);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    a[i] = node.X * a[node.parent] + node.c;
    vdot.segment(node.v, node.nv) = e[i].D_inverse * (e[i].u - e[i].U.transpose() * a[i]);
    a[i] += node.S * vdot.segment(node.v, node.nv);
  }
  return vdot;
}

// ---- the interface: spans in, vectors out ---------------------------------------------------------------------------

namespace {

template <class Real>
Eigen::Matrix<Real, Eigen::Dynamic, 1> in(std::span<const Real> x, int size) {
  check(x.size() == std::size_t(size), "given ", x.size(), " numbers, the model needs ", size);
  return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(x.data(), Eigen::Index(x.size()));
}

}  // namespace

template <class Real>
AugmentedTree<Real>::AugmentedTree(const Model& model, std::span<const double> q, std::span<const double> v,
                                   std::span<const double> f_ext)
    : tree_(std::make_unique<Coefficients>(model, q, v, f_ext)) {}
template <class Real>
AugmentedTree<Real>::~AugmentedTree() = default;

template <class Real>
std::vector<Real> AugmentedTree<Real>::inverse_dynamics(std::span<const Real> vdot, Real* largest) const {
  return out(tree_->inverse_dynamics(in(vdot, tree_->nv), largest));
}
template <class Real>
std::vector<Real> AugmentedTree<Real>::by_sparse_lu(std::span<const Real> tau) const {
  return out(tree_->by_sparse_lu(in(tau, tree_->nv)));
}
template <class Real>
std::vector<Real> AugmentedTree<Real>::by_composite(std::span<const Real> tau) const {
  return out(tree_->by_composite(in(tau, tree_->nv)));
}
template <class Real>
std::vector<Real> AugmentedTree<Real>::by_articulated(std::span<const Real> tau, Pivot pivot) const {
  return out(tree_->by_articulated(in(tau, tree_->nv), pivot));
}
template <class Real>
std::vector<Real> AugmentedTree<Real>::mass_matrix() const {
  return out(tree_->mass_matrix());
}
template <class Real>
Real AugmentedTree<Real>::condition_number() const {
  if (tree_->nv == 0) return 1;
  const std::vector<Real> values = eigenvalues<Real>(out(tree_->mass_matrix()));
  return values.back() / values.front();
}

template class AugmentedTree<double>;
template class AugmentedTree<long double>;

}  // namespace linchpin
