#include "linchpin/contact/impact.h"

#include <cmath>
#include <numbers>

#include "linchpin/contact/impact_testing.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

constexpr Restitution both_laws[] = {Restitution::poisson, Restitution::newton};

// Cone solvers are iterative: with the tolerance `fine`, speeds of some m/s are exact to 1e-12.
constexpr double fine = 1e-13, close = 1e-12;

// ---- balls in a row: closed forms by momentum ----

// Balls of these masses and velocities along x, each in contact with the next. Contact i pushes i + 1 away from i.
Collision row_of_balls(const std::vector<double>& masses, const std::vector<double>& velocities,
                       const std::vector<double>& restitution, double mu = 0) {
  Collision c;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double m = masses[i];
    c.scene.bodies.push_back({m, {0.4 * m, 0.4 * m, 0.4 * m}, {2.0 * double(i), 0, 0}, {}, 1});
    c.scene.bodies[i].velocity[3] = velocities[i];
    if (i > 0)
      c.scene.contacts.push_back(
          {int(i), int(i) - 1, {2.0 * double(i) - 1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, mu});
  }
  c.restitution = restitution;
  return c;
}
void expect_speeds(const std::vector<double>& expected, const Collided& o) {
  ASSERT_TRUE(o.report.ok()) << to_string(o.report.status);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(o.after.bodies[i].velocity[3], expected[i], close) << "ball " << i;
}

TEST(Impact, TwoBalls) {
  for (const Restitution law : both_laws)
    for (const double e : {0.0, 0.3, 1.0})
      for (const double mu : {0.0, 0.7})
        for (const int directions : {0, 4}) {
          const double m = 1.5, M = 4, v = 2, V = -1, common = (m * v + M * V) / (m + M);
          const Collided o = collide_bodies(row_of_balls({m, M}, {v, V}, {e}, mu),
                                            {.restitution = law, .directions = directions, .tolerance = fine});
          expect_speeds({common - e * M / (m + M) * (v - V), common + e * m / (m + M) * (v - V)}, o);
          EXPECT_NEAR(o.report.release, 1, close);
          EXPECT_NEAR(o.report.energy, -(1 - e * e) * 0.5 * m * M / (m + M) * (v - V) * (v - V), close);
          EXPECT_EQ(o.report.problems, e > 0 ? 2 : 1);
          EXPECT_LE(o.report.residual, fine);
        }
}

TEST(Impact, WhatPartsIsLeftAlone) {
  for (const Restitution law : both_laws) {
    const Collided o = collide_bodies(row_of_balls({1, 2}, {-1, 3}, {1}, 0.5), {.restitution = law});
    expect_speeds({-1, 3}, o);
    EXPECT_EQ(o.report.problems, 1);
    EXPECT_EQ(o.report.energy, 0);
  }
}

// A ball strikes two others at rest and in contact. Compression ends at v / 3, with impulses 2/3 and 1/3 of m v.
TEST(Impact, ThreeBalls) {
  for (const Restitution law : both_laws) {
    const double v = 3;
    const Collided o =
        collide_bodies(row_of_balls({2, 2, 2}, {v, 0, 0}, {1, 1}), {.restitution = law, .tolerance = fine});
    expect_speeds({-v / 3, 2 * v / 3, 2 * v / 3}, o);
    EXPECT_NEAR(o.report.release, 1, close);
    EXPECT_NEAR(o.report.energy, 0, close);
  }
}

// Decompression releases e1 2/3 and e2 1/3 of m v. Balls that would then run into each other move on together.
TEST(Impact, EachContactHasItsOwnRestitution) {
  for (const auto& [e1, e2] :
       {std::pair{0.2, 0.9}, std::pair{0.5, 0.7}, std::pair{0.0, 1.0}, std::pair{0.5, 0.5}, std::pair{0.9, 0.2}}) {
    const double a = 1. / 3 - 2 * e1 / 3, b = 1. / 3 + 2 * e1 / 3 - e2 / 3, c = 1. / 3 + e2 / 3;
    const Collided o = collide_bodies(row_of_balls({1, 1, 1}, {1, 0, 0}, {e1, e2}), {.tolerance = fine});
    if (b > c)
      expect_speeds({a, (b + c) / 2, (b + c) / 2}, o);
    else if (a > b)
      expect_speeds({(a + b) / 2, (a + b) / 2, c}, o);
    else
      expect_speeds({a, b, c}, o);
    EXPECT_NEAR(o.report.release, 1, close);
    EXPECT_NEAR(o.report.energy, kinetic_energy(o.after) - 0.5, close);
  }
}

