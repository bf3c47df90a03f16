#include "linchpin/dynamics/loops/loop_recursion.h"

#include <gtest/gtest.h>

#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/dynamics/loops/constraint_testing.h"

namespace linchpin {
namespace {

struct Both {
  Both(const Model& model, const State& state, std::uint64_t seed)
      : plan(model),
        chain(model, plan, model.constraints(), LoopElimination::compliance),
        other(model, plan, model.constraints(), LoopElimination::recursion),
        by_compliance(state.v.size()),
        by_recursion(state.v.size()) {
    const std::vector<double> tau = random_numbers(state.v.size(), seed),
                              f_ext = random_numbers(6 * model.bodies().size(), seed + 50);
    one = constrained_dynamics(state.q, state.v, tau, f_ext, 0.3, chain, by_compliance);
    two = constrained_dynamics(state.q, state.v, tau, f_ext, 0.3, other, by_recursion);
  }
  Plan<double> plan;
  ClosedChain chain, other;
  std::vector<double> by_compliance, by_recursion;
  ConstraintReport one, two;
};

TEST(LoopRecursion, WithoutLoopsItIsTheArticulatedBody) {
  for (const std::string& text : test_scenes()) {
    const Model model = model_of(text);
    const State state = random_state(model, 3, 2, 1);
    const Both both(model, state, 1);
    EXPECT_LE(largest_difference(both.by_compliance, both.by_recursion), 1e-8 * (1 + largest(both.by_compliance)))
        << text;
  }
}

// Every kind of constraint between any two bodies: the two eliminations agree, on reactions too where they are unique.
TEST(LoopRecursion, AgreesWithTheCompliance) {
  int regular = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model model = with_constraints(text, some_constraints(model_of(text), 13 * seed, seed % 3, 4));
    const Both both(model, random_state(model, seed, 1, 1), seed);
    EXPECT_EQ(both.one.rank, both.two.rank) << text;
    if (both.one.rank < both.one.rows) continue;
    ++regular;
    EXPECT_LE(largest_difference(both.by_compliance, both.by_recursion), 1e-8 * (1 + largest(both.by_compliance)))
        << text;
    for (std::size_t r = 0; r < both.chain.reactions.size(); ++r)
      EXPECT_NEAR(both.chain.reactions[r], both.other.reactions[r], 1e-8 * (1 + largest(both.chain.reactions)));
  }
  EXPECT_GE(regular, 10);
}

// Loops as joints between handles of the assembled mechanism: the same matrix of rows, ranks and motion.
TEST(LoopAssembly, AgreesWithTheCompliance) {
  int redundant = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model model = with_constraints(text, some_constraints(model_of(text), 13 * seed, seed % 3, 4));
    const State state = random_state(model, seed, 1, 1);
    const Plan<double> plan(model);
    const std::vector<double> tau = random_numbers(state.v.size(), seed),
                              f_ext = random_numbers(6 * model.bodies().size(), seed + 50);
    ClosedChain chain(model, plan, model.constraints(), LoopElimination::compliance),
        assembly(model, plan, model.constraints(), LoopElimination::divide_and_conquer);
    std::vector<double> expected(state.v.size()), vdot(state.v.size());
    const ConstraintReport one = constrained_dynamics(state.q, state.v, tau, f_ext, 0.3, chain, expected),
                           two = constrained_dynamics(state.q, state.v, tau, f_ext, 0.3, assembly, vdot);
    EXPECT_EQ(one.rank, two.rank) << text;
    redundant += one.rank < one.rows;
    const std::vector<double>&W = chain.by_compliance->row_matrix, &W2 = assembly.by_compliance->row_matrix;
    EXPECT_LE(largest_difference(W2, W), 1e-10 * largest(W)) << text;
    EXPECT_LE(largest_difference(vdot, expected), 1e-8 * (1 + largest(expected))) << text;
    std::vector<double> v = state.v, v2 = state.v;
    project_velocity(state.q, v, 0.3, chain);
    project_velocity(state.q, v2, 0.3, assembly);
    EXPECT_LE(largest_difference(v2, v), 1e-8 * (1 + largest(v))) << text;
  }
  EXPECT_GE(redundant, 1);
}

