// Contact over time against what is known in closed form.
#include <cmath>
#include <numbers>

#include "linchpin/contact/contact_set.h"
#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

TEST(Contact, NothingCreepsOnASlope) {
  for (const Method method : all_methods()) {
    const Model model = model_of("slope:angle=20,mu=0.5,heading=30,turn=10");
    const Finished r = run(model, method == Method::os ? 10 : 0.5, {.contact = {.method = method}});
    State start = make_state(model);
    EXPECT_LT(distance(model, start, r.state), 1e-12) << to_string(method);
    EXPECT_LT(r.certificate.penetration, 1e-12);
    EXPECT_LT(r.certificate.residual, 1e-10);
  }
}

// A gap of up to ten position tolerances (1e-8 m) counts as touch: the ball rests where it is. A larger one, of what a
// fall closes within a step, is closed down to that, half of it in each step. 1e-15: what rounding leaves of a height
// of 0.1 m.
TEST(Contact, GapsAsGoodAsNoneStay) {
  for (const double gap : {5e-9, 5e-8}) {
    const Model model = model_of("bounce:restitution=0,height=" + std::to_string(gap * 1e9) + "e-9");
    const Finished r = run(model, 0.1);
    const double left = gap + r.state.q[6];
    EXPECT_NEAR(left, gap < 1e-8 ? gap : 7.5e-9, gap < 1e-8 ? 1e-15 : 2.5e-9) << gap;
    EXPECT_LT(fastest(r.state), 1e-13) << gap;
  }
}

// s = g (sin - mu cos) t^2 / 2: the acceleration is constant, which a method of second order has no error for.
TEST(Contact, SlidingIsExactAndTheSameInEveryDirection) {
  const double a = 35 * std::numbers::pi / 180, down = 9.81 * (std::sin(a) - 0.5 * std::cos(a));
  for (const double heading : {0., 17., 45., 110.})
    for (const double dt : {1e-2, 1e-3}) {
      const Model model = model_of("slope:angle=35,mu=0.5,turn=25,heading=" + std::to_string(heading));
      const Finished r = run(model, 1, {.dt = dt});
      EXPECT_NEAR(r.state.q[4], down / 2, 1e-9) << heading << " " << dt;
      EXPECT_NEAR(r.state.v[3], down, 1e-9);
      EXPECT_NEAR(r.state.q[5], 0, 1e-9) << "sideways";
    }
}

// A box that slides on a planar joint, in a vertical plane at any angle to the world's: two directions of friction are
// as good as a cone there, v = v0 - mu g t. Where nothing keeps the motion in a plane they are refused.
TEST(Contact, TwoDirectionsInAPlane) {
  for (const double heading : {0.0, 0.7, 2.1, -1.2}) {
    ModelSpec spec;
    spec.name = "slider";
    spec.world_geometry.push_back({"floor", HalfSpace{}});
    BodySpec body{.name = "box", .inertia = {}, .geometry = {}};
    add_solid(body, Box{{0.2, 0.2, 0.05}}, 1, Transform<double>::identity());
    spec.bodies.push_back(body);
    const Vec3<double> along{std::cos(heading), std::sin(heading), 0}, up{0, 0, 1};
    JointSpec guide = joint("guide", JointType::planar, "world", "box");
    guide.axis = cross(along, up);
    const Mat3<double> frame = frame_with_z(guide.axis);  // its x and y are the joint's
    guide.X_PF.p = {0, 0, 0.05};
    guide.start_v = {dot(frame.x, along), dot(frame.y, along), 0};
    spec.joints.push_back(guide);
    const Model model = compiled(spec);
    ASSERT_TRUE(motion_plane(model).has_value());
    for (const int directions : {0, 2, 4}) {
      const Finished r = run(model, 0.1, {.contact = {.directions = directions}});
      const double speed = std::hypot(r.state.v[0], r.state.v[1]);
      EXPECT_NEAR(speed, 1 - 0.5 * 9.81 * 0.1, 1e-9) << heading << ", " << directions;  // problems are solved to 1e-10
    }
  }
  const Model stack = model_of("@stack:boxes=2");
  EXPECT_FALSE(motion_plane(stack).has_value());
  EXPECT_THROW(Simulation(stack, {.contact = {.directions = 2}}), CheckFailed);
}

