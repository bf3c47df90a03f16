// For tests: random shapes of every bounded convex kind, and hulls with hand-written faces.
#pragma once

#include <memory>
#include <vector>

#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/shape.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {

// A hull of these vertices and faces (counterclockwise seen from outside). Edges are left empty: bounds and ray casts
// do not use them.
inline std::shared_ptr<const Hull> hull_of(const std::vector<Vec3<double>>& vertices,
                                           const std::vector<std::vector<int>>& faces, bool flat = false) {
  Hull hull{};
  hull.vertices = vertices;
  hull.flat = flat;
  for (const std::vector<int>& face : faces) {
    const auto corner = [&](std::size_t k) { return vertices[face[k]]; };
    const Vec3<double> n = cross(corner(1) - corner(0), corner(2) - corner(1)), unit = (1 / norm(n)) * n;
    hull.faces.push_back({unit, dot(unit, corner(0)), int(hull.corners.size()), int(face.size())});
    hull.corners.insert(hull.corners.end(), face.begin(), face.end());
  }
  return std::make_shared<const Hull>(std::move(hull));
}
inline std::shared_ptr<const Hull> octahedron(const Vec3<double>& s) {
  return hull_of({{s.x, 0, 0}, {-s.x, 0, 0}, {0, s.y, 0}, {0, -s.y, 0}, {0, 0, s.z}, {0, 0, -s.z}},
                 {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
}
inline std::shared_ptr<const Hull> box_hull(const Vec3<double>& s) {
  return hull_of({{-s.x, -s.y, -s.z},
                  {s.x, -s.y, -s.z},
                  {-s.x, s.y, -s.z},
                  {s.x, s.y, -s.z},
                  {-s.x, -s.y, s.z},
                  {s.x, -s.y, s.z},
                  {-s.x, s.y, s.z},
                  {s.x, s.y, s.z}},
                 {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}});
}
inline std::shared_ptr<const Hull> flat_rectangle(double x, double y) {
  return hull_of({{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}}, {{0, 1, 2, 3}, {0, 3, 2, 1}}, true);
}

inline constexpr int bounded_kinds = 7;
// A shape of kind 0 to 6, each of its lengths between `low` and `high`.
inline Shape random_shape(RandomSpatial& random, int kind, double low, double high) {
  const double a = random.magnitude(low, high), b = random.magnitude(low, high), c = random.magnitude(low, high);
  switch (kind) {
    case 0:
      return Sphere{a};
    case 1:
      return Capsule{a, b};
    case 2:
      return Box{{a, b, c}};
    case 3:
      return Cylinder{a, b};
    case 4:
      return Ellipsoid{{a, b, c}};
    case 5:
      return Cone{a, b};
    default:
      return ConvexHull{octahedron({a, b, c})};
  }
}

// One shape of each of these kinds, about 1 m large; the hull has 20 random points on a sphere.
inline std::vector<Shape> one_of_each_kind(RandomSpatial& random) {
  std::vector<Vec3<double>> points;
  for (int k = 0; k < 20; ++k) points.push_back(0.5 * random.direction());
  return {Sphere{0.4},
          Capsule{0.2, 0.4},
          Box{{0.3, 0.4, 0.5}},
          Cylinder{0.3, 0.5},
          Cone{0.4, 0.4},
          Ellipsoid{{0.3, 0.4, 0.5}},
          ConvexHull{std::make_shared<const Hull>(convex_hull(points).value())}};
}

// Parts of a compound, of one kind after the other.
inline std::vector<PlacedShape> random_parts(RandomSpatial& random, int count, int first_kind, double low) {
  std::vector<PlacedShape> parts;
  for (int k = 0; k < count; ++k)
    parts.push_back({random_shape(random, (first_kind + k) % bounded_kinds, low, 1), random.pose(2)});
  return parts;
}

// Poses of so many frames: the world's, then random ones.
inline std::vector<Transform<double>> random_frames(RandomSpatial& random, int count, double range) {
  std::vector<Transform<double>> poses{Transform<double>::identity()};
  for (int i = 1; i < count; ++i) poses.push_back(random.pose(range));
  return poses;
}

}  // namespace linchpin
