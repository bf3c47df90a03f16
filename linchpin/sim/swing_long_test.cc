// The swing of 000's benchmark for a minute. A link that whips round or folds by pi bends the path of its contact, and
// in a fold the contact has no lever (step_plan.h).
#include "linchpin/sim/contact_testing.h"

namespace linchpin {
namespace {

void expect_to_pass(int links, double dt) {
  const Model model = model_of("swing:links=" + std::to_string(links));
  const Finished r = run(model, 60, {.dt = dt});
  EXPECT_TRUE(r.certificate.passed()) << links << " links, dt " << dt;
  // Below the limit of certificates: the corrections at the end of intervals leave far less. 60 s of a chaotic motion.
  EXPECT_LT(r.certificate.penetration, dt > 5e-4 ? 5e-5 : 1e-5) << links << " links, dt " << dt;
  // Of second order in h times some 100 rad/s of the last links.
  EXPECT_LT(r.certificate.energy.relative_defect(), dt > 5e-4 ? 0.03 : 1e-3) << links << " links, dt " << dt;
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
