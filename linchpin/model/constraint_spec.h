// Constraints beyond the joints (loops, rods, rolling, couplings, prescribed motion), and springs between bodies.
//
// The joints of a spec form a tree. Each constraint removes freedom from it by rows
//     g(q, t) = 0                     holonomic: a condition on positions
//     a(q) v = u(t)                   nonholonomic: a condition on velocities
// dynamics/loops/constraint_rows.h defines g and a. Frames A and B are fixed in bodies, given by name; either may be on
// the world. SI units.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

// u(t) = sum over k of polynomial[k] t^k + amplitude sin(frequency t + phase)
struct TimeLaw {
  std::vector<double> polynomial;
  double amplitude = 0, frequency = 0, phase = 0;  // in the unit of u, rad/s, rad

  struct Value {
    double value, rate, acceleration;
  };
  Value at(double time) const;
};
// Adds sum c[k] x^k and its first and second derivative to `to`.
void add_polynomial(std::span<const double> c, double x, TimeLaw::Value& to);

struct FrameOnBody {
  std::string body = "world";
  Transform<double> X_BF = Transform<double>::identity();
};

// Motion that a loop leaves to B relative to A. At zero B coincides with A.
//
// | type           | rows | left free                                                        |
// |----------------|------|------------------------------------------------------------------|
// | weld           |  6   | nothing                                                          |
// | pin            |  5   | turning about z                                                  |
// | slider         |  5   | sliding along z                                                  |
// | screw          |  5   | turning about z by an angle and sliding along it by pitch*angle  |
// | cylinder       |  4   | turning about and sliding along z                                |
// | universal      |  4   | turning about A's x and B's y                                    |
// | ball           |  3   | turning                                                          |
// | plane          |  3   | sliding in A's x-y plane, turning about z                        |
// | parallel       |  3   | sliding                                                          |
// | point_on_line  |  2   | turning; B's origin moves along A's z                            |
// | point_on_plane |  1   | turning; B's origin moves in A's x-y plane                       |
enum class LoopType {
  weld,
  pin,
  slider,
  screw,
  cylinder,
  universal,
  ball,
  plane,
  parallel,
  point_on_line,
  point_on_plane
};
inline constexpr int loop_type_count = 11;
std::string_view to_string(LoopType type);
std::optional<LoopType> loop_type_from(std::string_view name);
int row_count(LoopType type);

// The constraints of a loop type: on B's origin along these axes of A, and on a part of the rotation.
struct LoopHold {
  std::array<bool, 3> along;
  enum class Turn { none, all, but_z, cross } turn;  // cross: A's x stays normal to B's y
  bool screw = false;
};
LoopHold hold_of(LoopType type);

struct LoopSpec {
  LoopType type = LoopType::pin;
  FrameOnBody a, b;
  double pitch = 0;                     // screw: metres per radian
  std::array<TimeLaw, 3> displacement;  // prescribed position of B's origin in A, m; along constrained axes only
};

// B's origin stays at a distance from A's origin; both may rotate freely.
struct RodSpec {
  FrameOnBody a, b;
  double length = 1;  // m; the distance is length + extension(t)
  TimeLaw extension;
};

// An ellipsoid, centred at B with half axes along B's axes, rolls without slipping on A's x-y plane, above it (z > 0).
// A sphere has three equal half axes; a thin disc (a wheel without width) has half axes r, r, 0. One row is holonomic:
// contact. Two are nonholonomic: the contact point does not slide. With `sliding` only the first row is there.
struct RollingSpec {
  FrameOnBody a, b;
  Vec3<double> half_axes{1, 1, 1};  // m
  bool sliding = false;
};

// One nonholonomic row: angular . w + linear . v = speed(t); w, v: of B relative to A at B's origin, all in B's axes.
// For a skate, linear is its sideways direction.
struct VelocitySpec {
  FrameOnBody a, b;
  Vec3<double> angular{0, 0, 0}, linear{0, 0, 0};
  TimeLaw speed;
};

// One row between joint coordinates: sum over terms of p(q) = value(t), p the term's polynomial. A gear or mimic joint
// y = c0 + c1 x + ... has the terms y: {0, 1} and x: {-c0, -c1, ...}; a prescribed motion has one term and a time law.
// Ball and free joints are refused: their positions are quaternions, not independent coordinates.
struct CouplingSpec {
  struct Term {
    std::string joint;
    int coordinate = 0;
    std::vector<double> polynomial{0, 1};
  };
  std::vector<Term> terms;
  TimeLaw value;
};

struct ConstraintSpec {
  std::string name;
  std::variant<LoopSpec, RodSpec, RollingSpec, VelocitySpec, CouplingSpec> what;
};
// y = c[0] + c[1] x + c[2] x^2 + ...
ConstraintSpec gear(std::string name, std::string y, std::string x, std::vector<double> c);
// Prescribes q(t) = u(t) for a joint with one coordinate.
ConstraintSpec prescribed(std::string name, std::string joint, TimeLaw u);

// Pulls A's origin and B's together with the force stiffness (distance - length) + damping d/dt distance. At zero
// distance the direction is undefined and the force is zero.
struct SpringSpec {
  std::string name;
  FrameOnBody a, b;
  double stiffness = 0, damping = 0, length = 0;  // N/m, N s/m, m
};

}  // namespace linchpin
