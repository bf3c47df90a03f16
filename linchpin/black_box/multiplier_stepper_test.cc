// Motion by multipliers against closed forms, also nonholonomic ones; drift, energy, dragging.
#include "linchpin/black_box/multiplier_stepper.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/black_box/auxiliary_problem.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/box_joint.h"
#include "linchpin/black_box/box_testing.h"
#include "linchpin/black_box/implicit_surfaces.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;
using StepMethod = MultiplierStepOptions::Method;

double energy(MultiplierSystem& system, const MultiplierState& state) {
  return system.kinetic_energy(state) + system.potential_energy(state);
}

RigidInertia<double> centred(double mass, double Ix, double Iy, double Iz) {
  return {mass, {0, 0, 0}, Sym3<double>::diagonal(Ix, Iy, Iz)};
}

// A coin that rolls in a circle. With N up, h horizontal and turning, the axis n = cos(b) N + sin(b) h and the centre
// at x h, it has w = W N + s n, rolling asks for s = -W (x / r + cos b), and the moments about its centre for
//     W^2 = m g r cos b / (sin b ((m r + C / r) x + A cos b)),       C, A its moments about n and across          (1)
TEST(MultiplierMotion, ACoinRollsInTheCircleOfItsTilt) {
  const double m = 0.4, r = 0.3, x = 0.5, b = 1.2, C = m * r * r / 2, A = C / 2;
  const double W = std::sqrt(m * g * r * std::cos(b) / (std::sin(b) * ((m * r + C / r) * x + A * std::cos(b))));
  const double s = -W * (x / r + std::cos(b));
  MultiplierSpec spec;
  const int coin = spec.add(box<RigidBody>(centred(m, A, A, C)));
  spec.add(box<RollingDisc>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 1}, r), {coin});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  const Mat3<double> R = rotation_y(b);  // h = x, tau = y
  put_pose({R, {x, 0, r * std::sin(b)}}, system.q(state, coin));
  const Vec3<double> w = transpose_times(R, Vec3<double>{0, 0, W}) + Vec3<double>{0, 0, s};
  const double v[6] = {w.x, w.y, w.z, 0, W * x, 0};
  std::copy_n(v, 6, state.v.begin());
  EXPECT_LT(system.position_error(state), 1e-15);
  EXPECT_LT(system.velocity_error(state), 1e-14);
  const double start = energy(system, state);
  const int steps = 4000;
  MultiplierStepper stepper(system, {.dt = 2 * pi / W / steps});
  double off = 0;
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(stepper.step(state), MultiplierStatus::solved);
    off = larger(off, std::abs(std::hypot(state.q[4], state.q[5]) - x));
  }
  EXPECT_LT(off, 1e-10);
  EXPECT_NEAR(state.q[4], x, 1e-10);  // after the period of (1)
  EXPECT_NEAR(state.q[5], 0, 1e-10);
  EXPECT_NEAR(energy(system, state), start, 1e-11);
  EXPECT_LT(system.velocity_error(state), 1e-11);  // 1e-12 of the largest number, a spin of 5 1/s
}