// With directions instead of the cone friction is weaker between them, by at most cos(pi / nf).
TEST(Contact, DirectionsOfFrictionAreWithinTheCone) {
  const double a = 35 * std::numbers::pi / 180;
  for (const int directions : {4, 8, 16}) {
    const Model model = model_of("slope:angle=35,mu=0.5,turn=0,heading=45");
    const Finished r = run(model, 0.2, {.contact = {.directions = directions}});
    const double cone = 9.81 * (std::sin(a) - 0.5 * std::cos(a)) * 0.2;
    const double weakest = 9.81 * (std::sin(a) - 0.5 * std::cos(std::numbers::pi / directions) * std::cos(a)) * 0.2;
    EXPECT_GE(r.state.v[3], cone * (1 - 1e-9)) << directions;
    EXPECT_LE(r.state.v[3], weakest * (1 + 1e-9)) << directions;
  }
}

// Impact n (from 1) is at t_1 = sqrt(2 h / g), t_n+1 = t_n + 2 e^n t_1, and the apex after it at e^2n h.
//
// Free flight is exact by (4) of contact_stepper.h, and so is the time of touch by (5). Errors come from intervals near
// a touch that have the contact's row, though it is open: by (3) they end g dt^2 / 2 below the parabola. Within reach,
// which is the way of one step, are at most two intervals before a touch and two after it, so each bounce takes up to
// d = 4 g dt^2 / 2 of height, and e^2 of what is missing already is missing again. A height that is off by d is reached
// or left d / u too early at speed u.
TEST(Contact, ApexesOfABouncingBall) {
  constexpr double g = 9.81, height = 1, seconds = 2.48;
  const double t1 = std::sqrt(2 * height / g), u1 = std::sqrt(2 * g * height);
  for (const double dt : {1e-3, 1e-4})
    for (const double e : {0.7, 1.0})
      for (const Restitution law : {Restitution::poisson, Restitution::newton}) {
        SCOPED_TRACE(testing::Message() << "dt " << dt << ", e " << e << ", " << (law == Restitution::newton));
        const Model model = model_of("bounce:height=1,restitution=" + std::to_string(e));
        std::vector<double> apexes, times;
        double before = 0;
        const Finished r = run(model, seconds, {.dt = dt, .contact = {.restitution = law}},
                               [&](const State& state, const Simulation&, const StepReport& report) {
                                 const double z = height + state.q[6], v = state.v[5];
                                 if (report.impacts > 0)
                                   times.push_back(state.time - (std::sqrt(v * v + 2 * g * z) - v) / g);
                                 if (before > 0 && v <= 0) apexes.push_back(z + v * v / (2 * g));
                                 before = v;
                               });
        ASSERT_EQ(times.size(), e == 1 ? 3u : 10u);
        EXPECT_GE(apexes.size() + 1, times.size());
        EXPECT_EQ(r.certificate.impacts, long(times.size())) << "one for each bounce";
        const double d = 4 * g * dt * dt / 2;
        double t = t1, missing = d, late = d / u1;
        for (std::size_t n = 1; n <= times.size(); ++n) {
          const double apex = height * std::pow(e, 2 * double(n)), u = u1 * std::pow(e, double(n));
          EXPECT_NEAR(times[n - 1], t, late) << "impact " << n;
          missing = e * e * missing + d;
          if (n <= apexes.size()) {
            EXPECT_LE(apexes[n - 1], apex + 1e-12) << "nothing is gained, apex " << n;
            EXPECT_GE(apexes[n - 1], apex - missing) << "apex " << n;
          }
          t += 2 * t1 * std::pow(e, double(n));
          late += 2 * missing / u;  // 2 u / g of flight, u^2 / 2 g = apex
        }
        const double lost = g * height * (1 - std::pow(e, 2 * double(times.size())));
        const double missed = g * d * double(times.size()) + 1e-12;  // of energy: d at each bounce
        EXPECT_NEAR(r.certificate.impact_loss, lost, missed);
        EXPECT_NEAR(r.certificate.energy.stored + r.certificate.impact_loss, r.certificate.energy.start, missed);
      }
}

