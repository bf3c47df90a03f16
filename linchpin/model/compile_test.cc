// compile(): the model is the mechanism of the spec.
#include <ctime>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/model/compile_testing.h"
#include "linchpin/model/pose_testing.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

using namespace compile_testing;

// One rounding error at each of up to thirty links, at distances of up to some thirty metres.
constexpr double pose_rounding = 30 * 30 * 1e-15;

TEST(Compile, LinksPutEveryBodyWhereTheSpecDoesAtZero) {
  for (const std::string& text : some_scenes()) {
    const ModelSpec spec = scene_spec(text);
    const Model model = compiled(spec);
    EXPECT_LE(pose_error(spec, model, make_state(model).q), pose_rounding) << text;
  }
}

TEST(Compile, LinksPutEveryBodyWhereTheSpecDoesAtRandom) {
  for (const std::string& text : some_scenes()) {
    const ModelSpec spec = scene_spec(text);
    const Model model = compiled(spec);
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      EXPECT_LE(pose_error(spec, model, random_state(model, seed).q), pose_rounding) << text;
  }
}

TEST(Compile, EveryTypeOfJointAloneMovesAsTheTableSays) {
  RandomSpatial random(5);
  for (int t = 0; t < joint_type_count; ++t)
    for (int trial = 0; trial < 20; ++trial) {
      const JointType type = static_cast<JointType>(t);
      ModelSpec spec = single(type, {1, random.vector(), sphere});
      JointSpec& joint = spec.joints[0];
      joint.X_PF = random.pose();
      joint.X_CM = random.pose();
      joint.axis = random.vector();
      joint.axis2 = random.vector();
      joint.pitch = random.even();
      const Model model = compiled(spec);
      EXPECT_EQ(model.nq(), position_count(type)) << to_string(type);
      EXPECT_EQ(model.nv(), velocity_count(type)) << to_string(type);
      EXPECT_LE(pose_error(spec, model, random_state(model, std::uint64_t(trial)).q), 2e-14) << to_string(type);
    }
}

TEST(Compile, CoordinatesFollowEachOtherJointByJoint) {
  for (const std::string& text : some_scenes()) {
    const ModelSpec spec = scene_spec(text);
    const Model model = compiled(spec);
    int q = 0, v = 0;
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      EXPECT_EQ(joint.q, q) << text;
      EXPECT_EQ(joint.v, v) << text;
      EXPECT_EQ(joint.nq, position_count(joint.type)) << text;
      EXPECT_EQ(joint.nv, velocity_count(joint.type)) << text;
      q += joint.nq;
      v += joint.nv;
      const Body& child = model.bodies()[joint.child];
      EXPECT_EQ(child.joint, int(j)) << text;
      EXPECT_EQ(child.name, joint.spec.child) << text;
      EXPECT_EQ(model.bodies()[joint.parent].name, joint.spec.parent) << text;
      // The DofSpec of each coordinate is at its index.
      for (std::size_t k = 0; k < joint.spec.dofs.size(); ++k) {
        const DofSpec &told = joint.spec.dofs[k], &kept = model.dofs()[std::size_t(joint.v) + k];
        EXPECT_EQ(kept.armature, told.armature) << text;
        EXPECT_EQ(kept.damping, told.damping) << text;
        EXPECT_EQ(kept.stiffness, told.stiffness) << text;
        EXPECT_EQ(kept.rest, told.rest) << text;
        EXPECT_EQ(kept.lower, told.lower) << text;
        EXPECT_EQ(kept.upper, told.upper) << text;
      }
    }
    EXPECT_EQ(model.nq(), q) << text;
    EXPECT_EQ(model.nv(), v) << text;
    EXPECT_EQ(model.joints().size(), spec.joints.size()) << text;
    // Links have the same coordinates in the same order, and the armature.
    q = v = 0;
    for (const Link& link : model.links()) {
      EXPECT_EQ(link.q, link.kind == LinkKind::world ? 0 : q) << text;
      EXPECT_EQ(link.v, link.kind == LinkKind::world ? 0 : v) << text;
      for (int k = 0; k < link.nv; ++k) EXPECT_EQ(link.armature, model.dofs()[v + k].armature) << text;
      q += link.nq;
      v += link.nv;
    }
    EXPECT_EQ(model.nq(), q) << text;
    EXPECT_EQ(model.nv(), v) << text;
  }
}

