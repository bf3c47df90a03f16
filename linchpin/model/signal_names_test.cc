#include "linchpin/model/signal_names.h"

#include <gtest/gtest.h>

#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/model/testing.h"

namespace linchpin {
namespace {

ModelSpec one_of_each_joint() {
  ModelSpec spec;
  for (int i = 0; i < joint_type_count; ++i) {
    const std::string name(to_string(JointType(i)));
    spec.bodies.push_back({name, {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, {}});
    spec.joints.push_back(joint("to_" + name, JointType(i), "world", name));
  }
  return spec;
}

using Texts = std::vector<std::string>;
void expect_one_per_coordinate(const Model& model, const Texts& q, const Texts& v) {
  ASSERT_EQ(q.size(), std::size_t(model.nq()));
  ASSERT_EQ(v.size(), std::size_t(model.nv()));
}

TEST(SignalNames, ThereIsOneForEachCoordinateInItsPlace) {
  const Model model = compile(one_of_each_joint()).value();
  const Texts q = position_names(model), v = velocity_names(model);
  ASSERT_NO_FATAL_FAILURE(expect_one_per_coordinate(model, q, v));
  for (const Joint& joint : model.joints()) {
    if (joint.nq == 1) {
      EXPECT_EQ(q[joint.q], joint.name);
    }
    for (int k = 0; k < joint.nq && joint.nq > 1; ++k) EXPECT_EQ(q[joint.q + k], joint.name + "." + std::to_string(k));
    for (int k = 0; k < joint.nv && joint.nv > 1; ++k) EXPECT_EQ(v[joint.v + k], joint.name + "." + std::to_string(k));
  }
}

// The unit of a rate is that of its coordinate per second, except for rotations: these have quaternions as coordinates.
TEST(SignalNames, UnitsAreThoseOfTheMotion) {
  const Model model = compile(one_of_each_joint()).value();
  const Texts q = position_units(model), v = velocity_units(model);
  ASSERT_NO_FATAL_FAILURE(expect_one_per_coordinate(model, q, v));
  for (const Joint& joint : model.joints()) {
    const bool rotation = joint.nq > joint.nv;  // a quaternion has one number more than its rate
    for (int k = 0; k < joint.nv; ++k) {
      const std::string& rate = v[joint.v + k];
      const std::string& own = q[joint.q + (rotation ? (k < 3 ? k : k + 1) : k)];
      if (rotation && k < 3) {
        EXPECT_EQ(own, "") << joint.name;
        EXPECT_EQ(rate, "rad/s") << joint.name;
      } else {
        EXPECT_EQ(own + "/s", rate) << joint.name << " " << k;
      }
    }
  }
  const auto unit = [&](const char* joint, int k) { return q[model.joints()[model.find_joint(joint)].q + k]; };
  EXPECT_EQ(unit("to_prismatic", 0), "m");
  EXPECT_EQ(unit("to_screw", 0), "rad");
  EXPECT_EQ(unit("to_cylindrical", 0), "rad");
  EXPECT_EQ(unit("to_cylindrical", 1), "m");
  EXPECT_EQ(unit("to_planar", 1), "m");
  EXPECT_EQ(unit("to_planar", 2), "rad");
  EXPECT_EQ(unit("to_free", 3), "");
  EXPECT_EQ(unit("to_free", 4), "m");
  EXPECT_EQ(unit("to_translational", 2), "m");
}

TEST(SignalNames, ReactionsGoByTheirConstraint) {
  const Model model = compile(scene("@four_bar").value()).value();
  const auto names = reaction_names(model);
  std::size_t rows = 0;
  for (const Constraint& c : model.constraints()) rows += std::size_t(row_count(c));
  ASSERT_EQ(names.size(), rows);
  EXPECT_EQ(names.front(), model.constraints().front().name + ".0");
}

TEST(SignalNames, ShapesHaveTheNamesOfBodyAndGeometry) {
  ModelSpec spec = one_of_each_joint();
  spec.bodies[3].geometry = {{.name = "tip", .shape = Sphere{1}}, {.name = "", .shape = Sphere{2}}};
  spec.world_geometry = {{.name = "floor", .shape = HalfSpace{}}};
  const Model model = compile(spec).value();
  Texts names;
  for (std::size_t i = 0; i < model.shapes().size(); ++i) names.push_back(shape_name(model, int(i)));
  EXPECT_EQ(names, (Texts{"world/floor", spec.bodies[3].name + "/tip", spec.bodies[3].name + "/1"}));
}

}  // namespace
}  // namespace linchpin
