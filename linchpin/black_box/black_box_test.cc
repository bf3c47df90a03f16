// Jacobians, biases, masses and forces of every kind of body and constraint, against finite differences.
#include "linchpin/black_box/black_box.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"
#include "linchpin/black_box/box_bodies.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/box_joint.h"
#include "linchpin/black_box/box_testing.h"
#include "linchpin/black_box/implicit_surfaces.h"
#include "linchpin/black_box/multiplier_system.h"

namespace linchpin {
namespace {

// A user-defined body: a bar in the plane that stretches, q = (x, y, angle, length), of uniform density.
// Points are at (share of the length, 0).
class StretchingBar final : public AnyBody {
 public:
  explicit StretchingBar(double mass) : mass_(mass) {}
  int dimension() const override { return 4; }
  void start(std::span<double> q) const override {
    std::ranges::fill(q, 0.0);
    q[3] = 1;
  }
  void mass(std::span<const double> q, std::span<double> M) const override {
    const double c = std::cos(q[2]), s = std::sin(q[2]), L = q[3], m = mass_;
    const double numbers[16] = {m,
                                0,
                                -m * L * s / 2,
                                m * c / 2,
                                0,
                                m,
                                m * L * c / 2,
                                m * s / 2,
                                -m * L * s / 2,
                                m * L * c / 2,
                                m * L * L / 3,
                                0,
                                m * c / 2,
                                m * s / 2,
                                0,
                                m / 3};
    std::ranges::copy(numbers, M.begin());
  }
  void force(std::span<const double> q, std::span<const double> v, const Vec3<double>& g,
             std::span<double> F) const override {
    const double c = std::cos(q[2]), s = std::sin(q[2]), L = q[3], w = v[2], u = v[3], m = mass_;
    // of a point at share x: x (2 u w (-s, c) - L w^2 (c, s))
    F[0] = m * (g.x + u * w * s + L * w * w * c / 2);
    F[1] = m * (g.y - u * w * c + L * w * w * s / 2);
    F[2] = m * (L / 2 * (c * g.y - s * g.x) - 2.0 / 3 * L * u * w);
    F[3] = m * ((c * g.x + s * g.y) / 2 + L * w * w / 3);
  }
  double potential_energy(std::span<const double> q, const Vec3<double>& g) const override {
    return -mass_ * (g.x * (q[0] + q[3] / 2 * std::cos(q[2])) + g.y * (q[1] + q[3] / 2 * std::sin(q[2])));
  }
  void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
             PointMotion& out) const override {
    const double c = std::cos(q[2]), s = std::sin(q[2]), L = q[3], w = v[2], u = v[3], x = X.x;
    out.at = {q[0] + x * L * c, q[1] + x * L * s, 0};
    out.rate = {v[0] + x * (u * c - L * w * s), v[1] + x * (u * s + L * w * c), 0};
    out.bias = {x * (-2 * u * w * s - L * w * w * c), x * (2 * u * w * c - L * w * w * s), 0};
    const double J[12] = {1, 0, -x * L * s, x * c, 0, 1, x * L * c, x * s, 0, 0, 0, 0};
    std::ranges::copy(J, out.J.begin());
  }
  bool affine() const override { return false; }