TEST(Compile, JointsBecomeLinksOfOneAxisBallOrFree) {
  const struct {
    JointType type;
    std::vector<LinkKind> kinds;
  } table[] = {{JointType::weld, {}},
               {JointType::revolute, {LinkKind::revolute}},
               {JointType::prismatic, {LinkKind::axial}},
               {JointType::screw, {LinkKind::axial}},
               {JointType::cylindrical, {LinkKind::revolute, LinkKind::axial}},
               {JointType::universal, {LinkKind::revolute, LinkKind::revolute}},
               {JointType::planar, {LinkKind::axial, LinkKind::axial, LinkKind::revolute}},
               {JointType::translational, {LinkKind::axial, LinkKind::axial, LinkKind::axial}},
               {JointType::ball, {LinkKind::ball}},
               {JointType::free, {LinkKind::free}}};
  for (const auto& [type, kinds] : table) {
    ModelSpec spec = single(type, {1, {0.1, 0.2, 0.3}, sphere});
    spec.joints[0].pitch = 0.1;
    const Model model = compiled(spec);
    ASSERT_EQ(model.links().size(), kinds.size() + 1) << to_string(type);
    for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(model.links()[i + 1].kind, kinds[i]) << to_string(type);
    EXPECT_EQ(model.bodies()[1].link, int(kinds.size())) << to_string(type);
  }
  ModelSpec geared = single(JointType::revolute, {1, {0.1, 0.2, 0.3}, sphere});
  geared.joints[0].dofs = {{.armature = 0.2}};
  const Model model = compiled(geared);
  EXPECT_EQ(model.links()[1].kind, LinkKind::axial);
  EXPECT_EQ(model.links()[1].armature, 0.2);
}

// An actuator's coordinate is that of its joint; its force is within its own limits and the joint's.
TEST(Compile, ActuatorsDriveTheCoordinateThatTheyName) {
  ModelSpec spec = leg();
  spec.joints[0].type = JointType::ball;
  spec.joints[1].type = JointType::cylindrical;
  spec.joints[1].dofs = {{.effort_limit = 5}, {.effort_limit = 7}};
  spec.actuators = {{.name = "push", .joint = "hip", .coordinate = 2, .gear = 3},
                    {.name = "servo",
                     .joint = "knee",
                     .coordinate = 1,
                     .type = ActuatorType::position,
                     .stiffness = 10,
                     .damping = 2,
                     .lower = -1,
                     .upper = 100,
                     .control = 0.5},
                    {.name = "motor", .joint = "knee", .type = ActuatorType::velocity, .stiffness = 10, .damping = 4}};
  const Model model = compiled(spec);
  ASSERT_EQ(model.actuators().size(), 3u);
  const Actuator &push = model.actuators()[0], &servo = model.actuators()[1], &motor = model.actuators()[2];
  EXPECT_EQ(push.q, -1);  // a quaternion is no coordinate
  EXPECT_EQ(push.v, 2);
  EXPECT_EQ(push.gear, 3);
  EXPECT_EQ(push.lower, -inf);
  EXPECT_EQ(push.upper, inf);
  EXPECT_EQ(servo.q, 4 + 1);
  EXPECT_EQ(servo.v, 3 + 1);
  EXPECT_EQ(servo.stiffness, 10);
  EXPECT_EQ(servo.damping, 2);
  EXPECT_EQ(servo.lower, -1);
  EXPECT_EQ(servo.upper, 7);
  EXPECT_EQ(servo.control, 0.5);
  EXPECT_EQ(motor.q, 4);
  EXPECT_EQ(motor.v, 3);
  EXPECT_EQ(motor.stiffness, 0);  // only a position servo has one
  EXPECT_EQ(motor.damping, 4);
  EXPECT_EQ(motor.lower, -5);
  EXPECT_EQ(motor.upper, 5);
  EXPECT_EQ(model.find_actuator("motor"), 2);
  EXPECT_EQ(model.find_actuator("hip"), -1);
}

