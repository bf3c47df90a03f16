// Many bodies in one step: impacts in any number, long steps, bodies that move together.
#include <random>

#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

GeometrySpec wall(const Vec3<double>& normal, double distance) {
  return {.name = {},
          .shape = HalfSpace{},
          .X_BG = {frame_with_z(normal), -distance * normal},
          .material = {.name = {}, .friction = {0, 0}, .restitution = 1}};
}

// side^3 spheres of 5 cm and 1 kg on a grid, in a box of walls, without gravity.
ModelSpec spheres(int side, double spacing, double restitution) {
  ModelSpec spec;
  spec.gravity = {0, 0, 0};
  const double half = 0.5 * side * spacing;
  for (const Vec3<double> n : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}})
    for (const double sign : {1., -1.}) spec.world_geometry.push_back(wall(sign * n, half));
  for (GeometrySpec& g : spec.world_geometry) g.material.restitution = restitution;
  for (int i = 0; i < side * side * side; ++i) {
    const std::string name = "s" + std::to_string(i);
    const Vec3<double> p{double(i % side), double(i / side % side), double(i / side / side)};
    spec.bodies.push_back({.name = name,
                           .inertia = {1, {0, 0, 0}, 1e-3 * Sym3<double>{1, 1, 1, 0, 0, 0}},
                           .geometry = {{.name = {},
                                         .shape = Sphere{0.05},
                                         .material = {.name = {}, .friction = {0, 0}, .restitution = restitution}}}});
    JointSpec joint;
    joint.name = name;
    joint.type = JointType::free;
    joint.parent = "world";
    joint.child = name;
    joint.X_PF.p = spacing * (p - 0.5 * (side - 1) * Vec3<double>{1, 1, 1});
    spec.joints.push_back(joint);
  }
  return spec;
}

// A gas: every step has tens of impacts one after the other, and none of them takes energy.
TEST(ManyBodies, ElasticSpheresKeepTheirEnergy) {
  const Model model = compiled(spheres(6, 0.15, 1));
  State state = make_state(model);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> speed(-10, 10);
  for (std::size_t body = 0; body < state.v.size() / 6; ++body)
    for (int k = 3; k < 6; ++k) state.v[6 * body + k] = speed(random);
  for (const int max_splits : {ContactOptions{}.max_splits, 3}) {
    State at = state;
    Simulation simulation(model, {.dt = 5e-3, .contact = {.max_splits = max_splits}});
    RunMonitor monitor(model);
    monitor.start(at);
    int most = 0;
    for (int i = 0; i < 10; ++i) {
      const StepReport report = simulation.step(at);
      monitor.add(at, report);
      ASSERT_TRUE(report.ok()) << report.reason;
      most = std::max(most, report.impacts);
    }
    const Certificate& c = monitor.certificate();
    if (max_splits > 3) {
      EXPECT_GT(most, 32) << "more than the old limit";
      EXPECT_EQ(c.unsplit, 0);
      EXPECT_EQ(c.verdict(), Verdict::passed);
      EXPECT_NEAR(c.energy.stored, c.energy.start, 1e-10 * c.energy.start);
    } else {  // what is left of a step lands without restitution, and the certificate says so
      EXPECT_GT(c.unsplit, 0);
      EXPECT_EQ(c.verdict(), Verdict::passed_loosely);
      EXPECT_LT(c.energy.stored, 0.9 * c.energy.start);
    }
  }
}

// Bodies that fall side by side do not approach each other, however fast they are: there is nothing to solve.
TEST(ManyBodies, ThatFallTogetherHaveNoContacts) {
  ModelSpec spec = spheres(6, 0.11, 0);
  spec.world_geometry.clear();
  spec.gravity = {0, 0, -9.81};
  const Model model = compiled(spec);
  Simulation simulation(model, {.dt = 0.05});
  State state = make_state(model);
  for (int i = 0; i < 20; ++i) {
    const StepReport report = simulation.step(state);
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_EQ(report.problems, 0) << i;
  }
  EXPECT_NEAR(state.v[5], -9.81, 1e-12);
}

// Long steps become slow, but they do not end the run: 125 balls fall 1 m onto a floor.
TEST(ManyBodies, LongStepsGoOn) {
  for (const double dt : {0.04, 0.1}) {
    ModelSpec spec = spheres(5, 0.11, 0);
    spec.gravity = {0, 0, -9.81};
    spec.world_geometry = {wall({0, 0, 1}, 1.3)};
    const Model model = compiled(spec);
    Simulation simulation(model, {.dt = dt});
    State state = make_state(model);
    while (state.time < 0.8) {
      const StepReport report = simulation.step(state);
      ASSERT_TRUE(report.ok()) << report.reason << " at t = " << state.time;
      EXPECT_LT(report.penetration, 1e-4);
    }
    for (std::size_t body = 0; body < state.q.size() / 7; ++body)
      EXPECT_GT(state.q[7 * body + 6], -1.25 - 1e-4) << "above the floor";
  }
}

}  // namespace
}  // namespace linchpin