 private:
  double mass_;
};

struct BodyCase {
  std::string name;
  std::shared_ptr<const AnyBody> body;
  // the same body as point masses
  std::vector<std::pair<double, Vec3<double>>> lumps;
};

// Eight random point masses, and their moments.
std::pair<RigidInertia<double>, std::vector<std::pair<double, Vec3<double>>>> lumped(unsigned seed) {
  BoxRandom random(seed);
  RigidInertia<double> inertia = RigidInertia<double>::zero();
  std::vector<std::pair<double, Vec3<double>>> lumps;
  for (int i = 0; i < 8; ++i) {
    const double m = random.number(0.1, 1);
    const Vec3<double> X = random.vec();
    lumps.push_back({m, X});
    inertia = inertia + RigidInertia<double>{m, m * X, m * cross_square(X)};
  }
  return {inertia, lumps};
}

std::vector<BodyCase> body_cases() {
  const auto [inertia, lumps] = lumped(7);
  std::vector<BodyCase> cases;
  cases.push_back({"rigid", box<RigidBody>(inertia), lumps});
  cases.push_back({"scalable", box<ScalableBody>(inertia), lumps});
  cases.push_back({"stretchable", box<StretchableBody>(inertia), lumps});
  cases.push_back({"particle", box<Particle>(1.3), {{1.3, {0, 0, 0}}}});
  cases.push_back({"particle in the plane", box<Particle>(0.7, 2), {{0.7, {0, 0, 0}}}});
  // two masses at (+-0.3, 0) about (0.2, 0.1)
  cases.push_back({"plane", box<PlaneBody>(2.0, 0.18, 0.2, 0.1), {{1, {0.5, 0.1, 0}}, {1, {-0.1, 0.1, 0}}}});
  // Simpson's rule is exact for squares
  cases.push_back({"bar", box<StretchingBar>(1.2), {{0.2, {0, 0, 0}}, {0.8, {0.5, 0, 0}}, {0.2, {1, 0, 0}}}});
  return cases;
}

std::vector<double> moved(const AnyBody& body, std::span<const double> q, std::span<const double> v, double dt) {
  std::vector<double> to(q.begin(), q.end());
  body.advance(to, v, dt);
  return to;
}

constexpr double h = 1e-5;  // differences of both sides: errors of 1e-10 from h^2 and from rounding alike

TEST(BlackBox, PointsAndSpinsMoveAsTheySay) {
  BoxRandom random(3);
  for (const BodyCase& it : body_cases())
    for (int round = 0; round < 5; ++round) {
      SCOPED_TRACE(it.name);
      const AnyBody& body = *it.body;
      const auto [q, v] = random.state(body);
      const Vec3<double> X = it.name == "bar" ? Vec3<double>{random.number(), 0, 0} : random.vec();
      BlockArena arena;
      const auto at = [&](double dt) {
        std::vector<double> to = moved(body, q, v, dt);
        return BodyView(body, to, v, arena).point(X);
      };
      const PointMotion now = at(0), before = at(-h), after = at(h);
      EXPECT_LT(norm(0.5 / h * (after.at - before.at) - now.rate), 1e-9);
      EXPECT_LT(norm(0.5 / h * (after.rate - before.rate) - now.bias), 2e-9);
      const std::size_t n = v.size();
      Vec3<double> Jv{0, 0, 0};
      for (std::size_t k = 0; k < n; ++k) Jv += v[k] * Vec3<double>{now.J[k], now.J[n + k], now.J[2 * n + k]};
      EXPECT_LT(norm(Jv - now.rate), 1e-14);
      // qdot is the initial rate of advance()
      std::vector<double> qdot(q.size());
      body.rate(q, v, qdot);
      const std::vector<double> to = moved(body, q, v, h), from = moved(body, q, v, -h);
      for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR((to[k] - from[k]) / (2 * h), qdot[k], 1e-9);
      if (!body.spins()) continue;
      const auto spin_at = [&](double dt) {
        std::vector<double> place = moved(body, q, v, dt);
        return BodyView(body, place, v, arena).spin();
      };
      const SpinMotion spin = spin_at(0), spin_before = spin_at(-h), spin_after = spin_at(h);
      EXPECT_LT(norm(0.5 / h * (spin_after.R.x - spin_before.R.x) - cross(spin.rate, spin.R.x)), 1e-9);
      EXPECT_LT(norm(0.5 / h * (spin_after.R.y - spin_before.R.y) - cross(spin.rate, spin.R.y)), 1e-9);
      EXPECT_LT(norm(0.5 / h * (spin_after.rate - spin_before.rate) - spin.bias), 2e-9);
      Vec3<double> Wv{0, 0, 0};
      for (std::size_t k = 0; k < n; ++k) Wv += v[k] * Vec3<double>{spin.J[k], spin.J[n + k], spin.J[2 * n + k]};
      EXPECT_LT(norm(Wv - spin.rate), 1e-14);
    }
}

// M = sum m J'J, force = sum m J'(g - bias), potential = -sum m g.x over point masses.
TEST(BlackBox, MassAndForcesAreThoseOfItsPoints) {
  BoxRandom random(4);
  for (const BodyCase& it : body_cases())
    for (int round = 0; round < 5; ++round) {
      SCOPED_TRACE(it.name);
      const AnyBody& body = *it.body;
      const std::size_t n = std::size_t(body.dimension());
      const auto [q, v] = random.state(body);
      std::vector<double> M(n * n), F(n), M_sum(n * n, 0.0), F_sum(n, 0.0);
      const Vec3<double> g = 9.0 * random.vec();
      body.mass(q, M);
      body.force(q, v, g, F);
      double potential = 0;
      BlockArena arena;
      for (const auto& [m, X] : it.lumps) {
        const PointMotion p = BodyView(body, q, v, arena).point(X);
        const double push[3] = {g.x - p.bias.x, g.y - p.bias.y, g.z - p.bias.z};
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t i = 0; i < n; ++i) {
            F_sum[i] += m * p.J[a * n + i] * push[a];
            for (std::size_t j = 0; j < n; ++j) M_sum[i * n + j] += m * p.J[a * n + i] * p.J[a * n + j];
          }
        potential -=
            m * (p.at.x * g.x + p.at.y * g.y + (body.dimension() > 4 || it.name == "particle" ? p.at.z * g.z : 0));
      }
      for (std::size_t i = 0; i < n * n; ++i) EXPECT_NEAR(M[i], M_sum[i], 1e-13);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(F[i], F_sum[i], 1e-12);
      EXPECT_NEAR(body.potential_energy(q, g), potential, 1e-12);
    }
}

