#include "linchpin/contact/contact_set.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

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

// A speed that is not a number makes the reach of that link infinite: no contacts are searched, whichever link it is.
TEST(ContactSet, EverySpeedMustBeFinite) {
  Found found(balls_on_a_floor(3, 1));
  ASSERT_EQ(found.set.contacts.size(), 3u);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (int link = 1; link <= 3; ++link) {
      Velocities vel = found.vel;
      vel.link[link].v.z = bad;
      ContactSet set(found.plan);
      EXPECT_FALSE(find_contacts(found.model, found.plan, found.kin, vel, 1e-3, set)) << link;
      EXPECT_TRUE(set.contacts.empty());
      EXPECT_TRUE(find_contacts(found.model, found.plan, found.kin, found.vel, 1e-3, set)) << link;
      EXPECT_EQ(set.contacts.size(), 3u);
    }
}

// Normal and tangents are unit vectors at right angles, right-handed, for every slope of the floor: upright, upside
// down and horizontal ones, and those just beside.
TEST(ContactSet, TangentsAreOrthonormal) {
  std::vector<Vec3<double>> normals;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        for (const double tilt : {0.0, 1e-13, 1e-11, -1e-11, -0.1, 0.3})
          if (x != 0 || y != 0 || z != 0) normals.push_back({x + 0.2 * tilt, double(y), z + tilt});
  for (const Vec3<double>& direction : normals) {
    ModelSpec spec = balls_on_a_floor(1, 1);
    spec.world_geometry[0].X_BG.R = frame_with_z((1 / norm(direction)) * direction);
    spec.joints[0].X_PF.p = 0.5 * spec.world_geometry[0].X_BG.R.z;
    const Found found(spec);
    ASSERT_EQ(found.set.contacts.size(), 1u);
    const Contact& c = found.set.contacts[0];
    const double exact = 1e-14;  // a few roundings of numbers of order one; 1 / (1 + n_z) is at most 1.2
    EXPECT_NEAR(std::abs(dot(c.normal, (1 / norm(direction)) * direction)), 1, exact);
    EXPECT_NEAR(norm(c.t1), 1, exact) << c.normal.x << " " << c.normal.y << " " << c.normal.z;
    EXPECT_NEAR(norm(c.t2), 1, exact) << c.normal.x << " " << c.normal.y << " " << c.normal.z;
    // A normal that is horizontal to 1e-12 is treated as horizontal.
    EXPECT_LE(norm(cross(c.t1, c.t2) - c.normal), exact + 1e-12);
    EXPECT_LE(std::abs(dot(c.t1, c.normal)) + std::abs(dot(c.t2, c.normal)), exact + 1e-12);
  }
}

// The plane of a chain of hinges is normal to them, by a unit vector. A slider along the hinges, a hinge across, or no
// hinge at all: there is none.
TEST(ContactSet, PlaneOfMotion) {
  const auto plane_of = [](std::vector<Vec3<double>> hinges, const Vec3<double>& slider) {
    ModelSpec spec;
    std::string parent = "world";
    const auto add = [&](JointType type, const Vec3<double>& axis) {
      const std::string name = "body" + std::to_string(spec.bodies.size());
      spec.bodies.push_back({.name = name, .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {}});
      spec.joints.push_back({.name = name, .type = type, .parent = parent, .child = name});
      spec.joints.back().axis = (1 / norm(axis)) * axis;
      parent = name;
    };
    for (const Vec3<double>& axis : hinges) add(JointType::revolute, axis);
    add(JointType::prismatic, slider);
    return motion_plane(compile(spec).value());
  };
  const Vec3<double> n{1, 2, -2}, in_plane{2, 0, 1};
  const std::optional<Vec3<double>> plane = plane_of({n, -n, n}, in_plane);
  ASSERT_TRUE(plane);
  EXPECT_NEAR(norm(*plane), 1, 1e-15);
  EXPECT_NEAR(std::abs(dot(*plane, n)), 3, 1e-14) << "|n| = 3";
  EXPECT_FALSE(plane_of({n, n}, n));
  EXPECT_FALSE(plane_of({n, in_plane}, in_plane));
  EXPECT_FALSE(plane_of({}, in_plane));
}

}  // namespace
}  // namespace linchpin
