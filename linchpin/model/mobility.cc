#include "linchpin/model/mobility.h"

#include <vector>

#include <Eigen/Dense>

#include "linchpin/model/link_frames.h"
#include "linchpin/model/state.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
// Of a joint's coordinates, six at most: no allocation.
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

Eigen::Matrix3d dense(const Mat3<double>& R) {
  Eigen::Matrix3d m;
  m << R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z;
  return m;
}
Eigen::Matrix3d skew(const Vec3<double>& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0;
  return m;
}
Matrix6 dense(const RigidInertia<double>& I) {
  Matrix6 m;
  Eigen::Matrix3d moments;
  moments << I.I.xx, I.I.xy, I.I.xz, I.I.xy, I.I.yy, I.I.yz, I.I.xz, I.I.yz, I.I.zz;
  m << moments, skew(I.h), -skew(I.h), I.mass * Eigen::Matrix3d::Identity();
  return m;
}
// Carries motions from the parent to the child: X_PL as a 6x6 matrix.
Matrix6 motion_matrix(const Transform<double>& X) {
  const Eigen::Matrix3d Rt = dense(X.R).transpose();
  Matrix6 m;
  m << Rt, Eigen::Matrix3d::Zero(), -Rt * skew(X.p), Rt;
  return m;
}
// The pose of a link in its parent at coordinates q. (dynamics/ has the fast way; this room must not look there.)
Transform<double> placement(const Link& link, std::span<const double> q) {
  if (link.kind == LinkKind::revolute || link.kind == LinkKind::axial)
    return link.X_PF * screw_z(link.angle0 + link.turn * q[link.q], link.slide0 + link.slide * q[link.q]);
  const double* x = q.data() + link.q;
  const Transform<double> X{to_rotation(Quaternion<double>{x[0], x[1], x[2], x[3]}),
                            link.kind == LinkKind::free ? Vec3<double>{x[4], x[5], x[6]} : Vec3<double>::zero()};
  return link.X_PF * X;
}
Columns motion_subspace(const Link& link) {
  Columns S = Columns::Zero(6, link.nv);
  if (link.nv == 1) {
    S(2, 0) = link.turn;
    S(5, 0) = link.slide;
  } else {
    S.topLeftCorner(link.nv, link.nv)
        .setIdentity();  // free: linear coordinates up to a rotation, which changes nothing
  }
  return S;
}
constexpr double rounding = 1e-14;  // below this share an inertia is nothing but rounding; mass ratios to 1e13 pass

// What each coordinate is measured by: the inertia of everything outboard, rigidly frozen. About one axis that may
// itself be rounding of the inertias about the others (a point mass on the axis); it then counts as zero. Ball and free
// joints have no axes of their own, so rotations are measured by the trace.
Vector measure(const Link& link, const Matrix6& frozen) {
  const double turning = frozen.topLeftCorner<3, 3>().trace(), mass = frozen(5, 5);
  if (link.nv > 1) {
    Vector m = Vector::Constant(link.nv, mass);
    m.head<3>().setConstant(turning + link.armature);
    return m;
  }
  const double turn2 = link.turn * link.turn, slide2 = link.slide * link.slide;
  const double own = turn2 * frozen(2, 2) + slide2 * mass, all = turn2 * turning + slide2 * mass;
  return Vector::Constant(1, (own > rounding * all ? own : 0) + link.armature);
}
bool moves_mass(const Square& D, const Vector& measured_by) {
  if (!(measured_by.minCoeff() > 0)) return false;
  const Vector scale = measured_by.cwiseSqrt().cwiseInverse();
  const Square scaled = scale.asDiagonal() * D * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Square>(scaled, Eigen::EigenvaluesOnly).eigenvalues().minCoeff() > rounding;
}

// Articulated-body inertias from the tips inwards, by the book.
int first_immobile(const Model& model, std::span<const double> q) {
  const std::span<const Link> links = model.links();
  std::vector<Matrix6> articulated(links.size()), composite(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) articulated[i] = composite[i] = dense(links[i].inertia);
  for (std::size_t i = links.size() - 1; i > 0; --i) {
    const Link& link = links[i];
    const Columns S = motion_subspace(link), U = articulated[i] * S;
    const Square D = S.transpose() * U + link.armature * Square::Identity(link.nv, link.nv);
    if (!moves_mass(D, measure(link, composite[i]))) return static_cast<int>(i);
    const Matrix6 X = motion_matrix(placement(link, q));
    const std::size_t p = static_cast<std::size_t>(link.parent);
    articulated[p] += X.transpose() * (articulated[i] - U * D.inverse() * U.transpose()) * X;
    composite[p] += X.transpose() * composite[i] * X;
  }
  return -1;
}

}  // namespace

int link_that_moves_no_mass(const Model& model) {
  int link = -1;
  for (const std::uint64_t seed : {1, 2}) {
    link = first_immobile(model, random_state(model, seed).q);
    if (link < 0) return -1;
  }
  return link;
}

}  // namespace linchpin
