// Stepping does not allocate, nor do monitoring a run, Jacobians and energies. Allocations are counted by an operator
// new of the whole test program.
#include "linchpin/base/allocation_testing.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/testing.h"

namespace linchpin {
namespace {

// The lists of steppers with contact grow in the first steps with their rows; some are swapped in each step, so it
// takes two rounds. A state that is assigned keeps its capacity.
void grow_lists(Simulation& simulation, State& state, const Inputs& inputs = {}) {
  if (!has_contact(*simulation.options().stepper)) return;
  const State start = state;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(simulation.step(state, inputs).ok());
    state = start;
  }
}

TEST(NoAllocation, InAStepOfAnyStepper) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const std::vector<double> tau = random_numbers(model.nv(), 1), f_ext = random_numbers(6 * model.bodies().size(), 2);
    for (const Stepper stepper : all_steppers()) {
      State state = random_state(model, 1, 1, 0.1);
      Simulation simulation(model, {.stepper = stepper, .dt = 1e-4});
      grow_lists(simulation, state, {tau, f_ext});
      RunMonitor monitor(model);
      const long before = allocations;
      monitor.start(state);
      for (int i = 0; i < 2; ++i) monitor.add(state, simulation.step(state, {tau, f_ext}));
      EXPECT_EQ(allocations - before, 0) << name << " " << to_string(stepper);
      EXPECT_EQ(monitor.certificate().steps, 2) << name << " " << to_string(stepper);
    }
  }
}

TEST(NoAllocation, InAStepOfAClosedChain) {
  for (const char* name : {"@four_bar", "@four_bar:loops=10", "@squeezer", "@stewart", "@rolling_disc", "@gripper"}) {
    const Model model = model_of(name);
    for (const Stepper stepper : all_steppers()) {
      State state = make_state(model);
      Simulation simulation(model, {.stepper = stepper, .dt = 1e-5});
      grow_lists(simulation, state);
      RunMonitor monitor(model);
      const long before = allocations;
      monitor.start(state);
      for (int i = 0; i < 2; ++i) monitor.add(state, simulation.step(state));
      EXPECT_EQ(allocations - before, 0) << name << " " << to_string(stepper);
      EXPECT_EQ(monitor.certificate().steps, 2) << name << " " << to_string(stepper);
    }
  }
}

TEST(NoAllocation, InAStepWithActuators) {
  ModelSpec spec = scene("@pendulum:links=3").value();
  const std::string joint = spec.joints[1].name;
  spec.actuators.push_back({.name = "motor", .joint = spec.joints[0].name, .gear = 2, .upper = 1});
  spec.actuators.push_back(
      {.name = "servo", .joint = joint, .type = ActuatorType::position, .stiffness = 10, .damping = 1, .upper = 0.5});
  spec.actuators.push_back({.name = "drive", .joint = joint, .type = ActuatorType::velocity, .damping = 1});
  const Model model = compiled(spec);
  const std::vector<double> controls{1, 2, 3};
  std::vector<Stepper> steppers = all_steppers();
  steppers.push_back(Stepper::time_stepping);
  for (const Stepper stepper : steppers) {
    Simulation simulation(model, {.stepper = stepper, .dt = 1e-4});
    State state = make_state(model);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(simulation.step(state, {.controls = controls}).ok());
    const long before = allocations;
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(simulation.step(state, {.controls = controls}).ok());
    EXPECT_EQ(allocations - before, 0) << to_string(stepper);
  }
}

// After a run has had its largest number of contacts: lists keep their capacity.
TEST(NoAllocation, InAStepWithContacts) {
  for (const char* name :
       {"@stack:boxes=4", "@stack", "@slope:angle=35", "@stand", "@grip", "@swing:links=5", "@bounce"}) {
    const Model model = model_of(name);
    for (const int directions : {0, 4}) {
      if (directions > 0 && std::string(name) == "@stack") continue;  // 240 rows by pivoting: long
      Simulation simulation(model, {.dt = 1e-3, .contact = {.directions = directions}});
      State state = make_state(model);
      for (int i = 0; i < 1200; ++i) ASSERT_TRUE(simulation.step(state).ok()) << name;
      const State again = state;
      for (int i = 0; i < 200; ++i) ASSERT_TRUE(simulation.step(state).ok()) << name;
      state = again;
      const long before = allocations;
      for (int i = 0; i < 200; ++i) simulation.step(state);
      EXPECT_EQ(allocations - before, 0) << name << " " << directions;
    }
  }
}

