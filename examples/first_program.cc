// A first program: a double pendulum, released from the horizontal, for two seconds.
#include <cstdio>
#include <numbers>

#include "linchpin/model/scenes.h"
#include "linchpin/sim/simulation.h"

int main() {
  using namespace linchpin;
  const Model model = compile(scene("@double_pendulum").value()).value();
  Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-3});
  State state = make_state(model);
  state.q[0] = std::numbers::pi / 2;
  for (int step = 1; step <= 2000; ++step) {
    const StepReport report = simulation.step(state);
    if (!report.ok()) return std::fprintf(stderr, "%s\n", report.reason), 1;
    if (step % 200 == 0) std::printf("t = %.1f s   q = %+.6f %+.6f rad\n", state.time, state.q[0], state.q[1]);
  }
}
