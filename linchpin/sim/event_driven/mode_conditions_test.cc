#include "linchpin/sim/event_driven/mode_conditions.h"

#include <cmath>
#include <map>

#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/event_driven/testing.h"

namespace linchpin {
namespace {

using Kind = ModeFault::Kind;

// One item of each kind. D = 1 / (row + 1), scale = 4, so that each row has another unit.
struct EveryCondition : ModeByHand {
  EveryCondition() {
    contact(Hold::open, 0);                              // row 0
    contact(Hold::sticking, 0.5, {0, 0, 0}, 0.25);       // 1 to 3
    contact(Hold::sliding, 0.5).slide = {0.6, -0.8, 0};  // 4 to 6, from rest
    contact(Hold::sliding, 0.5, {3, 4, 0});              // 7 to 9
    contact(Hold::sticking, 0);                          // 10
    limit(true);                                         // 11
    limit(false);                                        // 12
    dry(2, 0, true);                                     // 13
    dry(2, -1, true);                                    // 14
    dry(2, 1, false);                                    // 15
    for (int r = 0; r < 16; ++r) {
      forces.z.push_back(1 + 0.1 * r);
      forces.w.push_back(20 + r);
      forces.D.push_back(1. / (r + 1));
    }
    forces.z[13] = -1.5;
    forces.scale = 4;
  }
};

// (1) to (4), written out: forces in units of D scale; accelerations in units of scale / D, a hundredth of that.
std::map<std::pair<Kind, int>, double> expected_margins() {
  const auto force = [](double z, int row) { return z * (row + 1) / 4; };
  const auto acceleration = [](double w, int row) { return 0.01 * w / ((row + 1) * 4); };
  return {{{Kind::closes, 0}, acceleration(20, 0)},
          {{Kind::pulls, 1}, force(1.1, 1)},
          {{Kind::slips, 1}, force(0.5 * 1.1 - std::hypot(1.2, 1.3 / 0.25), 1)},
          {{Kind::pulls, 2}, force(1.4, 4)},
          {{Kind::reverses, 2}, acceleration(0.6 * 25 - 0.8 * 26, 4)},
          {{Kind::pulls, 3}, force(1.7, 7)},
          {{Kind::pulls, 4}, force(2.0, 10)},
          {{Kind::limit_pulls, 0}, force(2.1, 11)},
          {{Kind::limit_closes, 1}, acceleration(32, 12)},
          {{Kind::dry_slips, 0}, force(2 - 1.5, 13)},
          {{Kind::dry_reverses, 1}, acceleration(-34, 14)}};
}

TEST(ModeConditions, MarginsOfEveryKind) {
  const EveryCondition c;
  const auto expected = expected_margins();
  const Kind kinds[] = {Kind::pulls,       Kind::closes,       Kind::slips,     Kind::reverses,
                        Kind::limit_pulls, Kind::limit_closes, Kind::dry_slips, Kind::dry_reverses};
  for (const Kind kind : kinds)
    for (int item = 0; item < 5; ++item) {
      const double margin = margin_of(kind, item, c.mode, c.forces);
      const auto known = expected.find({kind, item});
      if (known == expected.end())
        EXPECT_TRUE(std::isnan(margin)) << int(kind) << " " << item;
      else
        EXPECT_NEAR(margin, known->second, 1e-14) << int(kind) << " " << item;
    }
}

// The least one is the worst; those below a limit are listed. A row that is not there has no condition.
TEST(ModeConditions, TheWorstAndThoseBelow) {
  EveryCondition c;
  const auto expected = expected_margins();
  ModeFault worst = worst_condition(c.mode, c.forces);
  EXPECT_EQ(worst.kind, Kind::slips);
  EXPECT_EQ(worst.index, 1);
  EXPECT_EQ(worst.margin, margin_of(Kind::slips, 1, c.mode, c.forces));
  std::vector<ModeFault> below(3);
  for (const double limit : {-1e-3, 0.0, 0.5, 100.0}) {
    conditions_below(c.mode, c.forces, limit, below);
    std::size_t count = 0;
    for (const auto& [what, margin] : expected) count += margin < limit;
    EXPECT_EQ(below.size(), count) << limit;
    for (const ModeFault& fault : below) {
      EXPECT_LT(fault.margin, limit);
      EXPECT_TRUE(expected.contains({fault.kind, fault.index}));
    }
  }
  c.forces.contact_row[1] = c.forces.contact_row[2] = -1;
  c.forces.limit_row[0] = -1;
  EXPECT_TRUE(std::isnan(margin_of(Kind::slips, 1, c.mode, c.forces)));
  EXPECT_TRUE(std::isnan(margin_of(Kind::limit_pulls, 0, c.mode, c.forces)));
  worst = worst_condition(c.mode, c.forces);
  EXPECT_EQ(worst.kind, Kind::dry_reverses);
  EXPECT_EQ(worst.index, 1);
  EXPECT_EQ(worst_condition({}, c.forces).kind, Kind::none);
}

// In the order of items, the first one that is violated beyond 1e-9; else the worst.
TEST(ModeConditions, TheFirstThatIsViolated) {
  ModeByHand c;
  for (int i = 0; i < 4; ++i) c.limit(true);
  c.forces.D.assign(4, 1.0);
  c.forces.scale = 1;
  c.forces.z = {1, -0.5e-9, -2e-9, -3};
  EXPECT_EQ(worst_condition(c.mode, c.forces, true).index, 2);
  EXPECT_EQ(worst_condition(c.mode, c.forces, false).index, 3);
  c.forces.z = {1, -0.5e-9, 3, 2};
  EXPECT_EQ(worst_condition(c.mode, c.forces, true).index, 1);
  c.forces.z = {1, 0.5, NAN, -3};
  EXPECT_TRUE(std::isnan(worst_condition(c.mode, c.forces, true).margin) ||
              worst_condition(c.mode, c.forces, true).margin == -3);
}

// A sticking contact that pulls cannot bear friction: its cone is empty, not turned over.
TEST(ModeConditions, NoFrictionWherePulled) {
  ModeByHand c;
  c.contact(Hold::sticking, 0.5);
  c.forces.D.assign(3, 1.0);
  c.forces.scale = 1;
  c.forces.z = {-4, 0.3, 0.4};
  EXPECT_NEAR(margin_of(Kind::slips, 0, c.mode, c.forces), -0.5, 1e-15);
}

// Each violation changes its own item, and nothing else.
TEST(ModeConditions, Pivots) {
  const EveryCondition before;
  const auto after = [&](Kind kind, int item) {
    Mode mode = before.mode;
    pivot({.kind = kind, .index = item}, before.forces, mode);
    for (std::size_t i = 0; i < mode.contacts.size(); ++i)
      if (int(i) != item) EXPECT_EQ(mode.contacts[i].hold, before.mode.contacts[i].hold) << int(kind);
    for (std::size_t i = 0; i < mode.limits.size(); ++i)
      if (int(i) != item) EXPECT_EQ(mode.limits[i].closed, before.mode.limits[i].closed) << int(kind);
    for (std::size_t i = 0; i < mode.dry.size(); ++i)
      if (int(i) != item) EXPECT_EQ(mode.dry[i].sign, before.mode.dry[i].sign) << int(kind);
    return mode;
  };
  EXPECT_EQ(after(Kind::none, 1).contacts[1].hold, Hold::sticking);
  EXPECT_EQ(after(Kind::pulls, 3).contacts[3].hold, Hold::open);
  EXPECT_EQ(after(Kind::closes, 0).contacts[0].hold, Hold::sticking);
  EXPECT_EQ(after(Kind::closes, 3).contacts[3].hold, Hold::sliding) << "it slides already";
  EXPECT_EQ(after(Kind::reverses, 2).contacts[2].hold, Hold::sticking);
  EXPECT_FALSE(after(Kind::limit_pulls, 0).limits[0].closed);
  EXPECT_TRUE(after(Kind::limit_closes, 1).limits[1].closed);
  EXPECT_EQ(after(Kind::dry_slips, 0).dry[0].sign, 1) << "against its force, which is negative";
  EXPECT_EQ(after(Kind::dry_slips, 1).dry[1].sign, -1);
  EXPECT_EQ(after(Kind::dry_reverses, 1).dry[1].sign, 0);
  // The direction d of sliding whose friction (5) of mode_dynamics.h is the force that it had: -(d1, across^2 d2).
  const Mode slips = after(Kind::slips, 1);
  EXPECT_EQ(slips.contacts[1].hold, Hold::sliding);
  const Vec3<double> d = slips.contacts[1].slide;
  EXPECT_NEAR(norm(d), 1, 1e-15);
  EXPECT_NEAR(d.y * 0.25 * 0.25 / d.x, 1.3 / 1.2, 1e-14);
  EXPECT_LT(d.x, 0);
}

}  // namespace
}  // namespace linchpin
