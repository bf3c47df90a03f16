// Simulation::reactions(): the constraint forces of a step, against statics, Newton's and Euler's laws, and between
// steppers and formulations.
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"
#include "linchpin/sim/steppers.h"
#include "linchpin/sim/time_stepping/contact_stepper.h"

namespace linchpin {
namespace {

// ---- an A-frame on the floor ----------------------------------------------------------------------------------------
//
//            apex              two uniform legs, hinged at the apex, with round feet; a tie (a massless rod) from foot
//            /  \              to foot. Each foot carries m g. Moments on one leg about the apex:
//           /    \ height          m g span - m g span / 2 - T height = 0
//     foot o------o            so the tie's tension is T = m g span / (2 height).                               (1)
//            span              Without the floor the frame falls freely, and T is zero.

constexpr double span = 0.4, height = 0.6, radius = 0.05, mass = 3, g = 9.81;
constexpr double tension = mass * g * span / (2 * height);

enum class Apex { joint, loop, planar_loop };

// Apex::joint: the right leg hangs on the left one, the tie is the only loop. The others: each leg has a joint of its
// own to the world, and a loop is the hinge; in the plane three of its five rows are redundant.
ModelSpec a_frame(Apex apex, double mu) {
  ModelSpec spec;
  spec.gravity = {0, 0, -g};
  const Material material{.friction = {mu, mu}};
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = material});
  const Transform<double> at_apex = translation(0, 0, height + radius);
  for (const double side : {-1., 1.}) {
    const std::string name = side < 0 ? "left" : "right";
    const Vec3<double> foot{side * span, 0, -height};
    const double length = norm(foot), along = mass * length * length / 12;
    const Mat3<double> R = frame_with_z(foot);
    BodySpec leg{.name = name,
                 .inertia = {mass, 0.5 * foot, rotate(R, Sym3<double>::diagonal(along, along, 0.01 * along))},
                 .geometry = {}};
    leg.geometry.push_back({.name = name + "_foot",
                            .shape = Sphere{radius},
                            .X_BG = {Mat3<double>::identity(), foot},
                            .material = material});
    spec.bodies.push_back(leg);
    const bool hangs = apex == Apex::joint && side > 0;
    JointSpec j = joint(name + "_joint", hangs ? JointType::revolute : JointType::free, hangs ? "left" : "world", name);
    if (apex == Apex::planar_loop) j.type = JointType::planar;
    if (!hangs) j.X_PF = at_apex;
    j.axis = {0, 1, 0};
    spec.joints.push_back(j);
  }
  if (apex != Apex::joint) {
    const Transform<double> hinge{frame_with_z({0, 1, 0}), {0, 0, 0}};
    LoopSpec pin;
    pin.type = LoopType::pin;
    pin.a = {"left", hinge};
    pin.b = {"right", hinge};
    spec.constraints.push_back({"apex", pin});
  }
  spec.constraints.push_back({"tie", RodSpec{.a = {"left", translation(-span, 0, -height)},
                                             .b = {"right", translation(span, 0, -height)},
                                             .length = 2 * span,
                                             .extension = {}}});
  return spec;
}

// The constraint forces on coordinates, J' lambda at this state.
std::vector<double> on_coordinates(const Model& model, const State& state, std::span<const double> lambda) {
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  place_chain(state.q, state.v, state.time, chain);
  const std::size_t rows = lambda.size(), nv = state.v.size();
  std::vector<double> J(rows * nv), force(nv, 0.0);
  constraint_jacobian(model, chain.constraints, chain.rows, chain.kin, chain.vel, J);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < nv; ++k) force[k] += lambda[r] * J[r * nv + k];
  return force;
}

// The problems are solved to a relative residual of 1e-10; nearly all digits of the forces follow.
constexpr double solved = 1e-8;

