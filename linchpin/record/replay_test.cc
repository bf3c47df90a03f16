#include "linchpin/record/replay.h"

#include <gtest/gtest.h>

#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

TEST(Replay, SameBits) {
  for (const char* name : {"@stack", "@bounce", "@four_bar", "@pendulum:links=3"}) {
    SCOPED_TRACE(name);
    const TestFile file;
    TestRun(name, {.steps = 150, .every = 7}).record(file.path);
    const Result<Replay> done = replay(opened(file.path));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(done.value().same) << done.value().what << " at " << done.value().time;
    EXPECT_EQ(done.value().frames, 23);
  }
}

// A changed bit is found, in the first frame that has it and by its name.
TEST(Replay, FindsOneBit) {
  const TestRun run("@bounce", {});
  const TestFile file;
  {
    Stepping stepping(run);
    RecordingWriter writer = stepping.writer(file.path);
    check(!writer.add(stepping.take(), 1e-3), "add");
    for (int i = 1; i < 20; ++i) {
      Snapshot snapshot = stepping.next();
      if (i >= 12) snapshot.state.v[1] = std::nextafter(snapshot.state.v[1], 1.0);
      check(!writer.add(snapshot, 1e-3), "add");
    }
    check(!writer.finish(RunEnd::done), "finish");
  }
  const Replay done = replay(opened(file.path)).value();
  EXPECT_FALSE(done.same);
  EXPECT_EQ(done.frame, 12);
  EXPECT_NEAR(done.time, 0.012, 1e-12);
  EXPECT_EQ(done.what.substr(0, 2), "v:");
  EXPECT_EQ(done.recorded, std::nextafter(done.again, 1.0));
}

// Everything that the next step starts from, and every field of a contact, is compared and named.
TEST(Replay, FindsEveryField) {
  TestRun run("@stack:boxes=1", {});
  run.settings.simulation.contact.sleep_after = 10;  // so that `still` has numbers
  const auto found = [&](void (*change)(Snapshot&)) {
    const TestFile file;
    {
      Stepping stepping(run);
      RecordingWriter writer = stepping.writer(file.path);
      check(!writer.add(stepping.take(), 1e-3), "add");
      for (int i = 1; i < 6; ++i) {
        Snapshot snapshot = stepping.next();
        check(snapshot.contacts.size() > 1 && !snapshot.state.memory.empty() && !snapshot.state.still.empty(), "lists");
        if (i == 5) change(snapshot);
        check(!writer.add(snapshot, 1e-3), "add");
      }
      check(!writer.finish(RunEnd::done), "finish");
    }
    const Replay done = replay(opened(file.path)).value();
    return done.same ? "nothing" : done.frame == 5 ? done.what : "another frame";
  };
  EXPECT_EQ(found([](Snapshot&) {}), "nothing");
  EXPECT_EQ(found([](Snapshot& s) { s.state.substep = 1; }), "substep");
  EXPECT_EQ(found([](Snapshot& s) { s.state.fresh = !s.state.fresh; }), "fresh");
  EXPECT_EQ(found([](Snapshot& s) { ++s.state.loose_steps; }), "loose_steps");
  EXPECT_EQ(found([](Snapshot& s) { s.state.memory.pop_back(); }), "number of rows in memory");
  EXPECT_EQ(found([](Snapshot& s) { ++s.state.memory[1].key[0]; }), "memory[1].key[0]");
  EXPECT_EQ(found([](Snapshot& s) { ++s.state.memory[0].key[4]; }), "memory[0].key[4]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.memory[0].force[0] += 1; }), "memory[0].force[0]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.memory[1].force[2] += 1; }), "memory[1].force[2]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.memory[0].approach[1] = 1; }), "memory[0].approach[1]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.memory[1].approach[2] += 1; }), "memory[1].approach[2]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.vdot.back() += 1; }),
            "vdot[" + std::to_string(2 * run.model.nv() - 1) + "]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.vdot.clear(); }), "number of accelerations");
  EXPECT_EQ(found([](Snapshot& s) { s.state.vdot[0] += 1; }), "vdot[0]");
  EXPECT_EQ(found([](Snapshot& s) { s.state.still.clear(); }), "number of trees at rest");
  EXPECT_EQ(found([](Snapshot& s) { s.state.still[0] += 1; }), "still[0]");
  EXPECT_EQ(found([](Snapshot& s) {
              s.contacts.push_back(s.contacts.back());
              s.contacts.back().force = {0, 0, 0};
            }),
            "number of contacts");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[1].shape_a = 1 - s.contacts[1].shape_a; }), "contact[1].shape_a");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[1].normal.y += 1; }), "contact[1].normal.y");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].point.x += 1; }), "contact[0].point.x");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].point.z += 1; }), "contact[0].point.z");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[1].shape_b = 1 - s.contacts[1].shape_b; }), "contact[1].shape_b");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].gap += 1; }), "contact[0].gap");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].point.y += 1; }), "contact[0].point.y");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].normal.x += 1; }), "contact[0].normal.x");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].normal.z += 1; }), "contact[0].normal.z");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].normal_force += 1; }), "contact[0].normal_force");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].friction += 1; }), "contact[0].friction");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].mu += 1; }), "contact[0].mu");
  EXPECT_EQ(found([](Snapshot& s) { s.contacts[0].state = ContactState::separating; }), "contact[0].state");
}

