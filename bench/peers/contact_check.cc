// Do the drivers put the other engines on the scenes that we think? Where bodies start, how they fall before they
// touch, and that contact, friction and servos act, with tolerances as wide as engines differ. A comparison is fair
// only if this holds.
#include <cmath>

#include <gtest/gtest.h>

#include "bench/peers/contact_peers.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr double g = 9.81;

struct Stage {
  explicit Stage(const std::string& text)
      : spec(scene(text).value()), model(std::move(compile(spec)).value()), judge(model) {}
  Stage(const Stage&) = delete;
  ModelSpec spec;
  Model model;
  SceneJudge judge;
};

class ContactPeersCheck : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    engines_ = available_contact_peers();
    std::erase_if(engines_, [&](const auto& engine) { return engine->name() != GetParam(); });
    if (engines_.empty()) GTEST_SKIP() << GetParam() << " is not installed";
  }
  // In all its ways; false where it says that it cannot.
  template <class F>
  void each(const std::string& text, double dt, F f) {
    Stage stage(text);
    for (const auto& engine : engines_) {
      SCOPED_TRACE(text + " " + engine->way());
      if (const std::optional<Error> error = engine->load(stage.spec, stage.model, dt)) {
        EXPECT_FALSE(error->message.empty());
        continue;
      }
      f(*engine, stage);
      ++tried_;
    }
  }
  static std::vector<Transform<double>> poses(ContactEngine& engine, const Stage& stage) {
    std::vector<Transform<double>> X_WB(stage.model.bodies().size());
    engine.poses(X_WB);
    return X_WB;
  }
  static void steps(ContactEngine& engine, int count) {
    for (int k = 0; k < count; ++k) {
      const std::optional<Error> error = engine.step();
      ASSERT_FALSE(error) << error->message;
    }
  }
  ContactEngines engines_;
  int tried_ = 0;
};

TEST_P(ContactPeersCheck, StartWhereWeDo) {
  for (const char* text : {"@swing:links=5", "@slope:heading=30,turn=10", "@roll", "@bounce", "@stack:boxes=3", "@grip",
                           "@stand:feet_only=1", "@stand4:feet_only=1", "@pile:count=10", "@dominoes:count=3"})
    each(text, 1e-3, [](ContactEngine& engine, Stage& stage) {
      const State state = make_state(stage.model);
      const Plan<double> plan(stage.model);
      Kinematics<double> kin(plan);
      kinematics<double>(plan, state.q, kin);
      const std::vector<Transform<double>> X_WB = poses(engine, stage);
      for (std::size_t b = 0; b < X_WB.size(); ++b) {
        const Transform<double> ours = body_pose(stage.model, kin, int(b));
        EXPECT_LT(norm(X_WB[b].p - ours.p), 1e-12) << b;
        EXPECT_LT(norm(X_WB[b].R.x - ours.R.x) + norm(X_WB[b].R.z - ours.R.z), 1e-12) << b;
      }
      EXPECT_LT(stage.judge.penetration(X_WB), 1e-12);
    });
  EXPECT_GE(tried_, 8);
}

// A step of the first order at dt may be off by g t dt / 2 and no more.
TEST_P(ContactPeersCheck, FallFreely) {
  each("@bounce:speed=2", 1e-3, [](ContactEngine& engine, Stage& stage) {
    const Vec3<double> start = poses(engine, stage)[1].p;
    steps(engine, 300);
    const Vec3<double> moved = poses(engine, stage)[1].p - start;
    EXPECT_NEAR(moved.x, 0.6, 1e-9);
    EXPECT_NEAR(moved.z, -g * 0.09 / 2, 0.51 * g * 0.3 * 1e-3);
    EXPECT_EQ(engine.contacts(), 0);
  });
  EXPECT_GE(tried_, 1);
}

// A push on a body that flies: F t^2 / 2 m more, and the same without turning it. On a robot's trunk: a little
// sideways.
TEST_P(ContactPeersCheck, ArePushed) {
  each("@bounce", 1e-3, [](ContactEngine& engine, Stage& stage) {
    const Transform<double> start = poses(engine, stage)[1];
    engine.push(1, {3, -1, 0});
    steps(engine, 100);
    engine.push(1, {0, 0, 0});
    steps(engine, 100);
    const Transform<double> end = poses(engine, stage)[1];
    EXPECT_NEAR(end.p.x - start.p.x, 3 * (0.01 / 2 + 0.01), 0.51 * 3 * 0.1 * 1e-3);  // of the first order at most
    EXPECT_NEAR(end.p.y - start.p.y, -(0.01 / 2 + 0.01), 0.51 * 0.1 * 1e-3);
    EXPECT_LT(norm(end.R.x - start.R.x), 1e-12);
  });
  for (const char* text : {"@stand:feet_only=1", "@stand4:feet_only=1"})
    each(text, 1e-3, [](ContactEngine& engine, Stage& stage) {
      steps(engine, 20);
      const double y = poses(engine, stage)[1].p.y;
      engine.push(1, {0, 40, 0});
      steps(engine, 50);
      const double moved = poses(engine, stage)[1].p.y - y;  // less than if it were alone, and had 40 N for itself
      EXPECT_GT(moved, 1e-4);
      EXPECT_LT(moved, 40 / 10. * 0.05 * 0.05 / 2);
    });
  EXPECT_GE(tried_, 2);
}

