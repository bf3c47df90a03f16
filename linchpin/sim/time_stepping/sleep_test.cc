#include "linchpin/sim/time_stepping/sleep.h"

#include <algorithm>
#include <optional>

#include "linchpin/model/testing.h"
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

// A force on any body wakes all; so does an actuator, which may act at any time.
TEST(Sleep, EndsWhenAForceActsOnABodyOrAnActuatorMay) {
  ModelSpec spec = scene("stack:boxes=1").value();
  for (const bool actuated : {false, true}) {
    if (actuated) {
      BodySpec arm{.name = "arm", .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {}};
      spec.bodies.push_back(arm);
      spec.joints.push_back(joint("hinge", JointType::revolute, "world", "arm"));
      spec.actuators.push_back({.name = "motor", .joint = "hinge", .control = 0});
    }
    const Model model = compiled(spec);
    State state = make_state(model);
    state.still.assign(actuated ? 2 : 1, 1.0);
    const std::vector<double> f_ext(6 * model.bodies().size(), 0.0);
    for (const bool pushed : {false, true}) {
      StageTest stage(model, {.contact = {.sleep_after = 0.1}}, state);
      Sleep sleep(stage.plan);
      const Inputs inputs = pushed ? Inputs{.f_ext = f_ext} : Inputs{};
      EXPECT_EQ(sleep.find(inputs, nullptr, stage.set.contacts, stage.start, stage.placed), pushed ? 0 : 1)
          << "the arm with a motor does not sleep";
    }
  }
}

// Two boxes far from each other are two islands; a spring between them makes them one, and so does a loop.
TEST(Sleep, SpringsAndLoopsJoinIslands) {
  for (const std::string link : {"nothing", "spring", "loop"}) {
    ModelSpec spec;
    for (const std::string name : {"left", "right"}) {
      spec.bodies.push_back({.name = name, .inertia = {.mass = 1, .moments = {1, 1, 1, 0, 0, 0}}, .geometry = {}});
      spec.joints.push_back(joint(name + "_rail", JointType::prismatic, "world", name));
    }
    if (link == "spring") {
      SpringSpec spring;
      spring.name = "spring";
      spring.a = {"left", Transform<double>::identity()};
      spring.b = {"right", translation(1, 0, 0)};
      spring.stiffness = 1;
      spec.springs = {spring};
    }
    if (link == "loop") {
      LoopSpec loop;
      loop.type = LoopType::point_on_plane;
      loop.a = {"left", Transform<double>::identity()};
      loop.b = {"right", Transform<double>::identity()};
      spec.constraints = {{"loop", loop}};
    }
    const Model model = compiled(spec);
    State state = make_state(model);
    state.still = {1.0, 0.0};  // the left one has rested for long enough
    StageTest stage(model, {.stepper = Stepper::time_stepping, .contact = {.sleep_after = 0.1}}, state);
    std::optional<ClosedChain> chain;
    if (link == "loop") {
      chain.emplace(model, stage.plan.plan, model.constraints());
      place_chain(state.q, state.v, 0, *chain);
    }
    Sleep sleep(stage.plan);
    EXPECT_EQ(sleep.find({}, chain ? &*chain : nullptr, {}, stage.start, stage.placed), link == "nothing" ? 1 : 0)
        << link;
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
