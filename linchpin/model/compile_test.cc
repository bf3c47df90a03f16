// compile(): what it refuses and whom it blames, and that what it accepts is the mechanism of the spec.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "linchpin/model/link_frames.h"
#include "linchpin/model/model.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
const Sym3<double> sphere = Sym3<double>::diagonal(0.1, 0.1, 0.1);

// ---- specs ----

BodySpec solid(const std::string& name) {
  return {.name = name, .inertia = {1, {0.1, 0.2, 0.3}, sphere}, .geometry = {}};
}
JointSpec hinge(const std::string& name, const std::string& parent, const std::string& child) {
  JointSpec joint;
  joint.name = name;
  joint.parent = parent;
  joint.child = child;
  joint.X_PF = translation(1, 0, 0);
  return joint;
}
std::string numbered(const std::string& stem, std::size_t i) { return stem + std::to_string(i); }
// world -(hip)- thigh -(knee)- shank, with a frame at the end.
ModelSpec leg() {
  ModelSpec spec;
  spec.name = "leg";
  spec.bodies = {solid("thigh"), solid("shank")};
  spec.joints = {hinge("hip", "world", "thigh"), hinge("knee", "thigh", "shank")};
  spec.frames = {{"foot", "shank", translation(0, 0, 1)}};
  return spec;
}
// One body on one joint of this type.
ModelSpec single(JointType type, const InertiaSpec& inertia) {
  ModelSpec spec;
  spec.bodies = {{.name = "b", .inertia = inertia, .geometry = {}}};
  spec.joints = {hinge("j", "world", "b")};
  spec.joints[0].type = type;
  return spec;
}
ModelSpec scene_spec(const std::string& text) { return scene(text).value(); }

std::string error_of(const ModelSpec& spec) {
  const Result<Model> result = compile(spec);
  return result.ok() ? "" : result.error().message;
}
Model compiled(const ModelSpec& spec) {
  Result<Model> result = compile(spec);
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// The message begins with the model's name and holds each of the parts.
void expect_refused(const ModelSpec& spec, const std::vector<std::string>& parts) {
  const std::string message = error_of(spec);
  ASSERT_NE(message, "") << "accepted; expected: " << parts.front();
  EXPECT_EQ(message.rfind(spec.name.empty() ? "model: " : "model '" + spec.name + "': ", 0), 0u) << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}
void expect_accepted(const ModelSpec& spec) { EXPECT_EQ(error_of(spec), ""); }

// A leg with one thing changed.
void expect_leg_refused(const std::function<void(ModelSpec&)>& spoil, const std::vector<std::string>& parts) {
  ModelSpec spec = leg();
  spoil(spec);
  expect_refused(spec, parts);
}
void expect_leg_accepted(const std::function<void(ModelSpec&)>& change) {
  ModelSpec spec = leg();
  change(spec);
  expect_accepted(spec);
}

// ---- names and references ----

TEST(CompileRefuses, NamesThatAreMissingOrTwice) {
  expect_leg_refused([](auto& s) { s.bodies[1].name = ""; }, {"body number 1 has no name"});
  expect_leg_refused([](auto& s) { s.joints[0].name = ""; }, {"joint number 0 has no name"});
  expect_leg_refused([](auto& s) { s.frames[0].name = ""; }, {"a frame on body 'shank' has no name"});
  expect_leg_refused([](auto& s) { s.bodies[1].name = "thigh"; }, {"two bodies are called 'thigh'"});
  expect_leg_refused([](auto& s) { s.joints[1].name = "hip"; }, {"two joints are called 'hip'"});
  expect_leg_refused([](auto& s) { s.frames.push_back(s.frames[0]); }, {"two frames are called 'foot'"});
  expect_leg_refused([](auto& s) { s.bodies.push_back(solid("world")); }, {"'world'", "cannot be declared"});
}

TEST(CompileAccepts, TheSameNameForThingsOfDifferentKinds) {
  expect_leg_accepted([](auto& s) { s.joints[0].name = s.frames[0].name = "thigh"; });
}

TEST(CompileRefuses, BodiesThatAreNotThere) {
  expect_leg_refused([](auto& s) { s.joints[1].parent = "femur"; }, {"joint 'knee'", "no body 'femur'"});
  expect_leg_refused([](auto& s) { s.joints[1].child = "tibia"; }, {"joint 'knee'", "no body 'tibia'"});
  expect_leg_refused([](auto& s) { s.joints[1].child = ""; }, {"joint 'knee'", "no body ''"});
  expect_leg_refused([](auto& s) { s.frames[0].body = "toe"; }, {"frame 'foot'", "no body 'toe'"});
}

// ---- the tree ----

TEST(CompileRefuses, WhatIsNoTree) {
  expect_leg_refused([](auto& s) { s.joints[1].child = "world"; }, {"joint 'knee'", "world cannot be a child"});
  expect_leg_refused([](auto& s) { s.joints.push_back(hinge("extra", "world", "shank")); },
                     {"body 'shank'", "two joints, 'knee' and 'extra'"});
  expect_leg_refused([](auto& s) { s.joints.pop_back(); }, {"body 'shank' has no joint"});
}

TEST(CompileRefuses, ABodyThatCarriesItself) {
  expect_leg_refused([](auto& s) { s.joints[1].parent = "shank"; }, {"cycle", "'shank' <- 'shank'"});
}

// A healthy tree beside it, and a body that hangs on the cycle without being of it.
TEST(CompileRefuses, ACycleAndNamesThoseOfItOnly) {
  ModelSpec spec = leg();
  for (const char* name : {"tail", "a", "b", "c"}) spec.bodies.push_back(solid(name));
  spec.joints.push_back(hinge("j1", "a", "tail"));
  spec.joints.push_back(hinge("j2", "c", "a"));
  spec.joints.push_back(hinge("j3", "a", "b"));
  spec.joints.push_back(hinge("j4", "b", "c"));
  expect_refused(spec, {"cycle", "'a' <- 'c' <- 'b' <- 'a'"});
  const std::string message = error_of(spec);
  for (const char* innocent : {"tail", "thigh", "shank"}) EXPECT_EQ(message.find(innocent), std::string::npos) << message;
}

// ---- numbers: masses ----

TEST(CompileRefuses, ImpossibleMasses) {
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.mass = -2; }, {"body 'shank'", "mass is -2 kg"});
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.mass = nan; }, {"body 'shank'", "mass is nan kg"});
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.mass = inf; }, {"body 'thigh'", "mass is inf kg"});
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.centre.y = nan; }, {"body 'thigh'", "centre of mass", "nan"});
}

