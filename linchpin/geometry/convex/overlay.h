// Two outlines laid over each other, as seen along a direction. Private to the room.
//
// Both are projected along n; where their shadows overlap, heights a and b over a common plane differ by the gap, which
// is linear where both outlines are flat. So its extremes are at the corners of the overlap: corners of one outline
// within the other, and places where their sides cross.
#pragma once

#include "linchpin/geometry/convex/features.h"

namespace linchpin {

struct OverlayPoint {
  Vec3<double> a, b;  // a - b is along n
  std::uint32_t feature;
};

// At most two outlines' corners.
inline constexpr int most_overlay_points = 2 * most_corners;

// `near`: what lies outside by less counts as inside. `beside`: the same for how far a point or line may lie beside a
// line. Returns how many points were set.
int overlay(const Vec3<double>& n, const Outline& a, const Outline& b, double near, double beside,
            OverlayPoint* points);

}  // namespace linchpin
