#include "linchpin/sim/time_stepping/sleep.h"

#include <algorithm>

#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// Three boxes on each other are one island: all sleep, or none.
TEST(Sleep, IsDecidedByIsland) {
  const Model model = model_of("stack:boxes=3");
  State state = make_state(model);
  state.v.assign(model.nv(), 1e-6);
  for (const double rest_of_last : {0.05, 1.0}) {
    state.still = {1.0, 1.0, rest_of_last};
    StageTest stage(model, {.contact = {.sleep_after = 0.1}}, state);
    Sleep sleep(stage.plan);
    const bool all = rest_of_last > 0.1;
    EXPECT_EQ(sleep.find({}, nullptr, stage.set.contacts, stage.start, stage.placed), all ? 3 : 0);
    EXPECT_EQ(std::ranges::count(sleep.trees(), 1), all ? 3 : 0);
    EXPECT_EQ(largest(stage.start.v), all ? 0 : 1e-6);
    EXPECT_FALSE(stage.set.contacts.empty());
    sleep.drop_contacts(stage.set.contacts);
    EXPECT_EQ(stage.set.contacts.empty(), all);
  }
}

TEST(Sleep, EndsWhenAForceActs) {
  const Model model = model_of("stack:boxes=1");
  State state = make_state(model);
  state.still = {1.0};
  std::vector<double> tau(model.nv(), 0.0);
  for (const double push : {0.0, 1e-9}) {
    tau[3] = push;
    StageTest stage(model, {.contact = {.sleep_after = 0.1}}, state);
    Sleep sleep(stage.plan);
    EXPECT_EQ(sleep.find({.tau = tau}, nullptr, stage.set.contacts, stage.start, stage.placed), push == 0 ? 1 : 0);
  }
}

TEST(Sleep, CountsRestAndForgetsItWithMotion) {
  const Model model = model_of("stack:boxes=1");
  State state = make_state(model);
  state.still = {0.25};
  for (const double speed : {0.0, 1e-3}) {
    state.v[3] = speed;
    StageTest stage(model, {.dt = 0.5, .contact = {.sleep_after = 0.1}}, state);
    Sleep(stage.plan).count_rest(stage.start);
    EXPECT_EQ(stage.start.still[0], speed == 0 ? 0.75 : 0);
  }
}

}  // namespace
}  // namespace linchpin
