// compile(): names, references, trees and numbers that it refuses, the element that its message names, and limit cases.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/model/compile_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using namespace compile_testing;

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

// With a valid tree beside the cycle, and a body attached to the cycle.
TEST(CompileRefuses, ACycleAndNamesThoseOfItOnly) {
  ModelSpec spec = leg();
  for (const char* name : {"tail", "a", "b", "c"}) spec.bodies.push_back(solid(name));
  spec.joints.push_back(hinge("j1", "a", "tail"));
  spec.joints.push_back(hinge("j2", "c", "a"));
  spec.joints.push_back(hinge("j3", "a", "b"));
  spec.joints.push_back(hinge("j4", "b", "c"));
  expect_refused(spec, {"cycle", "'a' <- 'c' <- 'b' <- 'a'"});
  const std::string message = error_of(spec);
  for (const char* innocent : {"tail", "thigh", "shank"})
    EXPECT_EQ(message.find(innocent), std::string::npos) << message;
}

// ---- numbers: masses ----

TEST(CompileRefuses, ImpossibleMasses) {
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.mass = -2; }, {"body 'shank'", "mass is -2 kg"});
  expect_leg_refused([](auto& s) { s.bodies[1].inertia.mass = nan; }, {"body 'shank'", "mass is nan kg"});
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.mass = inf; }, {"body 'thigh'", "mass is inf kg"});
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.centre.y = nan; }, {"body 'thigh'", "centre of mass", "nan"});
}

TEST(CompileRefuses, ImpossibleMoments) {
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.moments.xz = nan; },
                     {"body 'thigh'", "moment of inertia is nan"});
  expect_leg_refused([](auto& s) { s.bodies[0].inertia.moments.yy = inf; },
                     {"body 'thigh'", "moment of inertia is inf"});
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
  expect_leg_refused([&](auto& s) { s.joints[0].X_PF.p.x = nan; },
                     {"joint 'hip': frame X_PF", "(nan, 0, 0)", "not finite"});
  expect_leg_refused([&](auto& s) { s.joints[0].X_CM.p.z = inf; },
                     {"joint 'hip': frame X_CM", "(0, 0, inf)", "not finite"});
  expect_leg_refused([&](auto& s) { s.frames[0].X_BF.p.x = -inf; }, {"frame 'foot'", "(-inf, 0, 1)", "not finite"});
  expect_leg_refused([&](auto& s) { s.frames[0].X_BF.R = mirror; }, {"frame 'foot'", "reflection"});
}

// A rotation that is off by slightly less than the limit is accepted and orthonormalised.
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
  expect_leg_refused(
      [](auto& s) {
        s.joints[1].axis = {0, 0, 0};
      },
      {"joint 'knee'", "axis (0, 0, 0) is not a direction"});
  expect_leg_refused([](auto& s) { s.joints[1].axis = {1, nan, 0}; }, {"joint 'knee'", "axis (1, nan, 0)"});
  expect_leg_refused([](auto& s) { s.joints[1].axis = {1, inf, 0}; }, {"joint 'knee'", "axis (1, inf, 0)"});
  const auto universal = [](const Vec3<double>& axis, const Vec3<double>& axis2) {
    return [=](ModelSpec& s) {
      s.joints[1].type = JointType::universal;
      s.joints[1].axis = axis;
      s.joints[1].axis2 = axis2;
    };
  };
  expect_leg_refused(universal({0, 0, 1}, {0, 0, 0}), {"joint 'knee'", "axis2 (0, 0, 0) is not a direction"});
  expect_leg_refused(universal({0, 0, 1}, {0, nan, 0}), {"joint 'knee'", "axis2 (0, nan, 0)"});
  expect_leg_refused(universal({1, 2, 3}, {2, 4, 6}), {"joint 'knee'", "(1, 2, 3) and axis2 (2, 4, 6) are parallel"});
  expect_leg_refused(universal({1, 2, 3}, {-1, -2, -3}), {"joint 'knee'", "parallel"});
  expect_leg_refused(universal({1e200, 2e200, 3e200}, {1e-200, 2e-200, 3e-200}), {"joint 'knee'", "parallel"});
  expect_leg_accepted(universal({1e200, 0, 0}, {1e200, 1e200, 0}));
  expect_leg_accepted(universal({0, 0, 1}, {0, 1e-3, 1}));
}