// The setting in which a constraint is tested: kinds of bodies, and their positions.
struct ConstraintCase {
  std::string name;
  std::shared_ptr<const AnyConstraint> constraint;
  int sides = 2;       // bodies that move
  bool plane = false;  // bodies of the plane do
  bool kept = false;   // the rate of its error is J v only if it is satisfied: test it there
};

std::vector<ConstraintCase> constraint_cases() {
  BoxRandom random(5);
  std::vector<ConstraintCase> cases;
  const auto add = [&](const std::string& name, std::shared_ptr<const AnyConstraint> constraint, int sides = 2,
                       bool plane = false, bool kept = false) {
    cases.push_back({name, std::move(constraint), sides, plane, kept});
  };
  add("points together", box<PointsTogether>(random.vec(), random.vec()));
  add("points together in the plane", box<PointsTogether>(random.vec(), random.vec(), 2), 2, true);
  add("point at the world", box<PointsTogether>(random.vec(), random.vec()), 1);
  add("point follows", box<PointFollows>(random.vec(), [](double t) {
        return PointLawValue{{std::sin(t), t * t, 1 - t}, {std::cos(t), 2 * t, -1}, {-std::sin(t), 2, 0}};
      }));
  add("rod", box<DistanceRod>(random.vec(), random.vec(), 1.5));
  add("rope", box<DistanceRod>(random.vec(), random.vec(), 1.5, DistanceRod::Kind::rope));
  add("rod in the plane", box<DistanceRod>(Vec3<double>{0.4, 1, 0}, Vec3<double>{0.3, -2, 0}, 0.5), 2, true);
  add("speed along", box<SpeedAlong>(random.vec(), random.vec(), [](double t) {
        return LawValue{std::sin(t), std::cos(t), -std::sin(t)};
      }));
  add("knife edge", box<KnifeEdge>(random.vec(), random.vec()), 1);
  add("knife edge in the plane", box<KnifeEdge>(Vec3<double>{0.4, 0.1, 0}, Vec3<double>{0, 1, 0}), 1, true);
  add("gear", box<SpinGear>(random.vec(), random.vec(), 2.0));
  add("gear about the world's axes", box<SpinGear>(random.vec(), random.vec(), -0.7, SpinGear::Axes::of_world, 0.3));
  add("rolling disc", box<RollingDisc>(random.vec(), random.vec(), 0.6, random.vec(), random.vec()), 1);
  add("point on an ellipsoid",
      box<PointOnSurface>(random.vec(), box<EllipsoidSurface>(Vec3<double>{0.5, 0.8, 1.1}, random.vec())));
  add("point on a torus", box<PointOnSurface>(random.vec(), box<TorusSurface>(1.0, 0.3)));
  add("point on a plane surface", box<PointOnSurface>(random.vec(), box<PlaneSurface>(random.vec(), random.vec())));
  add("point on a plane", box<PointOnPlane>(random.vec(), PointOnPlane::Kind::cone, 0.5, random.vec(), random.vec()),
      1);
  add("drag", box<DraggedPoint>(random.vec(), random.vec(), 10.0, 0.1), 1);
  for (int type = 0; type < joint_type_count; ++type) {
    JointSpec joint;
    joint.type = JointType(type);
    if (joint.type == JointType::free) continue;
    joint.X_PF = {to_rotation(random.turn()), random.vec()};
    joint.X_CM = {to_rotation(random.turn()), random.vec()};
    joint.axis = random.vec();
    joint.axis2 = random.vec();
    joint.pitch = 0.3;
    add(std::string("joint ") + std::string(to_string(joint.type)), box<JointConstraint>(joint), 2, false,
        joint.type == JointType::screw);
  }
  return cases;
}

