#include "linchpin/dynamics/loops/closed_chain.h"

#include <gtest/gtest.h>

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/check.h"
#include "linchpin/dynamics/loops/constraint_testing.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Dense M and J, and the least-norm solution of (1) with them.
struct Witness {
  Witness(const Model& model, const Plan<double>& plan, const ClosedChain& chain, const State& state)
      : M(model.nv(), model.nv()) {
    for (int k = 0; k < model.nv(); ++k) {  // columns of M by inverse dynamics without velocities and gravity
      std::vector<double> e(state.v.size(), 0.0), zero(state.v.size(), 0.0), with(state.v.size()),
          without(state.v.size());
      RneaWorkspace<double> ws(plan);
      e[k] = 1;
      rnea<double>(plan, state.q, zero, e, {}, ws, with);
      rnea<double>(plan, state.q, zero, zero, {}, ws, without);
      for (int i = 0; i < model.nv(); ++i) M(i, k) = with[i] - without[i];
    }
    std::vector<double> numbers(chain.constraints.rows() * model.nv());
    constraint_jacobian(model, chain.constraints, chain.rows, chain.kin, chain.vel, numbers);
    J = matrix_of(numbers, chain.constraints.rows(), model.nv());
  }
  MatrixXd M, J;
};

std::vector<double> sum_of(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
  return a;
}

// M vdot = tau - bias + J' lambda and gddot = 0, by M, bias and J of other algorithms.
TEST(ClosedChain, MovesAsTheEquationsOfMotionAsk) {
  int regular = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model model = with_constraints(text, some_constraints(model_of(text), 31 * seed, 31 * seed % 3, 5));
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
    poison(chain.reactions, chain.rows.force, chain.rows.error, chain.by_compliance->row_matrix,
           chain.by_compliance->node_matrix, chain.g, chain.x, chain.f);
    const State state = random_state(model, seed, 1, 1);
    const std::vector<double> tau = random_numbers(state.v.size(), seed),
                              f_ext = random_numbers(6 * model.bodies().size(), seed + 50);
    std::vector<double> vdot(state.v.size());
    const ConstraintReport report = constrained_dynamics(state.q, state.v, tau, f_ext, 0.3, chain, vdot);
    if (report.rank < report.rows) continue;
    ++regular;
    std::vector<double> needed(state.v.size());
    RneaWorkspace<double> ws(plan);
    rnea<double>(plan, state.q, state.v, vdot, f_ext, ws, needed);
    const Witness witness(model, plan, chain, state);
    const VectorXd held = witness.J.transpose() * vector_of(std::span(chain.reactions).first(report.rows));
    const double size = 1 + largest(needed) + max_abs(held);
    for (std::size_t k = 0; k < needed.size(); ++k)
      EXPECT_NEAR(needed[k], tau[k] + held[Eigen::Index(k)], 1e-10 * size) << text << " coordinate " << k;
    // Relative to the size of the terms that cancel in the rows: about |J| |vdot|.
    const double rows = max_abs(MatrixXd(witness.J.cwiseAbs()) * VectorXd(vector_of(vdot).cwiseAbs()));
    EXPECT_LE(report.unmet, 1e-10 * (1 + rows)) << text;
  }
  EXPECT_GE(regular, 8);
}

// W of the rows equals J M^-1 J' with the dense J.
TEST(ClosedChain, RowComplianceIsThatOfTheJacobian) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::string text = random_tree(20, seed);
    const Model model = with_constraints(text, every_constraint(model_of(text), 11 * seed));
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
    const State state = random_state(model, seed, 1, 1);
    place_chain(state.q, state.v, 0, chain);
    row_compliance(state.q, chain);
    const Witness witness(model, plan, chain, state);
    const MatrixXd expected = witness.J * solve_positive(witness.M, MatrixXd(witness.J.transpose()));
    const MatrixXd found =
        matrix_of(chain.by_compliance->row_matrix, chain.constraints.rows(), chain.constraints.rows());
    // An entry is a product of two rows' responses, so it is relative to the size of both before their sides cancel.
    const std::vector<double>& size = chain.by_compliance->row_size;
    for (std::size_t i = 0; i < size.size(); ++i)
      for (std::size_t j = 0; j < size.size(); ++j)
        EXPECT_NEAR(found(Eigen::Index(i), Eigen::Index(j)), expected(Eigen::Index(i), Eigen::Index(j)),
                    1e-11 * std::sqrt(size[i] * size[j]))
            << text;
  }
}

