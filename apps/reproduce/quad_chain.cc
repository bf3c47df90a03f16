#include "apps/reproduce/quad_chain.h"

#include <array>
#include <cfloat>
#include <cmath>

namespace linchpin {
namespace {

#if LDBL_MANT_DIG >= 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif

Quad square_root(Quad x) {
  Quad r = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 3; ++i) r = (r + x / r) / 2;
  return r;
}

// Taylor's series at x / 2^6, then six doublings of the angle, carrying 1 - cos to keep its digits.
void sine_cosine(Quad x, Quad& sine, Quad& cosine) {
  constexpr int halvings = 6;
  for (int i = 0; i < halvings; ++i) x /= 2;
  Quad s = 0, versine = 0, term = 1;  // term = x^k / k! with its sign
  for (int k = 1; k < 40; ++k) {
    term *= x / k;
    const bool odd = k % 2 == 1, negative = k % 4 == 2 || k % 4 == 3;
    if (odd)
      s += negative ? -term : term;
    else
      versine += negative ? term : -term;
  }
  for (int i = 0; i < halvings; ++i) {
    const Quad c = 1 - versine;
    versine = 2 * s * s;
    s = 2 * s * c;
  }
  sine = s;
  cosine = 1 - versine;
}

using Vector3 = std::array<Quad, 3>;
using Matrix3 = std::array<Vector3, 3>;  // rows
using Vector6 = std::array<Quad, 6>;     // angular over linear
using Matrix6 = std::array<Vector6, 6>;

Vector3 vector(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 operator*(const Matrix3& R, const Vector3& v) {
  Vector3 r{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i] += R[i][j] * v[j];
  return r;
}
Matrix3 operator*(const Matrix3& A, const Matrix3& B) {
  Matrix3 C{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) C[i][j] += A[i][k] * B[k][j];
  return C;
}
Matrix3 transpose(const Matrix3& A) {
  Matrix3 B{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) B[i][j] = A[j][i];
  return B;
}
template <std::size_t n>
Quad dot(const std::array<Quad, n>& a, const std::array<Quad, n>& b) {
  Quad sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
template <std::size_t n>
std::array<Quad, n> operator+(std::array<Quad, n> a, const std::array<Quad, n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
  return a;
}
template <std::size_t n>
std::array<Quad, n> operator*(Quad s, std::array<Quad, n> a) {
  for (Quad& x : a) x *= s;
  return a;
}
Vector6 operator*(const Matrix6& A, const Vector6& x) {
  Vector6 y{};
  for (int i = 0; i < 6; ++i) y[i] = dot(A[i], x);
  return y;
}
Vector6 six(const Vector3& angular, const Vector3& linear) {
  return {angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]};
}
Vector3 angular(const Vector6& v) { return {v[0], v[1], v[2]}; }
Vector3 linear(const Vector6& v) { return {v[3], v[4], v[5]}; }
// v x m for motions, and v x* f for forces.
Vector6 cross_motion(const Vector6& v, const Vector6& m) {
  return six(cross(angular(v), angular(m)), cross(linear(v), angular(m)) + cross(angular(v), linear(m)));
}
Vector6 cross_force(const Vector6& v, const Vector6& f) {
  return six(cross(angular(v), angular(f)) + cross(linear(v), linear(f)), cross(angular(v), linear(f)));
}

// The rotation of a matrix of doubles that is orthonormal up to rounding: through its quaternion, as in AugmentedTree.
Matrix3 rotation(const Mat3<double>& R) {
  const Quad m[3][3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
  Quad w = 0;
  Vector3 u{};
  const Quad trace = m[0][0] + m[1][1] + m[2][2];
  if (trace > 0) {
    const Quad t = square_root(trace + 1);
    w = t / 2;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (j + 1) % 3;
      u[i] = (m[k][j] - m[j][k]) / (2 * t);
    }
  } else {
    int i = m[1][1] > m[0][0] ? 1 : 0;
    if (m[2][2] > m[i][i]) i = 2;
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    const Quad t = square_root(m[i][i] - m[j][j] - m[k][k] + 1);
    u[i] = t / 2;
    w = (m[k][j] - m[j][k]) / (2 * t);
    u[j] = (m[j][i] + m[i][j]) / (2 * t);
    u[k] = (m[k][i] + m[i][k]) / (2 * t);
  }
  const Quad length = square_root(w * w + dot(u, u));
  w /= length;
  u = (1 / length) * u;
  return {{{1 - 2 * (u[1] * u[1] + u[2] * u[2]), 2 * (u[0] * u[1] - w * u[2]), 2 * (u[0] * u[2] + w * u[1])},
           {2 * (u[0] * u[1] + w * u[2]), 1 - 2 * (u[0] * u[0] + u[2] * u[2]), 2 * (u[1] * u[2] - w * u[0])},
           {2 * (u[0] * u[2] - w * u[1]), 2 * (u[1] * u[2] + w * u[0]), 1 - 2 * (u[0] * u[0] + u[1] * u[1])}}};
}

Matrix3 turn(const Vector3& u, Quad angle) {
  Quad s = 0, c = 0;
  sine_cosine(angle, s, c);
  Matrix3 R{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R[i][j] = (1 - c) * u[i] * u[j] + (i == j ? c : Quad(0));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    R[k][j] += s * u[i];
    R[j][k] -= s * u[i];
  }
  return R;
}

Matrix3 cross_matrix(const Vector3& v) {
  return {{{Quad(0), -v[2], v[1]}, {v[2], Quad(0), -v[0]}, {-v[1], v[0], Quad(0)}}};
}

// A body's inertia about the world's origin in the world's axes, from its own frame's pose.
Matrix6 world_inertia(const RigidInertia<double>& I, const Matrix3& R, const Vector3& p) {
  const Quad m = I.mass;
  const Vector3 h_B = R * vector(I.h);  // first moment about the body's origin
  const Matrix3 own{{{I.I.xx, I.I.xy, I.I.xz}, {I.I.xy, I.I.yy, I.I.yz}, {I.I.xz, I.I.yz, I.I.zz}}};
  Matrix3 J = R * own * transpose(R);
  const Vector3 h = h_B + m * p;
  const Quad d = 2 * dot(p, h_B) + m * dot(p, p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J[i][j] += (i == j ? d : Quad(0)) - p[i] * h_B[j] - h_B[i] * p[j] - m * p[i] * p[j];
  const Matrix3 H = cross_matrix(h);
  Matrix6 A{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      A[i][j] = J[i][j];
      A[i][j + 3] = H[i][j];
      A[i + 3][j] = -H[i][j];
      A[i + 3][j + 3] = i == j ? m : Quad(0);
    }
  return A;
}

struct QuadLink {
  Vector6 s{}, c{}, b{};
  Matrix6 I{};
};

std::vector<QuadLink> links_at(const Model& chain, std::span<const double> q, std::span<const double> v) {
  std::vector<QuadLink> links;
  Matrix3 R{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vector3 p{};
  Vector6 velocity{};
  for (std::size_t i = 0; i < chain.joints().size(); ++i) {
    const Joint& joint = chain.joints()[i];
    check(joint.type == JointType::revolute && joint.parent == static_cast<int>(i), "joint ", joint.name,
          " is not a revolute joint of a chain");
    p = p + R * vector(joint.spec.X_PF.p);
    R = R * rotation(joint.spec.X_PF.R);  // frame F
    const Vector3 axis = vector(joint.spec.axis);
    const Vector3 u = (1 / square_root(dot(axis, axis))) * axis;
    const Vector3 u_W = R * u;
    QuadLink link;
    link.s = six(u_W, cross(p, u_W));
    const Vector6 v_joint = Quad(v[i]) * link.s;
    velocity = velocity + v_joint;
    link.c = cross_motion(velocity, v_joint);                        // (1)
    R = R * turn(u, q[i]) * transpose(rotation(joint.spec.X_CM.R));  // the body's frame
    p = p + Quad(-1) * (R * vector(joint.spec.X_CM.p));
    link.I = world_inertia(chain.bodies()[joint.child].inertia, R, p);
    link.b = cross_force(velocity, link.I * velocity);  // (1)
    links.push_back(link);
  }
  return links;
}

Vector6 upward(const Model& chain) { return six(Vector3{}, Quad(-1) * vector(chain.gravity())); }

std::vector<Quad> by_articulated(const std::vector<QuadLink>& links, const Vector6& base) {
  const std::size_t n = links.size();
  Matrix6 IA{};
  Vector6 p{};
  std::vector<Vector6> U(n);
  std::vector<Quad> D(n), u(n), vdot(n);
  for (std::size_t i = n; i-- > 0;) {  // (2)
    for (int r = 0; r < 6; ++r) IA[r] = IA[r] + links[i].I[r];
    p = p + links[i].b;
    U[i] = IA * links[i].s;
    D[i] = dot(links[i].s, U[i]);
    u[i] = -dot(links[i].s, p);
    for (int r = 0; r < 6; ++r) IA[r] = IA[r] + (-U[i][r] / D[i]) * U[i];
    p = p + IA * links[i].c + (u[i] / D[i]) * U[i];
  }
  Vector6 a = base;
  for (std::size_t i = 0; i < n; ++i) {
    a = a + links[i].c;
    vdot[i] = (u[i] - dot(U[i], a)) / D[i];
    a = a + vdot[i] * links[i].s;
  }
  return vdot;
}

std::vector<Quad> by_composite(const std::vector<QuadLink>& links, const Vector6& base) {
  const std::size_t n = links.size();
  std::vector<Vector6> a(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = (i ? a[i - 1] : base) + links[i].c;
  std::vector<std::vector<Quad>> M(n, std::vector<Quad>(n));
  std::vector<Quad> x(n);
  Matrix6 composite{};
  Vector6 force{};
  for (std::size_t i = n; i-- > 0;) {  // (3)
    for (int r = 0; r < 6; ++r) composite[r] = composite[r] + links[i].I[r];
    force = force + links[i].I * a[i] + links[i].b;
    x[i] = -dot(links[i].s, force);
    const Vector6 F = composite * links[i].s;
    for (std::size_t j = 0; j <= i; ++j) M[i][j] = dot(links[j].s, F);
  }
  for (std::size_t i = 0; i < n; ++i) {  // M = L L', forward substitution on the way
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) M[i][j] -= M[i][k] * M[j][k];
      M[i][j] = i == j ? square_root(M[i][j]) : M[i][j] / M[j][j];
    }
    for (std::size_t k = 0; k < i; ++k) x[i] -= M[i][k] * x[k];
    x[i] /= M[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= M[k][i] * x[k];
    x[i] /= M[i][i];
  }
  return x;
}

}  // namespace

std::vector<long double> quad_chain_dynamics(const Model& chain, std::span<const double> q, std::span<const double> v,
                                             QuadMethod method) {
  const std::vector<QuadLink> links = links_at(chain, q, v);
  const std::vector<Quad> x =
      method == QuadMethod::articulated ? by_articulated(links, upward(chain)) : by_composite(links, upward(chain));
  std::vector<long double> out;
  for (const Quad number : x) out.push_back(static_cast<long double>(number));
  return out;
}

}  // namespace linchpin
