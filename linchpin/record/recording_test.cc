#include "linchpin/record/recording.h"

#include <bit>

#include <gtest/gtest.h>

#include "linchpin/record/recording_layout.h"
#include "linchpin/record/recording_writer.h"
#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

// Every bit of every frame is read back, for models with contacts, loops, sleep and many substeps.
TEST(Recording, EveryBit) {
  for (const char* name : {"@stack", "@swing", "@four_bar", "@pendulum:links=3", "@humanoid"}) {
    SCOPED_TRACE(name);
    const TestFile file;
    TestRun run(name, {.steps = 300, .every = 3});
    run.settings.limits = {0.25, 1e-2};
    const std::vector<Snapshot> kept = run.record(file.path);
    const Recording recording = opened(file.path);
    ASSERT_EQ(recording.frames(), static_cast<long long>(kept.size()));
    EXPECT_EQ(recording.end(), RunEnd::done);
    EXPECT_EQ(recording.settings().source, name);
    Snapshot snapshot;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::optional<Error> fault = recording.read(static_cast<long long>(i), snapshot);
      ASSERT_FALSE(fault) << fault->message;
      EXPECT_EQ(bits_of(snapshot), bits_of(kept[i])) << "frame " << i;
      EXPECT_EQ(recording.step_sizes()[i], run.settings.simulation.dt);
      EXPECT_EQ(recording.times()[i], kept[i].state.time);
    }
  }
}

// Sleeping trees and the memory of contacts are part of the state.
TEST(Recording, SleepAndMemory) {
  const TestFile file;
  TestRun run("@stack", {.steps = 600, .every = 20});
  run.settings.simulation.contact.sleep_after = 0.1;
  const std::vector<Snapshot> kept = run.record(file.path);
  EXPECT_GT(kept.back().report.asleep, 0) << "nothing fell asleep; the test shows nothing";
  const Recording recording = opened(file.path);
  Snapshot snapshot;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_FALSE(recording.read(static_cast<long long>(i), snapshot));
    EXPECT_EQ(bits_of(snapshot), bits_of(kept[i])) << "frame " << i;
  }
}

// A run in two halves, the second from the file alone, is bit-equal to an uninterrupted one, with its certificate.
TEST(Recording, ResumesBitForBit) {
  for (const char* name : {"@stack", "@swing", "@four_bar", "@pendulum:links=4"}) {
    SCOPED_TRACE(name);
    const TestFile file;
    const TestRun whole(name, {.steps = 240, .every = 6}), half(name, {.steps = 120, .every = 6});
    Stepping truth(whole);
    half.record(file.path);
    {
      Stepping second(half);
      second.continue_from(file.path);
      RecordingWriter writer = second.writer(file.path, true);
      while (second.step() < whole.steps) {
        second.advance();
        if (second.step() % 6 != 0) continue;
        ASSERT_FALSE(writer.add(second.take(), 1e-3));
      }
      ASSERT_FALSE(writer.finish(RunEnd::done));
    }
    const Recording recording = opened(file.path);
    ASSERT_EQ(recording.frames(), 41);
    Snapshot snapshot;
    for (long long i = 0; i < recording.frames(); ++i) {
      while (truth.step() < 6 * i) truth.advance();
      ASSERT_FALSE(recording.read(i, snapshot));
      EXPECT_EQ(bits_of(snapshot), bits_of(truth.take())) << "frame " << i;
    }
  }
}

// Only a run that reached its end has a verdict. One that is continued has none until it ends again.
TEST(Recording, EarlyEnds) {
  const TestFile file;
  const TestRun run("@pendulum", {.steps = 5});
  const auto status = [&] {
    const Recording recording = opened(file.path);
    const std::optional<EarlyEnd> early = recording.early_end();
    const std::string json = certificate_json(recording.model(), recording.certificate(), early);
    EXPECT_EQ(json.starts_with("{\"passed\":true,\"verdict\":\"passed\",\"status\":\"done\",\"reason\":\"\","), !early)
        << json;
    if (early) {
      const std::string word(early->status);
      EXPECT_TRUE(json.starts_with("{\"passed\":false,\"verdict\":\"" + word + "\",\"status\":\"" + word +
                                   "\",\"reason\":\"" + early->reason + "\","))
          << json;
    }
    return early ? std::string(early->status) + ": " + early->reason : "";
  };
  run.record(file.path, RunEnd::done);
  EXPECT_EQ(status(), "");
  run.record(file.path, RunEnd::stopped);
  EXPECT_EQ(status(), "interrupted: stopped by the user at t = 0.005 s");
  run.record(file.path, RunEnd::failed);
  EXPECT_EQ(status(), "failed: recorded as failed at 0.005 s");
  run.record(file.path, RunEnd::unfinished);
  EXPECT_EQ(status(), "unfinished: ended without a verdict (killed, or an error), at 0.005 s of 0.005 s");
  run.record(file.path, RunEnd::done);
  {
    const RecordingWriter writer = Stepping(run).writer(file.path, true);
    EXPECT_EQ(status(), "unfinished: still running, at 0.005 s of 0.005 s");
  }
  EXPECT_EQ(status(), "unfinished: ended without a verdict (killed, or an error), at 0.005 s of 0.005 s");
}

// A certificate that has failed says why, also if the run was stopped.
TEST(Recording, AFailureGoesBeforeAnEarlyEnd) {
  const Model model = compile(scene("@pendulum").value()).value();
  Certificate certificate;
  certificate.penetration = 1;
  const std::string json = certificate_json(model, certificate, EarlyEnd{"interrupted", "stopped"});
  EXPECT_TRUE(
      json.starts_with("{\"passed\":false,\"verdict\":\"failed\",\"status\":\"done\",\"reason\":\"shapes penetrate"))
      << json;
}