TEST(Reactions, OfAFrameOnTheFloorAreThoseOfStatics) {
  for (const Apex apex : {Apex::joint, Apex::loop, Apex::planar_loop}) {
    const Model model = compiled(a_frame(apex, 0));
    std::vector<double> first;
    for (const Method method : all_methods()) {
      SCOPED_TRACE(testing::Message() << "apex " << int(apex) << ", " << to_string(method));
      Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = 1e-3, .contact = {.method = method}});
      State state = make_state(model);
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(simulation.step(state).ok());
        ASSERT_EQ(simulation.contacts().size(), 2u);
        for (const ContactReport& c : simulation.contacts()) EXPECT_NEAR(c.normal_force, mass * g, solved * mass * g);
        const std::span<const double> r = simulation.reactions();
        ASSERT_EQ(r.size(), apex == Apex::joint ? 1u : 6u);
        EXPECT_NEAR(r.back(), -tension, solved * tension) << "(1); g of a rod grows with its length";
        if (apex == Apex::joint) continue;
        // By symmetry the apex carries no weight; it pushes the right leg outwards.
        const Vec3<double> on_right = frame_with_z({0, 1, 0}) * Vec3<double>{r[0], r[1], r[2]};
        EXPECT_NEAR(on_right.x, tension, solved * tension);
        EXPECT_NEAR(on_right.z, 0, solved * tension);
      }
      EXPECT_LT(fastest(state), 1e-10);
      const std::vector<double> force = on_coordinates(model, make_state(model), simulation.reactions());
      if (first.empty()) first = force;
      EXPECT_LT(largest_difference(force, first), solved * tension);
    }
    // The smooth dynamics at this state knows nothing of the floor: no tension.
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints());
    const State state = make_state(model);
    std::vector<double> tau(state.v.size(), 0.0), vdot(state.v.size());
    constrained_dynamics(state.q, state.v, tau, {}, 0, chain, vdot);
    EXPECT_NEAR(chain.reactions.back(), 0, 1e-12 * tension);
  }
}

// ---- Newton and Euler -----------------------------------------------------------------------------------------------

struct Imbalance {
  double worst, size;
};

// One step of one interval from `state`, before its projection. Bodies on free joints have six coordinates each, so the
// balance of the coordinates is that of momentum and moment of momentum of each body. It holds at the middle of the
// step, where forces are evaluated (midpoint.h), with the velocity products of v_m, the mean of v and v+ up to the
// last round (forces.h):
//     rnea(q + h/2 v, v_m, (v+ - v) / dt) - contact forces - loop forces = 0
Imbalance imbalance(const Model& model, const State& state, const SimulationOptions& options) {
  Dynamics dynamics(model);
  place_chain(state.q, state.v, state.time, *dynamics.chain());
  ContactStepper stepper(dynamics, options);
  Arrival to(model, dynamics.constraint_rows());
  const Inputs inputs;
  const StepReport report = stepper.step({state, inputs, options}, to);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_EQ(report.impacts, 0);

  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  std::vector<double> q = state.q, step, v_mean;
  for (std::size_t k = 0; k < state.v.size(); ++k) {
    step.push_back(0.5 * options.dt * state.v[k]);
    v_mean.push_back(0.5 * (state.v[k] + to.v[k]));
  }
  integrate(model, step, q);
  place_chain(q, state.v, state.time, chain);
  const std::size_t nv = state.v.size();
  std::vector<double> f(6 * model.bodies().size(), 0.0), tau(nv, 0.0), vdot(nv), needed(nv), gravity(nv);
  add_reactions(model, chain.constraints, chain.rows, chain.kin, q, to.reactions, tau, f);
  for (const ContactReport& c : stepper.contacts())
    for (const auto& [body, force] : {std::pair{c.body_a, c.force}, std::pair{c.body_b, -1.0 * c.force}}) {
      const Transform<double> X = body_pose(model, chain.kin, body);
      const Vec3<double> moment = transpose_times(X.R, cross(c.point - X.p, force)), at = transpose_times(X.R, force);
      const double six[] = {moment.x, moment.y, moment.z, at.x, at.y, at.z};
      for (int k = 0; k < 6; ++k) f[std::size_t(6 * body + k)] += six[k];
    }
  for (std::size_t k = 0; k < nv; ++k) vdot[k] = (to.v[k] - state.v[k]) / options.dt;
  RneaWorkspace<double> ws(plan);
  rnea<double>(plan, q, v_mean, vdot, f, ws, needed);
  rnea<double>(plan, state.q, state.v, std::vector<double>(nv, 0.0), {}, ws, gravity);
  return {largest_difference(needed, tau), largest(gravity)};
}

