#include "linchpin/black_box/box_bodies.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Span = std::span<const double>;

Vec3<double> vec(const double* x) { return {x[0], x[1], x[2]}; }
void put(const Vec3<double>& a, double* x) {
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}
Vec3<double> times(const Vec3<double>& a, const Vec3<double>& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

// Sets the columns [at, at + 3) of a 3 x n matrix to those of B.
void put_columns(const Mat3<double>& B, std::span<double> J, std::size_t n, std::size_t at) {
  const Vec3<double> columns[3] = {B.x, B.y, B.z};
  for (std::size_t k = 0; k < 3; ++k) {
    J[at + k] = columns[k].x;
    J[n + at + k] = columns[k].y;
    J[2 * n + at + k] = columns[k].z;
  }
}
// [u]x
Mat3<double> cross_matrix(const Vec3<double>& u) { return {{0, u.z, -u.y}, {-u.z, 0, u.x}, {u.y, -u.x, 0}}; }

// Position and velocity of a body: (1).
template <int scalings>
struct Pose {
  Mat3<double> R;
  Vec3<double> p, s{1, 1, 1};
  explicit Pose(Span q) : R(to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]})), p(vec(&q[4])) {
    if constexpr (scalings == 1) s = {q[7], q[7], q[7]};
    if constexpr (scalings == 3) s = vec(&q[7]);
  }
};
template <int scalings>
struct Rates {
  Vec3<double> w, p, s{0, 0, 0};
  explicit Rates(Span v) : w(vec(&v[0])), p(vec(&v[3])) {
    if constexpr (scalings == 1) s = {v[6], v[6], v[6]};
    if constexpr (scalings == 3) s = vec(&v[6]);
  }
};

// The second moments as a full matrix, for sums over both indices.
struct Full3 {
  double at[3][3];
  explicit Full3(const Sym3<double>& S) : at{{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}} {}
};
// diag(a) P diag(a)
Sym3<double> scaled(const Sym3<double>& P, const Vec3<double>& a) {
  return {a.x * a.x * P.xx, a.y * a.y * P.yy, a.z * a.z * P.zz, a.x * a.y * P.xy, a.x * a.z * P.xz, a.y * a.z * P.yz};
}
// tr(P) 1 - P: moments of inertia from second moments. The same formula is its inverse up to a factor.
Sym3<double> inertia_of(const Sym3<double>& P) { return {P.yy + P.zz, P.xx + P.zz, P.xx + P.yy, -P.xy, -P.xz, -P.yz}; }
Sym3<double> second_moments_of(const Sym3<double>& I) {
  const double half = 0.5 * (I.xx + I.yy + I.zz);
  return {half - I.xx, half - I.yy, half - I.zz, -I.xy, -I.xz, -I.yz};
}

}  // namespace

template <int scalings>
ScaledRigidBody<scalings>::ScaledRigidBody(const RigidInertia<double>& inertia, double stiffness)
    : mass_(inertia.mass), h_(inertia.h), P_(second_moments_of(inertia.I)), stiffness_(stiffness) {
  check(mass_ > 0, "a body of mass ", mass_);
}

template <int scalings>
void ScaledRigidBody<scalings>::start(std::span<double> q) const {
  std::ranges::fill(q, 0.0);
  q[0] = 1;
  for (std::size_t k = 7; k < q.size(); ++k) q[k] = 1;
}

template <int scalings>
void ScaledRigidBody<scalings>::mass(Span q, std::span<double> M) const {
  constexpr std::size_t n = 6 + scalings;
  const Pose<scalings> pose(q);
  const Vec3<double> hu = times(pose.s, h_);
  std::ranges::fill(M, 0.0);
  const Full3 I(inertia_of(scaled(P_, pose.s)));
  // [hu]x R': row i of it is column i of -R [hu]x
  const Mat3<double> B = pose.R * cross_matrix(hu);
  const Vec3<double> columns[3] = {B.x, B.y, B.z};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) M[i * n + j] = I.at[i][j];
    M[(3 + i) * n + 3 + i] = mass_;
    const double row[3] = {-columns[i].x, -columns[i].y, -columns[i].z};
    for (std::size_t j = 0; j < 3; ++j) M[i * n + 3 + j] = M[(3 + j) * n + i] = row[j];
  }
  if constexpr (scalings == 1) {
    const Vec3<double> Rh = pose.R * h_;
    const double row[3] = {Rh.x, Rh.y, Rh.z};
    for (std::size_t j = 0; j < 3; ++j) M[6 * n + 3 + j] = M[(3 + j) * n + 6] = row[j];
    M[6 * n + 6] = P_.xx + P_.yy + P_.zz;
  }
  if constexpr (scalings == 3) {
    const Full3 P(P_);
    const double s[3] = {pose.s.x, pose.s.y, pose.s.z}, h[3] = {h_.x, h_.y, h_.z};
    const Vec3<double> axes[3] = {pose.R.x, pose.R.y, pose.R.z};
    for (std::size_t k = 0; k < 3; ++k) {  // scaling along axis k; i, j are the other two in cyclic order
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      // u x X_k e_k: s_j P_jk along i, -s_i P_ik along j
      M[(6 + k) * n + i] = M[i * n + 6 + k] = s[j] * P.at[j][k];
      M[(6 + k) * n + j] = M[j * n + 6 + k] = -s[i] * P.at[i][k];
      const Vec3<double> along = h[k] * axes[k];
      const double row[3] = {along.x, along.y, along.z};
      for (std::size_t l = 0; l < 3; ++l) M[(6 + k) * n + 3 + l] = M[(3 + l) * n + 6 + k] = row[l];
      M[(6 + k) * n + 6 + k] = P.at[k][k];
    }
  }
}