// All contacts at once, not one pair after the other as in Newton's cradle: the struck balls move on together.
// Compression ends at k / 5 of v; decompression mirrors the velocities about that.
TEST(Impact, CradleOfFive) {
  for (const Restitution law : both_laws)
    for (const int striking : {1, 2}) {
      std::vector<double> v(5, 0.0), expected;
      for (int i = 0; i < striking; ++i) v[i] = 1;
      for (int i = 0; i < 5; ++i) expected.push_back(2 * striking / 5. - v[i]);
      expect_speeds(expected, collide_bodies(row_of_balls({1, 1, 1, 1, 1}, v, {1, 1, 1, 1}),
                                             {.restitution = law, .tolerance = fine}));
    }
}

// Fifteen balls in a triangle and a cue ball that strikes its tip along x: the outcome is symmetric, momentum is
// conserved, and energy does not grow. The contacts of the triangle are redundant.
TEST(Impact, BilliardBreak) {
  for (const double mu : {0.0, 0.1})
    for (const Restitution law : both_laws) {
      Collision c;
      const double h = std::sqrt(3), m = 0.17, r = 1;
      const auto ball = [&](double x, double y) {
        c.scene.bodies.push_back({m, {0.4 * m, 0.4 * m, 0.4 * m}, {x, y, 0}, {}, r});
      };
      ball(-2, 0);
      c.scene.bodies[0].velocity[3] = 10;
      for (int row = 0; row < 5; ++row)
        for (int i = 0; i <= row; ++i) ball(h * row, 2 * i - row);
      for (int a = 0; a < 16; ++a)
        for (int b = 0; b < a; ++b) {
          const auto &p = c.scene.bodies[a].position, &q = c.scene.bodies[b].position;
          const double x = (p[0] - q[0]) / 2, y = (p[1] - q[1]) / 2;
          if (std::abs(std::hypot(x, y) - 1) > 1e-12) continue;
          c.scene.contacts.push_back({a, b, {q[0] + x, q[1] + y, 0}, {x, y, 0}, {-y, x, 0}, {0, 0, 1}, mu});
          c.restitution.push_back(0.95);
        }
      ASSERT_EQ(c.scene.contacts.size(), 31u);
      const Collided o = collide_bodies(c, {.restitution = law, .tolerance = fine});
      ASSERT_TRUE(o.report.ok());
      double px = 0, py = 0;
      for (const SceneBody& b : o.after.bodies) {
        px += m * b.velocity[3];
        py += m * b.velocity[4];
      }
      EXPECT_NEAR(px, m * 10, 1e-12);
      EXPECT_NEAR(py, 0, 1e-12);
      EXPECT_LE(kinetic_energy(o.after), kinetic_energy(c.scene));
      for (int row = 0, first = 1; row < 5; first += ++row)
        for (int i = 0; i <= row; ++i) {
          const auto &left = o.after.bodies[first + i].velocity, &right = o.after.bodies[first + row - i].velocity;
          EXPECT_NEAR(left[3], right[3], 1e-9) << "mu " << mu << " row " << row << " " << i;
          EXPECT_NEAR(left[4], -right[4], 1e-9) << "mu " << mu << " row " << row << " " << i;
          EXPECT_NEAR(left[2], -right[2], 1e-9) << "mu " << mu << " row " << row << " " << i;
        }
    }
}

// ---- one contact: closed forms by Coulomb's law ----

Collision body_on_ground(const SceneBody& body, const std::array<double, 3>& point, double mu, double e) {
  Collision c;
  c.scene.bodies = {body};
  c.scene.contacts = {{0, -1, point, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, mu}};
  c.restitution = {e};
  return c;
}