// The same loop twice, and more loops than degrees of freedom: accelerations as with one, reactions shared evenly.
TEST(ClosedChain, RedundantRowsChangeNothingButTheReactions) {
  const Model bare = model_of("@chain:links=30");
  LoopSpec loop;
  loop.type = LoopType::pin;
  loop.a = random_frame("world", 4);
  loop.b = random_frame(bare.bodies().back().name, 3);
  const Model once = with_constraints("@chain:links=30", {{"loop", loop}});
  const Model twice = with_constraints("@chain:links=30", {{"loop", loop}, {"again", loop}});
  const Plan<double> plan(once);
  const State state = random_state(once, 1, 0.3, 1);
  const std::vector<double> tau(state.v.size(), 0.0);
  std::vector<double> one(state.v.size()), two(state.v.size());
  ClosedChain chain1(once, plan, once.constraints()), chain2(twice, plan, twice.constraints());
  const ConstraintReport a = constrained_dynamics(state.q, state.v, tau, {}, 0, chain1, one);
  const ConstraintReport b = constrained_dynamics(state.q, state.v, tau, {}, 0, chain2, two);
  EXPECT_EQ(a.rank, 5);
  EXPECT_EQ(b.rank, 5);
  EXPECT_LE(largest_difference(one, two), 1e-9 * largest(one));
  for (std::size_t r = 0; r < 5; ++r) {
    EXPECT_NEAR(chain2.reactions[r], 0.5 * chain1.reactions[r], 1e-8 * (1 + std::abs(chain1.reactions[r])));
    EXPECT_NEAR(chain2.reactions[r + 5], 0.5 * chain1.reactions[r], 1e-8 * (1 + std::abs(chain1.reactions[r])));
  }
}

// Rows that no joint can move, here the rotation between the ends of a slide, do not count and do no harm.
TEST(ClosedChain, RowsThatCannotMoveAreLeftOut) {
  const Model model = parallel_on_a_rail();
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
  const State state = random_state(model, 1);
  std::vector<double> vdot(2), free(2);
  const ConstraintReport report = constrained_dynamics(state.q, state.v, chain.zero, {}, 0, chain, vdot);
  EXPECT_EQ(report.rank, 0);
  EXPECT_LE(report.unmet, 1e-13);
  AbaWorkspace<double> ws(plan);
  aba<double>(plan, state.q, state.v, chain.zero, {}, ws, free);
  EXPECT_EQ(vdot, free);
}

TEST(ClosedChain, ContradictionsAreSeen) {
  const Model bare = model_of("@simple_pendulum");
  const std::string joint = bare.joints().front().name;
  const Model model = with_constraints(
      "@simple_pendulum", {prescribed("still", joint, {}), prescribed("turning", joint, {.polynomial = {0, 0, 1}})});
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
  const State state = make_state(model);
  std::vector<double> vdot(1);
  const ConstraintReport report = constrained_dynamics(state.q, state.v, chain.zero, {}, 0, chain, vdot);
  EXPECT_EQ(report.rank, 1);
  EXPECT_NEAR(report.unmet, 1, 1e-12);  // accelerations 0 and 2 are prescribed: the mean misses both least
}

TEST(ClosedChain, VelocityProjectionIsTheShortestInKineticEnergy) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model model = with_constraints(text, some_constraints(model_of(text), 7 * seed, 7 * seed % 3, 5));
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
    const State state = random_state(model, seed, 1, 1);
    std::vector<double> v = state.v;
    const ConstraintReport report = project_velocity(state.q, v, 0.3, chain);
    if (report.rank < report.rows) continue;
    EXPECT_LE(report.unmet, 1e-9 * (1 + largest(v))) << text;
    // The change is M-orthogonal to every motion that the rows allow: M dv is in the range of J'.
    const Witness witness(model, plan, chain, state);
    const VectorXd dv = vector_of(v) - vector_of(state.v), impulse = witness.M * dv;
    const MatrixXd Jt = witness.J.transpose();
    const VectorXd nearest = Jt * least_squares(Jt, impulse);
    EXPECT_LE((impulse - nearest).norm(), 1e-9 * (1 + impulse.norm())) << text;
  }
}

