#include "linchpin/dynamics/compliance/compliance.h"

#include "linchpin/base/check.h"
#include "linchpin/dynamics/compliance/nodes_testing.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// Nodes in random frames on random bodies: several on one body, on another's path, in other trees, on the world.
std::vector<Node> random_nodes(const Model& model, int count, std::uint64_t seed) {
  const std::vector<double> x = random_numbers(8 * count, seed);
  std::vector<Node> nodes;
  for (int i = 0; i < count; ++i) nodes.push_back(node_from(model, &x[8 * i]));
  if (count > 3) nodes[2].body = nodes[1].body;
  return nodes;
}

template <class T>
struct Computed {
  using Real = typename Plan<T>::Real;
  std::vector<Real> matrix, a;  // W, W f
};
template <class T>
Computed<T> compute(const Model& model, const std::vector<Node>& nodes, const std::vector<typename Plan<T>::Real>& q,
                    const std::vector<typename Plan<T>::Real>& f) {
  const Plan<T> plan(model);
  const NodeTree<T> tree(model, plan, nodes);
  ArticulatedFactor<T> factors(plan);
  Compliance<T> compliance(tree);
  poison(factors.block, factors.pivot, factors.wide, factors.sum, compliance.Phi, compliance.Psi, compliance.V,
         compliance.force, compliance.motion);
  factor<T>(plan, q, factors);
  compound_paths<T>(plan, tree, factors, compliance);
  Computed<T> out;
  out.matrix.resize(36 * nodes.size() * nodes.size() * std::size_t(Lanes<T>::worlds));
  out.a.resize(f.size());
  apply_compliance<T>(tree, compliance, f, out.a);
  compliance_matrix<T>(tree, compliance, out.matrix);
  return out;
}

// Rows of all nodes, each in its own axes: 6 m x nv.
std::vector<double> jacobian(const Model& model, const std::vector<Node>& nodes, const std::vector<double>& q) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, q, kin);
  Velocities vel(model);
  joint_axes(model, kin, vel);
  const std::size_t nv = std::size_t(model.nv());
  std::vector<double> all, J(6 * nv);
  for (const Node& node : nodes) {
    point_jacobian(model, kin, vel, node.body, node.X_BN.p, J);
    const Mat3<double> R = body_pose(model, kin, node.body).R * node.X_BN.R;
    const Vec3<double> axes[3] = {R.x, R.y, R.z};
    for (std::size_t half = 0; half < 6; half += 3)
      for (const Vec3<double>& axis : axes)
        for (std::size_t k = 0; k < nv; ++k)
          all.push_back(axis.x * J[half * nv + k] + axis.y * J[(half + 1) * nv + k] + axis.z * J[(half + 2) * nv + k]);
  }
  return all;
}

// J M^-1 J' from the mass matrix and its factors: an independent algorithm.
std::vector<double> dense_way(const Model& model, const std::vector<Node>& nodes, const std::vector<double>& q) {
  const std::size_t nv = std::size_t(model.nv()), n = 6 * nodes.size();
  const Plan<double> plan(model);
  const MassMatrixLayout layout(model);
  CrbaWorkspace<double> ws(plan, layout);
  MassMatrix<double> M(layout);
  crba<double>(plan, layout, q, ws, M);
  factor<double>(layout, M);
  const std::vector<double> J = jacobian(model, nodes, q);
  std::vector<double> out(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> x(J.begin() + std::ptrdiff_t(i * nv), J.begin() + std::ptrdiff_t((i + 1) * nv));
    solve<double>(layout, M, x);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < nv; ++k) out[i * n + j] += J[j * nv + k] * x[k];
  }
  return out;
}

std::vector<double> forces(const std::vector<Node>& nodes, std::uint64_t seed) {
  return random_numbers(6 * nodes.size(), seed);
}