// The same coin wobbling, against a separate integration of its reduced equations. In axes n, e (towards the top), b =
// n x e that do not spin with it, w = (w1, w2, wb), tilt b' = -wb, heading psi' = w2 / sin b, moments about the centre
// give
//     (C + m r^2) w1' = -m r^2 w2 wb,      A w2' = wb (A w2 cot b - C w1)
//     (A + m r^2) wb' = (C + m r^2) w1 w2 - A w2^2 cot b + m g r cos b,      centre' = r (w1 b - wb n)            (2)
TEST(MultiplierMotion, AWobblingCoinFollowsItsReducedEquations) {
  const double m = 0.4, r = 0.3, C = m * r * r / 2, A = C / 2;
  using Seven = std::array<double, 7>;  // w1, w2, wb, tilt, heading, x, y
  const auto rates = [&](const Seven& u) {
    const double w1 = u[0], w2 = u[1], wb = u[2], s = std::sin(u[3]), c = std::cos(u[3]), cot = c / s;
    return Seven{-m * r * r * w2 * wb / (C + m * r * r),
                 wb * (w2 * cot - C / A * w1),
                 ((C + m * r * r) * w1 * w2 - A * w2 * w2 * cot + m * g * r * c) / (A + m * r * r),
                 -wb,
                 w2 / s,
                 r * w1 * std::sin(u[4]) - r * wb * s * std::cos(u[4]),
                 -r * w1 * std::cos(u[4]) - r * wb * s * std::sin(u[4])};
  };
  Seven u{-6, 1.5, 0.7, 1.1, 0, 0, 0};
  MultiplierSpec spec;
  const int coin = spec.add(box<RigidBody>(centred(m, A, A, C)));
  spec.add(box<RollingDisc>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 1}, r), {coin});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  const Mat3<double> R = rotation_y(u[3]);  // n = R z, e = R (-x), b = n x e = -y
  put_pose({R, {0, 0, r * std::sin(u[3])}}, system.q(state, coin));
  const double v[6] = {-u[1], -u[2], u[0], -r * u[2] * std::sin(u[3]), -r * u[0], -r * u[2] * std::cos(u[3])};
  std::copy_n(v, 6, state.v.begin());
  ASSERT_LT(system.velocity_error(state), 1e-14);
  MultiplierStepper stepper(system, {.dt = 5e-4});
  const double h = 1e-4;
  for (int i = 0; i < 20000; ++i) {  // 2 s
    if (i % 5 == 0) {
      ASSERT_EQ(stepper.step(state), MultiplierStatus::solved);
    }
    const auto ahead = [&](const Seven& k, double by) {
      Seven to = u;
      for (std::size_t j = 0; j < 7; ++j) to[j] += by * k[j];
      return to;
    };
    const Seven k1 = rates(u), k2 = rates(ahead(k1, h / 2)), k3 = rates(ahead(k2, h / 2)), k4 = rates(ahead(k3, h));
    for (std::size_t j = 0; j < 7; ++j) u[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  const Mat3<double> now = to_rotation(Quaternion<double>{state.q[0], state.q[1], state.q[2], state.q[3]});
  EXPECT_GT(std::abs(u[3] - 1.1), 0.01);
  EXPECT_NEAR(now.z.z, std::cos(u[3]), 1e-9);
  EXPECT_NEAR(now.z.x, std::sin(u[3]) * std::cos(u[4]), 1e-9);
  EXPECT_NEAR(state.v[2], u[0], 1e-9);
  EXPECT_NEAR(state.q[4], u[5], 1e-9);
  EXPECT_NEAR(state.q[5], u[6], 1e-9);
}

// A skate on an incline that keeps spinning: x = G / (2 w^2) sin^2 wt, y = G / (2 w^2) (wt - sin wt cos wt), G = g sin
// a. It drifts sideways and does not slide down.
TEST(MultiplierMotion, ASkateOnAnInclineDrawsCycloids) {
  const double G = g * std::sin(0.3), w = 1.3;
  MultiplierSpec spec;
  spec.gravity = {G, 0, 0};
  const int skate = spec.add(box<PlaneBody>(2.0, 0.3));
  spec.add(box<KnifeEdge>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 1, 0}), {skate});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  state.v[0] = w;
  MultiplierStepper stepper(system, {.dt = 2e-3});
  double off = 0;
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(stepper.step(state), MultiplierStatus::solved);
    const double a = w * state.t;
    off = largest({off, std::abs(state.q[1] - G / (2 * w * w) * std::sin(a) * std::sin(a)),
                   std::abs(state.q[2] - G / (2 * w * w) * (a - std::sin(a) * std::cos(a)))});
  }
  EXPECT_LT(off, 1e-10);
}

// Two wheels on an axle under a chassis that glides on a third point. Both wheels prevent the axle from moving along
// itself: one row of nine is redundant.
struct Drive {
  double radius = 0.2, track = 0.8;
  std::optional<MultiplierSystem> system;
  Drive(double left, double right) {
    MultiplierSpec spec;
    const int chassis = spec.add(box<RigidBody>(centred(3, 0.3, 0.4, 0.5)));
    for (const double side : {1.0, -1.0}) {
      const int wheel = spec.add(box<RigidBody>(centred(0.5, 0.005, 0.01, 0.005)));
      JointSpec axle;
      axle.X_PF.p = {0, side * track / 2, 0};
      axle.axis = {0, 1, 0};
      spec.add(box<JointConstraint>(axle), {chassis, wheel});
      spec.add(box<RollingDisc>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 1, 0}, radius), {wheel}, Role::auxiliary);
      const double speed = side > 0 ? left : right;
      spec.add(box<SpinGear>(Vec3<double>{0, 1, 0}, Vec3<double>{0, 1, 0}, 1.0, SpinGear::Axes::of_bodies, speed),
               {wheel, chassis}, Role::auxiliary);
    }
    spec.add(box<PointOnSurface>(Vec3<double>{0.5, 0, -radius},
                                 box<PlaneSurface>(Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, 1})),
             {chassis, world_body}, Role::auxiliary);
    system.emplace(MultiplierSystem::make(std::move(spec)).value());
  }
  MultiplierState start() {
    MultiplierState state = system->make_state();
    put_pose(translation(0, 0, radius), system->q(state, 0));
    put_pose(translation(0, track / 2, radius), system->q(state, 1));
    put_pose(translation(0, -track / 2, radius), system->q(state, 2));
    return state;
  }
};

