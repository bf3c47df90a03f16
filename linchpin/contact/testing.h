// Shared by the tests of this room: mechanisms with random contacts, as constraint rows.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "linchpin/contact/formulation.h"
#include "linchpin/dynamics/loops/constraint_rows.h"
#include "linchpin/dynamics/loops/constraint_testing.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// A stream of uniformly distributed random numbers.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : seed_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (random_numbers(1, seed_ + ++count_ * 7919)[0] + 1) / 2;
  }
  int below(int n) { return std::min(n - 1, int(between(0, n))); }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> x{between(-1, 1), between(-1, 1), between(-1, 1)};
      if (norm(x) > 0.1 && norm(x) < 1) return (1 / norm(x)) * x;
    }
  }

 private:
  std::uint64_t seed_, count_ = 0;
};

// A model at a random state with random forces, and its constraint rows.
struct Situation {
  Situation(Model m, std::uint64_t seed, double step)
      : model(std::move(m)), plan(model), kin(plan), vel(model), state(random_state(model, seed)), dt(step) {
    move_to(state.q);
    tau = random_numbers(state.v.size(), seed + 1, 3);
    f_ext = random_numbers(6 * model.bodies().size(), seed + 2, 3);
  }
  Situation(const Situation&) = delete;

  void move_to(std::vector<double> q) {
    state.q = std::move(q);
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
  }
  Motive motive() const { return {model, plan, kin, vel, state.q, state.v, tau, f_ext, dt, v_products}; }
  int some_link(Stream& random) const { return random.below(int(model.links().size())); }

  // A contact of links a and b (0: the world) at a point, the normal towards a.
  void add_contact(int a, int b, const Vec3<double>& point, const Vec3<double>& normal, double mu, double gap_speed) {
    const Vec3<double> t1 = frame_with_z(normal).x, t2 = cross(normal, t1);
    rows.begin_block(mu > 0 ? BlockKind::cone : BlockKind::nonnegative, mu > 0 ? 3 : 1, mu);
    for (const Vec3<double>& axis : {normal, t1, t2}) {
      const auto side = [&](int link, double sign) {
        const Vec3<double> f = sign * axis;
        rows.add_side(link, {cross(point - kin.X_WL[link].p, f), f});
      };
      side(a, 1);
      side(b, -1);
      rows.end_row(&axis == &normal || mu == 0 ? gap_speed : 0);
      if (mu == 0) return;
    }
  }

  // A row with J v = `sign` times the velocity of a link with one axis.
  void add_coordinate_row(BlockKind kind, int i, double sign, double offset, double softness, double lower,
                          double upper) {
    const Link& link = model.links()[i];
    const Vec3<double> z = kin.X_WL[i].R.z;
    const double per = sign / (link.turn * link.turn + link.slide * link.slide);
    const Force<double> F{per * link.turn * z, per * link.slide * z};
    const Vec3<double> r = kin.X_WL[i].p - kin.X_WL[link.parent].p;
    rows.begin_block(kind, 1);
    rows.add_side(i, F);
    rows.add_side(link.parent, {-F.n - cross(r, F.f), -F.f});
    rows.end_row(offset, softness, sign == 1 ? link.v : -1, lower, upper);
  }

  // Rows of the model's constraints, each repeated `times` times. Offsets are 0, so v = 0 satisfies them: the problem
  // has a solution whatever the other rows.
  void add_constraints(double softness, int times) {
    const ConstraintPlan constraints(model, model.constraints());
    ConstraintRows found(constraints);
    evaluate_rows(model, constraints, kin, vel, state.q, state.v, 0.3, found);
    for (int time = 0; time < times; ++time)
      for (int r = 0; r < constraints.rows(); ++r) {
        rows.begin_block(BlockKind::free, 1);
        for (int s = constraints.first_side(r); s < constraints.first_side(r + 1); ++s)
          rows.add_side(constraints.sides()[s].link, found.force[s]);
        rows.end_row(0, softness);
      }
  }

  Model model;
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
  State state;
  std::vector<double> tau, f_ext, v_products;
  double dt;
  Rows rows;
};

// Rows of every kind: point contacts between links and with the world, four points of one face (redundant), with and
// without friction, limits and bounded forces on coordinates.
inline void add_random_rows(Situation& s, std::uint64_t seed, int contacts) {
  Stream random(seed);
  for (int c = 0; c < contacts; ++c) {
    const int a = 1 + random.below(int(s.model.links().size()) - 1);
    int b = random.below(3) == 0 ? s.some_link(random) : 0;
    if (b == a) b = 0;
    const double mu = random.below(4) == 0 ? 0 : random.between(0.05, 2),
                 gap = random.below(2) == 0 ? 0 : random.between(0, 0.3);
    const Vec3<double> normal = random.direction(), at = s.kin.X_WL[a].p + 0.3 * random.direction();
    if (random.below(3) > 0) {
      s.add_contact(a, b, at, normal, mu, gap);
      continue;
    }
    const Mat3<double> face = frame_with_z(normal);
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1}) s.add_contact(a, b, at + x * face.x + y * face.y, normal, mu, gap);
  }
  for (std::size_t i = 1; i < s.model.links().size(); ++i) {
    const Link& link = s.model.links()[i];
    if (link.kind != LinkKind::revolute && link.kind != LinkKind::axial) continue;
    const int what = random.below(8);
    if (what == 0) s.add_coordinate_row(BlockKind::nonnegative, int(i), 1, 0, 0, 0, 0);
    if (what == 1) s.add_coordinate_row(BlockKind::nonnegative, int(i), -1, 0.1, 0, 0, 0);
    if (what == 2) s.add_coordinate_row(BlockKind::box, int(i), 1, 0, 0, -0.2, 0.3);
    if (what == 3) s.add_coordinate_row(BlockKind::box, int(i), 1, 0.4, random.between(0.1, 3), -0.2, 0.3);
  }
}

}  // namespace linchpin
