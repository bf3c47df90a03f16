// A capsule held between two flat fingers by friction alone.
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

// The fingers slide on rails along x, each pressed on by a spring of its joint with force N. Together they can carry
// 2 mu N = hold m g.
ModelSpec grip(double hold, double mu) {
  constexpr double mass = 0.5, radius = 0.03, half_length = 0.05, height = 0.5;
  constexpr double stiffness = 1000, damping = 20;
  constexpr Vector pad{0.01, 0.03, 0.08};
  ModelSpec spec;
  const double press = hold * mass * -spec.gravity.z / (2 * mu);
  BodySpec capsule{.name = "capsule", .inertia = {}, .geometry = {}};
  add_solid(capsule, Capsule{radius, half_length}, mass, Transform<double>::identity(), "capsule");
  add_free(spec, std::move(capsule), translation(0, 0, height));
  for (const double side : {-1.0, 1.0}) {
    BodySpec finger{.name = side < 0 ? "left" : "right", .inertia = {}, .geometry = {}};
    add_solid(finger, Box{pad}, 0.2, Transform<double>::identity(), finger.name + "_pad");
    JointSpec j = joint(JointType::prismatic, "world", finger.name, translation(side * (radius + pad.x), 0, height),
                        {-side, 0, 0});
    j.dofs = {DofSpec{.damping = damping, .stiffness = stiffness, .rest = press / stiffness}};
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(finger));
  }
  make_all_of(spec, surface(mu));
  return spec;
}

}  // namespace linchpin::scenes
