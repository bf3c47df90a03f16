#include "linchpin/contact/step_rows.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"

namespace linchpin {
namespace {

using Kind = RowOwner::Kind;

Contact contact(std::uint32_t a, std::uint32_t b, std::uint32_t feature) {
  Contact c{};
  c.key.shape_a = a;
  c.key.shape_b = b;
  c.key.feature = feature;
  return c;
}

// One block for each owner: three rows for a contact, else one.
StepRows rows_of(const std::vector<RowOwner>& owners) {
  StepRows out;
  for (const RowOwner& owner : owners) {
    const int size = owner.kind == Kind::contact ? 3 : 1;
    out.rows.begin_block(size == 3 ? BlockKind::cone : BlockKind::box, size, 0.5);
    for (int k = 0; k < size; ++k) out.rows.end_row(0);
    out.add_owner(owner.kind, owner.index);
  }
  return out;
}

// Every row finds its own force, whatever the order of the rows, times the length of the step: contacts by shapes and
// feature, others by kind and index. A row that is new starts from zero, and so do loops and springs.
TEST(StepRows, ForcesAreRememberedByTheirKeys) {
  const std::vector<Contact> before{contact(1, 2, 7), contact(1, 2, 3), contact(1, 3, 7)};
  const std::vector<RowOwner> owners{{Kind::loop, 0},         {Kind::spring, 2},  {Kind::contact, 0},
                                     {Kind::contact, 1},      {Kind::contact, 2}, {Kind::limit, 1},
                                     {Kind::dry_friction, 1}, {Kind::servo, 1},   {Kind::limit, 4}};
  const StepRows rows = rows_of(owners);
  std::vector<double> impulses(rows.rows.size());
  for (std::size_t i = 0; i < impulses.size(); ++i) impulses[i] = 0.1 * double(i + 1);
  std::vector<RowMemory> memory;
  remember(rows, before, impulses, 0.01, memory);
  EXPECT_EQ(memory.size(), 7u) << "all but the loop and the spring";

  // The contacts are found in another order, one is new, one is gone; the other rows are shuffled.
  const std::vector<Contact> after{contact(1, 2, 3), contact(1, 2, 8), contact(1, 2, 7)};
  const StepRows next = rows_of({{Kind::spring, 2},
                                 {Kind::servo, 1},
                                 {Kind::contact, 0},
                                 {Kind::contact, 1},
                                 {Kind::contact, 2},
                                 {Kind::limit, 4},
                                 {Kind::dry_friction, 1},
                                 {Kind::limit, 1},
                                 {Kind::limit, 2},
                                 {Kind::loop, 0}});
  std::vector<double> guess(next.rows.size(), 99);
  EXPECT_TRUE(guess_impulses(next, after, memory, 0.02, guess));
  const std::vector<double> expected{0,       2 * 1.4, 2 * 0.6, 2 * 0.7, 2 * 0.8, 0,       0, 0,
                                     2 * 0.3, 2 * 0.4, 2 * 0.5, 2 * 1.5, 2 * 1.3, 2 * 1.2, 0, 0};
  EXPECT_LE(largest_difference(guess, expected), 1e-15);

  const StepRows others = rows_of({{Kind::limit, 9}, {Kind::servo, 4}});
  guess.assign(2, 99);
  EXPECT_FALSE(guess_impulses(others, {}, memory, 0.02, guess));
  EXPECT_EQ(guess, std::vector<double>(2, 0.0));
}

// Memory may come from a file. A force of a spring or of loops in it, which remember() does not store, is not used: the
// loops are one block of any size, and a memory has three numbers.
TEST(StepRows, ForcesOfLoopsAndSpringsAreNotUsed) {
  StepRows rows = rows_of({{Kind::spring, 2}, {Kind::limit, 1}});
  rows.rows.begin_block(BlockKind::free, 8);
  for (int k = 0; k < 8; ++k) rows.rows.end_row(0);
  rows.add_owner(Kind::loop, 0);
  std::vector<RowMemory> memory;
  remember(rows_of({{Kind::limit, 1}}), {}, std::vector<double>{0.3}, 0.1, memory);
  ASSERT_EQ(memory.size(), 1u);
  for (const RowOwner owner : {RowOwner{Kind::spring, 2}, RowOwner{Kind::loop, 0}}) {
    memory.push_back(memory[0]);  // its key names the kind and the index
    memory.back().key[1] = std::uint32_t(owner.kind);
    memory.back().key[2] = std::uint32_t(owner.index);
  }
  std::vector<double> guess(10, 99), expected(10, 0.0);
  expected[1] = 0.3;
  EXPECT_TRUE(guess_impulses(rows, {}, memory, 0.1, guess));
  EXPECT_LE(largest_difference(guess, expected), 1e-15);
}

// Rows without a force are not stored, and an old memory is replaced.
TEST(StepRows, OnlyForcesAreStored) {
  const StepRows rows = rows_of({{Kind::limit, 0}, {Kind::limit, 1}});
  std::vector<RowMemory> memory(5);
  remember(rows, {}, std::vector<double>{0, -0.3}, 0.1, memory);
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_NEAR(memory[0].force[0], -3, 1e-15);
}

}  // namespace
}  // namespace linchpin