TEST(CompileRefuses, ActuatorsOfWhatIsNotThere) {
  const auto refused = [](const ActuatorSpec& actuator, const std::vector<std::string>& parts) {
    ModelSpec spec = leg();
    spec.joints[0].type = JointType::ball;
    spec.actuators = {{.name = "good", .joint = "knee"}, actuator};
    expect_refused(spec, parts);
  };
  refused({.name = "", .joint = "knee"}, {"actuator number 1 has no name"});
  refused({.name = "good", .joint = "knee"}, {"two actuators are called 'good'"});
  refused({.name = "a", .joint = "shank"}, {"actuator 'a': there is no joint 'shank'"});
  for (const int coordinate : {-1, 1})
    refused({.name = "a", .joint = "knee", .coordinate = coordinate},
            {"joint 'knee' (revolute) has 1 coordinates; there is no coordinate " + std::to_string(coordinate)});
  refused({.name = "a", .joint = "hip", .coordinate = 3}, {"(ball) has 3 coordinates", "no coordinate 3"});
  for (const ActuatorType type : {ActuatorType::position, ActuatorType::velocity})
    refused({.name = "a", .joint = "hip", .type = type}, {"needs a joint with scalar coordinates", "is a ball joint"});
}

TEST(Compile, OrderIsDepthFirstAndParentsComeFirst) {
  for (const std::string& text : some_scenes()) {
    const Model model = compiled(scene_spec(text));
    const auto links = model.links();
    // Last link of each subtree; it is contiguous when every link's parent is an ancestor-or-self of the one before.
    for (std::size_t i = 1; i < links.size(); ++i) {
      ASSERT_LT(links[i].parent, int(i)) << text;
      std::size_t above = i - 1;
      while (above > std::size_t(links[i].parent)) above = std::size_t(links[above].parent);
      EXPECT_EQ(above, std::size_t(links[i].parent)) << text << " link " << i << " comes back to a finished limb";
    }
    for (const Joint& joint : model.joints()) EXPECT_LT(joint.parent, joint.child) << text;
  }
}

// Listed children first and mixed; each limb in one piece, siblings in the order of the spec's joints.
TEST(Compile, SiblingsKeepTheOrderOfTheirJoints) {
  ModelSpec spec;
  for (const char* name : {"left_hand", "right_arm", "left_arm", "torso", "right_hand", "head"})
    spec.bodies.push_back(solid(name));
  spec.joints = {hinge("wrist_l", "left_arm", "left_hand"), hinge("neck", "torso", "head"),
                 hinge("shoulder_r", "torso", "right_arm"), hinge("base", "world", "torso"),
                 hinge("shoulder_l", "torso", "left_arm"),  hinge("wrist_r", "right_arm", "right_hand")};
  const Model model = compiled(spec);
  std::vector<std::string> order;
  for (const Body& body : model.bodies()) order.push_back(body.name);
  EXPECT_EQ(order,
            (std::vector<std::string>{"world", "torso", "head", "right_arm", "right_hand", "left_arm", "left_hand"}));
}

