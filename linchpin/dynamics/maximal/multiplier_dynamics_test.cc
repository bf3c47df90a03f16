// Multipliers beyond forward_dynamics_test.cc: external forces, reactions, responses.
#include "linchpin/dynamics/maximal/multiplier_dynamics.h"

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

std::vector<std::string> scenes_of_bodies_with_inertia() {
  std::vector<std::string> scenes;
  for (const std::string& name : test_scenes())
    if (!MaximalBodies::find_fault(model_of(name))) scenes.push_back(name);
  return scenes;
}

// 1e-11 of the largest: a thousand roundings at the condition numbers of these scenes, which are below 1e4.
constexpr double rounding = 1e-11;

TEST(Multipliers, TakesForcesFromOutsideAsAbaDoes) {
  for (const std::string& name : scenes_of_bodies_with_inertia()) {
    const Model model = model_of(name);
    const State state = random_state(model, 4, 3, 1);
    const std::size_t n = std::size_t(model.nv());
    const std::vector<double> tau = random_numbers(n, 2, 10), f_ext = random_numbers(6 * model.bodies().size(), 3, 10);
    const Plan<double> plan(model);
    AbaWorkspace<double> ws(plan);
    std::vector<double> expected(n), vdot(n);
    aba<double>(plan, state.q, state.v, tau, f_ext, ws, expected);
    Multipliers multipliers(model);
    ASSERT_TRUE(multipliers.accelerations(state.q, state.v, tau, f_ext, vdot)) << name;
    EXPECT_LE(largest_difference(vdot, expected), rounding * largest(expected)) << name;
  }
}

// If motors hold a mechanism at rest on one hinge, the hinge carries its weight.
TEST(Multipliers, AreReactions) {
  for (const int links : {1, 7, 100}) {
    const Model model = model_of("@chain:links=" + std::to_string(links));
    State state = random_state(model, 1, 3, 0);
    const std::size_t n = std::size_t(model.nv());
    const std::vector<double> zero(n, 0.0);
    std::vector<double> tau(n), vdot(n);
    const Plan<double> plan(model);
    RneaWorkspace<double> ws(plan);
    rnea<double>(plan, state.q, zero, zero, {}, ws, tau);
    Multipliers multipliers(model);
    ASSERT_TRUE(multipliers.accelerations(state.q, zero, tau, {}, vdot));
    // The hinge of body 0: two moments, and then the three forces.
    const int first = multipliers.forest().first_row(0);
    ASSERT_EQ(multipliers.forest().rows(0), 5);
    const std::span<const double> l = multipliers.multipliers().subspan(std::size_t(first) + 2, 3);
    const double weight = model.total_mass() * norm(model.gravity());
    EXPECT_NEAR(norm(Vec3<double>{l[0], l[1], l[2]}), weight, 1e-10 * weight) << links;
  }
}

// An impulse on a body moves coordinates as M^-1 J' does.
TEST(Multipliers, RespondAsTheArticulatedFactorsDo) {
  for (const std::string& name : scenes_of_bodies_with_inertia()) {
    const Model model = model_of(name);
    const State state = random_state(model, 5, 3, 0);
    const std::size_t n = std::size_t(model.nv());
    const std::vector<double> f = random_numbers(6 * model.bodies().size(), 6);
    const Plan<double> plan(model);
    ArticulatedFactor<double> factors(plan);
    SolveWorkspace<double> ws(plan);
    factor<double>(plan, state.q, factors);
    std::vector<double> expected(n, 0.0), change(n);
    solve<double>(plan, factors, ws, expected, f);

    Multipliers multipliers(model);
    ASSERT_TRUE(multipliers.factor(state.q)) << name;
    std::vector<double> F(multipliers.forest().total_size(), 0.0), y(F.size()), l(multipliers.forest().total_rows());
    for (std::size_t b = 1; b < model.bodies().size(); ++b) {
      const Body& body = model.bodies()[b];
      const Force<double> on_body{{f[6 * b], f[6 * b + 1], f[6 * b + 2]}, {f[6 * b + 3], f[6 * b + 4], f[6 * b + 5]}};
      multipliers.spread(body.link, force_to_parent(body.X_LB, on_body), [&](int at, const Force<double>& force) {
        const double numbers[6] = {force.n.x, force.n.y, force.n.z, force.f.x, force.f.y, force.f.z};
        for (std::size_t k = 0; k < 6; ++k) F[6 * std::size_t(at) + k] += numbers[k];
      });
    }
    multipliers.factors().solve(F, {}, y, l);
    multipliers.coordinates(y, change);
    EXPECT_LE(largest_difference(change, expected), rounding * largest(expected)) << name;
  }
}

TEST(Multipliers, RefineWhereTheLightCarryTheHeavy) {
  EXPECT_FALSE(Multipliers(model_of("@chain:links=30")).refines());
  EXPECT_TRUE(Multipliers(model_of("@heavy_light:ratio=1e4")).refines());
}

}  // namespace
}  // namespace linchpin
