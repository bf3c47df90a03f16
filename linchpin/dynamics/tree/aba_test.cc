#include "linchpin/dynamics/tree/aba.h"

#include "linchpin/base/check_testing.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

// A pendulum by hand: point mass m on a rod l at angle q from the downward vertical, gravity 9.81, torque tau:
// m l^2 qdd = tau - m g l sin q.
TEST(Aba, SimplePendulumByHand) {
  const Model model = model_of("@simple_pendulum");
  const double q = 0.7, tau = 0.3;
  const std::vector<double> vdot = run_aba<double>(model, {q}, {1.5}, {tau});
  EXPECT_NEAR(vdot[0], tau - 9.81 * std::sin(q), 1e-14);
}

// Two point masses on massless rods, Lagrange's equations for absolute angles written out.
TEST(Aba, DoublePendulumByHand) {
  const Model model = model_of("@double_pendulum:rods=0");
  const double t1 = 0.4, t2 = -1.1, w1 = 0.9, w2 = 2.3, g = 9.81;
  const double d = t1 - t2, den = 2 - std::cos(d) * std::cos(d);
  const double a1 =
      (-g * 2 * std::sin(t1) - w2 * w2 * std::sin(d) - std::cos(d) * (w1 * w1 * std::sin(d) - g * std::sin(t2))) / den;
  const double a2 =
      (2 * (w1 * w1 * std::sin(d) - g * std::sin(t2)) + std::cos(d) * (w2 * w2 * std::sin(d) + 2 * g * std::sin(t1))) /
      den;
  const std::vector<double> vdot = run_aba<double>(model, {t1, t2 - t1}, {w1, w2 - w1}, {0, 0});
  EXPECT_NEAR(vdot[0], a1, 1e-13);
  EXPECT_NEAR(vdot[1], a2 - a1, 1e-13);
}

TEST(Aba, ExternalForcesEqualTheWitness) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const AugmentedTree<double> tree(model, worlds.q[0], worlds.v[0], worlds.f_ext[0]);
    const std::vector<double> expected = tree.by_articulated(worlds.x[0], Pivot::split);
    const std::vector<double> vdot = run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
    EXPECT_LE(largest_difference(vdot, expected), 100 * 2.2e-16 * tree.condition_number() * largest(expected)) << name;
  }
}

constexpr auto run_aba_of_worlds = []<class T>(const Model& model, const Worlds& worlds) {
  using Real = typename Plan<T>::Real;
  return run_aba<T>(model, interleave<Real>(worlds.q), interleave<Real>(worlds.v), interleave<Real>(worlds.x),
                    interleave<Real>(worlds.f_ext));
};
TEST(Aba, LaneOfFourDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double4>(run_aba_of_worlds); }
TEST(Aba, LaneOfEightDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double8>(run_aba_of_worlds); }
TEST(Aba, LaneOfSixteenFloatsHasTheBitsOfAFloat) { expect_lanes_equal_alone<Float16>(run_aba_of_worlds); }

// Limbs that share registers have the same bits as limbs one after another.
void expect_same_bits_in_both_orders(const Model& model, const std::string& name) {
  const Plan<double> plan(model);
  const Worlds worlds(model, 8);
  for (std::size_t w = 0; w < 8; ++w) {
    AbaWorkspace<double> ws(plan);
    poison_workspace(ws);
    std::vector<double> one_by_one(worlds.v[w].size());
    const std::vector<double> f_ext = w % 2 == 0 ? worlds.f_ext[w] : std::vector<double>{};
    aba_inward<double>(plan, worlds.q[w], worlds.v[w], worlds.x[w], f_ext, ws, LimbOrder::one_by_one);
    aba_outward<double>(plan, ws, one_by_one, LimbOrder::one_by_one);
    const std::vector<double> side_by_side = run_aba<double>(model, worlds.q[w], worlds.v[w], worlds.x[w], f_ext);
    for (std::size_t i = 0; i < one_by_one.size(); ++i)
      EXPECT_TRUE(same_bits(one_by_one[i], side_by_side[i]))
          << name << " coordinate " << i << ": " << one_by_one[i] << " and " << side_by_side[i];
  }
}
TEST(Aba, LimbsSideBySideHaveTheBitsOfLimbsOneByOne) {
  int alike = 0, mixed = 0, unequal = 0;
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    for (const Limbs& limbs : Plan<double>(model).limbs) {
      ++(limbs.some_aligned && limbs.head == Head::screwed ? mixed : alike);
      for (const int size : limbs.size) unequal += size != limbs.length;
    }
    expect_same_bits_in_both_orders(model, name);
  }
  EXPECT_GT(alike, 0);
  EXPECT_GT(mixed, 0);
  EXPECT_GT(unequal, 0);
}
TEST(Aba, LimbsWithGeneralHeadsToo) {
  for (const int legs : {4, 2}) {
    const Model model = quadruped_with_general_heads(legs);
    const Plan<double> plan(model);
    ASSERT_EQ(plan.limbs.size(), 1u);
    EXPECT_EQ(plan.limbs[0].same_head, legs == 4);
    expect_same_bits_in_both_orders(model, std::to_string(legs) + " legs");
  }
}

