// Eight worlds per register: forward dynamics of one mechanism in eight different states by the same instructions.
//
// A quadruped in free fall, in each world with other joint forces. Positions, velocities and forces of the worlds lie
// side by side: coordinate i of world w at [i * worlds + w]. At the end one world is computed again by itself; it must
// give the same bits, since no operation mixes the lanes.
#include <cstdio>
#include <vector>

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace {

using namespace linchpin;
constexpr int worlds = 8;

// Copies the coordinates of one world into the arrays of all worlds, and back.
void put(const std::vector<double>& one, int world, std::vector<double>& all) {
  for (int i = 0; i < int(one.size()); ++i) all[i * worlds + world] = one[i];
}
std::vector<double> get(const std::vector<double>& all, int world) {
  std::vector<double> one;
  for (int i = world; i < int(all.size()); i += worlds) one.push_back(all[i]);
  return one;
}

}  // namespace

int main() {
  const Model model = compile(scene("@quadruped").value()).value();
  const int nq = model.nq(), nv = model.nv();
  std::vector<double> q(nq * worlds), v(nv * worlds), tau(nv * worlds), vdot(nv * worlds);
  for (int w = 0; w < worlds; ++w) {
    const State state = random_state(model, std::uint64_t(w + 1));
    put(state.q, w, q);
    put(state.v, w, v);
    for (int i = 0; i < nv; ++i) tau[i * worlds + w] = 0.1 * (w + 1);
  }

  const Plan<Double8> plan(model);  // once for a model
  AbaWorkspace<Double8> scratch(plan);
  aba<Double8>(plan, q, v, tau, {}, scratch, vdot);
  for (int w = 0; w < worlds; ++w)
    std::printf("world %d: trunk's angular acceleration %+9.3f %+9.3f %+9.3f rad/s^2\n", w, vdot[w], vdot[worlds + w],
                vdot[2 * worlds + w]);

  const int chosen = 5;
  const Plan<double> plan_of_one(model);
  AbaWorkspace<double> scratch_of_one(plan_of_one);
  std::vector<double> alone(nv);
  aba<double>(plan_of_one, get(q, chosen), get(v, chosen), get(tau, chosen), {}, scratch_of_one, alone);
  const bool same = alone == get(vdot, chosen);
  std::printf("world %d by itself: %s\n", chosen, same ? "the same bits" : "DIFFERENT");
  return same ? 0 : 1;
}
