#include "linchpin/geometry/pieces/solid_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linchpin {
namespace {

using Point = Vec3<double>;

Point nearest_on_segment(const Point& q, const Point& a, const Point& b) {
  const Vec3<double> along = b - a;
  return fma(std::clamp(dot(q - a, along) / dot(along, along), 0.0, 1.0), along, a);
}
Point nearest_on_triangle(const Point& q, const std::array<Point, 3>& corner, const Vec3<double>& normal) {
  Point best{};
  double least = std::numeric_limits<double>::infinity();
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Point &a = corner[k], &b = corner[(k + 1) % 3];
    if (dot(q - a, cross(b - a, normal)) <= 0) continue;  // on the inner side of this edge
    inside = false;
    const Point p = nearest_on_segment(q, a, b);
    if (const double d = dot(q - p, q - p); d < least) best = p, least = d;
  }
  return inside ? fma(-dot(q - corner[0], normal), normal, q) : best;
}

}  // namespace

double distance_from_triangle(const TriangleMesh& mesh, int t, const Point& q) {
  return norm(q - nearest_on_triangle(q, mesh.corners(t), mesh.normals[t]));
}

// If the nearest point is on an edge or a corner, several triangles are equally near, and q may be above some and below
// others. Of these triangles, the one whose plane is farthest from q decides the sign.
SolidDistance distance_from_solid(const TriangleMesh& mesh, const Point& q) {
  constexpr double alike = 1 + 1e-9;  // ratio of distances that differ by rounding only
  double least = std::numeric_limits<double>::infinity(), facing = 0;
  int nearest = 0;
  mesh.bvh.nearest({q, q}, least, [&](std::uint32_t t, double) {
    const Point p = nearest_on_triangle(q, mesh.corners(int(t)), mesh.normals[t]);
    const double d = norm(q - p), height = dot(q - p, mesh.normals[t]);
    if (d * alike < least || (d <= least * alike && std::abs(height) > std::abs(facing))) {
      facing = height;
      nearest = int(t);
    }
    least = std::min(least, d);
    return least * alike;
  });
  return {facing > 0 ? least : -least, nearest};
}

}  // namespace linchpin