// A spinning ball with moment of inertia 2/5 m r^2 hits the ground. The sliding velocity is u = v_T + spin x r.
// Friction changes u by 7/2 of the change of v_T, so 2/7 m u stops it. Its bound over both phases is mu (1 + e) m v_N:
// the ball slides throughout, or sticks in the second phase, or in the first.
TEST(Impact, BallWithSpin) {
  const double m = 1.3, r = 0.4, v = 3, mu = 0.2, I = 0.4 * m * r * r;
  bool seen[3] = {};
  for (const Restitution law : both_laws)
    for (const double e : {0.0, 0.5, 1.0})
      for (const double heading : {0.0, 0.7, 2.0, -1.4})
        for (const double u : {0.5, 2.0, 2.5, 3.5, 9.0}) {
          SceneBody ball{m, {I, I, I}, {0, 0, r}, {}, r};
          const double x = std::cos(heading), y = std::sin(heading);
          const double roll = 0.3 * u;  // the part of u by spin: w x (0, 0, -r) = (-w_y r, w_x r)
          ball.velocity = {roll / r * y, -roll / r * x, 4, (u - roll) * x, (u - roll) * y, -v};
          const Collided o =
              collide_bodies(body_on_ground(ball, {0, 0, 0}, mu, e), {.restitution = law, .tolerance = fine});
          ASSERT_TRUE(o.report.ok());
          const double stop = 2. / 7 * m * u, most = mu * (1 + e) * m * v, friction = std::min(stop, most);
          seen[stop <= mu * m * v ? 0 : stop <= most ? 1 : 2] = true;
          EXPECT_NEAR(o.z[0], (1 + e) * m * v, 10 * close);
          EXPECT_NEAR(o.z[1], -friction * x, 10 * close);
          EXPECT_NEAR(o.z[2], -friction * y, 10 * close);
          EXPECT_NEAR(o.w[0], e * v, 10 * close);
          EXPECT_NEAR(std::hypot(o.w[1], o.w[2]), u - 3.5 * friction / m, 10 * close);
          EXPECT_EQ(o.after.bodies[0].velocity[2], 4) << "spin about the normal";
          EXPECT_NEAR(o.report.release, 1, close);
        }
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

// One phase in the plane, solved by enumeration of the cases: w = L z + q, friction within mu (z_N + preload).
std::array<double, 2> planar_phase(const std::array<double, 3>& L, double qn, double qt, double mu, double preload) {
  const auto [nn, nt, tt] = L;
  const double slack = 1e-12;
  for (const bool presses : {false, true})
    for (const int slides : {0, 1, -1}) {
      // z_N = 0 or w_N = 0; w_T = 0 or z_T = -slides mu (z_N + preload)
      double n = 0, t = 0;
      if (!presses) {
        t = slides == 0 ? -qt / tt : -slides * mu * preload;
      } else if (slides == 0) {
        const double det = nn * tt - nt * nt;
        n = (-qn * tt + qt * nt) / det;
        t = (-qt * nn + qn * nt) / det;
      } else {
        n = (-qn + nt * slides * mu * preload) / (nn - nt * slides * mu);
        t = -slides * mu * (n + preload);
      }
      const double wn = nn * n + nt * t + qn, wt = nt * n + tt * t + qt;
      if (n >= -slack && wn >= -slack && std::abs(t) <= mu * (n + preload) + slack && slides * wt >= -slack)
        return {n, t};
    }
  ADD_FAILURE() << "no case fits";
  return {};
}

// Rods that fall on an end: normal and tangential directions are coupled.
TEST(Impact, RodWithFriction) {
  int turned = 0;
  for (int seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice{std::uint64_t(seed)};
    const double m = dice.between(0.5, 2), length = dice.between(0.5, 2), angle = dice.near_zero(1.5);
    const double I = m * length * length / 12, e = dice.between(0, 1);
    SceneBody rod{m, {I, I, I}, {0, 0, 0}, {0, dice.near_zero(5), 0, dice.near_zero(2), 0, -dice.between(0, 2)}, 0};
    const std::array<double, 3> end{0.5 * length * std::sin(angle), 0, -0.5 * length * std::cos(angle)};
    Collision c = body_on_ground(rod, end, dice.between(0, 1.5), e);
    const Problem p = c.problem();
    const std::array<double, 3> L{p.M.dense()[0], p.M.dense()[1], p.M.dense()[4]};
    const double mu = p.blocks[0].mu;
    if (p.q[0] >= 0 || L[0] < 1.01 * mu * std::abs(L[1])) continue;  // jams (Painleve): more than one case may fit
    const auto [cn, ct] = planar_phase(L, p.q[0], p.q[1], mu, 0);
    const double wn = p.q[0] + L[0] * (1 + e) * cn + L[1] * ct, wt = p.q[1] + L[1] * (1 + e) * cn + L[2] * ct;
    const auto [dn, dt] = planar_phase(L, wn, wt, mu, e * cn);
    for (const int directions : {0, 4}) {
      const Collided o = collide_bodies(c, {.directions = directions, .tolerance = fine});
      ASSERT_TRUE(o.report.ok());
      turned += o.w[1] * p.q[1] < -1e-9;
      EXPECT_NEAR(o.z[0], (1 + e) * cn + dn, 1e-10);
      EXPECT_NEAR(o.z[1], ct + dt, 1e-10);
      EXPECT_NEAR(o.z[2], 0, 1e-10);
      EXPECT_NEAR(o.report.release, 1, 1e-10);
    }
  }
  EXPECT_GE(turned, 20) << "sliding that turns round within the impact";
}

// In space the sliding direction changes during an impact. Friction of the second phase opposes the final sliding.
TEST(Impact, ReleasedFrictionOpposesSliding) {
  Solver solver;
  ImpactWorkspace ws;
  int slid = 0;
  for (int seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice{std::uint64_t(seed)};
    const double m = dice.between(0.5, 2);
    SceneBody body{m, {m * dice.between(0.1, 0.3), m * dice.between(0.1, 0.3), m * dice.between(0.1, 0.3)}, {}, {}, 0};
    for (std::size_t k = 0; k < 6; ++k) body.velocity[k] = k == 5 ? -dice.between(0.5, 2) : dice.near_zero(3);
    const Collision c = body_on_ground(body, {dice.near_zero(0.5), dice.near_zero(0.5), -dice.between(0.2, 0.6)},
                                       dice.between(0, 0.6), dice.between(0.1, 1));
    const Problem p = c.problem();
    if (p.q[0] >= 0) continue;
    std::vector<double> z_c(3);
    ASSERT_EQ(solver.solve(p, SolverId::automatic, {.tolerance = fine}, z_c).status, Status::solved);
    const Collided o = collide_bodies(c, {.tolerance = fine}, solver, ws);
    ASSERT_TRUE(o.report.ok());
    const double speed = std::hypot(o.w[1], o.w[2]), n = o.z[0] - z_c[0], x = o.z[1] - z_c[1], y = o.z[2] - z_c[2];
    EXPECT_GE(n, c.restitution[0] * z_c[0] - close);
    EXPECT_LE(std::hypot(x, y), p.blocks[0].mu * n + close);
    if (speed < 1e-6) continue;
    ++slid;
    EXPECT_NEAR(x, -p.blocks[0].mu * n * o.w[1] / speed, 1e-11 / std::min(speed, 1.0));
    EXPECT_NEAR(y, -p.blocks[0].mu * n * o.w[2] / speed, 1e-11 / std::min(speed, 1.0));
  }
  EXPECT_GE(slid, 500);
}

// A ball falls into a groove whose walls are at this angle to the vertical. Walls steeper than the angle of friction
// hold it at any impulse: Newton's law has no solution.
TEST(Impact, GrooveThatHoldsWhatFallsIn) {
  const double angle = 0.3, v = 2, e = 0.5, cosine = std::cos(angle), sine = std::sin(angle);
  const auto groove = [&](double mu) {
    Collision c;
    c.scene.bodies = {{1, {0.4, 0.4, 0.4}, {}, {0, 0, 0, 0, 0, -v}, 0}};
    for (const double side : {1.0, -1.0})
      c.scene.contacts.push_back(
          {0, -1, {-side * cosine, 0, -sine}, {side * cosine, 0, sine}, {-side * sine, 0, cosine}, {0, 1, 0}, mu});
    c.restitution = {e, e};
    return c;
  };
  for (const int directions : {0, 4}) {
    const ImpactOptions newton{.restitution = Restitution::newton, .directions = directions};
    const Collided free = collide_bodies(groove(0.2), newton), held = collide_bodies(groove(0.6), newton);
    ASSERT_TRUE(free.report.ok());
    EXPECT_EQ(free.report.rebound, Status::solved);
    EXPECT_NEAR(free.after.bodies[0].velocity[5], e * v, 1e-9);
    ASSERT_TRUE(held.report.ok());
    EXPECT_NE(held.report.rebound, Status::solved);
    EXPECT_EQ(held.report.release, 0);
    EXPECT_NEAR(held.after.bodies[0].velocity[5], 0, 1e-9);
    EXPECT_NEAR(held.report.energy, -0.5 * v * v, 1e-9);
    const Collided poisson = collide_bodies(groove(0.6), {.directions = directions});
    ASSERT_TRUE(poisson.report.ok());
    EXPECT_NEAR(poisson.after.bodies[0].velocity[5], 0, 1e-9) << "nor does it come out by Poisson's";
    EXPECT_EQ(poisson.report.release, 1);
  }
}

// ---- rows other than contacts ----

// A ball strikes a piston driven at velocity U: in the piston's frame it is a wall. The work of the drive is not
// counted as a gain of energy.
TEST(Impact, DrivenPiston) {
  const double m = 2, M = 5, U = 1.5, v = -1, e = 0.8;
  const Problem p{Matrix::dense(2, {1 / M, -1 / M, -1 / M, 1 / M + 1 / m}),
                  {0, v - U},
                  {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 1, 0}},
                  {},
                  {}};
  const std::vector<double> restitution{0, e}, approach{U, v - U}, offset{-U, 0};
  for (const Restitution law : both_laws) {
    Solver solver;
    ImpactWorkspace ws;
    std::vector<double> z(2);
    const ImpactReport r =
        solve_impact({.problem = p, .restitution = restitution, .approach = approach, .offset = offset},
                     {.restitution = law}, solver, ws, z);
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r.release, 1);
    const double after = v + z[1] / m;
    EXPECT_NEAR(after, U + e * (U - v), close);
    EXPECT_NEAR(z[0], z[1], close) << "the drive holds the piston";
    EXPECT_NEAR(r.energy, 0.5 * m * (after * after - v * v) - z[0] * U, 10 * close);
    EXPECT_NEAR(r.energy, -0.5 * (1 - e * e) * m * (v - U) * (v - U), 10 * close) << "as in the piston's frame";
  }
}

