// Shared by the tests of this room: models, states, forces, and workspaces filled with NaN.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/augmented.h"
#include "linchpin/dynamics/tree/plan.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/model/testing.h"

namespace linchpin {

// Scenes of all sizes with every kind of joint: serial and branched, fixed and floating, several trees.
inline std::vector<std::string> test_scenes() {
  std::vector<std::string> scenes{"@simple_pendulum",
                                  "@double_pendulum:rods=1",
                                  "@pendulum:links=7",
                                  "@chain:links=30",
                                  "@humanoid24",
                                  "@humanoid",
                                  "@quadruped",
                                  "@dual_arm",
                                  "@top",
                                  "@free_body",
                                  "@forest",
                                  "@cart_pole",
                                  "@planar_walker"};
  for (int seed = 1; seed <= 10; ++seed) scenes.push_back("@random_tree:bodies=30,seed=" + std::to_string(seed));
  return scenes;
}

// Evenly distributed in [-range, range], different for every seed.
inline std::vector<double> random_numbers(std::size_t count, std::uint64_t seed, double range = 1) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t z = seed * 0x9e3779b97f4a7c15u + i * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 31)) * 0x94d049bb133111ebu;
    z ^= z >> 29;
    numbers.push_back(range * (static_cast<double>(z >> 11) * 0x1p-52 - 1));
  }
  return numbers;
}

// A quadruped with some hip axes so nearly parallel to the trunk's z that they have no common normal: their heads are
// general (plan.h).
inline Model quadruped_with_general_heads(int legs) {
  ModelSpec spec = scene("@quadruped").value();
  for (JointSpec& joint : spec.joints)
    if (joint.parent == "trunk" && legs-- > 0) joint.axis = {0, 1e-3, 1};
  return compile(spec).value();
}

// Sets every byte to 0xff: NaN as float, double and pack.
template <class... Arrays>
void poison(Arrays&... arrays) {
  const auto fill = [](void* memory, std::size_t bytes) {
    if (bytes > 0) std::memset(memory, 0xff, bytes);
  };
  (fill(arrays.data(), arrays.size() * sizeof(arrays[0])), ...);
}

template <class T>
void poison_workspace(AbaWorkspace<T>& ws) {
  poison(ws.block, ws.pivot, ws.axial_D_inverse, ws.wide, ws.external, ws.sum, ws.w, ws.a, ws.limb_block, ws.limb_local,
         ws.limb_w, ws.limb_pivot, ws.limb_inertia);
}

template <class T>
using Reals = std::vector<typename Plan<T>::Real>;

template <class T>
Reals<T> run_aba(const Model& model, const Reals<T>& q, const Reals<T>& v, const Reals<T>& tau,
                 const Reals<T>& f_ext = {}) {
  const Plan<T> plan(model);
  AbaWorkspace<T> ws(plan);
  poison_workspace(ws);
  Reals<T> vdot(v.size());
  aba<T>(plan, q, v, tau, f_ext, ws, vdot);
  return vdot;
}

// Worlds side by side: number i of world w at [i * worlds + w].
template <class Real>
std::vector<Real> interleave(const std::vector<std::vector<double>>& worlds) {
  std::vector<Real> out;
  for (std::size_t i = 0; i < worlds.front().size(); ++i)
    for (const std::vector<double>& world : worlds) out.push_back(static_cast<Real>(world[i]));
  return out;
}
template <class Real>
std::vector<Real> as_reals(const std::vector<double>& numbers) {
  return std::vector<Real>(numbers.begin(), numbers.end());
}
// Compares bits: -0 differs from 0. False if the numbers are not finite: two computations that both fail do not agree.
template <class Real>
bool same_bits(const Real& a, const Real& b) {
  return std::isfinite(a) && std::memcmp(&a, &b, sizeof(Real)) == 0;
}

// The inputs of `count` worlds of one model, each with its own numbers.
struct Worlds {
  Worlds(const Model& model, int count) {
    for (int w = 0; w < count; ++w) {
      number.push_back(w);
      const State state = random_state(model, std::uint64_t(100 + w));
      q.push_back(state.q);
      v.push_back(state.v);
      x.push_back(random_numbers(state.v.size(), std::uint64_t(200 + w)));
      f_ext.push_back(random_numbers(6 * model.bodies().size(), std::uint64_t(300 + w)));
    }
  }
  // World w alone.
  Worlds only(std::size_t w) const { return {{number[w]}, {q[w]}, {v[w]}, {x[w]}, {f_ext[w]}}; }

  std::vector<int> number;
  std::vector<std::vector<double>> q, v, x, f_ext;  // x: tau or vdot

 private:
  using Numbers = std::vector<std::vector<double>>;
  Worlds(std::vector<int> n, Numbers q_, Numbers v_, Numbers x_, Numbers f)
      : number(std::move(n)), q(std::move(q_)), v(std::move(v_)), x(std::move(x_)), f_ext(std::move(f)) {}
};

// Each lane of a pack T must have the bits of a scalar run of the same world, on all test scenes.
// run.operator()<U>(model, worlds) returns the results for as many worlds as U has lanes, worlds side by side.
template <class T, class Run>
void expect_lanes_equal_alone(const Run& run) {
  using Real = typename Plan<T>::Real;
  const std::size_t count = std::size_t(Lanes<T>::worlds);
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, int(count));
    const std::vector<Real> together = run.template operator()<T>(model, worlds);
    for (std::size_t w = 0; w < count; ++w) {
      const std::vector<Real> alone = run.template operator()<Real>(model, worlds.only(w));
      ASSERT_EQ(together.size(), count * alone.size());
      for (std::size_t i = 0; i < alone.size(); ++i)
        EXPECT_TRUE(same_bits(together[i * count + w], alone[i]))
            << name << " world " << w << " number " << i << ": " << together[i * count + w] << " and " << alone[i];
    }
  }
}

// The scene @chain with a free first joint, at rest in a random shape: aba must let it fall without changing its shape.
inline void expect_free_fall(int links) {
  ModelSpec spec = scene("@chain:links=" + std::to_string(links)).value();
  spec.joints.front().type = JointType::free;
  spec.joints.front().dofs.clear();
  const Result<Model> model = compile(spec);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const State state = random_state(model.value(), 1, 3, 0);
  const std::vector<double> tau(state.v.size(), 0.0);
  std::vector<double> vdot(state.v.size());
  const Plan<double> plan(model.value());
  AbaWorkspace<double> ws(plan);
  aba<double>(plan, state.q, state.v, tau, {}, ws, vdot);
  const JointSpec& base = spec.joints.front();
  const Vec3<double> g_F = transpose_times(base.X_PF.R, spec.gravity);
  for (std::size_t i = 0; i < vdot.size(); ++i) {
    const double expected = i == 3 ? g_F.x : i == 4 ? g_F.y : i == 5 ? g_F.z : 0;
    // no force acts, so no large numbers cancel; the bound is rounding, which accumulates from link to link
    ASSERT_NEAR(vdot[i], expected, 1e-10) << links << " links, coordinate " << i;
  }
}

}  // namespace linchpin
