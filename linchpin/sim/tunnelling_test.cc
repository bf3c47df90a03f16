// No body passes through another, whatever its speed and the cause of its speed.
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

}  // namespace
}  // namespace linchpin
