// What a core turns towards a direction: a face, an edge or line, or a point. Private to the room.
//
// Beside the point that meets the other core there may be others that are about to: the rest of the face or line it
// belongs to. A face or line counts if it leans by no more than 30 degrees: beyond that, a point some way off has a gap
// of more than half that way.
#pragma once

#include <cstdint>

#include "linchpin/geometry/direction.h"

namespace linchpin {

inline constexpr int most_corners = 32;

// Numbers of features, 14 bits of each kind.
LINCHPIN_INLINE std::uint16_t vertex_feature(int v) { return std::uint16_t(v & 0x3fff); }
LINCHPIN_INLINE std::uint16_t edge_feature(int v, int w) {  // of the two ends, whatever face the edge is seen from
  const int low = v < w ? v : w, high = v < w ? w : v;
  return std::uint16_t(0x4000 | ((low * 127 + high) & 0x3fff));
}
LINCHPIN_INLINE std::uint16_t face_feature(int f) { return std::uint16_t(0x8000 | (f & 0x3fff)); }

struct Outline {
  int count;                  // 1: a point, 2: a segment, more: a convex polygon, counterclockwise seen from outside
  Vec3<double> x[most_corners];
  int vertex[most_corners];   // numbers of the corners
  Vec3<double> normal;        // of a polygon
  double offset;
  std::uint16_t face;         // what all of it is called
};

// d: unit, in the core's frame. pieces: those that meet the other core. at: about where, for caps.
void outline_towards(const Core& core, const Vec3<double>& d, const int* pieces, int count, const Vec3<double>& at,
                     Outline& out);

}  // namespace linchpin
