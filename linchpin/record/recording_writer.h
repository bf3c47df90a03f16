// Writes a recording while its run goes on.
//
//     Result<RecordingWriter> made = RecordingWriter::create("run.h5", spec, model, settings);
//     ...
//     writer.add(take(0, state, simulation, {}, monitor.certificate()), dt);   // the start, then as often as wanted
//     ...
//     writer.finish(RunEnd::done);
//
// Frames are written in blocks: after 256 frames or 4 MB, and at least once a second, or, in runs of more than a
// minute, once in a sixtieth of the time of the run so far. If the program is killed, the file is readable up to its
// last block (docs/recordings.md says how). Memory does not grow with the run. Blocks are handed to the operating
// system, not forced to the disk: the file is not safe against loss of power.
//
// While a writer exists, its file is locked: a second one for the same file is refused, in this process and in others.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "linchpin/base/result.h"
#include "linchpin/record/recording.h"
#include "linchpin/record/run_settings.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

// Copies a recording, under the same rules as RecordingWriter::create(). Refuses one that is being written.
std::optional<Error> copy_recording(const std::filesystem::path& from, const std::filesystem::path& to);

class RecordingWriter {
 public:
  // Replaces a recording or an empty file of that name atomically, by renaming. Refuses to replace any other file.
  static Result<RecordingWriter> create(const std::filesystem::path& file, const ModelSpec& spec, const Model& model,
                                        const RunSettings& settings);
  // Continues after the last complete block of a recording of this model. `settings` replace those of the
  // recording.
  static Result<RecordingWriter> append(const std::filesystem::path& file, const Model& model,
                                        const RunSettings& settings);
  // Without finish() the run counts as unfinished; the added frames are written.
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // The first snapshot of a new recording is the start. dt: of the step that led to it. After an Error (disk full)
  // nothing more is written.
  std::optional<Error> add(const Snapshot& snapshot, double dt);
  // To be called once, after the last snapshot.
  std::optional<Error> finish(RunEnd end);

 private:
  struct Parts;
  explicit RecordingWriter(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
