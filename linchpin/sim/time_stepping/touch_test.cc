#include "linchpin/sim/time_stepping/touch.h"

#include <cmath>

#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

TEST(TouchTime, IsTheFirstRootWithinTheInterval) {
  EXPECT_DOUBLE_EQ(touch_time(1, -2, 0, 1), 0.5);              // at constant speed
  EXPECT_DOUBLE_EQ(touch_time(4.905, 0, -9.81, 2), 1);         // falls from rest
  EXPECT_DOUBLE_EQ(touch_time(1, -3, 4, 2), 0.5);              // 1 - 3 t + 2 t^2 = 0 at 1/2 and 1
  EXPECT_GT(touch_time(1, -1, 1, 10), 10);                     // brakes before it arrives
  EXPECT_GT(touch_time(1, -2, 0, 0.4), 0.4);                   // arrives later
  EXPECT_GT(touch_time(1, 2, 0, 10), 10);                      // goes away
  EXPECT_GT(touch_time(std::nan(""), -1, 0, 1), 1);            // NaN is no touch
  EXPECT_NEAR(touch_time(1e-12, -1, -9.81, 1), 1e-12, 1e-22);  // no cancellation for small gaps
}

// A ball that falls from rest onto the floor touches after sqrt(2 height / g).
TEST(FirstTouch, OfAFallingBall) {
  const Model model = model_of("bounce:restitution=0.5,height=0.001");
  const SimulationOptions options{.dt = 0.1};
  StageTest stage(model, options);
  IntervalSolver solver(stage.plan);
  FreeMotion free(model);
  ASSERT_EQ(stage.set.contacts.size(), 1u);
  ASSERT_TRUE(may_touch(stage.plan, stage.set.contacts));
  const Interval interval = stage.interval(0.1);
  solver.find_free_motion(interval, free);
  EXPECT_NEAR(free.v[5], -0.981, 1e-12);
  EXPECT_NEAR(first_touch(stage.plan, interval, free, Landings(stage.plan), {}, stage.idle.contacts),
              std::sqrt(2 * 0.001 / 9.81), 1e-12);
  EXPECT_EQ(stage.idle.contacts[0], 1);
}

TEST(FirstTouch, IsTheEndWithoutRestitution) {
  const Model model = model_of("bounce:restitution=0,height=0.001");
  StageTest stage(model, {.dt = 0.1});
  EXPECT_FALSE(may_touch(stage.plan, stage.set.contacts));
}

TEST(MeetsImpact, NeedsTouchSpeedAndRestitution) {
  for (const double restitution : {0.0, 0.5})
    for (const double speed : {0.0, 0.005, 0.5})
      for (const double height : {0.0, 1e-3}) {
        const Model model = model_of("bounce:restitution=" + std::to_string(restitution) +
                                     ",height=" + std::to_string(height) + ",speed=" + std::to_string(speed));
        State state = make_state(model);
        state.v[5] = -speed;
        StageTest stage(model, {.dt = 0.1}, state);
        EXPECT_EQ(meets_impact(stage.plan, stage.placed, stage.set.contacts),
                  restitution > 0 && speed > 0.01 && height == 0)
            << restitution << " " << speed << " " << height;
      }
}

}  // namespace
}  // namespace linchpin
