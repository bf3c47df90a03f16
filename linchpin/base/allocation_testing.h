// The allocation counter with a test of itself: for the no_allocation_test.cc of a room, one file of a test program.
#pragma once

#include <gtest/gtest.h>

#include "linchpin/base/allocation_counter.h"

namespace linchpin {

// Without this, a test that expects no allocations would pass with a counter that does not count.
TEST(NoAllocation, TheCounterCounts) {
  const long before = allocations;
  ::operator delete(::operator new(7));  // a new-expression may be optimised away
  EXPECT_GE(allocations - before, 1);
}

}  // namespace linchpin
