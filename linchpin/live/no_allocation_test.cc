#include <gtest/gtest.h>

#include "linchpin/base/allocation_counter.h"
#include "linchpin/live/hand_pull.h"
#include "linchpin/live/page_data.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

TEST(NoAllocation, FramesAndPulls) {
  for (const char* text : {"@stack", "@four_bar", "@stand"}) {
    const Model model = compile(scene(text).value()).value();
    Simulation simulation(model, {.dt = 1e-3});
    State state = make_state(model);
    SnapshotTaker take(model);
    FrameWriter write(model);
    Hand hand(model);
    const Pull pull{1, {0, 0, 0.01}, {0, 0, 1}};
    StepReport report;
    const auto turn = [&] {
      const Inputs inputs{.f_ext = hand.forces(state, 1e-3, {&pull, 1})};
      report = simulation.step(state, inputs);
      write(take(1, state, simulation, report, {}));
    };
    for (int i = 0; i < 5; ++i) turn();
    const Inputs inputs{.f_ext = hand.forces(state, 1e-3, {&pull, 1})};
    report = simulation.step(state, inputs);
    const long before = allocations;
    write(take(1, state, simulation, report, {}));
    hand.forces(state, 1e-3, {&pull, 1});
    EXPECT_EQ(allocations - before, 0) << text;
  }
}

}  // namespace
}  // namespace linchpin
