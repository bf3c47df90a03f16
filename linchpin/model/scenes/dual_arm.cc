// The dual-arm robot of [000 s.3, figure 1]: a sensor head of 4 links, two arms of 7 and a three-finger hand of 4 links
// on each, 26 links and 26 degrees of freedom, on a fixed column. The paper gives only the counts; sizes and masses are
// ours, typical of such robots. x forward, y left, z up; at zero the arms hang straight down.
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

constexpr double shoulder_height = 1.3, palm = 0.1, finger = 0.12;

LimbLink link(const char* name, const Vector& joint, const Vector& axis, double lower, double upper, double mass,
              const Vector& tip, double radius) {
  return {name, joint, axis, lower, upper, capsule_inertia(mass, tip, radius), tip, radius};
}

// clang-format off
std::vector<LimbLink> head() {
  return {
      link("neck_pan",  {0, 0, shoulder_height + 0.15}, z_axis, -2.5, 2.5, 1.5, {0, 0, 0.10}, 0.05),
      link("neck_tilt", {0, 0, 0.10},                   y_axis, -0.8, 1.2, 1.0, {0, 0, 0.12}, 0.04),
      link("head_pan",  {0, 0, 0.12},                   z_axis, -2.5, 2.5, 0.8, {0, 0, 0.06}, 0.04),
      link("head_tilt", {0, 0, 0.06},                   y_axis, -1.0, 1.0, 1.5, {0.05, 0, 0.05}, 0.06),
  };
}
std::vector<LimbLink> arm() {
  return {
      link("shoulder_yaw",   {0, 0.25, shoulder_height}, z_axis, -2.6, 2.6, 4.0, {0, 0, -0.12}, 0.08),
      link("shoulder_pitch", {0, 0, -0.12},              y_axis, -2.0, 2.0, 3.5, {0, 0, -0.15}, 0.07),
      link("upper_arm",      {0, 0, -0.15},              z_axis, -2.8, 2.8, 2.5, {0, 0, -0.30}, 0.06),
      link("elbow",          {0, 0, -0.30},              y_axis, -3.0, 0.8, 1.5, {0, 0, -0.15}, 0.05),
      link("forearm",        {0, 0, -0.15},              z_axis, -4.0, 1.2, 1.2, {0, 0, -0.15}, 0.045),
      link("wrist_pitch",    {0, 0, -0.15},              y_axis, -1.5, 1.5, 0.6, {0, 0, -0.06}, 0.04),
      link("palm",           {0, 0, -0.06},              z_axis, -3.0, 3.0, 1.0, {0, 0, -palm}, 0.045),
  };
}
// One finger turns its root about the palm's axis (spread); the other finger and the thumb only close. A positive
// angle closes the thumb towards -x and the fingers towards +x.
std::vector<LimbLink> spreading_finger() {
  return {
      link("spread",   {0, 0.03, -palm}, z_axis, -1.5, 1.5, 0.1, {-0.04, 0, 0}, 0.015),
      link("finger_1", {-0.04, 0, 0},    -y_axis, -0.3, 2.4, 0.15, {0, 0, -finger}, 0.012),
  };
}
std::vector<LimbLink> second_finger() {
  return {link("finger_2", {-0.04, -0.03, -palm}, -y_axis, -0.3, 2.4, 0.15, {0, 0, -finger}, 0.012)};
}
std::vector<LimbLink> thumb() {
  return {link("thumb", {0.04, 0, -palm}, y_axis, -0.3, 2.4, 0.15, {0, 0, -finger}, 0.012)};
}
// clang-format on

void add_hand(ModelSpec& spec, const std::string& prefix, bool mirror, const std::string& wrist) {
  for (std::vector<LimbLink> digit : {spreading_finger(), second_finger(), thumb()}) {
    if (mirror)
      for (LimbLink& l : digit) l = mirrored(l);
    const std::string last = add_limb(spec, prefix, wrist, digit);
    spec.frames.push_back({last + "_tip", last, translation(0, 0, -finger)});
  }
  spec.frames.push_back({prefix + "hand", wrist, translation(0, 0, -palm - finger / 2)});
}

}  // namespace

ModelSpec dual_arm() {
  ModelSpec spec;
  const Box column{{0.1, 0.17, (shoulder_height + 0.1) / 2}};
  spec.world_geometry = {{"column", column, translation(0, 0, column.half.z)}};
  const std::string sensor = add_limb(spec, "", "world", head());
  add_shape(body_named(spec, sensor), Box{{0.04, 0.12, 0.04}}, translation(0.05, 0, 0.06), "cameras");
  spec.frames.push_back({"camera", sensor, translation(0.09, 0, 0.06)});
  const BothSides wrists = add_limbs(spec, "world", arm());
  add_hand(spec, "left_", false, wrists.left);
  add_hand(spec, "right_", true, wrists.right);
  return spec;
}

}  // namespace linchpin::scenes
