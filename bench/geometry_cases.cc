#include "bench/geometry_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Vec = Vec3<double>;
using Rotation = Mat3<double>;
constexpr double pi = std::numbers::pi;
constexpr Vec x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};

// The same numbers everywhere (those of <random>'s distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double between(double low, double high) { return low + (high - low) * (double(bits_() >> 11) * 0x1p-53); }
  Vec in_cube(double half) {
    const double x = between(-half, half), y = between(-half, half), z = between(-half, half);
    return {x, y, z};
  }
  Vec direction() {
    for (;;) {
      const Vec v = in_cube(1);
      const double length = norm(v);
      if (length > 0.1 && length < 1) return (1 / length) * v;
    }
  }
  Rotation rotation() {
    for (;;) {
      const Vec v = in_cube(1);
      const double w = between(-1, 1), square = w * w + dot(v, v);
      if (square > 0.1 && square < 1) return to_rotation(normalized(Quaternion<double>{w, v.x, v.y, v.z}));
    }
  }

 private:
  std::mt19937_64 bits_;
};

Rotation about(const Vec& unit_axis, double angle) {
  const Vec v = std::sin(angle / 2) * unit_axis;
  return to_rotation(Quaternion<double>{std::cos(angle / 2), v.x, v.y, v.z});
}

// Takes unit u to unit v, which must not be opposite.
Rotation turn(const Vec& u, const Vec& v) {
  const Vec c = cross(u, v);
  return to_rotation(normalized(Quaternion<double>{1 + dot(u, v), c.x, c.y, c.z}));
}

// The point of each shape that is farthest along a unit d; the middle of them where there are several.
struct Farthest {
  Vec d;
  static double sign(double x) { return std::abs(x) < 1e-9 ? 0 : std::copysign(1, x); }
  Vec operator()(const Sphere& s) const { return s.radius * d; }
  Vec operator()(const Capsule& s) const { return s.radius * d + (s.half_length * sign(d.z)) * z_axis; }
  Vec operator()(const Box& s) const { return {s.half.x * sign(d.x), s.half.y * sign(d.y), s.half.z * sign(d.z)}; }
  Vec operator()(const Cylinder& s) const {
    const double across = std::hypot(d.x, d.y);
    const double scale = across < 1e-9 ? 0 : s.radius / across;
    return {scale * d.x, scale * d.y, s.half_length * sign(d.z)};
  }
  Vec operator()(const Ellipsoid& s) const {
    const Vec rd{s.radii.x * d.x, s.radii.y * d.y, s.radii.z * d.z};
    return (1 / norm(rd)) * Vec{s.radii.x * rd.x, s.radii.y * rd.y, s.radii.z * rd.z};
  }
  Vec operator()(const HalfSpace&) const { return Vec::zero(); }
  Vec operator()(const ConvexHull& s) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const Vec& v : s.hull->vertices) most = std::max(most, dot(d, v));
    Vec sum = Vec::zero();
    int count = 0;
    for (const Vec& v : s.hull->vertices) {
      if (dot(d, v) < most - 1e-9) continue;
      sum += v;
      ++count;
    }
    return (1.0 / count) * sum;
  }
  template <class Other>
  Vec operator()(const Other&) const {
    return Vec::zero();  // no case has such a shape
  }
};

// With these orientations in N, moved so that the farthest points of both meet in its origin; A then shifted across.
GeometryCase touching(std::string name, const Shape& a, const Rotation& R_NA, const Shape& b, const Rotation& R_NB,
                      double shift_x = 0, double shift_y = 0) {
  const Vec on_a = R_NA * std::visit(Farthest{transpose_times(R_NA, -z_axis)}, a);
  const Vec on_b = R_NB * std::visit(Farthest{transpose_times(R_NB, z_axis)}, b);
  return {std::move(name), a, b, {R_NA, Vec{shift_x, shift_y, 0} - on_a}, {R_NB, -on_b}};
}

ConvexHull hull_of_points_on_sphere(int points, double radius, Random& random) {
  std::vector<Vec> on_sphere;
  for (int i = 0; i < points; ++i) on_sphere.push_back(radius * random.direction());
  return {std::make_shared<Hull>(convex_hull(on_sphere).value())};
}

}  // namespace

