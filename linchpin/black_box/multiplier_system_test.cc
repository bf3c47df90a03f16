#include "linchpin/black_box/multiplier_system.h"

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/box_joint.h"
#include "linchpin/black_box/box_testing.h"
#include "linchpin/black_box/implicit_surfaces.h"
#include "linchpin/dynamics/maximal/body_inverse.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

// Every joint of every tree model as a constraint between black boxes: positions and velocities of the model satisfy
// it, and accelerations equal those of aba.h, an independent algorithm. So each joint has the meaning that spec.h gives
// it.
TEST(MultiplierSystem, JointsOfAnyModelAccelerateAsTheArticulatedBodyDoes) {
  int tried = 0;
  std::array<int, joint_type_count> types{};
  for (const std::string& name : test_scenes()) {
    SCOPED_TRACE(name);
    ModelSpec model_spec = scene(name).value();
    bool all = true;
    for (const BodySpec& body : model_spec.bodies)
      all &=
          inverse_of(RigidInertia<double>::about_centre(body.inertia.mass, body.inertia.centre, body.inertia.moments))
              .has_value();
    if (!all) continue;
    for (JointSpec& joint : model_spec.joints) joint.dofs.clear();  // black boxes have no springs, dampers and rotors
    const Model model = compile(model_spec).value();
    const auto body_of = [&](const std::string& body) {
      for (std::size_t b = 0; b < model_spec.bodies.size(); ++b)
        if (model_spec.bodies[b].name == body) return int(b);
      return world_body;
    };
    const auto model_body = [&](int b) {
      for (std::size_t i = 0; i < model.bodies().size(); ++i)
        if (model.bodies()[i].name == model_spec.bodies[b].name) return int(i);
      return -1;
    };
    MultiplierSpec spec;
    spec.gravity = model_spec.gravity;
    for (const BodySpec& body : model_spec.bodies)
      spec.add(box<RigidBody>(
          RigidInertia<double>::about_centre(body.inertia.mass, body.inertia.centre, body.inertia.moments)));
    for (const JointSpec& joint : model_spec.joints) {
      ++types[int(joint.type)];
      if (joint.type != JointType::free)
        spec.add(box<JointConstraint>(joint), {body_of(joint.parent), body_of(joint.child)});
    }
    // a forest whose trees all hang on the world
    MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
    const State at = random_state(model, 5);
    const Plan<double> plan(model);
    Kinematics<double> kin(plan);
    Velocities vel(model);
    kinematics<double>(plan, at.q, kin);
    velocities(model, kin, at.v, vel);
    MultiplierState state = system.make_state();
    for (int b = 0; b < system.bodies(); ++b) {
      const Transform<double> X = body_pose(model, kin, model_body(b));
      put_pose(X, system.q(state, b));
      const Motion<double> V = point_velocity(model, kin, vel, model_body(b), {0, 0, 0});
      const Vec3<double> w = transpose_times(X.R, V.w);
      const double numbers[6] = {w.x, w.y, w.z, V.v.x, V.v.y, V.v.z};
      std::copy_n(numbers, 6, system.v(state, b).begin());
    }
    EXPECT_LT(system.position_error(state), 1e-12);
    EXPECT_LT(system.velocity_error(state), 1e-11);
    std::vector<double> vdot(state.v.size()), tau(at.v.size(), 0.0), expected(at.v.size());
    ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
    AbaWorkspace<double> ws(plan);
    aba<double>(plan, at.q, at.v, tau, {}, ws, expected);
    std::vector<Motion<double>> link(model.links().size());
    accelerations(model, kin, vel, at.v, expected, link);
    double size = 1, off = 0;
    for (int b = 0; b < system.bodies(); ++b) {
      const Motion<double> A = point_acceleration(model, kin, vel, link, model_body(b), {0, 0, 0});
      const Vec3<double> alpha = transpose_times(body_pose(model, kin, model_body(b)).R, A.w);
      const double numbers[6] = {alpha.x, alpha.y, alpha.z, A.v.x, A.v.y, A.v.z};
      for (std::size_t k = 0; k < 6; ++k) {
        size = larger(size, std::abs(numbers[k]));
        off = larger(off, std::abs(numbers[k] - vdot[6 * std::size_t(b) + k]));
      }
    }
    EXPECT_LT(off, 1e-11 * size);  // 4e-14 on the worst
    ++tried;
  }
  EXPECT_GE(tried, 12);
  for (int type = 0; type < joint_type_count; ++type) EXPECT_GT(types[type], 0) << to_string(JointType(type));
}