TEST(MultiplierMotion, ADifferentialDriveGoesWhereItsWheelsSay) {
  {
    Drive drive(5, 5);
    MultiplierState state = drive.start();
    ASSERT_EQ(drive.system->impulses(state), MultiplierStatus::solved);
    MultiplierStepper stepper(*drive.system, {.dt = 1e-2});
    ASSERT_EQ(stepper.run(state, 200), MultiplierStatus::solved);
    EXPECT_NEAR(state.q[4], drive.radius * 5 * 2, 1e-11);
    EXPECT_NEAR(state.q[5], 0, 1e-11);
  }
  Drive drive(4, 7);
  MultiplierState state = drive.start();
  ASSERT_EQ(drive.system->impulses(state), MultiplierStatus::solved);
  const double yaw = drive.radius * (7 - 4) / drive.track, circle = drive.track / 2 * (7 + 4) / (7 - 4);
  EXPECT_NEAR(state.v[2], yaw, 1e-12);
  EXPECT_NEAR(state.v[3], yaw * circle, 1e-12);
  const int steps = 4000;
  MultiplierStepper stepper(*drive.system, {.dt = 2 * pi / yaw / steps});
  double off = 0;
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(stepper.step(state), MultiplierStatus::solved) << i;
    off = larger(off, std::abs(std::hypot(state.q[4], state.q[5] - circle) - circle));
  }
  EXPECT_LT(off, 1e-9);
  EXPECT_NEAR(state.q[4], 0, 1e-9);
  EXPECT_NEAR(state.q[5], 0, 1e-9);
}

// One body spins about its axis twice as fast as the other about its own, while both tumble; free, or linked at a
// point.
TEST(MultiplierMotion, AGearOfRatesHoldsWhileBothTumble) {
  for (const bool linked : {false, true}) {
    MultiplierSpec spec;
    spec.gravity = {0, 0, 0};
    const int a = spec.add(box<RigidBody>(centred(1, 0.2, 0.3, 0.4))),
              b = spec.add(box<RigidBody>(centred(2, 0.5, 0.35, 0.6)));
    const Vec3<double> axis_a{0, 0, 1}, axis_b{0.6, 0, 0.8};
    spec.add(box<SpinGear>(axis_a, axis_b, 2.0), {a, b}, Role::either);
    if (linked)
      spec.add(box<PointsTogether>(Vec3<double>{0.4, 0, 0}, Vec3<double>{-0.3, 0.1, 0}), {a, b}, Role::either);
    MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
    MultiplierState state = system.make_state();
    state.q[7 + 4] = 0.7;
    state.q[7 + 5] = -0.1;
    BoxRandom random(31);
    for (double& v : state.v) v = random.number();
    ASSERT_EQ(system.settle(state), MultiplierStatus::solved);
    const double start = energy(system, state);
    MultiplierStepper stepper(system, {.dt = 2e-3});
    double off = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(stepper.step(state), MultiplierStatus::solved);
      const Vec3<double> wa{state.v[0], state.v[1], state.v[2]}, wb{state.v[6], state.v[7], state.v[8]};
      off = larger(off, std::abs(dot(axis_a, wa) - 2 * dot(axis_b, wb)));
    }
    EXPECT_LT(off, 1e-11);
    EXPECT_NEAR(energy(system, state), start, 1e-10 * start) << linked;
  }
}

