// A convex polytope: vertices, faces, edges, and its support function.
//
// With c_i the corners of a face, counterclockwise seen from outside, and m their mean, its normal is that of
//     sum over i of (c_i - m) x (c_i+1 - m)                                      (1)
// twice the face's area vector, to which a corner out of plane adds nothing of first order; its offset is the largest
// n.v of all vertices v, so that the face's half-space holds the hull to the last bit.
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
  std::vector<Vec3<double>> vertices;  // only those that are corners, in the order in which they were given
  std::vector<Face> faces;             // none has a neighbour in its own plane; two, back to back, when flat
  std::vector<int> corners;            // indices of vertices, face after face
  std::vector<Edge> edges;
  // Faces about vertex v, in rising order: about[first_about[v]] up to about[first_about[v + 1]].
  std::vector<int> about, first_about;
  // Edges once more: sides[i] is the one from corners[i] to the next corner of its face; edges about vertex v, in rising
  // order, are edges_about[first_about[v]] up to edges_about[first_about[v + 1]], as many as there are faces.
  std::vector<int> sides, edges_about;
  Vec3<double> centre;  // of the volume, or of the area when flat: well inside
  double radius;        // of the ball about `centre` that holds all vertices
  bool flat;            // all vertices in one plane
  // The vertices once more for support(), coordinates apart, the last one repeated up to a multiple of 8.
  AlignedArray<double> x, y, z;
  // And the faces' planes for nearest_face(), in the same way.
  AlignedArray<double> normal_x, normal_y, normal_z, offset;
};

// What is finer than this part of the hull's size is not kept: neighbouring faces become one where they leave a common
// plane by less, and points inside of that. Coordinates from files are floats, whose digits end at 6e-8.
inline constexpr double hull_resolution = 1e-7;
// Points whose third, or second, extent is a smaller part of the first than this make a flat hull, or none.
inline constexpr double least_hull_thickness = 1e-6;

// Of any points, as a set: repeated, inner and coplanar ones are fine. Refuses fewer than three, NaN and infinity, and
// points that lie on a line, naming the culprit by its index.
Result<Hull> convex_hull(std::span<const Vec3<double>> points);

// The hull that has these faces: vertices and the corners of each, counterclockwise seen from outside, as a Hull has
// them (`flat` too). The very same hull, where looking for faces again might round differently. Refuses corners that are
// no vertices, faces that do not close, and what is not convex.
Result<Hull> hull_of_faces(std::span<const Vec3<double>> vertices, std::span<const std::vector<int>> faces, bool flat);

// The first vertex that is farthest along d.
int support(const Hull& hull, const Vec3<double>& d);
// The first face whose plane x lies farthest above, or least below.
int nearest_face(const Hull& hull, const Vec3<double>& x);

}  // namespace linchpin
