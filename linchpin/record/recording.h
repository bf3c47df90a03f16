// A recording: a run in a file, frame by frame, with all data needed to display, continue and repeat it.
// docs/recordings.md has the layout; recording_writer.h writes recordings.
//
//     Result<Recording> opened = Recording::open("run.h5");
//     if (!opened) return fail(opened.error().message);
//     const Recording& recording = opened.value();
//     Snapshot snapshot;
//     for (long long i = 0; i < recording.frames(); ++i)
//       if (std::optional<Error> fault = recording.read(i, snapshot)) return fail(fault->message);
//
// A run that was killed, or is still running, is readable up to its last complete block. An Error names the file and
// the fault.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/model/model.h"
#include "linchpin/record/certificate_json.h"
#include "linchpin/record/run_settings.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

// unfinished: the run was killed or is still going. failed: a step failed, or the certificate does not pass. stopped:
// by the user.
enum class RunEnd { unfinished, done, failed, stopped };
inline constexpr int run_end_count = 4;
std::string_view to_string(RunEnd end);

class Recording {
 public:
  static Result<Recording> open(const std::filesystem::path& file);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::filesystem::path& file() const;
  const std::string& version() const;  // of the linchpin that wrote it
  const std::string& build() const;    // build_info.h

  const ModelSpec& spec() const;
  const Model& model() const&;  // compiled from it
  const Model& model() && = delete;
  const RunSettings& settings() const;

  RunEnd end() const;
  bool being_written() const;  // by a run that had the file open when it was opened here; its end is `unfinished`
  // Why the run has no verdict, if it did not end as `done`.
  std::optional<EarlyEnd> early_end() const;
  long long frames() const;                       // at least one: the start
  const std::vector<double>& times() const;       // of the frames, s; nondecreasing
  const std::vector<double>& step_sizes() const;  // of the steps that led there, s; shorter where a run ended
  // At the last frame; its texts live as long as the recording.
  const Certificate& certificate() const;

  // Frame 0 is the start. If a step failed, the last frame repeats the state before that step, with the failed step's
  // report. The memory of `snapshot` is reused: nothing is allocated once its lists have grown. Its texts live as long
  // as the recording.
  std::optional<Error> read(long long frame, Snapshot& snapshot) const;

 private:
  struct Parts;
  explicit Recording(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// True for a recording, complete or not. Checks only the first bytes and the name of the format.
bool is_recording(const std::filesystem::path& file);

// Keeps HDF5 from cleaning up at program exit, where after reading a damaged file it fails and prints "infinite loop
// closing library" (HDF5 1.10). For programs with no other use for HDF5; to be called before the other functions here.
void leave_hdf5_at_exit();

}  // namespace linchpin
