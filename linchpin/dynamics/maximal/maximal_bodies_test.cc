#include "linchpin/dynamics/maximal/maximal_bodies.h"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/model/testing.h"

namespace linchpin {
namespace {

double product(const Force<double>& a, const Force<double>& b) { return dot(a.n, b.n) + dot(a.f, b.f); }
double power(const Force<double>& F, const Motion<double>& V) { return dot(F.n, V.w) + dot(F.f, V.v); }

// Q2 is orthonormal and does no work on S; D finds the coordinates: D'S = 1, without any part along Q2.
TEST(MaximalBodies, FreedomIsSplitFromConstraint) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> even(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t dofs = std::size_t(trial % 7);
    std::vector<Motion<double>> S(dofs);
    for (std::size_t k = 0; k < dofs; ++k) {
      for (double* x : {&S[k].w.x, &S[k].w.y, &S[k].w.z, &S[k].v.x, &S[k].v.y, &S[k].v.z}) *x = even(engine);
      // Of very different lengths, and some along one axis of a frame only.
      const double length = k % 2 ? 1 : 1e3;
      if (trial % 3 == 0)
        S[k] = {{k == 0 ? -1.0 : 0.0, double(k == 1), double(k == 2)},
                {double(k == 3), double(k == 4), k == 5 ? -1.0 : 0.0}};
      S[k] = {length * S[k].w, length * S[k].v};
    }
    std::vector<Force<double>> D(dofs), Q2(6 - dofs);
    split_freedom(S, D, Q2);
    double largest_D = 0;
    for (const Force<double>& d : D) largest_D = larger(largest_D, std::sqrt(product(d, d)));
    for (std::size_t i = 0; i < Q2.size(); ++i) {
      for (std::size_t j = 0; j < Q2.size(); ++j) EXPECT_NEAR(product(Q2[i], Q2[j]), i == j ? 1 : 0, 1e-14);
      for (const Motion<double>& s : S) EXPECT_NEAR(power(Q2[i], s), 0, 1e-14 * 1e3);
      for (const Force<double>& d : D) EXPECT_NEAR(product(Q2[i], d), 0, 1e-13 * (1 + largest_D));
    }
    for (std::size_t i = 0; i < dofs; ++i)
      for (std::size_t j = 0; j < dofs; ++j)  // rounding of |D| |S|
        EXPECT_NEAR(power(D[i], S[j]), i == j ? 1 : 0, 1e-14 * (1 + largest_D) * 1e3) << dofs;
  }
  std::vector<Motion<double>> two(2);
  std::vector<Force<double>> one(1), four(4);
  EXPECT_EQ(failed_check([&] { split_freedom(two, one, four); }), "room for 1 and 4 of 2 freedoms");
}

BodySpec with_mass(const std::string& name) {
  return {.name = name, .inertia = {1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}};
}

// A base on a rail, an arm on a universal joint with a welded tool, a hand on a planar one; beside it a free ball and a
// post that is fixed in the world.
TEST(MaximalBodies, AreTheLinksThatCarryBodies) {
  ModelSpec spec;
  for (const char* name : {"post", "base", "arm", "tool", "hand", "ball"}) spec.bodies.push_back(with_mass(name));
  spec.joints = {joint("0", JointType::weld, "world", "post"),    joint("1", JointType::prismatic, "post", "base"),
                 joint("2", JointType::universal, "base", "arm"), joint("3", JointType::weld, "arm", "tool"),
                 joint("4", JointType::planar, "tool", "hand"),   joint("5", JointType::free, "world", "ball")};
  const Model model = compile(spec).value();
  EXPECT_FALSE(MaximalBodies::find_fault(model));
  const MaximalBodies bodies(model);
  const auto link = [&](const char* name) { return model.bodies()[std::size_t(model.find_body(name))].link; };
  const auto number = [&](const char* name) { return bodies.of_link(link(name)); };
  ASSERT_EQ(bodies.size(), 4);
  EXPECT_EQ(number("post"), -1);
  EXPECT_EQ(number("tool"), number("arm"));
  const struct {
    const char* name;
    int parent, dofs, v;
  } expected[] = {{"base", -1, 1, 0}, {"arm", number("base"), 2, 1}, {"hand", number("arm"), 3, 3}, {"ball", -1, 6, 6}};
  for (const auto& [name, parent, dofs, v] : expected) {
    const MaximalBody& body = bodies[number(name)];
    EXPECT_EQ(body.link, link(name)) << name;
    EXPECT_EQ(body.parent, parent) << name;
    EXPECT_EQ(body.dofs, dofs) << name;
    EXPECT_EQ(body.v, v) << name;
  }
  // Links between the axes of a joint belong to its body.
  for (int k = 0; k < 2; ++k) EXPECT_EQ(bodies.of_link(link("arm") - k), number("arm"));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(bodies.of_link(link("hand") - k), number("hand"));
}

TEST(MaximalBodies, NeedMassAndMomentsOfTheirOwn) {
  const auto fault = [](const InertiaSpec& arm, JointType joins) {
    ModelSpec spec;
    spec.bodies = {with_mass("arm"), with_mass("hand")};
    spec.bodies[0].inertia = arm;
    spec.joints = {joint("1", JointType::revolute, "world", "arm"), joint("2", joins, "arm", "hand")};
    spec.joints[1].axis = {1, 0, 0};
    spec.joints[1].X_PF = translation(1, 0, 0);
    const std::optional<Error> found = MaximalBodies::find_fault(compile(spec).value());
    return found ? found->message : "";
  };
  const std::string rest = ": in maximal coordinates every body moves by itself and needs both; take os, rmc or mc",
                    mass = " kg (with what is welded to it)";
  EXPECT_EQ(fault({}, JointType::revolute), "body 'arm' has mass 0" + mass + rest);
  EXPECT_EQ(fault({2, {1, 0, 0}, Sym3<double>::zero()}, JointType::revolute),
            "body 'arm' has mass 2" + mass + " but no moment of inertia about some axis" + rest);
  EXPECT_EQ(fault({2, {1, 0, 0}, Sym3<double>::diagonal(1, 1, 1)}, JointType::revolute), "");
  EXPECT_EQ(fault({}, JointType::weld), "");  // the hand has what it needs for both
}

}  // namespace
}  // namespace linchpin
