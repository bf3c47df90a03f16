#include "linchpin/dynamics/loops/constraint_rows.h"

#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/loops/constraint_testing.h"
#include "linchpin/dynamics/tree/mass_matrix.h"

namespace linchpin {
namespace {

// Everything about the rows at one moment.
struct Moment {
  Moment(const Model& model, const Plan<double>& plan, const ConstraintPlan& constraints, const std::vector<double>& q,
         const std::vector<double>& v, double time)
      : kin(plan), vel(model), rows(constraints), gdot(rows.error.size()) {
    kinematics<double>(plan, q, kin);
    velocities(model, kin, v, vel);
    poison(rows.error, rows.drift, rows.bias, rows.force);
    evaluate_rows(model, constraints, kin, vel, q, v, time, rows);
    row_velocities(constraints, rows, vel, q, v, gdot);
  }
  Kinematics<double> kin;
  Velocities vel;
  ConstraintRows rows;
  std::vector<double> gdot;
};

std::vector<double> moved(const Model& model, std::vector<double> q, double h, std::vector<double> v) {
  for (double& x : v) x *= h;
  integrate(model, v, q);
  return q;
}
std::vector<double> sum(std::vector<double> a, double h, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += h * b[k];
  return a;
}

// Every kind of constraint on every kind of joint: rates and second rates against central differences, whose error is
// about h^2 times a third derivative (some hundreds here) and 1e-16 / h.
TEST(ConstraintRows, RatesAreThoseOfTheRowsThemselves) {
  constexpr double h = 1e-5, tolerance = 2e-6;
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model bare = model_of(text);
    const State state = random_state(bare, seed, 1, 1);
    std::vector<ConstraintSpec> specs = every_constraint(bare, 1000 * seed);
    bring_near(bare, state, specs);
    const Model model = with_constraints(text, specs);
    const Plan<double> plan(model);
    const ConstraintPlan constraints(model, model.constraints());
    const std::vector<double> vdot = random_numbers(state.v.size(), seed);
    const double time = 0.3;
    const Moment now(model, plan, constraints, state.q, state.v, time);
    const Moment before(model, plan, constraints, moved(model, state.q, -h, state.v), sum(state.v, -h, vdot), time - h);
    const Moment after(model, plan, constraints, moved(model, state.q, h, state.v), sum(state.v, h, vdot), time + h);
    std::vector<Motion<double>> acceleration(model.links().size());
    accelerations(model, now.kin, now.vel, state.v, vdot, acceleration);
    std::vector<double> gddot(now.gdot.size());
    row_accelerations(constraints, now.rows, acceleration, state.q, vdot, gddot);
    for (int r = 0; r < constraints.rows(); ++r) {
      const std::size_t i = std::size_t(r);
      const std::string& name = constraints.constraints()[constraints.constraint_of(r)].name;
      const double size = 1 + std::abs(gddot[i]), rate = (after.rows.error[i] - before.rows.error[i]) / (2 * h);
      if (constraints.holonomic(r)) {
        EXPECT_NEAR(now.gdot[i], rate, tolerance * size) << text << name;
      }
      EXPECT_NEAR(gddot[i], (after.gdot[i] - before.gdot[i]) / (2 * h), tolerance * size) << text << name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 200);
}

// Reactions do the work that the rows' motion takes: lambda . J v, by bodies, by coordinates and by the dense J alike.
TEST(ConstraintRows, ReactionsAndJacobianAgreeOnPower) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model model = with_constraints(text, every_constraint(model_of(text), 77 * seed));
    const Plan<double> plan(model);
    const ConstraintPlan constraints(model, model.constraints());
    const State state = random_state(model, seed, 1, 1);
    const Moment now(model, plan, constraints, state.q, state.v, 0);
    const std::size_t nv = state.v.size(), rows = now.gdot.size();
    std::vector<double> J(rows * nv);
    constraint_jacobian(model, constraints, now.rows, now.kin, now.vel, J);
    for (std::size_t r = 0; r < rows; ++r) {
      double Jv = now.rows.drift[r], size = 1;
      for (std::size_t k = 0; k < nv; ++k) {
        Jv += J[r * nv + k] * state.v[k];
        size += std::abs(J[r * nv + k] * state.v[k]);
      }
      EXPECT_NEAR(now.gdot[r], Jv, 1e-13 * size) << "row " << r;
    }
    const std::vector<double> lambda = random_numbers(rows, seed);
    std::vector<double> tau(nv, 0.0), f(6 * model.bodies().size(), 0.0);
    add_reactions(model, constraints, now.rows, now.kin, state.q, lambda, tau, f);
    double by_rows = 0, by_forces = 0, size = 1;
    for (std::size_t r = 0; r < rows; ++r) by_rows += lambda[r] * (now.gdot[r] - now.rows.drift[r]);
    for (std::size_t k = 0; k < nv; ++k) by_forces += tau[k] * state.v[k];
    for (std::size_t b = 1; b < model.bodies().size(); ++b) {
      const Mat3<double> R = body_pose(model, now.kin, int(b)).R;
      const Motion<double> m = point_velocity(model, now.kin, now.vel, int(b), {0, 0, 0});
      const double power = dot(Force<double>{R * Vec3<double>{f[6 * b], f[6 * b + 1], f[6 * b + 2]},
                                             R * Vec3<double>{f[6 * b + 3], f[6 * b + 4], f[6 * b + 5]}},
                               m);
      by_forces += power;
      size += std::abs(power);
    }
    EXPECT_NEAR(by_rows, by_forces, 1e-13 * size) << text;
  }
}

