#include "linchpin/dynamics/compliance/held_rows.h"

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/check.h"
#include "linchpin/base/check_testing.h"
#include "linchpin/dynamics/compliance/nodes_testing.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Nodes in random frames on random bodies with random rows: several on one body, on another's path, in other trees, on
// the world, without rows.
std::vector<HeldNode> random_held_nodes(const Model& model, int count, std::uint64_t seed, unsigned mask = 0) {
  const std::vector<double> x = random_numbers(9 * count, seed);
  std::vector<HeldNode> nodes;
  for (int i = 0; i < count; ++i) {
    const double* r = &x[9 * i];
    nodes.push_back({node_from(model, r), mask != 0 ? mask : unsigned((r[8] + 1) / 2 * 64) & all_rows});
  }
  if (count > 3) nodes[2].node.body = nodes[1].node.body;
  return nodes;
}

template <class Real>
struct Answer {
  std::vector<Real> vdot, lambda;
  std::vector<int> rank;
};
template <class T>
Answer<typename Plan<T>::Real> compute(const Model& model, const std::vector<HeldNode>& nodes,
                                       const std::vector<typename Plan<T>::Real>& q,
                                       const std::vector<typename Plan<T>::Real>& v,
                                       const std::vector<typename Plan<T>::Real>& tau,
                                       const std::vector<typename Plan<T>::Real>& f_ext,
                                       const std::vector<typename Plan<T>::Real>& target, bool with_nan = true,
                                       LimbOrder order = LimbOrder::side_by_side) {
  const Plan<T> plan(model);
  const HeldPlan<T> held(model, plan, nodes, order);
  HeldWorkspace<T> ws(plan, held);
  if (with_nan) {
    poison_workspace(ws.aba);
    poison(ws.Phi, ws.Psi, ws.V, ws.psi, ws.a, ws.s, ws.wide_s, ws.factors, ws.lever, ws.bound, ws.up, ws.w, ws.A, ws.b,
           ws.l, ws.noise, ws.least, ws.D_inverse, ws.x, ws.force, ws.limb_paths, ws.limb_s);
  }
  const std::size_t worlds = std::size_t(Lanes<T>::worlds);
  Answer<typename Plan<T>::Real> out;
  out.vdot.resize(v.size());
  out.lambda.resize(std::size_t(held.rows) * worlds);
  out.rank.resize(worlds);
  held_dynamics<T>(plan, held, q, v, tau, f_ext, target, ws, out.vdot, out.lambda, out.rank);
  return out;
}

