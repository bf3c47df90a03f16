// A recording: a run in a file, frame by frame, with all that it takes to show it, to go on with it and to do it again.
// docs/recordings.md has the layout; recording_writer.h makes them.
//
//     Result<Recording> opened = Recording::open("run.h5");
//     if (!opened) return fail(opened.error().message);
//     const Recording& recording = opened.value();
//     Snapshot snapshot;
//     for (long long i = 0; i < recording.frames(); ++i)
//       if (std::optional<Error> fault = recording.read(i, snapshot)) return fail(fault->message);
//
// A run that was killed, or that still goes on, reads up to its last whole block. An Error names the file and what is
// wrong with it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/model/model.h"
#include "linchpin/record/run_settings.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

// unfinished: nobody said how it ended; it was killed, or still goes on. failed: a step could not be done, or the
// certificate does not pass. stopped: by the user.
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
  const Model& model() const;  // compiled from it
  const RunSettings& settings() const;

  RunEnd end() const;
  long long frames() const;                       // one at least: the start
  const std::vector<double>& times() const;       // of the frames, s; never falling
  const std::vector<double>& step_sizes() const;  // of the steps that led there, s; only a run's last may be short
  // How the run stood at the last frame; its texts live as long as the recording.
  const Certificate& certificate() const;

  // Frame 0 is the start. A run of which a step failed ends with the state before that step once more, and the failed
  // step's report. What there was in `snapshot` is used again, so that nothing is allocated once its lists have grown. The
  // texts in it live as long as the recording.
  std::optional<Error> read(long long frame, Snapshot& snapshot) const;

 private:
  struct Parts;
  explicit Recording(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Is this a recording, whole or not? By its first bytes and its format's name only.
bool is_recording(const std::filesystem::path& file);

// For programs that have no other use for HDF5, before all else here: HDF5 does not tidy up when the program ends. Where it
// has read a damaged file it cannot, and prints a line about itself ("infinite loop closing library", HDF5 1.10).
void leave_hdf5_at_exit();

}  // namespace linchpin
