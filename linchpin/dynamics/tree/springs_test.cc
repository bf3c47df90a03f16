#include "linchpin/dynamics/tree/springs.h"

#include <gtest/gtest.h>

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

Model with_springs(const std::string& text, std::vector<SpringSpec> springs) {
  ModelSpec spec = scene(text).value();
  spec.springs = std::move(springs);
  return compile(spec).value();
}

// Forces are the gradient of the energy, and dampers dissipate the power that spring_damping_power() returns.
TEST(Springs, DoTheWorkThatTheirEnergyLoses) {
  const Model bare = model_of("@random_tree:bodies=12,seed=4");
  const auto body = [&](std::size_t k) { return bare.bodies()[k].name; };
  const Model model =
      with_springs("@random_tree:bodies=12,seed=4",
                   {{"one", {body(3), translation(0.1, 0.2, 0)}, {body(9), translation(0, 0.3, 1)}, 50, 3, 0.4},
                    {"two", {"world", translation(1, 0, 0)}, {body(7), translation(0, 0, 0.1)}, 20, 7, 0}});
  const Plan<double> plan(model);
  const State state = random_state(model, 2);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  std::vector<double> f(6 * model.bodies().size(), 0.0);
  add_spring_forces(model, kin, vel, f);
  double power = 0;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Mat3<double> R = body_pose(model, kin, int(b)).R;
    const Motion<double> m = point_velocity(model, kin, vel, int(b), {0, 0, 0});
    power += dot(Force<double>{R * Vec3<double>{f[6 * b], f[6 * b + 1], f[6 * b + 2]},
                               R * Vec3<double>{f[6 * b + 3], f[6 * b + 4], f[6 * b + 5]}},
                 m);
  }
  constexpr double h = 1e-5;
  const auto energy_at = [&](double time) {
    std::vector<double> q = state.q, step = state.v;
    for (double& x : step) x *= time;
    integrate(model, step, q);
    Kinematics<double> there(plan);
    kinematics<double>(plan, q, there);
    return spring_energy(model, there);
  };
  const double damping = spring_damping_power(model, kin, vel);
  EXPECT_LT(damping, 0);
  EXPECT_NEAR(power, damping - (energy_at(h) - energy_at(-h)) / (2 * h), 1e-6 * (1 + std::abs(power)));
}

// One mass on one spring, stretched: Hooke and Newton.
TEST(Springs, PullByHooke) {
  const Model model =
      with_springs("@free_body", {{"s", {"world", translation(0, 0, 0)}, {"body", translation(0, 0, 0)}, 8, 2, 0.5}});
  const Plan<double> plan(model);
  State state = make_state(model);
  const Joint& joint = model.joints()[0];
  state.q[joint.q + 4] = 2;  // x
  state.v[joint.v + 3] = 1;
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  const Vec3<double> end = body_pose(model, kin, 1).p;
  const double distance = norm(end),
               expected = 8 * (distance - 0.5) +
                          2 * dot(point_velocity(model, kin, vel, 1, {0, 0, 0}).v, (1 / distance) * end);
  std::vector<double> f(12, 0.0);
  add_spring_forces(model, kin, vel, f);
  const Vec3<double> pull = body_pose(model, kin, 1).R * Vec3<double>{f[9], f[10], f[11]};
  EXPECT_NEAR(dot(pull, (1 / distance) * end), -expected, 1e-12 * expected);
  EXPECT_NEAR(norm(pull), std::abs(expected), 1e-12 * expected);
}

}  // namespace
}  // namespace linchpin