// The equations (1) with all terms from other algorithms.
struct Dense {
  MatrixXd M, J;
  VectorXd bias, drift;  // drift: Jdot v
  Dense(const Model& model, const std::vector<HeldNode>& nodes, const std::vector<double>& q,
        const std::vector<double>& v, const std::vector<double>& f_ext) {
    const Plan<double> plan(model);
    RneaWorkspace<double> ws(plan);
    const std::size_t nv = v.size();
    std::vector<double> zero(nv), at_rest(nv), out(nv), e(nv);
    rnea<double>(plan, q, v, zero, f_ext, ws, out);
    bias = vector_of(out);
    rnea<double>(plan, q, zero, zero, {}, ws, at_rest);
    M.resize(Eigen::Index(nv), Eigen::Index(nv));
    for (std::size_t k = 0; k < nv; ++k) {
      e[k] = 1;
      rnea<double>(plan, q, zero, e, {}, ws, out);
      e[k] = 0;
      for (std::size_t i = 0; i < nv; ++i) M(Eigen::Index(i), Eigen::Index(k)) = out[i] - at_rest[i];
    }
    Kinematics<double> kin(plan);
    kinematics<double>(plan, q, kin);
    Velocities vel(model);
    velocities(model, kin, v, vel);
    std::vector<double> jacobian(6 * nv), rate(6 * nv);
    std::vector<double> rows, drifts;
    for (const HeldNode& held : nodes) {
      point_jacobian(model, kin, vel, held.node.body, held.node.X_BN.p, jacobian);
      point_jacobian_rate(model, kin, vel, held.node.body, held.node.X_BN.p, rate);
      const Mat3<double> R = body_pose(model, kin, held.node.body).R * held.node.X_BN.R;
      const Vec3<double> axes[3] = {R.x, R.y, R.z};
      for (int k = 0; k < 6; ++k) {
        if (!(held.rows >> k & 1u)) continue;
        const Vec3<double> axis = axes[k % 3];
        const std::size_t first = (k < 3 ? 0 : 3) * nv;  // of three rows: angular or linear
        double drift_of_row = 0;
        for (std::size_t i = first; i < first + nv; ++i) {
          rows.push_back(dot(axis, Vec3<double>{jacobian[i], jacobian[i + nv], jacobian[i + 2 * nv]}));
          drift_of_row += dot(axis, Vec3<double>{rate[i], rate[i + nv], rate[i + 2 * nv]}) * v[i - first];
        }
        drifts.push_back(drift_of_row);
      }
    }
    J = matrix_of(rows, Eigen::Index(drifts.size()), Eigen::Index(nv));
    drift = vector_of(drifts);
  }
  // Targets of some possible motion, so that redundant rows do not contradict each other.
  std::vector<double> possible_target(std::uint64_t seed) const {
    const VectorXd a = J * vector_of(random_numbers(M.rows(), seed, 3)) + drift;
    return {a.data(), a.data() + a.size()};
  }
  // The number of eigenvalues of W, scaled to a unit diagonal, that are clearly not zero; -1 if some are in doubt.
  int rank() const {
    const MatrixXd W = J * solve_positive(M, MatrixXd(J.transpose()));
    VectorXd d = W.diagonal();
    for (double& x : d) x = x > 1e-18 ? 1 / std::sqrt(x) : 0;
    int count = 0;
    for (const double x : symmetric_eigenvalues(scaled(d, W, d)).values) {
      if (x > 1e-12 && x < 1e-6) return -1;
      if (x >= 1e-6) ++count;
    }
    return count;
  }
};

// Both equations of (1), each relative to the size of its terms; their solution vdot is unique.
void expect_solved(const Model& model, const std::vector<HeldNode>& nodes, std::uint64_t seed, bool with_target,
                   bool with_forces, const std::string& what) {
  const State state = random_state(model, seed);
  const std::vector<double> tau = random_numbers(state.v.size(), seed + 1, 10);
  std::vector<double> f_ext;
  if (with_forces) f_ext = random_numbers(6 * model.bodies().size(), seed + 2);
  const Dense dense(model, nodes, state.q, state.v, f_ext);
  std::vector<double> target;
  if (with_target) target = dense.possible_target(seed + 3);
  const Answer<double> answer = compute<double>(model, nodes, state.q, state.v, tau, f_ext, target);
  const VectorXd vdot = vector_of(answer.vdot), lambda = vector_of(answer.lambda);
  const VectorXd inertial = dense.M * vdot, reactions = dense.J.transpose() * lambda,
                 left = inertial + dense.bias - vector_of(tau) - reactions;
  const MatrixXd J_size = dense.J.cwiseAbs();
  const double size =
      10 + max_abs(dense.bias) + max_abs(inertial) + max_abs(J_size.transpose() * VectorXd(lambda.cwiseAbs()));
  EXPECT_LE(max_abs(left), 1e-10 * size) << what;
  if (dense.J.rows() == 0) return;
  const int rank = dense.rank();
  if (rank >= 0) {
    EXPECT_EQ(answer.rank[0], rank) << what;
  }
  if (!with_target && rank != dense.J.rows()) return;  // may not be possible
  VectorXd missed = dense.J * vdot + dense.drift;
  if (with_target) missed -= vector_of(target);
  // accelerations of some m/s^2, as caused by gravity, may have cancelled
  const double fast = 10 + max_abs(J_size * VectorXd(vdot.cwiseAbs())) + max_abs(dense.drift);
  // rows that others imply up to a share of 1e-10 are skipped: their error is at worst its root, 1e-5
  EXPECT_LE(max_abs(missed), 1e-8 * fast) << what << ", rank " << answer.rank[0];
}

