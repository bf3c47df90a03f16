// A biped with bird-like legs in which rods transmit the motion of motors placed high up. Dimensions and masses are
// ours.
//
// Each leg has three joints at the hip; below them all move in one plane:
//
//     hip                  a rod of fixed length from the thigh's top to the heel, a spur of the tarsus behind its
//      | \                 joint, keeps the tarsus nearly parallel to the thigh; the leaf spring in the shin, near the
//      |  \ thigh          knee, yields under load
//      |   \               a crank on the tarsus turns the toe by a push rod; its motor is high above the ground
//   rod|   / knee
//      |  / shin
//    heel/
//       \ tarsus
//        \.
//         toe
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

const Vector side_axis{0, 1, 0};  // a positive angle swings a hanging link to -x

// Points of the left leg at zero, relative to the pelvis; the hip joints are above one another.
constexpr double hip_width = 0.13, hip_height = 0.97;
const Vector hip{0, hip_width, 0}, knee{0.18, hip_width, -0.33}, leaf{0.145, hip_width, -0.37},
    ankle{-0.14, hip_width, -0.56}, heel{-0.20, hip_width, -0.50}, rod_top{-0.03, hip_width, -0.05},
    crank{-0.07, hip_width, -0.70}, crank_tip{-0.12, hip_width, -0.73}, toe{0.02, hip_width, -0.90},
    toe_lever{-0.03, hip_width, -0.93};
constexpr double sole_radius = 0.025;
const Vector toe_front{0.14, hip_width, sole_radius - hip_height}, toe_back{0, hip_width, sole_radius - hip_height};

Vector on_side(Vector p, int side) { return {p.x, side * p.y, p.z}; }

void add_rods(ModelSpec& spec, const std::string& prefix, int side) {
  const auto at = [&](const char* body, const Vector& joint_at, const Vector& point) {
    return point_on(prefix + body, on_side(point - joint_at, side));
  };
  spec.constraints.push_back({prefix + "heel_rod", RodSpec{.a = at("thigh", hip, rod_top),
                                                           .b = at("tarsus", ankle, heel),
                                                           .length = norm(heel - rod_top),
                                                           .extension = {}}});
  // The push rod is a body of its own, with a universal joint on the crank and a ball loop at the toe.
  const Vector along = toe_lever - crank_tip;
  const std::string name = prefix + "push_rod";
  BodySpec rod{.name = name, .inertia = {}, .geometry = {}};
  const PlacedShape seen = capsule_between({0, 0, 0}, along, 0.006);
  add_solid(rod, seen.shape, 0.08, seen.X_SP, name);
  JointSpec fork = joint(JointType::universal, prefix + "crank", name,
                         {Mat3<double>::identity(), on_side(crank_tip - crank, side)}, side_axis);
  fork.axis2 = cross(side_axis, along);
  spec.bodies.push_back(std::move(rod));
  spec.joints.push_back(std::move(fork));
  spec.constraints.push_back(loop(name + "_ball", LoopType::ball, at("toe", toe, toe_lever), point_on(name, along)));
}

}  // namespace

ModelSpec linkage_biped() {
  ModelSpec spec;
  BodySpec pelvis{.name = "pelvis", .inertia = {}, .geometry = {}};
  add_solid(pelvis, Box{{0.10, 0.11, 0.12}}, 11, translation(-0.02, 0, 0.14), "pelvis");
  JointSpec flight = joint(JointType::free, "world", "pelvis", translation(0, 0, hip_height));
  flight.name = "flight";
  spec.bodies.push_back(std::move(pelvis));
  spec.joints.push_back(std::move(flight));

  const auto link = [](const char* name, const Vector& before, const Vector& at, const Vector& axis, double lower,
                       double upper, double mass, const Vector& end, double radius) {
    return LimbLink{name, at - before, axis, lower, upper, capsule_inertia(mass, end - at, radius), end - at, radius};
  };
  const Vector hip_top = hip + Vector{0, 0, 0.10}, hip_middle = hip + Vector{0, 0, 0.05};
  const LimbLink leg[] = {
      link("hip_roll", {0, 0, 0}, hip_top, {1, 0, 0}, -0.3, 0.4, 1.6, hip_middle, 0.045),
      link("hip_yaw", hip_top, hip_middle, {0, 0, 1}, -0.4, 0.4, 1.5, hip, 0.045),
      link("thigh", hip_middle, hip, side_axis, -1.2, 0.8, 4.2, knee, 0.05),
      link("knee", hip, knee, side_axis, -0.9, 1.4, 0.7, leaf, 0.03),
      link("shin", knee, leaf, side_axis, -0.35, 0.35, 0.5, ankle, 0.022),
      link("tarsus", leaf, ankle, side_axis, -1.4, 0.9, 0.8, toe, 0.022),
      link("crank", ankle, crank, side_axis, -0.9, 0.9, 0.15, crank_tip, 0.012),
  };
  const LimbLink foot = link("toe", ankle, toe, side_axis, -0.9, 0.9, 0.2, toe_back, 0.02);
  add_limbs(spec, "pelvis", leg);
  for (const int side : {1, -1}) {
    const std::string prefix = side > 0 ? "left_" : "right_";
    add_rods(spec, prefix, side);
    const LimbLink this_foot[] = {side > 0 ? foot : mirrored(foot)};
    BodySpec& body = body_named(spec, add_limb(spec, prefix, prefix + "tarsus", this_foot));
    const auto sole = [&](const Vector& end) { return on_side(end - toe, side); };
    const PlacedShape under = capsule_between(sole(toe_back), sole(toe_front), sole_radius);
    add_solid(body, under.shape, 0.3, under.X_SP, prefix + "sole");
    spec.frames.push_back({prefix + "sole",
                           body.name,
                           {Mat3<double>::identity(), sole(0.5 * (toe_back + toe_front) - Vector{0, 0, sole_radius})}});
    BodySpec& tarsus = body_named(spec, prefix + "tarsus");
    const PlacedShape spur = capsule_between({0, 0, 0}, on_side(heel - ankle, side), 0.015);
    add_solid(tarsus, spur.shape, 0.1, spur.X_SP, prefix + "heel");
  }
  for (JointSpec& j : spec.joints)
    if (j.child.ends_with("shin")) j.dofs[0].stiffness = 1800;  // the leaf spring, N m/rad
  return spec;
}

}  // namespace linchpin::scenes