// Problems cannot be solved to 1e-17: each of them is loose. The count goes on in a resumed run, and each frame has
// the verdict up to there.
TEST(Recording, Verdicts) {
  SimulationOptions options;
  options.contact.tolerance = 1e-17;
  const TestRun run("@stack:boxes=2", {.steps = 10, .options = options});
  const TestFile file;
  const std::vector<Snapshot> kept = run.record(file.path);
  {
    Stepping second(run);
    second.continue_from(file.path);
    RecordingWriter writer = second.writer(file.path, true);
    ASSERT_FALSE(writer.add(second.next(5), 1e-3));
    ASSERT_FALSE(writer.finish(RunEnd::done));
  }
  const Recording recording = opened(file.path);
  ASSERT_EQ(recording.frames(), 12);
  EXPECT_EQ(recording.certificate().problems, 15);
  EXPECT_EQ(recording.certificate().loose, 15);
  EXPECT_EQ(recording.certificate().verdict(), Verdict::passed_loosely);
  Snapshot snapshot;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_FALSE(recording.read(static_cast<long long>(i), snapshot));
    EXPECT_EQ(bits_of(snapshot), bits_of(kept[i])) << "frame " << i;
    EXPECT_EQ(snapshot.certificate.verdict(), i == 0 ? Verdict::passed : Verdict::passed_loosely);
  }
  const QuietHdf5 quiet;
  const OpenedHdf5 read = open_hdf5_to_read(file.path.string());
  const RecordingTables tables = RecordingTables::open(read.file, run.model);
  for (long long i = 0; i < 12; ++i) {
    CertificateRow row;
    tables.certificate.read(i, 1, &row);
    EXPECT_EQ(row.verdict, i == 0 ? Verdict::passed : Verdict::passed_loosely);
  }
}

// A writer that was killed may leave rows after its last block. They are removed before the next ones are added.
TEST(Recording, RowsAfterTheLastBlock) {
  const TestFile file;
  TestRun run("@stack:boxes=1", {.steps = 10});
  run.settings.simulation.contact.sleep_after = 10;  // so that `still` has rows
  run.record(file.path);
  {
    const QuietHdf5 quiet;
    const Hdf5Id opened = open_hdf5_to_append(file.path.string());
    RecordingTables tables = RecordingTables::open(opened, run.model);
    std::vector<Hdf5Table*> all = tables.frame_tables();
    for (Hdf5Table* table : {&tables.contacts, &tables.memory, &tables.vdot, &tables.still}) all.push_back(table);
    for (Hdf5Table* table : all) {
      ASSERT_GT(table->rows(), 0) << table->name();
      std::vector<char> row(4096);
      table->read(0, 1, row.data());
      table->append(row.data(), 1);
    }
  }
  Stepping second(run), truth(run);
  second.continue_from(file.path);
  {
    RecordingWriter writer = second.writer(file.path, true);
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(writer.add(second.next(), 1e-3));
    ASSERT_FALSE(writer.finish(RunEnd::done));
  }
  const Recording recording = opened(file.path);
  ASSERT_EQ(recording.frames(), 16);
  Snapshot snapshot;
  for (long long i = 0; i < recording.frames(); ++i) {
    const std::optional<Error> fault = recording.read(i, snapshot);
    ASSERT_FALSE(fault) << fault->message;
    EXPECT_EQ(bits_of(snapshot), bits_of(i == 0 ? truth.take() : truth.next())) << "frame " << i;
  }
}

// Blocks of large models are written before they have 256 frames, so that memory is bounded.
TEST(Recording, LargeFramesMakeShortBlocks) {
  const TestFile file;
  const TestRun run("@chain:links=1500", {});
  {
    Stepping stepping(run);
    RecordingWriter writer = stepping.writer(file.path);
    const Snapshot snapshot = stepping.take();
    for (int i = 0; i < 250; ++i) ASSERT_FALSE(writer.add(snapshot, 1e-3));  // 24 kB each
    ASSERT_FALSE(writer.finish(RunEnd::done));
  }
  const QuietHdf5 quiet;
  const OpenedHdf5 opened = open_hdf5_to_read(file.path.string());
  EXPECT_GE(RecordingTables::open(opened.file, run.model).blocks.rows(), 3);  // the start, 4 MB, the rest
}

TEST(Recording, HowItEnded) {
  const TestFile file;
  const TestRun run("@pendulum", {.steps = 5});
  for (const RunEnd end : {RunEnd::done, RunEnd::stopped, RunEnd::failed, RunEnd::unfinished}) {
    run.record(file.path, end);
    EXPECT_EQ(opened(file.path).end(), end);
    EXPECT_EQ(opened(file.path).frames(), 6);
  }
}

// A model in which nothing can move has no coordinates, and its frames have neither positions nor velocities.
TEST(Recording, NoCoordinates) {
  TestRun run("@bounce", {.steps = 20});
  run.spec = {};
  run.spec.bodies = {{.name = "rock", .inertia = {.mass = 1}, .geometry = {}}};
  run.spec.joints = {{.name = "ground", .type = JointType::weld, .child = "rock"}};
  run.model = compile(run.spec).value();
  ASSERT_EQ(run.model.nq(), 0);
  run.settings.simulation.stepper = Stepper::rk4;
  const TestFile file;
  const std::vector<Snapshot> kept = run.record(file.path);
  const Result<Recording> opened = Recording::open(file.path);
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ(opened.value().frames(), 21);
  Snapshot snapshot;
  for (long long i = 0; i < 21; ++i) {
    ASSERT_FALSE(opened.value().read(i, snapshot));
    EXPECT_EQ(bits_of(snapshot), bits_of(kept[std::size_t(i)])) << i;
  }
}

}  // namespace
}  // namespace linchpin
