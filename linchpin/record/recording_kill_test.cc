// A recording after kill -9 at any time: readable up to its last block, and resumed bit-equal to a run that was not
// killed.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "linchpin/record/recording.h"
#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

constexpr int frames_told = 50;

// Writes a byte at the start and after each fifty frames.
void record_without_end(const TestRun& run, const std::filesystem::path& file, bool resume, int told) {
  Stepping stepping(run);
  if (resume) stepping.continue_from(file);
  RecordingWriter writer = stepping.writer(file, resume);
  if (!resume) check(!writer.add(stepping.take(), run.settings.simulation.dt), "the start");
  for (long long frame = 0;; ++frame) {
    if (frame % frames_told == 0) check(write(told, "x", 1) == 1, "pipe");
    const std::optional<Error> fault = writer.add(stepping.next(), run.settings.simulation.dt);
    check(!fault, fault ? fault->message : "");
  }
}

// A child process that records without end, as fast as it can, so that it spends most of its time writing. It is killed
// after a random number of frames, by its own count (0 to 1450), and a delay of up to 5 ms: a slow machine kills it no
// earlier than a fast one.
void record_and_kill(const TestRun& run, const std::filesystem::path& file, bool resume, std::mt19937& random) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(pipes[0]);
    try {
      record_without_end(run, file, resume, pipes[1]);
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "the child: %s\n", fault.what());
    }
    _exit(1);
  }
  close(pipes[1]);
  const int bytes = std::uniform_int_distribution<int>(1, 30)(random);
  char byte = 0;
  for (int i = 0; i < bytes; ++i) ASSERT_EQ(read(pipes[0], &byte, 1), 1) << "the child ended by itself";
  std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<int>(0, 5000)(random)));
  kill(child, SIGKILL);
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
}

// Frame i of the file is the state after i steps of an uninterrupted run.
void expect_true_frames(const std::filesystem::path& file, const TestRun& run, Stepping& truth,
                        std::vector<Snapshot>& kept) {
  const Result<Recording> opened = Recording::open(file);
  ASSERT_TRUE(opened) << opened.error().message;
  const Recording& recording = opened.value();
  EXPECT_EQ(recording.end(), RunEnd::unfinished);
  while (static_cast<long long>(kept.size()) < recording.frames())
    kept.push_back(kept.empty() ? truth.take() : truth.next());
  Snapshot snapshot;
  // All of the last frames, where a kill might show, and some of the others.
  for (long long i = 0; i < recording.frames(); i += i + 600 < recording.frames() ? 37 : 1) {
    const std::optional<Error> fault = recording.read(i, snapshot);
    ASSERT_FALSE(fault) << fault->message;
    ASSERT_EQ(bits_of(snapshot), bits_of(kept[i])) << "frame " << i << " of " << run.settings.source;
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
      ASSERT_NO_FATAL_FAILURE(record_and_kill(run, file.path, false, random));
      expect_true_frames(file.path, run, truth, kept);
      frames += Recording::open(file.path).value().frames();
    }
    EXPECT_GT(frames, 300) << "the children were killed before they had done anything; the test shows nothing";
  }
}

// An interrupted write leaves whole pages of the system. So the headers that HDF5 rewrites with each block, of the data
// sets' indices (72 bytes, "EAHD") and of the sets, must each lie in one page: the kills above would rarely hit one
// that does not.
TEST(RecordingKill, HeadsLieInOnePage) {
  const TestRun run("@four_bar", {});
  const TestFile file;
  Stepping stepping(run);
  {
    RecordingWriter writer = stepping.writer(file.path, false);
    ASSERT_FALSE(writer.add(stepping.take(), run.settings.simulation.dt));
    for (int frame = 0; frame < 100; ++frame) ASSERT_FALSE(writer.add(stepping.next(), run.settings.simulation.dt));
  }
  std::ifstream in(file.path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  int heads = 0;
  for (const std::string_view head : {"EAHD", "OHDR"})
    for (std::size_t at = bytes.find(head); at != std::string::npos; at = bytes.find(head, at + 1), ++heads)
      EXPECT_LE(at % 4096 + 72, 4096u) << head << " at " << at;
  EXPECT_GT(heads, 10);
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
      ASSERT_NO_FATAL_FAILURE(record_and_kill(run, file.path, round > 0, random));
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