// Rigid as long as it is straight: a physical pendulum of n spheres, th'' = -g S / I sin th, for a little while.
TEST_P(ContactPeersCheck, Swing) {
  each("@swing:links=3", 1e-4, [](ContactEngine& engine, Stage& stage) {
    const Vec3<double> start = poses(engine, stage)[3] * Vec3<double>{0, 0, -2};
    steps(engine, 100);
    const Vec3<double> moved = poses(engine, stage)[3] * Vec3<double>{0, 0, -2} - start;
    // At first the end moves at 1 rad/s times 10 m, at right angles to the chain at 45 degrees.
    EXPECT_NEAR(moved.x, 0.01 * 10 * std::sqrt(0.5), 2e-3);
    EXPECT_NEAR(moved.z, -0.01 * 10 * std::sqrt(0.5), 2e-3);
    EXPECT_LT(std::abs(moved.y), 1e-9);
  });
  EXPECT_GE(tried_, 1);
}

TEST_P(ContactPeersCheck, SlideStickAndRoll) {
  each("@slope:angle=35", 1e-3, [](ContactEngine& engine, Stage& stage) {
    const Vec3<double> start = poses(engine, stage)[1].p;
    steps(engine, 500);
    const double a = 35 * 3.14159265358979 / 180, exact = g * (std::sin(a) - 0.5 * std::cos(a)) / 8;
    EXPECT_NEAR(norm(poses(engine, stage)[1].p - start), exact, 0.2 * exact);
  });
  each("@slope", 1e-3, [](ContactEngine& engine, Stage& stage) {
    const Vec3<double> start = poses(engine, stage)[1].p;
    steps(engine, 100);
    EXPECT_LT(norm(poses(engine, stage)[1].p - start), 1e-3);
    EXPECT_GE(engine.contacts(), 3);
  });
  each("@roll", 1e-3, [](ContactEngine& engine, Stage& stage) {
    steps(engine, 400);
    const double x = poses(engine, stage)[1].p.x;
    steps(engine, 100);
    EXPECT_NEAR((poses(engine, stage)[1].p.x - x) / 0.1, 5.0 / 7, 2e-3);
  });
  EXPECT_GE(tried_, 3);
}

TEST_P(ContactPeersCheck, Bounce) {
  each("@bounce", 1e-4, [](ContactEngine& engine, Stage& stage) {
    double highest = 0, lowest = 1;
    for (int k = 0; k < 9000; ++k) {
      steps(engine, 1);
      const double z = poses(engine, stage)[1].p.z - 0.1;
      lowest = std::min(lowest, z);
      if (k > 5000) highest = std::max(highest, z);
    }
    EXPECT_LT(lowest, 1e-2);
    EXPECT_NEAR(highest, 0.49, 0.06);
  });
  EXPECT_GE(tried_, 1);
}

// Held up by servos, for a while.
TEST_P(ContactPeersCheck, Stand) {
  each("@stand:feet_only=1", 1e-3, [](ContactEngine& engine, Stage& stage) {
    const std::vector<Transform<double>> start = poses(engine, stage);
    steps(engine, 200);
    const std::vector<Transform<double>> now = poses(engine, stage);
    for (std::size_t b = 1; b < now.size(); ++b) EXPECT_LT(norm(now[b].p - start[b].p), 0.01) << b;
    EXPECT_GE(engine.contacts(), 4);
  });
  EXPECT_GE(tried_, 1);
}

TEST_P(ContactPeersCheck, SayWhatTheyCannot) {
  each("@arch", 1e-3, [](ContactEngine&, Stage&) { ADD_FAILURE() << "no driver has hulls"; });
  each("@billiard", 1e-3, [](ContactEngine&, Stage&) { ADD_FAILURE() << "no driver has different surfaces"; });
}

INSTANTIATE_TEST_SUITE_P(Engines, ContactPeersCheck, testing::Values("MuJoCo", "Bullet", "DART", "ODE", "Simbody"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace linchpin