// A ladder of n planar loops, each between neighbours in a chain of its own base, redundant by three rows each.
Model ladder(int loops, bool on_the_world) {
  ModelSpec spec;
  spec.name = "ladder";
  const auto add_rod = [&](const std::string& name, const std::string& parent, const Vec3<double>& at,
                           const Vec3<double>& along) {
    BodySpec body{.name = name, .inertia = {}, .geometry = {}};
    body.inertia = {1, 0.5 * along, Sym3<double>::diagonal(0.1, 0.1, 0.1)};
    spec.bodies.push_back(body);
    JointSpec joint;
    joint.name = name;
    joint.parent = parent;
    joint.child = name;
    joint.X_PF = translation(at.x, at.y, at.z);
    spec.joints.push_back(joint);
  };
  std::string before = "world";
  for (int k = 0; k < loops; ++k) {
    const std::string n = std::to_string(k);
    const Vec3<double> at = k == 0 || on_the_world ? Vec3<double>{double(k), 0, 0} : Vec3<double>{1, 0, 0};
    const std::string base = on_the_world ? "world" : before;
    add_rod(n + "a", base, at, {0, 1, 0});
    add_rod(n + "b", n + "a", {0, 1, 0}, {0.7, 0, 0});
    add_rod(n + "c", base, {at.x + 0.7, at.y, at.z}, {0, 1, 0});
    LoopSpec loop;
    loop.a = {n + "b", translation(0.7, 0, 0)};
    loop.b = {n + "c", translation(0, 1, 0)};
    spec.constraints.push_back({n + "loop", loop});
    before = n + "b";
  }
  return compile(spec).value();
}

TEST(LoopRecursion, RedundantLoopsOneOnTheOtherAndSideBySide) {
  for (const bool on_the_world : {true, false})
    for (const int loops : {1, 2, 5, 20}) {
      const Model model = ladder(loops, on_the_world);
      State state = make_state(model);
      for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = k % 3 == 1 ? -1.0 : 1.0;  // parallelograms
      const Both both(model, state, 7);
      EXPECT_EQ(both.one.rank, 2 * loops);
      EXPECT_EQ(both.two.rank, 2 * loops);
      EXPECT_LE(both.two.unmet, 1e-9 * (1 + largest(both.by_recursion)));
      EXPECT_LE(largest_difference(both.by_compliance, both.by_recursion), 1e-7 * (1 + largest(both.by_compliance)))
          << loops << on_the_world;
      EXPECT_LE(both.other.by_recursion->blocks(), 2 * loops);  // linear: loops meet their neighbours at most
    }
}

// Both eliminations give the same projection onto the constraints.
TEST(LoopRecursion, ProjectionsAgreeWithTheCompliance) {
  int regular = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model model = with_constraints(text, some_constraints(model_of(text), 13 * seed, seed % 3, 4));
    const State state = random_state(model, seed, 1, 1);
    Both both(model, state, seed);
    if (both.one.rank < both.one.rows) continue;
    ++regular;
    std::vector<double> v = state.v, w = state.v;
    project_velocity(state.q, v, 0.3, both.chain);
    project_velocity(state.q, w, 0.3, both.other);
    EXPECT_LE(largest_difference(v, w), 1e-9 * (1 + largest(v))) << text;
  }
  EXPECT_GE(regular, 4);
}

