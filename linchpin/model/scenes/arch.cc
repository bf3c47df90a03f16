// A round arch without mortar: wedges in a half circle on the floor, held by their neighbours' faces and friction.
//
// It stands while a line of thrust lies within its thickness, from 0.1075 of the mean radius on (Milankovitch 1907),
// and while friction prevents sliding at all joints and at the floor: mu of about 0.3 or more.
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/solid.h"
#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

// Mean radius 1 m. All stones are the same wedge; its frame is at its centre of mass, z along the radius outwards.
ModelSpec arch(int stones, double thickness, double mu) {
  constexpr double half_depth = 0.2, density = 100;
  const double part = std::numbers::pi / stones, inner = 1 - thickness / 2, outer = 1 + thickness / 2;
  const double s = std::sin(part / 2), c = std::cos(part / 2);
  std::vector<Vector> corners;
  for (const double r : {inner, outer})
    for (const double side : {-1.0, 1.0})
      for (const double y : {-half_depth, half_depth}) corners.push_back({side * r * s, y, r * c});
  const auto hull_of = [](const std::vector<Vector>& points) {
    Result<Hull> hull = convex_hull(points);
    check(hull.ok(), "arch: ", hull.ok() ? std::string() : hull.error().message);
    return std::make_shared<const Hull>(std::move(hull).value());
  };
  const Solid about_the_middle = solid(*hull_of(corners));
  const double radius = about_the_middle.centre.z;  // of the centres of mass
  for (Vector& corner : corners) corner.z -= radius;
  const Shape wedge = ConvexHull{hull_of(corners)};

  ModelSpec spec;
  add_floor(spec);
  for (int k = 1; k <= stones; ++k) {
    BodySpec stone{.name = "stone_" + std::to_string(k), .inertia = {}, .geometry = {}};
    add_solid(stone, wedge, density * about_the_middle.volume, Transform<double>::identity(), stone.name);
    const Mat3<double> R = rotation_y((k - 0.5) * part - std::numbers::pi / 2);  // the first stands at -x
    add_free(spec, std::move(stone), {Mat3<double>::identity(), radius * R.z}, R);
  }
  make_all_of(spec, surface(mu));
  return spec;
}

}  // namespace linchpin::scenes