// A chain of links with hinges of several kinds, hanging from the world, thrown sideways.
MultiplierSystem chain(int links, MultiplierState& state) {
  MultiplierSpec spec;
  for (int i = 0; i < links; ++i) {
    spec.add(
        box<RigidBody>(RigidInertia<double>::about_centre(1, {0.25, 0, 0}, Sym3<double>::diagonal(0.02, 0.02, 0.02))));
    JointSpec joint;
    joint.type = i % 2 == 0 ? JointType::ball : JointType::universal;
    joint.axis = {0, 1, 0};
    joint.axis2 = {0, 0, 1};
    if (i > 0) joint.X_PF.p = {0.5, 0, 0};
    spec.add(box<JointConstraint>(joint), {i - 1, i});
  }
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  state = system.make_state();
  for (int i = 0; i < links; ++i) {
    put_pose(translation(0.5 * i, 0, 0), system.q(state, i));
    system.v(state, i)[2] = 0.5 + 0.3 * i;
  }
  EXPECT_EQ(system.settle(state), MultiplierStatus::solved);
  return system;
}

TEST(MultiplierMotion, OrderOfTheSteppers) {
  const auto end = [](StepMethod method, double dt, double& lost) {
    MultiplierState state;
    MultiplierSystem system = chain(3, state);
    const double start = energy(system, state);
    MultiplierStepper stepper(system, {.dt = dt, .method = method});
    EXPECT_EQ(stepper.run(state, int(std::lround(0.5 / dt))), MultiplierStatus::solved);
    lost = std::abs(energy(system, state) - start);
    return state;
  };
  const auto apart = [](const MultiplierState& a, const MultiplierState& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.q.size(); ++i) most = larger(most, std::abs(a.q[i] - b.q[i]));
    return most;
  };
  double lost[3];
  const MultiplierState coarse = end(StepMethod::runge_kutta, 1.0 / 400, lost[0]),
                        middle = end(StepMethod::runge_kutta, 1.0 / 800, lost[1]),
                        fine = end(StepMethod::runge_kutta, 1.0 / 1600, lost[2]);
  const double ratio = apart(coarse, middle) / apart(middle, fine);
  EXPECT_GT(ratio, 14);  // 16 for order 4
  EXPECT_LT(ratio, 18);
  EXPECT_GT(lost[0] / lost[1], 14);
  EXPECT_GT(lost[1] / lost[2], 14);
  const MultiplierState e1 = end(StepMethod::semi_implicit_euler, 1.0 / 1000, lost[0]),
                        e2 = end(StepMethod::semi_implicit_euler, 1.0 / 2000, lost[1]),
                        e3 = end(StepMethod::semi_implicit_euler, 1.0 / 4000, lost[2]);
  EXPECT_NEAR(apart(e1, e2) / apart(e2, e3), 2, 0.2);
}

TEST(MultiplierMotion, NothingDriftsOverAHundredSeconds) {
  const auto worst = [](const MultiplierStepOptions& options, double& lost) {
    MultiplierState state;
    MultiplierSystem system = chain(4, state);
    const double start = energy(system, state);
    MultiplierStepper stepper(system, options);
    double most = 0;
    for (int i = 0; i < int(std::lround(100 / options.dt)); ++i) {
      if (stepper.step(state) != MultiplierStatus::solved) return std::numeric_limits<double>::infinity();
      if (i % 100 == 99) most = larger(most, system.position_error(state));
    }
    lost = std::abs(energy(system, state) - start);
    return most;
  };
  double lost = 0;
  const double settled = worst({.dt = 4e-3}, lost);
  EXPECT_LT(settled, 1e-11);
  EXPECT_LT(lost, 0.5);  // of some 40 J: RK4 of a chaotic chain at 4 ms
  const double free = worst({.dt = 4e-3, .settle = false}, lost);
  EXPECT_GT(free, 0.01);  // comes apart after some 80 s
  const double baumgarte = worst({.dt = 4e-3, .settle = false, .baumgarte = {20, 20}}, lost);
  EXPECT_LT(baumgarte, 1e-3);
  EXPECT_LT(baumgarte, free);
}

