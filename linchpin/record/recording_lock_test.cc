// Two writers of one recording: the second one is refused, in the same process and in another, for as long as the first
// one exists.
#include "linchpin/record/recording_lock.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "linchpin/record/hdf5_file.h"
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

// A file system may be unable to lock. That is not said to be another run, and nothing is written without a lock.
TEST(RecordingLock, FilesThatCannotBeLocked) {
  const TestFile file, copy;
  small_run().record(file.path);
  const std::string before = bytes_of(file.path), name = file.path.string();
  for (const auto& [error, why] : {std::pair{ENOLCK, "cannot be locked: " + std::string(std::strerror(ENOLCK))},
                                   {EINVAL, "cannot be locked: " + std::string(std::strerror(EINVAL))},
                                   {EAGAIN, std::string("is being written by another run")},
                                   {EACCES, std::string("is being written by another run")}}) {
    const auto expect_refusals = [&, error = error, why = why] {
      SCOPED_TRACE(error);
      EXPECT_EQ(error_of_create(file.path), name + ": " + why);
      EXPECT_EQ(error_of_append(file.path), name + ": " + why);
      EXPECT_EQ(error_of_copy(file.path, copy.path), name + ": " + why);
      EXPECT_FALSE(std::filesystem::exists(copy.path));
    };
    if (!with_failing_calls(SYS_fcntl, F_OFD_SETLK, error, expect_refusals))
      GTEST_SKIP() << "no filters of system calls (seccomp)";
  }
  EXPECT_EQ(bytes_of(file.path), before);
  EXPECT_FALSE(Recording::open(file.path).value().being_written());
}

std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Hdf5Fault& fault) {
    return fault.message;
  }
  return "";
}

// The lock goes with the object, and only the one that made the file says so.
TEST(RecordingLock, BelongsToItsObject) {
  const TestFile file;
  EXPECT_FALSE(is_locked_to_write(file.path)) << "there is no such file";
  const std::string missing = std::strerror(ENOENT);
  EXPECT_EQ(fault_of([&] { RecordingLock::to_write(file.path); }), "cannot be opened for writing: " + missing);
  EXPECT_EQ(fault_of([&] { RecordingLock::to_read(file.path); }), "cannot be opened: " + missing);
  EXPECT_EQ(fault_of([&] { RecordingLock::to_write(file.path / "below", true); }), "cannot be created: " + missing);
  EXPECT_FALSE(std::filesystem::exists(file.path));
  {
    RecordingLock first = RecordingLock::to_write(file.path, true);
    EXPECT_TRUE(first.created());
    EXPECT_TRUE(is_locked_to_write(file.path));
    RecordingLock second = std::move(first);
    EXPECT_TRUE(second.created());
    EXPECT_TRUE(is_locked_to_write(file.path));
    RecordingLock third;
    EXPECT_FALSE(third.created());
    third = std::move(second);
    EXPECT_TRUE(third.created());
    EXPECT_TRUE(is_locked_to_write(file.path));
    third = {};
    EXPECT_FALSE(is_locked_to_write(file.path));
  }
  EXPECT_FALSE(RecordingLock::to_write(file.path, true).created()) << "it was there already";
  EXPECT_FALSE(RecordingLock::to_write(file.path).created());
}

// Descriptors count from 0: a program without standard input gets that one.
TEST(RecordingLock, TheFirstDescriptor) {
  const TestFile file;
  std::ofstream(file.path) << "anything";
  const int input = fcntl(0, F_DUPFD_CLOEXEC, 3);
  close(0);
  {
    const RecordingLock lock = RecordingLock::to_write(file.path);
    EXPECT_NE(fcntl(0, F_GETFD), -1) << "it has the descriptor 0";
    EXPECT_TRUE(is_locked_to_write(file.path));
  }
  EXPECT_EQ(fcntl(0, F_GETFD), -1) << "closed again";
  EXPECT_FALSE(is_locked_to_write(file.path));
  {
    const RecordingLock created = RecordingLock::to_write(file.path.string() + "_new", true);
    EXPECT_TRUE(created.created());
  }
  std::filesystem::remove(file.path.string() + "_new");
  {
    const RecordingLock reader = RecordingLock::to_read(file.path);
    EXPECT_EQ(fault_of([&] { RecordingLock::to_write(file.path); }), "is being written by another run");
  }
  const int other = open(file.path.c_str(), O_RDWR);  // 0
  EXPECT_EQ(other, 0);
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  EXPECT_EQ(fcntl(other, F_OFD_SETLK, &wanted), 0) << "the reader's lock went with it";
  const int second = fcntl(other, F_DUPFD_CLOEXEC, 3);
  close(0);
  EXPECT_TRUE(is_locked_to_write(file.path)) << "asked by the descriptor 0";
  close(second);
  if (input >= 0) {
    dup2(input, 0);
    close(input);
  }
}

// Any number may read; a reader keeps writers away, and is not taken for one.
TEST(RecordingLock, Readers) {
  const TestFile file;
  std::ofstream(file.path) << "anything";
  {
    const RecordingLock one = RecordingLock::to_read(file.path), two = RecordingLock::to_read(file.path);
    EXPECT_FALSE(is_locked_to_write(file.path));
    EXPECT_EQ(fault_of([&] { RecordingLock::to_write(file.path); }), "is being written by another run");
  }
  const RecordingLock writer = RecordingLock::to_write(file.path);
  EXPECT_EQ(fault_of([&] { RecordingLock::to_read(file.path); }), "is being written by another run");
}

// A program that uses HDF5 without our lock holds the file by flock(). A file that may be replaced may be open in it.
TEST(RecordingLock, OpenInAnotherProgram) {
  const TestFile file;
  std::ofstream(file.path) << "anything";
  const int theirs = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(theirs, 0);
  for (const int held : {LOCK_SH, LOCK_EX}) {
    ASSERT_EQ(flock(theirs, held), 0);
    EXPECT_EQ(fault_of([&] { RecordingLock::to_write(file.path); }), "is open in another program");
    EXPECT_EQ(fault_of([&] { RecordingLock::to_write(file.path, true); }), "");
  }
  ASSERT_EQ(flock(theirs, LOCK_UN), 0);
  {
    const RecordingLock ours = RecordingLock::to_write(file.path);
    EXPECT_EQ(flock(theirs, LOCK_EX | LOCK_NB), 0) << "flock() is for the other programs";
  }
  close(theirs);
}

}  // namespace
}  // namespace linchpin
