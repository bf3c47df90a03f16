// Two humanoids of the same build, 1.8 m tall: one with the 24 links of [001], whose arms end with the forearm, and one
// with 30, whose arms have wrists. x forward, y left, z up; at zero all frames are parallel and the robot stands.
//
// The masses and moments are round numbers, not those of homogeneous solids; the shapes are for display and contact
// only. No damping, springs or armature, so that other engines compute the same mechanism.
#include <algorithm>
#include <map>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

constexpr Vector here{0, 0, 0};
constexpr double sole_below_ankle = 0.08;
constexpr double pelvis_height = 0.05 + 0.4 + 0.4 + sole_below_ankle;  // the soles at z = 0
const Shape pelvis_shape = Box{{0.08, 0.14, 0.07}};

InertiaSpec body(double mass, const Vector& centre, const Vector& moments) {
  return {mass, centre, Sym3<double>::diagonal(moments.x, moments.y, moments.z)};
}

// clang-format off
//   name, joint in the previous link, axis, limits, mass, centre, moments, end of its capsule, radius
const std::vector<LimbLink>& leg() {
  static const std::vector<LimbLink> links = {
    {"hip_yaw",     {0, 0.1, -0.05}, z_axis, -0.8, 0.8, body(1.0, here, {.01, .01, .01}), here, 0.06},
    {"hip_roll",    here,            x_axis, -0.4, 0.8, body(1.0, here, {.01, .01, .01}), here, 0.06},
    {"hip_pitch",   here,            y_axis, -2.0, 0.7, body(6.0, {0, 0, -0.2}, {.09, .09, .02}), {0, 0, -0.4}, 0.06},
    {"knee",        {0, 0, -0.4},    y_axis,  0.0, 2.4, body(3.5, {0, 0, -0.2}, {.05, .05, .01}), {0, 0, -0.4}, 0.05},
    {"ankle_pitch", {0, 0, -0.4},    y_axis, -0.9, 0.7, body(1.0, here, {.01, .01, .01}), here, 0.04},
    {"ankle_roll",  here,            x_axis, -.4, .4, body(1.5, {.03, 0, -.05}, {.012, .012, .012}), {0, 0, -.04}, .03},
  };
  return links;
}
const std::vector<LimbLink>& waist() {
  static const std::vector<LimbLink> links = {
    {"waist_yaw",   {0, 0, 0.1},  z_axis, -1.2, 1.2, body(2.0, {0, 0, 0.03}, {.02, .02, .02}), {0, 0, 0.05}, 0.08},
    {"waist_pitch", {0, 0, 0.05}, y_axis, -0.5, 1.2, body(14.0, {0, 0, 0.2}, {.3, .25, .15}), {0, 0, 0.35}, 0.12},
  };
  return links;
}
const std::vector<LimbLink>& neck() {
  static const std::vector<LimbLink> links = {
    {"neck_yaw",   {0, 0, 0.45}, z_axis, -1.2, 1.2, body(0.8, {0, 0, 0.02}, {.01, .01, .01}), {0, 0, 0.04}, 0.05},
    {"neck_pitch", {0, 0, 0.05}, y_axis, -0.6, 0.6, body(4.0, {0, 0, 0.1}, {.03, .03, .02}), {0, 0, 0.1}, 0.09},
  };
  return links;
}
const std::vector<LimbLink>& shoulder() {
  static const std::vector<LimbLink> links = {
    {"shoulder_pitch", {0, 0.2, 0.38}, y_axis, -3.0, 1.0, body(1.0, here, {.01, .01, .01}), here, 0.06},
    {"shoulder_roll",  here,           x_axis, -0.3, 2.8, body(1.0, here, {.01, .01, .01}), here, 0.06},
    {"shoulder_yaw",   here,           z_axis, -1.5, 1.5, body(2.0, {0, 0, -.15}, {.02, .02, .01}), {0, 0, -.3}, .05},
  };
  return links;
}
const std::vector<LimbLink>& forearm() {  // one link from the elbow to the hand
  static const std::vector<LimbLink> links = {
    {"elbow", {0, 0, -0.3}, y_axis, -2.4, 0.0, body(1.5, {0, 0, -0.15}, {.015, .015, .008}), {0, 0, -0.3}, 0.04},
  };
  return links;
}
const std::vector<LimbLink>& forearm_with_wrist() {
  static const std::vector<LimbLink> links = {
    {"elbow",       {0, 0, -.3},  y_axis, -2.4, .0, body(0.7, {0, 0, -.06}, {.003, .003, .002}), {0, 0, -.12}, .04},
    {"wrist_yaw",   {0, 0, -.12}, z_axis, -1.5, 1.5, body(0.4, {0, 0, -.06}, {.002, .002, .001}), {0, 0, -.12}, .035},
    {"wrist_pitch", {0, 0, -0.12}, y_axis, -0.8, 0.8, body(0.2, here, {.001, .001, .001}), here, 0.035},
    {"wrist_roll",  here,          x_axis, -.5, .5, body(0.4, {0, 0, -.05}, {.001, .001, .001}), {0, 0, -.06}, .04},
  };
  return links;
}
// clang-format on

