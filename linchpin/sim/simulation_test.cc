#include "linchpin/sim/simulation.h"

#include <limits>
#include <numbers>

#include "linchpin/sim/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ---- names and checks -----------------------------------------------------------------------------------------------

TEST(Simulation, SteppersHaveNamesAndOrders) {
  ASSERT_EQ(all_steppers().size(), std::size_t(stepper_count));
  for (const Stepper stepper : all_steppers()) EXPECT_EQ(stepper_from(to_string(stepper)), stepper);
  EXPECT_EQ(stepper_from("leapfrog"), std::nullopt);
  EXPECT_EQ(order_of(Stepper::rk4), 4);
}

TEST(Simulation, RefusesWhatMakesNoSense) {
  const Model model = model_of("@top");
  for (const double dt : {0.0, -1e-3, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(Simulation(model, {.dt = dt}), CheckFailed) << dt;
  EXPECT_THROW(Simulation(model, {.relative_tolerance = -1}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.method = Method::hybrid_dca, .threads = 0}}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.threads = 2}}), CheckFailed);  // of os
  EXPECT_THROW(Simulation(model, {.absolute_tolerance = 0}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.stepper = static_cast<Stepper>(17)}), CheckFailed);
  for (const int none : {0, -1}) {
    EXPECT_THROW(Simulation(model, {.max_substeps = none}), CheckFailed);
    EXPECT_THROW(Simulation(model, {.max_iterations = none}), CheckFailed);
    EXPECT_THROW(Simulation(model, {.loop_tolerance = double(none)}), CheckFailed);
    EXPECT_THROW(Simulation(model, {.contact = {.tolerance = double(none)}}), CheckFailed);
    EXPECT_THROW(Simulation(model, {.contact = {.position_tolerance = double(none)}}), CheckFailed);
    EXPECT_THROW(Simulation(model, {.contact = {.most_contacts = none}}), CheckFailed);
  }
  EXPECT_THROW(Simulation(model, {.contact = {.directions = 5}}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.tolerance = 1e-8, .acceptable = 1e-9}}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.impact_speed = -1}}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.max_splits = -1}}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.sleep_after = -1}}), CheckFailed);
  EXPECT_THROW(Simulation(model, {.contact = {.sleep_speed = -1}}), CheckFailed);
  Simulation simulation(model, {});
  State state = make_state(model);
  const std::vector<double> two(2), six(6);
  EXPECT_THROW(simulation.step(state, {two, {}}), CheckFailed);
  EXPECT_THROW(simulation.step(state, {{}, six}), CheckFailed);  // the world counts as a body
  state.q.push_back(0);
  EXPECT_THROW(simulation.step(state), CheckFailed);
  state = make_state(model);
  state.substep = nan;
  EXPECT_THROW(simulation.step(state), CheckFailed);
}

TEST(Simulation, FirstProgram) {
  const Model model = model_of("@humanoid");
  State state = make_state(model);
  Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-2});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(simulation.step(state).ok());
  EXPECT_NEAR(state.time, 0.1, 1e-15);
  EXPECT_NEAR(state.v[5], -0.981, 1e-12);  // it falls
}

// A model without joints can be stepped: only time advances.
TEST(Simulation, NothingMoves) {
  const Model model = compiled(ModelSpec{});
  for (const Stepper stepper : all_steppers()) {
    const State state = advanced(model, make_state(model), {.stepper = stepper, .dt = 0.5}, 3);
    EXPECT_EQ(state.time, 1.5) << to_string(stepper);
  }
}

TEST(Simulation, CountsEvaluations) {
  const Model model = model_of("@double_pendulum");
  State start = make_state(model);
  start.q = {1, 1};
  for (const Stepper stepper : all_steppers()) {
    State state = start;
    const StepReport report = Simulation(model, {.stepper = stepper, .dt = 1e-3}).step(state);
    ASSERT_TRUE(report.ok());
    switch (stepper) {
      case Stepper::rk4:
        EXPECT_EQ(report.evaluations, 4);
        break;
      case Stepper::dormand_prince:
        EXPECT_EQ(report.evaluations, 1 + 6 * (report.substeps + report.rejected));
        break;
      case Stepper::event_driven:
        EXPECT_EQ(report.evaluations, report.substeps + 6 * (report.substeps + report.rejected));
        break;
      case Stepper::implicit_midpoint:
        EXPECT_GE(report.evaluations, 3);
        EXPECT_LE(report.evaluations, 8);
        break;
      case Stepper::higher_order:
        EXPECT_EQ(report.evaluations, 1 + 4);  // the contact problem, then the stages
        break;
      default:
        EXPECT_EQ(report.evaluations, 1);
    }
  }
}

// ---- bit-equality ---------------------------------------------------------------------------------------------------

