// Impacts of free bodies for tests: random collisions of every kind, their outcome, and a check of the laws. Bodies and
// rows are those of solvers/problem/generate.h, without gravity.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/contact/impact.h"
#include "linchpin/solvers/problem/generate.h"

namespace linchpin {

// Bodies in contact, and the restitution of each contact.
struct Collision {
  ContactScene scene{{}, {}, 0, 0};
  std::vector<double> restitution;

  Problem problem(Matrix::Kind kind = Matrix::Kind::dense) const { return contact_problem(scene, kind); }
};

inline double kinetic_energy(const ContactScene& scene) {
  double twice = 0;
  for (const SceneBody& b : scene.bodies)
    for (std::size_t k = 0; k < 3; ++k)
      twice += b.inertia[k] * b.velocity[k] * b.velocity[k] + b.mass * b.velocity[3 + k] * b.velocity[3 + k];
  return twice / 2;
}

struct Collided {
  ImpactReport report;
  std::vector<double> z, w;
  ContactScene after;
};
inline Collided collide_bodies(const Collision& c, const ImpactOptions& options, Solver& solver, ImpactWorkspace& ws) {
  const Problem p = c.problem();
  Collided out;
  out.z.resize(p.q.size());
  out.report = solve_impact({.problem = p, .restitution = c.restitution, .approach = p.q}, options, solver, ws, out.z);
  out.w = ws.w;
  out.after = after_step(c.scene, out.z);
  return out;
}
inline Collided collide_bodies(const Collision& c, const ImpactOptions& options = {}) {
  Solver solver;
  ImpactWorkspace ws;
  return collide_bodies(c, options, solver, ws);
}

// A uniformly distributed direction on the sphere, or on the circle in the plane of x and z.
inline std::array<double, 3> random_direction(bool planar, Dice& dice) {
  for (;;) {
    const std::array<double, 3> d{dice.near_zero(1), planar ? 0 : dice.near_zero(1), dice.near_zero(1)};
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (length > 0.1 && length < 1) return {d[0] / length, d[1] / length, d[2] / length};
  }
}
inline std::array<double, 3> cross_of(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// Sets the normal and the tangents. In the planar case the first tangent lies in the plane.
inline void set_normal(SceneContact& c, const std::array<double, 3>& normal, bool planar, Dice& dice) {
  c.normal = normal;
  const std::array<double, 3> y{0, 1, 0}, other = planar ? y : random_direction(false, dice);
  std::array<double, 3> t = cross_of(normal, other);
  const double length = std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  if (length < 0.1) return set_normal(c, normal, planar, dice);
  for (double& x : t) x /= length;
  c.tangent1 = t;
  c.tangent2 = cross_of(normal, t);
}

struct CollisionMix {
  bool planar = false;
  bool same_restitution = false;
  bool redundant = true;  // with repeated contacts, and several in a line on one face
};

// One to three bodies with one to six contacts with each other and the world, at any point and in any direction: more
// kinds of matrix than real shapes give. Most contacts approach.
inline Collision random_collision(const CollisionMix& mix, Dice& dice) {
  Collision c;
  const int bodies = 1 + dice.below(3), contacts = 1 + dice.below(6);
  for (int i = 0; i < bodies; ++i) {
    SceneBody b;
    b.mass = std::pow(10, dice.near_zero(1));
    const double arm = dice.between(0.1, 1);
    for (double& x : b.inertia) x = b.mass * arm * arm * dice.between(0.2, 0.6);
    b.position = {dice.near_zero(1), mix.planar ? 0 : dice.near_zero(1), dice.near_zero(1)};
    for (std::size_t k = 0; k < 6; ++k)
      if (!mix.planar || k == 1 || k == 3 || k == 5) b.velocity[k] = dice.near_zero(k < 3 ? 3 : 1);
    c.scene.bodies.push_back(b);
  }
  const double restitution = dice.chance(0.1) ? 1 : dice.between(0, 1);
  for (int i = 0; i < contacts; ++i) {
    SceneContact contact;
    if (i > 0 && mix.redundant && dice.chance(0.2)) {  // a repeated contact, or another point of the same face
      contact = c.scene.contacts[dice.below(i)];
      const double along = dice.chance(0.5) ? 0 : dice.near_zero(0.5);
      for (std::size_t k = 0; k < 3; ++k) contact.point[k] += along * contact.tangent1[k];
    } else {
      contact.a = dice.below(bodies);
      contact.b = bodies > 1 && dice.chance(0.5) ? (contact.a + 1 + dice.below(bodies - 1)) % bodies : -1;
      const std::array<double, 3>& centre = c.scene.bodies[contact.a].position;
      for (std::size_t k = 0; k < 3; ++k)
        contact.point[k] = centre[k] + (mix.planar && k == 1 ? 0 : dice.near_zero(0.5));
      set_normal(contact, random_direction(mix.planar, dice), mix.planar, dice);
      contact.mu = dice.chance(0.1) ? 0 : dice.between(0, 2);
      // Most contacts approach: flip the normal if this one separates.
      const Problem alone = contact_problem({c.scene.bodies, {contact}, 0, 0}, Matrix::Kind::dense);
      if (alone.q[0] > 0 && dice.chance(0.8)) {
        for (std::size_t k = 0; k < 3; ++k) contact.normal[k] = -contact.normal[k];
        std::swap(contact.tangent1, contact.tangent2);
      }
    }
    c.scene.contacts.push_back(contact);
    c.restitution.push_back(mix.same_restitution ? restitution : dice.chance(0.1) ? 1 : dice.between(0, 1));
  }
  return c;
}

// ---- laws ----

// Checks that the outcome of an impact satisfies the laws of impact.h. Collects statistics over all impacts.
struct Laws {
  int impacts = 0, scaled = 0, plastic = 0;  // scaled: s < 1; plastic: of these, Newton's problem has no solution
  double least_release = 1, worst_residual = 0, worst_gain = 0;

  // The residual that solvers may leave: their tolerance is relative to |q|, in units of sqrt(energy), and q of the
  // phases is of the size of the impulses. The factor allows for two phases and for the split between w and z.
  static constexpr double left_by_solvers = 10;

  void look(const Collision& c, const ImpactOptions& options, const Collided& o) {
    const Problem p = c.problem();
    ResidualWorkspace ws;
    row_scales(p, ws);
    double q = 0, z = 0, terms = 0;
    for (std::size_t i = 0; i < p.q.size(); ++i) {
      q += p.q[i] * p.q[i] / (ws.scale[i] * ws.scale[i]);
      z += o.z[i] * o.z[i] * ws.scale[i] * ws.scale[i];
    }
    const double left = left_by_solvers * options.tolerance * (std::sqrt(q) + std::sqrt(z));
    ++impacts;
    ASSERT_TRUE(o.report.ok()) << to_string(o.report.status) << " residual " << o.report.residual;
    EXPECT_LE(o.report.residual, options.tolerance);
    EXPECT_GE(o.report.release, 0);
    EXPECT_LE(o.report.release, 1);

    // Energy. z'M z is the largest term in its change. M is rounded, so impulses near the kernel of M, which hardly
    // change velocities, still contribute an error in proportion to their size.
    const double before = kinetic_energy(c.scene), after = kinetic_energy(o.after);
    terms = before + z + std::sqrt(q * z);
    constexpr double rounding = 1e-14;  // some 20 rows, each a sum of 20 terms, with errors of 1e-16 of either sign
    EXPECT_LE(after - before, rounding * terms) << "kinetic energy grew from " << before;
    EXPECT_LE(o.report.energy, rounding * terms);
    EXPECT_NEAR(o.report.energy, after - before, rounding * terms);
    worst_gain = larger(worst_gain, (after - before) / before);

    for (std::size_t b = 0; b < p.blocks.size(); ++b) {
      const std::size_t n = 3 * b;
      const double mu = p.blocks[b].mu;
      EXPECT_GE(o.z[n], -left / ws.scale[n]) << "pulls";
      EXPECT_LE(std::hypot(o.z[n + 1], o.z[n + 2]) - mu * o.z[n], (1 + mu) * left / ws.scale[n]) << "friction";
      const double kept = -c.restitution[b] * std::min(p.q[n], 0.0);
      const bool newton = options.restitution == Restitution::newton && o.report.release == 1;
      EXPECT_GE(o.w[n], (newton ? kept : 0) - left * ws.scale[n]) << "approaches afterwards, or parts too slowly";
    }
    worst_residual = larger(worst_residual, o.report.residual);
    least_release = smaller(least_release, o.report.release);
    scaled += o.report.release < 1 - 1e-9;
    plastic += o.report.rebound != Status::solved;
  }
};

// Checks random impacts of every kind with `count` seeds from `first`, with cones and with directions in turn.
inline Laws look_at_random_impacts(const CollisionMix& mix, Restitution law, int first, int count) {
  Solver solver;
  ImpactWorkspace ws;
  Laws laws;
  for (int seed = first; seed < first + count && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(std::uint64_t(seed) * 7919);
    const Collision c = random_collision(mix, dice);
    const ImpactOptions options{.restitution = law, .directions = seed % 2 == 0 ? 0 : 4 + seed / 2 % 3 * 2};
    laws.look(c, options, collide_bodies(c, options, solver, ws));
    if (testing::Test::HasNonfatalFailure()) break;  // one failure is enough to read
  }
  EXPECT_EQ(laws.impacts, count);
  return laws;
}

}  // namespace linchpin
