// A four-legged robot of about 25 kg. x forward, y left, z up. At zero the legs are straight and the feet touch z = 0.
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

constexpr double thigh = 0.25, shank = 0.25, foot_radius = 0.025;
constexpr double hip_height = thigh + shank + foot_radius;

// A leg on the left side; `hip` is the position of its first joint in the trunk.
std::vector<LimbLink> leg(const Vector& hip) {
  constexpr Vector outwards{0, 0.08, 0}, down_thigh{0, 0, -thigh}, down_shank{0, 0, -shank};
  return {
      {"hip_roll", hip, x_axis, -0.8, 0.8, capsule_inertia(1.2, outwards, 0.045), outwards, 0.045},
      {"hip_pitch", outwards, y_axis, -1.5, 2.5, capsule_inertia(1.6, down_thigh, 0.03), down_thigh, 0.03},
      {"knee", down_thigh, y_axis, -2.7, 0.0, capsule_inertia(0.4, down_shank, 0.02), down_shank, 0.02},
  };
}

// A ball, as is usual for such robots: the shank may be at any angle to the ground.
void add_foot(ModelSpec& spec, const std::string& prefix, const std::string& knee) {
  const Transform<double> X_foot = translation(0, 0, -shank);
  add_shape(body_named(spec, knee), Sphere{foot_radius}, X_foot, prefix + "foot");
  spec.frames.push_back({prefix + "foot", knee, X_foot});
}

}  // namespace

ModelSpec quadruped() {
  ModelSpec spec;
  BodySpec trunk{.name = "trunk", .inertia = {}, .geometry = {}};
  add_solid(trunk, Box{{0.28, 0.1, 0.06}}, 12, Transform<double>::identity(), "trunk");
  JointSpec free = joint(JointType::free, "world", "trunk", translation(0, 0, hip_height));
  free.name = "free";
  spec.bodies.push_back(std::move(trunk));
  spec.joints.push_back(std::move(free));
  for (const double end : {1.0, -1.0})
    for (const double side : {1.0, -1.0}) {
      const std::string prefix = std::string(end > 0 ? "front_" : "rear_") + (side > 0 ? "left_" : "right_");
      std::vector<LimbLink> links = leg({0.22 * end, 0.07, 0});
      if (side < 0)
        for (LimbLink& link : links) link = mirrored(link);
      add_foot(spec, prefix, add_limb(spec, prefix, "trunk", links));
    }
  return spec;
}

ModelSpec quadruped_leg() {
  ModelSpec spec;
  add_foot(spec, "", add_limb(spec, "", "world", leg({0, 0, hip_height})));
  return spec;
}

// Straight legs: the joints carry its weight, and the servos only keep the legs from buckling.
ModelSpec stand4(bool feet_only) {
  ModelSpec spec = quadruped();
  add_floor(spec);
  for (JointSpec& j : spec.joints) {
    if (j.type != JointType::revolute) continue;
    add_servo(spec, j, 300, 6);
    give_way_at_zero(j);
  }
  touch_only_the_world(spec, feet_only, "foot");
  return spec;
}

}  // namespace linchpin::scenes
