// Polygons into triangles, for files whose faces have more than three corners. Not installed.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linchpin/spatial/vec.h"

namespace linchpin {

inline constexpr int most_corners = 1000;  // of a polygon: cutting takes time that grows with the square

// Appends the triangles of a polygon with 3 to most_corners corners (indices of vertices), with its orientation.
//
// A quadrilateral is cut from its concave corner, or else from its first one. A polygon with more corners is projected
// along its normal (Newell's) and cut by ear clipping [Meisters 1975]. False, with nothing appended, if there is no
// ear: the polygon crosses itself. A polygon whose corners lie on one line becomes a fan of triangles without area.
bool cut_polygon(std::span<const Vec3<double>> vertices, std::span<const int> corners,
                 std::vector<std::array<int, 3>>& triangles);

}  // namespace linchpin
