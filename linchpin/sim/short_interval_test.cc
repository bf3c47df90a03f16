// Intervals of 1e-7 s, which steps are split into where something touches, do not spoil what follows them.
#include "linchpin/base/compare_testing.h"
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

BodySpec body_of(const std::string& name, const Shape& shape, const InertiaSpec& inertia, const Material& material) {
  BodySpec body;
  body.name = name;
  body.inertia = inertia;
  GeometrySpec geometry;
  geometry.name = name;
  geometry.shape = shape;
  geometry.material = material;
  body.geometry.push_back(geometry);
  return body;
}
Material rough(double mu, double restitution) {
  Material material;
  material.friction = {mu, mu};
  material.restitution = restitution;
  return material;
}
JointSpec moving_freely(const std::string& child, const std::vector<double>& q, const std::vector<double>& v) {
  JointSpec joint;
  joint.name = joint.child = child;
  joint.type = JointType::free;
  joint.start_q = q;
  joint.start_v = v;
  return joint;
}

// A cylinder with its centre of mass 2 cm off its axis rolls on its side over a smooth floor, and a box bounces beside
// it. Found by scripts/random_runs.py (seed 56).
ModelSpec roller_and_box() {
  ModelSpec spec;
  const auto moments = [](double x, double y, double z) { return Sym3<double>{x, y, z, 0, 0, 0}; };
  const BodySpec floor = body_of("floor", HalfSpace{}, {}, rough(0.7849, 0));
  spec.world_geometry = floor.geometry;
  spec.bodies.push_back(body_of("roller", Cylinder{.radius = 0.0481, .half_length = 0.05081},
                                {7.17, {-0.01586, -0.008168, 0.01106}, moments(0.0008644, 0.0003543, 0.0006571)},
                                rough(0, 0.4302)));
  spec.bodies.push_back(body_of("box", Box{.half = {0.0551, 0.04076, 0.02866}},
                                {23.9, {-0.01002, -0.006209, -0.01892}, moments(0.005176, 0.004701, 0.001654)},
                                rough(0.4055, 1)));
  spec.joints.push_back(moving_freely("roller", {0.3534, -0.6831, 0.1828, -0.6125, 0.02688, 0.9455, 0.04811},
                                      {11.38, -11.2, 2.744, 0.4275, 2.715, -5.84e-05}));
  spec.joints.push_back(moving_freely("box", {-0.09795, -0.05154, 0.1099, 0.9878, -0.1811, 0.4099, 0.04931},
                                      {-5.301, 5.167, -11.32, -0.5121, 0.289, 0.03793}));
  return spec;
}

// Where the box touches 1e-7 s after a contact of the roller has closed, that interval brings the roller's velocities
// to what its contact demands, by 0.03 rad/s. As an acceleration this would predict a change of 1000 rad/s for the rest
// of the step. With dt from 5.003 to 5.005 ms the energy then grew by 14 to 460 J within a step.
TEST(ShortInterval, IsNoMeasureOfAccelerations) {
  const Model model = compiled(roller_and_box());
  for (int i = 0; i <= 10; ++i) {
    const double dt = 0.005 + 1e-6 * i;
    EnergyMeter energy(model);
    double least = energy(make_state(model)).total(), most_rise = 0;
    run(model, 16 * dt, {.dt = dt}, [&](const State& state, const Simulation&, const StepReport&) {
      const double now = energy(state).total();
      least = std::min(least, now);
      most_rise = larger(most_rise, now - least);
    });
    // 0.4 J: the roller turns by 0.15 rad a step, and its second order is (0.15)^2 of 32 J of kinetic energy.
    EXPECT_LT(most_rise, 0.7) << "dt " << dt;
  }
}

}  // namespace
}  // namespace linchpin