// The pelvis exists already, as a body or as part of the world; X_PB is its frame in `root`.
void add_limbs_to(ModelSpec& spec, const std::string& root, const Transform<double>& X_PB,
                  const std::vector<LimbLink>& lower_arm, double hand_below_last_joint) {
  std::vector<LimbLink> from_root = leg();
  from_root.front().joint += X_PB.p;
  const BothSides feet = add_limbs(spec, root, from_root);
  for (const std::string& foot : {feet.left, feet.right}) {
    const Box sole{{0.12, 0.07, 0.02}};
    add_shape(body_named(spec, foot), sole, translation(0.03, 0, sole.half.z - sole_below_ankle), foot + "_sole");
  }
  from_root = waist();
  from_root.front().joint += X_PB.p;
  const std::string chest = add_limb(spec, "", root, from_root);
  std::vector<LimbLink> arm = shoulder();
  arm.insert(arm.end(), lower_arm.begin(), lower_arm.end());
  const BothSides hands = add_limbs(spec, chest, arm);
  const std::string head = add_limb(spec, "", chest, neck());

  const Transform<double> X_sole = translation(0.03, 0, -sole_below_ankle);
  const Transform<double> X_hand = translation(0, 0, -hand_below_last_joint);
  spec.frames = {{"left_foot", feet.left, X_sole},
                 {"right_foot", feet.right, X_sole},
                 {"left_hand", hands.left, X_hand},
                 {"right_hand", hands.right, X_hand},
                 {"head", head, translation(0, 0, 0.1)}};
}

void add_free_pelvis(ModelSpec& spec) {
  BodySpec pelvis{.name = "pelvis", .inertia = body(10, here, {.1, .1, .1}), .geometry = {}};
  add_shape(pelvis, pelvis_shape, Transform<double>::identity(), "pelvis");
  JointSpec free = joint(JointType::free, "world", "pelvis", translation(0, 0, pelvis_height));
  free.name = "free";
  spec.bodies.push_back(std::move(pelvis));
  spec.joints.push_back(std::move(free));
}

}  // namespace

// With a fixed pelvis it has 24 bodies and 24 joints, as in [001]; the frames left_hand and right_hand are the m = 2
// operational points there. The paper does not say how its 24 links are distributed; this is our choice.
ModelSpec humanoid24(bool floating) {
  ModelSpec spec;
  const Transform<double> X_WB = translation(0, 0, pelvis_height);
  if (floating) {
    add_free_pelvis(spec);
    add_limbs_to(spec, "pelvis", Transform<double>::identity(), forearm(), 0.3);
  } else {
    spec.world_geometry = {{"pelvis", pelvis_shape, X_WB}};
    add_limbs_to(spec, "world", X_WB, forearm(), 0.3);
  }
  return spec;
}

ModelSpec humanoid() {
  ModelSpec spec;
  add_free_pelvis(spec);
  add_limbs_to(spec, "pelvis", Transform<double>::identity(), forearm_with_wrist(), 0.08);
  return spec;
}

// The ankle servos must carry it: together they must exceed weight times height of the centre of mass, about
// 600 N m/rad. Each foot stands on four balls instead of its sole, so that every engine finds the same eight contact
// points.
ModelSpec stand(bool feet_only) {
  struct Gains {
    double stiffness, damping;
  };
  const std::map<std::string, Gains> gains = {
      {"hip_yaw", {1000, 10}},     {"hip_roll", {1000, 10}},    {"hip_pitch", {1000, 10}},
      {"knee", {1000, 10}},        {"ankle_pitch", {800, 8}},   {"ankle_roll", {800, 8}},
      {"waist_yaw", {600, 8}},     {"waist_pitch", {1000, 15}}, {"shoulder_pitch", {150, 3}},
      {"shoulder_roll", {150, 3}}, {"shoulder_yaw", {100, 2}},  {"elbow", {100, 2}},
      {"neck_yaw", {50, 1}},       {"neck_pitch", {80, 1.5}},
  };
  constexpr double ball = 0.02;
  ModelSpec spec = humanoid24(true);
  add_floor(spec);
  for (const std::string side : {"left_", "right_"}) {
    BodySpec& foot = body_named(spec, side + "ankle_roll");
    std::erase_if(foot.geometry, [](const GeometrySpec& g) { return g.name.ends_with("_sole"); });
    int number = 0;
    for (const double x : {0.13, -0.07})
      for (const double y : {0.05, -0.05})
        add_shape(foot, Sphere{ball}, translation(x, y, ball - sole_below_ankle),
                  side + "foot_" + std::to_string(++number));
  }
  for (JointSpec& j : spec.joints) {
    if (j.type != JointType::revolute) continue;
    std::string name = j.child;
    for (const char* side : {"left_", "right_"})
      if (name.starts_with(side)) name.erase(0, std::string(side).size());
    add_servo(spec, j, gains.at(name).stiffness, gains.at(name).damping);
    give_way_at_zero(j);
  }
  touch_only_the_world(spec, feet_only, "foot");
  return spec;
}

}  // namespace linchpin::scenes
