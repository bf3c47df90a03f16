// Solves a step by every formulation and checks each solution with the problem of every other formulation. For
// formulation_test.cc and formulation_long_test.cc.
#pragma once

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/contact/testing.h"
#include "linchpin/solvers/problem/polyhedral.h"

namespace linchpin {

inline constexpr Method all_methods[] = {Method::os,           Method::rmc,        Method::mc,
                                         Method::nmc_os,       Method::nmc,        Method::multipliers,
                                         Method::hybrid_dense, Method::hybrid_aba, Method::hybrid_dca};
// Those that pose the identical problem, on different engines (engine.h).
inline constexpr Method methods_on_engines[] = {Method::os, Method::multipliers, Method::hybrid_dense,
                                                Method::hybrid_aba, Method::hybrid_dca};

// The solution of one method, with exact cones (directions 0) or with polyhedral friction.
struct PosedAnswer {
  Method method;
  std::unique_ptr<Formulation> formulation;
  Problem problem;
  Polyhedral polyhedron;
  std::vector<double> solution;  // of `problem`, or of the polyhedron's
  std::vector<double> v, impulses;
  SolveReport report;

  const Problem& solved() const { return polyhedron.directions == 0 ? problem : polyhedron.problem; }
};
inline std::unique_ptr<Formulation> formulation_of(Method method, const Situation& s) {
  auto made = make_formulation(method, s.model, s.plan);
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(made).value();
}
inline PosedAnswer answer_of(Method method, const Situation& s, int directions) {
  PosedAnswer a{.method = method,
                .formulation = formulation_of(method, s),
                .problem = {},
                .polyhedron = {},
                .solution = {},
                .v = std::vector<double>(s.state.v.size()),
                .impulses = std::vector<double>(s.rows.size()),
                .report = {}};
  a.formulation->pose(s.motive(), s.rows, a.problem);
  if (directions != 0) a.polyhedron = polyhedral(a.problem, directions);
  a.solution.resize(a.solved().q.size());
  Solver solver;
  a.report = solver.solve(a.solved(), SolverId::automatic, {.tolerance = 1e-13}, a.solution);
  std::vector<double> conic = a.solution;
  if (directions != 0) {
    conic.resize(a.problem.q.size());
    to_conic(a.problem, a.polyhedron, a.solution, conic);
  }
  a.formulation->lift(s.motive(), s.rows, conic, a.v, a.impulses);
  return a;
}

// The number of unknowns of a block of rows in a solution.
inline int block_size(const Block& block, int directions) {
  return block.kind == BlockKind::cone && directions > 0 ? directions + 2 : block.size;
}

// The solution of one method as a solution of another method's problem. Both have the impulses z of the rows. The
// leading unknowns x of the other problem (velocities, hinge impulses) follow from z, since their rows are free:
// M_ll x = -(q_l + M_lr z).
inline std::vector<double> translated(const Situation& s, const PosedAnswer& from, const PosedAnswer& to) {
  const int directions = to.polyhedron.directions;
  int bounded = 0;  // unknowns of all blocks that are not free: the last ones unless the rows are in place (os)
  for (const Block& block : s.rows.blocks)
    if (block.kind != BlockKind::free) bounded += block_size(block, directions);
  // These unknowns in the solution of `from`, block by block.
  std::vector<double> tail;
  std::size_t at = 0;
  for (const Block& block : from.solved().blocks) {
    if (block.kind != BlockKind::free)
      for (int k = 0; k < block.size; ++k) tail.push_back(from.solution[at + std::size_t(k)]);
    at += std::size_t(block.size);
  }
  EXPECT_EQ(int(tail.size()), bounded);
  std::vector<double> out;
  at = 0;
  if (has_rows_in_place(to.method)) {
    for (const Block& block : s.rows.blocks) {
      const bool free = block.kind == BlockKind::free;
      for (int k = 0; k < block_size(block, directions); ++k)
        out.push_back(free ? from.impulses[block.start + k] : tail[at++]);
    }
    return out;
  }
  if (to.method != Method::rmc)
    for (const Block& block : s.rows.blocks)
      for (int k = 0; k < block.size && block.kind == BlockKind::free; ++k)
        out.push_back(from.impulses[block.start + k]);
  out.insert(out.end(), tail.begin(), tail.end());
  const Eigen::Index size = Eigen::Index(to.solved().q.size()), leading = size - Eigen::Index(out.size());
  if (leading == 0) return out;
  std::vector<double> numbers(size * size);
  to.solved().M.to_dense(numbers.data(), int(size));
  const Eigen::MatrixXd M = matrix_of(numbers, size, size), M_ll = M.topLeftCorner(leading, leading),
                        M_lr = M.topRightCorner(leading, size - leading);
  const Eigen::VectorXd b = -(vector_of(to.solved().q).head(leading) + M_lr * vector_of(out));
  const Eigen::VectorXd x = least_squares(M_ll, b);
  out.insert(out.begin(), x.begin(), x.end());
  return out;
}

// The velocities that follow from a solution by the method's own lift().
inline std::vector<double> velocity_by(const Situation& s, PosedAnswer& by, const std::vector<double>& solution) {
  std::vector<double> conic = solution, v(s.state.v.size()), impulses(s.rows.size());
  if (by.polyhedron.directions != 0) {
    conic.resize(by.problem.q.size());
    to_conic(by.problem, by.polyhedron, solution, conic);
  }
  by.formulation->lift(s.motive(), s.rows, conic, v, impulses);
  return v;
}

// Solvers are asked for 1e-13 and must reach 1e-11 in their own problem. In the unknowns of another method the residual
// grows by the condition number of the eliminated part: 1e-9, or as much as carried_over() says.
inline constexpr double enough = 1e-11, agreement = 1e-9;

// Relative residuals in the problem of `to` that follow from what the solver of `from` left in its free rows. There
// M_ll x + M_lr z + q_l = e instead of 0, where `to` has eliminated x and meets these rows exactly. So the velocities
// of the other rows differ by M_rl M_ll^-1 e, and the residual by no more than 1 + mu <= 3 times that: projections do
// not expand. Rows that hardly move after the elimination have small scales in `to`, in which this is large (seed 1795:
// 3e-13 of nmc_os may be 8e-9 in rmc, and is 2e-9).
struct CarriedOver {
  double scaled = 0, plain = 0;
};
inline CarriedOver carried_over(const PosedAnswer& from, const PosedAnswer& to) {
  const auto rows_of = [](const Problem& problem, bool free) {
    std::vector<Eigen::Index> rows;
    for (const Block& block : problem.blocks)
      for (int k = 0; k < block.size && (block.kind == BlockKind::free) == free; ++k) rows.push_back(block.start + k);
    return rows;
  };
  const Problem& p = from.solved();
  const Eigen::Index n = p.size();
  std::vector<double> numbers(n * n);
  p.M.to_dense(numbers.data(), int(n));
  const Eigen::MatrixXd M = matrix_of(numbers, n, n);
  const Eigen::VectorXd w = M * vector_of(from.solution) + vector_of(p.q);
  const std::vector<Eigen::Index> l = rows_of(p, true), r = rows_of(p, false), in = rows_of(to.solved(), false);
  if (l.empty()) return {};
  const Eigen::VectorXd d = Eigen::MatrixXd(M(r, l)) * least_squares(M(l, l), w(l));
  EXPECT_EQ(in.size(), r.size());
  ResidualWorkspace scales;
  row_scales(to.solved(), scales);
  double error = 0, scaled_error = 0, q = 0, scaled_q = 0;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const double s = scales.scale[in[k]];
    error += d[Eigen::Index(k)] * d[Eigen::Index(k)];
    scaled_error += d[Eigen::Index(k)] / s * (d[Eigen::Index(k)] / s);
  }
  for (std::size_t i = 0; i < to.solved().q.size(); ++i) {
    q += std::pow(to.solved().q[i], 2);
    scaled_q += std::pow(to.solved().q[i] / scales.scale[i], 2);
  }
  return {3 * std::sqrt(scaled_error / scaled_q), 3 * std::sqrt(error / q)};
}