// Both say how far each row gives way: its diagonal of J M^-1 J', and zero for rows that are left out. (The recursion
// holds the link where the two sides of a loop meet: the same only for loops on the world.)
TEST(LoopRecursion, RowsGiveWayAsTheirComplianceSays) {
  int nonholonomic = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string text = random_tree(25, seed);
    const Model bare = model_of(text);
    std::vector<ConstraintSpec> constraints;
    for (const ConstraintSpec& spec : some_constraints(bare, 13 * seed, seed % 2, 2)) {
      ConstraintSpec on_world = spec;
      const bool fits = std::visit(
          [&](auto& what) {
            if constexpr (requires { what.a; }) {
              what.a.body = "world";
              return bare.bodies()[std::size_t(bare.find_body(what.b.body))].link != 0;
            }
            return false;
          },
          on_world.what);
      if (fits) constraints.push_back(on_world);
    }
    ASSERT_GT(constraints.size(), 2u);
    const Model model = with_constraints(text, constraints);
    const State state = random_state(model, seed, 1, 1);
    const Plan<double> plan(model);
    ClosedChain by_compliance(model, plan, model.constraints(), LoopElimination::compliance),
        by_recursion(model, plan, model.constraints(), LoopElimination::recursion);
    const int rows = by_compliance.constraints.rows();
    const std::vector<double> b = random_numbers(std::size_t(rows), seed);
    for (const bool holonomic_only : {false, true}) {
      for (ClosedChain* chain : {&by_compliance, &by_recursion}) {
        poison(chain->give);
        place_chain(state.q, state.v, 0.3, *chain);
        least_motion(state.q, b, holonomic_only, 0, *chain);
      }
      place_chain(state.q, state.v, 0.3, by_compliance);
      row_compliance(state.q, by_compliance);
      const std::vector<double>& W = by_compliance.by_compliance->row_matrix;
      for (int r = 0; r < rows; ++r) {
        const bool counts = !holonomic_only || by_compliance.constraints.holonomic(r);
        const double expected = counts ? W[std::size_t(r) * std::size_t(rows) + std::size_t(r)] : 0;
        nonholonomic += !counts;
        EXPECT_NEAR(by_compliance.give[std::size_t(r)], expected, 1e-12 * expected) << text << " row " << r;
        EXPECT_NEAR(by_recursion.give[std::size_t(r)], expected, 1e-9 * expected) << text << " row " << r;
      }
    }
  }
  EXPECT_GT(nonholonomic, 0);
}

// A long chain held at both ends: the path from the loop to the world is long, and no row may be lost along it.
TEST(LoopRecursion, HoldsLongChainsAtBothEnds) {
  for (const int links : {10, 100, 1000, 10000}) {
    const std::string text = "@chain:links=" + std::to_string(links);
    const Model bare = model_of(text);
    LoopSpec loop;
    loop.type = LoopType::weld;
    loop.b.body = bare.bodies().back().name;
    const Model model = with_constraints(text, {{"end", loop}});
    const Plan<double> plan(model);
    const State state = random_state(model, 1, 3, 0);
    ClosedChain by_recursion(model, plan, model.constraints(), LoopElimination::recursion),
        by_compliance(model, plan, model.constraints(), LoopElimination::compliance);
    std::vector<double> one(state.v.size()), two(state.v.size());
    EXPECT_EQ(constrained_dynamics(state.q, state.v, by_recursion.zero, {}, 0, by_recursion, one).rank, 6) << links;
    EXPECT_EQ(constrained_dynamics(state.q, state.v, by_recursion.zero, {}, 0, by_compliance, two).rank, 6) << links;
    EXPECT_LE(largest_difference(one, two), 1e-6 * largest(one)) << links;
  }
}

TEST(LoopRecursion, RowsThatCannotMoveAreLeftOut) {
  const Model model = parallel_on_a_rail();
  const Both both(model, random_state(model, 1), 1);
  EXPECT_EQ(both.two.rank, 0);
  EXPECT_LE(largest_difference(both.by_compliance, both.by_recursion), 1e-12 * (1 + largest(both.by_compliance)));
}

}  // namespace
}  // namespace linchpin
