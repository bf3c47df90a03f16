#include "linchpin/dynamics/tree/rnea.h"

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

template <class T>
Reals<T> run_rnea(const Model& model, const Reals<T>& q, const Reals<T>& v, const Reals<T>& vdot,
                  const Reals<T>& f_ext = {}) {
  const Plan<T> plan(model);
  RneaWorkspace<T> ws(plan);
  poison(ws.block, ws.wide, ws.external, ws.sum, ws.w, ws.a);
  Reals<T> tau(v.size());
  rnea<T>(plan, q, v, vdot, f_ext, ws, tau);
  return tau;
}

// Euler's equations for a free body at rest position, I = (1, 2, 3), m = 1, no gravity: n = I wdot + w x I w, f = m a.
TEST(Rnea, FreeBodyObeysNewtonAndEuler) {
  const Model model = model_of("@free_body");
  const std::vector<double> w{0.3, -0.7, 1.1}, wdot{0.2, 0.5, -0.4}, a{1, 2, 3};
  const std::vector<double> tau = run_rnea<double>(model, {1, 0, 0, 0, 5, 6, 7}, {w[0], w[1], w[2], 9, 8, 7},
                                                   {wdot[0], wdot[1], wdot[2], a[0], a[1], a[2]});
  EXPECT_NEAR(tau[0], 1 * wdot[0] + (3 - 2) * w[1] * w[2], 1e-15);
  EXPECT_NEAR(tau[1], 2 * wdot[1] + (1 - 3) * w[2] * w[0], 1e-15);
  EXPECT_NEAR(tau[2], 3 * wdot[2] + (2 - 1) * w[0] * w[1], 1e-15);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(tau[3 + i], a[i], 1e-15);
}

// A cart of mass M with a pole hinged on it, by hand: see the scene for M = 1, m = 0.1, l = 1 (a uniform rod or a
// point, whichever: the generalised force on the cart at rest is the moving mass times its acceleration).
TEST(Rnea, ForceOnACartIsMassTimesAcceleration) {
  const Model model = model_of("@cart_pole");
  const std::vector<double> tau = run_rnea<double>(model, {0, 0}, {0, 0}, {2.5, 0});
  EXPECT_NEAR(tau[0], model.total_mass() * 2.5, 1e-14);
}

TEST(Rnea, EqualsTheTextbookWithForcesFromOutside) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const AugmentedTree<double> tree(model, worlds.q[0], worlds.v[0], worlds.f_ext[0]);
    double term = 0;
    const std::vector<double> expected = tree.inverse_dynamics(worlds.x[0], &term);
    const std::vector<double> tau = run_rnea<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
    EXPECT_LE(largest_difference(tau, expected), 1e-13 * term) << name;
  }
}

// Power: v.tau = d/dt kinetic energy - power of gravity. Checked without derivatives: rnea is affine in vdot, and its
// slope, the mass matrix, is symmetric.
TEST(Rnea, SlopeInAccelerationIsSymmetric) {
  const Model model = model_of("@random_tree:bodies=12,seed=3");
  const std::size_t n = std::size_t(model.nv());
  const State state = random_state(model, 8);
  const std::vector<double> zero(n, 0.0), base = run_rnea<double>(model, state.q, state.v, zero);
  std::vector<std::vector<double>> column(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> unit = zero;
    unit[k] = 1;
    column[k] = run_rnea<double>(model, state.q, state.v, unit);
    for (std::size_t i = 0; i < n; ++i) column[k][i] -= base[i];
  }
  const double scale = largest(base) + 100;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(column[i][k], column[k][i], 1e-13 * scale);
}

TEST(Rnea, UndoesAba) {
  for (const std::string& name : test_scenes()) {
    const Model model = model_of(name);
    const Worlds worlds(model, 1);
    const std::vector<double> vdot = run_aba<double>(model, worlds.q[0], worlds.v[0], worlds.x[0], worlds.f_ext[0]);
    double term = 0;
    AugmentedTree<double>(model, worlds.q[0], worlds.v[0], worlds.f_ext[0]).inverse_dynamics(vdot, &term);
    const std::vector<double> tau = run_rnea<double>(model, worlds.q[0], worlds.v[0], vdot, worlds.f_ext[0]);
    EXPECT_LE(largest_difference(tau, worlds.x[0]), 1e-12 * term) << name;
  }
}

constexpr auto run_rnea_of_worlds = []<class T>(const Model& model, const Worlds& worlds) {
  using Real = typename Plan<T>::Real;
  return run_rnea<T>(model, interleave<Real>(worlds.q), interleave<Real>(worlds.v), interleave<Real>(worlds.x),
                     interleave<Real>(worlds.f_ext));
};
TEST(Rnea, LaneOfFourDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double4>(run_rnea_of_worlds); }
TEST(Rnea, LaneOfEightDoublesHasTheBitsOfADouble) { expect_lanes_equal_alone<Double8>(run_rnea_of_worlds); }
TEST(Rnea, LaneOfSixteenFloatsHasTheBitsOfAFloat) { expect_lanes_equal_alone<Float16>(run_rnea_of_worlds); }

}  // namespace
}  // namespace linchpin
