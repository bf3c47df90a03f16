// The built-in scenes with contact at their start: which shapes touch, with which gap and velocity.
#include <algorithm>
#include <map>
#include <numbers>

#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/geometry/scene/collision_scene.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi, g = 9.81;

// A scene at its start, with contacts up to a gap of `within`.
struct Start {
  explicit Start(const std::string& text, double within = 1e-9)
      : model(model_of(text)), state(make_state(model)), plan(model), kin(plan), vel(model), scene(model.collision()) {
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
    SceneWorkspace ws(scene);
    const std::vector<Transform<double>> X_WL(kin.X_WL.begin(), kin.X_WL.end());
    const std::vector<double> reach(X_WL.size(), within / 2);
    find_contacts(scene, X_WL, reach, ws, contacts);
  }
  Start(const Start&) = delete;

  int points() const {
    int count = 0;
    for (const Manifold& m : contacts.manifolds.all()) count += m.count;
    return count;
  }
  double deepest() const {
    double depth = 0;
    for (const Manifold& m : contacts.manifolds.all()) depth = larger(depth, -m.distance);
    return depth;
  }
  // The number of pairs of shapes whose first shape is the world's.
  int pairs_with_the_world() const {
    return int(std::ranges::count_if(contacts.pairs,
                                     [&](const ShapePair& pair) { return scene.shapes()[pair.a].frame == 0; }));
  }
  Transform<double> pose(const char* body) const { return body_pose(model, kin, model.find_body(body)); }
  Vec3<double> velocity(const char* body, const Vec3<double>& at = {0, 0, 0}) const {
    return point_velocity(model, kin, vel, model.find_body(body), at).v;
  }

  Model model;
  State state;
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
  CollisionScene scene;
  SceneContacts contacts;
};

// Points and pairs that touch at the start, and those of them with the world.
TEST(ContactScenes, TouchWhereTheySay) {
  const struct {
    const char* text;
    int points, pairs, with_the_world;
  } expected[] = {
      {"@swing", 0, 0, 0},
      {"@swing:links=3", 0, 0, 0},
      {"@slope", 4, 1, 1},
      {"@slope:angle=35,heading=70,turn=20", 4, 1, 1},
      {"@roll", 1, 1, 1},
      {"@painleve", 1, 1, 1},
      {"@bounce", 0, 0, 0},
      {"@bounce:height=0", 1, 1, 1},
      {"@cradle", 3, 3, 0},
      {"@cradle:balls=2,angle=0", 1, 1, 0},
      {"@cradle:balls=5,angle=0", 4, 4, 0},
      {"@cradle:balls=5,angle=0,gap=1e-3", 0, 0, 0},
      {"@billiard", 16 + 30, 16 + 30, 16},
      {"@billiard:gap=1e-3", 16, 16, 16},
      {"@thin_wall", 0, 0, 0},
      {"@stack", 40, 10, 1},
      {"@stack:boxes=2,ratio=1000", 8, 2, 1},
      {"@dominoes", 2 + 4 * 19, 20, 20},
      {"@pile", 0, 0, 0},
      {"@balls", 0, 0, 0},
      {"@arch", 4 * 10, 10, 2},
      {"@grip", 4, 2, 0},
      {"@stand", 8, 8, 8},
      {"@stand:feet_only=1", 8, 8, 8},
      {"@stand4", 4, 4, 4},
      {"@workshop", 8, 3, 3},
  };
  for (const auto& e : expected) {
    SCOPED_TRACE(e.text);
    const Start start(e.text);
    EXPECT_EQ(start.points(), e.points);
    EXPECT_EQ(start.contacts.pairs.size(), std::size_t(e.pairs));
    EXPECT_EQ(start.pairs_with_the_world(), e.with_the_world);
    EXPECT_LT(start.deepest(), 1e-14);
  }
}