// Rows of bounded forces have no impulse. A loop whose velocity is not zero yet is closed, with a loss of energy.
TEST(Impact, LoopsAndBoundedForces) {
  // Masses 1, 2, 3 along x with velocities 3, 1, -1. Free row: the first two have one velocity after the impact.
  // Contact: between the second and the third. Box: dry friction on the first, without impulse.
  const Problem p{Matrix::dense(3, {1 + 0.5, -0.5, 1, -0.5, 0.5 + 1. / 3, 0, 1, 0, 1}),
                  {3 - 1, 1 + 1, 3},
                  {{BlockKind::free, 0, 1, 0}, {BlockKind::nonnegative, 1, 1, 0}, {BlockKind::box, 2, 1, 0}},
                  {0, 0, 0},
                  {0, 0, 0}};
  Problem q = p;  // contact row: v_3 - v_2 >= 0
  q.q[1] = -1 - 1;
  q.M.dense()[1] = q.M.dense()[3] = 0.5;  // rows (1, -1, 0) and (0, -1, 1): product over masses is +1/2
  for (const Restitution law : both_laws)
    for (const double e : {0.0, 0.6}) {
      const std::vector<double> restitution{0, e, 0};
      Solver solver;
      ImpactWorkspace ws;
      std::vector<double> z(3);
      const ImpactReport r = solve_impact({.problem = q, .restitution = restitution, .approach = q.q},
                                          {.restitution = law}, solver, ws, z);
      ASSERT_TRUE(r.ok());
      EXPECT_EQ(z[2], 0);
      const double v1 = 3 + z[0], v2 = 1 - z[0] / 2 - z[1] / 2, v3 = -1 + z[1] / 3;
      EXPECT_NEAR(v1, v2, close);
      EXPECT_NEAR(v1 + 2 * v2 + 3 * v3, 3 + 2 - 3, close);
      // Poisson: all at the common velocity 1/3, then e z_c at the contact between masses of 3 and 3. Newton: e times
      // 2.
      const double parting = law == Restitution::newton ? e * 2 : e * (4. / 3 * 3) * (1. / 3 + 1. / 3);
      EXPECT_NEAR(v3 - v2, parting, 10 * close);
      EXPECT_NEAR(r.energy, 0.5 * (v1 * v1 + 2 * v2 * v2 + 3 * v3 * v3) - 0.5 * (9 + 2 + 3), 10 * close);
    }
}

