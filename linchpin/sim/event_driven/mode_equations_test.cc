// Forces of contact modes that are solved by hand.
#include "linchpin/sim/event_driven/mode_equations.h"

#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/event_driven/testing.h"

namespace linchpin {
namespace {

constexpr double exact = 1e-13;  // rounding of numbers up to 10

// (5): friction per unit of load, against the velocity where both coefficients are equal.
TEST(ModeEquations, FrictionOfSliding) {
  ModeByHand c;
  c.contact(Hold::sliding, 0.5, {3, 4, 0});
  EXPECT_LE(norm(friction_per_load(c.forces.in_motion[0], {0.6, 0.8, 0}) - Vec3<double>{-0.3, -0.4, 0}), 1e-15);
  Contact other = c.forces.in_motion[0];
  other.across = 0.5;  // (u1, across^2 u2) / |(u1, across u2)| for u = (3, 4): (3, 1) / root(13)
  EXPECT_LE(norm(friction_per_load(other, {0.6, 0.8, 0}) - (-0.5 / std::sqrt(13)) * Vec3<double>{3, 1, 0}), 1e-15);
  EXPECT_EQ(norm(friction_per_load(other, {0, 0, 0})), 0);
}

// The velocity itself, in the plane of the contact; `slide` where it is too slow or has turned back.
TEST(ModeEquations, DirectionOfSliding) {
  ModeByHand c;
  const ModeContact& m = c.contact(Hold::sliding, 0.5, {3, 4, 0});
  const auto direction = [&](const Vec3<double>& u) { return sliding_direction(m, c.forces.contacts[0], u); };
  EXPECT_LE(norm(direction({1, 0, 7}) - Vec3<double>{1, 0, 0}), 1e-15);
  EXPECT_LE(norm(direction({-1, 0, 0}) - Vec3<double>{0.6, 0.8, 0}), 1e-15) << "reversed";
  EXPECT_LE(norm(direction({1e-12, 0, 0}) - Vec3<double>{0.6, 0.8, 0}), 1e-15) << "too slow";
}

// A contact that slides to +x with a lever: w_N = 2 N - 0.5 * 0.8 N - 10 = 0. Its slip accelerates by what is left.
TEST(ModeEquations, ASlidingContact) {
  ModeByHand c;
  c.contact(Hold::sliding, 0.5, {2, 0, 0});
  c.set({2, 0.8, 0.1, 0.8, 3, 0, 0.1, 0, 3}, {-10, 7, 4});
  ModeEquations equations;
  equations.solve(c.mode, 0, c.forces);
  const double N = 10 / 1.6;
  EXPECT_LE(largest_difference(c.forces.z, std::vector<double>{N, -0.5 * N, 0.}), exact);
  EXPECT_LE(largest_difference(c.forces.w, std::vector<double>{0., 7 + 0.8 * N - 1.5 * N, 4 + 0.1 * N}), exact);
  EXPECT_TRUE(c.forces.is_unique);
  EXPECT_TRUE(c.forces.is_consistent);
}

// What every kind of row does: a loop and a limit are held, an open limit is not, a contact sticks, dry friction moves
// or sticks. Rows are coupled by a matrix of ones beside the diagonal.
TEST(ModeEquations, EveryKindOfRow) {
  ModeByHand c;
  c.loop();                        // 0
  c.contact(Hold::sticking, 0.5);  // 1 to 3
  c.contact(Hold::open, 0);        // 4
  c.limit(true);                   // 5
  c.limit(false);                  // 6
  c.dry(2, 0, true);               // 7
  c.dry(3, -1, false);             // 8
  const std::size_t n = 9;
  std::vector<double> W(n * n, 1.0), b;
  for (std::size_t i = 0; i < n; ++i) {
    W[i * n + i] = 4 + double(i);
    b.push_back(-3 + double(i * i % 7));
  }
  c.set(W, b);
  ModeEquations equations;
  equations.solve(c.mode, 1, c.forces);
  const ModeForces& f = c.forces;
  EXPECT_TRUE(f.is_unique && f.is_consistent);
  std::vector<double> w = b;  // (1)
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) w[i] += W[i * n + j] * f.z[j];
  EXPECT_LE(largest_difference(f.w, w), exact);
  for (const std::size_t held : {0, 1, 2, 3, 5, 7}) EXPECT_NEAR(f.w[held], 0, exact) << held;
  for (const std::size_t open : {4, 6}) EXPECT_EQ(f.z[open], 0) << open;
  EXPECT_EQ(f.z[8], 3) << "against its velocity";
}

// Two contacts under one mass of 1 kg: only the sum of their forces is known, and the forces are those nearest to
// `near`. What moves load from one to the other changes no acceleration.
TEST(ModeEquations, RedundantContacts) {
  ModeByHand c;
  c.contact(Hold::sticking, 0).near = {3, 0, 0};
  c.contact(Hold::sticking, 0);
  c.set({1, 1, 1, 1}, {-10, -10});
  ModeEquations equations;
  equations.solve(c.mode, 0, c.forces);
  EXPECT_FALSE(c.forces.is_unique);
  EXPECT_TRUE(c.forces.is_consistent);
  EXPECT_LE(largest_difference(c.forces.z, std::vector<double>{6.5, 3.5}), exact);
  std::vector<double> idle;
  ASSERT_EQ(equations.idle_forces(c.forces, idle), 1);
  EXPECT_LE(largest_difference(idle, std::vector<double>{idle[0], -idle[0]}), exact);
  EXPECT_GT(std::abs(idle[0]), 0.1);
  c.forces.b = {-10, -20};  // one surface that would accelerate in two ways
  equations.solve(c.mode, 0, c.forces);
  EXPECT_FALSE(c.forces.is_consistent);
}

// Two contacts of one mass that sticks: of six forces three are idle. If both slide with the same friction, load moves
// from one to the other with its friction; with different friction that changes the acceleration.
TEST(ModeEquations, IdleForcesWithFriction) {
  std::vector<double> W(36, 0.0);
  for (std::size_t i = 0; i < 6; ++i) W[i * 6 + i] = W[i * 6 + (i + 3) % 6] = 1;
  const std::vector<double> b{-10, 2, 0, -10, 2, 0};
  ModeEquations equations;
  std::vector<double> idle;
  ModeByHand rests;
  rests.contact(Hold::sticking, 0.5).near = {0, 1, 0};
  rests.contact(Hold::sticking, 0.5).near = {4, 0, 6};
  rests.set(W, b);
  equations.solve(rests.mode, 0, rests.forces);
  EXPECT_LE(largest_difference(rests.forces.z, std::vector<double>{3, -0.5, -3, 7, -1.5, 3}), exact);
  EXPECT_EQ(equations.idle_forces(rests.forces, idle), 3);
  for (const double mu : {0.5, 0.3}) {
    ModeByHand slides;
    slides.contact(Hold::sliding, 0.5, {3, 4, 0});
    slides.contact(Hold::sliding, mu, {3, 4, 0});
    slides.set(W, b);
    equations.solve(slides.mode, 0, slides.forces);
    EXPECT_NEAR(slides.forces.z[0] + slides.forces.z[3], 10, exact);
    const int count = equations.idle_forces(slides.forces, idle);
    ASSERT_EQ(count, mu == 0.5 ? 1 : 0);
    if (count == 1)
      EXPECT_LE(largest_difference(std::vector{idle[1], idle[2], idle[4], idle[5]},
                                   std::vector<double>{-0.3 * idle[0], -0.4 * idle[0], -0.3 * idle[3], -0.4 * idle[3]}),
                exact);
  }
}

}  // namespace
}  // namespace linchpin