// Four bars in the plane z = 0 as rigid bodies in space, with hinges about z at the corners of a parallelogram: hinges
// are {world-0, 0-1, 1-2, 2-world} and the last closes the loop. All hinges hold the plane: 5 rows where 2 are new.
MultiplierSpec four_bar(Role role) {
  MultiplierSpec spec;
  spec.gravity = {0, -g, 0};
  const auto bar = [&](double length) {
    const double I = length * length / 3;
    return spec.add(box<RigidBody>(RigidInertia<double>{1, {length / 2, 0, 0}, Sym3<double>::diagonal(1e-3, I, I)}));
  };
  const int crank = bar(1), coupler = bar(2), rocker = bar(1);
  const auto hinge = [](const Vec3<double>& on_a, const Vec3<double>& on_b) {
    JointSpec joint;
    joint.X_PF.p = on_a;
    joint.X_CM.p = on_b;
    return box<JointConstraint>(joint);
  };
  spec.add(hinge({0, 0, 0}, {0, 0, 0}), {world_body, crank}, role);
  spec.add(hinge({1, 0, 0}, {0, 0, 0}), {crank, coupler}, role);
  spec.add(hinge({2, 0, 0}, {1, 0, 0}), {coupler, rocker}, role);
  spec.add(hinge({0, 0, 0}, {2, 0, 0}), {rocker, world_body}, role);
  return spec;
}
MultiplierState four_bar_at(MultiplierSystem& system, double angle) {
  MultiplierState state = system.make_state();
  const Mat3<double> R = rotation_z(angle);
  put_pose({R, {0, 0, 0}}, system.q(state, 0));
  put_pose({Mat3<double>::identity(), R * Vec3<double>{1, 0, 0}}, system.q(state, 1));
  put_pose({R, {2, 0, 0}}, system.q(state, 2));
  return state;
}

TEST(MultiplierSystem, SaysWhichConstraintsItTakesAsAuxiliary) {
  const Result<MultiplierSystem> refused = MultiplierSystem::make(four_bar(Role::primary));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("it is auxiliary"), std::string::npos) << refused.error().message;
  MultiplierSystem system = MultiplierSystem::make(four_bar(Role::either)).value();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(system.is_primary(i));
  EXPECT_FALSE(system.is_primary(3));
  EXPECT_THROW(system.set_active(0, false), CheckFailed);
  // the number of the spec, not of the forest
  MultiplierSpec spec = four_bar(Role::primary);
  spec.constraints[0].role = spec.constraints[1].role = Role::auxiliary;
  spec.constraints.push_back(spec.constraints[2]);
  const Result<MultiplierSystem> twice = MultiplierSystem::make(std::move(spec));
  ASSERT_FALSE(twice);
  EXPECT_TRUE(twice.error().message.starts_with("constraint 4 ") || twice.error().message.starts_with("constraint 2 "))
      << twice.error().message;
  MultiplierSpec bad = four_bar(Role::primary);
  bad.constraints[1].bodies = {0, 7};
  EXPECT_EQ(MultiplierSystem::make(std::move(bad)).error().message,
            "constraint 1 is on body 7; there are 3, from 0 (-1: the world)");
}