TEST(Contact, SlidingSphereEndsRolling) {
  const Model model = model_of("roll");
  const double v0 = make_state(model).v[3];
  const Finished r = run(model, 2);
  EXPECT_NEAR(r.state.v[3], 5. / 7 * v0, 1e-9 * v0);
  // Kinetic energy: 2/7 of what it had went into friction.
  EXPECT_NEAR(r.certificate.contact_loss, 2. / 7 * r.certificate.energy.exchanged, 1e-6);
}

TEST(Contact, StackOfTenStandsStill) {
  const Model model = model_of("stack");
  const Finished r = run(model, 2);
  State start = make_state(model);
  EXPECT_LT(distance(model, start, r.state), 1e-10);
  EXPECT_LT(r.certificate.penetration, 1e-12);
  EXPECT_EQ(r.certificate.most_contacts, 40);
}

void expect_still(const std::string& scene, double seconds, double tolerance) {
  const Model model = model_of(scene);
  EXPECT_LT(distance(model, make_state(model), run(model, seconds).state), tolerance);
}
TEST(Contact, AHeavyBoxStandsOnALightOne) { expect_still("stack:boxes=2,ratio=1000", 2, 1e-10); }
TEST(Contact, TheGripHolds) { expect_still("grip", 2, 1e-9); }
TEST(Contact, AnArchStandsByFrictionAlone) { expect_still("arch", 1, 1e-9); }

// Forces on the floor carry the weight, and each is within its cone.
TEST(Contact, ForcesAreReported) {
  const Model model = model_of("stack:boxes=3");
  double weight = 0;
  run(model, 0.1, {}, [&](const State&, const Simulation& simulation, const StepReport& report) {
    weight = 0;
    EXPECT_EQ(int(simulation.contacts().size()), report.contacts);
    for (const ContactReport& c : simulation.contacts()) {
      EXPECT_LE(c.friction, c.mu * c.normal_force + 1e-9);
      EXPECT_NEAR(norm(c.normal), 1, 1e-12);
      EXPECT_EQ(c.state, c.normal_force > 0 ? ContactState::sticking : ContactState::separating);
      if (c.body_a == 0 || c.body_b == 0) weight += (c.body_a == 0 ? -1 : 1) * c.force.z;
    }
  });
  EXPECT_NEAR(weight, 9.81 * model.total_mass(), 1e-6);
}

// A box on a slope: it sticks where tan(angle) < mu and slides where not, one way or the other from the first step on,
// with the friction of the law. A ball above the floor has a contact in reach without a force.
TEST(Contact, StatesOfContactsAreThoseOfTheMotion) {
  for (const double angle : {20., 35.}) {
    const bool slides = angle > 30;
    const double a = angle * std::numbers::pi / 180;
    run(model_of("slope:mu=0.5,angle=" + std::to_string(angle)), 0.05, {},
        [&](const State&, const Simulation& simulation, const StepReport&) {
          double normal = 0, friction = 0;
          ASSERT_EQ(simulation.contacts().size(), 4u);
          for (const ContactReport& c : simulation.contacts()) {
            const ContactState pushes = slides ? ContactState::sliding : ContactState::sticking;
            EXPECT_EQ(c.state, c.normal_force > 0 ? pushes : ContactState::separating) << angle;
            EXPECT_LE(c.friction, 0.5 * c.normal_force + 1e-8);  // problems are solved to 1e-10
            normal += c.normal_force;
            const double downhill = c.force.x * std::cos(a) - c.force.z * std::sin(a);
            friction += c.body_a == 0 ? -downhill : downhill;
          }
          EXPECT_NEAR(normal, 9.81 * std::cos(a), 1e-7);
          EXPECT_NEAR(friction, -(slides ? 0.5 * 9.81 * std::cos(a) : 9.81 * std::sin(a)), 1e-7);
        });
  }
  const Model ball = model_of("bounce:restitution=0,height=1e-6");
  State state = make_state(ball);
  state.v[5] = 1;
  Simulation simulation(ball, {});
  ASSERT_TRUE(simulation.step(state).ok());
  ASSERT_EQ(simulation.contacts().size(), 1u);
  EXPECT_EQ(simulation.contacts()[0].state, ContactState::separating);
  EXPECT_EQ(simulation.contacts()[0].normal_force, 0);
}