inline void expect_agreement(const Situation& s, int directions, const std::string& what) {
  std::vector<PosedAnswer> answers;
  for (const Method method : all_methods) {
    answers.push_back(answer_of(method, s, directions));
    const PosedAnswer& a = answers.back();
    const auto fault = find_fault(a.problem);
    ASSERT_FALSE(fault.has_value()) << what << ": " << fault->message;
    ASSERT_TRUE(a.report.residual.within(enough))
        << what << ", " << to_string(method) << ": relative " << a.report.residual.relative << ", plain "
        << a.report.residual.plain_relative;
  }
  const double speed = larger(1.0, largest(answers.front().v));
  ResidualWorkspace ws;
  for (const PosedAnswer& from : answers)
    for (PosedAnswer& to : answers) {
      const std::vector<double> z = translated(s, from, to);
      const Residual r = residual(to.solved(), z, ws);
      const bool agree = r.relative <= agreement && r.plain_relative <= agreement;
      const CarriedOver left = agree ? CarriedOver{} : carried_over(from, to);
      EXPECT_LE(r.relative, agreement + left.scaled)
          << what << ": " << to_string(from.method) << " in " << to_string(to.method);
      EXPECT_LE(r.plain_relative, agreement + left.plain)
          << what << ": " << to_string(from.method) << " in " << to_string(to.method);
      EXPECT_LE(largest_difference(velocity_by(s, to, z), from.v), agreement * speed)
          << what << ": " << to_string(from.method) << " in " << to_string(to.method);
    }
}

// A random mechanism with random contacts. The seeds cover fixed and floating trees, dt = 0 and dt > 0, and no loops,
// loops and repeated loops, stiff and soft ones.
inline std::unique_ptr<Situation> random_situation(int seed) {
  const std::string text = "@random_tree:bodies=" + std::to_string(3 + seed % 9) + ",seed=" + std::to_string(seed) +
                           (seed % 3 == 0 ? ",floating=1" : "");
  Model model = model_of(text);
  if (seed % 4 > 1) {
    std::vector<ConstraintSpec> all = every_constraint(model, std::uint64_t(seed)), some;
    for (int k = 0; k < 2; ++k) some.push_back(all[std::size_t(seed * 7 + k * 5) % all.size()]);
    if (some[0].name == some[1].name) some.pop_back();
    model = with_constraints(text, some);
  }
  auto s = std::make_unique<Situation>(std::move(model), std::uint64_t(seed), seed % 2 == 0 ? 0 : 0.02);
  const int kind = seed % 8;
  if (kind == 3) s->add_constraints(0, 1);  // free rows before the others
  add_random_rows(*s, std::uint64_t(seed), 1 + seed % 4);
  if (kind == 2 || kind == 6) s->add_constraints(kind == 2 ? 0 : 0.05, 1);
  if (kind == 7) s->add_constraints(0, 2);
  return s;
}

}  // namespace linchpin
