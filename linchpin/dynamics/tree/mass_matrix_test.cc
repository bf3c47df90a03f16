#include "linchpin/dynamics/tree/mass_matrix.h"

#include <algorithm>

#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

template <class T>
MassMatrix<T> run_crba(const Model& model, const MassMatrixLayout& layout,
                       const std::vector<typename Plan<T>::Real>& q) {
  const Plan<T> plan(model);
  CrbaWorkspace<T> ws(plan, layout);
  MassMatrix<T> M(layout);
  poison(ws.c, ws.s, ws.d, ws.wide, ws.momentum, ws.carried, ws.X, ws.path, ws.limb_turn, ws.limb_momentum,
         ws.limb_axis, ws.limb_carried, ws.unused, M.entries);
  crba<T>(plan, layout, q, ws, M);
  return M;
}

// A random tree of hinges; some are nearly parallel to their parent's axis, so that their heads are general (plan.h).
Model random_hinges(int seed, bool floating) {
  const std::string parameters = "bodies=40,seed=" + std::to_string(seed) + ",floating=" + (floating ? "1" : "0");
  ModelSpec spec = scene("@random_tree:" + parameters).value();
  for (BodySpec& body : spec.bodies)
    if (body.inertia.mass == 0) body.inertia = {1, {0.1, 0, 0.2}, Sym3<double>::diagonal(0.1, 0.2, 0.15)};
  int i = 0;
  for (JointSpec& joint : spec.joints) {
    if (joint.type == JointType::free && i == 0) continue;
    joint.type = JointType::revolute;
    joint.dofs.clear();
    if (++i % 4 == 0) joint.X_PF.R = Mat3<double>::identity(), joint.axis = {0, 1e-3, 1};
    if (i % 4 == 3) joint.axis = {0, 0, 1};
  }
  return compile(spec).value();
}

struct NamedModel {
  std::string name;
  Model model;
};
std::vector<NamedModel> test_models() {
  std::vector<NamedModel> models;
  for (const std::string& name : test_scenes()) models.push_back({name, model_of(name)});
  for (const int legs : {2, 4}) models.push_back({"general heads", quadruped_with_general_heads(legs)});
  for (int seed = 1; seed <= 10; ++seed)
    for (const bool floating : {false, true})
      models.push_back({"hinges " + std::to_string(seed), random_hinges(seed, floating)});
  return models;
}

// The models have all kinds of limbs side by side.
TEST(MassMatrix, TestModelsHaveLimbsOfAllKinds) {
  int groups = 0, lengths = 0, parents = 0, on_world = 0, children = 0, mixed_heads = 0, aligned = 0, deep = 0,
      longer = 0;
  for (const auto& [name, model] : test_models()) {
    const Plan<double> plan(model);
    for (const Limbs& limbs : plan.crba_order.limbs) {
      ++groups;
      lengths += *std::min_element(limbs.size, limbs.size + limbs.count) < limbs.length;
      parents += !limbs.one_parent;
      on_world += limbs.on_world;
      children += limbs.has_children;
      mixed_heads += !limbs.same_head;
      aligned += limbs.some_aligned && limbs.some_screwed;
      longer += limbs.length > Limbs::most;
      for (int lane = 0; lane < limbs.count; ++lane) deep += plan.crba_order.path[limbs.run[lane]].before > 8;
    }
  }
  for (const int count : {groups, lengths, parents, on_world, children, mixed_heads, aligned, deep, longer})
    EXPECT_GT(count, 1);
}

// Each run is computed once, after the runs on it.
TEST(MassMatrix, OrderIsFromTheTipsToTheBase) {
  for (const auto& [name, model] : test_models()) {
    const Plan<double> plan(model);
    std::vector<int> done(plan.runs.size(), 0);
    const auto can_be_done = [&](int r) {
      for (int child = plan.runs[r].last_child; child != 0; child = plan.runs[child].sibling)
        if (!done[child]) return false;
      return !done[r];
    };
    for (const CrbaOrder::Step& step : plan.crba_order.inward) {
      std::vector<int> runs{step.run};
      if (step.limbs >= 0) {
        const Limbs& limbs = plan.crba_order.limbs[step.limbs];
        runs.assign(limbs.run, limbs.run + limbs.count);
      }
      for (const int r : runs) EXPECT_TRUE(can_be_done(r)) << name << ", run " << r;
      for (const int r : runs) done[r] = 1;
    }
    for (std::size_t r = 1; r < plan.runs.size(); ++r) EXPECT_TRUE(done[r]) << name << ", run " << r;
  }
}

