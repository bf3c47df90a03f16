// Bodies that collide with each other or with a wall.
#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

BodySpec ball_of(const std::string& name, double radius, double mass) {
  BodySpec ball{.name = name, .inertia = {}, .geometry = {}};
  add_solid(ball, Sphere{radius}, mass, Transform<double>::identity(), name);
  return ball;
}

}  // namespace

// Falls with its lowest point at `height`; bounces to height e^2, e^4, ...
ModelSpec bounce(double radius, double height, double restitution, double speed) {
  ModelSpec spec;
  add_floor(spec);
  add_free(spec, ball_of("ball", radius, 1), translation(0, 0, radius + height), Mat3<double>::identity(),
           {speed, 0, 0});
  make_all_of(spec, surface(0.5, restitution));
  return spec;
}

// Balls on massless rods, side by side along x; the first is drawn back by `angle` (degrees), and its centre has
// `speed` (m/s) towards the others. Three touching balls with e = 1, struck at speed v: simultaneously -v/3, 2v/3,
// 2v/3.
ModelSpec cradle(int balls, double gap, double angle, double speed, double restitution) {
  constexpr double radius = 0.05, length = 1, mass = 1;
  ModelSpec spec;
  for (int k = 1; k <= balls; ++k) {
    BodySpec ball{.name = "ball_" + std::to_string(k), .inertia = {}, .geometry = {}};
    add_solid(ball, Sphere{radius}, mass, translation(0, 0, -length), ball.name);
    const PlacedShape rod = capsule_between({0, 0, 0}, {0, 0, radius - length}, radius / 20);
    add_shape(ball, rod.shape, rod.X_SP, ball.name + "_rod");
    ball.geometry.back().groups = ball.geometry.back().touches = 0;  // display only
    JointSpec j = joint(JointType::revolute, "world", ball.name,
                        translation((k - 1) * (2 * radius + gap), 0, length + radius), swing_axis);
    j.name = "hinge_" + std::to_string(k);
    if (k == 1) {
      j.start_q = {-angle * std::numbers::pi / 180};
      j.start_v = {speed / length};
    }
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(ball));
  }
  make_all_of(spec, surface(0, restitution));
  return spec;
}

// [002 fig. 4] with the contacts of [002 s.4.1]: rods of 1 m and 1 kg in a line, of which the two ends P and Q touch
// the floor, without friction or restitution. The first rod's centre starts at `height`, the line inclined by `angle`
// (degrees). Planar: the coordinates are x and z of that centre, its angle, and relative angles, as in the paper.
// Spatial: a free joint and ball joints, each rod turned by 20 degrees from the one before, about the vertical.
ModelSpec falling_chain(int links, double height, double angle, bool spatial) {
  constexpr double length = 1, mass = 1, radius = 0.02, bend = 20 * std::numbers::pi / 180;
  const double across = mass * length * length / 12, along = spatial ? mass * radius * radius / 2 : 0;
  const double inclination = angle * std::numbers::pi / 180;
  ModelSpec spec;
  // The ends are balls whose centres are P and Q: at contact these are at z = 0.
  add_half_space(spec, "floor", translation(0, 0, -radius));
  for (int k = 1; k <= links; ++k) {
    BodySpec rod{.name = "rod_" + std::to_string(k), .inertia = {}, .geometry = {}};
    rod.inertia = {mass, {0, 0, 0}, Sym3<double>::diagonal(along, across, across)};
    const PlacedShape body = capsule_between({-length / 2, 0, 0}, {length / 2, 0, 0}, radius / 2);
    add_shape(rod, body.shape, body.X_SP, rod.name);
    rod.geometry.back().groups = rod.geometry.back().touches = 0;  // display only
    if (k == 1) add_shape(rod, Sphere{radius}, translation(-length / 2, 0, 0), "P");
    if (k == links) add_shape(rod, Sphere{radius}, translation(length / 2, 0, 0), "Q");
    const std::string parent = k == 1 ? "world" : "rod_" + std::to_string(k - 1);
    const JointType type =
        k == 1 ? (spatial ? JointType::free : JointType::planar) : (spatial ? JointType::ball : JointType::revolute);
    JointSpec j = joint(type, parent, rod.name, translation(k == 1 ? 0 : length / 2, 0, 0), swing_axis);
    j.name = k == 1 ? "base" : "hinge_" + std::to_string(k - 1);
    if (k > 1) j.X_CM = translation(-length / 2, 0, 0);
    const double half = 0.5 * inclination;  // about -y
    if (k == 1 && spatial) j.start_q = {std::cos(half), 0, -std::sin(half), 0, 0, 0, height};
    if (k == 1 && !spatial) j.start_q = {0, height, inclination};
    if (k > 1 && spatial) j.start_q = {std::cos(0.5 * bend), 0, 0, std::sin(0.5 * bend)};
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(rod));
  }
  if (links > 1) spec.contact_exclusions = {{"rod_1", "rod_" + std::to_string(links)}};
  make_all_of(spec, surface(0, 0));
  return spec;
}

// Pool: fifteen balls in a triangle and the cue ball, which hits its tip along x. They do not bounce off the cloth.
ModelSpec billiard(double speed, double gap, double mu, double restitution) {
  constexpr double radius = 0.028575, mass = 0.17, run = 0.5;
  const double step = 2 * radius + gap;
  ModelSpec spec;
  spec.world_geometry.push_back({"table", HalfSpace{}});
  add_free(spec, ball_of("cue", radius, mass), translation(-run, 0, radius), Mat3<double>::identity(), {speed, 0, 0});
  int number = 0;
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k <= row; ++k)
      add_free(spec, ball_of("ball_" + std::to_string(++number), radius, mass),
               translation(row * std::sqrt(0.75) * step, (k - 0.5 * row) * step, radius));
  Material ivory = surface(mu, restitution);
  ivory.name = "ball";
  make_all_of(spec, ivory);
  spec.world_geometry.front().material = surface(mu);
  spec.world_geometry.front().material.name = "cloth";
  PairMaterial rolling;
  rolling.friction = {mu, mu};
  spec.pair_rules.overrides = {{"ball", "cloth", rolling}};
  return spec;
}

// A fast ball and a thin plate: one step of 1 ms would carry the ball far through it. Without gravity.
ModelSpec thin_wall(double speed, double radius, double thickness, double restitution) {
  constexpr double run = 1, half = 1;
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  spec.world_geometry.push_back({"plate", Box{{thickness / 2, half, half}}, translation(thickness / 2, 0, 0)});
  add_free(spec, ball_of("ball", radius, 1), translation(-run - radius, 0, 0), Mat3<double>::identity(), {speed, 0, 0});
  make_all_of(spec, surface(0.5, restitution));
  return spec;
}

}  // namespace linchpin::scenes
