#include "linchpin/sim/time_stepping/midpoint.h"

#include <cmath>

#include "linchpin/model/testing.h"
#include "linchpin/sim/time_stepping/jumps.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// A ball of 0.2 m on top of a fixed one of 1 m, with this velocity.
struct OnBall {
  explicit OnBall(const std::vector<double>& v) {
    ModelSpec spec;
    spec.world_geometry.push_back({.name = "hill", .shape = Sphere{1.0}});
    spec.bodies.push_back({.name = "ball",
                           .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(0.01, 0.01, 0.01)},
                           .geometry = {{.name = "ball", .shape = Sphere{0.2}}}});
    spec.joints.push_back(joint("free", JointType::free, "world", "ball"));
    model = std::make_unique<Model>(compiled(spec));
    State state = make_state(*model);
    state.q[6] = 1.2;
    state.v = v;
    stage = std::make_unique<StageTest>(*model, SimulationOptions{}, state);
    solved = std::make_unique<Solved>(*model);
    Jumps(stage->plan).find(stage->interval(h), *solved);
    middle = std::make_unique<Midpoint>(stage->plan);
  }
  void find() {
    const Interval interval = stage->interval(h);
    middle->find(interval, *solved);
    middle->place_rows(interval, *solved);
  }
  static constexpr double h = 0.01;
  std::unique_ptr<Model> model;
  std::unique_ptr<StageTest> stage;
  std::unique_ptr<Solved> solved;
  std::unique_ptr<Midpoint> middle;
};

TEST(Midpoint, IsTheStartAtRest) {
  OnBall on({0, 0, 0, 0, 0, 0});
  on.find();
  EXPECT_TRUE(std::ranges::equal(on.middle->q(), on.stage->start.q));
  EXPECT_EQ(&on.middle->placed(), &on.stage->placed);
}

// Half of the way along v; the contact is where the balls are nearest there, which is neither fixed in the ball nor in
// the hill.
TEST(Midpoint, FollowsTheContactOverCurvedSurfaces) {
  OnBall on({0.3, 2, -1, 0.8, -0.4, 0});
  on.find();
  const Vec3<double> centre{0.8 * on.h / 2, -0.4 * on.h / 2, 1.2};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(on.middle->q()[4 + k], (&centre.x)[k], 1e-15);
  EXPECT_NEAR(on.middle->q()[2], std::sin(0.25 * on.h * std::sqrt(0.09 + 4 + 1)) * 2 / std::sqrt(5.09), 1e-12);
  ASSERT_EQ(on.middle->contacts().size(), 1u);
  const Contact& c = on.middle->contacts()[0];
  const Vec3<double> away = (1 / norm(centre)) * centre;
  EXPECT_NEAR(std::abs(dot(c.normal, away)), 1, 1e-12);
  EXPECT_NEAR(norm(cross(c.point, away)), 0, 1e-12);
  EXPECT_EQ(c.gap, on.stage->set.contacts[0].gap) << "the gap is that of the start";
  EXPECT_NE(&on.middle->placed(), &on.stage->placed);
}

// A tree that jumps stays at the start.
TEST(Midpoint, IsTheStartForTreesThatJump) {
  OnBall on({0, 0, 0, 1, 0, -1});
  EXPECT_EQ(on.solved->tree_jumps[0], 1);
  on.find();
  EXPECT_TRUE(std::ranges::equal(on.middle->q(), on.stage->start.q));
  EXPECT_FALSE(on.middle->is_ahead(1));
  EXPECT_EQ(norm(on.middle->contacts()[0].point - on.stage->set.contacts[0].point), 0);
}

}  // namespace
}  // namespace linchpin
