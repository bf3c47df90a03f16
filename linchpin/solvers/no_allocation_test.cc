// Solving again at the same size and pattern allocates nothing, nor does residual(). Counted by a replaced operator new
// for the whole test program.
#include <gtest/gtest.h>

#include "linchpin/base/allocation_testing.h"
#include "linchpin/solvers/conic/arc_path.h"
#include "linchpin/solvers/conic/gauss_seidel.h"
#include "linchpin/solvers/conic/interior_point.h"
#include "linchpin/solvers/conic/newton.h"
#include "linchpin/solvers/conic/proximal.h"
#include "linchpin/solvers/pivoting/dantzig.h"
#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/pivoting/lemke.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/testing.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {
namespace {

// A scene and the same scene a step later: other numbers, the same pattern.
struct Pair {
  std::string name;
  Problem first, second;
};
Pair pair_of(const std::string& name, const ContactScene& scene, Matrix::Kind kind) {
  const std::vector<double> nothing(3 * scene.contacts.size());
  return {name, contact_problem(scene, kind), contact_problem(after_step(scene, nothing), kind)};
}
// Dense, block-sparse and factored, on both sides of the change from dense to sparse factors (48 rows).
std::vector<Pair> conic_pairs() {
  std::vector<Pair> all;
  for (const auto& [kind, said] :
       {std::pair{Matrix::Kind::dense, "dense "}, std::pair{Matrix::Kind::block_sparse, "sparse "},
        std::pair{Matrix::Kind::factored, "factored "}}) {
    all.push_back(pair_of(said + std::string("boxes"), separate_boxes_scene(2, 1), kind));
    all.push_back(pair_of(said + std::string("many boxes"), separate_boxes_scene(10, 1), kind));
    all.push_back(pair_of(said + std::string("stack"), stack_of_boxes_scene(8, 1), kind));
    all.push_back(pair_of(said + std::string("pile"), pile_of_spheres_scene(60, 1), kind));
  }
  return all;
}
// Frictionless contacts as a factored problem of nonnegative rows, which the pivoting solvers take.
Problem normals_only(const ContactScene& scene, Matrix::Kind kind) {
  const Problem conic = contact_problem(scene);
  BlockSparse H = conic.M.blocks(), N;
  N.row_start.resize(1);
  N.column_start = H.column_start;
  for (int r = 0; r < H.row_blocks(); ++r) {
    N.row_start.push_back(r + 1);
    for (int e = H.first[r]; e < H.first[r + 1]; ++e) {
      const std::size_t column = std::size_t(H.column[e]);
      const std::size_t width = std::size_t(H.column_start[column + 1] - H.column_start[column]);
      N.column.push_back(int(column));
      N.value_start.push_back(N.values.size());
      N.values.insert(N.values.end(), &H.values[H.value_start[e]], &H.values[H.value_start[e]] + width);
    }
    N.first.push_back(int(N.column.size()));
  }
  std::vector<double> q;
  for (std::size_t i = 0; i < conic.q.size(); i += 3) q.push_back(conic.q[i]);
  const Problem p = linear_complementarity(Matrix::factored({std::move(N), conic.M.A()}), std::move(q));
  return kind == Matrix::Kind::factored ? p : with_matrix(p, kind);
}
std::vector<Pair> row_pairs(int boxes) {
  std::vector<Pair> all;
  for (const auto& [kind, said] :
       {std::pair{Matrix::Kind::dense, "dense"}, std::pair{Matrix::Kind::block_sparse, "sparse"},
        std::pair{Matrix::Kind::factored, "factored"}}) {
    const ContactScene scene = stack_of_boxes_scene(boxes, 1);
    const std::vector<double> nothing(3 * scene.contacts.size());
    all.push_back({said, normals_only(scene, kind), normals_only(after_step(scene, nothing), kind)});
  }
  return all;
}

template <class Workspace, class Solve>
void expect_none(const std::vector<Pair>& pairs, Solve solve, int limit = 0) {
  for (const Pair& pair : pairs) {
    std::vector<double> z(pair.first.q.size());
    Workspace ws;
    solve(pair.first, SolverOptions{.max_iterations = limit}, ws, std::span(z));
    long before = allocations;
    solve(pair.first, SolverOptions{.max_iterations = limit}, ws, std::span(z));
    EXPECT_EQ(allocations - before, 0) << pair.name << ", again";
    before = allocations;
    solve(pair.second, SolverOptions{.max_iterations = limit, .warm_start = true}, ws, std::span(z));
    EXPECT_EQ(allocations - before, 0) << pair.name << ", next step";
  }
}

TEST(NoAllocation, Newton) { expect_none<NewtonWorkspace>(conic_pairs(), newton); }
TEST(NoAllocation, ArcPath) { expect_none<ArcPathWorkspace>(conic_pairs(), arc_path); }
TEST(NoAllocation, InteriorPoint) { expect_none<InteriorPointWorkspace>(conic_pairs(), interior_point); }
// A few sweeps are enough: all are alike.
TEST(NoAllocation, GaussSeidel) { expect_none<GaussSeidelWorkspace>(conic_pairs(), gauss_seidel, 50); }
TEST(NoAllocation, Proximal) { expect_none<ProximalWorkspace>(conic_pairs(), proximal, 50); }
TEST(NoAllocation, NewtonOfRows) { expect_none<NewtonWorkspace>(row_pairs(4), newton); }
TEST(NoAllocation, ArcPathOfRows) { expect_none<ArcPathWorkspace>(row_pairs(4), arc_path); }
TEST(NoAllocation, InteriorPointOfRows) { expect_none<InteriorPointWorkspace>(row_pairs(4), interior_point); }
TEST(NoAllocation, Lemke) { expect_none<LemkeWorkspace>(row_pairs(4), lemke); }
TEST(NoAllocation, Dantzig) { expect_none<DantzigWorkspace>(row_pairs(4), dantzig); }
TEST(NoAllocation, Enumeration) { expect_none<EnumerationWorkspace>(row_pairs(2), enumeration); }

// Problems of every kind of row, solvable and not, of the largest's size or smaller, by the pivoting solvers.
template <class Workspace, class Solve>
void expect_none_at_smaller_sizes(int largest, Solve solve) {
  std::vector<double> numbers(std::size_t(largest) + 8);
  Workspace ws;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    const int rows = seed == 1 ? largest : 1 + dice.below(largest);
    const ProblemLayout layout =
        random_layout(rows, {.free = seed % 2 == 0, .box = seed % 3 == 0, .cone = false}, dice);
    const int n = layout.size;
    Square M = seed % 4 == 0 ? random_integer_psd(n, dice) : random_psd(n, 1 + dice.below(n), dice);
    const Problem p = problem_of(layout, Matrix::dense(n, std::move(M)), tied_q(n, dice));
    const std::span<double> z(numbers.data(), p.q.size());
    const long before = allocations;
    solve(p, SolverOptions{}, ws, z);
    solve(p, SolverOptions{.warm_start = true}, ws, z);
    const long after = allocations;
    if (seed == 1) continue;  // the first allocates
    EXPECT_EQ(after - before, 0) << "seed " << seed;
  }
}
TEST(NoAllocation, LemkeOfSmallerProblems) { expect_none_at_smaller_sizes<LemkeWorkspace>(40, lemke); }
TEST(NoAllocation, DantzigOfSmallerProblems) { expect_none_at_smaller_sizes<DantzigWorkspace>(40, dantzig); }
TEST(NoAllocation, EnumerationOfSmallerProblems) { expect_none_at_smaller_sizes<EnumerationWorkspace>(7, enumeration); }

