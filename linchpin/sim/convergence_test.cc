// The measured order of each stepper: the slope of log error over log dt, for an ordinary mechanism and two with
// quaternions. The reference is dormand_prince at a tolerance near round-off.
#include <numbers>

#include "linchpin/sim/certificate.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

struct SmoothMotion {
  std::string name;
  Model model;
  State start;
  double time;
  State truth;
};

SmoothMotion problem(std::string name, Model model, State start, double time) {
  State truth = advanced(model, start, tight(time), 1);
  return {std::move(name), std::move(model), std::move(start), time, std::move(truth)};
}

// One coordinate and a constant mass matrix: no force depends on the velocity.
SmoothMotion pendulum() {
  Model model = model_of("@simple_pendulum");
  State start = make_state(model);
  start.q = {0.8};
  start.v = {-1};
  return problem("pendulum", std::move(model), std::move(start), 1);
}

SmoothMotion double_pendulum() {
  Model model = model_of("@double_pendulum:rods=1");
  State start = make_state(model);
  start.q = {0.8, 0.4};
  start.v = {-1, 0.5};
  return problem("double pendulum", std::move(model), std::move(start), 1);
}

SmoothMotion top() {
  Model model = model_of("@top");
  State start = make_state(model);
  start.q = {std::cos(0.4), std::sin(0.4), 0, 0};
  start.v = {0.5, -1, 6};
  return problem("top", std::move(model), std::move(start), 2);
}

SmoothMotion tumbling_body() {
  Model model = model_of("@free_body");
  State start = make_state(model);
  start.v = {0.5, 1, 2, 0.3, 0, -0.2};
  return problem("free body", std::move(model), std::move(start), 5);
}

SmoothMotion floating_tree() {
  ModelSpec spec = scene("@random_tree:bodies=8,seed=3,floating=1").value();
  for (JointSpec& joint : spec.joints)
    for (DofSpec& dof : joint.dofs) dof.damping = 0;
  Model model = compiled(spec);
  State start = random_state(model, 5, 0.5, 1);
  return problem("floating tree", std::move(model), std::move(start), 0.5);
}

// The slope of the least-squares line through these points.
double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / double(x.size()), my += y[i] / double(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  return xy / xx;
}

// The order from four runs, with 2^first steps in the first and twice as many in each further one.
template <class Error>
double measured_order(const SmoothMotion& p, int first, const Error& error_at) {
  std::vector<double> log_dt, log_error;
  for (int i = first; i < first + 4; ++i) {
    const int steps = 1 << i;
    log_dt.push_back(-i);
    log_error.push_back(std::log2(error_at(steps, p.time / steps)));
  }
  return slope_of(log_dt, log_error);
}

// dormand_prince with fixed substeps: the tolerance accepts everything, so there is one substep per dt.
SimulationOptions fixed_step(Stepper stepper, double dt) {
  return {.stepper = stepper, .dt = dt, .relative_tolerance = 1e6, .absolute_tolerance = 1e6};
}

// The range of steps: fine enough for the leading error term, coarse enough to stay above round-off.
int first_power(Stepper stepper) {
  if (stepper == Stepper::time_stepping || stepper == Stepper::trapezoidal)
    return 10;  // with longer steps it takes more rounds (forces.h)
  switch (order_of(stepper)) {
    case 1:
      return 10;
    case 5:
      return 6;
    default:
      return 8;
  }
}

void expect_order(const SmoothMotion& p, const std::vector<Stepper>& steppers = all_steppers()) {
  for (const Stepper stepper : steppers) {
    const double order = measured_order(p, first_power(stepper), [&](int steps, double dt) {
      return distance(p.model, advanced(p.model, p.start, fixed_step(stepper, dt), steps), p.truth);
    });
    testing::Test::RecordProperty(std::string(to_string(stepper)), std::to_string(order));
    EXPECT_NEAR(order, order_of(stepper), 0.2) << p.name << " " << to_string(stepper);
  }
}

TEST(Convergence, DoublePendulum) { expect_order(double_pendulum()); }
TEST(Convergence, Top) { expect_order(top()); }
TEST(Convergence, FreeBody) { expect_order(tumbling_body()); }
TEST(Convergence, FloatingTree) { expect_order(floating_tree()); }
TEST(Convergence, TimeSteppingOfAPendulum) { expect_order(pendulum(), {Stepper::time_stepping}); }

// The energy error has at least the stepper's order; some have a higher one (rk4: one more on conservative systems).
TEST(Convergence, EnergyDefectFallsWithTheOrder) {
  for (const SmoothMotion& p : {double_pendulum(), top(), floating_tree()})
    for (const Stepper stepper : all_steppers()) {
      const double order = measured_order(p, first_power(stepper) - 1, [&](int steps, double dt) {
        Simulation simulation(p.model, fixed_step(stepper, dt));
        RunMonitor monitor(p.model);
        State state = p.start;
        monitor.start(state);
        for (int i = 0; i < steps; ++i) monitor.add(state, simulation.step(state));
        return monitor.certificate().energy.largest_defect;
      });
      testing::Test::RecordProperty(p.name + " " + std::string(to_string(stepper)), std::to_string(order));
      EXPECT_GT(order, order_of(stepper) - 0.2) << p.name << " " << to_string(stepper);
    }
}

// ---- long runs ------------------------------------------------------------------------------------------------------

// The largest energy defect in each of `parts` equal intervals of a run of the simple pendulum from 90 degrees.
std::vector<double> defects_over_time(Stepper stepper, double dt, double time, int parts) {
  const Model model = model_of("@simple_pendulum");
  State state = make_state(model);
  state.q = {-std::numbers::pi / 2};
  Simulation simulation(model, {.stepper = stepper, .dt = dt});
  RunMonitor monitor(model);
  monitor.start(state);
  std::vector<double> worst(parts, 0);
  const int steps = int(std::lround(time / dt / parts));
  for (double& part : worst)
    for (int i = 0; i < steps; ++i) {
      monitor.add(state, simulation.step(state));
      part = larger(part, std::abs(monitor.certificate().energy.defect()));
    }
  EXPECT_NEAR(state.time, time, 1e-6);
  return worst;
}

// 42 swings: the energy error of implicit midpoint oscillates without drift. Its maximum in the last tenth equals that
// in the first, up to the phase at which the steps sample the swing.
TEST(LongRun, ImplicitMidpointDoesNotDrift) {
  const std::vector<double> worst = defects_over_time(Stepper::implicit_midpoint, 0.01, 100, 10);
  EXPECT_LT(worst.front(), 2e-2);  // dt^2 times rates^4: 1e-4 * 100
  EXPECT_NEAR(worst.back(), worst.front(), 0.02 * worst.front());
}

TEST(LongRun, SemiImplicitEulerStaysBounded) {
  const std::vector<double> worst = defects_over_time(Stepper::semi_implicit_euler, 0.01, 100, 10);
  EXPECT_LT(worst.front(), 1);
  EXPECT_NEAR(worst.back(), worst.front(), 0.05 * worst.front());
  // Explicit Euler drifts:
  const std::vector<double> explicit_worst = defects_over_time(Stepper::explicit_euler, 0.01, 100, 10);
  EXPECT_GT(explicit_worst.back(), 5 * explicit_worst.front());
}

}  // namespace
}  // namespace linchpin
