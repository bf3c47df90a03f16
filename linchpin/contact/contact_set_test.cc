#include "linchpin/contact/contact_set.h"

#include <gtest/gtest.h>

#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

// Balls on sliders above a floor, all in touch with it. Ball i has the friction of material i % materials.
ModelSpec balls_on_a_floor(int count, int materials) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = {.friction = {0.9, 0.7}}});
  for (int i = 0; i < count; ++i) {
    const std::string name = "ball" + std::to_string(i);
    GeometrySpec ball{.name = name, .shape = Sphere{0.5}};
    ball.material.friction = {0.1 + 0.001 * (i % materials), 0.1};
    if (i % materials == 3) ball.material.directional = {{1, 0, 0}, {0.5, 0.4}};
    spec.bodies.push_back({.name = name, .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {ball}});
    spec.joints.push_back({.name = name, .type = JointType::prismatic, .child = name});
    spec.joints.back().X_PF.p = {2.0 * i, 0, 0.5};
  }
  return spec;
}

struct Found {
  explicit Found(const ModelSpec& spec)
      : model(compile(spec).value()), plan(model), kinematics_plan(model), kin(kinematics_plan), vel(model), set(plan) {
    kinematics<double>(kinematics_plan, make_state(model).q, kin);
    velocities(model, kin, make_state(model).v, vel);
    find_contacts(model, plan, kin, vel, 1e-3, set);
  }
  Model model;
  ContactPlan plan;
  Plan<double> kinematics_plan;
  Kinematics<double> kin;
  Velocities vel;
  ContactSet set;
};

// Above most_materials_in_table there is no table of pairs; a contact has the same data.
TEST(ContactSet, AnyNumberOfMaterials) {
  const int count = most_materials_in_table + 20;
  const Found few(balls_on_a_floor(count, 10)), many(balls_on_a_floor(count, count));
  EXPECT_EQ(few.plan.distinct, 11);
  EXPECT_EQ(few.plan.pairs.size(), 121u);
  EXPECT_EQ(many.plan.distinct, count + 1);
  EXPECT_TRUE(many.plan.pairs.empty());
  ASSERT_EQ(few.set.contacts.size(), std::size_t(count));
  ASSERT_EQ(many.set.contacts.size(), std::size_t(count));
  for (int i = 0; i < 10; ++i) {
    const Contact &a = few.set.contacts[i], &b = many.set.contacts[i];
    EXPECT_TRUE(same_bits(a.mu, b.mu) && same_bits(a.across, b.across) && a.key == b.key) << i;
  }
  for (int i = 0; i < count; ++i)
    if (i != 3) EXPECT_NEAR(many.set.contacts[i].mu, std::sqrt((0.1 + 0.001 * i) * 0.9), 1e-15) << i;
}

}  // namespace
}  // namespace linchpin
