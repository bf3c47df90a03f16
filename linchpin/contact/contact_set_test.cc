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
    EXPECT_EQ(few.set.contacts[i].across == 1, i % 10 != 3) << i << ": directional friction only";
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

// The ball about the bounding box of a link's shapes, from which the search for contacts takes how far they may move:
// of a ball it is the ball itself, which does not grow by turning; a plane has none.
TEST(ContactSet, LinksAreEnclosedByBalls) {
  ModelSpec spec = balls_on_a_floor(2, 1);
  spec.bodies[1].geometry[0].shape = Box{{1, 2, 2}};
  spec.bodies[1].geometry[0].X_BG.p = {1, 0, 0};
  const Model model = compile(spec).value();
  const ContactPlan plan(model);
  EXPECT_EQ(plan.unbounded, (std::vector<char>{1, 0, 0}));
  EXPECT_EQ(plan.turns, (std::vector<char>{1, 0, 1}));
  EXPECT_LT(norm(plan.centre[1]), 1e-15);
  EXPECT_NEAR(plan.radius[1], 0.5, 1e-15);
  EXPECT_LT(norm(plan.centre[2] - Vec3<double>{1, 0, 0}), 1e-15);
  EXPECT_NEAR(plan.radius[2], 3, 1e-14);
  EXPECT_NEAR(plan.radius_about_origin[2], std::sqrt(12), 1e-14);
}

// A half space that turns about the origin with w moves by h w x at the distance x: as far as there are balls, it is
// searched for contacts. A link's own plane has no size of its own.
TEST(ContactSet, PlanesThatTurn) {
  for (const double gap : {0.9e-2, 1.2e-2}) {
    ModelSpec spec = balls_on_a_floor(1, 1);
    spec.gravity = {0, 0, 0};
    const GeometrySpec plane = spec.world_geometry[0];
    spec.world_geometry.clear();
    spec.bodies.push_back(
        {.name = "plane", .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {plane}});
    spec.joints.push_back({.name = "hinge", .type = JointType::revolute, .child = "plane"});
    spec.joints.back().axis = {0, 1, 0};
    spec.joints[0].X_PF.p = {10, 0, 0.5 + gap};
    const Model model = compile(spec).value();
    State state = make_state(model);
    state.v = {0, -1};  // about y: points at +x rise by 1e-2 m within 1e-3 s
    Found found(spec);
    velocities(model, found.kin, state.v, found.vel);
    EXPECT_TRUE(found.plan.moving_planes);
    EXPECT_TRUE(find_contacts(found.model, found.plan, found.kin, found.vel, 1e-3, found.set));
    // Up to 10 % farther than speeds reach (Reach), and the ball's own size.
    ASSERT_EQ(found.set.contacts.size(), gap < 1e-2 ? 1u : 0u) << gap;
    if (gap < 1e-2) EXPECT_NEAR(found.set.contacts[0].gap, gap, 1e-14);
  }
}

// A ball on a rail above the floor, which falls at `speed`; and what it finds within 1 ms without gravity.
ModelSpec ball_at(double gap) {
  ModelSpec spec = balls_on_a_floor(1, 1);
  spec.gravity = {0, 0, 0};
  spec.joints[0].X_PF.p = {0, 0, 0.5 + gap};
  return spec;
}
Velocities velocities_at(const Found& found, double v) {
  Velocities vel(found.model);
  velocities(found.model, found.kin, std::vector<double>{v}, vel);
  return vel;
}

// Contacts are searched 1.1 times as far as the speed goes, and four times the fall from rest.
TEST(ContactSet, SearchedAsFarAsTheStepMayGo) {
  const double h = 1e-3;
  for (const double speed : {0.0, -2.0})
    for (const double gravity : {0.0, 10.0}) {
      const double reach = 1.1 * h * std::abs(speed) + 2 * gravity * h * h;
      if (reach == 0) continue;
      for (const double part : {0.99, 1.01}) {
        ModelSpec spec = ball_at(part * reach);
        spec.gravity = {0, 0, -gravity};
        Found found(spec);
        EXPECT_TRUE(find_contacts(found.model, found.plan, found.kin, velocities_at(found, speed), h, found.set));
        EXPECT_EQ(found.set.contacts.size(), part < 1 ? 1u : 0u) << speed << " " << gravity;
      }
    }
}

// After the step the ball is faster than it was searched for: the search is repeated as far as it goes now. Where it is
// slower, nothing is missing.
TEST(ContactSet, SearchedAgainForFasterMotion) {
  const double h = 1e-3;
  Found found(ball_at(1.5e-3));
  const Velocities slow = velocities_at(found, -1), fast = velocities_at(found, -2), away = velocities_at(found, 2);
  EXPECT_TRUE(find_contacts(found.model, found.plan, found.kin, slow, h, found.set));
  ASSERT_TRUE(found.set.contacts.empty());
  EXPECT_FALSE(moves_beyond_reach(found.plan, found.kin, slow, h, found.set));
  EXPECT_FALSE(moves_beyond_reach(found.plan, found.kin, velocities_at(found, -1.09), h, found.set));
  EXPECT_TRUE(moves_beyond_reach(found.plan, found.kin, velocities_at(found, -1.11), h, found.set));
  EXPECT_TRUE(moves_beyond_reach(found.plan, found.kin, fast, h, found.set));
  ContactSet wider(found.plan);
  EXPECT_FALSE(find_more_contacts(found.model, found.plan, found.kin, slow, slow, h, found.set, wider));
  ASSERT_TRUE(find_more_contacts(found.model, found.plan, found.kin, slow, fast, h, found.set, wider));
  ASSERT_EQ(wider.contacts.size(), 1u);
  EXPECT_NEAR(wider.contacts[0].gap, 1.5e-3, 1e-15);
  EXPECT_TRUE(find_more_contacts(found.model, found.plan, found.kin, slow, away, h, found.set, wider))
      << "it is searched by speed, not by direction";
}

