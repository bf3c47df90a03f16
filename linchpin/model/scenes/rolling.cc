// Bodies that roll on the plane z = 0 without slipping. The plane has no shape: rolling is a constraint here, and
// contact would duplicate it.
#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

void add_rolling(ModelSpec& spec, BodySpec body, const Transform<double>& X_WF, const Mat3<double>& R_FB,
                 const Vector& half_axes) {
  JointSpec free = joint(JointType::free, "world", body.name, X_WF);
  free.name = "free";
  free.X_CM.R = transpose(R_FB);
  spec.constraints = {
      {"rolling", RollingSpec{.a = {}, .b = {body.name, Transform<double>::identity()}, .half_axes = half_axes}}};
  spec.joints = {std::move(free)};
  spec.bodies = {std::move(body)};
}

}  // namespace

// The disc's axis of symmetry is its z. At zero it stands over the origin, its axis along -y, leaning by `tilt` to +y;
// the joint frames then have the world's axes, so that upright it rolls along x with v = (0, w, 0, w radius, 0, 0).
ModelSpec rolling_disc(double radius, bool hoop, double tilt) {
  constexpr double mass = 1;
  const double along = (hoop ? 1 : 0.5) * mass * radius * radius;
  BodySpec body{.name = "disc", .inertia = {}, .geometry = {}};
  body.inertia = {mass, {0, 0, 0}, Sym3<double>::diagonal(along / 2, along / 2, along)};
  add_shape(body, Cylinder{radius, radius / 50}, Transform<double>::identity(), "disc");
  const PlacedShape mark = capsule_between({0, 0, 0}, {0.9 * radius, 0, 0}, radius / 30);  // makes the rotation visible
  add_shape(body, mark.shape, mark.X_SP, "mark");
  const Mat3<double> R_WB = rotation_x((90 - tilt) * std::numbers::pi / 180);
  const double height = radius * std::hypot(R_WB.x.z, R_WB.y.z);  // of the centre, when the rim is on the ground
  ModelSpec spec;
  add_rolling(spec, std::move(body), translation(0, 0, height), R_WB, {radius, radius, 0});
  return spec;
}

// A celt: an ellipsoid whose principal axes of inertia are slightly turned against its own axes, so that it prefers one
// direction of spin. Numbers of Kane and Levinson 1982; the body's frame is the ellipsoid's.
ModelSpec rattleback() {
  const Vector half{.20, .03, .02};
  BodySpec body{.name = "celt", .inertia = {}, .geometry = {}};
  body.inertia = {1, {0, 0, -.01}, Sym3<double>{2e-4, 16e-4, 17e-4, -.2e-4, 0, 0}};
  const PlacedShape keel = capsule_between({-.16, 0, 0}, {.16, 0, 0}, .015);
  add_shape(body, keel.shape, keel.X_SP, "keel");
  add_shape(body, Box{{.12, .025, .008}}, Transform<double>::identity(), "hull");
  ModelSpec spec;
  add_rolling(spec, std::move(body), translation(0, 0, half.z), Mat3<double>::identity(), half);
  return spec;
}

}  // namespace linchpin::scenes