// spec.h: "any nonzero length"
TEST(CompileAccepts, AxesOfAnyLength) {
  for (const double length : {5e-324, 1e-200, 1e-3, 7.0, 1e200, 1e308})
    expect_leg_accepted([&](auto& s) { s.joints[1].axis = {0, length, 0}; });
}

TEST(CompileRefuses, JointTypesThatThereAreNot) {
  expect_leg_refused([](auto& s) { s.joints[1].type = static_cast<JointType>(joint_type_count); },
                     {"joint 'knee'", "unknown joint type 10"});
  expect_leg_refused([](auto& s) { s.joints[1].type = static_cast<JointType>(-1); },
                     {"joint 'knee'", "unknown joint type -1"});
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
    JointSpec turned = joint("joint", type, "world", "body");
    turned.dofs.assign(velocity_count(type), others);
    turned.dofs[0] = first;
    spec.joints.push_back(turned);
    return compile(spec);
  };
  const DofSpec none, angle{.upper = 0.5}, both{.lower = -0.5, .upper = 0.5}, range{.lower = -0.1, .upper = 0.5};
  EXPECT_TRUE(turning(JointType::ball, angle, angle));
  EXPECT_TRUE(turning(JointType::ball, both, both));
  for (const auto& [first, others] :
       {std::pair{angle, none}, {range, range}, {DofSpec{.upper = 0}, DofSpec{.upper = 0}}})
    EXPECT_NE(turning(JointType::ball, first, others).error().message.find("upper bounds the rotation angle"),
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
  expect_leg_refused(free([](DofSpec& d) { d.armature = 0.25; }),
                     {"joint 'hip'", "free joint takes no armature (0.25)"});
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
    expect_leg_refused([&](auto& s) { s.bodies[1].geometry = {geometry}; },
                       {"body 'shank', geometry 'skin'", complaint});
    expect_leg_refused([&](auto& s) { s.world_geometry = {geometry}; }, {"world geometry 'skin'", complaint});
  }
  const GeometrySpec misplaced{"skin", Sphere{1}, translation(0, nan, 0)};
  expect_leg_refused([&](auto& s) { s.bodies[1].geometry = {misplaced}; },
                     {"body 'shank', geometry 'skin'", "(0, nan, 0)"});
  expect_leg_refused([&](auto& s) { s.world_geometry = {misplaced}; }, {"world geometry 'skin'", "(0, nan, 0)"});
  expect_leg_accepted([](auto& s) { s.bodies[1].geometry = {{"ball", Capsule{1, 0}}}; });
}

// ---- no partial results ----

TEST(CompileRefuses, AndHandsOutNoModel) {
  ModelSpec spec = leg();
  spec.bodies[1].inertia = {};  // found in the last step
  const Result<Model> result = compile(spec);
  ASSERT_FALSE(result.ok());
  EXPECT_THROW((void)result.value(), CheckFailed);
  spec.bodies[1] = solid("shank");  // corrected, it compiles as if nothing had happened
  const Model mended = compiled(spec), fresh = compiled(leg());
  ASSERT_EQ(mended.links().size(), fresh.links().size());
  for (std::size_t i = 0; i < fresh.links().size(); ++i)
    EXPECT_EQ(std::memcmp(&mended.links()[i].inertia, &fresh.links()[i].inertia, sizeof(RigidInertia<double>)), 0);
}

// ---- size ----

TEST(CompileRefuses, ACycleOfAHundredThousand) {
  ModelSpec spec;
  for (std::size_t i = 0; i < 100000; ++i) spec.bodies.push_back(solid(numbered("b", i)));
  for (std::size_t i = 0; i < 100000; ++i)
    spec.joints.push_back(hinge(numbered("j", i), spec.bodies[(i + 99999) % 100000].name, spec.bodies[i].name));
  expect_refused(spec, {"cycle", "'b0' <- 'b99999' <- 'b99998'"});
}

}  // namespace
}  // namespace linchpin
