// What a core turns towards a direction: a face, an edge or line, or a point. Private to the room.
//
// Beside the point that meets the other core there may be others that are about to: the rest of the face or line it
// belongs to. A face or line counts if it leans by no more than 30 degrees: beyond that, a point some way off has a gap
// of more than half that way.
#pragma once

#include <cstdint>

#include "linchpin/geometry/convex/direction.h"

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
  int count;  // 1: a point, 2: a segment, more: a convex polygon, counterclockwise seen from outside
  Vec3<double> x[most_corners];
  int vertex[most_corners];  // numbers of the corners
  Vec3<double> normal;       // of a polygon
  double offset;
  std::uint16_t face;  // what all of it is called
};

// d: unit, in the core's frame. pieces: those that meet the other core.
void outline_towards(const Core& core, const Vec3<double>& d, const int* pieces, int count, Outline& out);

// Caps are outlined by corners on their rim. For what meets them between the rim and a side of that polygon, one corner
// more in the direction of `at`, a point in the core's frame. Does nothing to outlines that are no caps.
void reach_towards(const Core& core, const Vec3<double>& at, Outline& cap);
// Where to reach for, given what the other core turns towards n: of its points farthest along n, the one nearest to the
// line through `centre` along n.
Vec3<double> nearest_of_farthest(const Outline& other, const Vec3<double>& n, const Vec3<double>& centre, double near);

}  // namespace linchpin
