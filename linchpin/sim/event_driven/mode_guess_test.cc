// Guesses of modes for rows whose laws can be solved by hand. The solver is asked for 1e-12, the rounds for 1e-11.
#include "linchpin/sim/event_driven/mode_guess.h"

#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/event_driven/testing.h"

namespace linchpin {
namespace {

constexpr double guessed = 1e-9;

// A mass of 1/2 kg that is pushed against its limit, or away from it; beside it a second one.
TEST(ModeGuess, Limits) {
  ModeByHand c;
  c.limit(true);
  c.limit(true);
  ModeGuess guess;
  for (const bool pushed : {false, true}) {
    c.set({2, 0, 0, 4}, {pushed ? -3. : 3., pushed ? 5. : -5.});
    guess.find(c.forces, c.mode);
    EXPECT_EQ(c.mode.limits[0].closed, pushed);
    EXPECT_NEAR(c.mode.limits[0].near, pushed ? 1.5 : 0, guessed);
    EXPECT_EQ(c.mode.limits[1].closed, !pushed);
    EXPECT_NEAR(c.mode.limits[1].near, pushed ? 0 : 1.25, guessed);
  }
}

// A mass of 1 kg on the floor under 10 N, with friction 0.5: it sticks up to 5 N, slides beyond, and leaves the floor.
TEST(ModeGuess, AContactAtRest) {
  const std::vector<double> W{1, 0, 0, 0, 1, 0, 0, 0, 1};
  ModeGuess guess;
  ModeByHand c;
  c.contact(Hold::open, 0.5);
  c.set(W, {-10, 2, -1});
  guess.find(c.forces, c.mode);
  const ModeContact& m = c.mode.contacts[0];
  EXPECT_EQ(m.hold, Hold::sticking);
  EXPECT_LE(norm(m.near - Vec3<double>{10, -2, 1}), guessed);
  c.set(W, {-10, 8, -6});
  guess.find(c.forces, c.mode);
  EXPECT_EQ(m.hold, Hold::sliding);
  EXPECT_LE(norm(m.slide - Vec3<double>{0.8, -0.6, 0}), guessed);
  EXPECT_NEAR(m.near.x, 10, guessed);
  c.set(W, {1, 8, 6});
  guess.find(c.forces, c.mode);
  EXPECT_EQ(m.hold, Hold::open);
  EXPECT_EQ(norm(m.near), 0);
}

// Friction that is 0.5 along x and 0.25 along y, pushed along y: 2.5 N are what it bears.
TEST(ModeGuess, DirectionalFriction) {
  const std::vector<double> W{1, 0, 0, 0, 1, 0, 0, 0, 1};
  ModeGuess guess;
  for (const double push : {2.4, 2.6, 4.9}) {
    ModeByHand c;
    c.contact(Hold::sticking, 0.5, {0, 0, 0}, 0.5);
    c.set(W, {-10, 0, push});
    guess.find(c.forces, c.mode);
    EXPECT_EQ(c.mode.contacts[0].hold, push < 2.5 ? Hold::sticking : Hold::sliding) << push;
    if (push < 2.5) EXPECT_NEAR(c.mode.contacts[0].near.z, -push, guessed);
    ModeByHand along;
    along.contact(Hold::sticking, 0.5, {0, 0, 0}, 0.5);
    along.set(W, {-10, push, 0});
    guess.find(along.forces, along.mode);
    EXPECT_EQ(along.mode.contacts[0].hold, Hold::sticking) << push;
  }
}

// A contact that slides to +x has the friction -mu N, which presses it down by the lever of the body:
// w_N = 2 N + 0.8 z1 + b. Without its friction it would carry 5 N.
TEST(ModeGuess, AContactThatSlides) {
  ModeByHand c;
  c.contact(Hold::sliding, 0.5, {2, 0, 0});
  c.set({2, 0.8, 0, 0.8, 3, 0, 0, 0, 3}, {-10, 7, 4});
  ModeGuess guess;
  guess.find(c.forces, c.mode);
  EXPECT_EQ(c.mode.contacts[0].hold, Hold::sliding);
  EXPECT_LE(norm(c.mode.contacts[0].near - Vec3<double>{10 / (2 - 0.5 * 0.8), 0, 0}), guessed);
  EXPECT_EQ(c.mode.contacts[0].slide.x, 1) << "its direction stays";
}

// Dry friction of 2 N on a mass of 1 kg: it sticks, or starts to move with what pulls it. One that moves already keeps
// its sign, and its force acts on the limit beside it: w = 2 z - 2 * 0.5 - 3 = 0.
TEST(ModeGuess, DryFriction) {
  ModeGuess guess;
  for (const double pull : {-3.0, -1.9, 1.9, 3.0}) {
    ModeByHand c;
    c.dry(2, 0, true);
    c.set({1}, {pull});
    guess.find(c.forces, c.mode);
    EXPECT_EQ(c.mode.dry[0].sign, pull > 2 ? 1 : pull < -2 ? -1 : 0) << pull;
  }
  ModeByHand c;
  c.limit(true);
  c.dry(2, 1, false);
  c.set({2, 0.5, 0.5, 1}, {-3, -7});
  guess.find(c.forces, c.mode);
  EXPECT_EQ(c.mode.dry[0].sign, 1);
  EXPECT_TRUE(c.mode.limits[0].closed);
  EXPECT_NEAR(c.mode.limits[0].near, 2, guessed);
}

// A loop takes half of what presses on the limit: 2 z_loop + z = 1, z_loop + 2 z = 5.
TEST(ModeGuess, Loops) {
  ModeByHand c;
  c.loop();
  c.limit(false);
  c.set({2, 1, 1, 2}, {-1, -5});
  ModeGuess guess;
  guess.find(c.forces, c.mode);
  EXPECT_TRUE(c.mode.limits[0].closed);
  EXPECT_NEAR(c.mode.limits[0].near, 3, guessed);
}

}  // namespace
}  // namespace linchpin