TEST(Simulation, CopiedStateGoesOnWithTheSameBits) {
  const Model model = model_of("@random_tree:bodies=15,seed=4");
  const std::vector<double> tau = random_numbers(model.nv(), 1);
  for (const Stepper stepper : all_steppers()) {
    const double dt = stepper == Stepper::dormand_prince ? 0.05 : 2e-3;  // several substeps
    const SimulationOptions options{.stepper = stepper, .dt = dt, .relative_tolerance = 1e-9};
    State state = advanced(model, random_state(model, 1, 1, 0.5), options, 10, {tau, {}});
    const State copy = state;
    Simulation used(model, options);
    State elsewhere = random_state(model, 2, 1);
    used.step(elsewhere);  // this simulation has stepped another state before
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(used.step(state, {tau, {}}).ok());
    EXPECT_TRUE(same_bits(state, advanced(model, copy, options, 10, {tau, {}}))) << to_string(stepper);
  }
}

TEST(Simulation, EmptyInputsAreZeros) {
  const Model model = model_of("@random_tree:bodies=15,seed=4");
  const std::vector<double> tau(model.nv(), 0), f_ext(6 * model.bodies().size(), 0);
  for (const Stepper stepper : all_steppers()) {
    const SimulationOptions options{.stepper = stepper, .dt = 2e-3, .relative_tolerance = 1e-9};
    const State start = random_state(model, 1, 1, 0.5);
    const State a = advanced(model, start, options, 3), b = advanced(model, start, options, 3, {tau, f_ext});
    EXPECT_TRUE(same_bits(a, b)) << to_string(stepper);
  }
}

// ---- conserved quantities -------------------------------------------------------------------------------------------

TEST(Simulation, QuaternionsStayUnit) {
  const Model model = model_of("@random_tree:bodies=20,seed=1,floating=1");
  for (const Stepper stepper : all_steppers()) {
    const State state =
        advanced(model, random_state(model, 1, 1), {.stepper = stepper, .dt = 2e-3, .relative_tolerance = 1e-7}, 100);
    for (const Link& link : model.links()) {
      if (link.nq < 4) continue;
      double length2 = 0;
      for (int k = 0; k < 4; ++k) length2 += std::pow(state.q[link.q + k], 2);
      EXPECT_NEAR(length2, 1, 1e-15) << to_string(stepper);
    }
  }
}

// A free body that tumbles without forces: its linear momentum is conserved to the last bit.
TEST(Simulation, LinearMomentumOfAFreeBodyStays) {
  const Model model = model_of("@free_body");
  for (const Stepper stepper : all_steppers()) {
    State start = make_state(model);
    start.v = {0.3, 2, -1, 0.1, -0.7, 0.3};
    const State end = advanced(model, start, {.stepper = stepper, .dt = 0.01}, 1000);
    for (std::size_t k = 3; k < 6; ++k) {
      EXPECT_NEAR(end.v[k], start.v[k], 1e-14) << to_string(stepper);
      EXPECT_NEAR(end.q[k + 1], 10 * start.v[k], 1e-12) << to_string(stepper);  // a sum of a thousand steps
    }
  }
}

// A body frame off the centre of mass moves in circles, but the centre moves in a straight line.
TEST(Simulation, CentreOfMassFliesStraight) {
  ModelSpec spec = scene("@free_body").value();
  spec.bodies[0].inertia.centre = {0.5, -0.2, 0.3};
  spec.gravity = {0, 0, -9.81};
  const Model model = compiled(spec);
  State start = make_state(model);
  start.v = {0.3, 2, -1, 0, 0, 5};
  const State end = advanced(model, start, tight(0.1), 10);
  const auto centre = [&](const State& s) {
    const Transform<double> X{to_rotation(Quaternion<double>{s.q[0], s.q[1], s.q[2], s.q[3]}),
                              {s.q[4], s.q[5], s.q[6]}};
    return X * spec.bodies[0].inertia.centre;
  };
  const Vec3<double> w{0.3, 2, -1}, v0 = Vec3<double>{0, 0, 5} + cross(w, spec.bodies[0].inertia.centre);
  const Vec3<double> expected = centre(start) + 1.0 * v0 + 0.5 * spec.gravity;
  EXPECT_NEAR(norm(centre(end) - expected), 0, 1e-12);
}

// ---- dormand_prince -------------------------------------------------------------------------------------------------

TEST(DormandPrince, ErrorFollowsTheTolerance) {
  const Model model = model_of("@double_pendulum");
  State start = make_state(model);
  start.q = {1.5, 0.5};
  const State truth = advanced(model, start, tight(1), 1);
  double last = 1;
  for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
    const SimulationOptions options{
        .stepper = Stepper::dormand_prince, .dt = 1, .relative_tolerance = tolerance, .absolute_tolerance = tolerance};
    const double error = distance(model, advanced(model, start, options, 1), truth);
    EXPECT_LT(error, 100 * tolerance) << tolerance;  // some tens of substeps, and a second of mild growth
    EXPECT_LT(error, last / 10) << tolerance;
    last = error;
  }
}