TEST(NoAllocation, Judge) {
  for (const std::vector<Pair>& pairs : {conic_pairs(), row_pairs(4)})
    for (const Pair& pair : pairs) {
      std::vector<double> z(pair.first.q.size(), 0.5);
      ResidualWorkspace ws;
      residual(pair.first, z, ws);
      const long before = allocations;
      residual(pair.first, z, ws);
      residual(pair.second, z, ws);
      EXPECT_EQ(allocations - before, 0) << pair.name;
    }
}

// Fewer contacts, or fewer directions, need no more memory.
TEST(NoAllocation, PolyhedralFriction) {
  for (const Pair& pair : conic_pairs()) {
    PolyhedralFriction friction;
    Problem out;
    friction.pose(pair.first, 8, {}, out);
    std::vector<double> z(out.q.size()), r(pair.first.q.size());
    const std::vector<double> turn(r.size() / 3, 0.3);
    const long before = allocations;
    friction.pose(pair.second, 8, turn, out);
    friction.to_conic(z, r);
    friction.from_conic(r, r, z);
    friction.pose(pair.first, 4, {}, out);
    EXPECT_EQ(allocations - before, 0) << pair.name;
  }
}

TEST(NoAllocation, SolverByAnyName) {
  Solver solver;
  for (const std::vector<Pair>& pairs : {conic_pairs(), row_pairs(2)})
    for (const Pair& pair : pairs)
      for (const SolverInfo& s : solvers()) {
        if (find_refusal(s, pair.first)) continue;
        std::vector<double> z(pair.first.q.size());
        const SolverOptions options{.max_iterations = s.id == SolverId::enumeration ? 0 : 50};
        solver.solve(pair.first, s.id, options, z);
        const long before = allocations;
        const SolveReport report = solver.solve(pair.first, s.id, options, z);
        EXPECT_EQ(allocations - before, 0) << pair.name << " " << s.name << " " << to_string(report.status);
      }
}

}  // namespace
}  // namespace linchpin
