// Recordings: HDF5 files with damaged bytes.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "linchpin/record/recording.h"
#include "linchpin/record/signals.h"
#include "linchpin/record/testing.h"
#include "tests/fuzz/fuzz.h"

// If a checksum is wrong, HDF5 1.10 leaks memory; we cannot repair that.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace linchpin {
namespace {

std::string recorded(const char* scene, long long steps) {
  const TestFile file;
  TestRun(scene, {.steps = steps}).record(file.path);
  std::ifstream stream(file.path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool read_file(const std::filesystem::path& file) {
  const Result<Recording> opened = Recording::open(file);
  if (!opened) {
    promise(opened.error().message.starts_with(file.string() + ": "), "an error that does not begin with the file");
    return false;
  }
  const Recording& recording = opened.value();
  Signals signals(recording.model());
  Snapshot snapshot;
  std::vector<double> values;
  bool finite = true;
  for (long long i = 0; i < recording.frames(); ++i) {
    if (recording.read(i, snapshot)) return false;
    signals.values(snapshot, values);
    for (const double x : values) finite = finite && std::isfinite(x);
  }
  if (recording.end() == RunEnd::done && recording.certificate().passed())
    promise(finite, "a recording that passed has NaN or infinity");
  return true;
}

TEST(Fuzz, Recording) {
  leave_hdf5_at_exit();
  const TestFile file;
  FuzzTarget target{.name = "recording", .seeds = {}, .words = {}, .inputs = 600};
  target.seeds = {recorded("@bounce", 20), recorded("@four_bar", 10), recorded("@pendulum:links=2", 5)};
  target.read = [&](const std::string& bytes) {
    std::ofstream(file.path, std::ios::binary) << bytes;
    return read_file(file.path);
  };
  fuzz(target);
}

}  // namespace
}  // namespace linchpin