TEST(HeldRows, SolveTheEquations) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    for (const int count : {1, 2, 4, 7})
      for (const unsigned mask : {0u, linear_rows, angular_rows, all_rows, 0b100000u})
        for (int k = 0; k < 4; ++k)
          expect_solved(model, random_held_nodes(model, count, std::uint64_t(count + k), mask),
                        std::uint64_t(20 + count + k), k != 1, k != 2,
                        name + " " + std::to_string(count) + " nodes, mask " + std::to_string(mask) + ", case " +
                            std::to_string(k));
  }
}

TEST(HeldRows, EveryMaskOfOneNode) {
  const Model model = model_of("@humanoid");
  for (unsigned mask = 0; mask <= all_rows; ++mask)
    expect_solved(model, random_held_nodes(model, 2, 5, mask), mask, true, true, "mask " + std::to_string(mask));
}

// A foot on four corners: twelve rows of rank six; the same node twice.
TEST(HeldRows, RedundantNodesCountOnce) {
  const Model model = model_of("@humanoid");
  const int foot = int(model.bodies().size()) - 1;
  std::vector<HeldNode> nodes;
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.05, 0.05})
      nodes.push_back({{foot, {Mat3<double>::identity(), {x, y, -0.05}}}, linear_rows});
  expect_solved(model, nodes, 3, true, true, "four corners");
  const State state = random_state(model, 3);
  const std::vector<double> tau(state.v.size());
  EXPECT_EQ(compute<double>(model, nodes, state.q, state.v, tau, {}, {}).rank[0], 6);
  nodes = {nodes[0], nodes[0]};
  expect_solved(model, nodes, 4, true, false, "twice");
  const Answer<double> twice = compute<double>(model, nodes, state.q, state.v, tau, {}, {});
  EXPECT_EQ(twice.rank[0], 3);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(twice.lambda[i], 0);
}

// A pendulum held in place carries its weight; its other rows cannot move, and at its axis none can.
TEST(HeldRows, PendulumByHand) {
  const Model model = model_of("@simple_pendulum");
  const double q = 0.7;
  const std::vector<HeldNode> nodes{{{1, Transform<double>::identity()}, all_rows},
                                    {{0, Transform<double>::identity()}, linear_rows}};
  const Answer<double> still = compute<double>(model, nodes, {q}, {0}, {0}, {}, {});
  EXPECT_NEAR(still.vdot[0], 0, 1e-14);
  EXPECT_EQ(still.rank[0], 1);
  const Answer<double> free = compute<double>(model, {{{0, {}}, all_rows}}, {q}, {0}, {0}, {}, {});
  EXPECT_NEAR(free.vdot[0], -9.81 * std::sin(q), 1e-14);
  EXPECT_EQ(free.rank[0], 0);
  EXPECT_EQ(largest(free.lambda), 0);
}

TEST(HeldRows, WorldNodesAndNoNodesLeaveAba) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const std::vector<double> expected = run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
    for (const std::vector<HeldNode>& nodes :
         {std::vector<HeldNode>{}, std::vector<HeldNode>{{{0, {}}, all_rows}}, std::vector<HeldNode>{{{1, {}}, 0}}}) {
      const Answer<double> answer =
          compute<double>(model, nodes, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0], {});
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(same_bits(answer.vdot[i], expected[i])) << name;
      EXPECT_EQ(answer.rank[0], 0);
    }
  }
}

// Long chains held at both ends: rows count even if their forces decay along the chain.
TEST(HeldRows, LongChainsToo) {
  for (const int links : {30, 100, 300}) {
    const Model model = model_of("@chain:links=" + std::to_string(links));
    const Transform<double> off{Mat3<double>::identity(), {0.1, 0.2, -0.1}};
    const std::vector<HeldNode> nodes{{{links, off}, linear_rows}, {{links / 2, off}, all_rows}};
    const State state = random_state(model, 5);
    const std::vector<double> tau(state.v.size());
    const Answer<double> answer = compute<double>(model, nodes, state.q, state.v, tau, {}, {});
    EXPECT_EQ(answer.rank[0], 9) << links;
    const Plan<double> plan(model);
    Kinematics<double> kin(plan);
    kinematics<double>(plan, state.q, kin);
    Velocities vel(model);
    velocities(model, kin, state.v, vel);
    std::vector<Motion<double>> link(model.links().size());
    accelerations(model, kin, vel, state.v, answer.vdot, link);
    for (const HeldNode& node : nodes) {
      const Motion<double> a = point_acceleration(model, kin, vel, link, node.node.body, node.node.X_BN.p);
      EXPECT_LE(norm(a.v), 1e-9 * largest(answer.vdot)) << links;
    }
  }
}