class Evaluation {
 public:
  Evaluation(const ConstraintCase& it, std::shared_ptr<const AnyBody> a, std::shared_ptr<const AnyBody> b) {
    MultiplierSpec spec;
    std::vector<int> on{spec.add(std::move(a)), world_body};
    if (it.sides == 2) on[1] = spec.add(std::move(b));
    spec.add(it.constraint, on, Role::auxiliary);
    system_.emplace(MultiplierSystem::make(std::move(spec)).value());
  }
  MultiplierSystem& system() { return *system_; }
  // J v - speed and error.
  struct Said {
    std::vector<double> off, error, c;
  };
  Said at(const MultiplierState& state) {
    const RowBlocks& out = system_->evaluate(state, 0);
    Said said;
    for (std::size_t row = 0; row < out.c.size(); ++row) {
      double sum = -out.speed[row];
      std::size_t first = 0;
      for (int k = 0; k < system_->bodies(); ++k) {
        const std::size_t n = out.J(k).size() / out.c.size();
        for (std::size_t j = 0; j < n; ++j) sum += out.J(k)[row * n + j] * state.v[first + j];
        first += n;
      }
      said.off.push_back(sum);
    }
    said.error.assign(out.error.begin(), out.error.end());
    said.c.assign(out.c.begin(), out.c.end());
    return said;
  }

 private:
  std::optional<MultiplierSystem> system_;
};

// error' = J v - speed and (J v - speed)' = c along motions of constant v.
TEST(BlackBox, ConstraintsMoveAsTheySay) {
  BoxRandom random(6);
  const std::vector<BodyCase> bodies = body_cases();
  for (const ConstraintCase& it : constraint_cases()) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 0}, {0, 1}, {1, 2}, {2, 0}};
    if (it.plane) pairs = {{5, 5}};
    if (it.name == "points together" || it.name == "rod") pairs.push_back({3, 2});
    if (it.name == "point on an ellipsoid") pairs.push_back({3, 2});
    if (it.name == "points together in the plane") pairs.insert(pairs.end(), {{5, 6}, {4, 6}});
    for (const auto& [a, b] : pairs) {
      SCOPED_TRACE(it.name + " on " + bodies[a].name + " and " + bodies[b].name);
      Evaluation evaluation(it, bodies[a].body, bodies[b].body);
      MultiplierSystem& system = evaluation.system();
      MultiplierState state = system.make_state();
      state.t = 0.3;
      for (int k = 0; k < system.bodies(); ++k) random.place(*system.spec().bodies[k], system.q(state, k), 1.5);
      for (double& x : state.v) x = random.number();
      if (it.kept) {
        ASSERT_EQ(system.settle_positions(state, {.steps = 200}), MultiplierStatus::solved);
        ASSERT_EQ(system.settle_velocities(state), MultiplierStatus::solved);
      }
      const auto moved_by = [&](double dt) {
        MultiplierState to = state;
        to.t += dt;
        system.advance(to.q, to.v, dt);
        return to;
      };
      const Evaluation::Said now = evaluation.at(state), after = evaluation.at(moved_by(h)),
                             before = evaluation.at(moved_by(-h));
      const int holonomic = it.constraint->holonomic_rows();
      for (std::size_t row = 0; row < now.c.size(); ++row) {
        const double size = 1 + std::abs(now.c[row]) + std::abs(now.off[row]);
        EXPECT_NEAR((after.off[row] - before.off[row]) / (2 * h), now.c[row], 1e-7 * size) << "row " << row;
        if (int(row) < holonomic)
          EXPECT_NEAR((after.error[row] - before.error[row]) / (2 * h), now.off[row], 1e-7 * size) << "row " << row;
        else
          EXPECT_EQ(now.error[row], 0);
      }
    }
  }
}