TEST(Compile, InertiaOfALinkIsThatOfItsBodies) {
  for (const std::string& text : some_scenes()) {
    const ModelSpec spec = scene_spec(text);
    const Model model = compiled(spec);
    std::vector<RigidInertia<double>> sum(model.links().size(), RigidInertia<double>::zero());
    double mass = 0;
    for (const Body& body : model.bodies())
      sum[body.link] = sum[body.link] + inertia_to_parent(body.X_LB, body.inertia);
    for (const BodySpec& body : spec.bodies) {
      mass += body.inertia.mass;
      const RigidInertia<double>& kept = model.bodies()[model.find_body(body.name)].inertia;
      EXPECT_EQ(kept.mass, body.inertia.mass) << text;
      EXPECT_LE(distance(kept.h, body.inertia.mass * body.inertia.centre), 1e-15 * body.inertia.mass) << text;
    }
    EXPECT_NEAR(model.total_mass(), mass, 1e-14 * mass) << text;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const RigidInertia<double>& I = model.links()[i].inertia;
      const double size = sum[i].I.xx + sum[i].I.yy + sum[i].I.zz + sum[i].mass;
      EXPECT_NEAR(I.mass, sum[i].mass, 1e-15 * size) << text;
      EXPECT_LE(distance(I.h, sum[i].h), 1e-14 * size) << text;
      EXPECT_LE(distance(I.I, sum[i].I), 2e-14 * size) << text;
    }
  }
}

// A small body, drawn in a frame a hundred metres off (as files from a drawing program are): its moments must not be
// the difference of large numbers. About the joint, through the centre, they are known exactly.
TEST(Compile, FarBodyFramesCostNoDigits) {
  ModelSpec spec = single(JointType::revolute, {1e-3, {60, 70, 40}, Sym3<double>::diagonal(1e-9, 2e-9, 3e-9)});
  spec.joints[0].X_PF = spec.joints[0].X_CM = translation(60, 70, 40);
  const Model model = compiled(spec);
  EXPECT_LE(distance(model.links()[1].inertia.I, Sym3<double>::diagonal(1e-9, 2e-9, 3e-9)), 1e-23);
  EXPECT_LE(distance(model.links()[1].inertia.h, {0, 0, 0}), 1e-17);
}

// ---- welds ----

TEST(Welds, JoinTheLinkOfTheirParent) {
  ModelSpec spec = leg();
  spec.bodies.push_back(
      {.name = "lamp", .inertia = {2, {0, 0, 0.5}, Sym3<double>::diagonal(0.3, 0.3, 0.1)}, .geometry = {}});
  spec.joints.push_back(hinge("clamp", "thigh", "lamp"));
  spec.joints.back().type = JointType::weld;
  spec.joints.back().X_PF = {rotation_x(std::numbers::pi / 2), {0, 0, 3}};
  const Model model = compiled(spec);
  EXPECT_EQ(model.links().size(), 3u);
  const Body &thigh = model.bodies()[model.find_body("thigh")], &lamp = model.bodies()[model.find_body("lamp")];
  EXPECT_EQ(lamp.link, thigh.link);
  // In the thigh's axes the lamp's centre is at (0, -0.5, 3), and its y and z moments change places.
  const Transform<double> X_TL = inverse(thigh.X_LB);
  const RigidInertia<double> both = inertia_to_parent(X_TL, model.links()[thigh.link].inertia);
  const RigidInertia<double> by_hand =
      RigidInertia<double>::about_centre(1, {0.1, 0.2, 0.3}, sphere) +
      RigidInertia<double>::about_centre(2, {0, -0.5, 3}, Sym3<double>::diagonal(0.3, 0.1, 0.3));
  EXPECT_NEAR(both.mass, 3, 1e-15);
  EXPECT_LE(distance(both.h, by_hand.h), 1e-14);
  EXPECT_LE(distance(both.I, by_hand.I), 1e-13);  // moments up to 20
}