// A parallelogram has one freedom: (sum of m r^2 over it) angle'' = -(moment of weights). Cranks turn, the coupler
// shifts.
TEST(MultiplierSystem, FourBarWithARedundantLoopFallsAsItsOneFreedomDoes) {
  MultiplierSystem system = MultiplierSystem::make(four_bar(Role::either)).value();
  const double angle = 0.7;
  MultiplierState state = four_bar_at(system, angle);
  EXPECT_LT(system.position_error(state), 1e-15);
  std::vector<double> vdot(state.v.size());
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  const double inertia = 2 * (1.0 / 3) + 1, moment = g * std::cos(angle) * (0.5 + 0.5 + 1);
  const double expected = -moment / inertia;
  EXPECT_NEAR(vdot[2], expected, 1e-10);       // crank about z
  EXPECT_NEAR(vdot[12 + 2], expected, 1e-10);  // rocker
  EXPECT_NEAR(vdot[6 + 2], 0, 1e-10);          // coupler
}

// A body of n numbers and one more in q. Its label is also its mass, and the root of the force on each number.
// It insists on being given its own numbers, and all of them: the last of q is the label.
class Labelled final : public AnyBody {
 public:
  Labelled(int n, double label) : n_(n), label_(label) {}
  int dimension() const override { return n_; }
  int positions() const override { return n_ + 1; }
  void start(std::span<double> q) const override {
    ASSERT_EQ(q.size(), std::size_t(n_) + 1);
    std::ranges::fill(q, 0.0);
    q.back() = label_;
  }
  void mass(std::span<const double> q, std::span<double> M) const override {
    expect_mine(q);
    ASSERT_EQ(M.size(), std::size_t(n_) * std::size_t(n_));
    std::ranges::fill(M, 0.0);
    for (int i = 0; i < n_; ++i) M[std::size_t(i) * std::size_t(n_ + 1)] = label_;
  }
  void force(std::span<const double> q, std::span<const double> v, const Vec3<double>&,
             std::span<double> F) const override {
    expect_mine(q);
    ASSERT_EQ(v.size(), std::size_t(n_));
    ASSERT_EQ(F.size(), std::size_t(n_));
    std::ranges::fill(F, label_ * label_);
  }
  double potential_energy(std::span<const double> q, const Vec3<double>&) const override {
    expect_mine(q);
    return label_;
  }
  void rate(std::span<const double> q, std::span<const double> v, std::span<double> qdot) const override {
    expect_mine(q);
    ASSERT_EQ(v.size(), std::size_t(n_));
    ASSERT_EQ(qdot.size(), std::size_t(n_) + 1);
    std::ranges::copy(v, qdot.begin());
    qdot.back() = 0;
  }
  void settle(std::span<double> q) const override {
    expect_mine(q);
    q[0] += label_;
  }
  void point(std::span<const double>, std::span<const double>, const Vec3<double>&, PointMotion&) const override {}

 private:
  void expect_mine(std::span<const double> q) const {
    ASSERT_EQ(q.size(), std::size_t(n_) + 1);
    EXPECT_EQ(q.back(), label_);
  }
  int n_;
  double label_;
};

