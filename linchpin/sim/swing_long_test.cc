// The swing of 000's benchmark for a minute. A link that whips round or folds by pi bends the path of its contact, and
// in a fold the contact has no lever that could correct it later: it must not penetrate in the first place.
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

void expect_to_pass(int links, double dt) {
  const Model model = model_of("swing:links=" + std::to_string(links));
  const Finished r = run(model, 60, {.dt = dt});
  EXPECT_TRUE(r.certificate.passed()) << links << " links, dt " << dt;
  // A tenth of the limit of certificates: the corrections at the end of intervals leave far less.
  EXPECT_LT(r.certificate.penetration, 1e-5) << links << " links, dt " << dt;
  EXPECT_LT(r.certificate.energy.relative_defect(), 0.1) << links << " links, dt " << dt;
}

TEST(SwingLong, TwelveLinks) {
  expect_to_pass(12, 1e-3);
  expect_to_pass(12, 1e-4);
}
TEST(SwingLong, ThirtyLinks) {
  expect_to_pass(30, 1e-3);
  expect_to_pass(30, 1e-4);
}

}  // namespace
}  // namespace linchpin
