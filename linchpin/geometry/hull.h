// A convex polytope: vertices, faces, edges, and its support function.
#pragma once

#include <span>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/base/result.h"
#include "linchpin/spatial/vec.h"

namespace linchpin {

struct Hull {
  struct Face {
    Vec3<double> normal;  // unit, outward
    double offset;        // normal.x <= offset for all of the hull
    int first, count;     // its corners, counterclockwise seen from outside: corners[first], ...
  };
  struct Edge {
    int from, to;     // vertices, from < to
    int left, right;  // faces: from -> to is an edge of `left`, to -> from of `right`
  };
  std::vector<Vec3<double>> vertices;  // only those that are corners
  std::vector<Face> faces;             // none has a neighbour in its own plane; two, back to back, when flat
  std::vector<int> corners;            // indices of vertices, face after face
  std::vector<Edge> edges;
  Vec3<double> centre;    // the middle of the bounding box: inside
  double radius;          // of the ball about `centre` that holds all vertices
  bool flat;              // all vertices in one plane
  // The vertices once more for support(), coordinates apart, the last one repeated up to a multiple of 8.
  AlignedArray<double> x, y, z;
};

// Of any points, as a set: repeated, inner and coplanar ones are fine. Refuses none at all, NaN and infinity, and points
// that lie on a line, naming the culprit by its index.
Result<Hull> convex_hull(std::span<const Vec3<double>> points);

// The first vertex that is farthest along d.
int support(const Hull& hull, const Vec3<double>& d);

}  // namespace linchpin