TEST(Welds, InAChainAreOneLink) {
  ModelSpec spec;
  std::string before = "world";
  for (std::size_t i = 0; i < 10; ++i) {
    spec.bodies.push_back(solid(numbered("b", i)));
    spec.joints.push_back(hinge(numbered("j", i), before, spec.bodies.back().name));
    if (i > 0) spec.joints.back().type = JointType::weld;
    before = spec.bodies.back().name;
  }
  const Model model = compiled(spec);
  EXPECT_EQ(model.nv(), 1);
  EXPECT_EQ(model.links().size(), 2u);
  EXPECT_EQ(model.runs().size(), 2u);
  for (std::size_t b = 1; b < model.bodies().size(); ++b) EXPECT_EQ(model.bodies()[b].link, 1);
  EXPECT_NEAR(model.links()[1].inertia.mass, 10, 1e-14);
  // Centres at x = i + 0.1 past the hinge, y = 0.2: the moment about its axis is that of ten spheres.
  double about_axis = 0;
  for (int i = 0; i < 10; ++i) about_axis += 0.1 + (i + 0.1) * (i + 0.1) + 0.04;
  EXPECT_NEAR(model.links()[1].inertia.I.zz, about_axis, 1e-12);
  EXPECT_LE(pose_error(spec, model, {0.7}), 1e-14);
}

TEST(Welds, ToTheWorldStandStill) {
  ModelSpec spec = leg();
  spec.bodies.push_back(solid("table"));
  spec.joints.push_back(hinge("feet", "world", "table"));
  spec.joints.back().type = JointType::weld;
  spec.bodies.push_back(solid("vase"));
  spec.joints.push_back(hinge("glue", "table", "vase"));
  spec.joints.back().type = JointType::weld;
  spec.joints[0].parent = "vase";  // and carry a moving body
  const Model model = compiled(spec);
  EXPECT_EQ(model.nv(), 2);
  EXPECT_EQ(model.links().size(), 3u);
  for (const char* name : {"table", "vase"}) {
    const Body& body = model.bodies()[model.find_body(name)];
    EXPECT_EQ(body.link, 0);
    EXPECT_LE(distance(body.X_LB.p, {name == std::string("table") ? 1.0 : 2.0, 0, 0}), 1e-15);
  }
  EXPECT_EQ(model.links()[1].parent, 0);
  EXPECT_EQ(model.total_mass(), 4);
  EXPECT_LE(pose_error(spec, model, {0.3, -0.4}), 1e-14);
}

TEST(Welds, AloneAreAModelThatCannotMove) {
  const Model model = compiled(single(JointType::weld, {}));
  EXPECT_EQ(model.nq(), 0);
  EXPECT_EQ(model.nv(), 0);
  EXPECT_EQ(model.links().size(), 1u);
  EXPECT_EQ(compiled(ModelSpec()).bodies().size(), 1u);
}

// ---- size ----

double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

TEST(Compile, AHundredThousandLinksInSeries) {
  const ModelSpec spec = scene_spec("@chain:links=100000");
  const double start = cpu_seconds();
  const Result<Model> result = compile(spec);
  RecordProperty("cpu_seconds", std::to_string(cpu_seconds() - start));  // 0.5 when written
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Model& model = result.value();
  EXPECT_EQ(model.nv(), 100000);
  EXPECT_EQ(model.links().size(), 100001u);
  EXPECT_EQ(model.links().back().parent, 99999);
  EXPECT_EQ(model.find_body("link_100000"), 100000);
  for (const Body& body : model.bodies()) ASSERT_GE(model.find_body(body.name), 0);  // must not be a linear search
}

TEST(Compile, AHundredThousandLinksSideBySide) {
  ModelSpec spec;
  for (std::size_t i = 0; i < 100000; ++i) {
    spec.bodies.push_back(solid(numbered("b", i)));
    spec.joints.push_back(hinge(numbered("j", i), "world", spec.bodies.back().name));
  }
  const Result<Model> result = compile(spec);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().runs().size(), 100001u);
  EXPECT_EQ(result.value().bodies()[777].name, "b776");
}

}  // namespace
}  // namespace linchpin
