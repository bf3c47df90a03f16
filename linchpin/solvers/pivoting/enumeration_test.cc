#include "linchpin/solvers/pivoting/enumeration.h"

#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/solvers/pivoting_testing.h"
#include "linchpin/solvers/problem/unsolvable.h"

namespace linchpin {
namespace {

const Solving<EnumerationWorkspace, enumeration> by_enumeration;
int count(const Problem& problem) {
  EnumerationWorkspace ws;
  return count_solutions(problem, ws);
}

TEST(Enumeration, CountsByHand) {
  EXPECT_EQ(count(lcp({1}, {-1})), 1);               // z = 1
  EXPECT_EQ(count(lcp({-1}, {1})), 2);               // z = 0 or 1
  EXPECT_EQ(count(lcp({-1}, {-1})), 0);              // w < 0 always
  EXPECT_EQ(count(lcp({-1, 0, 0, -1}, {1, 1})), 4);  // the same twice
  EXPECT_EQ(count(lcp({1, 2, 2, 1}, {-1, -1})), 3);  // either one, or both with 1/3
  EXPECT_EQ(count(Problem{}), 1);
  const Problem box{Matrix::dense(1, {-1}), {0.5}, {{BlockKind::box, 0, 1, 0}}, {0}, {2}};
  EXPECT_EQ(count(box), 3);  // z = 0, w = 1/2; z = 1/2; z = 2, w = -3/2
}

TEST(Enumeration, StopsAtTheFirstSolutionAndAtTheLimit) {
  const Problem problem = lcp({2, 1, 1, 2}, {-5, -6});
  const Answer a = by_enumeration(problem);
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_EQ(a.outcome.iterations, 4);  // both inside: the last choice
  EXPECT_NEAR(a.z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.z[1], 7.0 / 3, 1e-15);
  EnumerationWorkspace ws;
  std::vector<double> z(2);
  const Outcome limited = enumeration(problem, {.max_iterations = 3}, ws, z);
  EXPECT_EQ(limited.stop, Stop::iteration_limit);
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_EQ(by_enumeration(lcp({0}, {-1})).outcome.stop, Stop::exhausted);
}

TEST(Enumeration, RefusesWhatItCannotFinish) {
  const int n = largest_enumeration + 1;
  EXPECT_THROW(by_enumeration(lcp(zero_square(n), std::vector<double>(n))), CheckFailed);
  EXPECT_THROW(by_enumeration(contact_problem(separate_boxes_scene(1, 1), Matrix::Kind::dense)), CheckFailed);
}

// Free rows do not count: they have no choice.
TEST(Enumeration, ManyFreeRows) {
  Dice dice(1);
  const int n = 30;
  Problem problem{Matrix::dense(n, random_psd(n, n, dice)), random_q(n, dice), {{BlockKind::free, 0, n, 0}}, {}, {}};
  const Answer a = by_enumeration(problem);
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_EQ(a.outcome.iterations, 1);
  EXPECT_TRUE(a.residual.within(1e-10));
}

TEST(Enumeration, SolvesWhatHasASolution) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(7), {.cone = false}, dice);
    const int n = layout.size;
    Square M = seed % 2 ? random_integer_psd(n, dice) : random_copositive(n, false, dice);
    const Answer a = by_enumeration(plant(layout, Matrix::dense(n, std::move(M)), 0.5, dice).problem);
    EXPECT_EQ(a.outcome.stop, Stop::finished) << "seed " << seed;
    EXPECT_TRUE(a.residual.within(1e-10)) << "seed " << seed << " " << a.residual.relative;
  }
}

// w1 = 0 for every z, w2 = z1 - 2 z2 - 1. z = (1, 0) solves it, but no choice has a basic solution that does: row 1
// inside leaves z1 open, row 2 inside gives z2 = -1/2, both give a line on which the point must be searched for.
TEST(Enumeration, SearchesSingularChoices) {
  const Answer a = by_enumeration(lcp({0, 0, 1, -2}, {0, -1}));
  EXPECT_EQ(a.outcome.stop, Stop::finished);
  EXPECT_TRUE(a.residual.within(1e-12)) << a.residual.relative;
  const Problem box{Matrix::dense(2, {0, 0, 1, -2}), {0, -1}, {{BlockKind::box, 0, 2, 0}}, {0.5, 0.25}, {3, 4}};
  const Answer b = by_enumeration(box);
  EXPECT_EQ(b.outcome.stop, Stop::finished);
  EXPECT_TRUE(b.residual.within(1e-12)) << b.residual.relative;
}

