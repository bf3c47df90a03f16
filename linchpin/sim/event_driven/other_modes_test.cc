// The count of modes that were chosen though another one was consistent too, on rods in Painleve's configuration.
#include "linchpin/sim/event_driven/other_modes.h"

#include <cmath>

#include "linchpin/model/testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

SimulationOptions choosing_events(double dt) { return {.stepper = Stepper::event_driven, .dt = dt}; }

// A slender rod of 1 kg and 1 m in the plane y = 0, its lower end, a ball, at the origin and its centre to +x of it, at
// the angle `angle` from the floor. The end slides to -x with `speed` while the rod turns with `spin` about the y axis;
// gravity is along x and z. From the contact to the centre the lever is (-x, -z):
//     w_N = a N + b_N,   a = 1 / m + x (x - mu z) / I,   b_N = g_z + spin^2 half sin(angle)                      (1)
// where N pushes upwards with the friction mu N to +x.
struct PainleveRod {
  double angle = 1, mu = 2, speed = 0, spin = 0;
  Vec3<double> gravity{0, 0, -9.81};
  double half = 0.5, r = 1e-3, m = 1, I = 1.0 / 12;
  double x() const { return half * std::cos(angle); }
  double z() const { return half * std::sin(angle) + r; }
  double a() const { return 1 / m + x() * (x() - mu * z()) / I; }
  double b_N() const { return gravity.z + spin * spin * half * std::sin(angle); }
  Model model() const {
    ModelSpec spec;
    spec.gravity = gravity;
    const Material rough{.friction = {mu, mu}};
    spec.world_geometry.push_back({.name = "floor", .shape = HalfSpace{}, .material = rough});
    spec.bodies.push_back({.name = "rod",
                           .inertia = {m, {0, 0, 0}, Sym3<double>::diagonal(I, I, I)},
                           .geometry = {{.name = "end", .shape = Sphere{r}, .material = rough}}});
    spec.bodies[0].geometry[0].X_BG.p = {-half * std::cos(angle), 0, -half * std::sin(angle)};
    spec.joints.push_back(joint("free", JointType::free, "world", "rod"));
    spec.joints[0].start_q = {1, 0, 0, 0, x(), 0, z()};
    // The contact point has the velocity v + spin (-z, x) in the plane.
    spec.joints[0].start_v = {0, spin, 0, -speed + spin * z(), 0, -spin * x()};
    return compiled(spec);
  }
};

double load_after_one_step(const PainleveRod& rod, double dt, StepReport& report) {
  const Model model = rod.model();
  Simulation simulation(model, choosing_events(dt));
  State state = make_state(model);
  report = simulation.step(state);
  EXPECT_TRUE(report.ok()) << report.reason;
  double load = 0;
  for (const ContactReport& c : simulation.contacts()) load += c.normal_force;
  return load;
}

// With a < 0 < b_N both sliding with N = -b_N / a and opening are consistent. Sliding is the choice, and counted.
TEST(OtherModes, SlidingRodCouldRise) {
  const PainleveRod rod{.angle = 1, .mu = 2, .speed = 1, .spin = 6};
  ASSERT_LT(rod.a(), -0.1);
  ASSERT_GT(rod.b_N(), 1);
  StepReport report;
  const double dt = 1e-6, load = load_after_one_step(rod, dt, report);
  EXPECT_EQ(report.ambiguous, 1);
  EXPECT_EQ(report.painleve, 0);
  EXPECT_NEAR(load, -rod.b_N() / rod.a(), 1e3 * dt);  // the mean over dt
  // It goes into the certificate step by step.
  EXPECT_EQ(run(rod.model(), 3 * dt, choosing_events(dt)).certificate.ambiguous, 3);
}

// At rest with a < 0 < b_N, sticking and opening are consistent.
TEST(OtherModes, RodAtRestCouldRise) {
  const PainleveRod rod{.angle = 1, .mu = 2, .gravity = {-9, 0, 1}};
  StepReport report;
  EXPECT_GT(load_after_one_step(rod, 1e-6, report), 0.1);
  EXPECT_EQ(report.ambiguous, 1);
}

// No other mode where a or b_N has the other sign, without friction, or sliding the other way.
TEST(OtherModes, NoneBesideASlidingRod) {
  const PainleveRod rods[] = {{.angle = 1, .mu = 0.5, .speed = 1, .spin = 2},
                              {.angle = 1, .mu = 0.5, .speed = 1, .spin = 6},
                              {.angle = 1, .mu = 0, .speed = 1, .spin = 2},
                              {.angle = 1, .mu = 2, .speed = -1, .spin = 2},
                              {.angle = 1, .mu = 2, .speed = -1, .spin = 6}};
  for (const PainleveRod& rod : rods) {
    StepReport report;
    load_after_one_step(rod, 1e-6, report);
    EXPECT_EQ(report.ambiguous, 0) << rod.mu << " " << rod.speed << " " << rod.spin;
  }
}

TEST(OtherModes, NoneInOrdinaryScenes) {
  for (const char* scene : {"roll:speed=1,mu=0.2", "slope:angle=35", "slope:angle=20",
                            "bounce:height=0.1,restitution=0.5", "slope:angle=0,mu=0.5,turn=25,heading=17,speed=2"}) {
    const Finished r = run(model_of(scene), 0.5, choosing_events(0.05));
    EXPECT_EQ(r.certificate.ambiguous, 0) << scene;
    EXPECT_TRUE(r.certificate.passed());
  }
}

}  // namespace
}  // namespace linchpin
