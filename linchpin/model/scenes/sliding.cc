// Bodies that slide, stick or roll on a plane. g = 9.81.
#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

constexpr double degree = std::numbers::pi / 180;

}  // namespace

// Downhill is x turned by `heading` about the vertical; `turn` is the box's rotation about the slope's normal. F of the
// joint has x downhill and z along the normal: the fifth coordinate, q[4], is the distance s slid. From rest the box
// stays if mu >= tan(angle), else s = g (sin - mu cos) t^2 / 2.
ModelSpec slope(double angle, double mu, double heading, double turn, double speed) {
  constexpr double half = 0.1, mass = 1;
  const Mat3<double> R = rotation_z(heading * degree) * rotation_y(angle * degree);
  ModelSpec spec;
  add_half_space(spec, "slope", {R, {0, 0, 0}});
  BodySpec box{.name = "box", .inertia = {}, .geometry = {}};
  add_solid(box, Box{{half, half, half}}, mass, Transform<double>::identity(), "box");
  add_free(spec, std::move(box), {R, half * R.z}, rotation_z(turn * degree), {speed, 0, 0});
  make_all_of(spec, surface(mu));
  return spec;
}

// Slides without rotation at first. Friction decelerates it at mu g and spins it up until it rolls: at 5/7 of the
// speed, after 2 speed / (7 mu g).
ModelSpec roll(double speed, double radius, double mu) {
  ModelSpec spec;
  add_floor(spec);
  BodySpec ball{.name = "ball", .inertia = {}, .geometry = {}};
  add_solid(ball, Sphere{radius}, 1, Transform<double>::identity(), "ball");
  add_free(spec, std::move(ball), translation(0, 0, radius), Mat3<double>::identity(), {speed, 0, 0});
  make_all_of(spec, surface(mu));
  return spec;
}

// Painleve 1895: a rod with one end on rough ground, its centre to +x of that end, which slides to -x. With the
// friction mu N to +x a force N on the end accelerates it upwards by
//     N/m (1 + 3 cos a (cos a - mu sin a))                                       (1)
// for a slender rod, which is negative for large mu (above 4/3 at the worst inclination): no force N >= 0 keeps the end
// from penetrating the ground, and it stops by an impact without a collision.
ModelSpec painleve(double angle, double mu, double speed) {
  constexpr double half = 0.5, radius = 0.005, mass = 1;
  const Vector along{std::cos(angle * degree), 0, std::sin(angle * degree)};  // from the end on the ground upwards
  ModelSpec spec;
  add_floor(spec);
  BodySpec rod{.name = "rod", .inertia = {}, .geometry = {}};
  add_solid(rod, Capsule{radius, half}, mass, Transform<double>::identity(), "rod");
  add_free(spec, std::move(rod), translation(0, 0, half * along.z + radius), frame_with_z(along), {-speed, 0, 0});
  make_all_of(spec, surface(mu));
  return spec;
}

}  // namespace linchpin::scenes
