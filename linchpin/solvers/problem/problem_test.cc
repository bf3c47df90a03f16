#include "linchpin/solvers/problem/problem.h"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/infinity.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

testing::AssertionResult has_fault(const std::function<void(Problem&)>& change, const std::string& text) {
  Problem p = one_of_each();
  change(p);
  const std::optional<Error> fault = find_fault(p);
  if (!fault) return testing::AssertionFailure() << "no fault found where there is \"" << text << "\"";
  if (fault->message == text) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the fault is \"" << fault->message << "\", not \"" << text << "\"";
}

TEST(Problem, NamesOfKinds) {
  EXPECT_EQ(to_string(BlockKind::free), "free");
  EXPECT_EQ(to_string(BlockKind::nonnegative), "nonnegative");
  EXPECT_EQ(to_string(BlockKind::box), "box");
  EXPECT_EQ(to_string(BlockKind::cone), "cone");
}

TEST(Problem, FindsNoFaultWhereThereIsNone) {
  EXPECT_FALSE(find_fault(one_of_each()));
  EXPECT_FALSE(find_fault(Problem{}));
  Problem equal = one_of_each();  // a box of no width, a cone without friction
  equal.lower[3] = equal.upper[3];
  equal.blocks[3].mu = 0;
  EXPECT_FALSE(find_fault(equal));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(20), {}, dice);
    const Problem p = plant(layout, Matrix::dense(layout.size, random_psd(layout.size, 3, dice)), 0.3, dice).problem;
    EXPECT_FALSE(find_fault(p)) << "seed " << seed << ": " << find_fault(p)->message;
  }
}

TEST(Problem, FaultsOfNumbers) {
  EXPECT_TRUE(has_fault([](Problem& p) { p.M = Matrix::dense(1, {1}); }, "M has 1 rows, q has 8"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.q.push_back(0); }, "M has 8 rows, q has 9"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.M.dense()[63] = std::nan(""); }, "M has entries that are not finite"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.M.dense()[0] = -infinity; }, "M has entries that are not finite"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.q[7] = std::nan(""); }, "q of row 7 is nan"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.q[0] = infinity; }, "q of row 0 is inf"));
}

TEST(Problem, FaultsOfBlocks) {
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[1].start = 1; }, "block 1 has 1 rows from row 1; the rows so far end at 2"));
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[1].start = 3; }, "block 1 has 1 rows from row 3; the rows so far end at 2"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[0].start = -1; },
                        "block 0 has 2 rows from row -1; the rows so far end at 0"));
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[2].size = 0; }, "block 2 has 0 rows from row 3; the rows so far end at 3"));
  EXPECT_TRUE(
      has_fault([](Problem& p) { p.blocks[0].size = -2; }, "block 0 has -2 rows from row 0; the rows so far end at 0"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].size = 2; }, "block 3 is a cone of 2 rows instead of 3"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].mu = -0.5; }, "block 3 is a cone with mu = -0.5"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].mu = std::nan(""); }, "block 3 is a cone with mu = nan"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[3].mu = infinity; }, "block 3 is a cone with mu = inf"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[2].size = 7; }, "block 2 ends at row 10 of 8"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks.pop_back(); }, "the blocks end at row 5 of 8"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks.clear(), p.lower.clear(), p.upper.clear(); },
                        "the blocks end at row 0 of 8"));
}

TEST(Problem, FaultsOfBounds) {
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower.clear(); },
                        "block 2 is a box, and there are 0 lower and 8 upper bounds for 8 rows"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.upper.pop_back(); },
                        "block 2 is a box, and there are 8 lower and 7 upper bounds for 8 rows"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower[4] = 2, p.upper[4] = 1; }, "bounds of row 4 are 2 and 1"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower[3] = std::nan(""); }, "bounds of row 3 are nan and 1"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.upper[4] = std::nan(""); }, "bounds of row 4 are -1 and nan"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.lower[4] = infinity; }, "bounds of row 4 are inf and inf"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.upper[3] = -infinity; }, "bounds of row 3 are -inf and -inf"));
  EXPECT_TRUE(has_fault([](Problem& p) { p.blocks[2].kind = BlockKind::free; }, "there are bounds but no box"));
}

TEST(Problem, LinearComplementarityIsOneBlock) {
  const Problem p = linear_complementarity(Matrix::dense(2, {1, 2, 3, 4}), {5, 6});
  ASSERT_EQ(p.blocks.size(), 1u);
  EXPECT_EQ(p.blocks[0].kind, BlockKind::nonnegative);
  EXPECT_EQ(p.blocks[0].start, 0);
  EXPECT_EQ(p.blocks[0].size, 2);
  EXPECT_EQ(p.q, (std::vector<double>{5, 6}));
  EXPECT_FALSE(find_fault(p));
  EXPECT_TRUE(linear_complementarity({}, {}).blocks.empty());
  EXPECT_FALSE(find_fault(linear_complementarity({}, {})));
}

}  // namespace
}  // namespace linchpin
