#include "linchpin/base/check.h"

#include <cmath>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"

namespace linchpin {
namespace {

// Counts how often it is written out.
struct Witness {
  int* written;
};
std::ostream& operator<<(std::ostream& out, const Witness& witness) {
  ++*witness.written;
  return out << "witness";
}

TEST(Check, PassesInSilence) { EXPECT_NO_THROW(check(true, "never said")); }

TEST(Check, FailureHoldsBothNumbers) {
  EXPECT_EQ(failed_check([] { check(2 == 3, "q has ", 2, " numbers, the model needs ", 3u); }),
            "q has 2 numbers, the model needs 3");
}

// Numbers are printed with 17 digits, so that different numbers never look alike.
TEST(Check, NumbersAreWrittenWithAllTheirDigits) {
  const double x = 0.1, next = std::nextafter(x, 1);
  const std::string said = failed_check([&] { check(x == next, x, " ", next); });
  const std::size_t space = said.find(' ');
  ASSERT_NE(space, std::string::npos) << said;
  EXPECT_EQ(std::stod(said.substr(0, space)), x);
  EXPECT_EQ(std::stod(said.substr(space)), next);
}

TEST(Check, MessageIsBuiltOnFailureOnly) {
  int written = 0;
  check(true, "a ", Witness{&written}, Witness{&written});
  EXPECT_EQ(written, 0);
  EXPECT_EQ(failed_check([&] { check(false, "a ", Witness{&written}); }), "a witness");
  EXPECT_EQ(written, 1);
}

TEST(Check, IsTheCallersMistake) { EXPECT_THROW(check(false, "x"), std::logic_error); }

}  // namespace
}  // namespace linchpin