// The frame slides over the floor with friction, so that it tips, its legs turn and the contacts carry unequal loads.
// The balance holds up to the velocity products, which are those of predicted velocities ((2) of forces.h): 2e-8 of the
// weight in the second step, which knows only one acceleration, and less later. In mc and nmc the
// velocities are unknowns and the balance is among the rows of the problem: it holds to the tolerance of the solver,
// 1e-10 of the momentum.
TEST(Reactions, BalanceMomentumOfEachBody) {
  for (const Apex apex : {Apex::joint, Apex::loop}) {
    const Model model = compiled(a_frame(apex, 0.3));
    const double speed = 2;
    for (const Method method : all_methods()) {
      SCOPED_TRACE(testing::Message() << "apex " << int(apex) << ", " << to_string(method));
      const SimulationOptions options{.stepper = Stepper::time_stepping, .dt = 1e-3, .contact = {.method = method}};
      Simulation simulation(model, options);
      State state = make_state(model);
      for (const Joint& j : model.joints())
        if (j.type == JointType::free) state.v[j.v + 3] = speed, state.v[j.v + 4] = 0.5;
      double turning = 0;
      for (int i = 0; i < 50; ++i) {
        const Imbalance left = imbalance(model, state, options);
        const bool solved_for = method == Method::mc || method == Method::nmc;
        const double solver = solved_for ? 1e-10 * mass * speed / options.dt : 0;
        EXPECT_LT(left.worst, 3e-8 * left.size + solver) << state.time;
        ASSERT_TRUE(simulation.step(state).ok());
        turning = larger(turning, std::abs(state.v[0]));
      }
      EXPECT_GT(turning, 0.1) << "it does turn";
      EXPECT_GT(largest(simulation.reactions()), 0.1 * tension);
    }
  }
}

// ---- impact ---------------------------------------------------------------------------------------------------------

// A ball with a mast welded to it falls on the floor within the step and bounces. The weld gives the mast its change of
// momentum: lambda dt = m (v+ - v) + m g dt, and the floor does so for both.
TEST(Reactions, IncludeImpacts) {
  ModelSpec spec;
  spec.gravity = {0, 0, -g};
  const Material material{.restitution = 0.5};
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = material});
  BodySpec ball{.name = "ball", .inertia = {2, {0, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, 0.1)}, .geometry = {}};
  ball.geometry.push_back({.name = "ball", .shape = Sphere{0.1}, .material = material});
  BodySpec mast{.name = "mast", .inertia = {1, {0, 0, 0.3}, Sym3<double>::diagonal(0.1, 0.1, 0.1)}, .geometry = {}};
  spec.bodies = {ball, mast};
  for (const BodySpec& body : spec.bodies) {
    JointSpec j = joint(body.name, JointType::free, "world", body.name);
    j.start_q = {1, 0, 0, 0, 0, 0, 0.104};  // it touches after about 4 ms
    j.start_v = {0, 0, 0, 0, 0, -1};
    spec.joints.push_back(j);
  }
  LoopSpec weld;
  weld.type = LoopType::weld;
  weld.a = {"ball", translation(0, 0, 0)};
  weld.b = {"mast", translation(0, 0, 0)};
  spec.constraints = {{"weld", weld}};
  const Model model = compiled(spec);
  for (const Method method : all_methods()) {
    SCOPED_TRACE(to_string(method));
    const double dt = 1e-2;
    Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = dt, .contact = {.method = method}});
    State state = make_state(model);
    const StepReport report = simulation.step(state);
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_EQ(report.impacts, 1);
    const double change = state.v[5] + 1;  // of the velocity along z, by the bounce from -1 m/s
    EXPECT_NEAR(change, 1.5, 0.1);
    EXPECT_NEAR(state.v[11] + 1, change, 1e-9);
    ASSERT_EQ(simulation.contacts().size(), 1u);
    const double on_both = 3 * (change / dt + g), on_mast = 1 * (change / dt + g);
    EXPECT_NEAR(simulation.contacts()[0].normal_force, on_both, 1e-9 * on_both);
    const std::span<const double> r = simulation.reactions();
    ASSERT_EQ(r.size(), 6u);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(r[k], k == 2 ? on_mast : 0, 1e-9 * on_both) << k;
  }
}

