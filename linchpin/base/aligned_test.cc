#include "linchpin/base/aligned.h"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace linchpin {
namespace {

template <class T>
bool on_a_cache_line(const AlignedArray<T>& array) {
  return reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0;
}

AlignedArray<double> counting(std::size_t size) {
  AlignedArray<double> array(size);
  for (std::size_t i = 0; i < size; ++i) array[i] = double(i) + 0.5;
  return array;
}
void expect_counting(const AlignedArray<double>& array, std::size_t size) {
  ASSERT_EQ(array.size(), size);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(array[i], double(i) + 0.5) << i;
}

// Many sizes, and many arrays alive at once: an allocator without the alignment would not be aligned each time.
TEST(AlignedArray, StartsOnACacheLine) {
  EXPECT_EQ(cache_line, 64u);
  std::vector<AlignedArray<char>> kept;
  for (std::size_t size = 1; size < 300; ++size) {
    kept.emplace_back(size);
    EXPECT_TRUE(on_a_cache_line(kept.back())) << size;
    EXPECT_TRUE(on_a_cache_line(AlignedArray<double>(size))) << size;
  }
}

// Huge pages have 2 MiB on this and most other processors; sizes are padded to whole ones.
TEST(AlignedArray, IsPaddedToHugePages) {
  constexpr std::size_t page = 2097152;
  EXPECT_EQ(huge_page, page);
  EXPECT_EQ(rounded_up(2 * page - 1), 2 * page - 1);
  EXPECT_EQ(rounded_up(2 * page), 2 * page);
  EXPECT_EQ(rounded_up(2 * page + 1), 3 * page);
  EXPECT_EQ(rounded_up(3 * page - 1), 3 * page);
}

// Sizes below and above the limit for huge pages: aligned, usable, and freed with the alignment of their allocation
// (the address sanitizer checks that).
TEST(AlignedArray, LargeOnesStartOnAHugePage) {
  const std::size_t limit = 2 * huge_page / sizeof(double);
  for (const std::size_t size : {limit - 1, limit, limit + 1}) {
    AlignedArray<double> first = counting(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % (size < limit ? cache_line : huge_page), 0u) << size;
    const AlignedArray<double> copy = first;
    const AlignedArray<double> moved = std::move(first);
    for (const AlignedArray<double>* array : {&copy, &moved}) {
      ASSERT_EQ(array->size(), size);
      EXPECT_EQ((*array)[0], 0.5);
      EXPECT_EQ((*array)[size - 1], double(size) - 0.5);
    }
  }
}

// A copy of the same size reuses the memory of its target; another size gets its own.
TEST(AlignedArray, AssignmentOfTheSameSizeIsInPlace) {
  const AlignedArray<double> source = counting(100);
  AlignedArray<double> same(100), other(7);
  const double *before = same.data(), *before_other = other.data();
  same = source;
  expect_counting(same, 100);
  EXPECT_EQ(same.data(), before);
  other = source;
  expect_counting(other, 100);
  EXPECT_NE(other.data(), before_other);
  same = same;
  expect_counting(same, 100);
  other = AlignedArray<double>();
  EXPECT_EQ(other.size(), 0u);
}

TEST(AlignedArray, BeginsWithZeros) {
  { AlignedArray<double> dirty = counting(100); }  // the memory that the next one is likely to get
  const AlignedArray<double> array(100);
  EXPECT_EQ(array.end() - array.begin(), 100);
  for (const double x : array) EXPECT_EQ(x, 0);
}

TEST(AlignedArray, MembersWithDefaultsGetThem) {
  struct Item {
    int a = 7;
    double b = 0.25;
  };
  const AlignedArray<Item> array(9);
  for (const Item& item : array) {
    EXPECT_EQ(item.a, 7);
    EXPECT_EQ(item.b, 0.25);
  }
}

TEST(AlignedArray, EmptyOwnsNothing) {
  const AlignedArray<double> array, zero(0), copy(array);
  for (const AlignedArray<double>* empty : {&array, &zero, &copy}) {
    EXPECT_EQ(empty->size(), 0u);
    EXPECT_EQ(empty->data(), nullptr);
    EXPECT_EQ(empty->begin(), empty->end());
  }
}

TEST(AlignedArray, CopyIsDeepAndAligned) {
  AlignedArray<double> first = counting(13);
  const AlignedArray<double> second = first;
  EXPECT_NE(first.data(), second.data());
  EXPECT_TRUE(on_a_cache_line(second));
  first[3] = -1;
  expect_counting(second, 13);
}

TEST(AlignedArray, MoveTakesTheMemoryAndLeavesNothing) {
  AlignedArray<double> first = counting(13);
  const double* memory = first.data();
  const AlignedArray<double> second = std::move(first);
  EXPECT_EQ(second.data(), memory);
  expect_counting(second, 13);
  EXPECT_EQ(first.size(), 0u);  // NOLINT: tests the moved-from state
  EXPECT_EQ(first.data(), nullptr);
  static_assert(std::is_nothrow_move_constructible_v<AlignedArray<double>>);
}

TEST(AlignedArray, AssignmentReplacesTheContent) {
  AlignedArray<double> array = counting(5);
  const AlignedArray<double> longer = counting(20);
  array = longer;
  expect_counting(array, 20);
  expect_counting(longer, 20);
  array = counting(3);
  expect_counting(array, 3);
  array = AlignedArray<double>();
  EXPECT_EQ(array.size(), 0u);
}

TEST(AlignedArray, AssignmentToItselfChangesNothing) {
  AlignedArray<double> array = counting(5);
  const AlignedArray<double>& same = array;
  array = same;
  expect_counting(array, 5);
}

TEST(AlignedArray, LoopsSeeEveryElementOnce) {
  AlignedArray<int> array(10);
  for (int& x : array) ++x;
  int sum = 0;
  for (const int x : array) sum += x;
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(array.end() - array.begin(), 10);
}

}  // namespace
}  // namespace linchpin
