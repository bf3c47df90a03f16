#include "linchpin/geometry/convex/core.h"

#include <algorithm>

#include "linchpin/base/check.h"

namespace linchpin {

namespace {

constexpr Vec3<double> origin{0, 0, 0};

Core core_of(const Sphere& s) { return {Core::Kind::point, s.radius, origin, origin, 0, nullptr, nullptr}; }
Core core_of(const Capsule& s) {
  return {Core::Kind::segment, s.radius, {0, 0, s.half_length}, origin, s.half_length, nullptr, nullptr};
}
Core core_of(const Box& s) { return {Core::Kind::box, 0, s.half, origin, norm(s.half), nullptr, nullptr}; }
Core core_of(const Cylinder& s) {
  const Vec3<double> size{s.radius, s.radius, s.half_length};
  return {Core::Kind::cylinder, 0, size, origin, std::hypot(s.radius, s.half_length), nullptr, nullptr};
}
Core core_of(const Ellipsoid& s) {
  const double extent = std::max({s.radii.x, s.radii.y, s.radii.z});
  return {Core::Kind::ellipsoid, 0, s.radii, origin, extent, nullptr, nullptr};
}
Core core_of(const Cone& s) {
  const Vec3<double> size{s.radius, s.radius, s.half_length};
  return {Core::Kind::cone, 0, size, origin, std::hypot(s.radius, s.half_length), nullptr, nullptr};
}
Core core_of(const ConvexHull& s) {
  const Hull& h = *s.hull;
  return {Core::Kind::hull, 0, origin, h.centre, norm(h.centre) + h.radius, &h, nullptr};
}
template <class Other>
Core core_of(const Other&) {
  fail_check("convex pairs take spheres, capsules, boxes, cylinders, ellipsoids, cones and hulls only");
}

}  // namespace

Core core_of(const Shape& shape) {
  return std::visit([](const auto& s) { return core_of(s); }, shape);
}

Core core_of_triangle(const Vec3<double> corners[3]) {
  const Vec3<double> centre = (1.0 / 3) * (corners[0] + corners[1] + corners[2]);
  const double extent = norm(corners[0]) + norm(corners[1]) + norm(corners[2]);  // NaN if any coordinate is
  return {Core::Kind::triangle, 0, origin, centre, extent, nullptr, corners};
}

PieceAlong along(const Core& c, int piece, const Vec3<double>& d) {
  const auto rim = [&](double z) -> PieceAlong {
    const double across = std::sqrt(fma(d.y, d.y, d.x * d.x));
    if (!(across > 0)) return {rim_point(c.size.x, z, d), Sym3<double>::zero()};
    const double tx = -d.y / across, ty = d.x / across, k = c.size.x / across;
    return {rim_point(c.size.x, z, d), {k * tx * tx, k * ty * ty, 0, k * tx * ty, 0, 0}};  // (4)
  };
  switch (c.kind) {
    case Core::Kind::segment:
      return {{0, 0, piece ? c.size.z : -c.size.z}, Sym3<double>::zero()};
    case Core::Kind::box:
      return {box_vertex(c.size, piece), Sym3<double>::zero()};
    case Core::Kind::cylinder:
      return rim(piece == upper_rim ? c.size.z : -c.size.z);
    case Core::Kind::cone:
      return piece == apex ? PieceAlong{{0, 0, c.size.z}, Sym3<double>::zero()} : rim(-c.size.z);
    case Core::Kind::ellipsoid: {
      const Vec3<double>& D = c.size;
      const Vec3<double> x = ellipsoid_point(D, d);
      const double k = 1 / dot(x, d);
      return {x,
              {k * (D.x * D.x - x.x * x.x), k * (D.y * D.y - x.y * x.y), k * (D.z * D.z - x.z * x.z), -k * x.x * x.y,
               -k * x.x * x.z, -k * x.y * x.z}};  // (4)
    }
    case Core::Kind::triangle:
      return {c.corners[piece], Sym3<double>::zero()};
    case Core::Kind::hull:
      return {c.hull->vertices[piece], Sym3<double>::zero()};
    default:
      return {Vec3<double>::zero(), Sym3<double>::zero()};
  }
}

}  // namespace linchpin
