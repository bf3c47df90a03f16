#include "linchpin/model/spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/base/names.h"
#include "linchpin/geometry/shapes/solid.h"

namespace linchpin {
namespace {

struct TypeFacts {
  std::string_view name;
  int positions, velocities;
};
// In the order of the enumerators.
constexpr std::array<TypeFacts, joint_type_count> type_facts = {{{"weld", 0, 0},
                                                                 {"revolute", 1, 1},
                                                                 {"prismatic", 1, 1},
                                                                 {"screw", 1, 1},
                                                                 {"cylindrical", 2, 2},
                                                                 {"universal", 2, 2},
                                                                 {"planar", 3, 3},
                                                                 {"ball", 4, 3},
                                                                 {"free", 7, 6},
                                                                 {"translational", 3, 3}}};

const TypeFacts& facts(JointType type) {
  const int i = static_cast<int>(type);
  check(i >= 0 && i < joint_type_count, "joint type ", i, " is unknown; there are ", joint_type_count);
  return type_facts[i];
}

// The inertia of two bodies welded together: the moments of each about its own centre, plus those of the reduced mass
// m1 m2 / (m1 + m2) at the distance of the centres (the parallel-axis theorem for both at once, without cancellation
// far from the origin).
InertiaSpec joined(const InertiaSpec& a, const InertiaSpec& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return {mass, a.centre, a.moments + b.moments};
  const Vec3<double> between = b.centre - a.centre;
  const double share = b.mass / mass;
  return {mass, a.centre + share * between, a.moments + b.moments + (a.mass * share) * cross_square(between)};
}

}  // namespace

std::string_view to_string(JointType type) { return facts(type).name; }
int position_count(JointType type) { return facts(type).positions; }
int velocity_count(JointType type) { return facts(type).velocities; }

std::string_view to_string(ActuatorType type) {
  static constexpr EnumNames<ActuatorType::velocity> names{"actuator type", {"force", "position", "velocity"}};
  return names.of(type);
}

std::optional<JointType> joint_type_from(std::string_view name) {
  for (int i = 0; i < joint_type_count; ++i)
    if (type_facts[i].name == name) return static_cast<JointType>(i);
  return std::nullopt;
}

void add_inertia(BodySpec& body, const InertiaSpec& inertia) { body.inertia = joined(body.inertia, inertia); }

void add_solid(BodySpec& body, const Shape& shape, double mass, const Transform<double>& X_BG, std::string name) {
  check(mass >= 0, "add_solid to body '", body.name, "': mass is ", mass, " kg, it must be at least 0");
  if (mass > 0) {
    const Result<Solid> made = solid(shape);
    check(made.ok(), "add_solid to body '", body.name, "': ", made.ok() ? std::string() : made.error().message);
    const Solid& s = made.value();
    check(s.volume > 0, "add_solid to body '", body.name, "': ", mass, " kg in a volume of ", s.volume, " m^3");
    add_inertia(body, {mass, X_BG * s.centre, (mass / s.volume) * rotate(X_BG.R, s.moments)});
  }
  body.geometry.push_back({std::move(name), shape, X_BG});
}

Mat3<double> rotation_x(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
}
Mat3<double> rotation_y(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}
Mat3<double> rotation_z(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

Mat3<double> frame_with_z(const Vec3<double>& axis) {
  const double largest = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
  const bool finite = std::isfinite(axis.x) && std::isfinite(axis.y) && std::isfinite(axis.z);
  check(largest > 0 && finite, "frame_with_z: (", axis.x, ", ", axis.y, ", ", axis.z, ") is not a direction");
  // scaled, so that squares neither overflow nor underflow
  const Vec3<double> scaled{axis.x / largest, axis.y / largest, axis.z / largest};
  const double length = norm(scaled), c = scaled.z / length;
  // The axis is (s u, s v, c) with (u, v) a unit vector, and the rotation is about (-v, u, 0). Near -z only (u, v)
  // distinguishes the possible rotations, so it is computed before anything is subtracted.
  const double across = std::hypot(scaled.x, scaled.y), s = across / length;
  const bool off_z = across > 1e-300;  // below, across is denormal and (u, v) inaccurate
  const double u = off_z ? scaled.x / across : 0, v = off_z ? scaled.y / across : 1;
  const double d = 1 - c;
  return {{1 - u * u * d, -(u * v * d), -(s * u)}, {-(u * v * d), 1 - v * v * d, -(s * v)}, {s * u, s * v, c}};
}

}  // namespace linchpin
