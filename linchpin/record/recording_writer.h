// Writes a recording as its run goes.
//
//     Result<RecordingWriter> made = RecordingWriter::create("run.h5", spec, model, settings);
//     ...
//     writer.add(take(0, state, simulation, {}, monitor.certificate()), dt);   // the start, then as often as wanted
//     ...
//     writer.finish(RunEnd::done);
//
// Frames go to the file in blocks: whenever some hundred have come together, and at least once a second, or, in runs of
// more than a minute, in a sixtieth of the time that the run has taken. Whenever the program is killed, the file reads up
// to its last block (docs/recordings.md says how). What is kept in memory does not grow with the run. Not against loss of
// power: blocks are handed to the system, not forced to the disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "linchpin/base/result.h"
#include "linchpin/record/recording.h"
#include "linchpin/record/run_settings.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

// Another recording like the first, under the same rules as RecordingWriter::create().
std::optional<Error> copy_recording(const std::filesystem::path& from, const std::filesystem::path& to);

class RecordingWriter {
 public:
  // Takes the place of a recording or an empty file of that name at once, by renaming, so that there is always the old or
  // the new one; refuses to replace anything else.
  static Result<RecordingWriter> create(const std::filesystem::path& file, const ModelSpec& spec, const Model& model,
                                        const RunSettings& settings);
  // Goes on after the last whole block of a recording of this model, which nobody else has open. `settings` are the
  // recording's own from now on.
  static Result<RecordingWriter> append(const std::filesystem::path& file, const Model& model,
                                        const RunSettings& settings);
  // Without finish() the run counts as unfinished; what was added is there.
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // The first snapshot of a new recording is the start. dt: of the step that led there. After an Error (the disk is full)
  // nothing more is written.
  std::optional<Error> add(const Snapshot& snapshot, double dt);
  // Once, after the last snapshot.
  std::optional<Error> finish(RunEnd end);

 private:
  struct Parts;
  explicit RecordingWriter(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
