// For tests: a ray cast at a random shape, checked by the point tests of testing.h, which share no code with ray.cc.
#pragma once

#include "linchpin/geometry/shapes/ray.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin {

// Returns whether the ray hits. Expects that the hit is on the surface, that its normal is a unit vector and supports
// the shape there, and that no earlier point of the ray (without a hit, no point at all) is inside. Expects the same
// hit after all has been moved by a rigid motion.
inline bool random_cast_is_right(RandomSpatial& random, int kind) {
  using geometry_testing::outside;
  using geometry_testing::support_value;
  const Shape shape = random_shape(random, kind, 1e-2, 10);
  const double size = geometry_testing::extent(shape);
  const Transform<double> X = random.pose(5);
  // From outside of the shape towards a random point near it.
  const Vec3<double> aim = X * random.vector(size);
  const Vec3<double> direction = random.magnitude(0.1, 10) * random.direction();
  const double back = 4 * size / norm(direction);
  const Ray ray{aim - back * direction, direction};
  const auto local = [&](double t) { return transpose_times(X.R, fma(t, direction, ray.origin) - X.p); };
  const std::optional<RayHit> hit = cast(ray, shape, X);
  // Rounding of the positions and of the shape's lengths, which may differ by a factor of 1000.
  const double slack = 1e-14 * (norm(X.p) + 10 * size);

  const double last = hit ? hit->t : 2 * back;
  for (int k = 0; k < 64; ++k) {
    const double t = last * (k + 0.5) / 64;
    const double inside = -10 * slack;
    // Deep: a ball about the point with a radius of 10 times the slack is inside the shape.
    const Vec3<double> p = local(t);
    if (outside(shape, p) > 0) continue;
    bool deep = true;
    for (const Vec3<double>& e : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}})
      deep = deep && outside(shape, p + inside * e) <= 0 && outside(shape, p - inside * e) <= 0;
    EXPECT_FALSE(deep) << "kind " << kind << ": inside at " << t << ", hit at " << last;
  }
  if (!hit) return false;
  const Vec3<double> point = fma(hit->t, direction, ray.origin);
  EXPECT_NEAR(norm(hit->normal), 1, 1e-14);
  EXPECT_LE(outside(shape, local(hit->t)), slack) << "kind " << kind;
  EXPECT_LE(dot(hit->normal, direction), 1e-14 * norm(direction)) << "kind " << kind;  // from outside inwards
  // No point of a convex shape lies beyond its tangent plane. At a curvature of 1/r an error of slack in the point
  // rotates the normal by slack/r, which moves the plane by size slack/r. For ellipsoids and cones the ratio of their
  // lengths enters too, squared.
  const double tilt = kind == 4 || kind == 5 ? 1e-9 : 1e-11;
  EXPECT_LE(support_value(shape, X, hit->normal) - dot(hit->normal, point), tilt * size) << "kind " << kind;

  const Transform<double> Y = random.pose(3);
  const auto moved = cast({Y * ray.origin, Y.R * direction}, shape, Y * X);
  // After the motion a grazing ray may miss because of rounding, so only steeper ones are compared.
  const double steep = -dot(hit->normal, direction) / norm(direction);
  if (steep > 1e-3) {
    EXPECT_TRUE(moved.has_value()) << "kind " << kind;
    if (moved) {
      EXPECT_NEAR(moved->t * norm(direction), hit->t * norm(direction), 10 * slack / steep + slack) << kind;
    }
  }
  return true;
}

}  // namespace linchpin