TEST(Contact, PainleveIsSolvedAndFlagged) {
  const Model model = model_of("painleve");
  const Finished r = run(model, 1);
  EXPECT_GT(r.certificate.painleve, 0);
  EXPECT_TRUE(r.certificate.passed());
  EXPECT_LT(fastest(r.state), 100);
}

// Whatever the direction in which the rod slides, along either tangent of the contact or between them.
TEST(Contact, PainleveIsFlaggedInEveryDirection) {
  for (const double degrees : {30.0, 90.0, 180.0, 270.0}) {
    ModelSpec spec = scene("painleve").value();
    const Transform<double> turn{rotation_z(degrees * std::numbers::pi / 180), Vec3<double>::zero()};
    spec.joints[0].X_PF = turn * spec.joints[0].X_PF;  // the velocity at the start is in the axes of this frame
    const Finished r = run(compiled(spec), 1);
    EXPECT_GT(r.certificate.painleve, 0) << degrees;
    EXPECT_TRUE(r.certificate.passed()) << degrees;
  }
}

// Not where friction is below 4/3, and not where the rod is dragged instead of pushed.
TEST(Contact, OtherSlidingRodsAreNotFlaggedAsPainleve) {
  for (const char* text : {"painleve:mu=1", "painleve:speed=-1"}) {
    const Finished r = run(model_of(text), 0.1);
    EXPECT_EQ(r.certificate.painleve, 0) << text;
    EXPECT_TRUE(r.certificate.passed()) << text;
  }
}

// All that matters is in the state: another Simulation goes on with the same bits, in mid-contact too.
TEST(Contact, AStateSavedInMidContactGoesOnWithTheSameBits) {
  for (const char* text : {"stack:boxes=4", "swing:links=4", "stand", "pile:count=12", "dominoes"}) {
    const Model model = model_of(text);
    Simulation first(model, {.dt = 1e-3});
    State state = make_state(model);
    for (int i = 0; i < 400; ++i) ASSERT_TRUE(first.step(state).ok()) << text;
    State copy = state;
    Simulation second(model, {.dt = 1e-3});
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(first.step(state).ok());
      ASSERT_TRUE(second.step(copy).ok());
    }
    EXPECT_TRUE(same_bits(state, copy)) << text;
    EXPECT_EQ(state.memory.size(), copy.memory.size());
  }
}

// The same motion by all formulations, for as long as rounding has not grown by impacts.
TEST(Contact, FormulationsMoveAlike) {
  for (const char* text : {"swing:links=3", "slope:angle=35,turn=20", "stack:boxes=2", "stand4"}) {
    const Model model = model_of(text);
    const Finished os = run(model, 0.2);
    for (const Method method : all_methods()) {
      const Finished other = run(model, 0.2, {.contact = {.method = method}});
      EXPECT_LT(distance(model, os.state, other.state), 1e-7) << text << " " << to_string(method);
    }
  }
}

// What has sunk in is put back by a step from rest, whatever the velocities are: by all five to the same place.
TEST(Contact, FormulationsPutBackAlike) {
  const Model model = model_of("swing:links=3");
  State start = make_state(model);
  start.q[0] = -0.64;  // the last link is 21 mm in the floor, and moves
  std::vector<State> ends;
  for (const Method method : all_methods()) {
    Simulation simulation(model, {.contact = {.method = method}});
    State& state = ends.emplace_back(start);
    const StepReport report = simulation.step(state);
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_GT(report.penetration, 1e-3);
    EXPECT_LT(simulation.step(state).penetration, 0.1 * report.penetration) << to_string(method);
    EXPECT_LT(distance(model, ends.front(), state), 1e-6) << to_string(method);  // its problems are solved to 1e-6
  }
}

