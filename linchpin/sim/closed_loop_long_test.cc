// The long runs of two tables of closed_loop_test.cc: forty loops, and the stiff governor for ten seconds.
#include <numbers>

#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

void run_to(double time, double dt, const SimulationOptions& options, const Model& model, State& state) {
  SimulationOptions exact = options;
  const int steps = int(std::ceil((time - state.time) / dt - 1e-9));
  exact.dt = (time - state.time) / steps;
  Simulation simulation(model, exact);
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.step(state);
    ASSERT_TRUE(report.ok()) << report.reason << " at t = " << state.time;
    ASSERT_LT(report.loop_error, 1e-10) << state.time;
  }
}

double at(const Model& model, const std::vector<double>& numbers, const char* joint) {
  return numbers[model.joints()[model.find_joint(joint)].v];  // trees of one-axis joints: q as v
}

// Five turns, which pass the singular position, where loops could fold, ten times. The error of rk4 grows to about
// 1e-8.
TEST(ClosedLoopLong, FortyFourBarsForTenSeconds) {
  const Model model = model_of("@four_bar:loops=40");
  State state = make_state(model);
  for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = k % 2 == 0 ? 1 : -1;
  const struct { double t, angle, rate; } rows[] = {{5, 16.278626197, 6.4600011808}, {10, 31.597433744, 1.1676221087}};
  for (const auto& row : rows) {
    run_to(row.t, 1e-3, {.stepper = Stepper::rk4}, model, state);
    EXPECT_NEAR(state.q[0], row.angle, 5e-8) << row.t;
    EXPECT_NEAR(state.v[0], row.rate, 5e-7) << row.t;
    for (std::size_t k = 1; k < state.q.size(); ++k)  // still parallelograms
      EXPECT_NEAR(state.q[k], (k % 2 == 0 ? 1 : -1) * state.q[0], 1e-8) << row.t;
  }
}

TEST(ClosedLoopLong, GovernorForTenSeconds) {
  const Model model = model_of("@governor");
  State state = make_state(model);
  state.v[model.joints()[model.find_joint("spin")].v] = 2 * std::numbers::pi;
  run_to(10, 0.25, {.stepper = Stepper::dormand_prince, .relative_tolerance = 1e-11, .absolute_tolerance = 1e-12},
         model, state);
  const double tolerance = 5e-9;  // the accumulated tolerance of the substeps
  EXPECT_NEAR(at(model, state.q, "right_rod_hinge") + std::numbers::pi / 6, 0.3900737018, tolerance);
  EXPECT_NEAR(at(model, state.q, "slide") + 0.5, 0.6196229171, tolerance);
  EXPECT_NEAR(at(model, state.v, "right_rod_hinge"), 0.8084670513, 10 * tolerance);
  EXPECT_NEAR(at(model, state.v, "spin"), 5.548203623, 10 * tolerance);
  EXPECT_NEAR(at(model, state.q, "spin"), 55.93540991, 10 * tolerance);
}

}  // namespace
}  // namespace linchpin