template <int scalings>
void ScaledRigidBody<scalings>::force(Span q, Span v, const Vec3<double>& gravity, std::span<double> F) const {
  const Pose<scalings> pose(q);
  const Rates<scalings> rates(v);
  const Vec3<double> w = rates.w, hu = times(pose.s, h_), hY = times(rates.s, h_);
  const Vec3<double> g = transpose_times(pose.R, gravity);
  const Sym3<double> I = inertia_of(scaled(P_, pose.s));
  const Vec3<double> linear = cross(w, cross(w, hu)) + 2.0 * cross(w, hY);
  // integral of u x (w x (w x u)) = w x I w, and of u x (w x Y) = w (u . Y) - Y (u . w)
  Vec3<double> angular = cross(w, I * w);
  if constexpr (scalings > 0) {
    const double uY = pose.s.x * rates.s.x * P_.xx + pose.s.y * rates.s.y * P_.yy + pose.s.z * rates.s.z * P_.zz;
    angular += 2.0 * (uY * w - times(rates.s, P_ * times(pose.s, w)));
  }
  put(cross(hu, g) - angular, &F[0]);
  put(mass_ * gravity - pose.R * linear, &F[3]);
  if constexpr (scalings > 0) {
    // integral of X_k (w x (w x u) + 2 w x Y)_k
    const Full3 P(P_);
    const double s[3] = {pose.s.x, pose.s.y, pose.s.z}, sd[3] = {rates.s.x, rates.s.y, rates.s.z};
    const double weight[3] = {h_.x * g.x, h_.y * g.y, h_.z * g.z};
    double sum[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3<double> column{P.at[0][k], P.at[1][k], P.at[2][k]};
      const Vec3<double> a =
          cross(w, cross(w, times({s[0], s[1], s[2]}, column))) + 2.0 * cross(w, times({sd[0], sd[1], sd[2]}, column));
      const double part[3] = {a.x, a.y, a.z};
      sum[k] = weight[k] - part[k];
    }
    if constexpr (scalings == 1) F[6] = sum[0] + sum[1] + sum[2] - stiffness_ * (s[0] - 1);
    if constexpr (scalings == 3)
      for (std::size_t k = 0; k < 3; ++k) F[6 + k] = sum[k] - stiffness_ * (s[k] - 1);
  }
}

template <int scalings>
double ScaledRigidBody<scalings>::potential_energy(Span q, const Vec3<double>& gravity) const {
  const Pose<scalings> pose(q);
  double energy = -dot(gravity, mass_ * pose.p + pose.R * times(pose.s, h_));
  for (std::size_t k = 7; k < q.size(); ++k) energy += 0.5 * stiffness_ * (q[k] - 1) * (q[k] - 1);
  return energy;
}

template <int scalings>
void ScaledRigidBody<scalings>::rate(Span q, Span v, std::span<double> qdot) const {
  const Quaternion<double> d = Quaternion<double>{q[0], q[1], q[2], q[3]} * Quaternion<double>{0, v[0], v[1], v[2]};
  qdot[0] = 0.5 * d.w;
  qdot[1] = 0.5 * d.x;
  qdot[2] = 0.5 * d.y;
  qdot[3] = 0.5 * d.z;
  std::copy(v.begin() + 3, v.end(), qdot.begin() + 4);
}

template <int scalings>
void ScaledRigidBody<scalings>::settle(std::span<double> q) const {
  const Quaternion<double> r = normalized(Quaternion<double>{q[0], q[1], q[2], q[3]});
  q[0] = r.w;
  q[1] = r.x;
  q[2] = r.y;
  q[3] = r.z;
}

template <int scalings>
void ScaledRigidBody<scalings>::advance(std::span<double> q, Span v, double dt) const {
  const Quaternion<double> r = Quaternion<double>{q[0], q[1], q[2], q[3]} * exp_rotation(dt * vec(&v[0]));
  q[0] = r.w;
  q[1] = r.x;
  q[2] = r.y;
  q[3] = r.z;
  for (std::size_t k = 4; k < q.size(); ++k) q[k] += dt * v[k - 1];
  settle(q);
}

