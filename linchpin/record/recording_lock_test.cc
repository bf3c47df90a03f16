// Two writers of one recording: the second one is refused, in the same process and in another, for as long as the first
// one exists.
#include <csignal>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "linchpin/record/recording.h"
#include "linchpin/record/testing.h"

namespace linchpin {
namespace {

const TestRun& small_run() {
  static const TestRun run("@pendulum", {.steps = 5});
  return run;
}

std::string error_of(const Result<RecordingWriter>& writer) { return writer ? "" : writer.error().message; }

std::string error_of_create(const std::filesystem::path& file) {
  const TestRun& run = small_run();
  return error_of(RecordingWriter::create(file, run.spec, run.model, run.settings));
}
std::string error_of_append(const std::filesystem::path& file) {
  return error_of(RecordingWriter::append(file, small_run().model, small_run().settings));
}
std::string error_of_copy(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::optional<Error> fault = copy_recording(from, to);
  return fault ? fault->message : "";
}

TEST(RecordingLock, OneWriterAtATime) {
  const TestFile file, copy;
  const TestRun& run = small_run();
  const std::string refused = file.path.string() + ": is being written by another run";
  Stepping stepping(run);
  {
    RecordingWriter writer = stepping.writer(file.path);
    ASSERT_FALSE(writer.add(stepping.take(), 1e-3));
    EXPECT_EQ(error_of_create(file.path), refused);
    EXPECT_EQ(error_of_append(file.path), refused);
    EXPECT_EQ(error_of_copy(file.path, copy.path), refused);
    EXPECT_FALSE(std::filesystem::exists(copy.path)) << "a refused copy leaves nothing behind";
    EXPECT_TRUE(Recording::open(file.path).value().being_written());  // but it can be read
    // The first writer was not disturbed.
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(writer.add(stepping.next(), 1e-3));
    ASSERT_FALSE(writer.finish(RunEnd::done));
    EXPECT_FALSE(Recording::open(file.path).value().being_written()) << "finish() ends the lock";
  }
  EXPECT_EQ(Recording::open(file.path).value().frames(), 6);
  EXPECT_EQ(error_of_copy(file.path, copy.path), "");
  EXPECT_EQ(error_of_append(copy.path), "");
  {
    RecordingWriter writer = Stepping(run).writer(copy.path, true);
    EXPECT_EQ(error_of_append(copy.path), copy.path.string() + ": is being written by another run");
    EXPECT_EQ(error_of_copy(file.path, copy.path), copy.path.string() + ": is being written by another run");
  }
  EXPECT_EQ(error_of_create(file.path), "");
}

// A process that is killed leaves no lock.
TEST(RecordingLock, AcrossProcesses) {
  const TestFile file;
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Stepping stepping(small_run());
    RecordingWriter writer = stepping.writer(file.path);
    const bool good = !writer.add(stepping.take(), 1e-3) && write(pipes[1], "x", 1) == 1;
    while (good) pause();
    _exit(1);
  }
  close(pipes[1]);
  char byte = 0;
  ASSERT_EQ(read(pipes[0], &byte, 1), 1);
  EXPECT_EQ(error_of_create(file.path), file.path.string() + ": is being written by another run");
  EXPECT_EQ(error_of_append(file.path), file.path.string() + ": is being written by another run");
  EXPECT_TRUE(Recording::open(file.path).value().being_written());
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(pipes[0]);
  EXPECT_FALSE(Recording::open(file.path).value().being_written());
  EXPECT_EQ(error_of_append(file.path), "");
  EXPECT_EQ(error_of_create(file.path), "");
}

// Two programs that read the same end and then continue, one after the other: the second has nothing to add there.
TEST(RecordingLock, ContinuedByAnotherMeanwhile) {
  const TestFile file;
  const TestRun& run = small_run();
  run.record(file.path);
  Stepping first(run), second(run);
  first.continue_from(file.path);
  second.continue_from(file.path);
  {
    RecordingWriter writer = first.writer(file.path, true);
    for (int i = 0; i < 3; ++i) ASSERT_FALSE(writer.add(first.next(), 1e-3));
  }
  RecordingWriter writer = second.writer(file.path, true);
  const std::optional<Error> fault = writer.add(second.next(), 1e-3);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, file.path.string() +
                                ": already has frames up to step 8, but step 6 is to be added: another run has "
                                "continued it");
}

// The name is locked by an empty file, which goes again if the recording cannot be created: here its temporary name,
// with ".new-" and a number, is longer than a file's name may be.
TEST(RecordingLock, AFailedCreationLeavesNothing) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / std::string(252, 'x');
  const std::string error = error_of_create(file);
  EXPECT_TRUE(error.starts_with(file.string() + ": cannot be created")) << error;
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace linchpin
