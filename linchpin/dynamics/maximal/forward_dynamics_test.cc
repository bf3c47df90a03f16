// All methods of forward dynamics, compared with each other and with the equation they solve.
//
// Backward error (backward_error_testing.h): at most 1e-12. Forward error: within 100 eps cond(M) of the
// witness, the sparse LU of the augmented matrix, which uses no mechanics (design: rounding M by one ulp changes the
// solution by eps cond(M)).
#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/maximal/multiplier_dynamics.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/backward_error_testing.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

struct Answer {
  const char* method;
  std::vector<double> vdot;
};

std::vector<Answer> all_answers(const Model& model, const State& state, const std::vector<double>& tau) {
  const std::size_t n = std::size_t(model.nv());
  const Plan<double> plan(model);
  std::vector<Answer> answers;

  std::vector<double> vdot(n);
  AbaWorkspace<double> aba_ws(plan);
  aba<double>(plan, state.q, state.v, tau, {}, aba_ws, vdot);
  answers.push_back({"aba", vdot});

  std::vector<double> rhs(n);
  RneaWorkspace<double> rnea_ws(plan);
  rnea<double>(plan, state.q, state.v, std::vector<double>(n, 0.0), {}, rnea_ws, rhs);
  for (std::size_t i = 0; i < n; ++i) rhs[i] = tau[i] - rhs[i];

  const MassMatrixLayout layout(model);
  MassMatrix<double> M(layout);
  CrbaWorkspace<double> crba_ws(plan, layout);
  crba<double>(plan, layout, state.q, crba_ws, M);
  factor(layout, M);
  vdot = rhs;
  solve<double>(layout, M, vdot);
  answers.push_back({"crba + solve", vdot});

  ArticulatedFactor<double> factors(plan);
  SolveWorkspace<double> solve_ws(plan);
  factor<double>(plan, state.q, factors);
  vdot = rhs;
  solve<double>(plan, factors, solve_ws, vdot);
  answers.push_back({"articulated factor + solve", vdot});

  if (!MaximalBodies::find_fault(model)) {
    Multipliers multipliers(model);
    EXPECT_TRUE(multipliers.accelerations(state.q, state.v, tau, {}, vdot));
    answers.push_back({"multipliers", vdot});
  }

  const AugmentedTree<double> tree(model, state.q, state.v);
  answers.push_back({"articulated, textbook", tree.by_articulated(tau, Pivot::plain)});
  answers.push_back({"modified articulated (003 s.7)", tree.by_articulated(tau, Pivot::split)});
  answers.push_back({"composite, textbook", tree.by_composite(tau)});
  answers.push_back({"augmented, sparse LU", tree.by_sparse_lu(tau)});
  return answers;
}

void expect_agreement(const std::string& name, std::uint64_t seed, double speed, bool forward = true) {
  const Model model = model_of(name);
  const State state = random_state(model, seed, 3, speed);
  const std::vector<double> tau = random_numbers(model.nv(), seed, 10);
  const double slack = forward ? 100 * 2.2e-16 * AugmentedTree<double>(model, state.q, state.v).condition_number() : 0;
  const std::vector<Answer> answers = all_answers(model, state, tau);
  const std::vector<double>& witness = answers.back().vdot;
  const BackwardError backward(model, state.q, state.v, tau);
  for (const Answer& answer : answers) {
    EXPECT_LE(backward(answer.vdot), 1e-12) << name << " seed " << seed << ": " << answer.method;
    if (forward) {
      EXPECT_LE(largest_difference(answer.vdot, witness), slack * largest(witness))
          << name << " seed " << seed << ": " << answer.method;
    }
  }
}

TEST(ForwardDynamics, AllMethodsAgreeOnEveryScene) {
  for (const std::string& name : test_scenes())
    for (const std::uint64_t seed : {1, 2, 3}) expect_agreement(name, seed, 1);
}

TEST(ForwardDynamics, AllMethodsAgreeOnRandomTreesUpToAHundredBodies) {
  for (const int bodies : {1, 2, 3, 5, 10, 20, 50, 100})
    for (int seed = 1; seed <= 5; ++seed)
      expect_agreement("@random_tree:bodies=" + std::to_string(bodies) + ",seed=" + std::to_string(seed) +
                           ",floating=" + std::to_string(seed % 2),
                       std::uint64_t(seed), 1);
}

TEST(ForwardDynamics, AllMethodsAgreeOnChainsUpToAThousandLinks) {
  for (const int links : {1, 2, 7, 30, 100, 300}) expect_agreement("@chain:links=" + std::to_string(links), 1, 0.1);
  // cond(M) of a thousand links takes longer than all other tests together: only the backward error is checked
  expect_agreement("@chain:links=1000", 1, 0.05, false);
  expect_agreement("@pendulum:links=1000", 1, 0.05, false);
}

// Alternating heavy and light links.
TEST(ForwardDynamics, AllMethodsAgreeAtMassRatiosToAMillion) {
  for (const char* ratio : {"1e2", "1e4", "1e6"}) expect_agreement(std::string("@heavy_light:ratio=") + ratio, 1, 1);
}

// A free chain released at rest falls without changing its shape: every joint acceleration is zero and the base falls
// with g, for any length.
TEST(ForwardDynamics, AFreeChainFallsWithoutBending) {
  for (const int links : {1, 7, 30, 1000}) expect_free_fall(links);
}

// Identical limbs on one body: the result of a limb must not depend on its place in the arrays.
TEST(ForwardDynamics, ForestEqualsItsTreesAlone) {
  ModelSpec one = scene("@chain:links=5").value(), two = one;
  for (BodySpec body : one.bodies) {
    body.name += " again";
    two.bodies.push_back(body);
  }
  for (JointSpec joint : one.joints) {
    joint.name += " again";
    joint.child += " again";
    if (joint.parent != "world") joint.parent += " again";
    two.joints.push_back(joint);
  }
  two.frames.clear();
  const Model single = compile(one).value(), pair = compile(two).value();
  const State state = random_state(single, 4);
  const std::vector<double> tau = random_numbers(5, 4);
  std::vector<double> q = state.q, v = state.v, tau2 = tau, vdot(5), vdot2(10);
  q.insert(q.end(), state.q.begin(), state.q.end());
  v.insert(v.end(), state.v.begin(), state.v.end());
  tau2.insert(tau2.end(), tau.begin(), tau.end());
  const Plan<double> plan(single), plan2(pair);
  AbaWorkspace<double> ws(plan), ws2(plan2);
  aba<double>(plan, state.q, state.v, tau, {}, ws, vdot);
  aba<double>(plan2, q, v, tau2, {}, ws2, vdot2);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(same_bits(vdot[i], vdot2[i])) << i;
    EXPECT_TRUE(same_bits(vdot[i], vdot2[5 + i])) << i;
  }
}

}  // namespace
}  // namespace linchpin