// ---- steppers -------------------------------------------------------------------------------------------------------

// J' lambda of the last step of a falling four-bar, which ends at 0.3 s. Its pins have redundant rows.
std::vector<double> four_bar_forces(const Model& model, SimulationOptions options) {
  State state = make_state(model), before = state;
  for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = k % 2 == 0 ? 1 : -1;
  Simulation simulation(model, options);
  for (long i = std::lround(0.3 / options.dt); i > 0; --i) {
    before = state;
    EXPECT_TRUE(simulation.step(state).ok()) << to_string(*options.stepper);
  }
  return on_coordinates(model, before, simulation.reactions());
}

// Means over the same last step, against dormand_prince, whose own error is far below. J' is that at the start of the
// step for all of them, so it does not hide or add an error.
TEST(Reactions, OfAllSteppersConverge) {
  const Model model = model_of("@four_bar");
  for (const Stepper stepper : {Stepper::explicit_euler, Stepper::semi_implicit_euler, Stepper::implicit_midpoint,
                                Stepper::rk4, Stepper::time_stepping}) {
    double error[2], size = 0;
    for (int i = 0; i < 2; ++i) {
      const double dt = i == 0 ? 1e-3 : 5e-4;
      const std::vector<double> exact = four_bar_forces(model, tight(dt));
      size = largest(exact);
      error[i] = largest_difference(four_bar_forces(model, {.stepper = stepper, .dt = dt}), exact) / size;
    }
    EXPECT_GT(size, 1);
    const int order = order_of(stepper);
    if (order == 4) {
      EXPECT_LT(error[1], 1e-10) << to_string(stepper);
    } else {
      EXPECT_LT(error[1], 5e-3) << to_string(stepper);
      EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.2) << to_string(stepper);
    }
  }
}

// ---- what belongs to which step -------------------------------------------------------------------------------------

TEST(Reactions, StayThoseOfTheLastStepThatSucceeded) {
  const Model model = model_of("@four_bar");
  for (const Stepper stepper : {Stepper::rk4, Stepper::dormand_prince, Stepper::time_stepping}) {
    Simulation simulation(model, {.stepper = stepper, .dt = 1e-3});
    State state = make_state(model);
    EXPECT_EQ(largest(simulation.reactions()), 0) << "before the first step";
    ASSERT_TRUE(simulation.step(state).ok());
    const std::vector<double> kept(simulation.reactions().begin(), simulation.reactions().end());
    EXPECT_GT(largest(kept), 1);
    const std::vector<double> tau(state.v.size(), std::nan(""));
    ASSERT_FALSE(simulation.step(state, {.tau = tau}).ok());
    EXPECT_TRUE(same_finite_bits(simulation.reactions(), kept)) << to_string(stepper);
  }
  const Model tree = model_of("@pendulum");
  EXPECT_TRUE(Simulation(tree, {}).reactions().empty());
}

// A frame that sleeps has no contacts in its step, and so the step knows no forces within it.
TEST(Reactions, OfWhatSleepsAreZero) {
  const Model model = compiled(a_frame(Apex::loop, 0.3));
  Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = 1e-3, .contact = {.sleep_after = 0.01}});
  State state = make_state(model);
  StepReport report;
  for (int i = 0; i < 40 && report.asleep == 0; ++i) {
    report = simulation.step(state);
    ASSERT_TRUE(report.ok()) << report.reason;
    if (report.asleep == 0) {
      EXPECT_GT(largest(simulation.reactions()), 0.1 * tension);
    }
  }
  EXPECT_EQ(report.asleep, 2);
  EXPECT_EQ(largest(simulation.reactions()), 0);
}

}  // namespace
}  // namespace linchpin