// A nut on a screw: met after any number of turns. Off the thread by less than half a lead, the nearest turn counts.
TEST(ConstraintRows, AScrewIsMetAfterAnyNumberOfTurns) {
  for (const double pitch : {0.3, -0.02}) {
    LoopSpec loop;
    loop.type = LoopType::screw;
    loop.pitch = pitch;
    loop.b.body = "nut";
    ModelSpec spec;
    spec.bodies = {{.name = "nut", .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}}};
    spec.joints = {joint("thread", JointType::cylindrical, "world", "nut")};
    spec.constraints = {{"screw", loop}};
    const Model model = compile(spec).value();
    const Plan<double> plan(model);
    const ConstraintPlan constraints(model, model.constraints());
    for (const double angle : {0.0, 1.0, 3.0, 3.3, 5.0, -4.0, 10.0, 100.0})
      for (const double part : {0.0, 0.4, -0.4}) {  // of a lead
        const double off = part * 2 * std::numbers::pi * pitch;
        const Moment now(model, plan, constraints, {angle, pitch * angle + off}, {0, 0}, 0);
        ASSERT_EQ(now.rows.error.size(), 5u);
        double worst = 0, sum = 0;
        for (const double error : now.rows.error) {
          worst = larger(worst, std::abs(error));
          sum += error;
        }
        EXPECT_NEAR(worst, std::abs(off), 1e-14 * std::abs(angle) + 1e-15) << angle;  // rounding of the angle
        EXPECT_NEAR(sum, off, 1e-14 * std::abs(angle) + 1e-15) << angle;
      }
  }
}

TEST(ConstraintRows, TellWhatIsHolonomic) {
  const Model bare = model_of("@random_tree:bodies=5,seed=1");
  ConstraintMaker make(bare, 5);
  const Model model =
      with_constraints("@random_tree:bodies=5,seed=1",
                       {make.between(RollingSpec{}), make.between(LoopSpec{}),
                        make.between(VelocitySpec{.a = {}, .b = {}, .angular = {1, 0, 0}, .linear = {}, .speed = {}})});
  const ConstraintPlan plan(model, model.constraints());
  ASSERT_EQ(plan.rows(), 3 + 5 + 1);
  EXPECT_TRUE(plan.holonomic(0));
  EXPECT_FALSE(plan.holonomic(1));
  EXPECT_FALSE(plan.holonomic(2));
  for (int r = 3; r < 8; ++r) EXPECT_TRUE(plan.holonomic(r));
  EXPECT_FALSE(plan.holonomic(8));
  EXPECT_EQ(plan.constraint_of(2), 0);
  EXPECT_EQ(plan.constraint_of(3), 1);
  EXPECT_EQ(plan.first_row(2), 8);
}

}  // namespace
}  // namespace linchpin
