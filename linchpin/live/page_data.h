// Data for the viewer's page: a scene once, as JSON, and frames, as bytes. docs/viewer_data.md has both formats.
//
//     PageRecording recording(model, options, "@stack");
//     recording.add(take(step, state, simulation, report, monitor.certificate()));     // now and then
//     write(file, page_with_recording(viewer_page(), recording.blob(monitor.certificate())));
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/record/certificate_json.h"
#include "linchpin/record/snapshot.h"

namespace linchpin {

// source: origin of the model, such as "@stack" or a file name.
std::string scene_json(const Model& model, const SimulationOptions& options, std::string_view source);

// Encodes snapshots as frames. The result is valid until the next call; nothing is allocated once it has grown.
class FrameWriter {
 public:
  explicit FrameWriter(const Model& model);  // must outlive it
  explicit FrameWriter(const Model&&) = delete;
  std::span<const std::byte> operator()(const Snapshot& snapshot);

 private:
  const Model& model_;
  Plan<double> plan_;
  Kinematics<double> kin_;
  bool coordinates_;  // true if coordinates are among the signals
  std::vector<std::byte> bytes_;
};

// A scene and its frames in one blob, for the server and for exported pages.
class PageRecording {
 public:
  // The model must outlive it.
  PageRecording(const Model& model, const SimulationOptions& options, std::string_view source);
  PageRecording(const Model&&, const SimulationOptions&, std::string_view) = delete;
  void add(const Snapshot& snapshot);
  long long frames() const { return count_; }
  std::size_t size() const { return frames_.size(); }  // bytes so far
  // certificate: of the whole run. early: if it did not reach its end.
  std::string blob(const Certificate& certificate, const std::optional<EarlyEnd>& early = {}) const;

 private:
  const Model& model_;
  std::string scene_;
  FrameWriter write_;
  std::string frames_;
  long long count_ = 0;
};

// The page with the blob inserted at <!--linchpin-recording-->: one file that needs no server.
std::string page_with_recording(std::string_view page, std::string_view blob);

// Models with more coordinates and constraint rows than this have none of them among the signals, to keep frames small.
inline constexpr int most_coordinate_signals = 5000;

}  // namespace linchpin