TEST(Compliance, EqualsTheDenseProduct) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    for (const int count : {1, 2, 4, 9}) {
      const std::vector<Node> nodes = random_nodes(model, count, std::uint64_t(count));
      const State state = random_state(model, std::uint64_t(10 + count));
      const std::vector<double> expected = dense_way(model, nodes, state.q);
      const Computed<double> c = compute<double>(model, nodes, state.q, forces(nodes, 3));
      const double condition = AugmentedTree<double>(model, state.q, state.v).condition_number();
      EXPECT_LE(largest_difference(c.matrix, expected), 100 * 2.2e-16 * condition * largest(expected) + 1e-300)
          << name << " " << count << " nodes, condition " << condition;
    }
  }
}

// compliance_by_tree() has the bits of the blocks of compliance_matrix(), and all other blocks are zero.
TEST(Compliance, TreeByTreeHasTheBitsOfTheWholeMatrix) {
  std::vector<std::string> names = test_scenes();
  names.push_back("@forest:trees=9");
  for (const std::string& name : names) {
    const Model model = model_of(name);
    const std::vector<Node> nodes = random_nodes(model, 12, 5);
    const State state = random_state(model, 12);
    const Plan<double> plan(model);
    const NodeTree<double> tree(model, plan, nodes);
    ArticulatedFactor<double> factors(plan);
    Compliance<double> compliance(tree);
    factor<double>(plan, state.q, factors);
    compound_paths<double>(plan, tree, factors, compliance);
    std::vector<double> whole = compute<double>(model, nodes, state.q, forces(nodes, 3)).matrix;
    std::vector<double> by_tree(numbers_by_tree(tree), std::numeric_limits<double>::quiet_NaN());
    compliance_by_tree<double>(tree, compliance, by_tree);
    const std::size_t n = 6 * nodes.size();
    for (const auto& one : tree.trees()) {
      const std::span<const int> own = tree.nodes_of(one);
      const std::size_t width = 6 * own.size();
      ASSERT_EQ(own.size(), std::size_t(one.nodes));
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < width; ++j) {
          double& entry = whole[(6 * std::size_t(own[i / 6]) + i % 6) * n + 6 * std::size_t(own[j / 6]) + j % 6];
          EXPECT_TRUE(same_bits(by_tree[one.matrix + i * width + j], entry)) << name;
          entry = 0;
        }
    }
    for (const double left : whole) EXPECT_EQ(left, 0) << name;
  }
}

// The work on mechanisms that do not touch each other is the sum of the work on each: pairs of vertices within trees.
TEST(Compliance, PairsOfOtherTreesAreNeitherStoredNorComputed) {
  const auto pairs = [](int trees) {
    const Model model = model_of("@forest:trees=" + std::to_string(trees));
    std::vector<Node> nodes;
    for (int body = 1; body < int(model.bodies().size()); ++body) nodes.push_back({body, {}});
    const NodeTree<double> tree(model, Plan<double>(model), nodes);
    EXPECT_GE(tree.trees().size(), std::size_t(trees));
    EXPECT_EQ(Compliance<double>(tree).V.size(), tree.pairs());
    return std::pair(tree.pairs(), numbers_by_tree(tree));
  };
  const auto [pairs_of_60, numbers_of_60] = pairs(60);  // the kinds of mechanisms repeat
  const auto [pairs_of_600, numbers_of_600] = pairs(600);
  EXPECT_EQ(pairs_of_600, 10 * pairs_of_60);
  EXPECT_EQ(numbers_of_600, 10 * numbers_of_60);
}

// The factors in the workspace of aba() serve as well. Their rounding differs: compared within the conditioning.
TEST(Compliance, TakesWhatAbaLeft) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const std::vector<Node> nodes = random_nodes(model, 5, 3);
    const State state = random_state(model, 12);
    const Plan<double> plan(model);
    const NodeTree<double> tree(model, plan, nodes);
    AbaWorkspace<double> ws(plan);
    Compliance<double> compliance(tree);
    poison_workspace(ws);
    poison(compliance.Phi, compliance.Psi, compliance.V);
    std::vector<double> vdot(state.v.size()), matrix(36 * nodes.size() * nodes.size());
    aba<double>(plan, state.q, state.v, random_numbers(vdot.size(), 1), {}, ws, vdot);
    compound_paths<double>(plan, tree, ws, compliance);
    compliance_matrix<double>(tree, compliance, matrix);
    const std::vector<double> expected = compute<double>(model, nodes, state.q, forces(nodes, 3)).matrix;
    const double condition = AugmentedTree<double>(model, state.q, state.v).condition_number();
    EXPECT_LE(largest_difference(matrix, expected), 100 * 2.2e-16 * condition * largest(expected)) << name;
  }
}