TEST(ClosedChain, PositionProjectionClosesWhatIsNearlyClosed) {
  const Model bare = model_of("@chain:links=12");
  // Closed at some configuration, then moved off it.
  const State closed = random_state(bare, 3, 1, 0);
  const Plan<double> bare_plan(bare);
  Kinematics<double> kin(bare_plan);
  kinematics<double>(bare_plan, closed.q, kin);
  for (int type = 0; type < loop_type_count; ++type) {
    LoopSpec loop;
    loop.type = LoopType(type);
    loop.pitch = loop.type == LoopType::screw ? 0.2 : 0;
    loop.b = random_frame(bare.bodies().back().name, 3);
    loop.a = {"world", body_pose(bare, kin, int(bare.bodies().size()) - 1) * loop.b.X_BF};
    const Model model = with_constraints("@chain:links=12", {{"loop", loop}});
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
    std::vector<double> q = sum_of(closed.q, random_numbers(closed.q.size(), 5, 1e-3));
    const ConstraintReport report = project_position(q, 0, 1e-13, chain);
    EXPECT_LE(report.unmet, 1e-12) << to_string(loop.type);
    EXPECT_LE(report.iterations, 5) << to_string(loop.type);  // Newton: 1e-3, 1e-6, 1e-12, round-off
    EXPECT_EQ(report.rank, report.rows) << to_string(loop.type);
  }
}

TEST(ClosedChain, TheLargestResidualIsReported) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto report_of = [](const std::vector<double>& left) {
    ConstraintReport report;
    report.unmet = 7;
    report.worst = 7;
    find_unmet(left, report);
    return report;
  };
  EXPECT_EQ(report_of({}).unmet, 0);
  EXPECT_EQ(report_of({}).worst, -1);
  EXPECT_EQ(report_of({0, 0}).worst, -1);
  for (const std::vector<double>& left : std::vector<std::vector<double>>{{1, -3, 2}, {-3, 2, 1}, {1, 2, -3}, {3, 3}}) {
    const ConstraintReport report = report_of(left);
    EXPECT_EQ(report.unmet, 3);
    EXPECT_EQ(std::abs(left[std::size_t(report.worst)]), 3);
  }
  EXPECT_EQ(report_of({3, 3}).worst, 0);  // the first of equals
  EXPECT_TRUE(std::isnan(report_of({1, nan, 2}).unmet));
  EXPECT_EQ(report_of({1, nan, 2}).worst, 1);
  EXPECT_EQ(report_of({1, 2, -inf}).unmet, inf);
  EXPECT_EQ(report_of({-inf, 2, 1}).worst, 0);
}

// Corrections of positions do not count rows that hold velocities only.
TEST(ClosedChain, NonholonomicRowsHaveNoPositionError) {
  const Model bare = model_of("@free_body");
  const std::string body = bare.bodies().back().name;
  LoopSpec loop;
  loop.type = LoopType::point_on_plane;
  loop.b.body = body;
  VelocitySpec skate;
  skate.b.body = body;
  skate.linear = {0, 1, 0};
  skate.speed = {.polynomial = {5}};
  for (const LoopElimination elimination : {LoopElimination::compliance, LoopElimination::recursion}) {
    const Model model = with_constraints("@free_body", {{"plane", loop}, {"skate", skate}});
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints(), elimination);
    std::vector<double> q{1, 0, 0, 0, 0.1, 0.2, 0.3};
    const ConstraintReport report = project_position(q, 0, 1e-13, chain);
    EXPECT_LE(report.unmet, 1e-13);
    EXPECT_NEAR(q[4], 0.1, 1e-15);
    EXPECT_NEAR(q[5], 0.2, 1e-15);
    EXPECT_NEAR(q[6], 0, 1e-13);
  }
}

TEST(ClosedChain, NaNIsNoRank) {
  const Model bare = model_of("@chain:links=3");
  LoopSpec loop;
  loop.b.body = bare.bodies().back().name;
  const Model model = with_constraints("@chain:links=3", {{"loop", loop}});
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance);
  State state = make_state(model);
  state.q[1] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> vdot(3);
  EXPECT_EQ(constrained_dynamics(state.q, state.v, chain.zero, {}, 0, chain, vdot).rank, -1);
  EXPECT_EQ(project_velocity(state.q, state.v, 0, chain).rank, -1);
}

}  // namespace
}  // namespace linchpin
