#include "linchpin/model/scenes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/model/model.h"
#include "linchpin/model/scenes/builders.h"

namespace linchpin {
namespace {

ModelSpec make(const std::string& text) {
  Result<ModelSpec> spec = scene(text);
  EXPECT_TRUE(spec.ok()) << (spec.ok() ? "" : spec.error().message);
  return spec.ok() ? spec.value() : ModelSpec();
}
void expect_compiles(const std::string& text) {
  const ModelSpec spec = make(text);
  const Result<Model> model = compile(spec);
  EXPECT_TRUE(model.ok()) << text << ": " << (model.ok() ? "" : model.error().message);
}
std::string number(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

// The pose of a body at zero coordinates.
Transform<double> pose_at_zero(const ModelSpec& spec, const std::string& body) {
  if (body == "world") return Transform<double>::identity();
  const auto j = std::ranges::find(spec.joints, body, &JointSpec::child);
  EXPECT_NE(j, spec.joints.end()) << body;
  return pose_at_zero(spec, j->parent) * j->X_PF * inverse(j->X_CM);
}
Vec3<double> mass_centre_at_zero(const ModelSpec& spec) {
  double mass = 0;
  Vec3<double> moment{0, 0, 0};
  for (const BodySpec& body : spec.bodies) {
    mass += body.inertia.mass;
    moment += body.inertia.mass * (pose_at_zero(spec, body.name) * body.inertia.centre);
  }
  return (1 / mass) * moment;
}

// ---- the catalogue ----

struct Expected {
  const char* text;
  int bodies, nq, nv;
  double mass;
};
const Expected expected[] = {
    {"pendulum", 12, 12, 12, 12},
    {"pendulum:links=3", 3, 3, 3, 3},
    {"planar_chain", 3, 3, 3, 3},
    {"planar_chain:links=5,mass=0.5", 5, 5, 5, 2.5},
    {"simple_pendulum", 1, 1, 1, 1},
    {"double_pendulum", 2, 2, 2, 2},
    {"double_pendulum:rods=1", 2, 2, 2, 2},
    {"chain", 7, 7, 7, 7.4547698281743457},  // a fixed number: the generator must not change unnoticed
    {"heavy_light", 10, 10, 10, 5000005},
    {"cart_pole", 2, 2, 2, 1.1},
    {"planar_arm", 3, 3, 3, 3},
    {"planar_walker", 7, 9, 9, 38},
    {"humanoid24", 24, 24, 24, 59.8},
    {"humanoid24:floating=1", 25, 31, 30, 69.8},
    {"humanoid", 31, 37, 36, 70.2},
    {"quadruped", 13, 19, 18, 24.8},
    {"dual_arm", 26, 26, 26, 34.5},
    {"top", 1, 4, 3, 1},
    {"free_body", 1, 7, 6, 1},
    {"free_body:symmetric=1", 1, 7, 6, 1},
    {"random_tree", 20, 48, 44, 22.842740425490327},
    {"forest", 12, 21, 19, 11.3},
    {"four_bar", 3, 3, 3, 3},
    {"four_bar:loops=40", 81, 81, 81, 81},
    {"squeezer", 7, 7, 7, 0.21023},
    {"bricard", 5, 5, 5, 5},
    {"bricard:section=0.1", 5, 5, 5, 5},
    {"governor", 4, 4, 4, 13.9},
    {"slider_crank", 3, 3, 3, 0.152},
    {"rolling_disc", 1, 7, 6, 1},
    {"rolling_disc:hoop=1,tilt=30", 1, 7, 6, 1},
    {"rattleback", 1, 7, 6, 1},
    {"linkage_biped", 19, 27, 26, 31.26},
    {"stewart", 13, 25, 24, 23.8},
    {"gripper", 5, 5, 5, 0.98},
    {"swing", 12, 12, 12, 12},
    {"slope", 1, 7, 6, 1},
    {"roll", 1, 7, 6, 1},
    {"painleve", 1, 7, 6, 1},
    {"bounce", 1, 7, 6, 1},
    {"cradle", 5, 5, 5, 5},
    {"loose_slider", 3, 3, 3, 0.152},
    {"falling_chain", 3, 5, 5, 3},
    {"falling_chain:spatial=1", 3, 15, 12, 3},
    {"billiard", 16, 112, 96, 2.72},
    {"thin_wall", 1, 7, 6, 1},
    {"stack", 10, 70, 60, 10},
    {"stack:boxes=2,ratio=1000", 2, 14, 12, 1001},
    {"dominoes", 20, 140, 120, 0.24},
    {"pile", 125, 875, 750, 125},
    {"balls", 666, 4662, 3996, 357.31891661007455},  // fixed like the chain's
    {"arch", 9, 63, 54, 36.938175479172202},         // 9 x 100 kg/m^3 x 0.4 m x 0.3 m x 1 m x sin(20 degrees)
    {"grip", 3, 9, 8, 0.9},
    {"stand", 25, 31, 30, 69.8},
    {"stand4", 13, 19, 18, 24.8},
    {"workshop", 28, 40, 38, 39.7},
};

TEST(Scenes, CountsAndMassesAreAsExpected) {
  std::set<std::string> seen;
  for (const Expected& e : expected) {
    SCOPED_TRACE(e.text);
    const ModelSpec spec = make(e.text);
    seen.insert(spec.name);
    const Result<Model> model = compile(spec);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(model.value().bodies().size(), static_cast<std::size_t>(e.bodies) + 1);
    EXPECT_EQ(model.value().nq(), e.nq);
    EXPECT_EQ(model.value().nv(), e.nv);
    EXPECT_NEAR(model.value().total_mass(), e.mass, 1e-12 * e.mass);
  }
  for (const SceneInfo& info : scene_catalogue()) EXPECT_TRUE(seen.contains(info.name)) << info.name;
}

TEST(Scenes, CompileAtTheEndsOfEveryRange) {
  for (const SceneInfo& info : scene_catalogue()) {
    std::string lowest, highest;
    for (const SceneParameter& p : info.parameters) {
      EXPECT_LE(p.lowest, p.value) << info.name << " " << p.name;
      EXPECT_LE(p.value, p.highest) << info.name << " " << p.name;
      EXPECT_FALSE(p.meaning.empty());
      const std::string low = p.name + "=" + number(p.lowest), high = p.name + "=" + number(p.highest);
      expect_compiles("@" + info.name + ":" + low);
      expect_compiles("@" + info.name + ":" + high);
      lowest += (lowest.empty() ? "" : ",") + low;
      highest += (highest.empty() ? "" : ",") + high;
    }
    if (info.parameters.size() < 2) continue;
    expect_compiles("@" + info.name + ":" + lowest);
    expect_compiles("@" + info.name + ":" + highest);
  }
}

TEST(Scenes, EverythingHasANameOfItsOwn) {
  for (const SceneInfo& info : scene_catalogue()) {
    EXPECT_FALSE(info.description.empty());
    const ModelSpec spec = make(info.name);
    EXPECT_EQ(spec.name, info.name);
    std::set<std::string> shapes, frames;
    const auto fresh = [&](const GeometrySpec& g) { return !g.name.empty() && shapes.insert(g.name).second; };
    for (const GeometrySpec& g : spec.world_geometry) EXPECT_TRUE(fresh(g)) << info.name << " " << g.name;
    for (const BodySpec& body : spec.bodies) {
      EXPECT_FALSE(body.geometry.empty()) << info.name << " " << body.name;
      for (const GeometrySpec& g : body.geometry) EXPECT_TRUE(fresh(g)) << info.name << " " << g.name;
    }
  }
}

// Other engines then compute the same mechanism: joints have limits, but no other forces.
TEST(Scenes, OnlyTheRandomTreeLeafSpringsAndSprungFingersHaveForcesInTheirJoints) {
  for (const SceneInfo& info : scene_catalogue()) {
    if (info.name == "random_tree" || info.name == "linkage_biped" || info.name == "grip") continue;
    for (const JointSpec& joint : make(info.name).joints)
      for (const DofSpec& dof : joint.dofs) {
        EXPECT_EQ(dof.armature + dof.damping + dof.stiffness + dof.dry_friction, 0) << info.name << " " << joint.name;
        EXPECT_TRUE(dof.lower <= 0 && dof.upper >= 0) << info.name << " " << joint.name;
      }
  }
}

// Gravity is that of the earth, downwards, except where a scene or its source says otherwise.
TEST(Scenes, GravityIsDownwardsOrAbsent) {
  for (const SceneInfo& info : scene_catalogue()) {
    const Vec3<double> gravity = make(info.name).gravity;
    if (info.name == "random_tree") {
      EXPECT_NEAR(norm(gravity), 9.81, 1e-14);
      continue;
    }
    const bool weightless = info.name == "free_body" || info.name == "squeezer" || info.name == "thin_wall";
    EXPECT_EQ(gravity.x, 0) << info.name;
    EXPECT_EQ(gravity.y, 0) << info.name;
    EXPECT_NEAR(gravity.z, weightless ? 0 : -9.81, weightless ? 0 : 0.011) << info.name;  // some sources have 9.8
  }
}

TEST(Scenes, ThePlanarArmMovesInThePlane) {
  for (const JointSpec& joint : make("planar_arm").joints) {
    EXPECT_EQ(joint.axis.x, 0);
    EXPECT_EQ(joint.axis.y, 0);
    EXPECT_GT(joint.axis.z, 0);
  }
}

// The ellipsoid of Kane and Levinson 1982: half axes of 200, 30 and 20 mm, the shortest of them upright.
TEST(Scenes, TheRattlebackRollsOnItsEllipsoid) {
  const ModelSpec spec = make("rattleback");
  ASSERT_EQ(spec.constraints.size(), 1u);
  const Vec3<double> half = std::get<RollingSpec>(spec.constraints[0].what).half_axes;
  EXPECT_EQ(half.x, 0.2);
  EXPECT_EQ(half.y, 0.03);
  EXPECT_EQ(half.z, 0.02);
  EXPECT_EQ(pose_at_zero(spec, "celt").p.z, 0.02);
}

// The robot is @dual_arm, with a servo in each joint; the wheel goes over the peg with its play, and nothing holds it
// there but contact.
TEST(Workshop, IsTheDualArmRobotAndTwoThings) {
  const ModelSpec robot = make("dual_arm"), spec = make("workshop");
  ASSERT_EQ(spec.joints.size(), robot.joints.size() + 2);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    EXPECT_EQ(spec.joints[i].name, robot.joints[i].name);
    EXPECT_EQ(spec.bodies[i].inertia.mass, robot.bodies[i].inertia.mass) << robot.bodies[i].name;
  }
  ASSERT_EQ(spec.actuators.size(), robot.joints.size());
  for (const JointSpec& j : robot.joints)
    EXPECT_EQ(std::ranges::count(spec.actuators, j.name, &ActuatorSpec::joint), 1) << j.name;
  EXPECT_TRUE(spec.constraints.empty() && spec.springs.empty());
  for (const char* thing : {"wheel", "driver"}) {
    const auto j = std::ranges::find(spec.joints, thing, &JointSpec::child);
    ASSERT_NE(j, spec.joints.end());
    EXPECT_EQ(j->type, JointType::free);
  }
}

TEST(Workshop, TheWheelHasAMillimetreOfPlay) {
  const ModelSpec spec = make("workshop");
  const auto peg = std::ranges::find(spec.world_geometry, "peg", &GeometrySpec::name);
  const auto wheel = std::ranges::find(spec.bodies, "wheel", &BodySpec::name);
  ASSERT_TRUE(peg != spec.world_geometry.end() && wheel != spec.bodies.end());
  const Transform<double> X_WO = pose_at_zero(spec, "wheel");
  EXPECT_NEAR(norm(wheel->inertia.centre), 0, 1e-15);
  // The faces of the hole are 1 mm farther from its axis than the peg's radius; the wheel hangs on two faces, pi/8 off
  // the vertical.
  const double radius = std::get<Cylinder>(peg->shape).radius;
  double hole = 1;
  int pieces = 0;
  for (const GeometrySpec& g : wheel->geometry) {
    const ConvexHull* piece = std::get_if<ConvexHull>(&g.shape);
    if (piece == nullptr || !g.name.starts_with("ring")) continue;
    ++pieces;
    for (const Vec3<double>& p : piece->hull->vertices) hole = std::min(hole, p.z);
  }
  EXPECT_EQ(pieces, 8);
  EXPECT_NEAR(hole - radius, 1e-3, 1e-12);
  EXPECT_NEAR(peg->X_BG.p.z - X_WO.p.z, 1e-3 / std::cos(std::acos(-1.0) / 8), 1e-12);
  EXPECT_NEAR(peg->X_BG.p.y - X_WO.p.y, 0, 1e-15);
  EXPECT_EQ(X_WO.p.x, 0.55);  // a fixed number: the arms reach there
}

// ---- texts ----

TEST(SceneText, LeadingSignAndNumbersInAnyForm) {
  EXPECT_EQ(make("@pendulum:links=5").bodies.size(), 5u);
  EXPECT_EQ(make("pendulum:links=5").bodies.size(), 5u);
  EXPECT_EQ(make("@pendulum:links=1e2").bodies.size(), 100u);
  EXPECT_EQ(make("@planar_chain:mass=0.25,links=2").bodies[1].inertia.mass, 0.25);
}

TEST(SceneText, MistakesAreNamed) {
  const struct {
    const char* text;
    std::vector<const char*> words;  // that the message must have
  } cases[] = {
      {"@pendlum", {"'pendlum'", "pendulum", "random_tree"}},
      {"", {"''", "pendulum"}},
      {"@", {"pendulum"}},
      {"@@pendulum", {"'@pendulum'"}},
      {"@pendulum:", {"key=value"}},
      {"@pendulum:links", {"key=value", "'links'"}},
      {"@pendulum:=3", {"links"}},
      {"@pendulum:length=3", {"'length'", "links"}},
      {"@quadruped:legs=4", {"'legs'", "none"}},
      {"@pendulum:links=", {"links", "number"}},
      {"@pendulum:links=many", {"'many'", "number"}},
      {"@pendulum:links=3x", {"'3x'", "number"}},
      {"@pendulum:links=3 ", {"'3 '", "number"}},
      {"@pendulum:links= 3", {"number"}},
      {"@pendulum:links=+3", {"number"}},
      {"@pendulum:links=0x10", {"number"}},
      {"@pendulum:links=nan", {"number"}},
      {"@pendulum:links=inf", {"number"}},
      {"@pendulum:links=1e999", {"number"}},
      {"@pendulum:links=3=4", {"number"}},
      {"@pendulum:links=0", {"links=0", "1", "100000"}},
      {"@pendulum:links=100001", {"100001", "100000"}},
      {"@pendulum:links=-3", {"between"}},
      {"@pendulum:links=2.5", {"2.5", "whole"}},
      {"@double_pendulum:rods=2", {"rods=2", "between"}},
      {"@heavy_light:ratio=0.5", {"between"}},
      {"@planar_chain:links=3,links=3", {"links", "twice"}},
      {"@planar_chain:links=3,", {"key=value"}},
      {"@planar_chain:links=3,,mass=1", {"key=value"}},
      {"@planar_chain:links=3;mass=1", {"number"}},
      {"@planar_chain:links=3:mass=1", {"number"}},
  };
  for (const auto& [text, words] : cases) {
    const Result<ModelSpec> result = scene(text);
    ASSERT_FALSE(result.ok()) << text;
    for (const char* word : words)
      EXPECT_NE(result.error().message.find(word), std::string::npos) << text << ": " << result.error().message;
  }
}

// ---- single scenes ----

TEST(Pendulum, IsTwelveMetresLongAndHangsFromTen) {
  for (const int n : {1, 3, 12, 100}) {
    const ModelSpec spec = make("@pendulum:links=" + std::to_string(n));
    EXPECT_EQ(spec.gravity.z, -9.8);
    const double r = 6.0 / n;
    EXPECT_EQ(pose_at_zero(spec, "link_1").p.z, 10);
    for (const JointSpec& hinge : spec.joints) EXPECT_EQ(hinge.axis.y, -1);
    for (const BodySpec& body : spec.bodies) {
      EXPECT_EQ(std::get<Sphere>(body.geometry.at(0).shape).radius, r);
      EXPECT_EQ(body.inertia.centre.z, -r);
      EXPECT_DOUBLE_EQ(body.inertia.moments.yy, 0.4 * r * r);
    }
    const BodySpec& last = spec.bodies.back();
    const Vec3<double> end = pose_at_zero(spec, last.name) * (last.inertia.centre - Vec3<double>{0, 0, r});
    EXPECT_NEAR(end.z, 10 - 12, 1e-12);
  }
}

TEST(PlanarChain, RodsAreThin) {
  const ModelSpec spec = make("@planar_chain:links=2,length=3,mass=2");
  const InertiaSpec& rod = spec.bodies[1].inertia;
  EXPECT_EQ(rod.centre.z, -1.5);
  EXPECT_EQ(rod.moments.xx, 1.5);
  EXPECT_EQ(rod.moments.yy, 1.5);
  EXPECT_EQ(rod.moments.zz, 0);
  EXPECT_EQ(pose_at_zero(spec, "link_2").p.z, -3);
}

TEST(DoublePendulum, PointMassesHaveNoMoments) {
  const ModelSpec spec = make("double_pendulum");
  for (const BodySpec& body : spec.bodies) {
    EXPECT_EQ(body.inertia.centre.z, -1);
    EXPECT_EQ(body.inertia.moments.xx + body.inertia.moments.yy + body.inertia.moments.zz, 0);
  }
}

TEST(HeavyLight, MomentsGoWithTheMasses) {
  const ModelSpec spec = make("@heavy_light:ratio=1e9");
  for (std::size_t k = 0; k + 1 < spec.bodies.size(); k += 2) {
    const InertiaSpec &light = spec.bodies[k].inertia, &heavy = spec.bodies[k + 1].inertia;
    EXPECT_DOUBLE_EQ(heavy.mass, 1e9 * light.mass);
    EXPECT_DOUBLE_EQ(heavy.moments.xx, 1e9 * light.moments.xx);
    EXPECT_DOUBLE_EQ(heavy.moments.zz, 1e9 * light.moments.zz);
    EXPECT_EQ(heavy.centre.z, -0.5);
  }
  // The same frames whatever the ratio.
  EXPECT_EQ(make("@heavy_light:ratio=1").joints[4].X_CM.R.y.z, spec.joints[4].X_CM.R.y.z);
}

TEST(Top, MomentsAboutThePivot) {
  const InertiaSpec inertia = make("top").bodies[0].inertia;
  const RigidInertia<double> at_pivot =
      RigidInertia<double>::about_centre(inertia.mass, inertia.centre, inertia.moments);
  EXPECT_DOUBLE_EQ(at_pivot.I.xx, 1.5);
  EXPECT_DOUBLE_EQ(at_pivot.I.yy, 1.5);
  EXPECT_DOUBLE_EQ(at_pivot.I.zz, 0.5);
}

TEST(Robots, StandOnTheirFeet) {
  for (const char* text :
       {"humanoid24", "humanoid24:floating=1", "humanoid", "quadruped", "planar_walker", "linkage_biped"}) {
    const ModelSpec spec = make(text);
    int feet = 0;
    for (const BodySpec& body : spec.bodies)
      for (const GeometrySpec& g : body.geometry) {
        const Vec3<double> centre = pose_at_zero(spec, body.name) * g.X_BG.p;
        double lowest = centre.z;  // all stand upright at zero
        if (const auto* box = std::get_if<Box>(&g.shape)) lowest -= box->half.z;
        if (const auto* sphere = std::get_if<Sphere>(&g.shape)) lowest -= sphere->radius;
        if (const auto* capsule = std::get_if<Capsule>(&g.shape))
          lowest -= capsule->radius + std::abs(g.X_BG.R.z.z) * capsule->half_length;
        EXPECT_GE(lowest, -1e-12) << text << " " << g.name;
        if (lowest < 1e-12) ++feet;
      }
    EXPECT_EQ(feet, std::string(text) == "quadruped" ? 4 : 2) << text;
  }
}

TEST(Robots, AreTheSameOnBothSides) {
  for (const char* text : {"humanoid24", "humanoid", "quadruped", "dual_arm", "planar_walker", "linkage_biped"}) {
    const ModelSpec spec = make(text);
    EXPECT_NEAR(mass_centre_at_zero(spec).y, 0, 1e-15) << text;
    for (const FrameSpec& frame : spec.frames) {
      const std::size_t at = frame.name.find("left_");
      if (at == std::string::npos) continue;
      std::string other = frame.name;
      other.replace(at, 5, "right_");
      const auto right = std::ranges::find(spec.frames, other, &FrameSpec::name);
      ASSERT_NE(right, spec.frames.end()) << other;
      const Vec3<double> l = (pose_at_zero(spec, frame.body) * frame.X_BF).p;
      const Vec3<double> r = (pose_at_zero(spec, right->body) * right->X_BF).p;
      EXPECT_NEAR(l.x, r.x, 1e-15);
      EXPECT_NEAR(l.y, -r.y, 1e-15);
      EXPECT_NEAR(l.z, r.z, 1e-15);
    }
  }
}

TEST(Robots, OneAxisPerLink) {
  for (const char* text : {"humanoid24", "dual_arm"})
    for (const JointSpec& joint : make(text).joints) {
      EXPECT_EQ(joint.type, JointType::revolute);
      ASSERT_EQ(joint.dofs.size(), 1u);
      EXPECT_TRUE(std::isfinite(joint.dofs[0].lower) && std::isfinite(joint.dofs[0].upper)) << joint.name;
    }
}

TEST(RandomTree, HasEveryJointTypeFromTenBodiesOn) {
  for (const char* floating : {"0", "1"})
    for (int seed = 0; seed < 20; ++seed) {
      const ModelSpec spec = make("@random_tree:bodies=10,seed=" + std::to_string(seed) + ",floating=" + floating);
      std::set<JointType> types;
      for (const JointSpec& joint : spec.joints) types.insert(joint.type);
      EXPECT_EQ(types.size(), static_cast<std::size_t>(joint_type_count));
      if (floating[0] == '1') {
        EXPECT_EQ(spec.joints[0].type, JointType::free);
        EXPECT_EQ(std::ranges::count(spec.joints, "world", &JointSpec::parent), 1);
      }
    }
}

TEST(RandomTree, ManySeedsCompile) {
  for (int seed = 0; seed < 100; ++seed) {
    const std::string text = "@random_tree:bodies=" + std::to_string(1 + seed % 30) + ",seed=" + std::to_string(seed);
    expect_compiles(text);
    expect_compiles(text + ",floating=1");
  }
}

TEST(RandomTree, UsesAllThatASpecCanSay) {
  bool armature = false, damping = false, spring = false, branch = false, serial = false, bracket = false;
  const ModelSpec spec = make("@random_tree:bodies=100");
  std::map<std::string, int> children;
  for (const JointSpec& joint : spec.joints) {
    ++children[joint.parent];
    for (const DofSpec& dof : joint.dofs) {
      armature |= dof.armature > 0;
      damping |= dof.damping > 0;
      spring |= dof.stiffness > 0;
    }
    EXPECT_GT(norm(joint.X_PF.p), 0);
    EXPECT_GT(norm(joint.X_CM.p), 0);
    EXPECT_GT(std::abs(norm(joint.axis) - 1), 1e-6);
  }
  for (const auto& [name, count] : children) (count > 1 ? branch : serial) = true;
  for (const BodySpec& body : spec.bodies) bracket |= body.inertia.mass == 0;
  EXPECT_TRUE(armature && damping && spring && branch && serial && bracket);
}

TEST(Scenes, SameTextSameMechanism) {
  for (const char* name : {"random_tree", "chain"}) {
    const std::string text = std::string("@") + name + ":seed=";
    const ModelSpec a = make(text + "5"), b = make(text + "5"), other = make(text + "6");
    ASSERT_EQ(a.joints.size(), b.joints.size());
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
      EXPECT_EQ(a.joints[i].type, b.joints[i].type);
      EXPECT_EQ(a.joints[i].parent, b.joints[i].parent);
      EXPECT_EQ(a.joints[i].axis.x, b.joints[i].axis.x);
      EXPECT_EQ(a.joints[i].X_PF.p.y, b.joints[i].X_PF.p.y);
      EXPECT_EQ(a.bodies[i].inertia.mass, b.bodies[i].inertia.mass);
      EXPECT_EQ(a.bodies[i].inertia.moments.xz, b.bodies[i].inertia.moments.xz);
    }
    EXPECT_NE(a.joints[0].axis.x, other.joints[0].axis.x);
  }
}

// Long chains begin like short ones, so that a benchmark over n varies only n.
TEST(Chain, ShortIsTheBeginningOfLong) {
  const ModelSpec few = make("@chain:links=5"), many = make("@chain:links=50");
  EXPECT_EQ(few.bodies[4].inertia.mass, many.bodies[4].inertia.mass);
  EXPECT_EQ(few.joints[4].axis.z, many.joints[4].axis.z);
  for (const BodySpec& body : many.bodies) {
    EXPECT_TRUE(body.inertia.mass >= 0.5 && body.inertia.mass <= 1.5);
    const double reach = 2 * norm(body.inertia.centre);
    EXPECT_TRUE(reach > 0.25 - 1e-12 && reach < 0.35 + 1e-12);
  }
}

// ---- closed loops ----

// The pose of a frame on a body at zero coordinates.
Transform<double> at_zero(const ModelSpec& spec, const FrameOnBody& frame) {
  return pose_at_zero(spec, frame.body) * frame.X_BF;
}
double apart(const Transform<double>& a, const Transform<double>& b) {
  return largest({norm(a.p - b.p), norm(a.R.x - b.R.x), norm(a.R.y - b.R.y), norm(a.R.z - b.R.z)});
}

// All loops are closed at zero coordinates; dynamics/loops/closed_scenes_test.cc checks their rows.
TEST(ClosedScenes, AreAssembledAtZero) {
  int loops = 0, rods = 0, rolling = 0;
  for (const Expected& e : expected) {
    const ModelSpec spec = make(e.text);
    for (const ConstraintSpec& constraint : spec.constraints) {
      SCOPED_TRACE(std::string(e.text) + " " + constraint.name);
      if (const auto* loop = std::get_if<LoopSpec>(&constraint.what)) {
        const Transform<double> a = at_zero(spec, loop->a), b = at_zero(spec, loop->b);
        EXPECT_LT(norm(a.p - b.p), 1e-14);
        if (loop->type == LoopType::pin) {
          EXPECT_LT(apart(a, b), 1e-14);
        }
        ++loops;
      } else if (const auto* rod = std::get_if<RodSpec>(&constraint.what)) {
        EXPECT_NEAR(norm(at_zero(spec, rod->a).p - at_zero(spec, rod->b).p), rod->length, 1e-14);
        ++rods;
      } else if (const auto* roll = std::get_if<RollingSpec>(&constraint.what)) {
        EXPECT_GT(at_zero(spec, roll->b).p.z, 0);
        ++rolling;
      }
    }
  }
  EXPECT_TRUE(loops > 50 && rods == 2 && rolling == 3) << loops << " " << rods << " " << rolling;
}

// The point E of the three loops, computed from the angles of the test set without our frames.
TEST(Squeezer, LoopsMeetWhereTheAnglesSay) {
  const ModelSpec spec = make("squeezer");
  const double b = -0.0617138900142764496, rr = .007, d = .028;
  for (const ConstraintSpec& constraint : spec.constraints) {
    const Vec3<double> E = at_zero(spec, std::get<LoopSpec>(constraint.what).a).p;
    EXPECT_NEAR(E.x, (rr - d) * std::cos(b), 1e-16) << constraint.name;
    EXPECT_NEAR(E.y, (rr - d) * std::sin(b), 1e-16) << constraint.name;
  }
  const SpringSpec& spring = spec.springs.at(0);
  EXPECT_NEAR(norm(at_zero(spec, spring.a).p - at_zero(spec, spring.b).p), 0.052672516110736665, 1e-15);  // |D - C|
}

TEST(FourBar, LoopsAreLocal) {
  const ModelSpec spec = make("four_bar:loops=1000");
  EXPECT_EQ(std::ranges::count(spec.joints, "world", &JointSpec::parent), 1001);
  ASSERT_EQ(spec.constraints.size(), 1000u);
  const auto& last = std::get<LoopSpec>(spec.constraints.back().what);
  EXPECT_EQ(last.a.body, "coupler_1000");
  EXPECT_EQ(last.b.body, "crank_1000");
}

TEST(Governor, SpringsHaveTheirFreeLengthAtZero) {
  const ModelSpec spec = make("governor");
  for (const SpringSpec& spring : spec.springs)
    EXPECT_NEAR(norm(at_zero(spec, spring.a).p - at_zero(spec, spring.b).p), spring.length, 1e-15);
  // A point mass on a rod, about the hinge.
  const InertiaSpec& rod = spec.bodies.at(2).inertia;
  const RigidInertia<double> at_hinge = RigidInertia<double>::about_centre(rod.mass, rod.centre, rod.moments);
  EXPECT_NEAR(at_hinge.I.yy, 5 + 0.3 * (1.0 / 3 + 1e-4 / 12), 1e-14);
}

TEST(Bricard, ThinRodsAndSquareOnes) {
  const InertiaSpec thin = make("bricard").bodies[0].inertia, square = make("bricard:section=0.1").bodies[0].inertia;
  EXPECT_NEAR(thin.moments.xx, 0, 1e-16);
  EXPECT_NEAR(thin.moments.yy, 1.0 / 12, 1e-15);
  EXPECT_NEAR(square.moments.xx, 0.01 / 6, 1e-15);
  EXPECT_NEAR(square.moments.zz, 1.01 / 12, 1e-15);
}

// A mechanism copied into another keeps its constraints.
TEST(ScenesParts, AppendCarriesConstraintsAndSprings) {
  const Transform<double> X{rotation_z(0.7), {1, 2, 3}};
  ModelSpec all;
  for (const char* text : {"squeezer", "slider_crank", "gripper", "governor"})
    scenes::append(all, make(text), std::string(text) + "_", X);
  const Result<Model> model = compile(all);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model.value().constraints().size(), 3u + 1 + 3);
  EXPECT_EQ(model.value().springs().size(), 1u + 2);
  for (const ConstraintSpec& constraint : all.constraints)
    if (const auto* loop = std::get_if<LoopSpec>(&constraint.what)) {
      EXPECT_LT(norm(at_zero(all, loop->a).p - at_zero(all, loop->b).p), 1e-14) << constraint.name;
    }
  const SpringSpec& spring = all.springs.at(0);
  EXPECT_NEAR(norm(at_zero(all, spring.a).p - (X * Vec3<double>{.014, .072, 0})), 0, 1e-15);
}

TEST(Forest, IsManyTrees) {
  const ModelSpec spec = make("@forest:trees=14");
  EXPECT_EQ(std::ranges::count(spec.joints, "world", &JointSpec::parent), 14);
}

}  // namespace
}  // namespace linchpin
