// Forces of redundant rows that obey their conditions best, for cases where the best is known.
#include "linchpin/sim/event_driven/admissible_forces.h"

#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/event_driven/testing.h"

namespace linchpin {
namespace {

struct Admissible {
  explicit Admissible(ModeByHand& c)
      : model(model_of("@pendulum:links=1")), dynamics(model), plan(model, {}), by(dynamics, plan), admissible(by) {
    by.solve(c.mode, c.forces);
    w = c.forces.w;
    margin = admissible.find(c.mode, c.forces);
  }
  Model model;
  Dynamics dynamics;
  StepPlan plan;
  ModeDynamics by;
  AdmissibleForces admissible;
  std::vector<double> w;
  double margin;
};

// The matrix of rows that move one mass of 1 kg: every third row is coupled.
std::vector<double> one_mass(std::size_t contacts) {
  const std::size_t n = 3 * contacts;
  std::vector<double> W(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) W[i * n + j] = i % 3 == j % 3 ? 1 : 0;
  return W;
}

constexpr double least_error = 1e-8;  // (2) with p = 1e9 is off by up to log(6) / p

// Two or three limits hold 10 N together: any positive share is admissible. If they have to pull, the best is that all
// pull alike. The margin is relative to the 10 N.
TEST(AdmissibleForces, SharesOfALoad) {
  for (const std::size_t count : {2, 3})
    for (const double load : {10.0, -10.0}) {
      ModeByHand c;
      for (std::size_t i = 0; i < count; ++i) c.limit(true).near = i == 0 ? 30 : 0;
      c.set(std::vector<double>(count * count, 1.0), std::vector<double>(count, -load));
      const Admissible a(c);
      double sum = 0;
      for (const double z : c.forces.z) sum += z;
      EXPECT_NEAR(sum, load, 1e-12);
      EXPECT_EQ(c.forces.w, a.w);
      if (load > 0) {
        EXPECT_GT(a.margin, 0);
        for (const double z : c.forces.z) EXPECT_GE(z, 10 * a.margin * (1 - 1e-12));
      } else {
        EXPECT_NEAR(a.margin, -1. / double(count), least_error);
        for (const double z : c.forces.z) EXPECT_NEAR(z, load / double(count), 10 * least_error);
      }
    }
}

// Two contacts with friction 0.5 under 10 N hold up to 5 N together. At 8 N each lacks 1.5 N at best.
TEST(AdmissibleForces, SharesOfFriction) {
  for (const double push : {4.0, 8.0})
    for (const double across : {1.0, 0.5}) {
      ModeByHand c;
      c.contact(Hold::sticking, 0.5, {0, 0, 0}, across).near = {10, 0, 0};
      c.contact(Hold::sticking, 0.5, {0, 0, 0}, across).near = {0, 0, -push * across};
      c.set(one_mass(2), {-10, 0, push * across, -10, 0, push * across});
      const Admissible a(c);
      EXPECT_NEAR(c.forces.z[0] + c.forces.z[3], 10, 1e-12);
      EXPECT_NEAR(c.forces.z[2] + c.forces.z[5], -push * across, 1e-12);
      if (push == 4)
        EXPECT_GT(a.margin, 0) << across;
      else
        EXPECT_NEAR(a.margin, -0.15, least_error) << across;
    }
}

// A contact and dry friction of 3 N share one coordinate: z + z_dry = 10 can be borne, -4 lacks 0.5 N of 4 N on either.
TEST(AdmissibleForces, DryFriction) {
  for (const double load : {10.0, -4.0}) {
    ModeByHand c;
    c.limit(true);
    c.dry(3, 0, true);
    c.set({1, 1, 1, 1}, {-load, -load});
    const Admissible a(c);
    EXPECT_NEAR(c.forces.z[0] + c.forces.z[1], load, 1e-12);
    if (load > 0) {
      EXPECT_GT(a.margin, 0);
      EXPECT_LT(std::abs(c.forces.z[1]), 3);
    } else {
      EXPECT_NEAR(a.margin, -0.125, least_error);
    }
  }
}

// Unique forces stay as they are; their least margin is returned. Without conditions there is nothing to violate.
TEST(AdmissibleForces, UniqueForces) {
  ModeByHand c;
  c.limit(true);
  c.limit(true);
  c.limit(false);
  c.set({1, 0, 0, 0, 2, 0, 0, 0, 1}, {-10, 4, -3});
  const Admissible a(c);
  EXPECT_LE(largest_difference(c.forces.z, std::vector<double>{10., -2., 0.}), 1e-14);
  EXPECT_NEAR(a.margin, -2 * std::sqrt(2) / 10, 1e-15);
  ModeByHand open;
  open.limit(false);
  open.set({1}, {-1});
  EXPECT_EQ(Admissible(open).margin, 1);
}

// The mode keeps the forces that it has: of contacts with and without friction and of limits, if they are closed.
TEST(AdmissibleForces, AreKept) {
  ModeByHand c;
  c.contact(Hold::sticking, 0.5);
  c.contact(Hold::sticking, 0);
  c.contact(Hold::open, 0).near = {9, 0, 0};
  c.limit(true);
  c.limit(false).near = 8;
  c.forces.z = {1, 2, 3, 4, 5, 6, 7};
  AdmissibleForces::keep(c.forces, c.mode);
  EXPECT_LE(norm(c.mode.contacts[0].near - Vec3<double>{1, 2, 3}), 0);
  EXPECT_LE(norm(c.mode.contacts[1].near - Vec3<double>{4, 0, 0}), 0);
  EXPECT_EQ(c.mode.contacts[2].near.x, 9);
  EXPECT_EQ(c.mode.limits[0].near, 6);
  EXPECT_EQ(c.mode.limits[1].near, 8);
}

}  // namespace
}  // namespace linchpin
