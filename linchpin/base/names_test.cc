#include "linchpin/base/names.h"

#include <type_traits>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"

namespace linchpin {
namespace {

enum class Fruit { apple, pear, plum };
constexpr EnumNames<Fruit::plum> fruits{"fruit", {"apple", "pear", "plum"}};

TEST(EnumNames, NamesEachEnumerator) {
  EXPECT_EQ(fruits.of(Fruit::apple), "apple");
  EXPECT_EQ(fruits.of(Fruit::pear), "pear");
  EXPECT_EQ(fruits.of(Fruit::plum), "plum");
}

TEST(EnumNames, FindsWhatItNames) {
  EXPECT_EQ(fruits.find("pear"), Fruit::pear);
  EXPECT_EQ(fruits.find("Pear"), std::nullopt);
  EXPECT_EQ(fruits.find(""), std::nullopt);
}

TEST(EnumNames, RefusesWhatIsNoEnumerator) {
  for (const int number : {-1, 3, 99}) EXPECT_THROW(fruits.of(Fruit(number)), CheckFailed) << number;
  EXPECT_EQ(failed_check([] { fruits.of(Fruit(3)); }), "fruit number 3 of 3");
}

template <auto last, std::size_t given>
constexpr bool takes = std::is_constructible_v<EnumNames<last>, std::string_view, const std::string_view (&)[given]>;
static_assert(takes<Fruit::plum, 3> && !takes<Fruit::plum, 2> && !takes<Fruit::plum, 4>);

}  // namespace
}  // namespace linchpin