// Arms and legs of a humanoid: four, of seven and six hinges. A chain has none.
TEST(Aba, FindsLimbs) {
  const Plan<double> plan(model_of("@humanoid"));
  ASSERT_EQ(plan.limbs.size(), 1u);
  EXPECT_EQ(plan.limbs[0].count, 4);
  EXPECT_EQ(plan.limbs[0].length, 7);
  EXPECT_TRUE(Plan<double>(model_of("@chain:links=30")).limbs.empty());
  EXPECT_TRUE(Plan<Double8>(model_of("@humanoid")).limbs.empty());
}

// Float: the forward error is within eps_float cond(M) of the double result.
TEST(Aba, FloatsAreCloseToDoubles) {
  for (const char* name : {"@chain:links=7", "@dual_arm", "@quadruped", "@humanoid"}) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const std::vector<double> exact = run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0]);
    const std::vector<float> rough =
        run_aba<float>(model, as_reals<float>(worlds.q[0]), as_reals<float>(worlds.v[0]), as_reals<float>(worlds.x[0]));
    const double slack = 100 * 1.2e-7 * AugmentedTree<double>(model, worlds.q[0], worlds.v[0]).condition_number();
    EXPECT_LE(largest_difference(std::vector<double>(rough.begin(), rough.end()), exact), slack * largest(exact))
        << name;
  }
}

// What pushes on a body that is fixed in the world moves nothing, whatever else there is.
TEST(Aba, ForcesOnFixedBodiesMoveNothing) {
  ModelSpec spec;
  for (const char* name : {"post", "sign", "one", "two", "three"}) {
    const std::string body = name;
    const bool fixed = body == "post" || body == "sign";
    spec.bodies.push_back(
        {.name = body, .inertia = {1, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}});
    spec.joints.push_back(joint(body + "_joint",
                                fixed           ? JointType::weld
                                : body == "two" ? JointType::ball
                                                : JointType::free,
                                body == "sign" ? "post" : "world", body));
  }
  const Model model = compile(spec).value();
  const Worlds worlds(model, 1);
  std::vector<double> on_fixed(worlds.f_ext[0].size(), 0.0);
  for (const char* name : {"world", "post", "sign"})
    for (std::size_t k = 0; k < 6; ++k) on_fixed[6 * std::size_t(model.find_body(name)) + k] = 1e3;
  const std::vector<double> with = run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], on_fixed);
  const std::vector<double> without =
      run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], std::vector<double>(on_fixed.size(), 0.0));
  ASSERT_TRUE(std::isfinite(largest(without)));
  EXPECT_EQ(with, without);
}

TEST(Aba, NanInTheInputComesOutAsNan) {
  const Model model = model_of("@chain:links=3");
  const double nan = std::nan("");
  EXPECT_TRUE(std::isnan(run_aba<double>(model, {0, nan, 0}, {0, 0, 0}, {0, 0, 0})[0]));
  EXPECT_TRUE(std::isnan(run_aba<double>(model, {0, 0, 0}, {0, 0, nan}, {0, 0, 0})[2]));
  EXPECT_TRUE(std::isnan(run_aba<double>(model, {0, 0, 0}, {0, 0, 0}, {0, nan, 0})[1]));
}

TEST(Aba, WrongSizesAreRefusedWithBothNumbers) {
  const Model model = model_of("@chain:links=3");
  const Plan<double> plan(model);
  AbaWorkspace<double> ws(plan);
  std::vector<double> three(3), two(2);
  EXPECT_EQ(failed_check([&] { aba<double>(plan, two, three, three, {}, ws, three); }),
            "q has 2 numbers, the model needs 3");
  EXPECT_THROW(aba<double>(plan, three, three, three, two, ws, three), CheckFailed);
  EXPECT_THROW(aba<double>(plan, three, three, three, {}, ws, two), CheckFailed);
}

// Also where only the runs or only the links differ.
TEST(Aba, AWorkspaceOfAnotherModelIsRefused) {
  const Model chain = model_of("@chain:links=3"), longer = model_of("@chain:links=30"), top = model_of("@top"),
              nothing = compile(ModelSpec()).value();
  const auto refused = [](const Model& model, const Model& other) {
    const Plan<double> plan(model), other_plan(other);
    AbaWorkspace<double> ws(other_plan);
    const State state = make_state(model);
    std::vector<double> vdot(state.v.size());
    return failed_check([&] { aba<double>(plan, state.q, state.v, vdot, {}, ws, vdot); });
  };
  EXPECT_EQ(Plan<double>(chain).runs.size(), Plan<double>(longer).runs.size());
  EXPECT_EQ(refused(chain, longer), "workspace of another model");
  EXPECT_EQ(Plan<double>(top).blocks.size(), Plan<double>(nothing).blocks.size());
  EXPECT_EQ(refused(top, nothing), "workspace of another model");
  EXPECT_EQ(refused(chain, top), "workspace of another model");
  EXPECT_EQ(refused(top, top), "accepted");
}

}  // namespace
}  // namespace linchpin
