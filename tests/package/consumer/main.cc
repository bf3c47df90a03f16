// A user's program. Prints its results in hexadecimal, so that run.sh can compare copies compiled with different flags
// bit by bit. Exit status 1 when an expectation fails.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#ifdef CONSUMER_HAS_EIGEN
#include <Eigen/Dense>
#include <Eigen/SparseLU>
#endif

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/augmented.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/model/model.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#include "linchpin/sim/simulation.h"

namespace {

using namespace linchpin;

int faults = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what);
  ++faults;
}

void print(const char* name, std::span<const double> numbers) {
  std::printf("%s", name);
  for (double x : numbers) std::printf(" %a", x);
  std::printf("\n");
}

double total_energy(const Model& model, const State& state) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  Velocities vel(model);
  velocities(model, kin, state.v, vel);
  return energy(model, kin, vel, state.q, state.v).total();
}

// One second of a chain of 12 links that swings freely. The fourth-order stepper at 1 ms loses 6e-13 of the energy of
// the swing (measured); a step with a wrong term exceeds the bound many times.
void swing(const Model& model) {
  State state = make_state(model);
  state.q[0] = -std::numbers::pi / 4;
  state.v[0] = 1;
  const State hanging = make_state(model);
  const double before = total_energy(model, state);
  const double scale = before - total_energy(model, hanging);
  Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-3});
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = simulation.step(state);
    expect(report.ok(), report.reason);
    if (!report.ok()) return;
  }
  const double lost = std::abs(total_energy(model, state) - before) / scale;
  std::printf("energy lost: %.1e of what the swing has\n", lost);
  expect(lost < 1e-11, "energy is kept");
  expect(std::abs(state.time - 1) < 1e-9, "a second has passed");
  print("q", state.q);
  print("v", state.v);
}

// Eight worlds in one call against one world at a time (equal to the bit), and against a general sparse solver.
void eight_worlds(const Model& model) {
  constexpr int worlds = 8;
  const int nq = model.nq(), nv = model.nv();
  std::vector<double> q(nq * worlds), v(nv * worlds), tau(nv * worlds), vdot(nv * worlds);
  std::vector<State> states;
  for (int w = 0; w < worlds; ++w) {
    states.push_back(random_state(model, 100 + w));
    for (int i = 0; i < nq; ++i) q[i * worlds + w] = states[w].q[i];
    for (int i = 0; i < nv; ++i) v[i * worlds + w] = states[w].v[i];
    for (int i = 0; i < nv; ++i) tau[i * worlds + w] = (i * 7 + w * 3) % 11 - 5;
  }
  const Plan<Double8> batch(model);
  AbaWorkspace<Double8> batch_workspace(batch);
  aba<Double8>(batch, q, v, tau, {}, batch_workspace, vdot);

  const Plan<double> plan(model);
  AbaWorkspace<double> workspace(plan);
  bool same = true;
  for (int w = 0; w < worlds; ++w) {
    std::vector<double> force(nv), alone(nv);
    for (int i = 0; i < nv; ++i) force[i] = tau[i * worlds + w];
    aba<double>(plan, states[w].q, states[w].v, force, {}, workspace, alone);
    for (int i = 0; i < nv; ++i) same = same && alone[i] == vdot[i * worlds + w];

    // Inverse dynamics by an independent method must return the joint forces (backward error).
    const AugmentedTree<double> witness(model, states[w].q, states[w].v);
    double largest = 0, worst = 0;
    const std::vector<double> back = witness.inverse_dynamics(alone, &largest);
    for (int i = 0; i < nv; ++i) worst = std::max(worst, std::abs(back[i] - force[i]));
    expect(worst < 1e-12 * largest, "forward dynamics is undone by inverse dynamics");
    if (w == 0) {
      print("vdot", alone);
      print("sparse", witness.by_sparse_lu(force));
    }
  }
  expect(same, "a lane has the bits of a run of its own");
}

// Eigen in the user's program, compiled with the program's flags: the linker must not mix it with the library's Eigen.
void own_algebra() {
#ifdef CONSUMER_HAS_EIGEN
  const int n = 40;
  Eigen::MatrixXd A = Eigen::MatrixXd::Random(n, n);
  A = (A * A.transpose()).eval() + n * Eigen::MatrixXd::Identity(n, n);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
  const Eigen::SparseMatrix<double> sparse = A.sparseView();
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(sparse);
  const Eigen::VectorXd dense = A.llt().solve(b), other = lu.solve(b);
  expect((dense - other).norm() < 1e-12 * dense.norm(), "two solvers of the program's own agree");
#endif
}

}  // namespace

int main() {
  const Result<ModelSpec> spec = scene("@pendulum:links=12");
  if (!spec.ok()) return std::printf("%s\n", spec.error().message.c_str()), 1;
  const Result<Model> model = compile(spec.value());
  if (!model.ok()) return std::printf("%s\n", model.error().message.c_str()), 1;
  own_algebra();
  swing(model.value());
  eight_worlds(model.value());

  const Result<ModelSpec> humanoid = scene("@humanoid");
  const Result<Model> walker = humanoid.ok() ? compile(humanoid.value()) : Result<Model>(humanoid.error());
  if (!walker.ok()) return std::printf("%s\n", walker.error().message.c_str()), 1;
  eight_worlds(walker.value());
  own_algebra();
  return faults == 0 ? 0 : 1;
}