// Short and long steps give the same motion; the length of the substep is kept from step to step.
TEST(DormandPrince, RemembersItsSubstep) {
  const Model model = model_of("@double_pendulum");
  State state = make_state(model);
  state.q = {1.5, 0.5};
  Simulation simulation(model, {.stepper = Stepper::dormand_prince, .dt = 0.5});
  const StepReport first = simulation.step(state);
  EXPECT_GT(first.rejected, 0);  // the first attempt is a substep of dt
  EXPECT_GT(state.substep, 0);
  int rejected = 0, substeps = 0;
  for (int i = 0; i < 9; ++i) {
    const StepReport report = simulation.step(state);
    rejected += report.rejected;
    substeps += report.substeps;
  }
  EXPECT_LT(rejected, substeps / 5);
  EXPECT_EQ(state.time, 5);
}

TEST(DormandPrince, GivesUpOnAToleranceThatRoundOffForbids) {
  const Model model = model_of("@humanoid");
  State state = random_state(model, 1, 1);
  const State before = state;
  Simulation simulation(model, {.stepper = Stepper::dormand_prince,
                                .dt = 0.1,
                                .relative_tolerance = 0,
                                .absolute_tolerance = 1e-300,
                                .max_substeps = 1000});
  const StepReport report = simulation.step(state);
  EXPECT_EQ(report.status, StepStatus::step_too_small);
  EXPECT_NE(std::string(report.reason).find("no substep meets"), std::string::npos) << report.reason;
  EXPECT_LT(report.rejected, 100);  // it does not try until max_substeps
  EXPECT_TRUE(same_bits(state, before));
}

TEST(DormandPrince, GivesUpOnAStiffModel) {
  ModelSpec spec = scene("@simple_pendulum").value();
  spec.joints[0].dofs = {DofSpec{.damping = 1e6}};  // rates of 1e6 per second: 1e6/3 substeps for stability alone
  const Model model = compiled(spec);
  State state = make_state(model);
  state.q = {1};
  const State before = state;
  Simulation simulation(model, {.stepper = Stepper::dormand_prince, .dt = 1, .max_substeps = 2000});
  const StepReport report = simulation.step(state);
  EXPECT_EQ(report.status, StepStatus::step_too_small);
  EXPECT_EQ(report.substeps + report.rejected, 2000);
  EXPECT_TRUE(same_bits(state, before));
}

// ---- implicit midpoint ----------------------------------------------------------------------------------------------

// A step forwards and a step back return to the start.
TEST(ImplicitMidpoint, IsSymmetricInTime) {
  ModelSpec spec = scene("@random_tree:bodies=12,seed=2").value();
  for (JointSpec& joint : spec.joints)
    for (DofSpec& dof : joint.dofs) dof.damping = 0;
  const Model model = compiled(spec);
  const State start = random_state(model, 1, 1);
  const SimulationOptions options{.stepper = Stepper::implicit_midpoint, .dt = 2e-3};
  State state = advanced(model, start, options, 1);
  EXPECT_GT(distance(model, start, state), 1e-4);
  for (double& v : state.v) v = -v;  // reverses time, as there is no dissipation
  state = advanced(model, state, options, 1);
  for (double& v : state.v) v = -v;
  EXPECT_LT(distance(model, start, state), 1e-12);
}

TEST(ImplicitMidpoint, SaysWhenItDoesNotConverge) {
  ModelSpec spec = scene("@simple_pendulum").value();
  spec.joints[0].dofs = {DofSpec{.stiffness = 1e6}};  // 1000 rad/s
  const Model model = compiled(spec);
  State state = make_state(model);
  state.q = {0.3};
  const State before = state;
  const StepReport report = Simulation(model, {.stepper = Stepper::implicit_midpoint, .dt = 0.01}).step(state);
  EXPECT_EQ(report.status, StepStatus::no_convergence);
  EXPECT_STRNE(report.reason, "");
  EXPECT_TRUE(same_bits(state, before));
}

// ---- not finite -----------------------------------------------------------------------------------------------------

