#include "linchpin/model/constraint_spec.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/model/model.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The tree of the tests: world - rail - cart - hinge - pole, and a loose ball.
ModelSpec tree() {
  ModelSpec spec = scene("@cart_pole").value();
  spec.bodies.push_back({.name = "ball", .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}});
  JointSpec loose;
  loose.name = "loose";
  loose.type = JointType::free;
  loose.child = "ball";
  spec.joints.push_back(loose);
  return spec;
}

LoopSpec pin(const char* a, const char* b) {
  LoopSpec loop;
  loop.a.body = a;
  loop.b.body = b;
  return loop;
}

std::string error_of(ConstraintSpec constraint) {
  ModelSpec spec = tree();
  spec.constraints = {std::move(constraint)};
  const Result<Model> model = compile(spec);
  return model.ok() ? "" : model.error().message;
}

TEST(TimeLaw, HasItsDerivatives) {
  const TimeLaw law{.polynomial = {1, -2, 3, 0.5}, .amplitude = 0.7, .frequency = 3, .phase = 0.2};
  const double t = 0.4, h = 1e-5;
  const TimeLaw::Value now = law.at(t), before = law.at(t - h), after = law.at(t + h);
  EXPECT_NEAR(now.value, 1 - 2 * t + 3 * t * t + 0.5 * t * t * t + 0.7 * std::sin(3 * t + 0.2), 1e-14);
  EXPECT_NEAR(now.rate, (after.value - before.value) / (2 * h), 1e-8);
  EXPECT_NEAR(now.acceleration, (after.rate - before.rate) / (2 * h), 1e-8);
  EXPECT_EQ(TimeLaw{}.at(5).value, 0);
}

TEST(LoopType, NamesAndRowsAreThoseOfTheTable) {
  const int rows[loop_type_count] = {6, 5, 5, 5, 4, 4, 3, 3, 3, 2, 1};
  for (int i = 0; i < loop_type_count; ++i) {
    const LoopType type = LoopType(i);
    EXPECT_EQ(row_count(type), rows[i]) << to_string(type);
    EXPECT_EQ(loop_type_from(to_string(type)), type);
  }
  EXPECT_FALSE(loop_type_from("hinge").has_value());
  EXPECT_THROW(to_string(LoopType(99)), CheckFailed);
}

TEST(Constraints, AreFoundInTheModel) {
  ModelSpec spec = tree();
  spec.constraints = {{"pinned", pin("world", "pole")}, gear("geared", "hinge", "rail", {0.5, 2})};
  spec.springs = {{"pull", {"world", translation(0, 0, 1)}, {"ball", translation(0, 0, 0)}, 10, 1, 0.5}};
  const Model model = compile(spec).value();
  ASSERT_EQ(model.constraints().size(), 2u);
  EXPECT_EQ(model.find_constraint("geared"), 1);
  EXPECT_EQ(model.find_constraint("nothing"), -1);
  EXPECT_EQ(row_count(model.constraints()[0]), 5);
  const Coupling& geared = std::get<Coupling>(model.constraints()[1].what);
  ASSERT_EQ(geared.terms.size(), 2u);
  EXPECT_EQ(geared.terms[0].polynomial, (std::vector<double>{0, 1}));
  EXPECT_EQ(geared.terms[1].polynomial, (std::vector<double>{-0.5, -2}));
  const Joint& hinge = model.joints()[model.find_joint("hinge")];
  EXPECT_EQ(geared.terms[0].v, hinge.v);
  EXPECT_EQ(model.links()[geared.terms[0].link].v, hinge.v);
  ASSERT_EQ(model.springs().size(), 1u);
  EXPECT_EQ(model.springs()[0].stiffness, 10);
}

// A screw made of a joint that turns and slides: its two coordinates, each with its own link.
TEST(Constraints, CouplingsFindEveryCoordinateOfAJoint) {
  ModelSpec spec = tree();
  spec.bodies.push_back({.name = "nut", .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}});
  JointSpec thread;
  thread.name = "thread";
  thread.type = JointType::cylindrical;
  thread.child = "nut";
  spec.joints.push_back(thread);
  CouplingSpec screw;
  screw.terms = {{"thread", 0, {0, 0.1}}, {"thread", 1, {0, -1}}};
  spec.constraints = {{"screw", screw}};
  const Model model = compile(spec).value();
  const Joint& joint = model.joints()[model.find_joint("thread")];
  ASSERT_EQ(joint.nv, 2);
  const Coupling& found = std::get<Coupling>(model.constraints()[0].what);
  ASSERT_EQ(found.terms.size(), 2u);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(found.terms[k].q, joint.q + k);
    EXPECT_EQ(found.terms[k].v, joint.v + k);
    EXPECT_EQ(model.links()[found.terms[k].link].v, joint.v + k);
  }
}

TEST(Constraints, ErrorsNameTheCulprit) {
  const auto expect = [](const ConstraintSpec& constraint, const char* part) {
    const std::string message = error_of(constraint);
    EXPECT_NE(message.find(part), std::string::npos) << "got: " << message;
    EXPECT_NE(message.find("'c'"), std::string::npos) << message;
  };
  expect({"c", pin("world", "nobody")}, "no body 'nobody'");
  expect({"c", pin("pole", "pole")}, "the same body");
  LoopSpec bad = pin("world", "pole");
  bad.a.X_BF.p.x = nan;
  expect({"c", bad}, "not finite");
  bad = pin("world", "pole");
  bad.pitch = 0.1;
  expect({"c", bad}, "a pin has none");
  bad = pin("world", "pole");
  bad.type = LoopType::point_on_plane;
  bad.displacement[0].polynomial = {1};
  expect({"c", bad}, "does not constrain that axis");
  bad.type = LoopType(77);
  expect({"c", bad}, "unknown loop type 77");
  expect({"c", RodSpec{.a = {}, .b = {.body = "pole"}, .length = -2, .extension = {}}}, "-2 m");
  expect({"c", RollingSpec{.a = {}, .b = {.body = "ball"}, .half_axes = {1, 0, 0}}}, "at least two positive");
  expect({"c", VelocitySpec{.a = {}, .b = {.body = "ball"}, .speed = {}}}, "do not define a direction");
  expect(gear("c", "hinge", "nothing", {0, 1}), "no joint 'nothing'");
  expect(gear("c", "hinge", "loose", {0, 1}), "no coordinates to couple");
  expect(prescribed("c", "hinge", {.polynomial = {nan}}), "nan");
  CouplingSpec coupling;
  expect({"c", coupling}, "no terms");
  coupling.terms = {{"hinge", 3, {0, 1}}};
  expect({"c", coupling}, "has 1 coordinates; there is no coordinate 3");
  coupling.terms = {{"hinge", 0, {2}}};
  expect({"c", coupling}, "depends on a coordinate");
}

TEST(Constraints, NamesAreGivenOnce) {
  ModelSpec spec = tree();
  spec.constraints = {{"same", pin("world", "pole")}, {"same", pin("world", "cart")}};
  EXPECT_NE(compile(spec).error().message.find("two constraints are called 'same'"), std::string::npos);
  spec.constraints = {{"", pin("world", "pole")}};
  EXPECT_NE(compile(spec).error().message.find("has no name"), std::string::npos);
  spec.constraints.clear();
  spec.springs = {{"s", {"world", {}}, {"ball", {}}, -1, 0, 0}};
  spec.springs[0].a.X_BF = spec.springs[0].b.X_BF = Transform<double>::identity();
  EXPECT_NE(compile(spec).error().message.find("stiffness is -1"), std::string::npos);
}

}  // namespace
}  // namespace linchpin
