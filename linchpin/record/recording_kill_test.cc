// A recording after kill -9 at any time: readable up to its last block, and resumed with the bits of a run that was not
// killed.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "linchpin/record/record_testing.h"
#include "linchpin/record/recording.h"

namespace linchpin {
namespace {

void record_without_end(const TestRun& run, const std::filesystem::path& file, bool resume, int ready) {
  Stepping stepping(run);
  if (resume) stepping.continue_from(file);
  RecordingWriter writer = stepping.writer(file, resume);
  if (!resume) check(!writer.add(stepping.take(), run.settings.simulation.dt), "the start");
  check(write(ready, "x", 1) == 1, "pipe");
  for (;;) {
    const std::optional<Error> fault = writer.add(stepping.next(), run.settings.simulation.dt);
    check(!fault, fault ? fault->message : "");
  }
}

// A child process that records without end, as fast as it can, so that it spends most of its time writing. Returns when
// the file is there.
pid_t record_in_child(const TestRun& run, const std::filesystem::path& file, bool resume) {
  int ready[2];
  check(pipe(ready) == 0, "pipe");
  const pid_t child = fork();
  check(child >= 0, "fork");
  if (child == 0) {
    close(ready[0]);
    try {
      record_without_end(run, file, resume, ready[1]);
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "the child: %s\n", fault.what());
    }
    _exit(1);
  }
  close(ready[1]);
  char byte = 0;
  check(read(ready[0], &byte, 1) == 1, "the child did not begin");
  close(ready[0]);
  return child;
}

void kill_after(pid_t child, std::chrono::microseconds time) {
  std::this_thread::sleep_for(time);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
}

// Frame i of the file is the state after i steps of a run that nobody killed.
void expect_true_frames(const std::filesystem::path& file, const TestRun& run, Stepping& truth,
                        std::vector<Snapshot>& kept) {
  const Result<Recording> opened = Recording::open(file);
  ASSERT_TRUE(opened) << opened.error().message;
  const Recording& recording = opened.value();
  EXPECT_EQ(recording.end(), RunEnd::unfinished);
  while (static_cast<long long>(kept.size()) < recording.frames())
    kept.push_back(kept.empty() ? truth.take() : truth.next());
  Snapshot snapshot;
  // The last ones all, where a kill might show; of the others some.
  for (long long i = 0; i < recording.frames(); i += i + 600 < recording.frames() ? 37 : 1) {
    const std::optional<Error> fault = recording.read(i, snapshot);
    ASSERT_FALSE(fault) << fault->message;
    ASSERT_EQ(bits_of(snapshot), bits_of(kept[std::size_t(i)])) << "frame " << i << " of " << run.settings.source;
  }
}

TEST(RecordingKill, ReadsUpToTheLastBlock) {
  std::mt19937 random(7);
  for (const char* name : {"@pendulum:links=2", "@bounce", "@four_bar"}) {
    const TestRun run(name, {});
    Stepping truth(run);
    std::vector<Snapshot> kept;
    long long frames = 0;
    for (int round = 0; round < 12; ++round) {
      const TestFile file;
      const pid_t child = record_in_child(run, file.path, false);
      kill_after(child, std::chrono::microseconds(std::uniform_int_distribution<int>(0, 60000)(random)));
      expect_true_frames(file.path, run, truth, kept);
      frames += Recording::open(file.path).value().frames();
    }
    EXPECT_GT(frames, 300) << "the children were killed before they had done anything; the test shows nothing";
  }
}

// Killed, resumed, killed again, resumed again: one run in the end.
TEST(RecordingKill, ResumesAgainAndAgain) {
  std::mt19937 random(8);
  for (const char* name : {"@pendulum:links=2", "@bounce"}) {
    const TestRun run(name, {});
    const TestFile file;
    Stepping truth(run);
    std::vector<Snapshot> kept;
    long long before = 0;
    for (int round = 0; round < 8; ++round) {
      const pid_t child = record_in_child(run, file.path, round > 0);
      kill_after(child, std::chrono::microseconds(std::uniform_int_distribution<int>(0, 60000)(random)));
      expect_true_frames(file.path, run, truth, kept);
      const long long frames = Recording::open(file.path).value().frames();
      EXPECT_GE(frames, before);
      before = frames;
    }
    EXPECT_GT(before, 300);
  }
}

}  // namespace
}  // namespace linchpin
