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