TEST(MultiplierSystem, EachBodyGetsItsOwnNumbers) {
  MultiplierSpec spec;
  for (const auto& [n, label] : {std::pair{2, 3.0}, {5, 4.0}, {1, 5.0}, {3, 6.0}}) spec.add(box<Labelled>(n, label));
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_EQ(system.velocities(), 11);
  EXPECT_EQ(system.positions(), 15);
  MultiplierState state = system.make_state();
  const MultiplierState& read = state;
  std::size_t first_q = 0, first_v = 0;
  for (const auto& [body, n] : {std::pair{0, 2u}, {1, 5u}, {2, 1u}, {3, 3u}}) {
    EXPECT_TRUE(system.v(state, body).data() == &state.v[first_v] && system.v(read, body).data() == &read.v[first_v]);
    EXPECT_TRUE(system.q(state, body).data() == &state.q[first_q] && system.q(read, body).data() == &read.q[first_q]);
    EXPECT_TRUE(system.v(state, body).size() == n && system.v(read, body).size() == n) << body;
    EXPECT_TRUE(system.q(state, body).size() == n + 1 && system.q(read, body).size() == n + 1) << body;
    first_v += n;
    first_q += n + 1;
  }
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] = double(i);
  std::vector<double> vdot(11), qdot(15, NAN), settled = state.q, moved = state.q;
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_LE(largest_difference(vdot, std::vector<double>{3, 3, 4, 4, 4, 4, 4, 5, 6, 6, 6}), 1e-14);
  system.rate(state.q, state.v, qdot);
  EXPECT_EQ(qdot, (std::vector<double>{0, 1, 0, 2, 3, 4, 5, 6, 0, 7, 0, 8, 9, 10, 0}));
  system.settle_manifold(settled);
  EXPECT_EQ(settled, (std::vector<double>{3, 0, 3, 4, 0, 0, 0, 0, 4, 5, 5, 6, 0, 0, 6}));
  system.advance(moved, state.v, 2);  // and settles
  EXPECT_EQ(moved, (std::vector<double>{3, 2, 3, 8, 6, 8, 10, 12, 4, 19, 5, 22, 18, 20, 6}));
  EXPECT_EQ(system.potential_energy(state), 3 + 4 + 5 + 6);
  // sum of label / 2 times v^2
  EXPECT_NEAR(system.kinetic_energy(state), 1.5 * 1 + 2 * (4 + 9 + 16 + 25 + 36) + 2.5 * 49 + 3 * (64 + 81 + 100),
              1e-12);
}

// The memory of the default advance() is for 64 numbers; it must not be overrun.
TEST(MultiplierSystem, TheDefaultAdvanceIsForSmallBodies) {
  const auto said = [](int n) {
    const Labelled body(n, 2);
    std::vector<double> q(std::size_t(n) + 1);
    body.start(q);
    return failed_check([&] { body.advance(q, std::vector<double>(std::size_t(n), 0.0), 1); });
  };
  EXPECT_EQ(said(63), "accepted");
  EXPECT_EQ(said(64), "a body of 65 position numbers, more than 64, must have an advance() of its own");
}

TEST(MultiplierSystem, AWorldOfTheSameBodiesInThePlaneFallsAlike) {
  MultiplierSpec spec;
  spec.gravity = {0, -g, 0};
  const int crank = spec.add(box<PlaneBody>(1.0, 1.0 / 12, 0.5, 0.0)),
            coupler = spec.add(box<PlaneBody>(1.0, 4.0 / 12, 1.0, 0.0)),
            rocker = spec.add(box<PlaneBody>(1.0, 1.0 / 12, 0.5, 0.0));
  const auto pin = [&](Vec3<double> on_a, Vec3<double> on_b) { return box<PointsTogether>(on_a, on_b, 2); };
  spec.add(pin({0, 0, 0}, {0, 0, 0}), {world_body, crank}, Role::either);
  spec.add(pin({1, 0, 0}, {0, 0, 0}), {crank, coupler}, Role::either);
  spec.add(pin({2, 0, 0}, {1, 0, 0}), {coupler, rocker}, Role::either);
  const int last = spec.add(pin({2, 0, 0}, {0, 0, 0}), {world_body, rocker}, Role::either);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_FALSE(system.is_primary(last));
  MultiplierState state = system.make_state();
  const double angle = 0.7;
  const double q[9] = {angle, 0, 0, 0, std::cos(angle), std::sin(angle), angle, 2, 0};
  std::copy_n(q, 9, state.q.begin());
  std::vector<double> vdot(9);
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[0], -g * std::cos(angle) * 2 / (5.0 / 3), 1e-12);
  EXPECT_NEAR(vdot[6], vdot[0], 1e-12);
}