TEST(Compliance, OfLongChainsToo) {
  for (const int links : {100, 1000}) {
    const Model model = model_of("@chain:links=" + std::to_string(links));
    std::vector<Node> nodes;
    for (const int body : {links, links / 2, links / 3, 1, links / 2}) nodes.push_back({body, {}});
    for (Node& node : nodes) node.X_BN = {Mat3<double>::identity(), {0.1, 0.2, -0.1}};
    const State state = random_state(model, 5);
    const std::vector<double> expected = dense_way(model, nodes, state.q);
    const Computed<double> c = compute<double>(model, nodes, state.q, forces(nodes, 3));
    // The mass matrix of long chains is ill-conditioned (design: 1e-11 at 30 links, 5e-10 at 100, 1.4e-8 at 300 for one
    // ulp), but W at the tips is not, so the sum over joints is far more accurate.
    EXPECT_LE(largest_difference(c.matrix, expected), (links == 100 ? 1e-9 : 1e-6) * largest(expected)) << links;
  }
}

TEST(Compliance, AsAnOperatorIsTheMatrix) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const std::vector<Node> nodes = random_nodes(model, 7, 4);
    const std::vector<double> f = forces(nodes, 8);
    const Computed<double> c = compute<double>(model, nodes, random_state(model, 2).q, f);
    std::vector<double> product(f.size());
    for (std::size_t i = 0; i < f.size(); ++i)
      for (std::size_t j = 0; j < f.size(); ++j) product[i] += c.matrix[i * f.size() + j] * f[j];
    // sums of at most 42 terms and of paths' products, all of the size of the matrix
    EXPECT_LE(largest_difference(c.a, product), 1e-13 * largest(c.matrix)) << name;
  }
}

TEST(Compliance, IsSymmetricToTheBit) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const std::vector<Node> nodes = random_nodes(model, 5, 6);
    const Computed<double> c = compute<double>(model, nodes, random_state(model, 3).q, forces(nodes, 1));
    const std::size_t n = 6 * nodes.size();
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(c.matrix[i * n + i], 0) << name;
      for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(c.matrix[i * n + j], c.matrix[j * n + i]) << name;
    }
  }
}

// The reverse: impulses on bodies change the velocities by M^-1 J' p, and the nodes' velocities by J of that.
TEST(Compliance, IsTheImpulseResponseSeenFromTheNodes) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    std::vector<Node> nodes;  // at every body's own frame
    for (int body = 0; body < int(model.bodies().size()); ++body)
      nodes.push_back({body, Transform<double>::identity()});
    const State state = random_state(model, 4);
    const std::vector<double> p = forces(nodes, 5);
    const Plan<double> plan(model);
    ArticulatedFactor<double> factors(plan);
    SolveWorkspace<double> ws(plan);
    poison(ws.u, ws.wide_u, ws.sum, ws.a, ws.external, ws.wide_external);
    factor<double>(plan, state.q, factors);
    std::vector<double> dv(state.v.size());
    solve<double>(plan, factors, ws, dv, p);
    const std::vector<double> J = jacobian(model, nodes, state.q);
    std::vector<double> moved(p.size());
    for (std::size_t i = 0; i < moved.size(); ++i)
      for (std::size_t k = 0; k < dv.size(); ++k) moved[i] += J[i * dv.size() + k] * dv[k];
    const std::vector<double> a = compute<double>(model, nodes, state.q, p).a;
    const double condition = AugmentedTree<double>(model, state.q, state.v).condition_number();
    EXPECT_LE(largest_difference(a, moved), 100 * 2.2e-16 * condition * largest(a)) << name;
  }
}