// A contact is followed to where its shapes have moved; one that is not followed is left out.
TEST(ContactSet, FollowedWhereItsShapesMove) {
  Found found(balls_on_a_floor(3, 1));
  ASSERT_EQ(found.set.contacts.size(), 3u);
  ASSERT_EQ(found.set.found.pairs.size(), 3u);
  const std::vector<double> q{0.01, 0.02, -0.03};
  found.set.reach.assign(found.set.reach.size(), 0.05);
  kinematics<double>(found.kinematics_plan, q, found.kin);
  velocities(found.model, found.kin, std::vector<double>{0.1, 0.2, 0.3}, found.vel);
  ContactSet there = found.set;
  follow_contacts(found.plan, found.set, std::vector<char>{1, 0, 1}, found.kin, found.vel, there);
  ASSERT_EQ(there.contacts.size(), 2u);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(there.contacts[i].key, found.set.contacts[2 * i].key);
    EXPECT_NEAR(there.contacts[i].gap, q[2 * i], 1e-15);
    EXPECT_NEAR(there.contacts[i].point.x, 4.0 * double(i), 1e-15);
    EXPECT_NEAR(std::abs(relative_velocity(there.contacts[i], found.kin, found.vel).x), i == 0 ? 0.1 : 0.3, 1e-15);
  }
}

// Friction that is mu along a direction of the ball and another across it, as the ball rests or slides.
TEST(ContactSet, DirectionalFriction) {
  struct Case {
    Friction across, along;
    Vec3<double> direction;
  };
  const Vec3<double> x{1, 0, 0};
  const Case cases[] = {{{0.6, 0.4}, {0.3, 0.1}, x},
                        {{0.6, 0.4}, {0.3, 0.1}, {0.6, 0, 0.8}},
                        {{0.6, 0.4}, {0, 0}, x},
                        {{0, 0}, {0.3, 0.1}, x},
                        {{0.6, 0.4}, {0.3, 0.1}, {0, 0, 1}}};
  for (std::size_t i = 0; i < std::size(cases); ++i)
    for (const bool slides : {false, true}) {
      ModelSpec spec = balls_on_a_floor(1, 1);
      spec.world_geometry[0].material.friction = {0, 0};  // the larger of the two counts
      spec.pair_rules.friction = PairRule::maximum;
      Material& material = spec.bodies[0].geometry[0].material;
      material.friction = cases[i].across;
      material.directional = {cases[i].direction, cases[i].along};
      Found found(spec);
      ASSERT_EQ(found.set.contacts.size(), 1u);
      Contact c = found.set.contacts[0];
      set_friction(found.plan, found.set, slides, c);
      const auto of = [&](const Friction& f) { return slides ? f.mu_kinetic : f.mu_static; };
      // The impulse that friction bears along x and y, per unit of load: (2) of contact_set.h.
      const auto most = [&](const Vec3<double>& d) { return c.mu / std::hypot(dot(d, c.t1), dot(d, c.t2) / c.across); };
      const double least = 1e-9;  // a coefficient of zero is 1e-9 of the other
      const double along = i == 4 ? of(cases[i].across) : of(cases[i].along);
      EXPECT_NEAR(most(x), along, along == 0 ? 1e-9 : least * along) << i << slides;
      EXPECT_NEAR(most({0, 1, 0}), of(cases[i].across), least) << i << slides;
      EXPECT_LE(norm(cross(c.t1, c.t2) - c.normal) * norm(cross(c.t2, c.t1) - c.normal), 1e-9);
    }
}

// The rows of a contact: cone or single row, with their offsets; that of t2 is scaled by `across`.
TEST(ContactSet, RowsOfAContact) {
  const Found found(balls_on_a_floor(1, 1));
  Contact c = found.set.contacts[0];
  for (const double mu : {0.5, 0.0}) {
    c.mu = mu;
    c.across = 0.25;
    Rows rows;
    add_contact(c, found.kin, {1, 2, 4}, rows);
    add_normal(c, found.kin, 3, rows);
    ASSERT_EQ(rows.blocks.size(), 2u);
    EXPECT_EQ(rows.blocks[0].kind, mu > 0 ? BlockKind::cone : BlockKind::nonnegative);
    EXPECT_EQ(rows.blocks[0].mu, mu);
    EXPECT_EQ(rows.blocks[1].kind, BlockKind::nonnegative);
    EXPECT_EQ(rows.offset, mu > 0 ? (std::vector<double>{1, 2, 1, 3}) : (std::vector<double>{1, 3}));
    ASSERT_EQ(int(rows.sides.size()), rows.size()) << "the world has none";
    const double sign = c.link_a == 0 ? -1 : 1;
    const Vec3<double> axes[] = {c.normal, c.t1, 0.25 * c.t2};
    const Vec3<double> r = c.point - found.kin.X_WL[1].p;
    for (std::size_t k = 0; k < rows.sides.size(); ++k) {
      const Vec3<double> f = sign * axes[k + 1 == rows.sides.size() ? 0 : k];
      EXPECT_EQ(rows.sides[k].link, 1);
      EXPECT_LE(norm(rows.sides[k].force.f - f) + norm(rows.sides[k].force.n - cross(r, f)), 1e-15) << k;
    }
  }
}

}  // namespace
}  // namespace linchpin