// The last of several steps between two frames is shorter, as at the end of a run.
TEST(Replay, AShorterLastStep) {
  const TestRun run("@pendulum:links=2", {});
  const TestFile file;
  {
    RecordingWriter writer = Stepping(run).writer(file.path);
    SimulationOptions options = run.settings.simulation;
    Simulation whole(run.model, options);
    options.dt = 4e-4;
    Simulation shorter(run.model, options);
    RunMonitor monitor(run.model, run.settings.limits);
    SnapshotTaker take(run.model);
    State state = make_state(run.model);
    monitor.start(state);
    check(!writer.add(take(0, state, whole, {}, monitor.certificate()), 1e-3), "add");
    StepReport report;
    for (int i = 1; i <= 5; ++i) {
      report = (i == 5 ? shorter : whole).step(state);
      monitor.add(state, report);
    }
    check(!writer.add(take(5, state, shorter, report, monitor.certificate()), 4e-4), "add");
    check(!writer.finish(RunEnd::done), "finish");
  }
  const Replay done = replay(opened(file.path)).value();
  EXPECT_TRUE(done.same) << done.what;
  EXPECT_EQ(done.frames, 2);
}

// A failed step is repeated too, and fails in the same way.
TEST(Replay, AFailedRun) {
  TestRun run("@pendulum:links=3", {.steps = 200, .every = 50, .dt = 1});
  run.settings.simulation.stepper = Stepper::explicit_euler;  // unstable at this dt
  const TestFile file;
  const std::vector<Snapshot> kept = run.record(file.path, RunEnd::failed);
  ASSERT_FALSE(kept.back().report.ok()) << "the run was meant to fail";
  const Recording recording = opened(file.path);
  EXPECT_EQ(recording.end(), RunEnd::failed);
  EXPECT_EQ(recording.certificate().status, kept.back().report.status);
  EXPECT_STREQ(recording.certificate().reason, kept.back().report.reason);
  const Result<Replay> done = replay(recording);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(done.value().same) << done.value().what;
  EXPECT_EQ(done.value().frames, recording.frames());
}

// A recording without duration: the fraction done is a number all the same.
TEST(Replay, TheFirstStepFailed) {
  const TestRun run("@pendulum", {.steps = 1});
  const TestFile file;
  {
    Stepping stepping(run);
    RecordingWriter writer = stepping.writer(file.path);
    Snapshot snapshot = stepping.take();
    check(!writer.add(snapshot, 1e-3), "add");
    snapshot.report.status = snapshot.certificate.status = StepStatus::not_finite;
    check(!writer.add(snapshot, 1e-3), "add");
    check(!writer.finish(RunEnd::failed), "finish");
  }
  const Recording recording = opened(file.path);
  ASSERT_EQ(recording.times().back(), 0);
  std::vector<double> fractions;
  const Result<Replay> done = replay(recording, [&](double fraction) {
    fractions.push_back(fraction);
    return true;
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(fractions, std::vector<double>{1});
}

// The fraction counts from the start of the recording, not from time 0.
TEST(Replay, FractionDone) {
  const TestFile file;
  TestRun("@pendulum", {.steps = 256}).record(file.path);
  std::vector<double> fractions;
  ASSERT_TRUE(replay(opened(file.path), [&](double fraction) {
    fractions.push_back(fraction);
    return fraction < 0.6;
  }));
  ASSERT_EQ(fractions.size(), 4u);  // at 0, 64, 128 and 192 of 256 steps, where it is told to end
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(fractions[i], 0.25 * double(i), 1e-9);
}

TEST(Replay, NotWithoutInputs) {
  TestRun run("@pendulum", {.steps = 3});
  run.settings.inputs.reset();
  const TestFile file;
  run.record(file.path);
  EXPECT_NE(replay(opened(file.path)).error().message.find("inputs"), std::string::npos);
}

}  // namespace
}  // namespace linchpin
