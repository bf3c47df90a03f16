#include "linchpin/record/recording.h"

#include <algorithm>
#include <limits>

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
    run.settings.limits = {.energy = 0.25, .penetration = 1e-2};
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
  {
    const QuietHdf5 quiet;
    const OpenedHdf5 read = open_hdf5_to_read(file.path.string());
    EXPECT_GT(H5Lexists(read.file, "frames/time", H5P_DEFAULT), 0);
    for (const char* name : {"frames/q", "frames/v", "frames/reactions"})
      EXPECT_EQ(H5Lexists(read.file, name, H5P_DEFAULT), 0) << name;
  }
  const Result<Recording> opened = Recording::open(file.path);
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ(opened.value().frames(), 21);
  Snapshot snapshot;
  for (long long i = 0; i < 21; ++i) {
    ASSERT_FALSE(opened.value().read(i, snapshot));
    EXPECT_EQ(bits_of(snapshot), bits_of(kept[std::size_t(i)])) << i;
  }
}

// More frames than are read in one piece (4096).
TEST(Recording, ManyFrames) {
  const TestFile file;
  const TestRun run("@pendulum", {.steps = 4200});
  {
    Stepping stepping(run);
    RecordingWriter writer = stepping.writer(file.path);
    ASSERT_FALSE(writer.add(stepping.take(), 1e-3));
    for (int i = 1; i <= 4200; ++i) {
      stepping.advance();
      ASSERT_FALSE(writer.add(stepping.take(), i * 1e-6));  // each with another size of its step
    }
    ASSERT_FALSE(writer.finish(RunEnd::done));
  }
  const Recording recording = opened(file.path);
  ASSERT_EQ(recording.frames(), 4201);
  ASSERT_EQ(recording.times().size(), 4201u);
  ASSERT_EQ(recording.step_sizes().size(), 4201u);
  for (int i = 1; i <= 4200; ++i) {
    EXPECT_NEAR(recording.times()[std::size_t(i)], i * 1e-3, 1e-10);
    EXPECT_EQ(recording.step_sizes()[std::size_t(i)], i * 1e-6);
  }
}

// Tables of one number per frame: a pendulum with one coordinate, and two links with one reaction, of a rod that holds
// them.
TEST(Recording, OneNumberPerFrame) {
  const auto expect_kept = [](const TestRun& run) {
    const TestFile file;
    const std::vector<Snapshot> kept = run.record(file.path);
    const Recording recording = opened(file.path);
    ASSERT_EQ(recording.frames(), 6);
    Snapshot snapshot;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      ASSERT_FALSE(recording.read(static_cast<long long>(i), snapshot));
      EXPECT_EQ(bits_of(snapshot), bits_of(kept[i])) << "frame " << i;
      for (const double x : snapshot.reactions) EXPECT_EQ(x != 0, i > 0);
    }
  };
  const TestRun one("@pendulum:links=1", {.steps = 5});
  ASSERT_EQ(one.model.nq(), 1);
  expect_kept(one);
  TestRun two("@pendulum:links=2", {.steps = 5});
  const Transform<double> nail{Mat3<double>::identity(), {3, 2, 1}}, at{Mat3<double>::identity(), {0.1, -0.2, -0.5}};
  const Plan<double> plan(two.model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, make_state(two.model).q, kin);
  RodSpec rod;
  rod.a = {"world", nail};
  rod.b = {two.spec.bodies.back().name, at};
  rod.length = norm(nail.p - body_pose(two.model, kin, 2) * at.p);
  two.spec.constraints.push_back({"tie", rod});
  two.model = compile(two.spec).value();
  two.settings.simulation.stepper = default_stepper(two.model);
  ASSERT_EQ(reaction_count(two.model), 1u);
  expect_kept(two);
}

// Opening a recording to continue it adds a row to `blocks`, and new settings, but does not make the file longer each
// time by itself: pages are used again.
TEST(Recording, ContinuedWithoutFrames) {
  const TestFile file;
  const TestRun run("@pendulum", {.steps = 5});
  run.record(file.path);
  for (int i = 0; i < 3; ++i) {
    RecordingWriter writer = Stepping(run).writer(file.path, true);
    ASSERT_FALSE(writer.finish(RunEnd::done));
    EXPECT_EQ(std::filesystem::file_size(file.path) % 4096, 0u) << "whole pages";
  }
  const Recording recording = opened(file.path);
  EXPECT_EQ(recording.frames(), 6);
  EXPECT_EQ(recording.end(), RunEnd::done);
}

