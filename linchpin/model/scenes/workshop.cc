// The dual-arm robot at its workplace [000 figure 1, s.8]: a wheel on a hub, and an impact driver on a bench.
//
// Neither is attached: the wheel hangs on the hub's peg with a millimetre of play, the driver stands on its battery.
// Hands (palms and fingers) touch both, the hub, bench and floor, and each other; the other shapes of the robot are for
// display. The paper gives no sizes; these are ours.
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

constexpr double pi = std::numbers::pi;

// Contact groups.
constexpr std::uint32_t things = 1, left_hand = 2, right_hand = 4, surroundings = 8;

constexpr double peg_radius = 0.03, peg_length = 0.06, play = 1e-3;
constexpr double ring_half = 0.025, rim_half = 0.02;  // along the wheel's axis
constexpr Vector hub_at{0.55, 0, 1.15};               // the peg's axis, in the middle of the wheel
constexpr Vector bench_at{0.36, -0.14, 0.64};         // the top, below the driver
constexpr double hand_mu = 0.9, metal_mu = 0.3, rubber_mu = 0.9, bench_mu = 0.5;  // a pair has the geometric mean

struct Servo {
  const char* of;  // ending of the link's name
  double stiffness, damping;
};
// A thumb is as strong as two fingers, since it opposes two.
constexpr Servo servos[] = {{"shoulder_yaw", 6000, 300}, {"shoulder_pitch", 6000, 300}, {"upper_arm", 3000, 100},
                            {"elbow", 4000, 150},        {"forearm", 1500, 30},         {"wrist_pitch", 1500, 30},
                            {"palm", 1000, 20},          {"neck_pan", 200, 10},         {"neck_tilt", 200, 10},
                            {"head_pan", 100, 5},        {"head_tilt", 100, 5},         {"spread", 100, 1},
                            {"finger_1", 20, 0.4},       {"finger_2", 20, 0.4},         {"thumb", 40, 0.8}};

bool is_of_hand(const std::string& link) {
  for (const char* part : {"palm", "spread", "finger", "thumb"})
    if (link.find(part) != std::string::npos) return true;
  return false;
}

void equip(ModelSpec& spec) {
  for (BodySpec& body : spec.bodies)
    for (GeometrySpec& g : body.geometry) {
      const bool left = body.name.starts_with("left");
      g.groups = is_of_hand(body.name) ? (left ? left_hand : right_hand) : 0;
      g.touches = g.groups ? (left ? right_hand : left_hand) | things | surroundings : 0;
      g.material = surface(hand_mu);
    }
  for (const JointSpec& j : spec.joints)
    for (const Servo& servo : servos)
      if (j.child.ends_with(servo.of)) add_servo(spec, j, servo.stiffness, servo.damping);
}

void add_surroundings(ModelSpec& spec, const char* name, const Shape& shape, const Transform<double>& X, double mu) {
  GeometrySpec g{name, shape, X};
  g.material = surface(mu);
  g.groups = surroundings;
  g.touches = things | left_hand | right_hand;
  spec.world_geometry.push_back(std::move(g));
}

// One of n pieces of a ring about x, its middle along z. inner, outer: distances of its flat inner and outer faces from
// x.
Shape ring_piece(int n, double inner, double outer, double half_width) {
  const double t = std::tan(pi / n);
  std::vector<Vector> corners;
  for (const double r : {inner, outer})
    for (const double side : {-t, t})
      for (const double x : {-half_width, half_width}) corners.push_back({x, r * side, r});
  Result<Hull> hull = convex_hull(corners);
  check(hull.ok(), "wheel: ", hull.ok() ? std::string() : hull.error().message);
  return ConvexHull{std::make_shared<const Hull>(std::move(hull).value())};
}

