#include "linchpin/io/polygon.h"

#include <cmath>
#include <numbers>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

using Triangle = std::array<int, 3>;
struct Point2 {
  double x, y;
  bool operator==(const Point2&) const = default;
};

// Twice the signed area of a triangle; positive if it turns left.
double turn(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

void fan(std::span<const int> corners, std::size_t first, std::vector<Triangle>& triangles) {
  const std::size_t n = corners.size();
  for (std::size_t k = 1; k + 1 < n; ++k)
    triangles.push_back({corners[first], corners[(first + k) % n], corners[(first + k + 1) % n]});
}

// The corner of a quadrilateral whose angle, measured on both sides of its diagonal, exceeds 180 degrees; else 0.
std::size_t concave_corner(std::span<const Vec3<double>> vertices, std::span<const int> corners) {
  for (std::size_t i = 0; i < 4; ++i) {
    const auto to = [&](std::size_t k) {
      const Vec3<double> d = vertices[corners[(i + k) % 4]] - vertices[corners[i]];
      return (1 / norm(d)) * d;
    };
    const Vec3<double> right = to(1), diagonal = to(2), left = to(3);
    if (std::acos(dot(left, diagonal)) + std::acos(dot(right, diagonal)) > std::numbers::pi) return i;
  }
  return 0;
}

// The polygon seen along its normal, which is the sum of cross products of successive corners [Newell; Sutherland et
// al. 1974]: along the coordinate axis nearest to it, so that the polygon turns left. Empty if the normal is zero.
std::vector<Point2> seen_along_normal(std::span<const Vec3<double>> vertices, std::span<const int> corners) {
  const Vec3<double> origin = vertices[corners[0]];
  Vec3<double> normal = Vec3<double>::zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i)
    normal = normal + cross(vertices[corners[i]] - origin, vertices[corners[i + 1]] - origin);
  const double x = std::abs(normal.x), y = std::abs(normal.y), z = std::abs(normal.z);
  std::vector<Point2> points;
  if (x + y + z == 0) return points;
  for (const int corner : corners) {
    const Vec3<double> p = vertices[corner] - origin;
    if (x >= y && x >= z)
      points.push_back({normal.x > 0 ? p.y : -p.y, p.z});
    else if (y >= z)
      points.push_back({normal.y > 0 ? p.z : -p.z, p.x});
    else
      points.push_back({normal.z > 0 ? p.x : -p.x, p.y});
  }
  return points;
}

// Ear clipping in O(n^2): a cut changes only the two corners beside it.
class EarClipping {
 public:
  explicit EarClipping(std::vector<Point2> points) : points_(std::move(points)), left_(int(points_.size())) {
    for (int i = 0; i < left_; ++i) {
      before_.push_back((i + left_ - 1) % left_);
      after_.push_back((i + 1) % left_);
    }
    for (int i = 0; i < left_; ++i) turn_.push_back(turn_at(i));
    for (int i = 0; i < left_; ++i) ear_.push_back(is_ear(i));
  }

  // Positions in the polygon; empty if there is no ear.
  std::vector<Triangle> run() {
    std::vector<Triangle> cut;
    int at = 0;
    while (left_ > 3) {
      int looked = 0;
      while (!ear_[at] && looked++ < left_) at = after_[at];
      if (!ear_[at]) return {};
      const int a = before_[at], b = after_[at];
      cut.push_back({a, at, b});
      after_[a] = b;
      before_[b] = a;
      --left_;
      for (const int side : {a, b}) turn_[side] = turn_at(side);
      for (const int side : {a, b}) ear_[side] = is_ear(side);
      at = b;
    }
    cut.push_back({before_[at], at, after_[at]});
    return cut;
  }

 private:
  double turn_at(int i) const { return turn(points_[before_[i]], points_[i], points_[after_[i]]); }
  bool is_ear(int i) const {
    if (!(turn_[i] > 0)) return false;
    const Point2 &a = points_[before_[i]], &b = points_[i], &c = points_[after_[i]];
    for (int k = after_[after_[i]]; k != before_[i]; k = after_[k]) {
      const Point2& p = points_[k];
      if (turn_[k] > 0 || p == a || p == b || p == c) continue;  // only concave corners can be the nearest inside
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }
  std::vector<Point2> points_;
  int left_;
  std::vector<int> before_, after_;
  std::vector<double> turn_;
  std::vector<char> ear_;
};

}  // namespace

bool cut_polygon(std::span<const Vec3<double>> vertices, std::span<const int> corners,
                 std::vector<Triangle>& triangles) {
  check(corners.size() >= 3 && corners.size() <= most_corners, "a polygon of ", corners.size(), " corners");
  if (corners.size() <= 4) {
    fan(corners, corners.size() == 4 ? concave_corner(vertices, corners) : 0, triangles);
    return true;
  }
  std::vector<Point2> points = seen_along_normal(vertices, corners);
  if (points.empty()) {
    fan(corners, 0, triangles);
    return true;
  }
  const std::vector<Triangle> cut = EarClipping(std::move(points)).run();
  for (const Triangle& t : cut) triangles.push_back({corners[t[0]], corners[t[1]], corners[t[2]]});
  return !cut.empty();
}

}  // namespace linchpin
