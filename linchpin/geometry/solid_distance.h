// How far a point lies outside of a closed mesh, or inside. Private to the room.
#pragma once

#include <vector>

#include "linchpin/geometry/mesh.h"

namespace linchpin {

// Keeps a reference to the mesh.
class SolidDistance {
 public:
  explicit SolidDistance(const TriangleMesh& mesh);
  struct Nearest {
    double distance;  // from the surface, negative inside
    int triangle;     // the nearest one
  };
  Nearest operator()(const Vec3<double>& q) const;
  double from_triangle(const Vec3<double>& q, int triangle) const;

 private:
  const TriangleMesh& mesh_;
  struct Ball {
    Vec3<double> centre;
    double radius;
  };
  std::vector<Ball> balls_;  // about each triangle
};

}  // namespace linchpin