TEST(Simulation, NotFiniteNamesTheBodyAndLeavesTheState) {
  const Model model = model_of("@humanoid");
  const int elbow = 20;  // some joint in the middle
  const Joint& joint = model.joints()[elbow];
  std::vector<double> tau(model.nv(), 0), f_ext(6 * model.bodies().size(), 0);
  tau[joint.v] = nan;
  f_ext[6 * std::size_t(joint.child) + 4] = std::numeric_limits<double>::infinity();
  for (const Stepper stepper : all_steppers()) {
    Simulation simulation(model, {.stepper = stepper});
    State bad_q = make_state(model), bad_v = bad_q, good = bad_q;
    bad_q.q[joint.q] = nan;
    bad_v.v[joint.v] = std::numeric_limits<double>::infinity();
    const auto expect_blame = [&](State& state, const Inputs& inputs) {
      const State before = state;
      const StepReport report = simulation.step(state, inputs);
      EXPECT_EQ(report.status, StepStatus::not_finite) << to_string(stepper);
      EXPECT_STRNE(report.reason, "");
      EXPECT_EQ(report.body, joint.child) << to_string(stepper) << ": " << report.reason;
      EXPECT_TRUE(same_bytes(state, before)) << to_string(stepper);
    };
    expect_blame(bad_q, {});
    expect_blame(bad_v, {});
    expect_blame(good, {tau, {}});
    expect_blame(good, {{}, f_ext});
    // The simulation can still be used.
    State after = make_state(model);
    ASSERT_TRUE(simulation.step(after).ok());
    EXPECT_TRUE(same_bits(after, advanced(model, make_state(model), {.stepper = stepper}, 1))) << to_string(stepper);
  }
}

// A motion that diverges to infinity: with a spring so stiff, each explicit step multiplies it by 1e5.
TEST(Simulation, BlowUpIsNotASuccess) {
  ModelSpec spec = scene("@simple_pendulum").value();
  spec.joints[0].dofs = {DofSpec{.stiffness = 1e10}};
  const Model model = compiled(spec);
  for (const Stepper stepper : {Stepper::explicit_euler, Stepper::semi_implicit_euler, Stepper::rk4}) {
    Simulation simulation(model, {.stepper = stepper, .dt = 1});
    State state = make_state(model), before = state;
    state.q = {0.3};
    StepReport report;
    for (int i = 0; i < 100 && report.ok(); ++i) {
      before = state;
      report = simulation.step(state);
    }
    EXPECT_EQ(report.status, StepStatus::not_finite) << to_string(stepper);
    EXPECT_EQ(report.body, 1) << to_string(stepper);
    EXPECT_TRUE(same_bits(state, before)) << to_string(stepper);
    EXPECT_TRUE(std::isfinite(state.q[0]) && std::isfinite(state.v[0]));
  }
}

// A weight on a damped spring comes to rest. Its velocities are rounding errors from then on, which the midpoint
// iteration cannot make converge relative to themselves.
TEST(Simulation, MidpointComesToRest) {
  ModelSpec spec;
  spec.gravity = {0, 0, -10};
  spec.bodies = {{.name = "weight", .inertia = {2, {0, 0, 0}, Sym3<double>::zero()}, .geometry = {}}};
  JointSpec slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.child = "weight";
  slide.dofs = {DofSpec{.damping = 60, .stiffness = 1000, .rest = 0.3}};
  spec.joints = {slide};
  const Model model = compiled(spec);
  const State state = advanced(model, make_state(model), {.stepper = Stepper::implicit_midpoint, .dt = 1e-3}, 4000);
  EXPECT_NEAR(state.q[0], 0.3 - 20. / 1000, 1e-14);
  EXPECT_NEAR(state.v[0], 0, 1e-14);
}

// ---- ignored parts of a model ---------------------------------------------------------------------------------------

TEST(Simulation, NamesWhatItIgnores) {
  EXPECT_TRUE(ignored_by_smooth_steppers(model_of("@double_pendulum")).empty());
  ModelSpec spec = scene("@double_pendulum").value();
  spec.joints[1].dofs = {DofSpec{.dry_friction = 0.1, .upper = 1, .effort_limit = 5}};
  spec.actuators.push_back({.name = "motor", .joint = "hinge_2"});
  EXPECT_EQ(ignored_by_smooth_steppers(compiled(spec)),
            (std::vector<std::string>{"joint 'hinge_2': dry friction", "joint 'hinge_2': position limits"}))
      << "actuators and their effort limits act";
  EXPECT_FALSE(ignored_by_smooth_steppers(model_of("@humanoid")).empty());  // its joints have limits
  EXPECT_EQ(ignored_by_smooth_steppers(model_of("@stack")),
            (std::vector<std::string>{"contact: shapes that may touch pass through each other"}));
  ModelSpec for_display = scene("@stack").value();
  for (BodySpec& body : for_display.bodies)
    for (GeometrySpec& shape : body.geometry) shape.groups = shape.touches = 0;
  EXPECT_TRUE(ignored_by_smooth_steppers(compiled(for_display)).empty());
}

}  // namespace
}  // namespace linchpin
