#include "linchpin/dynamics/compliance/operational_inertia.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

std::vector<double> compliance_of(const Model& model, const std::vector<Node>& nodes, const std::vector<double>& q) {
  const Plan<double> plan(model);
  const NodeTree<double> tree(model, plan, nodes);
  ArticulatedFactor<double> factors(plan);
  Compliance<double> c(tree);
  std::vector<double> matrix(36 * nodes.size() * nodes.size());
  factor<double>(plan, q, factors);
  compound_paths<double>(plan, tree, factors, c);
  compliance_matrix<double>(tree, c, matrix);
  return matrix;
}

std::vector<double> product(const std::vector<double>& A, const std::vector<double>& B, std::size_t n) {
  std::vector<double> C(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) C[i * n + j] += A[i * n + k] * B[k * n + j];
  return C;
}

Node node(int body, const Vec3<double>& at = {0.1, -0.2, 0.3}) { return {body, {Mat3<double>::identity(), at}}; }

// The operational-space inertia of a free body is its own inertia about the node.
TEST(OperationalInertia, OfAFreeBodyIsItsOwn) {
  const Model model = model_of("@free_body");
  const Body& body = model.bodies()[1];
  const std::vector<Node> nodes{node(1, {0, 0, 0})};
  std::vector<double> inertia(36);
  OperationalInertia inverse(6);
  EXPECT_EQ(inverse.invert(compliance_of(model, nodes, random_state(model, 1).q), inertia), 6);
  const auto& I = body.inertia.I;
  const auto& h = body.inertia.h;
  const double m = body.inertia.mass;
  const double expected[36] = {I.xx, I.xy, I.xz, 0,    -h.z, h.y, I.xy, I.yy, I.yz, h.z, 0, -h.x,
                               I.xz, I.yz, I.zz, -h.y, h.x,  0,   0,    h.z,  -h.y, m,   0, 0,
                               -h.z, 0,    h.x,  0,    m,    0,   h.y,  -h.x, 0,    0,   0, m};
  for (std::size_t i = 0; i < 36; ++i) EXPECT_NEAR(inertia[i], expected[i], 1e-12 * (m + I.zz)) << i;
}

TEST(OperationalInertia, UndoesTheComplianceWhereItIsRegular) {
  int regular = 0;
  for (const char* name : {"@humanoid", "@quadruped", "@chain:links=30", "@random_tree:bodies=30,seed=3"}) {
    const Model model = model_of(name);
    const int last = int(model.bodies().size()) - 1;
    std::vector<Node> nodes{node(last)};
    if (std::string(name) == "@humanoid") nodes.push_back(node(last / 2));
    const std::size_t n = 6 * nodes.size();
    const std::vector<double> C = compliance_of(model, nodes, random_state(model, 2).q);
    std::vector<double> inertia(n * n);
    OperationalInertia inverse(static_cast<int>(n));
    if (inverse.invert(C, inertia) < int(n)) continue;  // a tree whose last body is near its root
    ++regular;
    const std::vector<double> one = product(C, inertia, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)  // rows in their own units; conditions of up to 1e7 seen
        EXPECT_NEAR(one[i * n + j] * std::sqrt(C[j * n + j] / C[i * n + i]), i == j, 1e-8) << name;
  }
  EXPECT_GE(regular, 3);
}

// Penrose's conditions for singular matrices: two nodes on one body have rank 6 together; a planar mechanism's tip has
// rank 3; a node of the world has rank 0.
TEST(OperationalInertia, SaysTheRankAndGivesTheLeastForces) {
  struct Case {
    const char* scene;
    std::vector<int> bodies;
    int rank;
  };
  for (const Case& c :
       {Case{"@free_body", {1, 1}, 6}, Case{"@free_body", {1, 0}, 6}, Case{"@humanoid", {0}, 0},
        Case{"@simple_pendulum", {1}, 1}, Case{"@double_pendulum:rods=1", {2}, 2}, Case{"@chain:links=7", {3}, 3}}) {
    const Model model = model_of(c.scene);
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < c.bodies.size(); ++i)
      nodes.push_back(node(c.bodies[i], {0.1 + 0.2 * double(i), -0.2, 0.3 * double(i)}));
    const std::size_t n = 6 * nodes.size();
    const std::vector<double> C = compliance_of(model, nodes, random_state(model, 3).q);
    std::vector<double> L(n * n);
    OperationalInertia inverse(static_cast<int>(n));
    EXPECT_EQ(inverse.invert(C, L), c.rank) << c.scene;
    const std::vector<double> CLC = product(product(C, L, n), C, n), LCL = product(product(L, C, n), L, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_NEAR(CLC[i * n + j], C[i * n + j], 1e-9 * largest(C) + 1e-300) << c.scene;
        EXPECT_NEAR(LCL[i * n + j], L[i * n + j], 1e-9 * largest(L) + 1e-300) << c.scene;
        EXPECT_EQ(L[i * n + j], L[j * n + i]) << c.scene;
      }
  }
}

// Two rows that are equal up to 1e-12: Cholesky's factor exists, but what it says of their difference is rounding. They
// count as one row of compliance 1 whose force is shared. Rows that are far from equal are inverted as they are.
TEST(OperationalInertia, RowsThatAreAlmostEqualCountOnce) {
  OperationalInertia inverse(2);
  std::vector<double> L(4);
  const double almost = 1 - 1e-12;
  EXPECT_EQ(inverse.invert(std::vector<double>{1, almost, almost, 1}, L), 1);
  for (const double l : L) EXPECT_NEAR(l, 0.25, 1e-9);
  EXPECT_EQ(inverse.invert(std::vector<double>{1, 0.5, 0.5, 1}, L), 2);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(L[k], k == 0 || k == 3 ? 4.0 / 3 : -2.0 / 3, 1e-15);
}

TEST(OperationalInertia, UnitsDoNotMatter) {
  const Model model = model_of("@humanoid");
  const std::vector<Node> nodes{node(int(model.bodies().size()) - 1), node(4), node(4)};
  const std::size_t n = 18;
  std::vector<double> C = compliance_of(model, nodes, random_state(model, 2).q), L(n * n), M(n * n), D = C;
  const auto unit = [](std::size_t i) { return std::ldexp(1.0, int(i % 5) * 6 - 12); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) D[i * n + j] *= unit(i) * unit(j);
  OperationalInertia inverse(static_cast<int>(n));
  const int rank = inverse.invert(C, L);
  EXPECT_EQ(inverse.invert(D, M), rank);
  EXPECT_LT(rank, int(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(M[i * n + j] * unit(i) * unit(j), L[i * n + j], 1e-9 * largest(L));
}

TEST(OperationalInertia, SaysWhatIsNotFiniteAndWhatDoesNotFit) {
  OperationalInertia inverse(2), none(0);
  std::vector<double> out(4), three(3);
  EXPECT_EQ(inverse.invert(std::vector<double>{1, 0, 0, std::nan("")}, out), -1);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_THROW(inverse.invert(three, out), CheckFailed);
  EXPECT_EQ(none.invert({}, {}), 0);
  EXPECT_THROW(OperationalInertia(-1), CheckFailed);
}

}  // namespace
}  // namespace linchpin
