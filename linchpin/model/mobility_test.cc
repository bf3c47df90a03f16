// Coordinates that move no mass (mobility.h): compile() refuses them.
#include <gtest/gtest.h>

#include "linchpin/model/compile_testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

using namespace compile_testing;

TEST(CompileRefuses, AMasslessTip) {
  expect_leg_refused([](auto& s) { s.bodies[1].inertia = {}; },
                     {"body 'shank'", "joint 'knee' (revolute)", "moves no mass"});
  // If there are two, the outermost is named.
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

// For any direction of the axis and any body frame: rounding error must not count as inertia.
TEST(CompileRefuses, APointMassOnItsOwnAxis) {
  RandomSpatial random(2);
  for (int i = 0; i < 1000; ++i) {
    ModelSpec spec = single(JointType::revolute, {});
    JointSpec& joint = spec.joints[0];
    joint.axis = random.vector();
    joint.X_PF = random.pose();
    joint.X_CM.p = random.vector(random.magnitude(0.1, 100));
    spec.bodies[0].inertia = {random.magnitude(1e-3, 1e3), joint.X_CM.p + random.even() * joint.axis,
                              Sym3<double>::zero()};
    // The axis passes the centre of mass at a distance of a few rounding errors.
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

// Through a ball joint only the body's mass is felt, and only as a force at the joint's centre, whatever the body's
// moments are: a massless arm that turns about an axis through the centre moves nothing. A free joint transmits no
// force.
TEST(CompileRefuses, MasslessArmsUnderABallOrFreeJoint) {
  RandomSpatial random(5);
  for (int i = 0; i < 100; ++i) {
    ModelSpec spec = leg();
    spec.bodies[0].inertia = {};
    spec.bodies[1].inertia.moments = {0.2, 0.3, 0.4, 0.05, -0.06, 0.07};
    const Vec3<double> axis = random.direction();
    spec.joints[0].axis = axis;
    JointSpec& outer = spec.joints[1];
    outer.type = JointType::ball;
    outer.X_PF = {random.rotation(), random.even() * axis};
    outer.X_CM = random.pose();
    expect_refused(spec, {"body 'thigh'", "joint 'hip'", "moves no mass"});
    outer.X_PF.p += 0.1 * cross(axis, random.direction());
    expect_accepted(spec);  // the arm is off the axis and carries the mass round
    outer.type = JointType::free;
    expect_refused(spec, {"body 'thigh'", "joint 'hip'", "moves no mass"});
    spec.joints[0].dofs = {{.armature = 0.1}};
    expect_accepted(spec);
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
  // A needle that turns about its own axis, with a radius of a micrometre and a length of a metre.
  expect_accepted(single(JointType::revolute, {1e-6, {0, 0, 0.5}, Sym3<double>::diagonal(8e-8, 8e-8, 5e-19)}));
}

}  // namespace
}  // namespace linchpin
