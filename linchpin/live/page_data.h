// What the viewer's page is told: a scene once, as JSON, and frames, as bytes. docs/viewer_data.md has both formats.
//
//     PageRecording recording(model, options, "@stack");
//     recording.add(take(step, state, simulation, report, monitor.certificate()));     // now and then
//     write(file, page_with_recording(viewer_page(), recording.blob(monitor.certificate())));
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/record/snapshot.h"

namespace linchpin {

// source: where the model is from, such as "@stack" or a file's name.
std::string scene_json(const Model& model, const SimulationOptions& options, std::string_view source);

// Snapshots as frames. What it returns is its own, until the next one; nothing is allocated once it has grown.
class FrameWriter {
 public:
  explicit FrameWriter(const Model& model);  // must outlive it
  std::span<const std::byte> operator()(const Snapshot& snapshot);

 private:
  const Model& model_;
  Plan<double> plan_;
  Kinematics<double> kin_;
  bool coordinates_;  // are they among the signals?
  std::vector<std::byte> bytes_;
};

// A scene and its frames in one blob, as a server hands it out and an exported page holds it.
class PageRecording {
 public:
  PageRecording(const Model& model, const SimulationOptions& options, std::string_view source);
  void add(const Snapshot& snapshot);
  long long frames() const { return count_; }
  std::size_t size() const { return frames_.size(); }  // bytes so far
  // certificate: of the whole run.
  std::string blob(const Certificate& certificate) const;

 private:
  const Model& model_;
  std::string scene_;
  FrameWriter write_;
  std::string frames_;
  long long count_ = 0;
};

// The page with the blob inside: one file that needs no server. The page says where, by <!--linchpin-recording-->.
std::string page_with_recording(std::string_view page, std::string_view blob);

// Models with more coordinates and rows than this show none of them among the signals: each frame would carry them.
inline constexpr int most_coordinate_signals = 5000;

}  // namespace linchpin