TEST(CompileRefuses, ImpossibleMoments) {
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.moments.xz = nan; }, {"body 'thigh'", "moment of inertia is nan"});
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.moments.yy = inf; }, {"body 'thigh'", "moment of inertia is inf"});
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::diagonal(3, 3, -0.5); },
                     {"body 'shank'", "principal moments", "-0.5 < 0"});
  // The diagonal is fine, but the matrix is not positive: eigenvalues of [1 2; 2 1] are -1 and 3.
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.moments = {1, 1, 3, 2, 0, 0}; }, {"body 'shank'", "-1 < 0"});
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::diagonal(-1, -1, -1); },
                     {"body 'shank'", "-1 < 0"});
}

TEST(CompileRefuses, MomentsThatNoMassCanHaveWithBothNumbers) {
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::diagonal(5, 1, 2.5); },
                     {"body 'shank'", "triangle inequality", "1 + 2.5 = 3.5 < 5"});
  // The same turned by an eighth of a turn about z: only the principal moments show it.
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.moments = {3, 3, 2.5, 2, 0, 0}; },
                     {"body 'shank'", "triangle inequality", " < 5"});
}

TEST(CompileAccepts, MomentsAtTheEdgeOfWhatMassCanHave) {
  // A flat plate: 1 + 2 = 3; written with six digits it may fall short by one in the last.
  expect_leg_accepted([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::diagonal(1, 2, 3); });
  expect_leg_accepted([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::diagonal(1, 1.99999, 2.999991); });
  // A rod, and a point.
  expect_leg_accepted([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::diagonal(1, 1, 0); });
  expect_leg_accepted([](auto& s) { s.bodies[1].inertia.moments = Sym3<double>::zero(); });
}

// ---- numbers: frames ----

