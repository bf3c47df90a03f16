// Helpers of the tests of compile(): small specs, and checks that a spec is refused with the expected message.
#pragma once

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/model/model.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/testing.h"

namespace linchpin::compile_testing {

inline constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
inline const Sym3<double> sphere = Sym3<double>::diagonal(0.1, 0.1, 0.1);

// ---- specs ----

inline BodySpec solid(const std::string& name) {
  return {.name = name, .inertia = {1, {0.1, 0.2, 0.3}, sphere}, .geometry = {}};
}
inline JointSpec hinge(const std::string& name, const std::string& parent, const std::string& child) {
  JointSpec spec = joint(name, JointType::revolute, parent, child);
  spec.X_PF = translation(1, 0, 0);
  return spec;
}
inline std::string numbered(const std::string& stem, std::size_t i) { return stem + std::to_string(i); }
// world -(hip)- thigh -(knee)- shank, with a frame at the end.
inline ModelSpec leg() {
  ModelSpec spec;
  spec.name = "leg";
  spec.bodies = {solid("thigh"), solid("shank")};
  spec.joints = {hinge("hip", "world", "thigh"), hinge("knee", "thigh", "shank")};
  spec.frames = {{"foot", "shank", translation(0, 0, 1)}};
  return spec;
}
// One body on one joint of this type.
inline ModelSpec single(JointType type, const InertiaSpec& inertia) {
  ModelSpec spec;
  spec.bodies = {{.name = "b", .inertia = inertia, .geometry = {}}};
  spec.joints = {hinge("j", "world", "b")};
  spec.joints[0].type = type;
  return spec;
}
inline ModelSpec scene_spec(const std::string& text) { return scene(text).value(); }
// Texts of scenes: chains, robots and random trees, on the world and floating.
inline std::vector<std::string> some_scenes() {
  std::vector<std::string> texts{"@pendulum",  "@chain:links=30", "@heavy_light", "@humanoid",
                                 "@quadruped", "@dual_arm",       "@top",         "@forest",
                                 "@cart_pole", "@planar_walker"};
  for (int seed = 1; seed <= 30; ++seed)
    texts.push_back("@random_tree:bodies=30,seed=" + std::to_string(seed) + ",floating=" + std::to_string(seed % 2));
  return texts;
}

// ---- verdicts ----

inline std::string error_of(const ModelSpec& spec) {
  const Result<Model> result = compile(spec);
  return result.ok() ? "" : result.error().message;
}
inline Model compiled(const ModelSpec& spec) {
  Result<Model> result = compile(spec);
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// The message begins with the model's name and holds each of the parts.
inline void expect_refused(const ModelSpec& spec, const std::vector<std::string>& parts) {
  const std::string message = error_of(spec);
  ASSERT_NE(message, "") << "accepted; expected: " << parts.front();
  EXPECT_EQ(message.rfind(spec.name.empty() ? "model: " : "model '" + spec.name + "': ", 0), 0u) << message;
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}
inline void expect_accepted(const ModelSpec& spec) { EXPECT_EQ(error_of(spec), ""); }

// A leg with one thing changed.
inline void expect_leg_refused(const std::function<void(ModelSpec&)>& spoil, const std::vector<std::string>& parts) {
  ModelSpec spec = leg();
  spoil(spec);
  expect_refused(spec, parts);
}
inline void expect_leg_accepted(const std::function<void(ModelSpec&)>& change) {
  ModelSpec spec = leg();
  change(spec);
  expect_accepted(spec);
}

}  // namespace linchpin::compile_testing
