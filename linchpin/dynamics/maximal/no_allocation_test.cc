// No algorithm allocates after its plan and workspace are made. The operator new of this test program counts
// allocations.
#include "linchpin/base/allocation_testing.h"
#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/compliance/held_rows.h"
#include "linchpin/dynamics/maximal/multiplier_dynamics.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

template <class T>
void expect_none(const std::string& name) {
  using Real = typename Plan<T>::Real;
  const Model model = model_of(name);
  const Worlds worlds(model, Lanes<T>::worlds);
  const std::vector<Real> q = interleave<Real>(worlds.q), v = interleave<Real>(worlds.v),
                          x = interleave<Real>(worlds.x), f_ext = interleave<Real>(worlds.f_ext);
  std::vector<Real> out(x.size());
  const Plan<T> plan(model);
  const MassMatrixLayout layout(model);
  AbaWorkspace<T> aba_ws(plan);
  RneaWorkspace<T> rnea_ws(plan);
  Kinematics<T> kin(plan);
  CrbaWorkspace<T> crba_ws(plan, layout);
  MassMatrix<T> M(layout);
  ArticulatedFactor<T> factors(plan);
  SolveWorkspace<T> solve_ws(plan);
  const std::vector<Node> nodes{{1, Transform<double>::identity()}, {int(model.bodies().size()) - 1, {}}};
  const NodeTree<T> tree(model, plan, nodes);
  Compliance<T> compliance(tree);
  std::vector<Real> matrix(144 * std::size_t(Lanes<T>::worlds)), force(12 * std::size_t(Lanes<T>::worlds), Real(1)),
      motion(force.size());
  const std::vector<HeldNode> held_nodes{{nodes[0], linear_rows}, {nodes[1], all_rows}};
  const HeldPlan<T> held(model, plan, held_nodes);
  HeldWorkspace<T> held_ws(plan, held);
  std::vector<Real> lambda(9 * std::size_t(Lanes<T>::worlds));
  std::vector<int> rank(Lanes<T>::worlds);
  const long before = allocations;
  aba<T>(plan, q, v, x, f_ext, aba_ws, out);
  rnea<T>(plan, q, v, x, f_ext, rnea_ws, out);
  kinematics<T>(plan, q, kin);
  crba<T>(plan, layout, q, crba_ws, M);
  factor(layout, M);
  solve<T>(layout, M, out);
  factor<T>(plan, q, factors);
  solve<T>(plan, factors, solve_ws, out);
  solve<T>(plan, factors, solve_ws, out, f_ext);
  compound_paths<T>(plan, tree, factors, compliance);
  compliance_matrix<T>(tree, compliance, matrix);
  apply_compliance<T>(tree, compliance, force, motion);
  held_dynamics<T>(plan, held, q, v, x, f_ext, {}, held_ws, out, lambda, rank);
  EXPECT_EQ(allocations - before, 0) << name;
}

TEST(NoAllocation, InMultipliers) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    if (MaximalBodies::find_fault(model)) continue;
    const Worlds worlds(model, 1);
    Multipliers multipliers(model);
    std::vector<double> out(model.nv()), y(multipliers.forest().total_size()), l(multipliers.forest().total_rows());
    const long before = allocations;
    EXPECT_TRUE(multipliers.accelerations(worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0], out));
    EXPECT_TRUE(multipliers.factor(worlds.q[0]));
    multipliers.factors().solve(y, {}, y, l);
    multipliers.coordinates(y, out);
    EXPECT_EQ(allocations - before, 0) << name;
  }
}

TEST(NoAllocation, InAnyAlgorithm) {
  for (const std::string& name : test_scenes()) {
    expect_none<double>(name);
    expect_none<float>(name);
    expect_none<Double4>(name);
    expect_none<Double8>(name);
    expect_none<Float16>(name);
  }
}

}  // namespace
}  // namespace linchpin
