// A robot that floats without gravity is struck by balls: impacts do not change the total momentum, linear or angular.
#include <cmath>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

// The sum over all bodies, from the poses and velocities of the bodies alone: linear, and angular about the origin.
struct Momentum {
  Vec3<double> linear = Vec3<double>::zero(), angular = Vec3<double>::zero();
};
Momentum momentum_of(const ModelSpec& spec, const Model& model, const State& state) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  Momentum sum;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const InertiaSpec& inertia = spec.bodies[b - 1].inertia;
    const Transform<double> X = body_pose(model, kin, int(b));
    const Motion<double> at_centre = point_velocity(model, kin, vel, int(b), inertia.centre);
    const Vec3<double> p = inertia.mass * at_centre.v;
    sum.linear = sum.linear + p;
    sum.angular =
        sum.angular + cross(X.p + X.R * inertia.centre, p) + X.R * (inertia.moments * (transpose(X.R) * at_centre.w));
  }
  return sum;
}
double difference(const Momentum& a, const Momentum& b) {
  return larger(norm(a.linear - b.linear), norm(a.angular - b.angular));
}

const Material struck_surface{.friction = {0.4, 0.4}, .restitution = 0.6};

struct BallThrow {
  double radius, mass, front, y, z, time;
};
// Three balls that arrive one after the other: at the trunk, an upper and a lower link.
const std::vector<BallThrow> three_throws{
    {0.05, 0.3, 0.15, 0.1, -0.2, 0.0253}, {0.04, 0.2, 0.03, 0.45, 0.2, 0.0371}, {0.03, 0.4, 0.03, -0.58, 0.0, 0.0507}};

// A trunk of 4 kg with two arms of two links each, on hinges across each other, at rest. Each ball flies at 4 m/s and
// would touch the robot at rest after `time`, at y and z of its front, which is at x = `front`.
ModelSpec struck_robot(const std::vector<BallThrow>& throws) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  const auto solid = [&](const std::string& name, const Vec3<double>& half, double mass, const Vec3<double>& at) {
    BodySpec body{.name = name, .inertia = {}, .geometry = {}};
    add_solid(body, Box{half}, mass, translation(at.x, at.y, at.z), name);
    body.geometry.back().material = struck_surface;
    spec.bodies.push_back(body);
  };
  solid("trunk", {0.15, 0.2, 0.3}, 4, {0, 0, 0});
  spec.joints.push_back(joint("floats", JointType::free, "world", "trunk"));
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "right" : "left";
    solid(name + "_upper", {0.03, 0.15, 0.03}, 0.8, {0, side * 0.15, 0});
    solid(name + "_lower", {0.03, 0.03, 0.15}, 0.5, {0, 0, -0.15});
    JointSpec shoulder = joint(name + "_shoulder", JointType::revolute, "trunk", name + "_upper");
    shoulder.axis = {1, 0, 0};
    shoulder.X_PF.p = {0, side * 0.24, 0.2};
    JointSpec elbow = joint(name + "_elbow", JointType::revolute, name + "_upper", name + "_lower");
    elbow.axis = {0, 1, 0};
    elbow.X_PF.p = {0, side * 0.34, -0.04};
    spec.joints.push_back(shoulder);
    spec.joints.push_back(elbow);
  }
  for (const BallThrow& t : throws) {
    const std::string name = "ball_" + std::to_string(spec.bodies.size());
    const double moment = 0.4 * t.mass * t.radius * t.radius;
    spec.bodies.push_back({.name = name,
                           .inertia = {t.mass, {0, 0, 0}, Sym3<double>::diagonal(moment, moment, moment)},
                           .geometry = {{.name = name, .shape = Sphere{t.radius}, .material = struck_surface}}});
    JointSpec flies = joint(name, JointType::free, "world", name);
    const Vec3<double> v{-4, 0.7, 0.5};
    flies.start_q = {1, 0, 0, 0, t.front + t.radius - t.time * v.x, t.y - t.time * v.y, t.z - t.time * v.z};
    flies.start_v = {2, -5, 3, v.x, v.y, v.z};
    spec.joints.push_back(flies);
  }
  return spec;
}

// Of a run over `time`: the largest change of the momentum in any step, and the number of impacts.
struct MomentumChange {
  double largest = 0, total = 0;
  long impacts = 0;
};
MomentumChange change_of(const std::vector<BallThrow>& throws, double time, const SimulationOptions& options) {
  const ModelSpec spec = struck_robot(throws);
  const Model model = compiled(spec);
  const Momentum start = momentum_of(spec, model, make_state(model));
  EXPECT_GT(norm(start.linear), 0.5);
  EXPECT_GT(norm(start.angular), 0.05);
  MomentumChange change;
  Momentum before = start;
  const Finished r = run(model, time, options, [&](const State& s, const Simulation&, const StepReport&) {
    const Momentum now = momentum_of(spec, model, s);
    change.largest = larger(change.largest, difference(now, before));
    before = now;
  });
  EXPECT_TRUE(r.certificate.passed());
  change.total = difference(before, start);
  change.impacts = r.certificate.impacts;
  return change;
}

// Each ball alone touches the robot, at rest, just before the end of the third tick of 10 ms. So nothing but the impact
// is in this step, and the next steps are the motion of the robot's links after it.
TEST(Momentum, IsKeptByAnImpact) {
  for (BallThrow t : three_throws)
    for (const double dt : {1e-3, 1e-2}) {
      t.time = 0.03 - 1e-9;
      for (const Stepper stepper : {Stepper::time_stepping, Stepper::event_driven}) {
        const MomentumChange change = change_of({t}, 0.03, {.stepper = stepper, .dt = dt});
        EXPECT_EQ(change.impacts, 1) << to_string(stepper) << " " << dt;
        EXPECT_LT(change.largest, 1e-10) << to_string(stepper) << " " << dt;
      }
    }
}

// Three impacts anywhere within steps, while the links swing. event_driven follows the motion to its tolerance.
TEST(Momentum, IsKeptByEventDrivenOverThreeImpacts) {
  for (const double dt : {1e-3, 1e-2}) {
    const MomentumChange change = change_of(three_throws, 0.1, {.stepper = Stepper::event_driven, .dt = dt});
    EXPECT_EQ(change.impacts, 3);
    EXPECT_LT(change.total, 1e-10) << dt;
  }
}

// time_stepping turns and swings bodies to the second order, and the impacts do not spoil it: a momentum that jumped at
// landings by the order of dt would be seen.
TEST(Momentum, OfTimeSteppingIsOfSecondOrderOverThreeImpacts) {
  double before = 0;
  for (const double dt : {1e-2, 5e-3, 2.5e-3, 1.25e-3}) {
    const MomentumChange change = change_of(three_throws, 0.1, {.stepper = Stepper::time_stepping, .dt = dt});
    EXPECT_EQ(change.impacts, 3);
    EXPECT_LT(change.total, 20 * dt * dt) << dt;
    if (before > 0) {
      EXPECT_GT(std::log2(before / change.total), 1.9) << dt;
    }
    before = change.total;
  }
}

}  // namespace
}  // namespace linchpin