TEST(ContactScenes, SurfacesAreAsAskedFor) {
  const struct {
    const char* text;
    double mu, restitution;
  } expected[] = {
      {"@slope", 0.5, 0}, {"@slope:mu=0.3", 0.3, 0}, {"@bounce:height=0", 0.5, 0.7},
      {"@roll", 0.2, 0},  {"@painleve", 2, 0},       {"@stack", 0.5, 0},
      {"@arch", 0.7, 0},  {"@cradle:angle=0", 0, 1}, {"@grip", 0.5, 0},
      {"@stand", 0.5, 0},
  };
  for (const auto& e : expected) {
    const Start start(e.text);
    ASSERT_FALSE(start.contacts.pairs.empty()) << e.text;
    for (const ShapePair& pair : start.contacts.pairs) {
      const PairMaterial material = start.scene.material(pair.a, pair.b);
      EXPECT_DOUBLE_EQ(material.friction.mu_static, e.mu) << e.text;
      EXPECT_DOUBLE_EQ(material.friction.mu_kinetic, e.mu) << e.text;
      EXPECT_EQ(material.restitution, e.restitution) << e.text;
    }
  }
  // Balls bounce off each other, and not off the cloth.
  const Start billiard("@billiard:mu=0.1");
  for (const ShapePair& pair : billiard.contacts.pairs) {
    const PairMaterial material = billiard.scene.material(pair.a, pair.b);
    EXPECT_EQ(material.restitution, billiard.scene.shapes()[pair.a].frame == 0 ? 0 : 0.95);
    EXPECT_DOUBLE_EQ(material.friction.mu_static, 0.1);
  }
}

