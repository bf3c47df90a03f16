// Commands of a viewer to a live run: the messages of docs/viewer_data.md, parsed and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "linchpin/spatial/vec.h"

namespace linchpin {

struct ViewerCommand {
  enum class Kind { play, pause, step, reset, speed, push, release } kind = Kind::play;
  std::uint64_t viewer = 0;  // the sender; each viewer has its own push
  double speed = 1;          // speed: simulated seconds per second
  int body = 0;              // push: the body that is pulled,
  Vec3<double> at{0, 0, 0};  //   at this point, in its own frame, m,
  Vec3<double> to{0, 0, 0};  //   to this point of the world, m
};

inline constexpr double slowest_speed = 1e-3, fastest_speed = 1e3;
inline constexpr double farthest_push = 1e6;  // m, of a coordinate; the page's floats resolve 0.06 m there

// Returns nullopt unless the text is exactly a message of the protocol: it is not if it is not JSON, has an unknown
// type, a number that is missing, not finite or beyond the limits above, a body outside 1 to bodies - 1, or unknown
// fields.
std::optional<ViewerCommand> viewer_command_from(std::string_view text, int bodies);

}  // namespace linchpin
