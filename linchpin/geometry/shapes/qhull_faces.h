// The faces of a convex hull, found by Qhull. Private to the room.
#pragma once

#include <span>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/spatial/vec.h"

namespace linchpin {

// The faces as cycles of point indices, counterclockwise seen from outside, in no particular order. The points must be
// finite and not coplanar. Neighbours that deviate from a common plane by less than `resolution` (m) are merged.
Result<std::vector<std::vector<int>>> qhull_faces(std::span<const Vec3<double>> points, double resolution);

}  // namespace linchpin
