#include "linchpin/spatial/quaternion.h"

namespace linchpin {

// The largest of the four components is computed from the diagonal, the others from sums and differences of
// off-diagonal entries [Shepperd 1978]. This avoids the square root of a small difference.
Quaternion<double> from_rotation(const Mat3<double>& R) {
  const double trace = R.x.x + R.y.y + R.z.z;
  Quaternion<double> q;
  if (trace >= R.x.x && trace >= R.y.y && trace >= R.z.z)
    q = {1 + trace, R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
  else if (R.x.x >= R.y.y && R.x.x >= R.z.z)
    q = {R.y.z - R.z.y, 1 + R.x.x - R.y.y - R.z.z, R.x.y + R.y.x, R.x.z + R.z.x};
  else if (R.y.y >= R.z.z)
    q = {R.z.x - R.x.z, R.x.y + R.y.x, 1 + R.y.y - R.x.x - R.z.z, R.y.z + R.z.y};
  else
    q = {R.x.y - R.y.x, R.x.z + R.z.x, R.y.z + R.z.y, 1 + R.z.z - R.x.x - R.y.y};
  q = normalized(q);
  return q.w < 0 ? Quaternion<double>{-q.w, -q.x, -q.y, -q.z} : q;
}

Vec3<double> log_rotation(const Quaternion<double>& q) {
  const double sign = q.w < 0 ? -1 : 1;
  const Vec3<double> u{sign * q.x, sign * q.y, sign * q.z};
  const double s = norm(u), c = sign * q.w;
  const double scale = s < 1e-10 ? 2 / c : 2 * std::atan2(s, c) / s;
  return scale * u;
}

}  // namespace linchpin
