// A convex polytope: vertices, faces, edges, and its support function.
//
// With c_i the corners of a face, counterclockwise seen from outside, and m their mean, its normal has the direction of
//     sum over i of (c_i - m) x (c_i+1 - m)                                      (1)
// which is twice the face's area vector. Corners that are slightly out of plane change it by second order only. The
// offset of a face is the largest n.v of all vertices v, so that its half-space contains the hull to the last bit.
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
    double offset;        // normal.x <= offset for all points x of the hull
    int first, count;     // its corners, counterclockwise seen from outside: corners[first], ...
  };
  struct Edge {
    int from, to;     // vertices, from < to
    int left, right;  // faces: from -> to is an edge of `left`, to -> from of `right`
  };
  std::vector<Vec3<double>> vertices;  // only those that are corners of faces, in the order in which they were given
  std::vector<Face> faces;             // no two neighbours are coplanar; a flat hull has two faces, back to back
  std::vector<int> corners;            // indices of vertices, face by face
  std::vector<Edge> edges;
  // The faces at vertex v, in rising order, are about[first_about[v]] up to (not including) about[first_about[v + 1]].
  std::vector<int> about, first_about;
  // sides[i] is the index of the edge from corners[i] to the next corner of its face. The edges at vertex v, in rising
  // order, are edges_about[first_about[v]] up to edges_about[first_about[v + 1]]; a vertex has as many edges as faces.
  std::vector<int> sides, edges_about;
  Vec3<double> centre;  // centroid of the volume, or of the area when flat
  double radius;        // of the ball about `centre` that contains all vertices
  bool flat;            // all vertices are in one plane
  // The vertices as a structure of arrays, for support(); the last one is repeated up to a multiple of 8.
  AlignedArray<double> x, y, z;
  // The planes of the faces, for nearest_face(), stored likewise.
  AlignedArray<double> normal_x, normal_y, normal_z, offset;
};

// Details smaller than this, relative to the hull's size, are dropped: neighbouring faces are merged if they deviate
// from a common plane by less. Coordinates in files are often floats, with a relative rounding error of 6e-8.
inline constexpr double hull_resolution = 1e-7;
// Extents of a set of points along a second and a third direction, relative to the first. If the third is below this
// number, the points make a flat hull; if the second is too, they lie on a line and have no hull.
inline constexpr double least_hull_thickness = 1e-6;

// The convex hull of a set of points; repeated, inner and coplanar points are allowed. Returns an error, with the index
// of the faulty point, for fewer than three points, points that are not finite, and points on a line.
Result<Hull> convex_hull(std::span<const Vec3<double>> points);

// The hull with these vertices and faces. A face lists its corners counterclockwise seen from outside; `flat` is that
// of Hull. This restores a stored hull exactly, where convex_hull() might round differently. Returns an error for
// corners that are no vertices, surfaces that are not closed and polyhedra that are not convex.
Result<Hull> hull_of_faces(std::span<const Vec3<double>> vertices, std::span<const std::vector<int>> faces, bool flat);

// The vertex that is farthest along d; of equal ones the first.
int support(const Hull& hull, const Vec3<double>& d);
// The face with the largest signed height of x above its plane; of equal ones the first.
int nearest_face(const Hull& hull, const Vec3<double>& x);

}  // namespace linchpin