// w1 = 0 for every z; w2 = z1 - a - 2 z2 and w3 = a + 1 - z1 - 2 z3 with z2, z3 >= 0: a <= z1 <= a + 1, strictly within
// the bounds of z1, and only a search finds it. Two rows more, coupled to those by M, have one value only: w4 = -1, so
// that z4 is at its upper bound 2, and z5 = 3 / 2 with w5 = z1. Each of three orders of the first rows.
TEST(Enumeration, SearchesWithinAllKindsOfBounds) {
  constexpr int n = 5;
  for (const double a : {1.0, -2.0})
    for (const double l : {a - 3, -infinity})
      for (const double u : {a + 2, infinity})
        for (std::size_t first = 0; first < 3; ++first) {
          const std::size_t second = (first + 1) % 3, third = (first + 2) % 3;  // rows of w1, w2, w3
          Problem p{{}, std::vector<double>(n), {{BlockKind::box, 0, n, 0}}, {0, 0, 0, -infinity, 1.5}, {}};
          Square M = zero_square(n);
          entry(M, n, int(second), int(first)) = 1;
          entry(M, n, int(second), int(second)) = -2;
          entry(M, n, int(second), 3) = 1;
          p.q[second] = -a - 2;
          entry(M, n, int(third), int(first)) = -1;
          entry(M, n, int(third), int(third)) = -2;
          entry(M, n, int(third), 4) = 2;
          p.q[third] = a + 1 - 3;
          p.q[3] = -1;
          entry(M, n, 4, int(first)) = 1;
          p.M = Matrix::dense(n, std::move(M));
          p.upper = {infinity, infinity, infinity, 2, 1.5};
          p.lower[first] = l;
          p.upper[first] = u;
          for (std::uint64_t seed = 1; seed <= 4; ++seed) {  // rows measured the other way round
            Dice dice(seed);
            std::vector<double> sign;
            const Answer found = by_enumeration(turned_round(p, sign, dice));
            const double z1 = sign[first] * found.z[first];
            SCOPED_TRACE(::testing::Message() << l << " " << u << " row " << first << " seed " << seed);
            EXPECT_EQ(found.outcome.stop, Stop::finished);
            EXPECT_TRUE(found.residual.within(1e-12)) << found.residual.relative;
            EXPECT_GE(z1, a - 1e-12);
            EXPECT_LE(z1, a + 1 + 1e-12);
            EXPECT_EQ(found.z[3], 2 * sign[3]);
            EXPECT_EQ(found.z[4], 1.5 * sign[4]);
          }
        }
}

// `exhausted` means that there is no solution: for semidefinite matrices Lemke's proof agrees.
TEST(Enumeration, ExhaustedMeansNone) {
  LemkeWorkspace ws;
  int none = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(6);
    const Problem problem = lcp(random_integer_psd(n, dice), tied_q(n, dice));
    const Answer a = by_enumeration(problem);
    std::vector<double> z(problem.q.size());
    const Stop stop = lemke(problem, {}, ws, z).stop;
    if (!ws.ray.empty()) round_to_integers(ws.ray);  // M is exactly singular, and so can be the proof
    EXPECT_EQ(a.outcome.stop == Stop::exhausted, stop == Stop::ray && certifies_unsolvable(problem, ws.ray))
        << "seed " << seed;
    none += a.outcome.stop == Stop::exhausted;
  }
  EXPECT_GE(none, 50);
}

TEST(Enumeration, BoxesWithOneBoundNoneOrNoWidth) {
  for (const double l : {-infinity, -1.0, 0.5})
    for (const double u : {0.5, 2.0, infinity})
      for (const double q : {-3.0, -1.0, 0.0, 1.0, 3.0}) {
        const Problem problem{Matrix::dense(1, {2}), {q}, {{BlockKind::box, 0, 1, 0}}, {l}, {u}};
        const Answer a = by_enumeration(problem);
        EXPECT_EQ(a.outcome.stop, Stop::finished);
        EXPECT_NEAR(a.z[0], std::min(std::max(-q / 2, l), u), 1e-15) << l << " " << u << " " << q;
      }
}

}  // namespace
}  // namespace linchpin