TEST(MassMatrix, EqualsTheTextbook) {
  for (const auto& [name, model] : test_models()) {
    const std::size_t n = std::size_t(model.nv());
    const State state = random_state(model, 6);
    const MassMatrixLayout layout(model);
    std::vector<double> dense(n * n);
    to_dense(layout, run_crba<double>(model, layout, state.q), dense);
    const std::vector<double> expected = AugmentedTree<double>(model, state.q, state.v).mass_matrix();
    // each entry against the geometric mean of its diagonals: M is positive definite, so that is its natural size
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(dense[i * n + k], expected[i * n + k], 1e-13 * std::sqrt(expected[i * n + i] * expected[k * n + k]))
            << name << " (" << i << ", " << k << ")";
  }
}

// A floating robot a thousand kilometres from the origin has the same mass matrix: the reference point moves with it.
TEST(MassMatrix, DoesNotDependOnWhereTheMechanismStands) {
  const Model model = model_of("@quadruped");
  const MassMatrixLayout layout(model);
  State near = random_state(model, 6), far = near;
  far.q[4] += 1e6;
  const MassMatrix<double> a = run_crba<double>(model, layout, near.q), b = run_crba<double>(model, layout, far.q);
  for (std::size_t e = 0; e < layout.size; ++e) EXPECT_TRUE(same_bits(a.entries[e], b.entries[e]));
}

TEST(MassMatrix, HoldsNoEntryBetweenBranches) {
  const Model model = model_of("@humanoid");
  const MassMatrixLayout layout(model);
  // pelvis 6, legs 6 + 6 (each with the pelvis), waist 2, arms 7 + 7 and neck 2 beyond the waist
  std::size_t expected = 6 * 7 / 2;
  for (const int limb : {6, 6}) expected += std::size_t(limb * 6 + limb * (limb + 1) / 2);
  expected += 2 * 6 + 3;
  for (const int limb : {7, 7, 2}) expected += std::size_t(limb * 8 + limb * (limb + 1) / 2);
  EXPECT_EQ(layout.size, expected);
}

TEST(MassMatrix, FactorsMultiplyBackToM) {
  std::vector<std::string> scenes = test_scenes();
  // Beyond 64 coordinates from the base, eight rows are eliminated at a time: whole eights and remainders.
  for (const int links : {65, 72, 73, 90, 100}) scenes.push_back("@chain:links=" + std::to_string(links));
  for (const std::string& name : scenes) {
    const Model model = model_of(name);
    const std::size_t n = std::size_t(model.nv());
    const State state = random_state(model, 9);
    const MassMatrixLayout layout(model);
    MassMatrix<double> M = run_crba<double>(model, layout, state.q);
    std::vector<double> dense(n * n), factors(n * n), product(n * n, 0.0);
    to_dense(layout, M, dense);
    factor(layout, M);
    to_dense(layout, M, factors);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t l = std::max(i, k); l < n; ++l) {  // (L' D L)_ik = sum over l >= i, k
          const double li = l == i ? 1 : factors[l * n + i], lk = l == k ? 1 : factors[l * n + k];
          product[i * n + k] += li * factors[l * n + l] * lk;
        }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(product[i * n + k], dense[i * n + k], 1e-13 * std::sqrt(dense[i * n + i] * dense[k * n + k]))
            << name;
    // M x = b by these factors: the error of M x is that of the factors, whatever the condition of M.
    const std::vector<double> b = state.v;
    std::vector<double> x = b;
    solve<double>(layout, M, x);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0, size = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += dense[i * n + k] * x[k];
        size += std::sqrt(dense[i * n + i] * dense[k * n + k]) * std::abs(x[k]);
      }
      EXPECT_NEAR(sum, b[i], 1e-13 * size) << name;
    }
  }
}

