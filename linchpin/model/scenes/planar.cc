// Mechanisms that move in one plane.
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

ModelSpec cart_pole(double pole_mass, double length) {
  ModelSpec spec;
  BodySpec cart{.name = "cart", .inertia = {}, .geometry = {}};
  add_solid(cart, Box{{0.2, 0.1, 0.1}}, 1, Transform<double>::identity(), "cart");
  JointSpec rail = joint(JointType::prismatic, "world", "cart", Transform<double>::identity(), {1, 0, 0});
  rail.name = "rail";
  rail.dofs = {DofSpec{.lower = -2.4, .upper = 2.4}};

  BodySpec pole{.name = "pole", .inertia = {}, .geometry = {}};
  const PlacedShape rod = capsule_between({0, 0, 0}, {0, 0, length}, length / 40);
  add_solid(pole, rod.shape, pole_mass, rod.X_SP, "pole");
  // About +y: the pole is upright at zero, and with a positive angle it falls to +x.
  JointSpec hinge = joint(JointType::revolute, "cart", "pole", translation(0, 0, 0.1), {0, 1, 0});
  hinge.name = "hinge";

  spec.bodies = {std::move(cart), std::move(pole)};
  spec.joints = {std::move(rail), std::move(hinge)};
  spec.frames = {{"pole_tip", "pole", translation(0, 0, length)}};
  PlacedShape beam = capsule_between({-2.6, 0, 0}, {2.6, 0, 0}, 0.02);
  spec.world_geometry = {{"rail", beam.shape, beam.X_SP}};
  return spec;
}

// In the horizontal plane, as on a table: hinges about z.
ModelSpec planar_arm(int links) {
  constexpr double length = 0.5, radius = 0.04;
  ModelSpec spec;
  std::string before = "world";
  for (int k = 1; k <= links; ++k) {
    BodySpec body{.name = "link_" + std::to_string(k), .inertia = {}, .geometry = {}};
    const PlacedShape rod = capsule_between({0, 0, 0}, {length, 0, 0}, radius);
    add_solid(body, rod.shape, 1, rod.X_SP, body.name);
    JointSpec j = joint(JointType::revolute, before, body.name, translation(k == 1 ? 0 : length, 0, 0));
    j.name = "hinge_" + std::to_string(k);
    before = body.name;
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(body));
  }
  spec.frames = {{"tip", before, translation(length, 0, 0)}};
  return spec;
}

ModelSpec planar_walker() {
  constexpr double thigh = 0.4, shank = 0.4, ankle = 0.08;  // ankle: from its axis down to the sole
  ModelSpec spec;
  BodySpec torso{.name = "torso", .inertia = {}, .geometry = {}};
  add_solid(torso, Box{{0.1, 0.15, 0.25}}, 20, translation(0, 0, 0.25), "torso");
  // The plane of a planar joint about -y is spanned by x and z. At zero the soles touch z = 0.
  JointSpec root = joint(JointType::planar, "world", "torso", translation(0, 0, thigh + shank + ankle), swing_axis);
  root.name = "plane";
  spec.bodies.push_back(std::move(torso));
  spec.joints.push_back(std::move(root));

  const Vector down_thigh{0, 0, -thigh}, down_shank{0, 0, -shank};
  BodySpec foot{.name = "foot", .inertia = {}, .geometry = {}};
  const Box sole{{0.12, 0.05, 0.02}};
  const Transform<double> X_sole = translation(0.05, 0, -ankle + sole.half.z);
  add_solid(foot, sole, 1, X_sole, "sole");
  const LimbLink leg[] = {
      {"thigh", {0, 0.1, 0}, swing_axis, -0.7, 2.0, capsule_inertia(5, down_thigh, 0.06), down_thigh, 0.06},
      {"shank", down_thigh, swing_axis, -2.4, 0.0, capsule_inertia(3, down_shank, 0.05), down_shank, 0.05},
      {"foot", down_shank, swing_axis, -0.9, 0.9, foot.inertia, {0, 0, -0.04}, 0.03},
  };
  const BothSides feet = add_limbs(spec, "torso", leg);
  for (const std::string& name : {feet.left, feet.right}) {
    add_shape(body_named(spec, name), sole, X_sole, name + "_sole");
    spec.frames.push_back({name + "_sole", name, translation(0.05, 0, -ankle)});
  }
  return spec;
}

}  // namespace linchpin::scenes
