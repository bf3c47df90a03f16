#include "linchpin/geometry/shapes/bounds.h"

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {
namespace {

using Pose = Transform<double>;

// reach() of each row of R: the result for each of the world's axes.
template <class Reach>
Vec3<double> along_axes(const Mat3<double>& R, const Reach& reach) {
  return {reach(R.x.x, R.y.x, R.z.x), reach(R.x.y, R.y.y, R.z.y), reach(R.x.z, R.y.z, R.z.z)};
}

Vec3<double> box_reach(const Mat3<double>& R, const Vec3<double>& half) {
  return along_axes(R, [&](double x, double y, double z) {
    return half.x * std::abs(x) + half.y * std::abs(y) + half.z * std::abs(z);  // (4)
  });
}

struct Bounds {
  const Pose& X;

  Aabb operator()(const Sphere& s) const { return Aabb::about(X.p, {s.radius, s.radius, s.radius}); }  // (2)
  Aabb operator()(const Capsule& c) const {
    return Aabb::about(X.p, along_axes(X.R, [&](double, double, double z) {
                         return c.half_length * std::abs(z) + c.radius;  // (3)
                       }));
  }
  Aabb operator()(const Box& b) const { return Aabb::about(X.p, box_reach(X.R, b.half)); }
  Aabb operator()(const Cylinder& c) const {
    return Aabb::about(X.p, along_axes(X.R, [&](double x, double y, double z) {
                         return c.half_length * std::abs(z) + c.radius * std::sqrt(x * x + y * y);  // (5)
                       }));
  }
  Aabb operator()(const Ellipsoid& e) const {
    return Aabb::about(X.p, along_axes(X.R, [&](double x, double y, double z) {
                         return norm({e.radii.x * x, e.radii.y * y, e.radii.z * z});  // (6)
                       }));
  }
  Aabb operator()(const Cone& c) const {
    const auto reach = [&](double x, double y, double z) {
      return std::max(c.half_length * z, c.radius * std::sqrt(x * x + y * y) - c.half_length * z);  // (7)
    };
    const auto back = [&](double x, double y, double z) { return reach(-x, -y, -z); };
    return {X.p - along_axes(X.R, back), X.p + along_axes(X.R, reach)};
  }
  // All x with n.x <= n.p. There is a bound only if the normal is exactly along an axis.
  Aabb operator()(const HalfSpace&) const {
    const Vec3<double>& n = X.R.z;
    if (std::isnan(dot(n, X.p))) return Aabb::none();  // an invalid pose overlaps nothing
    Aabb box = Aabb::everything();
    const auto limit = [](double n_e, double n_f, double n_g, double p, double& lower, double& upper) {
      if (n_f == 0 && n_g == 0) (n_e > 0 ? upper : lower) = p;
    };
    limit(n.x, n.y, n.z, X.p.x, box.lower.x, box.upper.x);
    limit(n.y, n.z, n.x, X.p.y, box.lower.y, box.upper.y);
    limit(n.z, n.x, n.y, X.p.z, box.lower.z, box.upper.z);
    return box;
  }
  Aabb operator()(const ConvexHull& h) const {
    Aabb box = Aabb::none();
    for (const Vec3<double>& v : h.hull->vertices) box = merge(box, X.R * v);  // (8)
    return {X.p + box.lower, X.p + box.upper};
  }
  Aabb operator()(const Mesh& m) const { return turned(m.mesh->box, X); }
  Aabb operator()(const HeightField& f) const { return turned(f.grid->box, X); }
  Aabb operator()(const Compound& c) const {
    Aabb box = Aabb::none();
    for (const PlacedShape& part : *c.parts) box = merge(box, bounds(part.shape, X * part.X_SP));
    return box;
  }
};

}  // namespace

Aabb turned(const Aabb& box, const Pose& X_WS) {
  return Aabb::about(X_WS * centre(box), box_reach(X_WS.R, 0.5 * box.upper - 0.5 * box.lower));
}

Aabb bounds(const Shape& shape, const Pose& X_WS) { return std::visit(Bounds{X_WS}, shape); }

}  // namespace linchpin
