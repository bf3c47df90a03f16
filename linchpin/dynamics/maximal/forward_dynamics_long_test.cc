// Tests that take too long to run every day: a hundred thousand links, and many more random trees.
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

TEST(ForwardDynamicsLong, AFreeChainOfAHundredThousandLinksFallsWithoutBending) { expect_free_fall(100000); }

// Backward error of aba over thousands of random trees, against the textbook in extended precision.
TEST(ForwardDynamicsLong, AbaSolvesItsEquationOnThousandsOfRandomTrees) {
  for (int seed = 1; seed <= 3000; ++seed) {
    const std::string name = "@random_tree:bodies=" + std::to_string(1 + seed % 60) + ",seed=" + std::to_string(seed) +
                             ",floating=" + std::to_string(seed % 2);
    const Model model = model_of(name);
    const State state = random_state(model, std::uint64_t(seed));
    const std::vector<double> tau = random_numbers(state.v.size(), std::uint64_t(seed), 10);
    std::vector<double> vdot(state.v.size());
    const Plan<double> plan(model);
    AbaWorkspace<double> ws(plan);
    aba<double>(plan, state.q, state.v, tau, {}, ws, vdot);
    long double term = 0;
    const std::vector<long double> back =
        AugmentedTree<long double>(model, state.q, state.v)
            .inverse_dynamics(std::vector<long double>(vdot.begin(), vdot.end()), &term);
    const std::vector<double> M = AugmentedTree<double>(model, state.q, state.v).mass_matrix();
    double scale = static_cast<double>(term);
    for (std::size_t i = 0; i < vdot.size(); ++i)
      for (std::size_t k = 0; k < vdot.size(); ++k) scale = larger(scale, std::abs(M[i * vdot.size() + k] * vdot[k]));
    for (std::size_t i = 0; i < tau.size(); ++i)
      ASSERT_LE(std::abs(static_cast<double>(back[i] - static_cast<long double>(tau[i]))), 1e-12 * scale) << name;
  }
}

}  // namespace
}  // namespace linchpin
