#include "linchpin/contact/formulation_testing.h"

namespace linchpin {
namespace {

TEST(FormulationLong, Cones) {
  for (int seed = 100; seed < 3000; ++seed)
    expect_agreement(*random_situation(seed), 0, "seed " + std::to_string(seed));
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
