#include "linchpin/live/live_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "linchpin/model/testing.h"

namespace linchpin {
namespace {

using Json = nlohmann::json;
using Kind = ViewerCommand::Kind;

// A run with a clock that the test advances, or that advances at each reading.
struct Live {
  explicit Live(const Model& model_, const SimulationOptions& options = {.dt = 1e-3})
      : model(model_), run(model, options, make_state(model), {}, [this] { return now += at_each_look; }) {}
  LiveRun::Turn turn(std::vector<ViewerCommand> commands = {}, bool watched = true) {
    const LiveRun::Turn turn = run.turn(commands, watched);
    if (!turn.status.empty()) status = Json::parse(turn.status);
    EXPECT_EQ(turn.status.find('\n'), turn.status.npos);  // one line
    frames += !turn.frame.empty();
    statuses += !turn.status.empty();
    if (!turn.frame.empty()) std::memcpy(&frame_time, turn.frame.data() + 8, 8);
    return turn;
  }
  void watch(double seconds, std::vector<ViewerCommand> commands = {}) {
    for (const double end = now + seconds; now < end - 1e-9;) {
      now += 1.0 / 60;
      turn(commands);
    }
  }
  double now = 100, at_each_look = 0;
  Model model;
  LiveRun run;
  Json status;
  int frames = 0, statuses = 0;
  double frame_time = -1;
};

TEST(LiveRun, KeepsPaceWithTheClock) {
  Live live(model_of("@pendulum:links=3"));
  live.watch(2);
  EXPECT_NEAR(live.run.state().time, 2, 2e-3);
  EXPECT_EQ(live.frames, 120);
  EXPECT_EQ(live.statuses, 8);  // four a second
  EXPECT_NEAR(live.status["rate"], 1, 0.02);
  live.turn({{.kind = Kind::speed, .speed = 0.25}});
  EXPECT_EQ(live.status["speed"], 0.25);
  const double before = live.run.state().time;
  live.watch(2);
  EXPECT_NEAR(live.run.state().time - before, 0.5, 2e-3);
  EXPECT_NEAR(live.status["rate"], 0.25, 0.02);
}

TEST(LiveRun, HasTheBitsOfAPlainRun) {
  const Model model = model_of("@stack");
  Live live(model);
  live.watch(0.2);
  Simulation simulation(model, {.dt = 1e-3});
  State state = make_state(model);
  while (state.time < live.run.state().time) ASSERT_TRUE(simulation.step(state).ok());
  EXPECT_EQ(state.time, live.run.state().time);
  EXPECT_EQ(state.q, live.run.state().q);
  EXPECT_EQ(state.v, live.run.state().v);
}

TEST(LiveRun, NobodyWatchesAndTimeStandsStill) {
  Live live(model_of("@pendulum:links=3"));
  live.turn({}, false);
  EXPECT_EQ(live.frames, 1);  // the start is there for the first viewer
  EXPECT_EQ(live.status["running"], true);
  for (int i = 0; i < 100; ++i) {
    live.now += 1;
    live.turn({}, false);
  }
  EXPECT_EQ(live.run.state().time, 0);
  live.turn();
  live.watch(0.5);
  EXPECT_NEAR(live.run.state().time, 0.5, 2e-3);
}

TEST(LiveRun, PauseStepPlayReset) {
  Live live(model_of("@pendulum:links=3"));
  live.watch(0.1);
  live.turn({{.kind = Kind::pause}});
  EXPECT_EQ(live.status["running"], false);
  const State paused = live.run.state();
  live.watch(1);
  EXPECT_EQ(live.run.state().time, paused.time);
  live.turn({{.kind = Kind::step}, {.kind = Kind::step}});
  EXPECT_NEAR(live.run.state().time, paused.time + 2e-3, 1e-12);
  EXPECT_EQ(live.frame_time, live.run.state().time);  // seen at once
  live.turn({{.kind = Kind::play}});
  live.watch(0.1);
  EXPECT_NEAR(live.run.state().time, paused.time + 0.102, 2e-3);
  live.turn({{.kind = Kind::pause}, {.kind = Kind::reset}});
  const State start = make_state(live.model);
  EXPECT_EQ(live.run.state().q, start.q);
  EXPECT_EQ(live.run.state().v, start.v);
  EXPECT_EQ(live.run.state().time, 0);
  EXPECT_EQ(live.frame_time, 0);
  EXPECT_EQ(live.status["steps"], 0);
  EXPECT_EQ(live.status["certificate"]["steps"], 0);
}

// Each reading of the clock, one per step, takes ten times the step: motion falls behind, and the backlog is dropped.
TEST(LiveRun, SlowStepsMakeSlowMotionAndNoDebt) {
  Live live(model_of("@pendulum:links=3"));
  live.at_each_look = 0.01;
  const double start = live.now;
  for (int i = 0; i < 200; ++i) live.turn();
  const double passed = live.now - start;
  EXPECT_LT(live.run.state().time, 0.2 * passed);
  EXPECT_GT(live.run.state().time, 0.01 * passed);
  EXPECT_LT(live.status["rate"], 0.2);
  live.at_each_look = 0;
  const double before = live.run.state().time;
  live.watch(1);
  EXPECT_NEAR(live.run.state().time - before, 1, 0.05);  // the time of the last turn only, not the whole backlog
}

TEST(LiveRun, AFailureIsToldAndOnlyAResetEndsIt) {
  Live live(model_of("@pendulum:links=12"), {.stepper = Stepper::explicit_euler, .dt = 0.5});
  ViewerCommand fast{.kind = Kind::speed, .speed = 100};
  live.turn({fast});
  live.watch(30);
  ASSERT_TRUE(live.run.failed());
  EXPECT_EQ(live.status["running"], false);
  EXPECT_TRUE(live.status["failed"]["reason"].is_string());
  EXPECT_FALSE(live.status["failed"]["reason"].get<std::string>().empty());
  EXPECT_EQ(live.status["certificate"]["passed"], false);
  const double time = live.run.state().time;
  live.turn({{.kind = Kind::play}, {.kind = Kind::step}});
  EXPECT_EQ(live.run.state().time, time);
  EXPECT_EQ(live.status["running"], false);
  live.turn({{.kind = Kind::reset}, {.kind = Kind::play}});
  EXPECT_FALSE(live.run.failed());
  EXPECT_EQ(live.status["running"], true);
  EXPECT_TRUE(live.status["failed"].is_null());
}

// A box lies still; a viewer lifts it, another viewer's release changes nothing, its own drops it.
TEST(LiveRun, APushLiftsAndAReleaseDrops) {
  Live live(model_of("@stack:boxes=1"));
  live.watch(0.2);
  const auto height = [&] {
    const Joint& joint = live.model.joints()[0];
    return live.run.state().q[joint.q + 6];
  };
  const double low = height();
  const ViewerCommand push{.kind = Kind::push, .viewer = 7, .body = 1, .at = {0, 0, 0}, .to = {0, 0, 1}};
  live.turn({push});
  live.watch(1.5);
  EXPECT_GT(height(), low + 0.4);
  EXPECT_LT(height(), low + 0.5);  // the middle is at 0.5 m, the hand at 1 m; its weight stretches the spring
  live.turn({{.kind = Kind::release, .viewer = 8}});
  live.watch(0.5);
  EXPECT_GT(height(), low + 0.4);
  EXPECT_GT(live.run.certificate().energy.work, 0);
  live.turn({{.kind = Kind::release, .viewer = 7}});
  live.watch(1);
  EXPECT_NEAR(height(), low, 1e-3);
}

// A viewer that sends ten thousand commands a second, each in a turn of its own. The run goes on, in real
// time, unless a command says otherwise.
TEST(LiveRun, AFloodOfCommandsDoesNotStallIt) {
  const std::vector<ViewerCommand> floods[] = {{{.kind = Kind::play}},
                                               {{.kind = Kind::pause}, {.kind = Kind::play}},
                                               {{.kind = Kind::speed, .speed = 1}},
                                               {{.kind = Kind::speed, .speed = 2}, {.kind = Kind::speed, .speed = 1}},
                                               {{.kind = Kind::release}}};
  for (const std::vector<ViewerCommand>& flood : floods) {
    Live live(model_of("@pendulum:links=3"));
    for (int i = 0; i < 10000; ++i) {
      live.now += 1e-4;
      live.turn(flood);
    }
    EXPECT_NEAR(live.run.state().time, 1, 2e-3) << int(flood[0].kind);
    EXPECT_LE(live.frames, 65);  // sixty a second, not one for each command
    EXPECT_EQ(live.status["speed"], 1);
    EXPECT_LE(live.statuses, 6);  // four a second, for nothing has changed at the end of a turn
  }
}

// A reset sends the run back to its start, however many there are; between two of them that have an effect there is a
// step.
TEST(LiveRun, AFloodOfResets) {
  Live live(model_of("@pendulum:links=3"));
  double latest = 0;
  for (int i = 0; i < 10000; ++i) {
    live.now += 1e-4;
    live.turn({{.kind = Kind::reset}});
    latest = std::max(latest, live.run.state().time);
  }
  EXPECT_EQ(latest, 1e-3);
  live.watch(0.5);
  EXPECT_NEAR(live.run.state().time, 0.5, 3e-3);
  EXPECT_EQ(live.status["running"], true);
}

// Many resets and steps in one turn cost one reset. (Executed one by one they take three seconds.)
TEST(LiveRun, ManyResetsInOneTurn) {
  Live live(model_of("@balls:count=50"));
  std::vector<ViewerCommand> commands;
  for (int i = 0; i < 20000; ++i) {
    commands.push_back({.kind = Kind::step});
    commands.push_back({.kind = Kind::reset});
  }
  commands.push_back({.kind = Kind::step});
  live.turn({{.kind = Kind::step}});
  const auto start = std::chrono::steady_clock::now();
  live.turn(commands);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(live.run.state().time, 1e-3);
  EXPECT_EQ(live.status["steps"], 1);
  EXPECT_EQ(live.status["running"], false);
}

// Each reading of the clock, one per step, takes half the time of a frame.
TEST(LiveRun, SingleStepsAreLeftToLaterTurns) {
  Live live(model_of("@pendulum:links=3"));
  live.turn({{.kind = Kind::pause}});
  live.at_each_look = LiveRun::frame_time / 2;
  const LiveRun::Turn turn = live.turn(std::vector<ViewerCommand>(1000, {.kind = Kind::step}));
  EXPECT_NEAR(live.run.state().time, 2e-3, 1e-12);
  EXPECT_EQ(turn.idle, 0) << "there is more to do";
  live.turn();
  EXPECT_NEAR(live.run.state().time, 4e-3, 1e-12);
  for (int i = 0; i < 1000; ++i) live.turn();
  EXPECT_NEAR(live.run.state().time, 1e-3 * (LiveRun::most_steps_due + 2), 1e-9) << "some are dropped";
  EXPECT_EQ(LiveRun::most_steps_due, 100);
  live.turn(std::vector<ViewerCommand>(50, {.kind = Kind::step}));
  const double before = live.run.state().time;
  live.turn({{.kind = Kind::pause}});
  for (int i = 0; i < 100; ++i) live.turn();
  EXPECT_EQ(live.run.state().time, before) << "pause drops the rest";
}

// After a reset the frame is that of a start: without the contacts of the last step.
TEST(LiveRun, AResetShowsNoContacts) {
  Live live(model_of("@stack:boxes=1"));
  const LiveRun::Turn first = live.turn();
  const std::vector<std::byte> start(first.frame.begin(), first.frame.end());
  live.watch(0.2);
  const LiveRun::Turn again = live.turn({{.kind = Kind::pause}, {.kind = Kind::reset}});
  EXPECT_TRUE(std::ranges::equal(again.frame, start));
}

TEST(LiveRun, TellsHowLongItHasNothingToDo) {
  Live live(model_of("@pendulum:links=3"));
  live.turn();
  EXPECT_NEAR(live.turn().idle, LiveRun::frame_time, 1e-9);
  live.turn({{.kind = Kind::pause}});
  EXPECT_NEAR(live.turn().idle, LiveRun::status_time, 1e-9);
}

// What is told at once, before any time has passed.
TEST(LiveRun, TheFirstStatus) {
  Live live(model_of("@pendulum:links=3"));
  live.turn();
  EXPECT_EQ(LiveRun::frame_time, 1.0 / 60);  // docs/viewer_serving.md: sixty a second
  EXPECT_EQ(LiveRun::status_time, 0.25);
  EXPECT_EQ(live.status["type"], "status");
  EXPECT_EQ(live.status["running"], true);
  EXPECT_EQ(live.status["speed"], 1);
  EXPECT_EQ(live.status["rate"], 0);
  EXPECT_EQ(live.status["time"], 0);
  EXPECT_EQ(live.status["steps"], 0);
  EXPECT_TRUE(live.status["failed"].is_null());
  EXPECT_EQ(live.frames, 1);
  EXPECT_FALSE(live.run.failed());
}

// Single steps are made whatever the clock shows, also a small number.
TEST(LiveRun, ClocksThatBeginAnywhere) {
  for (const double begin : {0.0, 1.0, 2.0, 1e9}) {
    Live live(model_of("@pendulum:links=3"));
    live.now = begin;
    live.turn({{.kind = Kind::pause}});
    live.turn({{.kind = Kind::step}});
    EXPECT_NEAR(live.run.state().time, 1e-3, 1e-12) << begin;
  }
}

// A step of 0.1 s is due when 0.1 s have passed while it runs; what is owed at a pause is not made up afterwards.
TEST(LiveRun, APauseForgivesWhatIsOwed) {
  Live live(model_of("@pendulum:links=3"), {.dt = 0.1});
  live.now += 0.09;
  live.turn();
  live.turn({{.kind = Kind::pause}});
  live.now += 5;
  live.turn();
  live.turn({{.kind = Kind::play}});
  live.now += 0.05;
  live.turn();
  EXPECT_EQ(live.run.state().time, 0);
  live.now += 0.06;
  live.turn();
  EXPECT_NEAR(live.run.state().time, 0.1, 1e-12);
  live.now += 0.08;  // 0.19 s
  live.turn();
  EXPECT_NEAR(live.run.state().time, 0.1, 1e-12);
  live.now += 0.02;
  live.turn();
  EXPECT_NEAR(live.run.state().time, 0.2, 1e-12);
  live.turn({{.kind = Kind::reset}});
  live.now += 0.099;
  live.turn();
  EXPECT_EQ(live.run.state().time, 0) << "nothing is owed at a start";
}

// The answer to a command comes in the same turn, frame and status; one that changes nothing has no answer.
TEST(LiveRun, AnswersAtOnce) {
  Live live(model_of("@pendulum:links=3"));
  live.watch(0.1);
  const auto answers = [&](const ViewerCommand& command) {
    const int frames = live.frames, statuses = live.statuses;
    live.turn({command});
    return std::pair{live.frames - frames, live.statuses - statuses};
  };
  using Told = std::pair<int, int>;
  EXPECT_EQ(answers({.kind = Kind::play}), Told(0, 0));
  EXPECT_EQ(answers({.kind = Kind::speed, .speed = 1}), Told(0, 0));
  EXPECT_EQ(answers({.kind = Kind::speed, .speed = 2}), Told(0, 1));
  live.now += 1e-4;
  EXPECT_EQ(answers({.kind = Kind::pause}), Told(0, 1));
  EXPECT_EQ(live.status["rate"], 0) << "it stands still";
  EXPECT_EQ(answers({.kind = Kind::pause}), Told(0, 0));
  EXPECT_EQ(answers({.kind = Kind::step}), Told(1, 1));
  EXPECT_EQ(answers({.kind = Kind::reset}), Told(1, 1));
  EXPECT_EQ(answers({.kind = Kind::reset}), Told(0, 0));
  EXPECT_EQ(answers({.kind = Kind::play}), Told(0, 1));
  EXPECT_EQ(live.status["speed"], 2);
}

// Between frames there is nothing to do until the next frame or status is due.
TEST(LiveRun, TellsWhenTheNextIsDue) {
  Live live(model_of("@pendulum:links=3"));
  live.turn();
  live.now += 0.01;
  EXPECT_NEAR(live.turn().idle, LiveRun::frame_time - 0.01, 1e-9);
  EXPECT_NEAR(live.turn({}, false).idle, LiveRun::status_time - 0.01, 1e-9) << "nobody watches";
  live.now += 0.23;
  live.turn();
  live.now += 0.005;
  EXPECT_NEAR(live.turn().idle, 0.005, 1e-9) << "the status comes before the frame";
  live.now += 1;
  live.turn({}, false);
  EXPECT_EQ(live.turn({}, false).idle, 0) << "a viewer who comes now gets a status at once";
}

// The latest pull of a viewer replaces its earlier one, and pulls of two viewers share the force: a box of weight m g
// hangs below the hand by the stretch e of (1) and (2) in hand_pull.h with W = 1/m,
//     w^2 e / ((1 + w dt)^2 (1 + 3 s)) = g,    w = 15 rad/s, s = 0.01
// and between two hands in their middle.
TEST(LiveRun, PullsOfTwoViewers) {
  Live live(model_of("@stack:boxes=1"));
  const Joint& joint = live.model.joints()[0];
  const auto height = [&] { return joint.spec.X_PF.p.z + live.run.state().q[joint.q + 6]; };
  const double stretch = 9.81 * 1.015 * 1.015 * 1.03 / 225;
  const auto push = [](std::uint64_t viewer, double z) {
    return ViewerCommand{.kind = Kind::push, .viewer = viewer, .body = 1, .at = {0, 0, 0}, .to = {0, 0, z}};
  };
  live.turn({push(7, 2), push(7, 1)});
  live.watch(2);
  EXPECT_NEAR(height(), 1 - stretch, 1e-4);  // critically damped: e^-30 is left
  live.turn({push(8, 1.5)});
  live.watch(2);
  EXPECT_NEAR(height(), 1.25 - stretch, 1e-4);
  live.turn({{.kind = Kind::release, .viewer = 7}});
  live.watch(2);
  EXPECT_NEAR(height(), 1.5 - stretch, 1e-4);
}

// A failure is told with the body that it began at and the time.
TEST(LiveRun, AFailureIsToldOnce) {
  Live live(model_of("@pendulum:links=12"), {.stepper = Stepper::explicit_euler, .dt = 0.5});
  live.turn({{.kind = Kind::speed, .speed = 100}});
  live.watch(30);
  ASSERT_TRUE(live.run.failed());
  const Certificate& certificate = live.run.certificate();
  EXPECT_EQ(live.status["failed"]["time"], live.run.state().time);
  if (certificate.body >= 0) {
    EXPECT_EQ(live.status["failed"]["body"], live.model.bodies()[certificate.body].name);
  } else {
    EXPECT_TRUE(live.status["failed"]["body"].is_null());
  }
  EXPECT_EQ(live.status["steps"], certificate.steps);
  EXPECT_EQ(live.status["rate"], 0);
}

}  // namespace
}  // namespace linchpin