// Bounds hold for the impulse of both phases together, those of each row. A mass of 1 strikes a wall; a mass of 2 has
// dry friction and is pulled along by the impulse on the wall; masses of 1 and 4 have friction that cannot stop them.
TEST(Impact, BoundsHoldForBothPhases) {
  const double e = 0.5;
  Problem p{Matrix::dense(4, {1, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 1}),
            {3, 0.25, -1, -2},
            {{BlockKind::box, 0, 2, 0}, {BlockKind::box, 2, 1, 0}, {BlockKind::nonnegative, 3, 1, 0}},
            {-1, -2, -3, 0},
            {1, 2, 3, 0}};
  p.M.dense()[1 * 4 + 3] = p.M.dense()[3 * 4 + 1] = -0.25;
  const std::vector<double> restitution{0, 0, e};
  for (const int directions : {0, 4})
    for (const Restitution law : both_laws) {
      Solver solver;
      ImpactWorkspace ws;
      std::vector<double> z(4);
      const ImpactReport r =
          solve_impact({.problem = p, .restitution = restitution, .approach = p.q},
                       {.restitution = law, .directions = directions, .tolerance = fine}, solver, ws, z);
      ASSERT_TRUE(r.ok());
      EXPECT_NEAR(r.release, 1, close);
      EXPECT_NEAR(z[0], -1, close) << "at its bound";
      EXPECT_NEAR(ws.w[0], 2, close);
      EXPECT_NEAR(z[2], 3, close) << "at its bound: it would need 4";
      EXPECT_NEAR(ws.w[2], -0.25, close);
      // The mass of 2 stays at rest in both phases, 0.5 z1 - 0.25 n + 0.25 = 0; the wall sees n - 0.25 z1 - 2.
      EXPECT_NEAR(ws.w[1], 0, close);
      EXPECT_NEAR(z[1], (z[3] - 1) / 2, close);
      const double n_c = (2 - 0.125) / (1 - 0.125),
                   n = law == Restitution::poisson ? (1 + e) * n_c : (2 * (1 + e) - 0.125) / 0.875;
      EXPECT_NEAR(z[3], n, close);
    }
}