// Two wheels on fixed axles, one spinning `ratio` times as fast: alpha = torque ratio / (I1 + ratio^2 I2) for a torque
// on the fast one.
TEST(MultiplierSystem, GearsShareATorqueAsTheirRatioSays) {
  const double I1 = 0.4, I2 = 0.15, ratio = 2, torque = 1.7;
  MultiplierSpec spec;
  spec.gravity = {0, 0, 0};
  const auto wheel = [&](double I) {
    return spec.add(box<RigidBody>(RigidInertia<double>{1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, I)}));
  };
  const int slow = wheel(I1), fast = wheel(I2);
  const auto axle = [](const Vec3<double>& p, const Mat3<double>& R) {
    JointSpec joint;
    joint.X_PF = {R, p};
    return box<JointConstraint>(joint);
  };
  const Mat3<double> tilted = rotation_x(0.8) * rotation_y(0.3);
  spec.add(axle({0, 0, 0}, Mat3<double>::identity()), {world_body, slow});
  spec.add(box<SpinGear>(Vec3<double>{0, 0, 1}, Vec3<double>{0, 0, 1}, ratio), {fast, slow});
  const int loop = spec.add(axle({1, 0, 0}, tilted), {world_body, fast}, Role::either);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_FALSE(system.is_primary(loop));
  MultiplierState state = system.make_state();
  put_pose({tilted, {1, 0, 0}}, system.q(state, fast));
  state.v[2] = 0.6;  // spins do not matter
  state.v[8] = 1.2;
  std::vector<double> F(12, 0.0), vdot(12);
  F[8] = torque;
  ASSERT_EQ(system.accelerations(state, F, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[2], torque * ratio / (I1 + ratio * ratio * I2), 1e-13);
  EXPECT_NEAR(vdot[8], ratio * vdot[2], 1e-13);
}

// Momentum about the origin and linear, of one body of six or more freedoms: J of the whole body turning and shifting.
void add_momentum(const MultiplierSystem& system, const MultiplierState& state, int b, double (&sum)[6]) {
  const AnyBody& body = *system.spec().bodies[b];
  const std::size_t n = std::size_t(body.dimension());
  std::vector<double> M(n * n);
  const std::span<const double> q = system.q(state, b), v = system.v(state, b);
  body.mass(q, M);
  const Mat3<double> R = to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]});
  const Vec3<double> p{q[4], q[5], q[6]}, axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 6; ++k) {
    std::vector<double> turn(n, 0.0);
    const Vec3<double> e = axes[k % 3], w = transpose_times(R, e), shift = cross(e, p);
    if (k < 3) {
      const double numbers[6] = {w.x, w.y, w.z, shift.x, shift.y, shift.z};
      std::copy_n(numbers, 6, turn.begin());
    } else {
      turn[k] = 1;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) sum[k] += turn[i] * M[i * n + j] * v[j];
  }
}