TEST(HeldRows, NanInTheWorkspaceDoesNotMatter) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const std::vector<HeldNode> nodes = random_held_nodes(model, 5, 7);
    const Answer<double> a = compute<double>(model, nodes, worlds.q[0], worlds.v[0], worlds.x[0], {}, {}, true);
    const Answer<double> b = compute<double>(model, nodes, worlds.q[0], worlds.v[0], worlds.x[0], {}, {}, false);
    for (std::size_t i = 0; i < a.vdot.size(); ++i) EXPECT_TRUE(same_bits(a.vdot[i], b.vdot[i])) << name;
    for (std::size_t i = 0; i < a.lambda.size(); ++i) EXPECT_TRUE(same_bits(a.lambda[i], b.lambda[i])) << name;
  }
}

template <class T>
void expect_lanes_equal_alone() {
  using Real = typename Plan<T>::Real;
  const std::size_t count = std::size_t(Lanes<T>::worlds);
  for (const std::string& name : test_scenes())
    for (const unsigned mask : {0u, linear_rows}) {
      const Model model = model_of(name);
      const Worlds worlds(model, int(count));
      const std::vector<HeldNode> nodes = random_held_nodes(model, 5, 7, mask);
      std::size_t rows = 0;
      for (const HeldNode& node : nodes) rows += std::size_t(__builtin_popcount(node.rows));
      std::vector<std::vector<double>> target;
      for (std::size_t w = 0; w < count; ++w) target.push_back(random_numbers(rows, w + 50));
      const Answer<Real> together =
          compute<T>(model, nodes, interleave<Real>(worlds.q), interleave<Real>(worlds.v), interleave<Real>(worlds.x),
                     interleave<Real>(worlds.f_ext), interleave<Real>(target));
      for (std::size_t w = 0; w < count; ++w) {
        const Answer<Real> alone =
            compute<Real>(model, nodes, as_reals<Real>(worlds.q[w]), as_reals<Real>(worlds.v[w]),
                          as_reals<Real>(worlds.x[w]), as_reals<Real>(worlds.f_ext[w]), as_reals<Real>(target[w]));
        EXPECT_EQ(together.rank[w], alone.rank[0]) << name;
        for (std::size_t i = 0; i < alone.vdot.size(); ++i)
          ASSERT_TRUE(same_bits(together.vdot[i * count + w], alone.vdot[i])) << name << " world " << w;
        for (std::size_t i = 0; i < alone.lambda.size(); ++i)
          ASSERT_TRUE(same_bits(together.lambda[i * count + w], alone.lambda[i])) << name << " world " << w;
      }
    }
}
TEST(HeldRows, LaneOfFourDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double4>(); }
TEST(HeldRows, LaneOfEightDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double8>(); }
TEST(HeldRows, LaneOfSixteenFloatsHasTheBitsOfAFloat) { expect_lanes_equal_alone<Float16>(); }

