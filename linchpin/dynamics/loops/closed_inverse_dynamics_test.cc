#include "linchpin/dynamics/loops/closed_inverse_dynamics.h"

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

// A closed scene in motion, somewhere on its constraints.
State moving(const Model& model, std::uint64_t seed) {
  State state = make_state(model);
  const std::vector<double> shake = random_numbers(state.v.size(), seed, 0.2);
  integrate(model, shake, state.q);
  state.v = random_numbers(state.v.size(), seed + 1, 0.5);
  const AssemblyReport report = assemble(model, state);
  EXPECT_TRUE(report.closed()) << report.worst << " off by " << report.error;
  return state;
}

// Forward and inverse dynamics are inverses: with the torques found, the mechanism has the given acceleration.
TEST(ClosedInverseDynamics, GivesTheMotionThatForwardDynamicsMakes) {
  for (const char* text : {"@four_bar", "@four_bar:loops=3", "@squeezer", "@bricard", "@slider_crank", "@stewart",
                           "@linkage_biped", "@gripper"}) {
    const Model model = model_of(text);
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints());
    const State state = moving(model, 5);
    const std::size_t nv = state.v.size();
    const std::vector<double> tau = random_numbers(nv, 3), f_ext = random_numbers(6 * model.bodies().size(), 4, 0.1);
    std::vector<double> vdot(nv), found(nv), again(nv);
    constrained_dynamics(state.q, state.v, tau, f_ext, 0, chain, vdot);
    std::vector<int> all;
    for (int k = 0; k < model.nv(); ++k) all.push_back(k);
    const ClosedInverseReport report = closed_inverse_dynamics(state.q, state.v, vdot, f_ext, 0, all, chain, found);
    ASSERT_TRUE(report.finite) << text;
    EXPECT_LE(report.off_rows, 1e-8 * (1 + largest(vdot))) << text;
    constrained_dynamics(state.q, state.v, found, f_ext, 0, chain, again);
    EXPECT_LE(largest_difference(again, vdot), 1e-7 * (1 + largest(vdot))) << text;
    // As many actuators as coordinates: all beyond the degrees of freedom are spare, and the least tau is not larger
    // than the one applied.
    EXPECT_EQ(report.spare, model.nv() - report.freedom) << text;
    double before = 0, after = 0;
    for (std::size_t k = 0; k < nv; ++k) before += tau[k] * tau[k], after += found[k] * found[k];
    EXPECT_LE(after, before * (1 + 1e-9)) << text;
  }
}

// One actuator at the crank of a mechanism with one degree of freedom: the torque is unique, and is the one applied.
TEST(ClosedInverseDynamics, OneActuatorForOneFreedomIsFound) {
  for (const char* text : {"@four_bar", "@four_bar:loops=5", "@squeezer", "@slider_crank", "@bricard"}) {
    const Model model = model_of(text);
    const Plan<double> plan(model);
    ClosedChain chain(model, plan, model.constraints());
    const State state = moving(model, 9);
    std::vector<double> tau(state.v.size(), 0.0), vdot(tau.size()), found(tau.size());
    tau[0] = 0.7;
    constrained_dynamics(state.q, state.v, tau, {}, 0, chain, vdot);
    const int crank[] = {0};
    const ClosedInverseReport report = closed_inverse_dynamics(state.q, state.v, vdot, {}, 0, crank, chain, found);
    EXPECT_EQ(report.freedom, 1) << text;
    EXPECT_EQ(report.spare, 0) << text;
    EXPECT_NEAR(found[0], 0.7, 1e-6) << text;  // accelerations of 1e4 rad/s^2 in the squeezer, known to 1e-10 of that
    for (std::size_t k = 1; k < found.size(); ++k) EXPECT_EQ(found[k], 0) << text;
    EXPECT_LE(report.unmet, 1e-7 * (1 + largest(chain.reactions))) << text;
  }
}

TEST(ClosedInverseDynamics, SaysWhatActuatorsCannotDo) {
  const Model model = model_of("@stewart");
  const Plan<double> plan(model);
  ClosedChain chain(model, plan, model.constraints());
  const State state = make_state(model);
  std::vector<double> rest(state.v.size(), 0.0), tau(rest.size());
  const ClosedInverseReport none = closed_inverse_dynamics(state.q, state.v, rest, {}, 0, {}, chain, tau);
  EXPECT_GT(none.unmet, 1);  // no actuator holds the plate up
  std::vector<int> legs;
  for (const Joint& joint : model.joints())
    if (joint.type == JointType::prismatic) legs.push_back(joint.v);
  ASSERT_EQ(legs.size(), 6u);
  const ClosedInverseReport held = closed_inverse_dynamics(state.q, state.v, rest, {}, 0, legs, chain, tau);
  EXPECT_LE(held.unmet, 1e-9 * (1 + largest(chain.reactions)));
  EXPECT_EQ(held.freedom, 6);
  EXPECT_EQ(held.spare, 0);
  rest[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(closed_inverse_dynamics(state.q, state.v, rest, {}, 0, legs, chain, tau).finite);
  const int nowhere[] = {99};
  EXPECT_THROW(closed_inverse_dynamics(state.q, state.v, state.v, {}, 0, nowhere, chain, tau), CheckFailed);
}

}  // namespace
}  // namespace linchpin
