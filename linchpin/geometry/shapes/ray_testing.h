// For tests: a ray at a random shape, judged by testing.h's membership, which shares no code with ray.cc.
#pragma once

#include "linchpin/geometry/shapes/ray.h"
#include "linchpin/geometry/shapes/shapes_testing.h"
#include "linchpin/geometry/shapes/testing.h"

namespace linchpin {

// Whether the ray hits. Expects that the hit is on the surface, its normal is unit and supports the shape there, that
// no point before it is inside, nor any point at all without a hit; and the same of the scene moved as a whole.
inline bool random_cast_is_right(RandomSpatial& random, int kind) {
  using geometry_testing::outside;
  using geometry_testing::support_value;
  const Shape shape = random_shape(random, kind, 1e-2, 10);
  const double size = geometry_testing::extent(shape);
  const Transform<double> X = random.pose(5);
  // towards somewhere about the shape, from outside of it
  const Vec3<double> aim = X * random.vector(size);
  const Vec3<double> direction = random.magnitude(0.1, 10) * random.direction();
  const double back = 4 * size / norm(direction);
  const Ray ray{aim - back * direction, direction};
  const auto local = [&](double t) { return transpose_times(X.R, fma(t, direction, ray.origin) - X.p); };
  const std::optional<RayHit> hit = cast(ray, shape, X);
  // Roundings of the positions, and of the shape's own lengths, the larger of which may be 1000 times the smaller.
  const double slack = 1e-14 * (norm(X.p) + 10 * size);

  const double last = hit ? hit->t : 2 * back;
  for (int k = 0; k < 64; ++k) {
    const double t = last * (k + 0.5) / 64;
    const double inside = -10 * slack;
    // inside by more than the slack: a ball of that radius about the point is in the shape
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
  // No point of a convex shape lies beyond the plane through a point of its surface across the outward normal. Where a
  // surface is curved by 1/r, the normal turns by slack/r, which moves that plane by size slack/r; r >= 1e-2 radii
  // ratios enter through the ellipsoid's (a/b)^2.
  const double tilt = kind == 4 || kind == 5 ? 1e-9 : 1e-11;
  EXPECT_LE(support_value(shape, X, hit->normal) - dot(hit->normal, point), tilt * size) << "kind " << kind;

  const Transform<double> Y = random.pose(3);
  const auto moved = cast({Y * ray.origin, Y.R * direction}, shape, Y * X);
  // A ray that grazes may just miss from elsewhere; others are hit at a depth where slack is little.
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