// Forces given by link, with factors of aba(), give the same response within the conditioning.
TEST(Compliance, ResponseToForcesOnLinks) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const State state = random_state(model, 4);
    const std::vector<double> f = random_numbers(6 * model.bodies().size(), 5), x = random_numbers(state.v.size(), 6);
    std::vector<Force<double>> on_link(model.links().size(), Force<double>::zero());
    for (std::size_t i = 0; i < model.bodies().size(); ++i) {
      const Body& body = model.bodies()[i];
      const double* n = &f[6 * i];
      on_link[body.link] += force_to_parent(body.X_LB, Force<double>{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}});
    }
    const Plan<double> plan(model);
    ArticulatedFactor<double> factors(plan);
    AbaWorkspace<double> aba_ws(plan);
    SolveWorkspace<double> ws(plan);
    factor<double>(plan, state.q, factors);
    std::vector<double> expected = x, by_factor = x, by_aba = x, vdot(x.size());
    solve<double>(plan, factors, ws, expected, f);
    poison(ws.u, ws.wide_u, ws.sum, ws.a, ws.external, ws.wide_external);
    solve<double>(plan, factors, ws, by_factor, std::span<const Force<double>>(on_link));
    poison_workspace(aba_ws);
    aba<double>(plan, state.q, state.v, x, f, aba_ws, vdot);
    solve<double>(plan, aba_ws, ws, by_aba, std::span<const Force<double>>(on_link));
    const double condition = AugmentedTree<double>(model, state.q, state.v).condition_number();
    const double tolerance = 100 * 2.2e-16 * condition * largest(expected);
    EXPECT_LE(largest_difference(by_factor, expected), tolerance) << name;
    EXPECT_LE(largest_difference(by_aba, expected), tolerance) << name;
  }
}

// A tree after place() equals a new one to the bit, whatever nodes and model it had before.
TEST(Compliance, NodesCanBePlacedAgain) {
  NodeTree<double> tree;
  Compliance<double> compliance;
  for (const std::string& name : test_scenes())
    for (const int count : {2, 7, 1, 4}) {
      const Model model = model_of(name);
      const State state = random_state(model, 4);
      const Plan<double> plan(model);
      const std::vector<Node> nodes = random_nodes(model, count, 3);
      std::vector<LinkNode> on_links;
      for (const Node& node : nodes) {
        const Body& body = model.bodies()[node.body];
        on_links.push_back({body.link, body.X_LB * node.X_BN});
      }
      tree.place(model, plan, on_links);
      compliance.fit(tree);
      ArticulatedFactor<double> factors(plan);
      factor<double>(plan, state.q, factors);
      compound_paths<double>(plan, tree, factors, compliance);
      std::vector<double> matrix(36 * nodes.size() * nodes.size());
      compliance_matrix<double>(tree, compliance, matrix);
      EXPECT_EQ(matrix, compute<double>(model, nodes, state.q, forces(nodes, 3)).matrix) << name << ", " << count;
    }
}

// Newton and Euler: a free body at its centre of mass; the world has zero compliance; bodies of different trees do not
// couple.
TEST(Compliance, OfAFreeBodyAndTheWorld) {
  ModelSpec spec;
  for (const char* name : {"a", "b"}) {
    BodySpec body;
    body.name = name;
    body.inertia = {2, Vec3<double>::zero(), Sym3<double>::diagonal(0.5, 0.7, 0.9)};
    spec.bodies.push_back(body);
    JointSpec joint;
    joint.name = std::string("free ") + name;
    joint.type = JointType::free;
    joint.parent = "world";
    joint.child = name;
    spec.joints.push_back(joint);
  }
  const Result<Model> model = compile(spec);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::vector<Node> nodes{{1, Transform<double>::identity()},
                                {0, Transform<double>::identity()},
                                {2, {Mat3<double>::identity(), {0, 0, 2}}}};
  const State state = random_state(model.value(), 1);
  const Computed<double> c = compute<double>(model.value(), nodes, state.q, forces(nodes, 1));
  const double moment[3] = {0.5, 0.7, 0.9};
  for (std::size_t i = 0; i < 18; ++i)
    for (std::size_t j = 0; j < 18; ++j) {
      double expected = 0;
      if (i == j && i < 6) expected = i < 3 ? 1 / moment[i] : 0.5;
      if (i == j && i >= 12) expected = i < 15 ? 1 / moment[i - 12] : 0.5;
      // a force along x at (0, 0, 2) turns the body about y, and the node with it
      if (i == 15 && j == 15) expected = 0.5 + 4 / 0.7;
      if (i == 16 && j == 16) expected = 0.5 + 4 / 0.5;
      if ((i == 13 && j == 15) || (i == 15 && j == 13)) expected = 2 / 0.7;
      if ((i == 12 && j == 16) || (i == 16 && j == 12)) expected = -2 / 0.5;
      EXPECT_NEAR(c.matrix[i * 18 + j], expected, 1e-14) << i << ", " << j;
    }
}

