// The intersection of two outlines projected along a direction. Private to geometry/.
//
// Both outlines are projected along n. Where the projections overlap, the gap is the difference of the heights of a and
// b along n, which is linear since both outlines are flat. So its extremes are at the corners of the overlap: corners
// of one outline within the other, and crossings of their sides.
#pragma once

#include "linchpin/geometry/convex/features.h"

namespace linchpin {

struct OverlayPoint {
  Vec3<double> a, b;  // a - b is along n
  std::uint32_t feature;
};

// Two convex polygons intersect in no more corners than both have together.
inline constexpr int most_overlay_points = 2 * most_corners;

// `near`: the distance up to which a point outside counts as inside. `beside`: the same for the distance of a point or
// line from a line. Returns the number of points.
int overlay(const Vec3<double>& n, const Outline& a, const Outline& b, double near, double beside,
            OverlayPoint* points);

}  // namespace linchpin
