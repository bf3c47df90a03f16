#include "linchpin/sim/runge_kutta.h"

#include <limits>

#include "linchpin/sim/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// The body's angular velocity for a rate udot of u: log(exp(u)^-1 exp(u + t udot)) / t, by a five-point difference.
Vec3<double> body_velocity(const Vec3<double>& u, const Vec3<double>& udot) {
  const auto turned = [&](double t) { return log_rotation(exp_rotation(-u) * exp_rotation(u + t * udot)); };
  const double h = 1e-3;
  return (1 / (12 * h)) * (8.0 * (turned(h) - turned(-h)) - (turned(2 * h) - turned(-2 * h)));
}

TEST(RungeKutta, InverseDexpGivesTheAlgebrasVelocity) {
  const Vec3<double> direction{0.48, -0.6, 0.64}, w{0.7, 1.1, -0.4};
  for (const double angle : {0.0, 1e-9, 1e-4, 0.05, 0.0999999, 0.1000001, 0.5, 1.0, 2.0, 3.0}) {
    const Vec3<double> u = angle * direction, found = body_velocity(u, inverse_dexp(u, w));
    EXPECT_NEAR(norm(found - w), 0, 1e-10) << angle;  // truncation of the five points, 1e-12/30 * |udot|^5
  }
}

// At the switch between series and closed form both are exact to the last digits.
TEST(RungeKutta, InverseDexpIsSmoothAtTheSwitch) {
  const Vec3<double> w{0, 1, 0};
  const Vec3<double> below = inverse_dexp({0, 0, 0.1 * (1 - 1e-15)}, w),
                     above = inverse_dexp({0, 0, 0.1 * (1 + 1e-15)}, w);
  EXPECT_NEAR(norm(above - below), 0, 1e-15);
}

// Steppers called directly, with workspaces full of NaN and without: the results are equal.
template <class Workspace, class Function, class Poison>
void expect_the_same_from_nan(Dynamics& dynamics, const char* name, const Function& function, Workspace clean,
                              const Poison& soil) {
  const Model& model = dynamics.model;
  const State state = random_state(model, 1, 1);
  const std::vector<double> tau = random_numbers(state.v.size(), 1),
                            f_ext = random_numbers(6 * model.bodies().size(), 2);
  const Inputs inputs{tau, f_ext};
  const SimulationOptions options{.dt = 1e-3};
  const Departure from{state, inputs, options};
  Arrival arrival(model, dynamics.constraint_rows()), other(model, dynamics.constraint_rows());
  Workspace soiled = clean;
  soil(soiled);
  poison(other.q, other.v, other.reactions);
  const StepReport report = function(dynamics, from, clean, arrival);
  EXPECT_TRUE(report.ok()) << name << ": " << report.reason;
  const StepReport again = function(dynamics, from, soiled, other);
  EXPECT_TRUE(again.ok()) << name;
  EXPECT_TRUE(same_finite_bits(arrival.q, other.q)) << name;
  EXPECT_TRUE(same_finite_bits(arrival.v, other.v)) << name;
  EXPECT_TRUE(same_finite_bits(arrival.reactions, other.reactions)) << name;
  EXPECT_TRUE(same_bits(report.work, again.work) && same_bits(report.dissipated, again.dissipated)) << name;
}

TEST(Steppers, NanInTheirWorkspacesMakesNoDifference) {
  for (const char* text : {"@random_tree:bodies=25,seed=2", "@gripper"}) {  // the second has constraints
    const Model model = model_of(text);
    Dynamics dynamics(model);
    const auto euler = [](EulerWorkspace& ws) { poison(ws.vdot, ws.step); };
    expect_the_same_from_nan(dynamics, "explicit_euler", explicit_euler, EulerWorkspace(model), euler);
    expect_the_same_from_nan(dynamics, "semi_implicit_euler", semi_implicit_euler, EulerWorkspace(model), euler);
    expect_the_same_from_nan(dynamics, "implicit_midpoint", implicit_midpoint, MidpointWorkspace(model),
                             [](MidpointWorkspace& ws) { poison(ws.q, ws.v, ws.vdot, ws.before, ws.step); });
    const auto stages = [](Stages& ws) { poison(ws.u, ws.q, ws.v, ws.udot, ws.vdot, ws.reactions, ws.power); };
    expect_the_same_from_nan(dynamics, "rk4", rk4, Stages(dynamics, rk4_stages), stages);
    expect_the_same_from_nan(dynamics, "dormand_prince", dormand_prince, Stages(dynamics, dormand_prince_stages),
                             stages);
  }
}

}  // namespace
}  // namespace linchpin
