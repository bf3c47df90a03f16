// The checks at the end of a substep, for a ball of 1 kg on a rail above the floor, without friction.
#include "linchpin/sim/event_driven/mode_events.h"

#include "linchpin/sim/event_driven/testing.h"

namespace linchpin {
namespace {

// q[0] is the height of the ball over the floor.
ModelSpec ball_on_a_rail(double upper) {
  ModelSpec spec;
  spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}});
  const Sym3<double> I = Sym3<double>::diagonal(1, 1, 1);
  spec.bodies = {{.name = "ball", .inertia = {1, {0, 0, 0}, I}, .geometry = {{.name = "ball", .shape = Sphere{0.1}}}}};
  for (Material* material : {&spec.bodies[0].geometry[0].material, &spec.world_geometry[0].material})
    material->friction = {0, 0};
  spec.joints = {joint("rail", JointType::prismatic, "world", "ball")};
  spec.joints[0].X_PF = translation(0, 0, 0.1);
  spec.joints[0].dofs = {DofSpec{.upper = upper}};
  return spec;
}

// A substep from `height` with the speed v under an upward force, in a mode with the contact closed or none.
struct Substep {
  Substep(double height, double v, double force, bool closed, double h, double upper = 5)
      : model(compiled(ball_on_a_rail(upper))),
        tau{force},
        inputs{.tau = tau},
        dynamics(model),
        plan(model, {.stepper = Stepper::event_driven, .dt = 0.1}),
        by(dynamics, plan),
        substep(dynamics, plan, by),
        events(plan, by),
        at(model, 0),
        placed(model, plan.plan),
        set(plan.contacts),
        length(h) {
    State state = make_state(model);
    state.q = {height};
    state.v = {v};
    at.start_from(state);
    place(model, plan.plan, at.q, at.v, placed);
    find_contacts(model, plan.contacts, placed.kin, placed.vel, 10, set);
    if (closed) mode.contacts.push_back({.at = set.contacts.at(0)});
    substep.begin({0, at, inputs, mode, set});
    substep.take({0, at, inputs, mode, set}, h);
  }
  EventCheck check(const Watch& watch = {}) {
    return events.at_end({0, at, inputs, mode, set}, substep, length, watch);
  }
  double first_touch() { return events.first_touch_within({0, at, inputs, mode, set}, substep, length); }

  Model model;
  std::vector<double> tau;
  Inputs inputs;
  Dynamics dynamics;
  StepPlan plan;
  ModeDynamics by;
  ModeSubstep substep;
  ModeEvents events;
  Arrival at;
  Placed placed;
  ContactSet set;
  Mode mode;
  double length;
};

constexpr double earth = 9.81;

// The force of the floor, m g - F, relative to the acceleration without it, is 1 where it presses and -1 where it would
// have to pull. The condition counts as violated where that is below -1e-9, so the margin is that much more. The same
// margin is found again if it is watched.
TEST(ModeEvents, AContactThatPulls) {
  for (const double force : {0.0, earth - 0.5, earth + 0.5}) {
    Substep s(0, 0, force, true, 0.01);
    const EventCheck check = s.check();
    const double expected = force < earth ? 1 : -1;
    EXPECT_EQ(check.what.kind, Watch::Kind::condition);
    EXPECT_EQ(check.what.fault, ModeFault::Kind::pulls);
    EXPECT_EQ(check.what.index, 0);
    EXPECT_EQ(check.violated, expected < 0) << force;
    EXPECT_NEAR(check.margin, expected + 1e-9, 1e-13) << force;  // rounding of 0.5 in 9.81
    EXPECT_FALSE(check.is_replaced);
    EXPECT_NEAR(s.check(check.what).watched, check.margin, 1e-15);
    EXPECT_TRUE(std::isnan(check.watched));
  }
}

// In flight, the gap is h + v t - g t^2 / 2. It is violated where it is negative and still closes.
TEST(ModeEvents, AGapThatCloses) {
  const double t = 0.1;
  for (const double v : {0.0, -1.0, 3.0}) {
    const double height = 0.1, gap = height + v * t - 0.5 * earth * t * t;
    Substep s(height, v, 0, false, t);
    const EventCheck check = s.check();
    EXPECT_EQ(check.what.kind, Watch::Kind::touch) << v;
    EXPECT_EQ(check.violated, gap < 0) << v;
    EXPECT_NEAR(check.margin, gap, 1e-14) << v;
    EXPECT_NEAR(s.check(check.what).watched, gap, 1e-14) << v;
    // Within the substep it is looked for at 0.2, 0.4, 0.6 and 0.8 of it.
    double first = 1;
    for (const double part : {0.8, 0.6, 0.4, 0.2})
      if (height + v * part * t - 0.5 * earth * part * part * t * t < 0) first = part;
    EXPECT_EQ(s.first_touch(), first) << v;
  }
  Substep dips(1e-3, -0.4, 8 + earth, false, t);  // down to -9 mm after half of the substep, and back
  EXPECT_FALSE(dips.check().violated);
  EXPECT_EQ(dips.first_touch(), 0.2);
}

// The same at the upper end of the rail, 0.3 m - q.
TEST(ModeEvents, ALimitThatIsReached) {
  for (const double v : {1.0, 2.0}) {
    Substep s(0.15, v, earth, false, 0.1, 0.3);
    const EventCheck check = s.check();
    EXPECT_EQ(check.what.kind, Watch::Kind::limit_touch);
    EXPECT_EQ(check.what.index, 0);
    EXPECT_EQ(check.violated, v == 2);
    EXPECT_NEAR(check.margin, 0.15 - 0.1 * v, 1e-14);
    EXPECT_NEAR(s.check(check.what).watched, check.margin, 1e-15);
    EXPECT_EQ(s.first_touch(), v == 2 ? 0.8 : 1);
  }
}

// Motion within a substep is the parabola of a fall, to rounding: the dense output is exact for it.
TEST(ModeEvents, PlacesWithinASubstep) {
  const double h = 0.1, v = 2, height = 0.5;
  Substep s(height, v, 0, false, h);
  std::vector<double> q(1), speed(1);
  for (const double theta : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    const double t = theta * h;
    s.substep.place_within({0, s.at, s.inputs, s.mode, s.set}, h, theta, q, speed);
    EXPECT_NEAR(q[0], height + v * t - 0.5 * earth * t * t, 1e-14) << theta;
    EXPECT_NEAR(speed[0], v - earth * t, 1e-14) << theta;
  }
}

}  // namespace
}  // namespace linchpin