// True if M is far from singular, so that the impulses are unique. (Otherwise the released impulse depends on which
// solution was found.)
bool regular(const Problem& p) {
  const int n = p.size();
  Square L = p.M.dense();
  for (int j = 0; j < n; ++j) {  // Cholesky's pivots
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) entry(L, n, i, j) -= entry(L, n, i, k) * entry(L, n, j, k);
    const double pivot = entry(L, n, j, j);
    if (!(pivot > 1e-3 * p.M.dense()[j * n + j])) return false;
    for (int i = j; i < n; ++i) entry(L, n, i, j) /= std::sqrt(pivot);
  }
  return true;
}

// The same impact with velocities as unknowns [000 (17)-(22)]: momentum equations in free rows, M not symmetric.
TEST(Impact, WhateverTheFormulation) {
  Solver solver;
  ImpactWorkspace ws;
  for (int seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(std::uint64_t(seed) * 7919);
    Collision c = random_collision({.redundant = false}, dice);
    for (SceneContact& contact : c.scene.contacts) contact.mu *= 0.1;
    if (!regular(c.problem())) continue;
    const Problem factored = c.problem(Matrix::Kind::factored);
    const BlockSparse& H = factored.M.blocks();
    const int contacts = 3 * int(c.scene.contacts.size()), bodies = 6 * int(c.scene.bodies.size()),
              n = bodies + contacts;
    Problem p;
    std::vector<double>& M = (p.M.make_dense(n), p.M.dense());
    std::fill(M.begin(), M.end(), 0.0);
    p.q.assign(n, 0.0);
    for (int i = 0; i < bodies; ++i) {
      const SceneBody& b = c.scene.bodies[i / 6];
      const double mass = i % 6 < 3 ? b.inertia[i % 6] : b.mass;
      M[i * n + i] = mass;
      p.q[i] = -mass * b.velocity[i % 6];
    }
    for (int r = 0; r < H.row_blocks(); ++r)
      for (int e = H.first[r]; e < H.first[r + 1]; ++e)
        for (int i = 0; i < 18; ++i) {
          const int row = bodies + 3 * r + i / 6, column = 6 * H.column[e] + i % 6;
          const double h = H.values[H.value_start[e] + std::size_t(i)];
          M[row * n + column] = h;
          M[column * n + row] = -h;
        }
    p.blocks.push_back({BlockKind::free, 0, bodies, 0});
    for (Block b : factored.blocks) {
      b.start += bodies;
      p.blocks.push_back(b);
    }
    std::vector<double> restitution{0}, approach(n, 0.0), z(static_cast<std::size_t>(n));
    restitution.insert(restitution.end(), c.restitution.begin(), c.restitution.end());
    std::copy(factored.q.begin(), factored.q.end(), approach.begin() + bodies);
    for (const int directions : {0, 6}) {
      const Collided os = collide_bodies(c, {.directions = directions}, solver, ws);
      const ImpactReport nmc = solve_impact({.problem = p, .restitution = restitution, .approach = approach},
                                            {.directions = directions}, solver, ws, z);
      ASSERT_TRUE(os.report.ok() && nmc.ok());
      EXPECT_NEAR(nmc.energy, os.report.energy, 1e-7 * kinetic_energy(c.scene));
      EXPECT_NEAR(nmc.release, os.report.release, 1e-7);
      for (int i = 0; i < bodies; ++i)  // velocities of some m/s; solved to 1e-10, masses between 0.1 and 10
        EXPECT_NEAR(z[i], os.after.bodies[i / 6].velocity[i % 6], 1e-6);
    }
  }
}

