// Convex decomposition: a mesh, or a height field, as a compound of convex hulls, for moving bodies.
//
// The concavity of a piece of a solid S, with H the hull of the piece, is the one-sided Hausdorff distance
//     c = max { distance of q from S : q on the surface of H }                   (1)
// which is zero if the piece is convex. Pieces are cut by planes, the one with the largest c first, until all c are
// within the tolerance. The corners of a piece are those of the clipped surface, and the points within the solid where
// three cuts meet; so only triangles are cut. Each cut is along the plane whose two hulls have the smallest total
// volume. Among planes of nearly the same volume, small terms prefer even cuts and those that leave few concave edges:
// a ring, for instance, loses no volume before its second cut. The planes tried are those of the faces at concave
// edges, which separate a union of boxes exactly, and planes perpendicular to the piece's principal axes.
//
// The maximum (1) is found by branch and bound. The distance changes by no more than q does: if the centre of a
// triangle of H has the distance d from S, and its corners are at most r away from the centre, no point of it has a
// distance above d + r. Also, the distance from a single triangle of S is a convex function of q, so on a triangle of H
// it is largest at a corner. While neither bound decides, the triangle of H is divided into four.
#pragma once

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

struct ConvexPiecesOptions {
  // The tolerance of c (1), relative to the diagonal of the bounding box: a hundredth is about what is visible.
  double relative_concavity = 0.01;
  double concavity = 0;  // the same in m; replaces relative_concavity if positive
  int most_pieces = 64;  // the decomposition ends here; but each connected component is one piece at least
};

struct ConvexPieces {
  Compound compound;  // convex hulls, in the mesh's own frame
  double concavity;   // m, the largest c (1) of all pieces
};

// Decomposes a closed mesh. Inner cavities are filled: nothing can touch them from outside.
Result<ConvexPieces> convex_pieces(const TriangleMesh& mesh, const ConvexPiecesOptions& options = {});

// Decomposes a height field into blocks of cells, each solid down to the floor. Here c is the height of the piece over
// the terrain, sampled at the corners, edge midpoints and centres of the grid's triangles. A cell that is not convex is
// divided into its two triangles.
Result<ConvexPieces> convex_pieces(const HeightGrid& grid, const ConvexPiecesOptions& options = {});

}  // namespace linchpin