// Less than two vertices per node, and every joint in at most one path, however many nodes share it.
TEST(Compliance, PassesEveryJointOnce) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Plan<double> plan(model);
    for (const int count : {1, 3, 8, 30}) {
      const NodeTree<double> tree(model, plan, random_nodes(model, count, 9));
      EXPECT_LT(tree.vertices().size(), 2 * std::size_t(count)) << name;
      std::vector<int> passed(std::size_t(plan.slots) + 1);
      for (const auto& s : tree.stretches())
        if (plan.runs[s.run].kind == LinkKind::revolute || plan.runs[s.run].kind == LinkKind::axial)
          for (int slot = s.to; slot <= s.from; ++slot) ++passed[slot];
      EXPECT_LE(*std::max_element(passed.begin(), passed.end()), 1) << name;
    }
  }
}

// The matrix, followed by the product.
constexpr auto compute_worlds = []<class T>(const Model& model, const Worlds& worlds) {
  using Real = typename Plan<T>::Real;
  const std::vector<Node> nodes = random_nodes(model, 5, 7);
  std::vector<std::vector<double>> f;
  for (const int w : worlds.number) f.push_back(forces(nodes, std::uint64_t(w + 1)));
  Computed<T> result = compute<T>(model, nodes, interleave<Real>(worlds.q), interleave<Real>(f));
  result.matrix.insert(result.matrix.end(), result.a.begin(), result.a.end());
  return std::vector<Real>(result.matrix.begin(), result.matrix.end());
};
TEST(Compliance, LaneOfFourDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double4>(compute_worlds); }
TEST(Compliance, LaneOfEightDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double8>(compute_worlds); }
TEST(Compliance, LaneOfSixteenFloatsHasTheBitsOfAFloat) { expect_lanes_equal_alone<Float16>(compute_worlds); }

TEST(Compliance, NoNodesNoNumbers) {
  const Model model = model_of("@dual_arm");
  EXPECT_TRUE(compute<double>(model, {}, random_state(model, 1).q, {}).matrix.empty());
  const NodeTree<double> none, placed(model, Plan<double>(model), std::vector<Node>{});
  for (const NodeTree<double>* tree : {&none, &placed}) {
    EXPECT_EQ(tree->nodes(), 0);
    EXPECT_EQ(tree->pairs(), 0u);
    EXPECT_EQ(numbers_by_tree(*tree), 0u);
    EXPECT_TRUE(tree->vertices().empty() && tree->stretches().empty() && tree->trees().empty());
  }
}

TEST(Compliance, RefusesWhatDoesNotFit) {
  const Model model = model_of("@chain:links=3");
  const Plan<double> plan(model);
  const std::vector<Node> nowhere{{7, Transform<double>::identity()}};
  EXPECT_THROW(NodeTree<double>(model, plan, nowhere), CheckFailed);
  const std::vector<Node> nodes{{2, Transform<double>::identity()}};
  const NodeTree<double> tree(model, plan, nodes);
  Compliance<double> c(tree);
  std::vector<double> six(6), five(5), matrix(36);
  EXPECT_THROW(compliance_matrix<double>(tree, c, six), CheckFailed);
  EXPECT_THROW(apply_compliance<double>(tree, c, five, six), CheckFailed);
  ArticulatedFactor<double> factors(plan);
  const Model other = model_of("@dual_arm");
  EXPECT_THROW(compound_paths<double>(Plan<double>(other), tree, factors, c), CheckFailed);
}

}  // namespace
}  // namespace linchpin