// A chain of bodies of all kinds, free in space, with its hinges violated in velocity.
TEST(MultiplierSystem, ImpulsesKeepMomentumAndTakeTheEnergyOfTheirOwnVelocity) {
  BoxRandom random(21);
  MultiplierSpec spec;
  spec.gravity = {0, 0, 0};
  for (int i = 0; i < 6; ++i) {
    if (i % 3 == 0) spec.add(box<RigidBody>(random.inertia()));
    if (i % 3 == 1) spec.add(box<ScalableBody>(random.inertia()));
    if (i % 3 == 2) spec.add(box<StretchableBody>(random.inertia()));
    if (i > 0) spec.add(box<PointsTogether>(random.vec(), random.vec()), {i - 1, i});
  }
  spec.add(box<DistanceRod>(random.vec(), random.vec(), 1.0), {0, 5}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  for (int b = 0; b < 6; ++b) random.place(*system.spec().bodies[b], system.q(state, b));
  ASSERT_EQ(system.settle_positions(state, {.steps = 100}), MultiplierStatus::solved);
  for (double& x : state.v) x = random.number();
  const MultiplierState before = state;
  double p_before[6] = {}, p_after[6] = {};
  for (int b = 0; b < 6; ++b) add_momentum(system, before, b, p_before);
  const double energy = system.kinetic_energy(before);
  EXPECT_GT(system.velocity_error(before), 0.1);
  ASSERT_EQ(system.impulses(state), MultiplierStatus::solved);
  for (int b = 0; b < 6; ++b) add_momentum(system, state, b, p_after);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(p_after[k], p_before[k], 1e-12);
  EXPECT_LT(system.velocity_error(state), 1e-12);
  // Carnot: the energy lost is that of the velocities lost
  MultiplierState lost = state;
  for (std::size_t i = 0; i < lost.v.size(); ++i) lost.v[i] -= before.v[i];
  EXPECT_NEAR(energy - system.kinetic_energy(state), system.kinetic_energy(lost), 1e-12 * energy);
}

// Positions are projected by the shortest motion in the metric of mass: of two unequal masses on a rod that is too long
// the light one moves more, and their centre of mass stays.
TEST(MultiplierSystem, SettlingMovesByMass) {
  MultiplierSpec spec;
  const int a = spec.add(box<Particle>(1.0)), b = spec.add(box<Particle>(3.0));
  spec.add(box<DistanceRod>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}, 2.0), {a, b});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  state.q[3] = 2.4;
  state.v[3] = 1;
  ASSERT_EQ(system.settle(state), MultiplierStatus::solved);
  EXPECT_NEAR(state.q[0], 0.3, 1e-13);
  EXPECT_NEAR(state.q[3], 2.3, 1e-13);
  EXPECT_NEAR(state.v[0], 0.75, 1e-13);
  EXPECT_NEAR(state.v[3], 0.75, 1e-13);
}

// Constraints on velocity, primary or not, and soft rows do not prevent the projection of positions.
TEST(MultiplierSystem, HeldVelocitiesAndSoftRowsDoNotHoldPositions) {
  for (const Role role : {Role::primary, Role::auxiliary}) {
    MultiplierSpec spec;
    const int a = spec.add(box<Particle>(1.0)), b = spec.add(box<Particle>(1.0));
    spec.add(box<SpeedAlong>(Vec3<double>{0, 0, 0}, Vec3<double>{1, 0, 0}, 0.5), {a, world_body}, role);
    spec.add(box<DraggedPoint>(Vec3<double>{0, 0, 0}, Vec3<double>{5, 0, 0}, 1.0, 1.0), {b, world_body}, role);
    spec.add(box<DistanceRod>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}, 2.0), {a, b}, Role::auxiliary);
    MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
    MultiplierState state = system.make_state();
    state.q[3] = 1;
    ASSERT_EQ(system.settle(state), MultiplierStatus::solved);
    EXPECT_NEAR(state.q[0], -0.5, 1e-14);
    EXPECT_NEAR(state.q[3], 1.5, 1e-14);
    EXPECT_NEAR(state.v[0], 0.5, 1e-14);
    EXPECT_NEAR(state.v[3], 0.5, 1e-14);
  }
}

// A speed between two bodies of equal mass, of their origins if no other points are given: no torque, so that the spin
// of one stays, and each gets half of the speed.
TEST(MultiplierSystem, ASpeedIsThatOfTheOrigins) {
  const Vec3<double> origin{0, 0, 0}, x{1, 0, 0};
  const auto by_law = [](double) { return LawValue{0, 0.5, 0}; };
  for (const auto& speed : {box<SpeedAlong>(origin, x, 0.5), box<SpeedAlong>(origin, x, by_law)}) {
    MultiplierSpec spec;
    const int a = spec.add(box<PlaneBody>(1.0, 1.0, 0.0, 0.0)), b = spec.add(box<PlaneBody>(1.0, 1.0, 0.0, 0.0));
    spec.add(speed, {a, b}, Role::auxiliary);
    MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
    MultiplierState state = system.make_state();
    system.v(state, b)[0] = 2;
    ASSERT_EQ(system.settle(state), MultiplierStatus::solved);
    EXPECT_NEAR(system.v(state, a)[1], 0.25, 1e-14);
    EXPECT_NEAR(system.v(state, b)[1], -0.25, 1e-14);
    EXPECT_NEAR(system.v(state, a)[0], 0, 1e-14);
    EXPECT_NEAR(system.v(state, b)[0], 2, 1e-14);
  }
}