// Balls that touch share the blow [000 s.7]: with three of them (-1/3, 2/3, 2/3). With gaps between them they pass it
// on, one pair after the other, and the last one leaves alone.
TEST(Contact, BallsInARow) {
  const Model touching = model_of("cradle:balls=3");
  Simulation simulation(touching, {.dt = 1e-4});
  State state = make_state(touching);
  double before = 0;
  for (int i = 0; i < 10000; ++i) {
    before = state.v[0];
    const StepReport report = simulation.step(state);
    ASSERT_TRUE(report.ok());
    if (report.impacts > 0) break;
  }
  // v[0] before is at most a step of gravity (1e-4 s) away from that at the blow.
  EXPECT_NEAR(state.v[0] / before, -1. / 3, 1e-3);
  EXPECT_NEAR(state.v[1] / before, 2. / 3, 1e-3);
  EXPECT_NEAR(state.v[2] / before, 2. / 3, 1e-3);

  const Model apart = model_of("cradle:balls=4,gap=0.0001,angle=0,speed=2");
  Simulation passing(apart, {.dt = 1e-5});
  state = make_state(apart);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(passing.step(state).ok());
  EXPECT_NEAR(state.v[3], 2, 1e-3);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(state.v[k], 0, 2e-3) << "ball " << k;
}

TEST(Contact, DominoesFallOneAfterTheOther) {
  const Model model = model_of("dominoes:count=6");
  const Finished r = run(model, 1.5);
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const double* q = r.state.q.data() + 7 * (b - 1);
    EXPECT_LT(1 - 2 * (q[1] * q[1] + q[2] * q[2]), 0.9) << "piece " << b << " stands";  // z . R z
  }
  EXPECT_LT(r.certificate.penetration, 1e-4);
}

// Held by servos on their feet, they are pushed for a tenth of a second and stay up.
TEST(Contact, StandingRobotsTakeAPush) {
  for (const char* text : {"stand", "stand4"}) {
    const Model model = model_of(text);
    Simulation simulation(model, {.dt = 1e-3});
    State state = make_state(model);
    const double height = state.q[6];
    std::vector<double> push(6 * model.bodies().size(), 0.0);
    push[6 * 1 + 4] = 40;  // N on the trunk, to its side
    for (int i = 0; i < 1000; ++i) {
      const StepReport report = simulation.step(state, i < 100 ? Inputs{.f_ext = push} : Inputs{});
      ASSERT_TRUE(report.ok()) << text << ": " << report.reason << " at " << state.time;
    }
    EXPECT_NEAR(state.q[6], height, 0.02) << text;
    EXPECT_LT(fastest(state), 0.5) << text;
  }
}

// Static friction holds what kinetic friction would not; once it slides, the kinetic one acts.
TEST(Contact, StaticAndKineticFriction) {
  ModelSpec spec = scene("slope:angle=30").value();
  for (std::vector<GeometrySpec>* shapes : {&spec.world_geometry, &spec.bodies[0].geometry})
    for (GeometrySpec& shape : *shapes) shape.material.friction = {0.7, 0.3};
  EXPECT_NEAR(run(compiled(spec), 1).state.q[4], 0, 1e-12);  // tan 30 = 0.577
  spec.joints[0].start_v = {0, 0, 0, 0.1, 0, 0};
  const double a = std::numbers::pi / 6, down = 9.81 * (std::sin(a) - 0.3 * std::cos(a));
  EXPECT_NEAR(run(compiled(spec), 1).state.v[3], 0.1 + down, 1e-9);
}

// A skate: hardly any friction along its direction, much across.
TEST(Contact, FrictionWithADirection) {
  ModelSpec spec = scene("slope:angle=20").value();
  spec.pair_rules.friction = PairRule::maximum;
  spec.world_geometry[0].material.friction = {0, 0};
  Material& skate = spec.bodies[0].geometry[0].material;
  skate.friction = {0.5, 0.5};  // across
  const double a = std::numbers::pi / 9;
  skate.directional = Material::Directional{{1, 0, 0}, {0.1, 0.1}};  // downhill
  EXPECT_NEAR(run(compiled(spec), 1).state.v[3], 9.81 * (std::sin(a) - 0.1 * std::cos(a)), 1e-9);
  skate.directional = Material::Directional{{0, 1, 0}, {0.1, 0.1}};  // sideways
  EXPECT_NEAR(run(compiled(spec), 1).state.v[3], 0, 1e-12);
}

