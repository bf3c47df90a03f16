// Auxiliary constraints against a dense solution of the whole system.
#include "linchpin/dynamics/maximal/auxiliary_rows.h"

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/black_box/box_joint.h"
#include "linchpin/black_box/box_testing.h"
#include "linchpin/black_box/multiplier_system.h"

namespace linchpin {
namespace {

// A constraint on many bodies: their mean stays on a plane; its force has a direction of its own (own_directions).
class MeanOnPlane final : public AnyConstraint {
 public:
  MeanOnPlane(int bodies, bool leaning) : bodies_(bodies), leaning_(leaning) {}
  int rows() const override { return 1; }
  bool own_directions() const override { return leaning_; }
  void evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const override {
    const Vec3<double> n = (1.0 / bodies_) * Vec3<double>{0.6, 0, 0.8};
    for (int k = 0; k < bodies_; ++k) {
      const PointMotion p = on[k].point({0, 0, 0});
      out.add(k, 0, n, p);
      out.error[0] += dot(n, p.at);
      if (leaning_) out.add_direction(k, 0, n + Vec3<double>{0.1, 0.2, -0.1}, p);
    }
  }

 private:
  int bodies_;
  bool leaning_;
};

// All matrices of the system, dense. K by columns.
struct Dense {
  Eigen::MatrixXd M, J, Ja, K;
  Eigen::VectorXd F, c, ca;
};

Dense dense(MultiplierSystem& system, const MultiplierState& state) {
  const int n = system.velocities();
  Dense d;
  d.M.setZero(n, n);
  d.F.setZero(n);
  const auto block = [](std::span<const double> numbers, int rows) {
    return matrix_of(numbers, rows, int(numbers.size()) / rows);
  };
  for (int b = 0; b < system.bodies(); ++b) {
    const AnyBody& body = *system.spec().bodies[b];
    const int size = body.dimension(), first = system.forest().first(b);
    std::vector<double> M(size * size), F(static_cast<std::size_t>(size));
    body.mass(system.q(state, b), M);
    body.force(system.q(state, b), system.v(state, b), system.spec().gravity, F);
    d.M.block(first, first, size, size) = block(M, size);
    d.F.segment(first, size) = vector_of(F);
  }
  int primary = 0, auxiliary = 0;
  for (int i = 0; i < system.constraints(); ++i)
    (system.is_primary(i) ? primary : auxiliary) += system.spec().constraints[i].constraint->rows();
  d.J.setZero(primary, n);
  d.Ja.setZero(auxiliary, n);
  d.K.setZero(n, auxiliary);
  d.c.setZero(primary);
  d.ca.setZero(auxiliary);
  primary = auxiliary = 0;
  for (int i = 0; i < system.constraints(); ++i) {
    const MultiplierSpec::Held& held = system.spec().constraints[i];
    const int rows = held.constraint->rows();
    const RowBlocks& out = system.evaluate(state, i);
    for (int k = 0; k < int(held.bodies.size()); ++k) {
      if (held.bodies[k] == world_body) continue;
      const int first = system.forest().first(held.bodies[k]);
      const Eigen::MatrixXd j = block(out.J(k), rows);
      if (system.is_primary(i)) {
        d.J.block(primary, first, rows, j.cols()) += j;
      } else {
        d.Ja.block(auxiliary, first, rows, j.cols()) += j;
        d.K.block(first, auxiliary, j.cols(), rows) +=
            (held.constraint->own_directions() ? block(out.K(k), rows) : j).transpose();
      }
    }
    for (int row = 0; row < rows; ++row)
      (system.is_primary(i) ? d.c(primary + row) : d.ca(auxiliary + row)) = out.c[row];
    (system.is_primary(i) ? primary : auxiliary) += rows;
  }
  return d;
}

// A tree of bodies of all kinds with point constraints and joints, and rods, loops and more as auxiliary constraints.
MultiplierSystem mixed(BoxRandom& random, int bodies, bool leaning) {
  MultiplierSpec spec;
  for (int i = 0; i < bodies; ++i) {
    if (i % 4 == 1)
      spec.add(box<ScalableBody>(random.inertia()));
    else if (i % 4 == 3)
      spec.add(box<StretchableBody>(random.inertia()));
    else
      spec.add(box<RigidBody>(random.inertia()));
    JointSpec joint;
    joint.type = i % 3 == 0 ? JointType::revolute : i % 3 == 1 ? JointType::universal : JointType::ball;
    joint.X_PF.p = random.vec();
    joint.X_CM.p = random.vec();
    joint.axis = random.vec();
    if (i > 0) spec.add(box<JointConstraint>(joint), {int(random.number(0, i - 1e-9)), i});
  }
  spec.add(box<PointsTogether>(random.vec(), random.vec()), {0, world_body});
  spec.add(box<DistanceRod>(random.vec(), random.vec(), 1.0), {1, bodies - 1}, Role::auxiliary);
  spec.add(box<PointsTogether>(random.vec(), random.vec()), {bodies / 2, world_body}, Role::auxiliary);
  spec.add(box<MeanOnPlane>(3, leaning), {0, bodies / 2, bodies - 2}, Role::auxiliary);
  spec.add(box<KnifeEdge>(random.vec(), random.vec()), {bodies - 1}, Role::auxiliary);
  spec.add(box<PointsTogether>(random.vec(), random.vec()), {bodies / 3, bodies - 3}, Role::auxiliary);
  spec.add(box<SpinGear>(random.vec(), random.vec(), 2.0), {bodies - 1, bodies - 2}, Role::auxiliary);
  return MultiplierSystem::make(std::move(spec)).value();
}

TEST(Auxiliary, MatrixAndSolutionAreThoseOfTheDenseSystem) {
  for (const bool leaning : {false, true}) {
    BoxRandom random(11);
    MultiplierSystem system = mixed(random, 14, leaning);
    MultiplierState state = system.make_state();
    for (int b = 0; b < system.bodies(); ++b) random.place(*system.spec().bodies[b], system.q(state, b), 2);
    for (double& x : state.v) x = random.number();
    std::vector<double> vdot(state.v.size());
    ASSERT_EQ(system.accelerations(state, {}, vdot), MultiplierStatus::solved);
    const std::vector<double> A(system.auxiliary_matrix().begin(), system.auxiliary_matrix().end());
    const Dense d = dense(system, state);
    const Eigen::Index n = d.M.rows(), m = d.J.rows(), k = d.Ja.rows();
    ASSERT_EQ(k, 10);
    ASSERT_EQ(Eigen::Index(A.size()), k * k);
    EXPECT_EQ(system.auxiliary().symmetric(), !leaning);
    // M-hat^-1 K: of [M -J'; J 0] y = [K; 0]
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + m, n + m);
    H.topLeftCorner(n, n) = d.M;
    H.topRightCorner(n, m) = -d.J.transpose();
    H.bottomLeftCorner(m, n) = d.J;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n + m, k);
    right.topRows(n) = d.K;
    const Eigen::MatrixXd expected = d.Ja * Eigen::MatrixXd(solve_regular(H, right).topRows(n));
    for (Eigen::Index i = 0; i < k; ++i)
      for (Eigen::Index j = 0; j < k; ++j) EXPECT_NEAR(A[i * k + j], expected(i, j), 1e-10 * largest(expected));
    // the whole system
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + m + k, n + m + k);
    all.topLeftCorner(n + m, n + m) = H;
    all.topRightCorner(n, k) = -d.K;
    all.bottomLeftCorner(k, n) = d.Ja;
    Eigen::MatrixXd b(n + m + k, 1);
    b.topRows(n) = d.F;
    b.middleRows(n, m) = -d.c;
    b.bottomRows(k) = -d.ca;
    const Eigen::VectorXd x = solve_regular(all, b);
    const double size = max_abs(x.head(n));
    for (Eigen::Index i = 0; i < n; ++i) EXPECT_NEAR(vdot[i], x(i), 1e-9 * size);
    // only nodes between the bodies of the rows and the root were visited
    EXPECT_LT(system.auxiliary().on_way().size(), system.forest().nodes().size());
  }
}

