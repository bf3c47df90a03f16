// The feature of a core that faces a direction: a face, an edge or line, or a point. Private to the room.
//
// Not only the nearest point is a contact point, but also other points of the face or line that it belongs to. A face
// or line counts if it is inclined by no more than 30 degrees: beyond that, the gap of a point grows by more than half
// of its distance from the nearest point.
#pragma once

#include <cstdint>

#include "linchpin/geometry/convex/direction.h"

namespace linchpin {

inline constexpr int most_corners = 32;

// Numbers of features: two bits for the kind, 14 bits for the index.
LINCHPIN_INLINE std::uint16_t vertex_feature(int v) { return std::uint16_t(v & 0x3fff); }
// Depends on the two ends only, not on the face that the edge belongs to.
LINCHPIN_INLINE std::uint16_t edge_feature(int v, int w) {
  const int low = v < w ? v : w, high = v < w ? w : v;
  return std::uint16_t(0x4000 | ((low * 127 + high) & 0x3fff));
}
LINCHPIN_INLINE std::uint16_t face_feature(int f) { return std::uint16_t(0x8000 | (f & 0x3fff)); }

struct Outline {
  int count;  // 1: a point, 2: a segment, more: a convex polygon, counterclockwise seen from outside
  Vec3<double> x[most_corners];
  int vertex[most_corners];  // numbers of the corners
  Vec3<double> normal;       // of a polygon, with its offset
  double offset;
  std::uint16_t face;  // number of the feature as a whole
};

// d: unit vector in the core's frame. pieces: the pieces that meet the other core.
void outline_towards(const Core& core, const Vec3<double>& d, const int* pieces, int count, Outline& out);

// The outline of a cap is a polygon with corners on its rim. For contact points between the rim and that polygon, this
// adds a corner in the direction of `at`, a point in the core's frame. Outlines that are no caps are not changed.
void reach_towards(const Core& core, const Vec3<double>& at, Outline& cap);
// The point for reach_towards(): of the points of the other core's outline that are farthest along n (within `near`),
// the one nearest to the line through `centre` along n.
Vec3<double> nearest_of_farthest(const Outline& other, const Vec3<double>& n, const Vec3<double>& centre, double near);

}  // namespace linchpin
