#include "linchpin/model/link_frames.h"

#include <cmath>

namespace linchpin {

std::optional<CommonNormal> common_normal(const Transform<double>& X) {
  const Mat3<double>& R = X.R;
  const Vec3<double>& p = X.p;
  CommonNormal n{};
  const double sine = std::hypot(R.z.x, R.z.y);
  n.alpha = std::atan2(sine, R.z.z);
  // If the axes are parallel to rounding, any common normal will do: take the one through our origin. The error of that
  // stays below the error that a distant foot of the normal may cause. (At 4e-16 a twelfth of the joints of a planar
  // chain with randomly turned body frames fell out of their run.)
  constexpr double parallel = 1e-15;
  n.phi = sine > parallel ? std::atan2(R.z.x, -R.z.y) : std::atan2(p.y, p.x);
  if (sine <= parallel) n.alpha = R.z.z > 0 ? 0 : std::acos(-1.0);
  const double c = std::cos(n.phi), s = std::sin(n.phi);
  // Rz(-phi) R = Rx(alpha) Rz(theta), whose first row is (cos theta, -sin theta, 0)
  n.theta = std::atan2(-(c * R.y.x + s * R.y.y), c * R.x.x + s * R.x.y);
  // Rz(-phi) p = (a, -d sin alpha, t + d cos alpha)
  const double px = c * p.x + s * p.y, py = c * p.y - s * p.x;
  n.a = px;
  if (sine > parallel) {
    n.d = -py / sine;
    n.t = p.z - n.d * R.z.z;
  } else {
    n.d = R.z.z > 0 ? p.z : -p.z;
    n.t = 0;
  }
  // If a foot of the common normal is farther away, each number computed there loses three bits or more.
  const double far = 8 * norm(p);
  if (std::abs(n.d) > far || std::abs(n.t) > far) return std::nullopt;
  return n;
}

Transform<double> screw_z(double angle, double distance) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0, 0, distance}};
}

Transform<double> screw_x(double angle, double distance) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{1, 0, 0}, {0, c, s}, {0, -s, c}}, {distance, 0, 0}};
}

}  // namespace linchpin
