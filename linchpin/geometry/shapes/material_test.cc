#include "linchpin/geometry/shapes/material.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

constexpr PairRule all_rules[] = {PairRule::minimum,        PairRule::maximum, PairRule::mean,
                                  PairRule::geometric_mean, PairRule::product, PairRule::harmonic_mean};

TEST(PairRule, ByHand) {
  EXPECT_EQ(apply(PairRule::minimum, 0.2, 0.8), 0.2);
  EXPECT_EQ(apply(PairRule::maximum, 0.2, 0.8), 0.8);
  EXPECT_DOUBLE_EQ(apply(PairRule::mean, 0.2, 0.8), 0.5);
  EXPECT_DOUBLE_EQ(apply(PairRule::geometric_mean, 0.2, 0.8), 0.4);
  EXPECT_DOUBLE_EQ(apply(PairRule::product, 0.2, 0.8), 0.16);
  EXPECT_DOUBLE_EQ(apply(PairRule::harmonic_mean, 0.2, 0.8), 0.32);
  EXPECT_EQ(apply(PairRule::harmonic_mean, 0, 0), 0);
}

// All rules are symmetric. All but the product keep the value of equal materials and stay between the two values. With
// all of them kinetic friction stays below static friction.
TEST(PairRule, Laws) {
  RandomSpatial random(1);
  for (const PairRule rule : all_rules)
    for (int i = 0; i < 1000; ++i) {
      const double a = random.magnitude(1e-3, 10), b = random.magnitude(1e-3, 10), less = random.unit() * a;
      const double ab = apply(rule, a, b);
      EXPECT_EQ(ab, apply(rule, b, a));
      EXPECT_LE(apply(rule, less, b), ab * (1 + 1e-15));
      if (rule == PairRule::product) continue;
      EXPECT_NEAR(apply(rule, a, a), a, 1e-15 * a);
      EXPECT_GE(ab, std::min(a, b) * (1 - 1e-15));
      EXPECT_LE(ab, std::max(a, b) * (1 + 1e-15));
    }
}

const Material rubber{"rubber", {1.0, 0.9}, 0.8, {}}, ice{"ice", {0.04, 0.01}, 0.1, {}};
// A skate: low friction along x, high friction across.
const Material skate{"skate", {0.9, 0.8}, 0, Material::Directional{{2, 0, 0}, {0.01, 0.01}}};

TEST(Material, CombinedByTheDefaultRules) {
  const PairMaterial pair = combine(rubber, ice);
  EXPECT_DOUBLE_EQ(pair.friction.mu_static, 0.2);
  EXPECT_DOUBLE_EQ(pair.friction.mu_kinetic, std::sqrt(0.009));
  EXPECT_EQ(pair.restitution, 0.8);
  EXPECT_FALSE(pair.directional);
  const PairMaterial other = combine(rubber, ice, {.friction = PairRule::maximum, .restitution = PairRule::product});
  EXPECT_EQ(other.friction.mu_static, 1.0);
  EXPECT_DOUBLE_EQ(other.restitution, 0.08);
}

TEST(Material, DirectionComesFromTheSideThatHasIt) {
  const PairMaterial first = combine(skate, ice), second = combine(ice, skate);
  ASSERT_TRUE(first.directional && second.directional);
  EXPECT_EQ(first.directional->side, PairMaterial::Side::a);
  EXPECT_EQ(second.directional->side, PairMaterial::Side::b);
  for (const PairMaterial& pair : {first, second}) {
    EXPECT_DOUBLE_EQ(pair.friction.mu_static, std::sqrt(0.9 * 0.04));
    EXPECT_DOUBLE_EQ(pair.directional->along.mu_static, std::sqrt(0.01 * 0.04));
    EXPECT_EQ(pair.directional->direction.x, 2);
  }
  // both directional: the direction of the one with the larger ratio, with the other's coefficients across
  Material brushed = rubber;
  brushed.directional = {{0, 1, 0}, {0.5, 0.5}};
  const PairMaterial both = combine(brushed, skate);
  EXPECT_EQ(both.directional->side, PairMaterial::Side::b);
  EXPECT_DOUBLE_EQ(both.directional->along.mu_static, std::sqrt(0.01 * 1.0));
  EXPECT_EQ(combine(skate, skate).directional->side, PairMaterial::Side::a);
  Material frozen = skate;  // no friction along x: an infinite ratio
  frozen.directional->along = {0, 0};
  EXPECT_EQ(combine(skate, frozen).directional->side, PairMaterial::Side::b);
}

TEST(Material, OverridesByNameInEitherOrder) {
  PairRules rules;
  rules.overrides.push_back(
      {"rubber", "ice", {{0.15, 0.1}, 0.5, PairMaterial::Directional{PairMaterial::Side::a, {0, 0, 1}, {0.1, 0.1}}}});
  const PairMaterial there = combine(rubber, ice, rules), back = combine(ice, rubber, rules);
  for (const PairMaterial& pair : {there, back}) {
    EXPECT_EQ(pair.friction.mu_static, 0.15);
    EXPECT_EQ(pair.restitution, 0.5);
  }
  EXPECT_EQ(there.directional->side, PairMaterial::Side::a);
  EXPECT_EQ(back.directional->side, PairMaterial::Side::b);
  EXPECT_DOUBLE_EQ(combine(rubber, rubber, rules).friction.mu_static, 1);
}

TEST(Material, FaultsNameTheNumber) {
  EXPECT_EQ(fault_of(Material{}), "");
  EXPECT_EQ(fault_of(skate), "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault_of(Material{"", {-0.1, 0}, 0, {}}), "mu_static is -0.1; it must be finite and at least 0");
  EXPECT_EQ(fault_of(Material{"", {0.1, 0.2}, 0, {}}), "mu_kinetic is 0.2; it must be at most mu_static, 0.1");
  EXPECT_EQ(fault_of(Material{"", {0.1, 0.1}, 1.5, {}}), "restitution is 1.5; it must be between 0 and 1");
  EXPECT_EQ(fault_of(Material{"", {0.1, 0.1}, nan, {}}), "restitution is nan; it must be between 0 and 1");
  Material m = skate;
  m.directional->direction = {0, 0, 0};
  EXPECT_EQ(fault_of(m), "direction of friction (0, 0, 0) is not a direction");
  m = skate;
  m.directional->along.mu_static = nan;
  EXPECT_EQ(fault_of(m), "mu_static along the direction is nan; it must be finite and at least 0");
  PairRules rules;
  rules.overrides = {{"rubber", "ice", {}}, {"ice", "rubber", {}}};
  EXPECT_EQ(fault_of(rules), "overrides 0 and 1 are both for ice and rubber");
  rules.overrides = {{"rubber", "ice", {{1, 2}, 0, {}}}};
  EXPECT_EQ(fault_of(rules), "override 0 of rubber and ice: mu_kinetic is 2; it must be at most mu_static, 1");
  rules.overrides = {{"rubber", "", {}}};
  EXPECT_EQ(fault_of(rules), "override 0 must name two materials");
}

}  // namespace
}  // namespace linchpin