std::vector<GeometryCase> geometry_cases() {
  const Rotation upright = Rotation::identity(), along_x = about(y_axis, pi / 2), along_y = about(x_axis, pi / 2);
  const HalfSpace plane;
  const Sphere ball{0.2};
  const Capsule capsule{0.1, 0.25};
  const Box brick{{0.2, 0.15, 0.1}}, slab{{0.25, 0.2, 0.1}}, tile{{0.2, 0.2, 0.1}}, table{{0.4, 0.4, 0.2}};
  const Cylinder can{0.15, 0.2};
  const Ellipsoid egg{{0.3, 0.2, 0.25}}, pebble{{0.2, 0.25, 0.1}};
  Random random(1);
  const ConvexHull rock = hull_of_points_on_sphere(50, 0.3, random), stone = hull_of_points_on_sphere(50, 0.3, random);
  const Vec rock_down = rock.hull->faces[0].normal, stone_up = stone.hull->faces[0].normal;
  return {
      touching("sphere-plane", ball, upright, plane, upright),
      touching("capsule-plane, lying", capsule, along_x, plane, upright),
      touching("box-plane", brick, upright, plane, upright),
      touching("cylinder-plane, standing", can, upright, plane, upright),
      touching("cylinder-plane, lying", can, along_x, plane, upright),
      touching("sphere-sphere", ball, upright, ball, upright),
      touching("sphere-capsule", ball, upright, capsule, along_x, 0.07),
      touching("sphere-box", ball, upright, slab, upright, 0.07, 0.04),
      touching("capsule-capsule, crossed", capsule, along_x, capsule, about(z_axis, 1) * along_x),
      touching("capsule-capsule, parallel", capsule, along_x, capsule, along_x, 0.1),
      touching("capsule-box, end on face", capsule, about(y_axis, 1.2), table, upright, 0.07, 0.04),
      touching("capsule-box, lying", capsule, along_x, table, upright, 0.07, 0.04),
      touching("box-box, 4 corners", brick, upright, slab, upright, 0.1, 0.07),
      touching("box-box, 8 corners", tile, about(z_axis, pi / 4), tile, upright),
      touching("box-box, edges", brick, about(x_axis, pi / 4), slab, about(y_axis, pi / 4), 0.03, 0.02),
      touching("cylinder-cylinder, stacked", can, upright, can, upright, 0.07, 0.04),
      touching("cylinder-cylinder, crossed", can, along_x, can, along_y, 0.07, 0.04),
      touching("cylinder-box, standing", can, upright, table, upright, 0.07, 0.04),
      touching("ellipsoid-ellipsoid", egg, random.rotation(), pebble, random.rotation()),
      touching("hull-hull, vertex on face", rock, random.rotation(), stone, turn(stone_up, z_axis)),
      touching("hull-hull, face on face", rock, turn(rock_down, -z_axis), stone, turn(stone_up, z_axis)),
  };
}

PairScene scene_of(const GeometryCase& c, double distance, int count) {
  Random random(7);
  PairScene scene;
  for (int i = 0; i < count; ++i) {
    const Vec tilt = random.in_cube(hair / 2), shift = random.in_cube(hair);
    // Turned about the place of contact, so that no lever makes more of the hair.
    const Transform<double> X_NJ{to_rotation(normalized(Quaternion<double>{1, tilt.x, tilt.y, tilt.z})),
                                 {shift.x, shift.y, distance}};
    const Transform<double> X_WN{random.rotation(), random.in_cube(1)};
    scene.pairs.push_back({scene.bodies.size(), scene.bodies.size() + 1});
    scene.bodies.push_back({c.a, X_WN * X_NJ * c.X_NA});
    scene.bodies.push_back({c.b, X_WN * c.X_NB});
  }
  return scene;
}

Vec3<double> normal_of(const GeometryCase& c, const PairScene& scene, std::size_t pair) {
  return scene.bodies[scene.pairs[pair].b].X_WB.R * transpose_times(c.X_NB.R, z_axis);
}

std::vector<PairScene::Body> BoxCloud::at(int step) const {
  constexpr double rock = 0.2;  // rad
  std::vector<PairScene::Body> bodies;
  for (const Member& m : members) {
    const double swing = std::sin(2 * pi * step / steps + m.phase);
    bodies.push_back({m.box, {about(m.axis, rock * swing) * m.place.R, fma(swing, m.reach, m.place.p)}});
  }
  return bodies;
}

BoxCloud box_cloud() {
  constexpr double spacing = 0.25;  // m: chosen for some 8000 near pairs
  Random random(3);
  BoxCloud cloud;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 10; ++k) {
        const Vec place = spacing * Vec{double(i), double(j), double(k)} + random.in_cube(0.03);
        const Vec half = Vec{0.1, 0.1, 0.1} + random.in_cube(0.05);
        const Vec reach = random.in_cube(0.05), axis = random.direction();
        cloud.members.push_back({{half}, reach, axis, {random.rotation(), place}, random.between(0, 2 * pi)});
      }
  return cloud;
}

}  // namespace linchpin
