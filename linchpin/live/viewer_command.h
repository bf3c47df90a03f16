// What a viewer may ask of a live run: the messages of docs/viewer_data.md, parsed and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "linchpin/spatial/vec.h"

namespace linchpin {

struct ViewerCommand {
  enum class Kind { play, pause, step, reset, speed, push, release } kind = Kind::play;
  std::uint64_t viewer = 0;  // who asks; each viewer has a push of its own
  double speed = 1;          // speed: seconds of motion a second
  int body = 0;              // push: which body is pulled,
  Vec3<double> at{0, 0, 0};  //   at this point of it, in its own axes, m,
  Vec3<double> to{0, 0, 0};  //   to this point of the world, m
};

inline constexpr double slowest_speed = 1e-3, fastest_speed = 1e3;
inline constexpr double farthest_push = 1e6;  // m, of a coordinate: what a float on the page still tells apart

// Nothing where it is no message that the protocol knows, to the letter: not JSON, another type, a number that is missing,
// not finite or beyond those limits, no body that moves (1 to bodies - 1), fields that do not belong.
std::optional<ViewerCommand> viewer_command_from(std::string_view text, int bodies);

}  // namespace linchpin