// ---- any impact (impact_long_test.cc looks at many more) ----

TEST(Impact, RandomImpactsInSpace) {
  const Laws poisson = look_at_random_impacts({}, Restitution::poisson, 1, 2000);
  EXPECT_LE(poisson.scaled, poisson.impacts / 500);
  look_at_random_impacts({.same_restitution = true}, Restitution::newton, 1, 1000);
}
TEST(Impact, RandomImpactsInThePlane) {
  const Laws poisson = look_at_random_impacts({.planar = true}, Restitution::poisson, 1, 2000);
  EXPECT_LE(poisson.scaled, poisson.impacts / 500);
  look_at_random_impacts({.planar = true}, Restitution::newton, 1, 1000);
}

// If all contacts have the same restitution, Poisson's law returns at most e^2 of the energy lost in compression (proof
// in docs/impact.md): s = 1 always.
TEST(Impact, OneRestitutionNeverGains) {
  Solver solver;
  ImpactWorkspace ws;
  for (const bool planar : {false, true})
    for (const int directions : {0, 4})
      for (int seed = 1; seed <= 1500; ++seed) {
        SCOPED_TRACE(seed);
        Dice dice(std::uint64_t(seed) * 15485863);
        Collision c = random_collision({.planar = planar, .same_restitution = true}, dice);
        const ImpactOptions options{.directions = directions};
        const double e = c.restitution[0], rebounds = collide_bodies(c, options, solver, ws).report.energy;
        const double release = collide_bodies(c, options, solver, ws).report.release;
        for (double& x : c.restitution) x = 0;
        const double plastic = collide_bodies(c, options, solver, ws).report.energy;
        EXPECT_LE(rebounds, (1 - e * e) * plastic + 1e-8 * kinetic_energy(c.scene));  // solved to 1e-10 of q
        EXPECT_NEAR(release, 1, 1e-9);
      }
}

// The result does not depend on the units of mass and speed, nor on a scale of each contact's rows. (Within some
// decades: the plain residual adds impulses and speeds, and could not be met beyond.)
TEST(Impact, UnitsDoNotMatter) {
  Solver solver;
  ImpactWorkspace ws;
  int looked_at = 0;
  for (int seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(std::uint64_t(seed) * 7919);
    Collision c = random_collision({.redundant = false}, dice);
    for (SceneContact& contact : c.scene.contacts) contact.mu *= 0.2;  // little friction: one solution
    const Problem p = c.problem();
    if (!regular(p)) continue;
    ++looked_at;
    std::vector<double> scale;
    for (std::size_t b = 0; b < p.blocks.size(); ++b) scale.push_back(std::pow(10, dice.near_zero(2)));
    const double mass = std::pow(10, dice.near_zero(2)), speed = std::pow(10, dice.near_zero(4));
    Problem other = rescaled(p, scale);
    for (double& m : other.M.dense()) m /= mass;
    for (double& q : other.q) q *= speed;
    for (const Restitution law : both_laws)
      for (const int directions : {0, 8}) {
        std::vector<double> z(p.q.size()), y(p.q.size());
        const ImpactOptions options{.restitution = law, .directions = directions};
        const ImpactReport a =
            solve_impact({.problem = p, .restitution = c.restitution, .approach = p.q}, options, solver, ws, z);
        const ImpactReport b =
            solve_impact({.problem = other, .restitution = c.restitution, .approach = other.q}, options, solver, ws, y);
        ASSERT_TRUE(a.ok());
        ASSERT_TRUE(b.ok()) << to_string(b.status) << " residual " << b.residual << " directions " << directions
                            << " problems " << b.problems;
        if (a.rebound != Status::solved || b.rebound != Status::solved) continue;
        EXPECT_NEAR(b.release, a.release, 1e-6);
        EXPECT_NEAR(b.energy / (mass * speed * speed), a.energy, 1e-7 * kinetic_energy(c.scene));
        for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(y[i] * scale[i / 3] / (mass * speed), z[i], 1e-5);
      }
  }
  EXPECT_GE(looked_at, 200);
}

// ---- the error in [000 (57)] ----

