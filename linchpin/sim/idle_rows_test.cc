// Contacts and limits that carry no impulse do not change the motion.
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

SimulationOptions with_dt(double dt) { return {.stepper = Stepper::time_stepping, .dt = dt}; }

// A tumbling box, or a robot of many joints, that flies over the floor so fast that the floor is in reach all the time.
// Its motion has the bits of a flight without a floor.
TEST(IdleRows, AFloorThatIsNotTouchedChangesNothing) {
  for (const char* scene_name : {"stack:boxes=1", "stand"}) {
    ModelSpec spec = scene(scene_name).value();
    ModelSpec bare = spec;
    bare.world_geometry.clear();
    const Model model = compiled(spec), without_floor = compiled(bare);
    State state = make_state(model);
    state.q[6] += 0.02;
    state.v[0] = 0.3, state.v[1] = -0.2, state.v[2] = 0.4;
    state.v[3] = 40, state.v[5] = 0.3;  // 40 m/s along the floor: 4 cm a step
    State other = state;
    Simulation simulation(model, with_dt(1e-3)), alone(without_floor, with_dt(1e-3));
    int in_reach = 0;
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(simulation.step(state).ok());
      ASSERT_TRUE(alone.step(other).ok());
      in_reach += !simulation.contacts().empty();
      ASSERT_TRUE(same_bits(state, other)) << scene_name << " step " << i;
    }
    EXPECT_GT(in_reach, 30) << scene_name;
  }
}

// Two boxes that touch and fall together: each falls as if it were alone.
TEST(IdleRows, BodiesThatTouchInFreeFall) {
  ModelSpec spec = scene("stack:boxes=2").value();
  spec.world_geometry.clear();
  const Model model = compiled(spec);
  const State start = make_state(model);
  const int steps = 200;
  const double dt = 1e-3, time = steps * dt;
  const State end = advanced(model, start, with_dt(dt), steps);
  for (const int box : {0, 1}) {
    EXPECT_NEAR(end.v[6 * box + 5], -9.81 * time, 1e-12);
    // The middle rule is exact for a parabola; rounding of 200 steps is left.
    EXPECT_NEAR(end.q[7 * box + 6], start.q[7 * box + 6] - 0.5 * 9.81 * time * time, 1e-13);
  }
}

// An elastic ball at a long step: flight and impacts keep the energy to rounding, whether a step ends just before a
// touch or just after it.
TEST(IdleRows, AnElasticBallKeepsItsEnergy) {
  for (const double dt : {0.01, 0.0123, 1e-3})
    for (const Restitution law : {Restitution::poisson, Restitution::newton}) {
      const Model model = model_of("bounce:restitution=1,height=1");
      const Finished r = run(model, 10, {.dt = dt, .contact = {.restitution = law}});
      EXPECT_GE(r.certificate.impacts, 10);
      EXPECT_LT(r.certificate.energy.relative_defect(), 1e-10) << dt;
      EXPECT_NEAR(r.certificate.energy.stored, r.certificate.energy.start, 1e-10 * r.certificate.energy.exchanged);
    }
}

// A ball without restitution falls freely until it touches: the step that ends just before the touch is free too.
TEST(IdleRows, ABallFallsFreelyUntilItTouches) {
  const Model model = model_of("bounce:restitution=0,height=1");
  const double z = make_state(model).q[6];
  for (const double dt : {1e-2, 7e-3, 1e-3}) {
    const int before = int(std::sqrt(2 / 9.81) / dt);  // the last step that ends above the floor
    const State end = advanced(model, make_state(model), with_dt(dt), before);
    EXPECT_NEAR(end.v[5], -9.81 * before * dt, 1e-12);
    EXPECT_NEAR(end.q[6], z - 0.5 * 9.81 * before * dt * before * dt, 1e-12);
  }
}

// A pendulum that swings within its limits, and comes as near to them as 1e-5 rad, moves as one without limits.
TEST(IdleRows, LimitsThatAreNotReached) {
  ModelSpec spec = scene("simple_pendulum").value();
  spec.joints[0].start_q = {0.5};
  const Model free = compiled(spec);
  spec.joints[0].dofs.resize(1);
  spec.joints[0].dofs[0].lower = -0.5001;
  spec.joints[0].dofs[0].upper = 0.5001;
  const Model limited = compiled(spec);
  State a = make_state(free), b = make_state(limited);
  Simulation without(free, with_dt(1e-3)), with(limited, with_dt(1e-3));
  double nearest = 1;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(without.step(a).ok());
    ASSERT_TRUE(with.step(b).ok());
    nearest = std::min(nearest, 0.5001 - std::abs(b.q[0]));
    ASSERT_TRUE(same_bits(a, b)) << i;
  }
  EXPECT_LT(nearest, 2e-4) << "within the margin of 1e-3 rad in which limits have rows otherwise";
}

}  // namespace
}  // namespace linchpin