TEST(Auxiliary, EqualitySolverFindsTheRankOfUnsymmetricMatrices) {
  BoxRandom random(12);
  const int k = 7, rank = 4;
  Eigen::MatrixXd L(k, rank), R(rank, k);
  for (Eigen::Index i = 0; i < L.size(); ++i) L.data()[i] = random.number();
  for (Eigen::Index i = 0; i < R.size(); ++i) R.data()[i] = random.number();
  const Eigen::MatrixXd A = L * R;
  std::vector<double> row_by_row;
  for (Eigen::Index i = 0; i < k; ++i)
    for (Eigen::Index j = 0; j < k; ++j) row_by_row.push_back(A(i, j));
  Eigen::VectorXd z(k);
  for (Eigen::Index i = 0; i < k; ++i) z(i) = random.number();
  const Eigen::VectorXd b = -(A * z);
  std::vector<double> sizes(k, largest(A)), mu(static_cast<std::size_t>(k));
  EqualitySolver solver;
  ASSERT_TRUE(solver.prepare(row_by_row, sizes, false, {}));
  EXPECT_EQ(solver.rank(), rank);
  ASSERT_TRUE(solver.solve({b.data(), std::size_t(k)}, mu));
  EXPECT_LT(max_abs(A * vector_of(mu) + b), 1e-12);
}

}  // namespace
}  // namespace linchpin