// The energy that decompression would gain if released impulses carried no friction: E(1) of (6).
double energy_as_printed(const Collision& c, int directions, Solver& solver) {
  const Problem p = c.problem();
  const std::size_t n = p.q.size();
  std::vector<double> z_c(n), w(n), released(n), z_d(n);
  const auto solve = [&](const std::vector<double>& q, std::vector<double>& z) {
    Problem phase = p;
    phase.q = q;
    const Polyhedral posed = polyhedral(phase, directions);
    std::vector<double> all(posed.problem.q.size());
    EXPECT_EQ(solver.solve(posed.problem, SolverId::automatic, {}, all).status, Status::solved);
    to_conic(p, posed, all, z);
  };
  solve(p.q, z_c);
  for (std::size_t b = 0; b < p.blocks.size(); ++b) released[3 * b] = c.restitution[b] * z_c[3 * b];
  std::vector<double> before(n);
  for (std::size_t i = 0; i < n; ++i) before[i] = z_c[i] + released[i];
  p.M.multiply(before, w, {});
  for (std::size_t i = 0; i < n; ++i) w[i] += p.q[i];
  solve(w, z_d);
  for (std::size_t i = 0; i < n; ++i) z_d[i] += before[i];
  return kinetic_energy(after_step(c.scene, z_d)) - kinetic_energy(c.scene);
}

TEST(Impact, WithoutFrictionOfTheReleasedEnergyGrows) {
  Solver solver;
  ImpactWorkspace ws;
  int grows_as_printed = 0, scaled = 0;
  const int count = 2000;
  for (int seed = 1; seed <= count; ++seed) {
    Dice dice(std::uint64_t(seed) * 104729);
    const Collision c = random_collision({.planar = true}, dice);
    grows_as_printed += energy_as_printed(c, 4, solver) > 1e-9 * kinetic_energy(c.scene);
    const Collided o = collide_bodies(c, {.directions = 4}, solver, ws);
    ASSERT_TRUE(o.report.ok());
    scaled += o.report.release < 1 - 1e-9;
  }
  RecordProperty("grows_as_printed", grows_as_printed);
  RecordProperty("scaled", scaled);
  EXPECT_GE(grows_as_printed, count / 50);
  EXPECT_LE(scaled, count / 200);
}

// ---- invalid input ----

TEST(Impact, ChecksItsInput) {
  const Collision c = row_of_balls({1, 1}, {1, 0}, {0.5}, 0.3);
  const Problem p = c.problem();
  Solver solver;
  ImpactWorkspace ws;
  std::vector<double> z(3), q = p.q;
  const std::vector<double> e{0.5}, two{0.5, 0.5}, large{1.1}, none{NAN};
  const auto run = [&](const Impact& impact, const ImpactOptions& options = {}) {
    return solve_impact(impact, options, solver, ws, z);
  };
  EXPECT_THROW(run({.problem = p, .restitution = two, .approach = q}), CheckFailed);
  EXPECT_THROW(run({.problem = p, .restitution = large, .approach = q}), CheckFailed);
  EXPECT_THROW(run({.problem = p, .restitution = none, .approach = q}), CheckFailed);
  EXPECT_THROW(run({.problem = p, .restitution = e, .approach = e}), CheckFailed);
  EXPECT_THROW(run({.problem = p, .restitution = e, .approach = q, .offset = e}), CheckFailed);
  EXPECT_THROW(run({.problem = p, .restitution = e, .approach = q, .turn = two}), CheckFailed);
  EXPECT_THROW(run({.problem = p, .restitution = e, .approach = q}, {.directions = 3}), CheckFailed);
  q[1] = NAN;
  EXPECT_EQ(run({.problem = p, .restitution = e, .approach = q}).status, Status::bad_input);
  Problem bad = p;
  bad.q[0] = HUGE_VAL;
  for (const int directions : {0, 4})
    EXPECT_EQ(run({.problem = bad, .restitution = e, .approach = p.q}, {.directions = directions}).status,
              Status::bad_input);
  EXPECT_EQ(run({.problem = p, .restitution = e, .approach = p.q}, {.solver = SolverId::lemke}).status,
            Status::bad_input)
      << "Lemke's method takes no cones";
  EXPECT_TRUE(
      run({.problem = p, .restitution = e, .approach = p.q}, {.directions = 4, .solver = SolverId::lemke}).ok());
  for (const double mu : {-0.3, double(NAN), HUGE_VAL}) {
    bad = p;
    bad.blocks[0].mu = mu;
    for (const int directions : {0, 4})
      EXPECT_EQ(run({.problem = bad, .restitution = e, .approach = p.q}, {.directions = directions}).status,
                Status::bad_input)
          << mu;
  }
  z.clear();
  EXPECT_TRUE(run({.problem = {}, .restitution = {}, .approach = {}}).ok()) << "nothing";
}

}  // namespace
}  // namespace linchpin
