#include "linchpin/model/mobility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "linchpin/algebra/symmetric_eigen.h"
#include "linchpin/model/link_frames.h"
#include "linchpin/model/state.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Vector6 = std::array<double, 6>;
using Matrix6 = std::array<Vector6, 6>;

// [I, h x; -h x, mass 1]
Matrix6 dense(const RigidInertia<double>& I) {
  const Vec3<double>& h = I.h;
  const double m = I.mass;
  return {{{I.I.xx, I.I.xy, I.I.xz, 0, -h.z, h.y},
           {I.I.xy, I.I.yy, I.I.yz, h.z, 0, -h.x},
           {I.I.xz, I.I.yz, I.I.zz, -h.y, h.x, 0},
           {0, h.z, -h.y, m, 0, 0},
           {-h.z, 0, h.x, 0, m, 0},
           {h.y, -h.x, 0, 0, 0, m}}};
}
// X_PL as a matrix that transforms motions from the parent to the child: [R', 0; -R' p x, R'].
Matrix6 motion_matrix(const Transform<double>& X) {
  Matrix6 m{};
  const Vec3<double> columns[] = {X.R.x, X.R.y, X.R.z};
  for (int i = 0; i < 3; ++i) {
    const Vec3<double>& r = columns[i];
    const Vec3<double> moved = cross(X.p, r);
    m[i] = {r.x, r.y, r.z, 0, 0, 0};
    m[3 + i] = {moved.x, moved.y, moved.z, r.x, r.y, r.z};
  }
  return m;
}
// to += X' A X
void add_to_parent(const Matrix6& X, const Matrix6& A, Matrix6& to) {
  Matrix6 AX{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) AX[i][j] += A[i][k] * X[k][j];
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) to[i][j] += X[k][i] * AX[k][j];
}
// The pose of a link in its parent at coordinates q. (The fast version is in dynamics/, which this room must not use.)
Transform<double> placement(const Link& link, std::span<const double> q) {
  if (link.kind == LinkKind::revolute || link.kind == LinkKind::axial)
    return link.X_PF * screw_z(link.angle0 + link.turn * q[link.q], link.slide0 + link.slide * q[link.q]);
  const double* x = q.data() + link.q;
  const Transform<double> X{to_rotation(Quaternion<double>{x[0], x[1], x[2], x[3]}),
                            link.kind == LinkKind::free ? Vec3<double>{x[4], x[5], x[6]} : Vec3<double>::zero()};
  return link.X_PF * X;
}
// U = A S, one row per coordinate, and D = S' U + armature, S the joint's motion subspace.
struct JointInertia {
  int n;
  Matrix6 U, D;  // of which n rows are set
};
void joint_inertia(const Link& link, const Matrix6& A, JointInertia& joint) {
  joint.n = link.nv;
  if (link.nv == 1) {
    for (int i = 0; i < 6; ++i) joint.U[0][i] = A[i][2] * link.turn + A[i][5] * link.slide;
    joint.D[0][0] = link.turn * joint.U[0][2] + link.slide * joint.U[0][5] + link.armature;
    return;
  }
  // S = 1 (ball: its first three columns). The linear coordinates of a free joint are along the parent's axes instead:
  // a rotation, which changes no eigenvalue.
  for (int k = 0; k < link.nv; ++k)
    for (int i = 0; i < 6; ++i) joint.U[k][i] = A[i][k];
  for (int k = 0; k < link.nv; ++k) {
    for (int l = 0; l < link.nv; ++l) joint.D[k][l] = joint.U[l][k];
    joint.D[k][k] += link.armature;
  }
}
// A <- A - U D^-1 U', coordinate by coordinate; overwrites the joint.
void eliminate(JointInertia& joint, Matrix6& A) {
  for (int k = 0; k < joint.n; ++k) {
    const Vector6 u = joint.U[k], d = joint.D[k];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) A[i][j] -= u[i] / d[k] * u[j];
    for (int l = k + 1; l < joint.n; ++l) {
      const double part = d[l] / d[k];
      for (int i = 0; i < 6; ++i) joint.U[l][i] -= part * u[i];
      for (int m = k + 1; m < joint.n; ++m) joint.D[l][m] -= part * d[m];
    }
  }
}

constexpr double rounding = 1e-14;  // a relative inertia below this is rounding error; mass ratios to 1e13 pass

// The scale for the inertia of each coordinate: the composite rigid-body inertia of all outboard links. About one axis
// it may itself be rounding error of the inertias about the others (a point mass on the axis); it then counts as zero.
// Ball and free joints have no fixed axes, so the scale of their rotations is the trace.
Vector6 scale_of(const Link& link, const RigidInertia<double>& composite) {
  const Sym3<double>& I = composite.I;
  const double turning = I.xx + I.yy + I.zz, mass = composite.mass;
  if (link.nv > 1) {
    const double rotation = turning + link.armature;
    return {rotation, rotation, rotation, mass, mass, mass};
  }
  const double turn2 = link.turn * link.turn, slide2 = link.slide * link.slide;
  const double own = turn2 * I.zz + slide2 * mass, all = turn2 * turning + slide2 * mass;
  return {(own > rounding * all ? own : 0) + link.armature};
}
// The smallest eigenvalue of D, scaled to about 1, is above rounding error.
bool moves_mass(const JointInertia& joint, const Vector6& scale) {
  const int n = joint.n;
  std::array<double, 36> scaled, vectors;
  for (int k = 0; k < n; ++k) {
    if (!(scale[k] > 0)) return false;
    for (int l = 0; l < n; ++l) scaled[k * n + l] = joint.D[k][l] / (std::sqrt(scale[k]) * std::sqrt(scale[l]));
  }
  jacobi_eigenvectors(n, std::span(scaled).first(n * n), std::span(vectors).first(n * n));
  for (int k = 0; k < n; ++k)
    if (!(scaled[k * n + k] > rounding)) return false;
  return true;
}

// Articulated-body inertias from the tips to the base, by the textbook recursion.
int first_immobile(const Model& model, std::span<const double> q) {
  const std::span<const Link> links = model.links();
  std::vector<Matrix6> articulated(links.size());
  std::vector<RigidInertia<double>> composite(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    composite[i] = links[i].inertia;
    articulated[i] = dense(composite[i]);
  }
  JointInertia joint;
  for (std::size_t i = links.size() - 1; i > 0; --i) {
    const Link& link = links[i];
    joint_inertia(link, articulated[i], joint);
    if (!moves_mass(joint, scale_of(link, composite[i]))) return static_cast<int>(i);
    eliminate(joint, articulated[i]);
    const Transform<double> X = placement(link, q);
    add_to_parent(motion_matrix(X), articulated[i], articulated[link.parent]);
    composite[link.parent] = composite[link.parent] + inertia_to_parent(X, composite[i]);
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
