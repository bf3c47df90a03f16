// The signed distance of a point from a closed mesh. Private to the room.
#pragma once

#include "linchpin/geometry/shapes/mesh.h"

namespace linchpin {

struct SolidDistance {
  double distance;  // from the surface, negative inside
  int triangle;     // the nearest triangle
};
SolidDistance distance_from_solid(const TriangleMesh& mesh, const Vec3<double>& q);

double distance_from_triangle(const TriangleMesh& mesh, int triangle, const Vec3<double>& q);

}  // namespace linchpin
