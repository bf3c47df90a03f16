#include "linchpin/base/result.h"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"

namespace linchpin {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return Error{"no half of " + std::to_string(x)};
  return x / 2;
}

template <class R>
constexpr bool has_value = requires(R&& result) {
  std::forward<R>(result).value();
};

TEST(Result, HoldsAValue) {
  const Result<int> result = half(6);
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), 3);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = half(7);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().message, "no half of 7");
}

// An Error contains a string; a Result of a string must distinguish the two.
TEST(Result, TellsAStringFromAnError) {
  const Result<std::string> good = std::string("same words"), bad = Error{"same words"};
  ASSERT_TRUE(good.ok());
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(good.value(), bad.error().message);
}

// A reference into a temporary Result would dangle at the end of the statement.
TEST(Result, OfATemporaryHandsOutNoReference) {
  static_assert(std::is_same_v<decltype(std::declval<Result<int>>().value()), int>);
  static_assert(std::is_same_v<decltype(std::declval<Result<int>&>().value()), const int&>);
  static_assert(std::is_same_v<decltype(std::declval<const Result<int>&>().value()), const int&>);
  static_assert(!has_value<const Result<int>> && has_value<Result<int>>);
  static_assert(std::is_same_v<decltype(std::declval<Result<int>>().error()), Error>);
  static_assert(std::is_same_v<decltype(std::declval<Result<int>&>().error()), const Error&>);
  const Error& kept = half(7).error();
  EXPECT_EQ(kept.message, "no half of 7");
}

TEST(Result, ValueOfAnErrorFailsWithItsMessage) {
  const Result<int> result = half(7);
  EXPECT_EQ(failed_check([&] { (void)result.value(); }), "Result::value() of an error: no half of 7");
  EXPECT_EQ(failed_check([] { (void)half(9).value(); }), "Result::value() of an error: no half of 9");
}

TEST(Result, ErrorOfAValueFails) {
  const Result<int> result = half(6);
  EXPECT_EQ(failed_check([&] { (void)result.error(); }), "Result::error() of a success");
  EXPECT_EQ(failed_check([] { (void)half(8).error(); }), "Result::error() of a success");
}

TEST(Result, GivesAwayWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, CopyIsIndependent) {
  Result<std::string> first = std::string("one");
  const Result<std::string> second = first;
  first = Error{"gone"};
  EXPECT_EQ(second.value(), "one");
  EXPECT_EQ(first.error().message, "gone");
}

}  // namespace
}  // namespace linchpin