TEST(MassMatrix, InverseByArticulatedFactorsIsTheInverse) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const std::size_t n = std::size_t(model.nv());
    const State state = random_state(model, 9);
    const Plan<double> plan(model);
    ArticulatedFactor<double> factors(plan);
    SolveWorkspace<double, Double8> ws(plan);
    poison(factors.block, factors.pivot, factors.wide, factors.sum, ws.u, ws.wide_u, ws.sum, ws.a, ws.columns);
    factor<double>(plan, state.q, factors);
    std::vector<double> inverse(n * n);
    inverse_mass_matrix(plan, factors, ws, inverse);
    const AugmentedTree<double> tree(model, state.q, state.v);
    const std::vector<double> M = tree.mass_matrix();
    const double slack = 10 * 2.2e-16 * tree.condition_number();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) {
        double sum = 0, size = 0;
        for (std::size_t l = 0; l < n; ++l) {
          sum += M[i * n + l] * inverse[l * n + k];
          size += std::abs(M[i * n + l] * inverse[l * n + k]);
        }
        EXPECT_NEAR(sum, i == k ? 1 : 0, slack + 1e-13 * size) << name;
      }
    // eight right-hand sides side by side have the bits of one alone
    SolveWorkspace<double> alone(plan);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<double> x(n, 0.0);
      x[k] = 1;
      solve<double>(plan, factors, alone, x);
      for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(same_bits(x[i], inverse[i * n + k])) << name;
    }
  }
}

template <class T>
void expect_mass_matrices_of_lanes_equal_alone() {
  using Real = typename Plan<T>::Real;
  for (const auto& [name, model] : test_models()) {
    const std::size_t count = std::size_t(Lanes<T>::worlds);
    const Worlds worlds(model, Lanes<T>::worlds);
    const MassMatrixLayout layout(model);
    MassMatrix<T> together = run_crba<T>(model, layout, interleave<Real>(worlds.q));
    factor(layout, together);
    std::vector<Real> x = interleave<Real>(worlds.x), y = x;
    solve<T>(layout, together, x);
    const Plan<T> plan(model);
    ArticulatedFactor<T> factors(plan);
    SolveWorkspace<T> ws(plan);
    factor<T>(plan, interleave<Real>(worlds.q), factors);
    solve<T>(plan, factors, ws, y);
    for (std::size_t w = 0; w < count; ++w) {
      MassMatrix<Real> alone = run_crba<Real>(model, layout, as_reals<Real>(worlds.q[w]));
      factor(layout, alone);
      std::vector<Real> xw = as_reals<Real>(worlds.x[w]), yw = xw;
      solve<Real>(layout, alone, xw);
      const Plan<Real> plan_alone(model);
      ArticulatedFactor<Real> factors_alone(plan_alone);
      SolveWorkspace<Real> ws_alone(plan_alone);
      factor<Real>(plan_alone, as_reals<Real>(worlds.q[w]), factors_alone);
      solve<Real>(plan_alone, factors_alone, ws_alone, yw);
      for (std::size_t i = 0; i < xw.size(); ++i) {
        EXPECT_TRUE(same_bits(x[i * count + w], xw[i])) << name << " composite, world " << w;
        EXPECT_TRUE(same_bits(y[i * count + w], yw[i])) << name << " articulated, world " << w;
      }
    }
  }
}
TEST(MassMatrix, LaneOfFourDoublesHasTheBitsOfADouble) { expect_mass_matrices_of_lanes_equal_alone<Double4>(); }
TEST(MassMatrix, LaneOfEightDoublesHasTheBitsOfADouble) { expect_mass_matrices_of_lanes_equal_alone<Double8>(); }
TEST(MassMatrix, LaneOfSixteenFloatsHasTheBitsOfAFloat) { expect_mass_matrices_of_lanes_equal_alone<Float16>(); }

}  // namespace
}  // namespace linchpin