template <int scalings>
void ScaledRigidBody<scalings>::point(Span q, Span v, const Vec3<double>& X, PointMotion& out) const {
  constexpr std::size_t n = 6 + scalings;
  const Pose<scalings> pose(q);
  const Rates<scalings> rates(v);
  const Vec3<double> u = times(pose.s, X), Y = times(rates.s, X), w_u = cross(rates.w, u);
  out.at = pose.p + pose.R * u;
  out.rate = rates.p + pose.R * (w_u + Y);
  out.bias = pose.R * (cross(rates.w, w_u) + 2.0 * cross(rates.w, Y));
  put_columns(pose.R * cross_matrix(-u), out.J, n, 0);
  for (std::size_t i = 0; i < 3; ++i) out.J[i * n + 3 + i] = 1;
  if constexpr (scalings == 1) {
    const Vec3<double> along = pose.R * X;
    out.J[6] = along.x;
    out.J[n + 6] = along.y;
    out.J[2 * n + 6] = along.z;
  }
  if constexpr (scalings == 3) put_columns({X.x * pose.R.x, X.y * pose.R.y, X.z * pose.R.z}, out.J, n, 6);
}

template <int scalings>
void ScaledRigidBody<scalings>::spin(Span q, Span v, SpinMotion& out) const {
  out.R = Pose<scalings>(q).R;
  out.rate = out.R * vec(&v[0]);
  out.bias = {0, 0, 0};  // d/dt (R w) = R wdot
  put_columns(out.R, out.J, 6 + scalings, 0);
}

template class ScaledRigidBody<0>;
template class ScaledRigidBody<1>;
template class ScaledRigidBody<3>;

PlaneBody::PlaneBody(double mass, double moment, double centre_x, double centre_y)
    : mass_(mass),
      moment_(moment + mass * (centre_x * centre_x + centre_y * centre_y)),
      centre_{centre_x, centre_y, 0} {
  check(mass > 0 && moment > 0, "a body of mass ", mass, " and moment ", moment);
}

namespace {
Vec3<double> turned(double angle, const Vec3<double>& X) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * X.x - s * X.y, s * X.x + c * X.y, X.z};
}
}  // namespace

void PlaneBody::mass(Span q, std::span<double> M) const {
  const Vec3<double> h = mass_ * turned(q[0], centre_);
  const double numbers[9] = {moment_, -h.y, h.x, -h.y, mass_, 0, h.x, 0, mass_};
  std::ranges::copy(numbers, M.begin());
}
void PlaneBody::force(Span q, Span v, const Vec3<double>& gravity, std::span<double> F) const {
  const Vec3<double> h = mass_ * turned(q[0], centre_);
  F[0] = h.x * gravity.y - h.y * gravity.x;
  F[1] = mass_ * gravity.x + v[0] * v[0] * h.x;
  F[2] = mass_ * gravity.y + v[0] * v[0] * h.y;
}
double PlaneBody::potential_energy(Span q, const Vec3<double>& gravity) const {
  const Vec3<double> x = Vec3<double>{q[1], q[2], 0} + turned(q[0], centre_);
  return -mass_ * (x.x * gravity.x + x.y * gravity.y);
}
void PlaneBody::point(Span q, Span v, const Vec3<double>& X, PointMotion& out) const {
  const Vec3<double> u = turned(q[0], X);
  out.at = {q[1] + u.x, q[2] + u.y, u.z};
  out.rate = {v[1] - v[0] * u.y, v[2] + v[0] * u.x, 0};
  out.bias = {-v[0] * v[0] * u.x, -v[0] * v[0] * u.y, 0};
  out.J[0] = -u.y;
  out.J[1] = 1;
  out.J[3] = u.x;
  out.J[5] = 1;
}
void PlaneBody::spin(Span q, Span v, SpinMotion& out) const {
  const double c = std::cos(q[0]), s = std::sin(q[0]);
  out.R = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
  out.rate = {0, 0, v[0]};
  out.J[6] = 1;
}

Particle::Particle(double mass, int dimension) : mass_(mass), dimension_(dimension) {
  check(mass > 0, "a particle of mass ", mass);
  check(dimension == 2 || dimension == 3, "a particle of dimension ", dimension, "; 2 and 3 are known");
}
void Particle::mass(Span, std::span<double> M) const {
  std::ranges::fill(M, 0.0);
  for (std::size_t i = 0; i < std::size_t(dimension_); ++i) M[i * std::size_t(dimension_ + 1)] = mass_;
}
void Particle::force(Span, Span, const Vec3<double>& gravity, std::span<double> F) const {
  const double g[3] = {gravity.x, gravity.y, gravity.z};
  for (std::size_t i = 0; i < F.size(); ++i) F[i] = mass_ * g[i];
}
double Particle::potential_energy(Span q, const Vec3<double>& gravity) const {
  return -mass_ * (q[0] * gravity.x + q[1] * gravity.y + (dimension_ == 3 ? q[2] * gravity.z : 0.0));
}
void Particle::point(Span q, Span v, const Vec3<double>& X, PointMotion& out) const {
  const bool space = dimension_ == 3;
  out.at = X + Vec3<double>{q[0], q[1], space ? q[2] : 0};
  out.rate = {v[0], v[1], space ? v[2] : 0};
  for (std::size_t i = 0; i < std::size_t(dimension_); ++i) out.J[i * std::size_t(dimension_ + 1)] = 1;
}

}  // namespace linchpin
