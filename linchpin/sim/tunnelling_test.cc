// No body passes through another, whatever its speed and the cause of its speed.
#include <numbers>
#include <random>

#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

TEST(Tunnelling, FastBodies) {
  for (const double speed : {1., 30., 1000., 30000.})
    for (const double dt : {1e-2, 1e-3}) {
      ModelSpec spec = scene("thin_wall:restitution=0.5,speed=" + std::to_string(speed)).value();
      const Model model = compiled(spec);
      const State start = make_state(model);
      const Finished r = run(model, 20 * dt + 2 / speed, {.dt = dt});
      // It bounces with half of its speed and stays on its side.
      EXPECT_NEAR(r.state.v[3], -0.5 * start.v[3], 1e-6 * speed) << speed << " " << dt;
    }
}

// Bodies that are accelerated within a step must not tunnel either: velocities at its start do not show their way.
struct Bench {  // without gravity: a plate, a ball at rest in front of it; further balls by add_ball()
  ModelSpec spec = scene("thin_wall:speed=0").value();
  explicit Bench(double gap, double restitution) {
    spec.joints[0].X_PF = translation(-gap - 0.01, 0, 0);
    spec.world_geometry[0].material.restitution = restitution;
    spec.bodies[0].geometry[0].material.restitution = restitution;
  }
  void add_ball(const std::string& name, double mass, double x, double speed) {
    BodySpec body = spec.bodies[0];
    body.name = name;
    body.inertia = {mass, {0, 0, 0}, mass * body.inertia.moments};
    JointSpec free = spec.joints[0];
    free.name = name;
    free.child = name;
    free.X_PF = translation(x, 0, 0);
    free.start_v = {0, 0, 0, speed, 0, 0};
    spec.bodies.push_back(body);
    spec.joints.push_back(free);
  }
};
double position_of(const Model& model, const State& state, int body) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  return body_pose(model, kin, body).p.x;
}

// A heavy ball drives a light one against the plate: in one step of 1 ms both would get 0.3 m behind it.
TEST(Tunnelling, BodiesThatAreStruck) {
  for (const double restitution : {0.0, 0.5})
    for (const double gap : {1e-4, 1e-3, 0.1})  // to the plate
      for (const Method method : all_methods()) {
        Bench bench(gap, restitution);
        bench.add_ball("hammer", 1000, -gap - 0.031, 300);  // 1 mm behind the other
        const Model model = compiled(bench.spec);
        const Finished r = run(model, 0.01, {.contact = {.method = method}});
        for (const int body : {1, 2})
          EXPECT_LT(position_of(model, r.state, body), -0.01 + 1e-9) << gap << " " << to_string(method);
        EXPECT_LT(r.certificate.penetration, 1e-9) << gap << " " << to_string(method);
      }
}

// A moving plane is unbounded, so its size does not limit how far its points move: it still pushes a ball at rest.
TEST(Tunnelling, PlanesThatMove) {
  for (const double turn : {0., 30.}) {  // rad/s, about a point 1 m off; else 30 m/s
    Bench bench(1, 0);
    bench.add_ball("shovel", 1000, -1.06, turn > 0 ? 0 : 30);
    bench.spec.world_geometry.clear();
    bench.spec.bodies[1].geometry[0].shape = HalfSpace{};
    bench.spec.bodies[1].geometry[0].X_BG = {frame_with_z({1, 0, 0}), {0, 0, 0}};  // 5 cm behind the ball
    if (turn > 0) {
      bench.spec.bodies[1].inertia.moments = 1e3 * Sym3<double>{1, 1, 1, 0, 0, 0};
      bench.spec.joints[1].type = JointType::revolute;
      bench.spec.joints[1].axis = {0, 0, -1};
      bench.spec.joints[1].X_PF = translation(-1.06, -1, 0);
      bench.spec.joints[1].start_v = {turn};
    }
    const Model model = compiled(bench.spec);
    const Finished r = run(model, 0.004);
    EXPECT_LT(r.certificate.penetration, turn > 0 ? 1e-3 : 1e-9);  // the arc of 0.03 rad is 4.5e-4 m off its chord
    EXPECT_NEAR(r.state.v[3], 30, 1) << turn;
  }
}

// A sleeping body wakes if another is pushed against it in the same step.
TEST(Tunnelling, BodiesThatSleep) {
  Bench bench(1, 0);
  bench.add_ball("pushed", 1, -1.04, 0);  // 1 cm behind the first
  const Model model = compiled(bench.spec);
  Simulation simulation(model, {.dt = 1e-3, .contact = {.sleep_after = 5e-4}});
  State state = make_state(model);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(simulation.step(state).ok());
  std::vector<double> tau(12, 0.0);
  tau[9] = 1e5;  // N: 100 m/s
  const StepReport report = simulation.step(state, {.tau = tau});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.asleep, 0);
  EXPECT_LT(position_of(model, state, 2), position_of(model, state, 1) - 0.02 + 1e-9);
}

