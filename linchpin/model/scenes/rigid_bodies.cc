// Single rigid bodies whose motion is known in closed form.
#include <cmath>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

ModelSpec top() {
  constexpr double mass = 1, length = 1;       // pivot to centre of mass
  constexpr double across = 1.5, along = 0.5;  // moments about the pivot
  constexpr double at_centre = across - mass * length * length;
  BodySpec body{.name = "top", .inertia = {}, .geometry = {}};
  body.inertia = {mass, {0, 0, length}, Sym3<double>::diagonal(at_centre, at_centre, along)};
  const PlacedShape stem = capsule_between({0, 0, 0}, {0, 0, 1.3 * length}, 0.03);
  add_shape(body, stem.shape, stem.X_SP, "stem");
  add_shape(body, Cylinder{0.6, 0.1}, translation(0, 0, length), "disc");
  ModelSpec spec;
  JointSpec pivot = joint(JointType::ball, "world", "top", Transform<double>::identity());
  pivot.name = "pivot";
  spec.bodies = {std::move(body)};
  spec.joints = {std::move(pivot)};
  return spec;
}

ModelSpec free_body(bool symmetric) {
  BodySpec body{.name = "body", .inertia = {}, .geometry = {}};
  body.inertia.mass = 1;
  body.inertia.moments = symmetric ? Sym3<double>::diagonal(1, 1, 2) : Sym3<double>::diagonal(1, 2, 3);
  // Both satisfy xx + yy = zz: plates without thickness. The displayed shapes have a little.
  if (symmetric)
    add_shape(body, Cylinder{2, 0.05}, Transform<double>::identity(), "disc");
  else
    add_shape(body, Box{{std::sqrt(6.0), std::sqrt(3.0), 0.05}}, Transform<double>::identity(), "plate");
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  JointSpec free = joint(JointType::free, "world", "body", Transform<double>::identity());
  free.name = "free";
  spec.bodies = {std::move(body)};
  spec.joints = {std::move(free)};
  return spec;
}

}  // namespace linchpin::scenes