// Bodies that scale, linked and free: energy and both momenta are conserved.
TEST(MultiplierMotion, ScalingBodiesKeepEnergyAndMomentum) {
  BoxRandom random(41);
  MultiplierSpec spec;
  spec.gravity = {0, 0, 0};
  spec.add(box<StretchableBody>(random.inertia(), 20.0));
  spec.add(box<ScalableBody>(random.inertia(), 20.0));
  spec.add(box<RigidBody>(random.inertia()));
  spec.add(box<PointsTogether>(Vec3<double>{0.5, 0, 0.1}, Vec3<double>{-0.5, 0, 0}), {0, 1});
  spec.add(box<PointsTogether>(Vec3<double>{0.5, 0.2, 0}, Vec3<double>{-0.5, 0, 0}), {1, 2});
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  MultiplierState state = system.make_state();
  for (double& v : state.v) v = random.number(-0.5, 0.5);
  ASSERT_EQ(system.settle(state, {.steps = 50}), MultiplierStatus::solved);
  const auto momentum = [&](double(&p)[6]) {  // by points: six of each body would do; use its own mass matrix
    std::fill_n(p, 6, 0.0);
    for (int b = 0; b < 3; ++b) {
      const AnyBody& body = *system.spec().bodies[b];
      const std::size_t n = std::size_t(body.dimension());
      std::vector<double> M(n * n), Mv(n, 0.0);
      body.mass(system.q(state, b), M);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) Mv[i] += M[i * n + j] * system.v(state, b)[j];
      const std::span<const double> q = system.q(state, b);
      const Vec3<double> turn = to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}) *
                                Vec3<double>{Mv[0], Mv[1], Mv[2]},
                         shift{Mv[3], Mv[4], Mv[5]}, about = turn + cross(Vec3<double>{q[4], q[5], q[6]}, shift);
      const double numbers[6] = {about.x, about.y, about.z, shift.x, shift.y, shift.z};
      for (int k = 0; k < 6; ++k) p[k] += numbers[k];
    }
  };
  double before[6], after[6];
  momentum(before);
  const double start = energy(system, state);
  MultiplierStepper stepper(system, {.dt = 5e-4});
  ASSERT_EQ(stepper.run(state, 10000), MultiplierStatus::solved);
  momentum(after);
  EXPECT_GT(std::abs(state.q[7] - 1) + std::abs(state.q[8] - 1), 1e-3);  // it did scale
  EXPECT_NEAR(energy(system, state), start, 1e-9 * start);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(after[k], before[k], 2e-10) << k;  // 8e-10 at 1 ms
}

// A particle on a surface without gravity follows geodesics: great circles on a sphere; on a spheroid its momentum
// about the axis (Clairaut's constant) is conserved.
TEST(MultiplierMotion, AParticleOnASurfaceGoesStraight) {
  const auto particle_on = [](const Vec3<double>& radii) {
    MultiplierSpec spec;
    spec.gravity = {0, 0, 0};
    const int a = spec.add(box<Particle>(1.0));
    spec.add(box<PointOnSurface>(Vec3<double>{0, 0, 0}, box<EllipsoidSurface>(radii)), {a, world_body});
    return MultiplierSystem::make(std::move(spec)).value();
  };
  MultiplierSystem sphere = particle_on({2, 2, 2});
  MultiplierState state = sphere.make_state();
  state.q = {2, 0, 0};
  state.v = {0, 0.6, 0.8};
  MultiplierStepper round(sphere, {.dt = 5e-3});
  double off = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(round.step(state), MultiplierStatus::solved);
    const double a = state.t / 2;
    off = largest({off, std::abs(state.q[0] - 2 * std::cos(a)), std::abs(state.q[1] - 1.2 * std::sin(a)),
                   std::abs(state.q[2] - 1.6 * std::sin(a))});
  }
  EXPECT_LT(off, 1e-9);

  MultiplierSystem spheroid = particle_on({2, 2, 1});
  state = spheroid.make_state();
  state.q = {2, 0, 0};
  state.v = {0, 0.6, 0.8};
  MultiplierStepper along(spheroid, {.dt = 5e-3});
  ASSERT_EQ(along.run(state, 2000), MultiplierStatus::solved);
  EXPECT_NEAR(state.q[0] * state.v[1] - state.q[1] * state.v[0], 1.2, 1e-9);
  EXPECT_NEAR(spheroid.kinetic_energy(state), 0.5, 1e-9);
  EXPECT_LT(spheroid.position_error(state), 1e-12);
}