// Loops, springs from body to body and drives under this stepper: the energy balance closes with the step, order 1.
TEST(Contact, LoopsAndSpringsBalance) {
  for (const char* text : {"@four_bar", "@governor", "@slider_crank"}) {
    const Model model = model_of(text);
    double defect[2];
    for (const int fine : {0, 1}) {
      const double dt = fine ? 2.5e-4 : 1e-3;
      Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = dt});
      RunMonitor monitor(model);
      State state = make_state(model);
      state.v[0] = 1;
      ASSERT_TRUE(assemble(model, state).closed());
      monitor.start(state);
      for (int i = 0; i < int(std::lround(0.5 / dt)); ++i) {
        const StepReport report = simulation.step(state);
        ASSERT_TRUE(report.ok()) << text << ": " << report.reason;
        monitor.add(state, report);
      }
      EXPECT_LT(monitor.certificate().loop_error, 1e-10) << text;
      defect[fine] = monitor.certificate().energy.relative_defect();
    }
    EXPECT_LT(defect[0], 0.05) << text;
    EXPECT_LT(defect[1], 0.4 * defect[0] + 1e-9) << text;
  }
}

TEST(Contact, IslandsFallAsleepAndWake) {
  const Model model = model_of("stack:boxes=3");
  Simulation simulation(model, {.dt = 1.0 / 1024, .contact = {.sleep_after = 100.0 / 1024}});
  State state = make_state(model);
  StepReport report;
  for (int i = 0; i < 300; ++i) {
    report = simulation.step(state);
    EXPECT_EQ(report.asleep, i >= 100 ? 3 : 0) << i;
    EXPECT_EQ(report.problems == 0, i >= 100) << i;
  }
  EXPECT_EQ(report.problems, 0);
  const State slept = state;
  std::vector<double> tau(model.nv(), 0.0);
  tau[3] = 100;  // N: more than friction holds
  report = simulation.step(state, {.tau = tau});
  EXPECT_EQ(report.asleep, 0) << "a push wakes all of them";
  EXPECT_GT(distance(model, slept, state), 1e-6);
}

TEST(Contact, ABadStateIsRefusedWithTheCulprit) {
  const Model model = model_of("stack:boxes=2");
  Simulation simulation(model, {});
  State state = make_state(model);
  state.v[7] = std::nan("");
  const State before = state;
  const StepReport report = simulation.step(state);
  EXPECT_EQ(report.status, StepStatus::not_finite);
  EXPECT_GT(report.body, 0);
  EXPECT_EQ(state.q, before.q);
}

// A ball so large that it is pushed out of a wall by 1e160 m: the distance that it travels within the next step is not
// a number, which is the step's failure, and no exception. So is a speed whose square is infinite.
TEST(Contact, NumbersOutOfRangeEndTheStepWithTheCulprit) {
  ModelSpec spec = scene("thin_wall").value();
  spec.bodies[0].geometry[0].shape = Sphere{1e160};
  const Model huge = compile(spec).value(), plain = model_of("thin_wall");
  for (const bool fast : {false, true}) {
    const Model& model = fast ? plain : huge;
    Simulation simulation(model, {});
    State state = make_state(model), before;
    if (fast) state.v[3] = 1e200;
    StepReport report;
    for (int i = 0; i < 10 && report.ok(); ++i) {
      before = state;
      ASSERT_NO_THROW(report = simulation.step(state)) << fast;
    }
    EXPECT_EQ(report.status, StepStatus::not_finite) << fast << " " << report.reason;
    EXPECT_EQ(report.body, 1);
    EXPECT_EQ(state.q, before.q);
    EXPECT_EQ(state.v, before.v);
  }
}

}  // namespace
}  // namespace linchpin
