// Model: elements are found by name.
#include "linchpin/model/model.h"

#include <gtest/gtest.h>

#include "linchpin/model/compile_testing.h"

namespace linchpin {
namespace {

using namespace compile_testing;

TEST(Model, FindsWhatItHasByName) {
  ModelSpec spec = leg();
  spec.world_geometry = {{"floor", Box{{1, 1, 1}}}};
  spec.bodies[1].geometry = {{"skin", Sphere{0.2}, translation(0, 0, 4)}};
  const Model model = compiled(spec);
  EXPECT_EQ(model.name(), "leg");
  EXPECT_EQ(model.gravity().z, -9.81);
  EXPECT_EQ(model.find_body("world"), 0);
  EXPECT_EQ(model.find_body("shank"), 2);
  EXPECT_EQ(model.find_joint("knee"), 1);
  EXPECT_EQ(model.find_frame("foot"), 0);
  for (const char* nobody : {"", "a", "knee", "shan", "shanks", "zebra"})
    EXPECT_EQ(model.find_body(nobody), -1) << nobody;
  EXPECT_EQ(model.find_joint("shank"), -1);
  EXPECT_EQ(model.find_frame("world"), -1);
  EXPECT_EQ(Model().find_body("world"), -1);
  EXPECT_EQ(model.frames()[0].body, 2);
  EXPECT_EQ(model.frames()[0].X_BF.p.z, 1);
  EXPECT_EQ(model.bodies()[0].geometry.at(0).name, "floor");
  EXPECT_EQ(model.bodies()[2].geometry.at(0).name, "skin");
  EXPECT_EQ(model.bodies()[2].geometry.at(0).X_BG.p.z, 4);
}

// A default Model has no gravity, no coordinates and no mass.
TEST(Model, OfNothingIsNothing) {
  const Model nothing;
  EXPECT_EQ(nothing.gravity().x, 0);
  EXPECT_EQ(nothing.gravity().y, 0);
  EXPECT_EQ(nothing.gravity().z, 0);
  EXPECT_EQ(nothing.nq(), 0);
  EXPECT_EQ(nothing.nv(), 0);
  EXPECT_EQ(nothing.total_mass(), 0);
}

TEST(Model, CopiesFindTheirOwn) {
  const Model model = compiled(scene_spec("@humanoid"));
  const Model copy = model;
  for (std::size_t b = 0; b < model.bodies().size(); ++b) EXPECT_EQ(copy.find_body(model.bodies()[b].name), int(b));
  for (std::size_t j = 0; j < model.joints().size(); ++j) EXPECT_EQ(copy.find_joint(model.joints()[j].name), int(j));
}

}  // namespace
}  // namespace linchpin
