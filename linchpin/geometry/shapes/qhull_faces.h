// The faces of a convex hull by qhull. Private to the room.
#pragma once

#include <span>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/spatial/vec.h"

namespace linchpin {

// Of points that are finite and not flat, the faces as cycles of point indices, counterclockwise seen from outside, in
// no particular order. Neighbours that leave a common plane by less than `resolution` (m) are one face.
Result<std::vector<std::vector<int>>> qhull_faces(std::span<const Vec3<double>> points, double resolution);

}  // namespace linchpin
