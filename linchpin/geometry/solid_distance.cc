#include "linchpin/geometry/solid_distance.h"

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

SolidDistance::SolidDistance(const TriangleMesh& mesh) : mesh_(mesh) {
  balls_.reserve(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.corners(int(t));
    const Point centre = (1.0 / 3) * (a + b + c);
    balls_.push_back({centre, std::max({norm(a - centre), norm(b - centre), norm(c - centre)})});
  }
}

// Where the nearest point is on an edge or a corner, several triangles are equally near and may disagree about the side;
// right is the one that q looks at most directly.
SolidDistance::Nearest SolidDistance::operator()(const Point& q) const {
  double least = std::numeric_limits<double>::infinity(), facing = 0;
  int nearest = 0;
  for (std::size_t t = 0; t < balls_.size(); ++t) {
    const double bound = least * (1 + 1e-9) + balls_[t].radius;
    const Vec3<double> to = q - balls_[t].centre;
    if (dot(to, to) > bound * bound) continue;
    const Point p = nearest_on_triangle(q, mesh_.corners(int(t)), mesh_.normals[t]);
    const double d = norm(q - p), height = dot(q - p, mesh_.normals[t]);
    const bool nearer = d < least * (1 - 1e-9), alike = !nearer && d <= least * (1 + 1e-9);
    if (nearer || (alike && std::abs(height) > std::abs(facing))) {
      facing = height;
      nearest = int(t);
    }
    least = std::min(least, d);
  }
  return {facing > 0 ? least : -least, nearest};
}

double SolidDistance::from_triangle(const Point& q, int t) const {
  return norm(q - nearest_on_triangle(q, mesh_.corners(t), mesh_.normals[std::size_t(t)]));
}

}  // namespace linchpin
