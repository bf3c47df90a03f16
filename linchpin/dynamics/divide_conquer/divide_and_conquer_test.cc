#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"

#include "linchpin/base/allocation_testing.h"
#include "linchpin/dynamics/divide_conquer/testing.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/backward_error_testing.h"

namespace linchpin {
namespace {

// Segments of any length give the accelerations of the equations of motion. The tolerance is that of all methods
// (dynamics/maximal/forward_dynamics_test.cc).
TEST(DivideAndConquer, SolvesTheEquationsOfMotion) {
  for (const std::string& name : assembly_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const std::vector<double>&q = worlds.q[0], &v = worlds.v[0], &tau = worlds.x[0], &f_ext = worlds.f_ext[0];
    const BackwardError with_forces(model, q, v, tau, f_ext), without_forces(model, q, v, tau);
    const std::vector<double> expected = run_aba<double>(model, q, v, tau, f_ext);
    for (const int longest : {1, 2, 3, 8}) {
      AssembledRun run(model, longest);
      EXPECT_LE(with_forces(run(q, v, tau, f_ext)), 1e-12) << name << ", " << longest;
      // aba() solves the same system: forward errors of both are within rounding times the condition number, which is
      // at most 1e6 for these mechanisms.
      EXPECT_LE(largest_difference(run.vdot, expected), 1e-9 * largest(expected)) << name << ", " << longest;
      AssembledRun without(model, longest);
      EXPECT_LE(without_forces(without(q, v, tau)), 1e-12) << name << ", " << longest;
    }
  }
}

// Chains to 10000 links: the backward error beside that of aba().
TEST(DivideAndConquer, LongChainsAreAsAccurateAsAba) {
  for (const char* scene : {"@chain:links=", "@pendulum:links="})
    for (const int links : {100, 1000, 10000}) {
      const Model model = model_of(scene + std::to_string(links));
      // Slow enough that velocity products of whipping tips do not hide the rest.
      const State state = random_state(model, 1, 3, 0.05);
      const std::vector<double> tau = random_numbers(model.nv(), 1, 10);
      const BackwardError backward(model, state.q, state.v, tau);
      const double of_aba = backward(run_aba<double>(model, state.q, state.v, tau));
      for (const int longest : {1, 8}) {
        AssembledRun run(model, longest);
        const double error = backward(run(state.q, state.v, tau));
        EXPECT_LE(error, 1e-12) << scene << links << ", segments of " << longest;
        std::printf("%s%d, segments of %d: %.1e, aba %.1e\n", scene, links, longest, error, of_aba);
      }
    }
}

// Alternating heavy and light links: joining adds inertias and subtracts none.
TEST(DivideAndConquer, MassRatiosToAMillion) {
  for (const char* ratio : {"1e2", "1e4", "1e6"}) {
    const Model model = model_of(std::string("@heavy_light:ratio=") + ratio);
    const State state = random_state(model, 1, 3, 1);
    const std::vector<double> tau = random_numbers(model.nv(), 1, 10);
    const BackwardError backward(model, state.q, state.v, tau);
    for (const int longest : {1, 2, 8}) {
      AssembledRun run(model, longest);
      // With one link in a segment heavy and light links are joined one by one: J of (4) comes from Cholesky factors of
      // inertias whose entries differ by the ratio.
      EXPECT_LE(backward(run(state.q, state.v, tau)), longest == 1 ? 1e-10 : 1e-12) << ratio << ", " << longest;
    }
  }
}

// A free chain at rest falls without bending: every joint acceleration is zero, for any length.
TEST(DivideAndConquer, AFreeChainFallsWithoutBending) {
  for (const int links : {2, 30, 1000, 10000}) {
    ModelSpec spec = scene("@chain:links=" + std::to_string(links)).value();
    spec.joints.front().type = JointType::free;
    spec.joints.front().dofs.clear();
    const Model model = compile(spec).value();
    const State state = random_state(model, 1, 3, 0);
    AssembledRun run(model, 4);
    const std::vector<double> tau(state.v.size(), 0.0);
    run(state.q, state.v, tau);
    const Vec3<double> g_F = transpose_times(spec.joints.front().X_PF.R, spec.gravity);
    for (std::size_t i = 0; i < run.vdot.size(); ++i) {
      const double expected = i == 3 ? g_F.x : i == 4 ? g_F.y : i == 5 ? g_F.z : 0;
      ASSERT_NEAR(run.vdot[i], expected, 1e-10) << links << " links, coordinate " << i;
    }
  }
}

// What is computed for a node does not depend on when or by which thread.
TEST(DivideAndConquer, AnyNumberOfThreadsGivesTheSameBits) {
  std::vector<std::pair<std::string, Model>> models;
  for (const char* name : {"@chain:links=5000", "@humanoid", "@random_tree:bodies=3000,floating=1,seed=4"})
    models.emplace_back(name, model_of(name));
  models.emplace_back("star", star_of(300, 20));
  models.emplace_back("comb", comb_of(300, 20));
  for (const auto& [name, model] : models) {
    const Worlds worlds(model, 1);
    AssembledRun alone(model, 8);
    alone(worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
    for (const int threads : {2, 3, 8}) {
      AssembledRun together(model, 8, threads);
      together(worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
      for (std::size_t i = 0; i < alone.vdot.size(); ++i)
        ASSERT_TRUE(same_bits(alone.vdot[i], together.vdot[i])) << name << ", " << threads << " threads, number " << i;
      std::vector<double> x = worlds.x[0], y = worlds.x[0];
      AssemblySolveWorkspace ws(alone.plan, alone.tree), ws2(alone.plan, alone.tree);
      solve(alone.plan, alone.tree, alone.ws, nullptr, ws, x, {});
      solve(together.plan, together.tree, together.ws, together.team.get(), ws2, y, {});
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(same_bits(x[i], y[i])) << name;
    }
  }
}

// M^-1 (x + J' F) with the factors of a step, or of the configuration alone, is that of the articulated factors.
TEST(DivideAndConquer, SolveIsTheInverseOfTheMassMatrix) {
  for (const std::string& name : assembly_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const std::vector<double> numbers = random_numbers(6 * model.links().size(), 7);
    std::vector<Force<double>> on_link;
    for (std::size_t i = 0; i < model.links().size(); ++i) {
      const double* F = &numbers[6 * i];
      on_link.push_back({{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
    }
    for (const int longest : {1, 3, 8})
      for (const bool with_forces : {false, true}) {
        AssembledRun run(model, longest);
        if (with_forces)
          run(worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
        else
          assemble_factors(run.plan, run.tree, worlds.q[0], nullptr, run.ws);
        const std::span<const Force<double>> forces =
            with_forces ? std::span<const Force<double>>(on_link) : std::span<const Force<double>>();
        std::vector<double> x = worlds.x[0], expected = worlds.x[0];
        AssemblySolveWorkspace ws(run.plan, run.tree);
        poison_workspace(ws);
        solve(run.plan, run.tree, run.ws, nullptr, ws, x, forces);
        ArticulatedFactor<double> factors(run.plan);
        SolveWorkspace<double> solve_ws(run.plan);
        factor<double>(run.plan, worlds.q[0], factors);
        solve<double>(run.plan, factors, solve_ws, expected, forces);
        EXPECT_LE(largest_difference(x, expected), 1e-9 * largest(expected)) << name << ", " << longest;
      }
  }
}

TEST(DivideAndConquer, NaNReachesTheResult) {
  const Model model = model_of("@humanoid");
  const Worlds worlds(model, 1);
  AssembledRun run(model, 4);
  for (int which = 0; which < 4; ++which) {
    std::vector<double> q = worlds.q[0], v = worlds.v[0], tau = worlds.x[0], f_ext = worlds.f_ext[0];
    (which == 0 ? q : which == 1 ? v : which == 2 ? tau : f_ext).back() = std::nan("");
    run(q, v, tau, f_ext);
    EXPECT_FALSE(std::isfinite(largest(run.vdot))) << which;
  }
}

TEST(DivideAndConquer, NothingIsAllocated) {
  for (const char* name : {"@humanoid", "@chain:links=100", "@random_tree:bodies=60,floating=1,seed=12"}) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    AssembledRun run(model, 4);
    AssemblySolveWorkspace ws(run.plan, run.tree);
    std::vector<double> x = worlds.x[0];
    const long before = allocations;
    divide_and_conquer(run.plan, run.tree, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0], nullptr, run.ws,
                       run.vdot);
    solve(run.plan, run.tree, run.ws, nullptr, ws, x, {});
    EXPECT_EQ(allocations - before, 0) << name;
  }
}

TEST(DivideAndConquer, RefusesWrongSizes) {
  const Model model = model_of("@chain:links=5");
  const std::vector<double> five(5, 0.0), four(4, 0.0);
  AssembledRun run(model, 2);
  EXPECT_THROW(run(four, five, five), CheckFailed);
  EXPECT_THROW(run(five, four, five), CheckFailed);
  EXPECT_THROW(run(five, five, four), CheckFailed);
  EXPECT_THROW(run(five, five, five, four), CheckFailed);
  EXPECT_THROW(ForkJoin(0), CheckFailed);
  EXPECT_THROW(ForkJoin(-1), CheckFailed);
}

}  // namespace
}  // namespace linchpin