// Rows per chunk: the most that fit into 32 KiB and a block of 256 frames, and a power of two, so that blocks fill
// whole chunks. A row that is longer has a chunk of its own.
TEST(Recording, ChunksOfTables) {
  const TestFile file;
  const QuietHdf5 quiet;
  const Hdf5Id made = create_hdf5(file.path.string());
  for (const auto& [width, rows] : {std::pair<std::size_t, hsize_t>{0, 256},
                                    {1, 256},
                                    {16, 256},
                                    {17, 128},
                                    {32, 128},
                                    {33, 64},
                                    {1000, 4},
                                    {1365, 2},
                                    {2048, 2},
                                    {2049, 1},
                                    {4096, 1},
                                    {4097, 1},
                                    {100'000, 1}}) {
    SCOPED_TRACE(width);
    const std::string name = "table_" + std::to_string(width);
    Hdf5Table table = Hdf5Table::create(made, name.c_str(), H5T_NATIVE_DOUBLE, width);
    EXPECT_EQ(table.row_bytes(), 8 * std::max<std::size_t>(width, 1));
    EXPECT_EQ(table.rows(), 0);
    const Hdf5Id set(H5Dopen2(made, name.c_str(), H5P_DEFAULT), H5Dclose, name);
    const Hdf5Id creation(H5Dget_create_plist(set), H5Pclose, name);
    hsize_t chunk[2] = {0, 0};
    ASSERT_EQ(H5Pget_chunk(creation, 2, chunk), width > 0 ? 2 : 1);
    EXPECT_EQ(chunk[0], rows);
    if (width > 0) {
      EXPECT_EQ(chunk[1], width);
    }
    EXPECT_EQ(H5Pget_nfilters(creation), 3) << "shuffled, compressed, with checksums";
    EXPECT_EQ(Hdf5Table::open(made, name.c_str(), H5T_NATIVE_DOUBLE, width).row_bytes(), table.row_bytes());
  }
}

// Rows come back in their order, whatever pieces they are written and read in.
TEST(Recording, RowsOfATable) {
  const TestFile file;
  const QuietHdf5 quiet;
  const Hdf5Id made = create_hdf5(file.path.string());
  constexpr std::size_t width = 48;  // 64 rows per chunk
  Hdf5Table table = Hdf5Table::create(made, "table", H5T_NATIVE_DOUBLE, width);
  std::vector<double> all(300 * width);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = double(i);
  long long at = 0;
  for (const long long rows : {0, 1, 63, 64, 65, 107}) {
    table.append(all.data() + std::size_t(at) * width, rows);
    at += rows;
    EXPECT_EQ(table.rows(), at);
  }
  ASSERT_EQ(at, 300);
  for (const auto& [first, rows] : {std::pair{0ll, 300ll}, {0, 1}, {63, 2}, {64, 64}, {127, 130}, {299, 1}, {300, 0}}) {
    std::vector<double> some(std::size_t(rows) * width, -1);
    table.read(first, rows, some.data());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + std::ptrdiff_t(std::size_t(first) * width)))
        << first << " " << rows;
  }
  table.truncate(100);
  EXPECT_EQ(table.rows(), 100);
  table.append(all.data(), 1);  // begins where the table was cut
  std::vector<double> last(2 * width);
  table.read(99, 2, last.data());
  EXPECT_EQ(last[0], 99 * double(width));
  EXPECT_EQ(last[width], 0);
  EXPECT_EQ(last[width + 1], 1);
  table.truncate(1000);  // longer, but nothing is stored there
  EXPECT_THROW(table.read(999, 1, last.data()), Hdf5Fault);
  EXPECT_NO_THROW(table.check_stored(0, 101));
}

// Attributes and texts of every length, also with bytes that are not ASCII.
TEST(Recording, TextsAndNumbers) {
  const TestFile file;
  const QuietHdf5 quiet;
  const Hdf5Id made = create_hdf5(file.path.string());
  int count = 0;
  for (const std::string& text : {std::string(), std::string("a"), std::string("\xc3\xa9t\xc3\xa9"),
                                  std::string(4096, 'x'), std::string("one\ntwo ")}) {
    const std::string name = "text_" + std::to_string(count++);
    EXPECT_FALSE(has_attribute(made, name.c_str()));
    write_attribute(made, name.c_str(), text);
    write_text(made, name.c_str(), text);
    EXPECT_TRUE(has_attribute(made, name.c_str()));
    EXPECT_EQ(read_text_attribute(made, name.c_str()), text);
    EXPECT_EQ(read_text(made, name.c_str()), text);
  }
  for (const long long number : {0ll, -1ll, std::numeric_limits<long long>::max()}) {
    const std::string name = "number_" + std::to_string(number);
    write_attribute(made, name.c_str(), number);
    EXPECT_EQ(read_number_attribute(made, name.c_str()), number);
  }
  const auto fault = [](const auto& work) {
    try {
      work();
    } catch (const Hdf5Fault& why) {
      return why.message;
    }
    return std::string();
  };
  EXPECT_EQ(fault([&] { read_number_attribute(made, "text_1"); }), "the attribute 'text_1' is not an integer");
  EXPECT_EQ(fault([&] { read_text_attribute(made, "number_0"); }), "the attribute 'number_0' is not a text");
  EXPECT_EQ(fault([&] { read_text_attribute(made, "none"); }), "there is no attribute 'none'");
  EXPECT_EQ(fault([&] { read_text(made, "none"); }), "there is no data set 'none'");
  write_texts(made, "two", {"a", "longer"});
  EXPECT_EQ(fault([&] { read_text(made, "two"); }), "two is not a text");
  write_texts(made, "nothing", {});
  EXPECT_EQ(fault([&] { read_text(made, "nothing"); }), "nothing is not a text");
  const Hdf5Id set(H5Dopen2(made, "two", H5P_DEFAULT), H5Dclose, "two"), type(H5Dget_type(set), H5Tclose, "two");
  ASSERT_EQ(H5Tget_size(type), 6u);
  char both[12];
  ASSERT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, both), 0);
  EXPECT_EQ(std::string(both, 12), std::string("a\0\0\0\0\0longer", 12));
}

}  // namespace
}  // namespace linchpin
