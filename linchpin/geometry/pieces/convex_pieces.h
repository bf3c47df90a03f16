// A mesh, or ground over a grid, as a compound of convex hulls: for what moves.
//
// How much a piece with the hull H bulges over the solid S that it stands for is the one-sided Hausdorff distance
//     c = max { distance of q from S : q on the surface of H }                   (1)
// zero where H fits. Pieces are cut by planes, the worst one first, until all c are within the tolerance: the hull of a
// surface clipped by a plane is the hull of the solid clipped by it, so nothing but triangles is ever cut. Of some
// planes that one is taken whose two hulls have the least volume together, and among much the same ones that which cuts
// more evenly: a ring loses no volume before its second cut. Planes tried: those of the faces beside concave edges,
// which take apart exactly what was put together from boxes, and planes across the piece's principal axes.
//
// The maximum (1) is found by bounds. The distance changes by no more than q does, so a triangle of H whose middle is
// at d and whose corners are r away from it holds nothing beyond d + r. And the distance from one triangle of S, a
// convex set, is largest at a corner. While neither settles it, the triangle of H is quartered.
#pragma once

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

struct ConvexPiecesOptions {
  // c of (1) that is good enough, as part of the diagonal of the bounding box: a hundredth is what one sees.
  double relative_concavity = 0.01;
  double concavity = 0;  // the same in m; takes over when positive
  int most_pieces = 64;  // stops here, wherever it stands; but no fewer than the separate parts of the mesh
};

struct ConvexPieces {
  Compound compound;  // convex hulls, in the mesh's own frame
  double concavity;   // m, c of (1), the largest of all pieces
};

// Of a closed mesh. Cavities inside are filled: nothing can touch them from outside.
Result<ConvexPieces> convex_pieces(const TriangleMesh& mesh, const ConvexPiecesOptions& options = {});

// Of ground: blocks of cells, each solid down to the floor. Here c is the height of the piece over the ground, seen at
// the corners and middles of the grid's edges and triangles. A cell that is not convex becomes its two triangles.
Result<ConvexPieces> convex_pieces(const HeightGrid& grid, const ConvexPiecesOptions& options = {});

}  // namespace linchpin
