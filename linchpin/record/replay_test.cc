#include "linchpin/record/replay.h"

#include <gtest/gtest.h>

#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

Recording opened(const std::filesystem::path& file) { return Recording::open(file).value(); }

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