TEST(NoAllocation, InAStepOfPositionLevelWithContacts) {
  const Model model = model_of("@stand4");
  for (const Stepper stepper : {Stepper::position_level, Stepper::higher_order}) {
    Simulation simulation(model, {.stepper = stepper});
    State state = make_state(model);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step(state).ok());
    const long before = allocations;
    for (int i = 0; i < 100; ++i) simulation.step(state);
    EXPECT_EQ(allocations - before, 0) << to_string(stepper);
  }
}

// Springs that dt does not resolve have rows and corrections of their own.
TEST(NoAllocation, InAStepOfTrapezoidalWithStiffSprings) {
  ModelSpec spec;
  for (const char* name : {"left", "right"}) {
    spec.bodies.push_back({.name = name, .inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}}, .geometry = {}});
    spec.joints.push_back(joint(name, JointType::free, "world", name));
    spec.joints.back().dofs.assign(6, DofSpec{.damping = 1e3});
  }
  SpringSpec spring;
  spring.name = "string";
  spring.a = {"left", translation(0.1, 0, 0)};
  spring.b = {"right", translation(-0.1, 0.3, 1)};
  spring.stiffness = 1e9;
  spring.length = 1.04;
  spec.springs = {spring};
  const Model model = compiled(spec);
  Simulation simulation(model, {.stepper = Stepper::trapezoidal});
  State state = make_state(model);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(simulation.step(state).ok());
  const long before = allocations;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(simulation.step(state).ok());
  EXPECT_EQ(allocations - before, 0);
}

TEST(NoAllocation, InAStepThatFails) {
  const Model model = model_of("@humanoid");
  for (const Stepper stepper : all_steppers()) {
    State state = make_state(model);
    state.v[3] = std::nan("");
    Simulation simulation(model, {.stepper = stepper});
    const long before = allocations;
    EXPECT_FALSE(simulation.step(state).ok());
    EXPECT_EQ(allocations - before, 0) << to_string(stepper);
  }
}

// A ball that is driven into the floor: the list of its contacts.
TEST(NoAllocation, InAStepWithoutContactMode) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}});
  spec.bodies.push_back({.name = "ball",
                         .inertia = {1, {0, 0, 0}, Sym3<double>::zero()},
                         .geometry = {{.name = "ball", .shape = Sphere{0.1}}}});
  spec.joints.push_back(joint("down", JointType::prismatic, "world", "ball"));
  spec.joints[0].X_PF.p = {0, 0, 0.1};
  spec.constraints.push_back(prescribed("drive", "down", {.polynomial = {0, 0, -0.5}}));
  const Model model = compiled(spec);
  Simulation simulation(model, {.stepper = Stepper::event_driven});
  State state = make_state(model);
  for (int round = 0; round < 2; ++round) EXPECT_EQ(simulation.step(state).status, StepStatus::no_mode);
  const long before = allocations;
  EXPECT_EQ(simulation.step(state).status, StepStatus::no_mode);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(simulation.contacts_without_mode().size(), 1u);
}

// Too many events for event_driven: time_stepping takes the step.
TEST(NoAllocation, InAStepThatIsHandedOver) {
  const Model model = model_of("@bounce:height=0.01,restitution=0.9");
  Simulation simulation(model, {.stepper = Stepper::event_driven, .dt = 0.5, .contact = {.max_splits = 3}});
  State state = make_state(model);
  const State start = state;
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(simulation.step(state).handed_over, 1);
    state = start;
  }
  const long before = allocations;
  EXPECT_EQ(simulation.step(state).handed_over, 1);
  EXPECT_EQ(allocations - before, 0);
}

TEST(NoAllocation, InMechanics) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const State s = random_state(model, 1);
    const std::vector<double> vdot = random_numbers(s.v.size(), 1);
    const Plan<double> plan(model);
    Kinematics<double> kin(plan);
    Velocities vel(model);
    std::vector<Motion<double>> acceleration(model.links().size());
    std::vector<double> J(6 * s.v.size()), tau(s.v.size());
    const int body = int(model.bodies().size()) - 1;
    const Vec3<double> point{1, 2, 3};
    const long before = allocations;
    kinematics<double>(plan, s.q, kin);
    velocities(model, kin, s.v, vel);
    accelerations(model, kin, vel, s.v, vdot, acceleration);
    point_velocity(model, kin, vel, body, point);
    point_acceleration(model, kin, vel, acceleration, body, point);
    point_jacobian(model, kin, vel, body, point, J);
    point_jacobian_rate(model, kin, vel, body, point, J);
    centre_of_mass(model, kin, vel);
    momentum(model, kin, vel);
    energy(model, kin, vel, s.q, s.v);
    add_passive_forces(model, s.q, s.v, tau);
    damping_power(model, s.v);
    EXPECT_EQ(allocations - before, 0) << name;
  }
}

}  // namespace
}  // namespace linchpin