// Limbs with at most one node each, anywhere along them, have the same bits side by side as one by one.
TEST(HeldRows, LimbsSideBySideHaveTheBitsOfLimbsOneByOne) {
  int side_by_side = 0, one_by_one = 0;
  std::vector<Model> models{quadruped_with_general_heads(4), quadruped_with_general_heads(2)};
  for (const std::string& name : test_scenes()) models.push_back(model_of(name));
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Model& model = models[m];
    const Plan<double> plan(model);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<HeldNode> nodes = random_held_nodes(model, int(1 + seed % 5), seed, seed % 2 ? linear_rows : 0);
      if (seed % 3 == 0)
        for (HeldNode& node : nodes) node.rows &= 0b101010;  // three rows at most, of both kinds
      const HeldPlan<double> held(model, plan, nodes);
      for (const auto& limbs : held.limb_nodes) side_by_side += limbs.any;
      one_by_one += !plan.limbs.empty() && held.limb_order == LimbOrder::one_by_one;
      const Worlds worlds(model, 1);
      const std::vector<double> target = random_numbers(held.rows, seed + 7);
      const auto answer = [&](LimbOrder order) {
        return compute<double>(model, nodes, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0], target, true,
                               order);
      };
      const Answer<double> a = answer(LimbOrder::side_by_side), b = answer(LimbOrder::one_by_one);
      EXPECT_EQ(a.rank[0], b.rank[0]) << m;
      for (std::size_t i = 0; i < a.vdot.size(); ++i) EXPECT_TRUE(same_bits(a.vdot[i], b.vdot[i])) << m;
      for (std::size_t i = 0; i < a.lambda.size(); ++i) EXPECT_TRUE(same_bits(a.lambda[i], b.lambda[i])) << m;
    }
  }
  EXPECT_GT(side_by_side, 20);
  EXPECT_GT(one_by_one, 20);
}

// Float finds the same rank as double, with fewer digits.
TEST(HeldRows, FloatsAreCloseToDoubles) {
  for (const char* name : {"@dual_arm", "@quadruped", "@humanoid"}) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    std::vector<HeldNode> nodes;
    for (const int back : {1, 4}) nodes.push_back({{int(model.bodies().size()) - back, {}}, linear_rows});
    nodes.push_back(nodes.front());
    const Answer<double> exact = compute<double>(model, nodes, worlds.q[0], worlds.v[0], worlds.x[0], {}, {});
    const Answer<float> rough = compute<float>(model, nodes, as_reals<float>(worlds.q[0]), as_reals<float>(worlds.v[0]),
                                               as_reals<float>(worlds.x[0]), {}, {});
    EXPECT_EQ(rough.rank[0], exact.rank[0]) << name;
    EXPECT_LE(largest_difference(std::vector<double>(rough.vdot.begin(), rough.vdot.end()), exact.vdot),
              1e-2 * largest(exact.vdot))
        << name;
  }
}

TEST(HeldRows, RefusesWhatDoesNotFit) {
  const Model model = model_of("@chain:links=3");
  const Plan<double> plan(model);
  EXPECT_THROW(HeldPlan<double>(model, plan, std::vector<HeldNode>{{{7, {}}, linear_rows}}), CheckFailed);
  EXPECT_THROW(HeldPlan<double>(model, plan, std::vector<HeldNode>{{{1, {}}, 64}}), CheckFailed);
  const HeldPlan<double> held(model, plan, std::vector<HeldNode>{{{2, {}}, linear_rows}});
  HeldWorkspace<double> ws(plan, held);
  std::vector<double> three(3), two(2);
  std::vector<int> rank(1), ranks(2);
  const auto run = [&](auto& target, auto& vdot, auto& lambda, auto& ranks_out) {
    held_dynamics<double>(plan, held, three, three, three, {}, target, ws, vdot, lambda, ranks_out);
  };
  EXPECT_NO_THROW(run(three, three, three, rank));
  EXPECT_THROW(run(two, three, three, rank), CheckFailed);
  EXPECT_THROW(run(three, two, three, rank), CheckFailed);
  EXPECT_THROW(run(three, three, three, ranks), CheckFailed);
  EXPECT_EQ(failed_check([&] { run(three, three, two, rank); }), "lambda has 2 numbers, 3 rows need 3");
  const HeldPlan<double> others(model, plan, std::vector<HeldNode>{{{2, {}}, all_rows}});
  HeldWorkspace<double> of_others(plan, others);
  EXPECT_THROW(held_dynamics<double>(plan, held, three, three, three, {}, three, of_others, three, three, rank),
               CheckFailed);
  const Model arms = model_of("@dual_arm");
  const Plan<double> other_plan(arms);
  EXPECT_THROW(held_dynamics<double>(other_plan, held, three, three, three, {}, three, ws, three, three, rank),
               CheckFailed);
}

}  // namespace
}  // namespace linchpin