// An arm of four links in space, dragged by its tip.
struct Arm {
  MultiplierSystem system;
  std::shared_ptr<DraggedPoint> tip;
  MultiplierState state;
};
Arm arm(const Vec3<double>& target) {
  MultiplierSpec spec;
  for (int i = 0; i < 4; ++i) {
    spec.add(
        box<RigidBody>(RigidInertia<double>::about_centre(1, {0.25, 0, 0}, Sym3<double>::diagonal(0.01, 0.02, 0.02))));
    spec.add(box<PointsTogether>(Vec3<double>{i > 0 ? 0.5 : 0.0, 0, 0}, Vec3<double>{0, 0, 0}), {i - 1, i});
  }
  auto tip = box<DraggedPoint>(Vec3<double>{0.5, 0, 0}, target, 20.0, 1.0);
  spec.add(tip, {3, world_body}, Role::either);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  EXPECT_FALSE(system.is_primary(4));
  MultiplierState state = system.make_state();
  Transform<double> X = Transform<double>::identity();
  for (int i = 0; i < 4; ++i) {
    X.R = X.R * rotation_z(0.4);
    put_pose(X, system.q(state, i));
    X.p += X.R * Vec3<double>{0.5, 0, 0};
  }
  return {std::move(system), std::move(tip), std::move(state)};
}

TEST(MultiplierDrag, AnArmIsDraggedToItsTarget) {
  Arm it = arm({-0.3, 0.8, 0.9});
  const MultiplierDragReport report = drag(it.system, it.state, {.dt = 1});
  EXPECT_TRUE(report.arrived) << to_string(report.status);
  EXPECT_LT(report.steps, 200);
  EXPECT_LT(norm(it.system.place(it.state, 3, {0.5, 0, 0}) - it.tip->target()), 1e-9);
  EXPECT_LT(it.system.position_error(it.state), 1e-12);
  // the target moves, the arm follows
  it.tip->set_target({0.5, -0.6, 0.2});
  EXPECT_TRUE(drag(it.system, it.state, {.dt = 1}).arrived);
  EXPECT_LT(norm(it.system.place(it.state, 3, {0.5, 0, 0}) - it.tip->target()), 1e-9);
}

TEST(MultiplierDrag, OutOfReachItStretchesTowardsTheTarget) {
  Arm it = arm({2, 1, 2});  // 3 m away, the arm is 2 m long
  const MultiplierDragReport report = drag(it.system, it.state, {.dt = 1, .steps = 5000});
  EXPECT_TRUE(report.arrived) << to_string(report.status) << " after " << report.steps;
  const Vec3<double> tip = it.system.place(it.state, 3, {0.5, 0, 0});
  EXPECT_LT(norm(tip - (2.0 / 3) * Vec3<double>{2, 1, 2}), 5e-5);  // flat: the root of the 1e-12 to which it settles
  EXPECT_NEAR(report.strain, 0.5 * 20 * 1, 1e-8);
  EXPECT_LT(it.system.position_error(it.state), 1e-12);
}

// A ball that falls on a plane, bounces and, without restitution, stays; then slides with friction.
TEST(MultiplierMotion, WhatTouchesIsHeldAndWhatClosesInIsStopped) {
  MultiplierSpec spec;
  const int a = spec.add(box<Particle>(1.0));
  spec.add(box<PointOnPlane>(Vec3<double>{0, 0, 0}, PointOnPlane::Kind::sliding, 0.3), {a}, Role::auxiliary);
  MultiplierSystem system = MultiplierSystem::make(std::move(spec)).value();
  system.set_solver(std::make_shared<AuxiliaryProblem>());
  MultiplierState state = system.make_state();
  state.v = {3, 0, 0};
  MultiplierStepper stepper(system, {.dt = 1e-3});
  ASSERT_EQ(stepper.run(state, 500), MultiplierStatus::solved);
  // x = 3 t - mu g t^2 / 2
  EXPECT_NEAR(state.q[0], 3 * 0.5 - 0.3 * g * 0.125, 1e-12);
  EXPECT_NEAR(state.q[2], 0, 1e-12);
  EXPECT_NEAR(system.multipliers(0)[0], g, 1e-12);
  state = system.make_state();
  state.q[2] = 0.5;
  MultiplierStepper bouncing(system, {.dt = 1e-3, .restitution = 0.5});
  double top = 0;
  bool hit = false;
  for (int i = 0; i < 700; ++i) {
    ASSERT_EQ(bouncing.step(state), MultiplierStatus::solved);
    hit |= state.v[2] > 0;
    if (hit) top = larger(top, state.q[2]);
  }
  EXPECT_NEAR(top, 0.125, 5e-3);  // a quarter of the height, but for where in a step it touches
}

}  // namespace
}  // namespace linchpin