// [000 s.8]: from the left at 45 degrees, 1 rad/s, towards the wall at 4 m. Links but neighbours may touch each other.
TEST(Swing, StartsAsThePaperSays) {
  for (const int n : {3, 12, 30}) {
    const Start start("@swing:links=" + std::to_string(n));
    const std::string last = "link_" + std::to_string(n);
    const double r = 6.0 / n, along = 12 - r;
    const Vec3<double> centre = start.pose(last.c_str()) * Vec3<double>{0, 0, -r};
    EXPECT_NEAR(centre.x, -along * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(centre.z, 10 - along * std::sqrt(0.5), 1e-12);
    const Vec3<double> v = start.velocity(last.c_str(), {0, 0, -r});
    EXPECT_NEAR(v.x, along * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(v.z, -along * std::sqrt(0.5), 1e-12);
    // Shapes: floor, wall, then the links.
    for (int a = 0; a < n; ++a) {
      EXPECT_TRUE(start.scene.wanted(0, 2 + a) && start.scene.wanted(1, 2 + a));
      for (int b = a + 1; b < n; ++b) EXPECT_EQ(start.scene.wanted(2 + a, 2 + b), b > a + 1);
    }
  }
  const Start near("@swing", 100);  // everything
  for (std::size_t i = 0; i < near.contacts.pairs.size(); ++i) {
    const ShapePair& pair = near.contacts.pairs[i];
    const Manifold& m = near.contacts.manifolds[pair.first];
    if (pair.a > 1) continue;
    const double r = 0.5, along = (pair.b - 2) * 1.0 + r;
    EXPECT_NEAR(m.distance, pair.a == 0 ? 10 - along * std::sqrt(0.5) - r : 4 + along * std::sqrt(0.5) - r, 1e-12);
  }
}

// Turned whichever way, the same slope: gravity has the same parts along the joint's axes.
TEST(Slope, DownhillIsTheJointsX) {
  for (const double heading : {0.0, 30.0, 135.0, -100.0})
    for (const double turn : {0.0, 25.0}) {
      const Start start("@slope:angle=20,speed=3,heading=" + std::to_string(heading) + ",turn=" + std::to_string(turn));
      const Mat3<double>& R = start.model.joints()[0].spec.X_PF.R;
      const Vec3<double> pull = transpose_times(R, start.model.gravity());
      EXPECT_NEAR(pull.x, g * std::sin(pi / 9), 1e-12);
      EXPECT_NEAR(pull.y, 0, 1e-12);
      EXPECT_NEAR(pull.z, -g * std::cos(pi / 9), 1e-12);
      const Vec3<double> v = start.velocity("box");
      EXPECT_NEAR(norm(v - 3 * R.x), 0, 1e-12);
      EXPECT_NEAR(std::atan2(v.y, v.x), heading * pi / 180, 1e-12);
      const Manifold& m = start.contacts.manifolds[0];  // from the box down into the slope, or the other way
      EXPECT_NEAR(std::abs(dot(m.normal, R.z)), 1, 1e-12);
    }
}

TEST(Painleve, IsParadoxicalAsItStarts) {
  const auto lift = [](double degrees, double mu) {  // times m/N
    const double a = degrees * pi / 180;
    return 1 + 3 * std::cos(a) * (std::cos(a) - mu * std::sin(a));
  };
  EXPECT_LT(lift(45, 2), -0.4);
  EXPECT_GT(lift(45, 1), 0);
  const Start start("@painleve");
  // The mass centre is ahead of the end on the ground, which slides the other way.
  const Vec3<double> end = start.contacts.manifolds[0].points[0].p;
  EXPECT_NEAR(start.pose("rod").p.x - end.x, 0.5 * std::sqrt(0.5), 1e-12);
  EXPECT_EQ(start.velocity("rod").x, -1);
  EXPECT_NEAR(start.pose("rod").R.z.z, std::sqrt(0.5), 1e-15);
}

TEST(Cradle, FirstBallComesAtTheOthers) {
  const Start drawn("@cradle");
  const Vec3<double> centre = drawn.pose("ball_1") * Vec3<double>{0, 0, -1};
  EXPECT_NEAR(centre.x, -std::sin(pi / 9), 1e-15);
  const Start fast("@cradle:angle=0,speed=2,balls=3");
  EXPECT_DOUBLE_EQ(fast.velocity("ball_1", {0, 0, -1}).x, 2);
  EXPECT_EQ(fast.velocity("ball_2", {0, 0, -1}).x, 0);
  for (const Manifold& m : fast.contacts.manifolds.all()) EXPECT_NEAR(std::abs(m.normal.x), 1, 1e-15);
}

TEST(ThinWall, BallStartsBeforeThePlateAndWouldPassItInAStep) {
  const Start start("@thin_wall", 1.5);
  ASSERT_EQ(start.contacts.pairs.size(), 1u);
  EXPECT_NEAR(start.contacts.manifolds[0].distance, 1, 1e-12);
  EXPECT_EQ(start.velocity("ball").x, 100);
}

TEST(Dominoes, TheFirstIsPastItsBalanceAndShortOfTheNext) {
  for (const char* spacing : {"0.018", "0.025"}) {
    const Start start(std::string("@dominoes:spacing=") + spacing, 1e-2);
    EXPECT_GT(start.pose("piece_1").p.x, 0.00375);  // its front edge
    double gap = 1;
    for (const ShapePair& pair : start.contacts.pairs)
      if (pair.a == 1 && pair.b == 2) gap = start.contacts.manifolds[pair.first].distance;
    EXPECT_GT(gap, 1e-4);
  }
}

// None too near another, and all within the walls: half-spaces, inside of which every centre must be.
TEST(Pile, StartsApartAndInItsBin) {
  for (const char* text : {"@pile", "@balls", "@pile:count=1000,seed=7"}) {
    const Start start(text, 1e-3);
    EXPECT_TRUE(start.contacts.pairs.empty()) << text;
    for (std::size_t b = 1; b < start.model.bodies().size(); ++b) {
      const Vec3<double> p = body_pose(start.model, start.kin, int(b)).p;
      const double half = std::string(text) == "@balls" ? 0.96 : 0.6;
      EXPECT_TRUE(std::abs(p.x) < half && std::abs(p.y) < half && p.z > 0) << text;
    }
  }
}

// Every stone leans on the two beside it: faces, not edges.
TEST(Arch, NeighboursMeetInWholeFaces) {
  for (const char* text : {"@arch", "@arch:stones=3", "@arch:stones=20,thickness=0.2"}) {
    const Start start(text);
    for (const Manifold& m : start.contacts.manifolds.all()) {
      EXPECT_EQ(m.count, 4) << text;
      Vec3<double> low = m.points[0].p, high = low;
      for (int i = 0; i < m.count; ++i) {
        low = {std::min(low.x, m.points[i].p.x), std::min(low.y, m.points[i].p.y), std::min(low.z, m.points[i].p.z)};
        high = {std::max(high.x, m.points[i].p.x), std::max(high.y, m.points[i].p.y),
                std::max(high.z, m.points[i].p.z)};
      }
      const double thickness = std::string(text).ends_with("0.2") ? 0.2 : 0.3;
      EXPECT_NEAR(std::hypot(high.x - low.x, high.z - low.z), thickness, 1e-9) << text;
      EXPECT_NEAR(high.y - low.y, 0.4, 1e-9) << text;
    }
    const CentreOfMass centre = centre_of_mass(start.model, start.kin, start.vel);
    EXPECT_NEAR(centre.position.x, 0, 1e-12) << text;
  }
}

// The springs' initial force carries twice the weight.
TEST(Grip, SpringsPressAsHardAsTheyShould) {
  for (const double hold : {1.0, 2.0}) {
    const Start start("@grip:hold=" + std::to_string(hold));
    std::vector<double> tau(start.state.v.size(), 0.0);
    add_passive_forces(start.model, start.state.q, start.state.v, tau);
    for (const char* finger : {"left_joint", "right_joint"}) {
      const Joint& joint = start.model.joints()[start.model.find_joint(finger)];
      EXPECT_NEAR(2 * 0.5 * tau[joint.v], hold * 0.5 * g, 1e-12);
      const Vec3<double> axis = joint.spec.axis;  // towards the capsule, which is at x = 0
      EXPECT_LT(axis.x * start.pose(joint.spec.child.c_str()).p.x, 0);
    }
  }
}

// Servos on every joint; the mass centre over the feet; stops out of the way; no shape meets another of the same robot.
TEST(Standing, IsHeldByServosOverItsFeet) {
  for (const char* text : {"@stand", "@stand4"}) {
    const Start start(text);
    SCOPED_TRACE(text);
    EXPECT_EQ(start.model.actuators().size(), std::size_t(start.model.nv() - 6));
    for (const Actuator& servo : start.model.actuators()) {
      EXPECT_EQ(servo.type, ActuatorType::position);
      EXPECT_TRUE(servo.stiffness > 0 && servo.damping > 0);
    }
    for (std::size_t k = 6; k < start.model.dofs().size(); ++k) {
      const DofSpec& dof = start.model.dofs()[k];
      EXPECT_TRUE(dof.lower <= -0.1 && dof.upper >= 0.1);
    }
    Vec3<double> low{1e9, 1e9, 1e9}, high = -1.0 * low;
    for (const Manifold& m : start.contacts.manifolds.all()) {
      low = {std::min(low.x, m.points[0].p.x), std::min(low.y, m.points[0].p.y), 0};
      high = {std::max(high.x, m.points[0].p.x), std::max(high.y, m.points[0].p.y), 0};
    }
    const Vec3<double> centre = centre_of_mass(start.model, start.kin, start.vel).position;
    EXPECT_TRUE(centre.x > low.x + 0.05 && centre.x < high.x - 0.05) << low.x << " " << centre.x << " " << high.x;
    EXPECT_NEAR(centre.y, 0, 1e-12);
    const auto shapes = start.scene.shapes();
    const Start feet(std::string(text) + ":feet_only=1");
    int on_the_ground = 0, feet_on_the_ground = 0;
    for (int a = 0; a < int(shapes.size()); ++a)
      for (int b = a + 1; b < int(shapes.size()); ++b) {
        EXPECT_EQ(start.scene.wanted(a, b), a == 0) << a << " " << b;
        on_the_ground += start.scene.wanted(a, b) ? 1 : 0;
        feet_on_the_ground += feet.scene.wanted(a, b) ? 1 : 0;
      }
    EXPECT_EQ(on_the_ground, int(shapes.size()) - 1);
    EXPECT_EQ(feet_on_the_ground, std::string(text) == "@stand" ? 8 : 4);
  }
}

}  // namespace
}  // namespace linchpin