TEST(CompileRefuses, FramesThatAreNone) {
  const auto stretched = Mat3<double>{{1.001, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto skewed = Mat3<double>{{1, 1e-3, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto mirror = Mat3<double>{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  const auto broken = Mat3<double>{{1, 0, 0}, {0, nan, 0}, {0, 0, 1}};
  expect_leg_refused([&](auto& s) { s.joints[1].X_PF.R = stretched; },
                     {"joint 'knee': frame X_PF", "not orthonormal", "0.002001", "1e-06"});
  expect_leg_refused([&](auto& s) { s.joints[1].X_CM.R = skewed; },
                     {"joint 'knee': frame X_CM", "not orthonormal", "0.001", "1e-06"});
  expect_leg_refused([&](auto& s) { s.joints[0].X_CM.R = mirror; }, {"joint 'hip': frame X_CM", "reflection"});
  expect_leg_refused([&](auto& s) { s.joints[0].X_PF.R = broken; }, {"joint 'hip': frame X_PF", "not finite"});
  expect_leg_refused([&](auto& s) { s.joints[0].X_PF.p.x = nan; }, {"joint 'hip': frame X_PF", "(nan, 0, 0)", "not finite"});
  expect_leg_refused([&](auto& s) { s.joints[0].X_CM.p.z = inf; }, {"joint 'hip': frame X_CM", "(0, 0, inf)", "not finite"});
  expect_leg_refused([&](auto& s) { s.frames[0].X_BF.p.x = -inf; }, {"frame 'foot'", "(-inf, 0, 1)", "not finite"});
  expect_leg_refused([&](auto& s) { s.frames[0].X_BF.R = mirror; }, {"frame 'foot'", "reflection"});
}

// Off by a little less than is refused, and the model is as good as any.
TEST(CompileAccepts, RotationsOfSixDigitsAndCleansThem) {
  RandomSpatial random(1);
  ModelSpec spec = leg();
  for (JointSpec& joint : spec.joints)
    for (Transform<double>* X : {&joint.X_PF, &joint.X_CM}) {
      X->R = random.rotation();
      X->R = {X->R.x + random.vector(1e-7), X->R.y + random.vector(1e-7), X->R.z + random.vector(1e-7)};
    }
  const Model model = compiled(spec);
  const auto orthonormal = [](const Mat3<double>& R) {
    return distance(R * transpose(R), Mat3<double>::identity()) <= 3e-15;
  };
  for (const Link& link : model.links()) EXPECT_TRUE(orthonormal(link.X_PF.R));
  for (const Body& body : model.bodies()) EXPECT_TRUE(orthonormal(body.X_LB.R));
}

// ---- numbers: joints ----

TEST(CompileRefuses, AxesThatAreNone) {
  expect_leg_refused([](auto& s) { s.joints[1].axis = {0, 0, 0}; }, {"joint 'knee'", "axis (0, 0, 0) is no direction"});
  expect_leg_refused([](auto& s) { s.joints[1].axis = {1, nan, 0}; }, {"joint 'knee'", "axis (1, nan, 0)"});
  expect_leg_refused([](auto& s) { s.joints[1].axis = {1, inf, 0}; }, {"joint 'knee'", "axis (1, inf, 0)"});
  const auto universal = [](const Vec3<double>& axis, const Vec3<double>& axis2) {
    return [=](ModelSpec& s) {
      s.joints[1].type = JointType::universal;
      s.joints[1].axis = axis;
      s.joints[1].axis2 = axis2;
    };
  };
  expect_leg_refused(universal({0, 0, 1}, {0, 0, 0}), {"joint 'knee'", "axis2 (0, 0, 0) is no direction"});
  expect_leg_refused(universal({0, 0, 1}, {0, nan, 0}), {"joint 'knee'", "axis2 (0, nan, 0)"});
  expect_leg_refused(universal({1, 2, 3}, {2, 4, 6}), {"joint 'knee'", "(1, 2, 3) and axis2 (2, 4, 6) are parallel"});
  expect_leg_refused(universal({1, 2, 3}, {-1, -2, -3}), {"joint 'knee'", "parallel"});
  expect_leg_refused(universal({1e200, 2e200, 3e200}, {1e-200, 2e-200, 3e-200}), {"joint 'knee'", "parallel"});
  expect_leg_accepted(universal({1e200, 0, 0}, {1e200, 1e200, 0}));
  expect_leg_accepted(universal({0, 0, 1}, {0, 1e-3, 1}));
}

// spec.h: "any length but zero"
TEST(CompileAccepts, AxesOfAnyLength) {
  for (const double length : {5e-324, 1e-200, 1e-3, 7.0, 1e200, 1e308})
    expect_leg_accepted([&](auto& s) { s.joints[1].axis = {0, length, 0}; });
}

TEST(CompileRefuses, JointTypesThatThereAreNot) {
  expect_leg_refused([](auto& s) { s.joints[1].type = static_cast<JointType>(joint_type_count); },
                     {"joint 'knee'", "unknown joint type 10"});
  expect_leg_refused([](auto& s) { s.joints[1].type = static_cast<JointType>(-1); }, {"joint 'knee'", "unknown joint type -1"});
}

TEST(CompileRefuses, AWrongNumberOfCoordinates) {
  expect_leg_refused([](auto& s) { s.joints[1].dofs.resize(2); },
                     {"joint 'knee'", "has 2 dofs entries", "revolute joint needs 1"});
  expect_leg_refused(
      [](auto& s) {
        s.joints[1].type = JointType::ball;
        s.joints[1].dofs.resize(4);  // as many as positions, but it takes velocities
      },
      {"joint 'knee'", "has 4 dofs entries", "ball joint needs 3"});
  expect_leg_refused(
      [](auto& s) {
        s.joints[1].type = JointType::weld;
        s.joints[1].dofs.resize(1);
      },
      {"joint 'knee'", "has 1 dofs entries", "weld joint needs 0"});
}

TEST(CompileRefuses, ImpossibleNumbersOfACoordinate) {
  const auto refused = [](const std::function<void(DofSpec&)>& spoil, const std::string& complaint) {
    ModelSpec spec = leg();
    spec.joints[1].type = JointType::cylindrical;
    spec.joints[1].dofs.resize(2);
    spoil(spec.joints[1].dofs[1]);
    expect_refused(spec, {"joint 'knee': coordinate 1: ", complaint});
  };
  refused([](DofSpec& d) { d.armature = -1; }, "armature is -1");
  refused([](DofSpec& d) { d.armature = nan; }, "armature is nan");
  refused([](DofSpec& d) { d.armature = inf; }, "armature is inf");
  refused([](DofSpec& d) { d.damping = -0.5; }, "damping is -0.5");
  refused([](DofSpec& d) { d.damping = nan; }, "damping is nan");
  refused([](DofSpec& d) { d.stiffness = -3; }, "stiffness is -3");
  refused([](DofSpec& d) { d.dry_friction = -1e-3; }, "dry_friction is -0.001");
  refused([](DofSpec& d) { d.dry_friction = inf; }, "dry_friction is inf");
  refused([](DofSpec& d) { d.rest = nan; }, "rest is nan");
  refused([](DofSpec& d) { d.rest = inf; }, "rest is inf");
  refused([](DofSpec& d) { d.lower = nan; }, "lower limit nan is not at most upper limit inf");
  refused([](DofSpec& d) { d.upper = nan; }, "lower limit -inf is not at most upper limit nan");
  refused(
      [](DofSpec& d) {
        d.lower = 2;
        d.upper = -1.5;
      },
      "lower limit 2 is not at most upper limit -1.5");
  refused([](DofSpec& d) { d.effort_limit = -1; }, "effort_limit is -1");
  refused([](DofSpec& d) { d.effort_limit = nan; }, "effort_limit is nan");
  refused([](DofSpec& d) { d.velocity_limit = -2; }, "velocity_limit is -2");
  refused([](DofSpec& d) { d.velocity_limit = nan; }, "velocity_limit is nan");
}

TEST(CompileRefuses, LimitsThatARotationCannotHave) {
  const auto turning = [](JointType type, const DofSpec& first, const DofSpec& others) {
    ModelSpec spec;
    BodySpec body;
    body.name = "body";
    body.inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)};
    spec.bodies.push_back(body);
    JointSpec joint;
    joint.name = "joint";
    joint.type = type;
    joint.child = "body";
    joint.dofs.assign(std::size_t(velocity_count(type)), others);
    joint.dofs[0] = first;
    spec.joints.push_back(joint);
    return compile(spec);
  };
  const DofSpec none, angle{.upper = 0.5}, both{.lower = -0.5, .upper = 0.5}, range{.lower = -0.1, .upper = 0.5};
  EXPECT_TRUE(turning(JointType::ball, angle, angle));
  EXPECT_TRUE(turning(JointType::ball, both, both));
  for (const auto& [first, others] :
       {std::pair{angle, none}, {range, range}, {DofSpec{.upper = 0}, DofSpec{.upper = 0}}})
    EXPECT_NE(turning(JointType::ball, first, others).error().message.find("the angle that it may turn by"),
              std::string::npos);
  EXPECT_NE(turning(JointType::free, angle, none).error().message.find("takes no limits"), std::string::npos);
}

TEST(CompileAccepts, LimitsThatLeaveOnePlaceOrAll) {
  expect_leg_accepted([](auto& s) { s.joints[1].dofs = {{.lower = 0.3, .upper = 0.3}}; });
  expect_leg_accepted([](auto& s) { s.joints[1].dofs = {{.lower = -inf, .upper = inf}}; });
  expect_leg_accepted([](auto& s) { s.joints[1].dofs = {{.effort_limit = 0, .velocity_limit = inf}}; });
}

TEST(CompileRefuses, PitchesThatAreNone) {
  expect_leg_refused(
      [](auto& s) {
        s.joints[1].type = JointType::screw;
        s.joints[1].pitch = nan;
      },
      {"joint 'knee'", "pitch is nan"});
}

TEST(CompileRefuses, ArmatureAndSpringsOfFreeJoints) {
  const auto free = [](const std::function<void(DofSpec&)>& spoil) {
    return [=](ModelSpec& s) {
      s.joints[0].type = JointType::free;
      s.joints[0].dofs.resize(6);
      spoil(s.joints[0].dofs[4]);
    };
  };
  expect_leg_refused(free([](DofSpec& d) { d.armature = 0.25; }), {"joint 'hip'", "free joint takes no armature (0.25)"});
  expect_leg_refused(free([](DofSpec& d) { d.stiffness = 3; }), {"joint 'hip'", "no spring (3)"});
  expect_leg_accepted(free([](DofSpec& d) { d.damping = 1; }));
}

TEST(CompileRefuses, BallJointsThatDifferByDirection) {
  const auto ball = [](const std::function<void(std::vector<DofSpec>&)>& change) {
    return [=](ModelSpec& s) {
      s.joints[1].type = JointType::ball;
      s.joints[1].dofs.resize(3);
      change(s.joints[1].dofs);
    };
  };
  expect_leg_refused(ball([](auto& dofs) { dofs[2].armature = 0.5; }), {"joint 'knee'", "armature", "not 0 and 0.5"});
  expect_leg_refused(ball([](auto& dofs) { dofs[0].stiffness = 7; }), {"joint 'knee'", "stiffness", "7 and 0"});
  expect_leg_accepted(ball([](auto& dofs) {
    for (DofSpec& dof : dofs) dof.armature = 0.5, dof.stiffness = 7;
    dofs[1].damping = 1;
  }));
}

TEST(CompileRefuses, GravityThatIsNone) {
  expect_leg_refused([](auto& s) { s.gravity.z = nan; }, {"gravity (0, 0, nan) m/s^2 is not finite"});
  expect_leg_refused([](auto& s) { s.gravity = {inf, -inf, 0}; }, {"gravity (inf, -inf, 0)"});
}

TEST(CompileRefuses, ShapesThatAreNone) {
  const struct {
    Shape shape;
    std::string complaint;
  } cases[] = {
      {Sphere{0}, "sphere radius is 0 m"},
      {Sphere{-1}, "sphere radius is -1 m"},
      {Sphere{nan}, "sphere radius is nan m"},
      {Sphere{inf}, "sphere radius is inf m"},
      {Box{{1, 0, 1}}, "box half extent is 0 m"},
      {Box{{1, 1, -3}}, "box half extent is -3 m"},
      {Capsule{0, 1}, "capsule radius is 0 m"},
      {Capsule{1, -2}, "capsule half length is -2 m"},
      {Capsule{1, nan}, "capsule half length is nan m"},
      {Cylinder{-1, 1}, "cylinder radius is -1 m"},
      {Cylinder{1, 0}, "cylinder half length is 0 m"},
  };
  for (const auto& [shape, complaint] : cases) {
    const GeometrySpec geometry{"skin", shape};
    expect_leg_refused([&](auto& s) { s.bodies[1].geometry = {geometry}; }, {"body 'shank', geometry 'skin'", complaint});
    expect_leg_refused([&](auto& s) { s.world_geometry = {geometry}; }, {"world geometry 'skin'", complaint});
  }
  const GeometrySpec misplaced{"skin", Sphere{1}, translation(0, nan, 0)};
  expect_leg_refused([&](auto& s) { s.bodies[1].geometry = {misplaced}; }, {"body 'shank', geometry 'skin'", "(0, nan, 0)"});
  expect_leg_refused([&](auto& s) { s.world_geometry = {misplaced}; }, {"world geometry 'skin'", "(0, nan, 0)"});
  expect_leg_accepted([](auto& s) { s.bodies[1].geometry = {{"ball", Capsule{1, 0}}}; });
}

// ---- coordinates that move no mass ----

TEST(CompileRefuses, AMasslessTip) {
  expect_leg_refused([](auto& s) { s.bodies[1].inertia = {}; }, {"body 'shank'", "joint 'knee' (revolute)", "moves no mass"});
  // Two of them: the blame is the outermost's.
  expect_leg_refused([](auto& s) { s.bodies[0].inertia = s.bodies[1].inertia = {}; }, {"body 'shank'", "joint 'knee'"});
}

TEST(CompileRefuses, MasslessTipsOfEveryType) {
  for (int t = 1; t < joint_type_count; ++t) {
    const JointType type = static_cast<JointType>(t);
    ModelSpec spec = single(type, {});
    expect_refused(spec, {"body 'b'", "joint 'j' (" + std::string(to_string(type)) + ")", "moves no mass"});
    spec.bodies[0].inertia = {1, {0.1, 0.2, 0.3}, sphere};
    expect_accepted(spec);
  }
}

// In whatever direction the axis points, and wherever the body's own frame is: rounding must not pass for inertia.
TEST(CompileRefuses, APointMassOnItsOwnAxis) {
  RandomSpatial random(2);
  for (int i = 0; i < 1000; ++i) {
    ModelSpec spec = single(JointType::revolute, {});
    JointSpec& joint = spec.joints[0];
    joint.axis = random.vector();
    joint.X_PF = random.pose();
    joint.X_CM.p = random.vector(random.magnitude(0.1, 100));
    spec.bodies[0].inertia = {random.magnitude(1e-3, 1e3), joint.X_CM.p + random.even() * joint.axis, Sym3<double>::zero()};
    // The axis passes the centre at a distance of some roundings of the centre's place.
    const double far = norm(joint.X_CM.p);
    if (far < 3) expect_refused(spec, {"body 'b'", "joint 'j' (revolute)", "moves no mass"});
    joint.dofs = {{.armature = 1e-3}};
    expect_accepted(spec);
  }
}

TEST(CompileRefuses, APointMassOnABallOrFreeJoint) {
  RandomSpatial random(3);
  for (int i = 0; i < 1000; ++i) {
    Vec3<double> centre = random.vector();
    if (i % 2) centre = {random.magnitude(1e-8, 1), random.magnitude(1e-8, 1), 1};  // almost on an axis of the frame
    ModelSpec spec = single(JointType::ball, {1, centre, Sym3<double>::zero()});
    spec.joints[0].X_PF = random.pose();
    if (i % 2 == 0) spec.joints[0].X_CM = random.pose();
    expect_refused(spec, {"body 'b'", "joint 'j' (ball)", "moves no mass"});
    spec.joints[0].dofs.assign(3, {.armature = 0.01});
    expect_accepted(spec);
    spec.joints[0].dofs.clear();
    spec.joints[0].type = JointType::free;
    expect_refused(spec, {"body 'b'", "joint 'j' (free)", "moves no mass"});
    spec.bodies[0].inertia.moments = Sym3<double>::diagonal(1e-3, 1e-3, 1e-3);
    expect_accepted(spec);
  }
}

TEST(CompileRefuses, OneCoordinateOfSeveralThatMovesNoMass) {
  const InertiaSpec on_axis{1, {0, 0, 0.5}, Sym3<double>::zero()};
  expect_refused(single(JointType::cylindrical, on_axis), {"joint 'j' (cylindrical)"});
  expect_refused(single(JointType::planar, {1, {0, 0, 0}, Sym3<double>::zero()}), {"joint 'j' (planar)"});
  expect_accepted(single(JointType::translational, on_axis));
  expect_accepted(single(JointType::prismatic, on_axis));
  // A screw moves the mass along, if it has a pitch.
  ModelSpec screw = single(JointType::screw, on_axis);
  expect_refused(screw, {"joint 'j' (screw)"});
  screw.joints[0].pitch = 0.1;
  expect_accepted(screw);
}

// A massless link between two hinges of one axis can spin by itself; between hinges that cross it cannot.
TEST(CompileRefuses, MasslessLinksThatSpinUnnoticed) {
  RandomSpatial random(4);
  for (int i = 0; i < 200; ++i) {
    ModelSpec spec = leg();
    spec.bodies[0].inertia = {};
    const Vec3<double> axis = random.direction();
    spec.joints[0].axis = spec.joints[1].axis = axis;
    spec.joints[1].X_PF.p = random.even() * axis;
    expect_refused(spec, {"body 'thigh'", "joint 'hip'", "moves no mass"});
    spec.joints[0].dofs = {{.armature = 1e-4}};
    expect_accepted(spec);
    spec.joints[0].dofs.clear();
    spec.joints[1].X_PF.p = spec.joints[1].X_PF.p + 0.1 * cross(axis, random.direction());
    expect_accepted(spec);  // parallel, but apart
  }
}

TEST(CompileAccepts, MasslessLinksThatCarryMass) {
  expect_leg_accepted([](auto& s) { s.bodies[0].inertia = {}; });
  // Even when the mass is a point, as long as it is off the axes.
  expect_leg_accepted([](auto& s) {
    s.bodies[0].inertia = {};
    s.bodies[1].inertia.moments = Sym3<double>::zero();
  });
  // And when it is welded on.
  expect_leg_accepted([](auto& s) {
    s.bodies[0].inertia = {};
    s.joints[1].type = JointType::weld;
  });
}

TEST(CompileAccepts, MassesOfVeryDifferentSizes) {
  for (const double ratio : {1e-12, 1e-9, 1e9, 1e12})
    expect_leg_accepted([&](auto& s) {
      s.joints[1].axis = {0, 1, 0};
      s.bodies[0].inertia.mass *= ratio;
      s.bodies[0].inertia.moments = ratio * sphere;
    });
  // A needle of a micrometre that turns about itself, a metre long.
  expect_accepted(single(JointType::revolute, {1e-6, {0, 0, 0.5}, Sym3<double>::diagonal(8e-8, 8e-8, 5e-19)}));
}

// ---- nothing half-built ----

TEST(CompileRefuses, AndHandsOutNoModel) {
  ModelSpec spec = leg();
  spec.bodies[1].inertia = {};  // found in the very last step
  const Result<Model> result = compile(spec);
  ASSERT_FALSE(result.ok());
  EXPECT_THROW((void)result.value(), CheckFailed);
  spec.bodies[1] = solid("shank");  // mended, it is as if nothing had been
  const Model mended = compiled(spec), fresh = compiled(leg());
  ASSERT_EQ(mended.links().size(), fresh.links().size());
  for (std::size_t i = 0; i < fresh.links().size(); ++i)
    EXPECT_EQ(std::memcmp(&mended.links()[i].inertia, &fresh.links()[i].inertia, sizeof(RigidInertia<double>)), 0);
}

// ---- what is accepted ----

// The pose of M in F, as the table in spec.h says.
Transform<double> joint_pose(const JointSpec& joint, const double* q) {
  const auto unit = [](const Vec3<double>& v) { return (1 / norm(v)) * v; };
  const Vec3<double> u = unit(joint.axis), none{0, 0, 0};
  const Mat3<double> still = Mat3<double>::identity(), plane = frame_with_z(joint.axis);
  switch (joint.type) {
    case JointType::weld: return {still, none};
    case JointType::revolute: return {rotation_about(u, q[0]), none};
    case JointType::prismatic: return {still, q[0] * u};
    case JointType::screw: return {rotation_about(u, q[0]), (joint.pitch * q[0]) * u};
    case JointType::cylindrical: return {rotation_about(u, q[0]), q[1] * u};
    case JointType::universal: return {rotation_about(u, q[0]) * rotation_about(unit(joint.axis2), q[1]), none};
    case JointType::planar: return {rotation_about(u, q[2]), q[0] * plane.x + q[1] * plane.y};
    case JointType::translational: return {still, {q[0], q[1], q[2]}};
    case JointType::ball: return {to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), none};
    case JointType::free: return {to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), {q[4], q[5], q[6]}};
  }
  return {};
}
// Where a body is, by the spec; the model tells only which numbers of q are whose.
std::map<std::string, Transform<double>> poses_by_spec(const ModelSpec& spec, const Model& model,
                                                       const std::vector<double>& q) {
  std::map<std::string, Transform<double>> X_W{{"world", Transform<double>::identity()}};
  std::map<std::string, const JointSpec*> joint_of;
  for (const JointSpec& joint : spec.joints) joint_of[joint.child] = &joint;
  const std::function<Transform<double>(const std::string&)> pose = [&](const std::string& body) {
    if (const auto known = X_W.find(body); known != X_W.end()) return known->second;
    const JointSpec& joint = *joint_of.at(body);
    const int j = model.find_joint(joint.name);
    return X_W[body] = pose(joint.parent) * joint.X_PF *
                       joint_pose(joint, q.data() + model.joints()[std::size_t(j)].q) * inverse(joint.X_CM);
  };
  for (const BodySpec& body : spec.bodies) pose(body.name);
  return X_W;
}
// Where a link is, as model.h says.
std::vector<Transform<double>> poses_by_links(const Model& model, const std::vector<double>& q) {
  std::vector<Transform<double>> X_W{Transform<double>::identity()};
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const double* x = q.data() + link.q;
    Transform<double> X = Transform<double>::identity();
    if (link.kind == LinkKind::revolute || link.kind == LinkKind::axial)
      X = screw_z(link.angle0 + link.turn * x[0], link.slide0 + link.slide * x[0]);
    else
      X = {to_rotation(Quaternion<double>{x[0], x[1], x[2], x[3]}),
           link.kind == LinkKind::free ? Vec3<double>{x[4], x[5], x[6]} : Vec3<double>::zero()};
    X_W.push_back(X_W[std::size_t(link.parent)] * link.X_PF * X);
  }
  return X_W;
}
double pose_error(const ModelSpec& spec, const Model& model, const std::vector<double>& q) {
  const auto expected = poses_by_spec(spec, model, q);
  const auto links = poses_by_links(model, q);
  double worst = 0;
  for (const Body& body : model.bodies()) {
    const Transform<double> X = links[std::size_t(body.link)] * body.X_LB, &Y = expected.at(body.name);
    const double error = std::max(distance(X.R, Y.R), distance(X.p, Y.p));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}
std::vector<std::string> scenes() {
  std::vector<std::string> texts{"@pendulum", "@chain:links=30", "@heavy_light", "@humanoid", "@quadruped",
                                 "@dual_arm", "@top",            "@forest",      "@cart_pole", "@planar_walker"};
  for (int seed = 1; seed <= 30; ++seed)
    texts.push_back("@random_tree:bodies=30,seed=" + std::to_string(seed) + ",floating=" + std::to_string(seed % 2));
  return texts;
}

// A rounding at each of up to thirty steps, of places up to some thirty metres away.
constexpr double pose_rounding = 30 * 30 * 1e-15;

TEST(Compile, LinksPutEveryBodyWhereTheSpecDoesAtZero) {
  for (const std::string& text : scenes()) {
    const ModelSpec spec = scene_spec(text);
    const Model model = compiled(spec);
    EXPECT_LE(pose_error(spec, model, make_state(model).q), pose_rounding) << text;
  }
}

TEST(Compile, LinksPutEveryBodyWhereTheSpecDoesAtRandom) {
  for (const std::string& text : scenes()) {
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
  for (const std::string& text : scenes()) {
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
      const Body& child = model.bodies()[std::size_t(joint.child)];
      EXPECT_EQ(child.joint, int(j)) << text;
      EXPECT_EQ(child.name, joint.spec.child) << text;
      EXPECT_EQ(model.bodies()[std::size_t(joint.parent)].name, joint.spec.parent) << text;
      // What the spec says of each coordinate is found at its place.
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
    // Links share out the same coordinates in the same order, and carry the armature.
    q = v = 0;
    for (const Link& link : model.links()) {
      EXPECT_EQ(link.q, link.kind == LinkKind::world ? 0 : q) << text;
      EXPECT_EQ(link.v, link.kind == LinkKind::world ? 0 : v) << text;
      for (int k = 0; k < link.nv; ++k) EXPECT_EQ(link.armature, model.dofs()[std::size_t(v + k)].armature) << text;
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

TEST(Compile, OrderIsDepthFirstAndParentsComeFirst) {
  for (const std::string& text : scenes()) {
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
                 hinge("shoulder_l", "torso", "left_arm"), hinge("wrist_r", "right_arm", "right_hand")};
  const Model model = compiled(spec);
  std::vector<std::string> order;
  for (const Body& body : model.bodies()) order.push_back(body.name);
  EXPECT_EQ(order, (std::vector<std::string>{"world", "torso", "head", "right_arm", "right_hand", "left_arm", "left_hand"}));
}

TEST(Compile, InertiaOfALinkIsThatOfItsBodies) {
  for (const std::string& text : scenes()) {
    const ModelSpec spec = scene_spec(text);
    const Model model = compiled(spec);
    std::vector<RigidInertia<double>> sum(model.links().size(), RigidInertia<double>::zero());
    double mass = 0;
    for (const Body& body : model.bodies())
      sum[std::size_t(body.link)] = sum[std::size_t(body.link)] + inertia_to_parent(body.X_LB, body.inertia);
    for (const BodySpec& body : spec.bodies) {
      mass += body.inertia.mass;
      const RigidInertia<double>& kept = model.bodies()[std::size_t(model.find_body(body.name))].inertia;
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
  spec.bodies.push_back({.name = "lamp", .inertia = {2, {0, 0, 0.5}, Sym3<double>::diagonal(0.3, 0.3, 0.1)}, .geometry = {}});
  spec.joints.push_back(hinge("clamp", "thigh", "lamp"));
  spec.joints.back().type = JointType::weld;
  spec.joints.back().X_PF = {rotation_x(std::numbers::pi / 2), {0, 0, 3}};
  const Model model = compiled(spec);
  EXPECT_EQ(model.links().size(), 3u);
  const Body &thigh = model.bodies()[std::size_t(model.find_body("thigh"))],
             &lamp = model.bodies()[std::size_t(model.find_body("lamp"))];
  EXPECT_EQ(lamp.link, thigh.link);
  // In the thigh's axes the lamp's centre is at (0, -0.5, 3), and its y and z moments change places.
  const Transform<double> X_TL = inverse(thigh.X_LB);
  const RigidInertia<double> both = inertia_to_parent(X_TL, model.links()[std::size_t(thigh.link)].inertia);
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
  spec.joints[0].parent = "vase";  // and carry what moves
  const Model model = compiled(spec);
  EXPECT_EQ(model.nv(), 2);
  EXPECT_EQ(model.links().size(), 3u);
  for (const char* name : {"table", "vase"}) {
    const Body& body = model.bodies()[std::size_t(model.find_body(name))];
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

// ---- runs ----

// Every link in one run, runs in order, what model.h promises of them, and the placement that they compute with.
void expect_sound_runs(const Model& model, const std::string& text) {
  const auto links = model.links();
  const auto runs = model.runs();
  std::vector<int> children(links.size(), 0);
  for (std::size_t i = 1; i < links.size(); ++i) ++children[std::size_t(links[i].parent)];
  int next = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    ASSERT_EQ(run.first, next) << text;
    ASSERT_LT(run.first, run.end) << text;
    for (int i = run.first; i < run.end; ++i) {
      const Link& link = links[std::size_t(i)];
      EXPECT_EQ(link.run, int(r)) << text;
      EXPECT_EQ(link.kind, run.kind) << text;
      if (i > run.first) {
        EXPECT_EQ(link.parent, i - 1) << text;
        EXPECT_EQ(children[std::size_t(i - 1)], 1) << text << ": a branch within a run";
        EXPECT_TRUE(link.split) << text;
        EXPECT_EQ(link.phi, 0) << text;
        EXPECT_EQ(link.t, 0) << text;
      }
      if (link.split) {
        const Transform<double> X = screw_z(link.phi, link.t) * screw_x(link.alpha, link.a);
        EXPECT_LE(distance(X.R, link.X_PF.R), 1e-15) << text;
        EXPECT_LE(distance(X.p, link.X_PF.p), 1e-14) << text;
      }
    }
    if (r > 0) {
      const int parent_link = links[std::size_t(run.first)].parent;
      EXPECT_EQ(run.parent, links[std::size_t(parent_link)].run) << text;
      EXPECT_EQ(runs[std::size_t(run.parent)].end - 1, parent_link) << text << ": hangs on the middle of a run";
    }
    next = run.end;
  }
  EXPECT_EQ(next, int(links.size())) << text;
}

TEST(Runs, AreSoundInEveryScene) {
  for (const std::string& text : scenes()) expect_sound_runs(compiled(scene_spec(text)), text);
}

ModelSpec serial(const std::vector<JointType>& types) {
  ModelSpec spec;
  std::string before = "world";
  for (std::size_t i = 0; i < types.size(); ++i) {
    spec.bodies.push_back(solid(numbered("b", i)));
    JointSpec joint = hinge(numbered("j", i), before, spec.bodies.back().name);
    joint.type = types[i];
    joint.axis = i % 2 ? Vec3<double>{0, 1, 0.3} : Vec3<double>{0.2, 0, 1};
    joint.pitch = 0.1;
    spec.joints.push_back(joint);
    before = spec.bodies.back().name;
  }
  return spec;
}
std::vector<int> run_lengths(const Model& model) {
  std::vector<int> lengths;
  for (const Run& run : model.runs().subspan(1)) lengths.push_back(run.end - run.first);
  return lengths;
}

TEST(Runs, ASerialRevoluteChainIsOne) {
  const ModelSpec spec = serial(std::vector<JointType>(20, JointType::revolute));
  EXPECT_EQ(run_lengths(compiled(spec)), (std::vector<int>{20}));
}

TEST(Runs, BreakWhereTheKindChanges) {
  using enum JointType;
  EXPECT_EQ(run_lengths(compiled(serial({revolute, revolute, prismatic, screw, revolute}))), (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(run_lengths(compiled(serial({universal, revolute, ball, ball, revolute}))), (std::vector<int>{3, 1, 1, 1}));
  EXPECT_EQ(run_lengths(compiled(serial({free, revolute, weld, revolute}))), (std::vector<int>{1, 2}));
  // A screw without pitch is a hinge.
  ModelSpec flat = serial({revolute, screw, revolute});
  flat.joints[1].pitch = 0;
  EXPECT_EQ(run_lengths(compiled(flat)), (std::vector<int>{3}));
  // Armature makes a hinge one of the other kind.
  ModelSpec geared = serial({revolute, revolute, prismatic});
  geared.joints[1].dofs = {{.armature = 0.1}};
  EXPECT_EQ(run_lengths(compiled(geared)), (std::vector<int>{1, 2}));
}

TEST(Runs, BreakAtBranches) {
  ModelSpec spec = serial(std::vector<JointType>(5, JointType::revolute));
  spec.bodies.push_back(solid("twig"));
  spec.joints.push_back(hinge("fork", "b2", "twig"));  // b2 is the third link
  const Model model = compiled(spec);
  EXPECT_EQ(run_lengths(model), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(model.runs()[2].parent, 1);
  EXPECT_EQ(model.runs()[3].parent, 1);
  // Two trees on the world are a branch, too.
  spec.joints.back().parent = "world";
  EXPECT_EQ(run_lengths(compiled(spec)), (std::vector<int>{5, 1}));
}

// Just off parallel the common normal is far away. Such a link leaves the run, and all bodies are where they belong.
TEST(Runs, BreakAtNearlyParallelAxesWithTheSamePoses) {
  for (double angle = 1e-17; angle < 1; angle *= 3) {
    ModelSpec spec = serial(std::vector<JointType>(3, JointType::revolute));
    for (JointSpec& joint : spec.joints) joint.axis = {0, 0, 1};
    spec.joints[1].X_PF = {rotation_x(angle), {1, 2, 3}};
    const Model model = compiled(spec);
    const std::vector<int> lengths = run_lengths(model);
    const bool together = lengths == std::vector<int>{3}, apart = lengths == std::vector<int>{1, 2};
    EXPECT_TRUE(angle < 5e-16 || angle > 0.5 ? together : angle > 1e-14 && angle < 0.05 ? apart : together || apart)
        << "angle " << angle << ": " << lengths.size() << " runs";
    expect_sound_runs(model, "angle " + std::to_string(angle));
    EXPECT_LE(pose_error(spec, model, {0.7, -1.1, 2.3}), 3e-14) << angle;
  }
}

// Parallel in the drawing is parallel in the model, although the axes are seen in frames turned at random.
TEST(Runs, ParallelAxesInTurnedFramesStayTogether) {
  RandomSpatial random(6);
  const Vec3<double> axis_W = random.direction();
  ModelSpec spec = serial(std::vector<JointType>(300, JointType::revolute));
  Mat3<double> R_W = Mat3<double>::identity();
  for (JointSpec& joint : spec.joints) {
    joint.X_PF = random.pose();
    joint.X_CM = random.pose();
    R_W = R_W * joint.X_PF.R;
    joint.axis = transpose_times(R_W, axis_W);
    R_W = R_W * transpose(joint.X_CM.R);
  }
  EXPECT_EQ(run_lengths(compiled(spec)), (std::vector<int>{300}));
}

// ---- names of a model ----

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
  for (const char* nobody : {"", "a", "knee", "shan", "shanks", "zebra"}) EXPECT_EQ(model.find_body(nobody), -1) << nobody;
  EXPECT_EQ(model.find_joint("shank"), -1);
  EXPECT_EQ(model.find_frame("world"), -1);
  EXPECT_EQ(Model().find_body("world"), -1);
  EXPECT_EQ(model.frames()[0].body, 2);
  EXPECT_EQ(model.frames()[0].X_BF.p.z, 1);
  EXPECT_EQ(model.bodies()[0].geometry.at(0).name, "floor");
  EXPECT_EQ(model.bodies()[2].geometry.at(0).name, "skin");
  EXPECT_EQ(model.bodies()[2].geometry.at(0).X_BG.p.z, 4);
}

TEST(Model, CopiesFindTheirOwn) {
  const Model model = compiled(scene_spec("@humanoid"));
  const Model copy = model;
  for (std::size_t b = 0; b < model.bodies().size(); ++b) EXPECT_EQ(copy.find_body(model.bodies()[b].name), int(b));
  for (std::size_t j = 0; j < model.joints().size(); ++j) EXPECT_EQ(copy.find_joint(model.joints()[j].name), int(j));
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
  for (const Body& body : model.bodies()) ASSERT_GE(model.find_body(body.name), 0);  // not a search through all of them
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

TEST(CompileRefuses, ACycleOfAHundredThousand) {
  ModelSpec spec;
  for (std::size_t i = 0; i < 100000; ++i) spec.bodies.push_back(solid(numbered("b", i)));
  for (std::size_t i = 0; i < 100000; ++i)
    spec.joints.push_back(hinge(numbered("j", i), spec.bodies[(i + 99999) % 100000].name,
                                spec.bodies[i].name));
  expect_refused(spec, {"cycle", "'b0' <- 'b99999' <- 'b99998'"});
}

}  // namespace
}  // namespace linchpin
