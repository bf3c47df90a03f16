#include "linchpin/sim/time_stepping/penetration.h"

#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// A ball that lies 1e-5 m deep in the floor, at rest, is lifted by as much and not moved otherwise.
TEST(PenetrationCorrection, LiftsABallOutOfTheFloor) {
  const Model model = model_of("bounce:restitution=0,height=0");
  for (const double depth : {0.0, 1e-5}) {
    State state = make_state(model);
    state.q[6] -= depth;
    StageTest stage(model, {}, state);
    PenetrationCorrection correction(stage.plan);
    const Interval interval = stage.interval(1e-3);
    EXPECT_EQ(correction.is_needed(interval), depth > 0);
    Solved still(model);
    link_velocities_at(model, stage.placed, still.v, still.vel);
    ProblemWorkspace ws;
    SolveEffort effort;
    const auto shift = correction.find(interval, still, stage.plain, ws, effort);
    ASSERT_TRUE(shift);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR((*shift)[k], k == 5 ? depth : 0, 1e-10) << k;
    EXPECT_EQ(effort.problems, 1);
    EXPECT_EQ(effort.iterations > 0, depth > 0);
  }
}

// A ball that already moves out of the floor fast enough is left alone.
TEST(PenetrationCorrection, CountsTheMotionOfTheStep) {
  const Model model = model_of("bounce:restitution=0,height=0");
  State state = make_state(model);
  state.q[6] -= 1e-5;
  StageTest stage(model, {}, state);
  PenetrationCorrection correction(stage.plan);
  Solved rising(model);
  rising.v[5] = 0.02;  // 2e-5 m in 1 ms
  link_velocities_at(model, stage.placed, rising.v, rising.vel_mean);
  ProblemWorkspace ws;
  SolveEffort effort;
  const auto shift = correction.find(stage.interval(1e-3), rising, stage.plain, ws, effort);
  ASSERT_TRUE(shift);
  EXPECT_LT(largest(*shift), 1e-12);
}

}  // namespace
}  // namespace linchpin