// A joint has 6 minus its degrees of freedom rows, and they are independent.
TEST(BlackBox, JointsHoldWhatTheirTypeSays) {
  BoxRandom random(8);
  for (int type = 0; type < joint_type_count; ++type) {
    JointSpec joint;
    joint.type = JointType(type);
    if (joint.type == JointType::free) {
      EXPECT_THROW(JointConstraint{joint}, CheckFailed);
      continue;
    }
    joint.X_PF = {to_rotation(random.turn()), random.vec()};
    joint.X_CM = {to_rotation(random.turn()), random.vec()};
    joint.axis = random.vec();
    joint.axis2 = cross(joint.axis, random.vec());
    joint.pitch = 0.3;
    const auto constraint = box<JointConstraint>(joint);
    EXPECT_EQ(constraint->rows(), 6 - velocity_count(joint.type)) << to_string(joint.type);
    // zero coordinates: M on F
    MultiplierSpec spec;
    spec.gravity = {0, 0, 0};
    const int a = spec.add(box<RigidBody>(random.inertia())), b = spec.add(box<RigidBody>(random.inertia()));
    spec.add(constraint, {a, b});
    MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
    MultiplierState state = system.make_state();
    const Transform<double> X_WA{to_rotation(random.turn()), random.vec()};
    put_pose(X_WA, system.q(state, a));
    put_pose(X_WA * joint.X_PF * inverse(joint.X_CM), system.q(state, b));
    EXPECT_LT(system.position_error(state), 1e-14) << to_string(joint.type);
    std::vector<double> vdot(state.v.size());
    EXPECT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved) << to_string(joint.type);
  }
}

TEST(BlackBox, WrongNumbersAreRefused) {
  const Vec3<double> zero{0, 0, 0}, z{0, 0, 1};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(failed_check([&] { KnifeEdge(zero, zero); }), "a direction of length 0");
  EXPECT_EQ(failed_check([&] { KnifeEdge(zero, {0, nan, 0}); }), "a direction of length nan");
  EXPECT_EQ(failed_check([&] { KnifeEdge(zero, {0, 1e-100, 0}); }), "accepted");
  EXPECT_EQ(failed_check([&] { SpeedAlong(zero, zero, 1.0); }), "a direction of length 0");
  EXPECT_EQ(failed_check([&] { SpinGear(z, zero, 1.0); }), "a direction of length 0");
  EXPECT_EQ(failed_check([&] { SpinGear(zero, z, 1.0); }), "a direction of length 0");
  EXPECT_EQ(failed_check([&] { RollingDisc(zero, z, 0.0); }), "a disc of radius 0");
  EXPECT_EQ(failed_check([&] { RollingDisc(zero, z, 1.0, zero, zero); }), "a direction of length 0");
  EXPECT_EQ(failed_check([&] { RollingDisc(zero, z, 1.0); }), "accepted");
  EXPECT_EQ(failed_check([&] { DistanceRod(zero, zero, 0.0); }),
            "a rod of length 0; for no length take PointsTogether");
  for (const int rows : {1, 4}) {
    const std::string message = std::to_string(rows) + " rows for a point: 2 in the plane, 3 in space";
    EXPECT_EQ(failed_check([&] { PointsTogether(zero, zero, rows); }), message);
    EXPECT_EQ(failed_check([&] {
                PointFollows(
                    zero, [](double) { return PointLawValue{}; }, rows);
              }),
              message);
    EXPECT_EQ(failed_check([&] { DraggedPoint(zero, z, 1.0, 1.0, rows); }), message);
  }
  EXPECT_EQ(failed_check([&] { DraggedPoint(zero, z, 0.0, 1.0); }), "dragging with stiffness 0 over a time of 1");
  EXPECT_EQ(failed_check([&] { DraggedPoint(zero, z, 1.0, 0.0); }), "dragging with stiffness 1 over a time of 0");
  EXPECT_EQ(failed_check([&] { PointOnSurface(zero, nullptr); }), "a point on no surface");
  EXPECT_EQ(failed_check([&] { PointOnPlane(zero, PointOnPlane::Kind::cone, -0.5); }), "friction of -0.5");
  EXPECT_EQ(failed_check([&] { PointOnPlane(zero, PointOnPlane::Kind::cone, 0.0); }), "accepted");
  const auto rod = box<DistanceRod>(zero, zero, 1.0), rope = box<DistanceRod>(zero, zero, 1.0, DistanceRod::Kind::rope);
  EXPECT_EQ(failed_check([&] { LimitedForce(nullptr, 0, 1); }), "force limits without a constraint");
  EXPECT_EQ(failed_check([&] { LimitedForce(rope, 0, 1); }), "force limits on a constraint that is not an equality");
  EXPECT_EQ(failed_check([&] { LimitedForce(rod, 1, 0); }), "a force between 1 and 0");
  EXPECT_EQ(failed_check([&] { LimitedForce(rod, 1, 1); }), "accepted");
}

TEST(BlackBox, AxesOfAParticleAreTheUsersMistake) {
  MultiplierSpec spec;
  const int a = spec.add(box<Particle>(1.0));
  spec.add(box<KnifeEdge>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 1, 0}), {a});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_THROW(system.velocity_error(system.make_state()), CheckFailed);
}

}  // namespace
}  // namespace linchpin