// Its frame is in the middle, x along the axis. The hole is an octagon with an edge at the top, so that the wheel hangs
// on two of its faces.
BodySpec wheel() {
  constexpr int rim_pieces = 12, ring_pieces = 8, spokes = 4;
  constexpr double ring_outer = 0.06, rim_inner = 0.165, rim_outer = 0.22;
  BodySpec body{.name = "wheel", .inertia = {}, .geometry = {}};
  const auto around = [](double angle) { return Transform<double>{rotation_x(angle), {0, 0, 0}}; };
  for (int k = 0; k < rim_pieces; ++k)
    add_solid(body, ring_piece(rim_pieces, rim_inner, rim_outer, rim_half), 0.2, around(2 * pi * k / rim_pieces),
              "rim_" + std::to_string(k + 1));
  for (int k = 0; k < ring_pieces; ++k)
    add_solid(body, ring_piece(ring_pieces, peg_radius + play, ring_outer, ring_half), 0.1,
              around(2 * pi * (k + 0.5) / ring_pieces), "ring_" + std::to_string(k + 1));
  const double middle = (ring_outer + rim_inner) / 2, half = (rim_inner - ring_outer) / 2;
  for (int k = 0; k < spokes; ++k)
    add_solid(body, Box{{0.01, 0.015, half}}, 0.2, around(2 * pi * k / spokes) * translation(0, 0, middle),
              "spoke_" + std::to_string(k + 1));
  for (GeometrySpec& g : body.geometry) g.material = surface(metal_mu);
  return body;
}

// Its frame is at its centre of mass; the nose points along y, away from the hand that takes it. Before the shift to
// the centre of mass, the middle of the handle is the origin.
BodySpec driver() {
  BodySpec body{.name = "driver", .inertia = {}, .geometry = {}};
  add_solid(body, Box{{0.02, 0.025, 0.06}}, 0.25, Transform<double>::identity(), "handle");
  add_solid(body, Box{{0.025, 0.08, 0.045}}, 0.55, translation(0, 0.03, 0.105), "housing");
  add_solid(body, Box{{0.04, 0.06, 0.02}}, 0.37, translation(0, 0.015, -0.08), "battery");
  add_solid(body, Cylinder{0.008, 0.015}, 0.03, {frame_with_z({0, 1, 0}), {0, 0.125, 0.105}}, "bit");
  for (GeometrySpec& g : body.geometry) {
    g.material = surface(rubber_mu);
    g.X_BG.p -= body.inertia.centre;
  }
  body.inertia.centre = {0, 0, 0};
  return body;
}

}  // namespace

ModelSpec workshop() {
  ModelSpec spec = dual_arm();
  for (GeometrySpec& g : spec.world_geometry) g.groups = g.touches = 0;
  equip(spec);

  add_surroundings(spec, "floor", HalfSpace{}, Transform<double>::identity(), bench_mu);
  const Mat3<double> along_x = frame_with_z(x_axis);
  const double flange = hub_at.x + ring_half + play;  // where the peg begins
  add_surroundings(spec, "peg", Cylinder{peg_radius, peg_length / 2},
                   {along_x, {flange - peg_length / 2, hub_at.y, hub_at.z}}, metal_mu);
  add_surroundings(spec, "flange", Cylinder{0.08, 0.05}, {along_x, {flange + 0.05, hub_at.y, hub_at.z}}, metal_mu);
  add_surroundings(spec, "bench", Box{{0.12, 0.12, 0.02}}, translation(bench_at.x, bench_at.y, bench_at.z - 0.02),
                   bench_mu);
  spec.world_geometry.push_back({.name = "post",
                                 .shape = Box{{0.04, 0.04, (bench_at.z - 0.04) / 2}},
                                 .X_BG = translation(bench_at.x, bench_at.y, (bench_at.z - 0.04) / 2),
                                 .groups = 0,
                                 .touches = 0});

  // Lowered by its play, so that it hangs on two faces.
  const double down = play / std::cos(pi / 8);
  add_free(spec, wheel(), translation(hub_at.x, hub_at.y, hub_at.z - down));
  BodySpec tool = driver();
  const Vector handle = tool.geometry.front().X_BG.p;
  add_free(spec, std::move(tool), {Mat3<double>::identity(), bench_at + Vector{0, 0, 0.1} - handle});
  return spec;
}

}  // namespace linchpin::scenes