TEST(MultiplierSystem, ContradictionsAreNotSettled) {
  MultiplierSpec spec;
  const int a = spec.add(box<Particle>(1.0));
  spec.add(box<PointsTogether>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 0}), {a, world_body});
  spec.add(box<PointsTogether>(Vec3<double>{0, 0, 0}, Vec3<double>{1, 0, 0}), {a, world_body}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  EXPECT_EQ(system.settle_positions(state), MultiplierStatus::not_settled);
}

TEST(MultiplierSystem, DependentRowsOfAPrimaryConstraintAreNamed) {
  MultiplierSpec spec;
  const int a = spec.add(box<RigidBody>(BoxRandom(1).inertia())), b = spec.add(box<Particle>(1.0, 2));
  (void)a;
  spec.add(box<PointFollows>(
               Vec3<double>{0, 0, 0}, [](double) { return PointLawValue{}; }, 2),
           {b, world_body});
  MultiplierSystem fine = MultiplierSystem::make(spec).value();
  std::vector<double> vdot(fine.velocities());
  EXPECT_EQ(fine.accelerations(fine.make_state(), {}, vdot), MultiplierStatus::solved);
  // a particle of the plane has nothing to move along z
  class AlongZ final : public AnyConstraint {
   public:
    int rows() const override { return 1; }
    void evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const override {
      out.add(0, 0, {0, 0, 1}, on[0].point({0, 0, 0}));
    }
  };
  spec.constraints[0].constraint = box<AlongZ>();
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_EQ(system.accelerations(system.make_state(), {}, vdot), MultiplierStatus::singular);
  EXPECT_EQ(system.failed(), b);
}

// A particle follows a law of time: its acceleration is the law's, and the multiplier is the required force.
TEST(MultiplierSystem, APointFollowsItsLaw) {
  MultiplierSpec spec;
  spec.gravity = {0, 0, -g};
  const int a = spec.add(box<Particle>(2.0));
  spec.add(box<PointFollows>(Vec3<double>{0, 0, 0},
                             [](double t) {
                               return PointLawValue{{std::cos(t), std::sin(t), 0},
                                                    {-std::sin(t), std::cos(t), 0},
                                                    {-std::cos(t), -std::sin(t), 0}};
                             }),
           {a, world_body});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  state.t = 0.4;
  ASSERT_EQ(system.settle(state), MultiplierStatus::solved);
  EXPECT_NEAR(state.q[0], std::cos(0.4), 1e-15);
  EXPECT_NEAR(state.v[1], std::cos(0.4), 1e-15);
  std::vector<double> vdot(3);
  ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[0], -std::cos(0.4), 1e-15);
  EXPECT_NEAR(system.multipliers(0)[2], 2 * g, 1e-14);
  // f = m v: the law's velocity
  ASSERT_EQ(system.velocities(state.t, state.q, {}, vdot), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[0], -std::sin(0.4), 1e-15);
  // and back to it if it is off
  state.q[2] = 0.1;
  ASSERT_EQ(system.velocities(state.t, state.q, {}, vdot, 5), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[2], -0.5, 1e-15);
  // Baumgarte's terms: -2 alpha error' - beta^2 error
  state.v[2] = 0.2;
  ASSERT_EQ(system.accelerations(state, {}, vdot, {3, 4}), MultiplierStatus::solved);
  EXPECT_NEAR(vdot[2], -2 * 3 * 0.2 - 16 * 0.1, 1e-14);
}

}  // namespace
}  // namespace linchpin
