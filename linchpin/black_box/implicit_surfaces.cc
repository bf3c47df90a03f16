#include "linchpin/black_box/implicit_surfaces.h"

#include <cmath>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {
Sym3<double> square(const Vec3<double>& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}
}  // namespace

EllipsoidSurface::EllipsoidSurface(const Vec3<double>& radii, const Vec3<double>& centre) : centre_(centre) {
  check(radii.x > 0 && radii.y > 0 && radii.z > 0, "an ellipsoid of radii ", radii.x, ", ", radii.y, ", ", radii.z);
  per_square_ = {1 / (radii.x * radii.x), 1 / (radii.y * radii.y), 1 / (radii.z * radii.z)};
  size_ = std::cbrt(radii.x * radii.y * radii.z);
}
SurfaceValue EllipsoidSurface::at(const Vec3<double>& X) const {
  const Vec3<double> d = X - centre_;
  const Vec3<double> a{per_square_.x * d.x, per_square_.y * d.y, per_square_.z * d.z};
  const double rho = std::sqrt(dot(a, d));
  SurfaceValue value;
  value.f = size_ * (rho - 1);
  value.gradient = (size_ / rho) * a;
  value.hessian = (size_ / rho) *
                  (Sym3<double>::diagonal(per_square_.x, per_square_.y, per_square_.z) - (1 / (rho * rho)) * square(a));
  return value;
}

PlaneSurface::PlaneSurface(const Vec3<double>& point, const Vec3<double>& normal) : point_(point), normal_(normal) {
  check(norm(normal) > 0, "a plane without a normal");
  normal_ = (1 / norm(normal)) * normal;
}
SurfaceValue PlaneSurface::at(const Vec3<double>& X) const {
  return {dot(normal_, X - point_), normal_, Sym3<double>::zero()};
}

TorusSurface::TorusSurface(double ring, double tube) : ring_(ring), tube_(tube) {
  check(ring > 0 && tube > 0, "a torus of radii ", ring, " and ", tube);
}
SurfaceValue TorusSurface::at(const Vec3<double>& X) const {
  const double r = std::hypot(X.x, X.y);
  const Vec3<double> out{X.x / r, X.y / r, 0}, round{-out.y, out.x, 0};  // outward in the plane, and along the ring
  const double a = r - ring_, distance = std::hypot(a, X.z);
  const Vec3<double> n = (1 / distance) * (a * out + Vec3<double>{0, 0, X.z});
  // in the meridian plane the curvature of a circle; along the ring the slope in r divided by r
  const Sym3<double> meridian = square(out) + Sym3<double>::diagonal(0, 0, 1) - square(n);
  return {distance - tube_, n, (1 / distance) * meridian + (a / (distance * r)) * square(round)};
}

}  // namespace linchpin
