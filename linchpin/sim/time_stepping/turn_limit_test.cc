#include "linchpin/sim/time_stepping/turn_limit.h"

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// Two balls of radius 0.1 m on free joints that approach each other along x. Half thicknesses are 0.1 m, so (1) may be
// 0.1 m. A ball's sphere does not turn, so the turn is given by hand.
struct TwoBalls {
  explicit TwoBalls(double gap) : model(compiled(spec(gap))), stage(model, {.dt = 0.2}, moving(model)) {}
  static ModelSpec spec(double gap) {
    ModelSpec spec;
    for (const std::string name : {"a", "b"}) {
      spec.bodies.push_back({.name = name,
                             .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.004, 0.004, 0.004)},
                             .geometry = {{.name = name, .shape = Sphere{0.1}}}});
      spec.joints.push_back(joint(name, JointType::free, "world", name));
    }
    spec.joints[1].X_PF = translation(0.2 + gap, 0, 0);
    return spec;
  }
  static State moving(const Model& model) {
    State state = make_state(model);
    state.v[3] = 1;
    state.v[9] = -1;
    return state;
  }
  double limit(double turn, double h) {
    std::vector<MovingSphere> motion = stage.set.motion;
    motion[1].w = {0, 0, turn};
    closing = closing_speed(motion[1], motion[2]);
    return turn_limit(stage.plan, stage.set, motion, h);
  }
  Model model;
  StageTest stage;
  double closing = 0;
};

// Where (1) reaches its bound the interval ends, h turn (h closing + 2 radius) = 0.1; slower turns leave it whole.
TEST(TurnLimit, EndsWherePathsBendTooFar) {
  TwoBalls balls(0);
  ASSERT_EQ(balls.stage.set.found.pairs.size(), 1u);
  const double h = 0.1;
  for (const double turn : {0.0, 0.5, 2.0, 5.0, 50.0, 1e4}) {
    const double t = balls.limit(turn, h), whole = h * turn * (h * balls.closing + 0.2);
    if (whole <= 0.1)
      EXPECT_EQ(t, h) << turn;
    else
      EXPECT_NEAR(t * turn * (t * balls.closing + 0.2), 0.1, 1e-15) << turn;
  }
  EXPECT_LT(balls.limit(5, h), h);
}

// Balls that are apart may go on until they touch at the earliest, gap / closing, but not beyond the interval.
TEST(TurnLimit, GoesOnUntilTheyMayTouch) {
  for (const double gap : {0.1, 0.3}) {
    TwoBalls balls(gap);
    ASSERT_EQ(balls.stage.set.found.pairs.size(), 1u);
    const double turn = 50, h = 0.04, t = balls.limit(turn, h);
    EXPECT_GT(h * turn * 0.2, 0.1) << "too far for balls that touch";
    EXPECT_NEAR(t, std::min(h, gap / balls.closing), 1e-15) << gap;
  }
}

}  // namespace
}  // namespace linchpin