// 1e7 N for one step, from rest.
TEST(Tunnelling, BodiesThatArePushed) {
  for (const double restitution : {0.0, 0.5}) {
    const Model model = compiled(Bench(0.05, restitution).spec);
    Simulation simulation(model, {.dt = 1e-3});
    State state = make_state(model);
    std::vector<double> tau(6, 0.0);
    tau[3] = 1e7;
    ASSERT_TRUE(simulation.step(state, {.tau = tau}).ok());
    EXPECT_LT(position_of(model, state, 1), -0.01 + 1e-9);
  }
}

// A rod on a hinge swings against a post, by up to 1.5 rad within a step: it stops there.
struct RodAndPost {
  Shape rod, post;
  double distance;      // of the post from the hinge, m
  double rate;          // rad/s
  double contact_sine;  // of the angle between rod and post at touch: (half widths) / distance
};
void expect_stop(const RodAndPost& c, double dt, double restitution) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  const double mu = restitution == 0 ? 0.3 : 0;  // friction would slow the rebound
  const Material material{.name = {}, .friction = {mu, mu}, .restitution = restitution};
  spec.bodies = {
      {.name = "rod",
       .inertia = {1, {0, 0, 0}, Sym3<double>{0.3, 0.3, 0.3, 0, 0, 0}},
       .geometry = {{.name = {}, .shape = c.rod, .X_BG = {frame_with_z({1, 0, 0}), {0, 0, 0}}, .material = material}}}};
  JointSpec hinge;
  hinge.name = "hinge", hinge.type = JointType::revolute, hinge.parent = "world", hinge.child = "rod";
  hinge.axis = {0, 0, 1};
  hinge.start_v = {c.rate};
  spec.joints = {hinge};
  spec.world_geometry = {
      {.name = "post", .shape = c.post, .X_BG = translation(0, c.distance, 0), .material = material}};
  const Model model = compiled(spec);
  const double touch = std::numbers::pi / 2 - std::asin(c.contact_sine);
  Simulation simulation(model, {.dt = dt});
  State state = make_state(model);
  RunMonitor monitor(model);
  monitor.start(state);
  while (state.time < 4 / c.rate) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    ASSERT_TRUE(report.ok()) << report.reason;
    ASSERT_LT(state.q[0], touch + 1e-6) << c.rate << " rad/s, dt " << dt;
  }
  EXPECT_TRUE(monitor.certificate().passed());
  EXPECT_LT(monitor.certificate().penetration, 1e-6);
  if (restitution == 0)
    EXPECT_NEAR(state.q[0], touch, 1e-6);
  else
    EXPECT_NEAR(state.v[0], -restitution * c.rate, 1e-6 * c.rate);
}
TEST(Tunnelling, RodsThatTurn) {
  const Shape rods[] = {Capsule{0.01, 1}, Box{{0.05, 0.01, 1}}, Cylinder{0.01, 1}};
  for (const Shape& rod : rods)
    for (const double radius : {0.005, 0.01, 0.1})
      for (const double distance : {0.2, 0.9})
        for (const double turn : {0.05, 0.2, 0.5, 1.5})  // rad within a step
          for (const double restitution : {0., 0.5})
            expect_stop({rod, Sphere{radius}, distance, turn / 1e-3, (0.01 + radius) / distance}, 1e-3, restitution);
}

// Rods that fly and spin, against a wall of 1 cm: none is ever behind it.
TEST(Tunnelling, RodsThatFlyAndSpin) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 200; ++i) {
    ModelSpec spec = scene("thin_wall:speed=0").value();  // a plate in the plane x = 0, its half size is 1 m
    spec.bodies[0].geometry[0].shape = Capsule{0.01, 0.25};
    spec.bodies[0].inertia = {1, {0, 0, 0}, Sym3<double>{0.02, 0.02, 0.001, 0, 0, 0}};
    spec.joints[0].X_PF = translation(-0.28, 0, 0);
    const double spin = 700 * (i + 1) / 200;  // up to 0.7 rad a step
    spec.joints[0].start_v = {spin * unit(random),     spin * unit(random), spin * unit(random),
                              30 * (1 + unit(random)), unit(random),        unit(random)};
    const Model model = compiled(spec);
    Simulation simulation(model, {.dt = 1e-3});
    State state = make_state(model);
    for (int step = 0; step < 60; ++step) {
      const StepReport report = simulation.step(state);
      ASSERT_TRUE(report.ok()) << report.reason << " in run " << i;
      ASSERT_LT(position_of(model, state, 1), 0) << "the centre is on its side of the wall, run " << i;
      ASSERT_LT(report.penetration, 1e-3) << "run " << i << " step " << step;
    }
  }
}

}  // namespace
}  // namespace linchpin
