#include "linchpin/geometry/convex_pair.h"

#include <gtest/gtest.h>

#include "linchpin/geometry/testing.h"

namespace linchpin {
namespace {
using namespace geometry_testing;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::shared_ptr<const Hull> random_hull(RandomSpatial& random, int points, double size) {
  std::vector<Vec3<double>> p;
  for (int i = 0; i < points; ++i) p.push_back(size * random.direction());
  return std::make_shared<Hull>(convex_hull(p).value());
}
Shape random_shape(RandomSpatial& random, int kind) {
  const auto size = [&] { return random.magnitude(0.1, 1); };
  switch (kind) {
    case 0: return Sphere{size()};
    case 1: return Capsule{size(), size()};
    case 2: return Box{{size(), size(), size()}};
    case 3: return Cylinder{size(), size()};
    case 4: return Ellipsoid{{size(), size(), size()}};
    case 5: return Cone{size(), size()};
    default: return ConvexHull{random_hull(random, 20, size())};
  }
}
const char* const names[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "cone", "hull"};

TEST(ConvexPair, Random) {
  RandomSpatial random(1);
  const int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 200;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      int failures = 0;
      std::string first;
      for (int round = 0; round < rounds; ++round) {
        const Shape a = random_shape(random, i), b = random_shape(random, j);
        const Pose X_WB = random.pose();
        Pose X_WA = random.pose();
        const double gap = random.unit() < 0.5 ? random.even(0.1) : random.unit() < 0.5 ? random.even(1e-3) : random.magnitude(1e-12, 1) * (random.unit() < 0.5 ? 1 : -1);
        Manifold m;
        if (random.unit() < 0.8)
          X_WA = moved_to_gap(X_WA, X_WB, gap, [&](const Pose& X) {
            Manifold t;
            convex_pair(a, X, b, X_WB, infinity, t);
            return t.distance;
          });
        if (!convex_pair(a, X_WA, b, X_WB, infinity, m)) { ++failures; continue; }
        const auto r = sound(a, X_WA, b, X_WB, infinity, m);
        if (!r) {
          if (failures++ == 0) first = std::to_string(round) + " d=" + std::to_string(m.distance) + ": " + r.message();
        }
      }
      if (failures) ADD_FAILURE() << names[i] << " " << names[j] << ": " << failures << " of " << rounds << "; " << first;
    }
}

}  // namespace
}  // namespace linchpin
