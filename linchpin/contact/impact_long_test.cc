// Many more random impacts than impact_test.cc has time for, with other seeds.
#include "linchpin/contact/impact_testing.h"

namespace linchpin {
namespace {

constexpr int first = 1000000;

void record(const Laws& laws) {
  testing::Test::RecordProperty("scaled", laws.scaled);
  testing::Test::RecordProperty("plastic", laws.plastic);
  testing::Test::RecordProperty("least_release", std::to_string(laws.least_release));
}

TEST(ImpactLong, PoissonInSpace) {
  const Laws laws = look_at_random_impacts({}, Restitution::poisson, first, 25000);
  record(laws);
  EXPECT_LE(laws.scaled, laws.impacts / 500);
}
TEST(ImpactLong, PoissonInThePlane) {
  const Laws laws = look_at_random_impacts({.planar = true}, Restitution::poisson, first, 25000);
  record(laws);
  EXPECT_LE(laws.scaled, laws.impacts / 500);
}
TEST(ImpactLong, NewtonInSpace) { record(look_at_random_impacts({}, Restitution::newton, first, 15000)); }
TEST(ImpactLong, NewtonInThePlane) {
  record(look_at_random_impacts({.planar = true}, Restitution::newton, first, 15000));
}

}  // namespace
}  // namespace linchpin
