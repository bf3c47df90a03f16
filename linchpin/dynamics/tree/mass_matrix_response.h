// Responses of frames to forces on frames by the factors of the mass matrix: W = J M^-1 J' as a dense product.
//
// With M = L' D L (mass_matrix.h) and the Jacobian J_i of frame i, whose columns are zero but for the coordinates on
// the frame's path to the base,
//     Y_i = D^-1/2 L'^-1 J_i',   W_ij = Y_i' Y_j                                                                (1)
// L'^-1 keeps the zeros, so Y_i has the coordinates of the path only, and W_ij sums over those that both paths share.
// O(depth^2) per frame and O(depth) per pair.
#pragma once

#include <span>

#include "linchpin/base/aligned.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/spatial/pack.h"

namespace linchpin {

// The six components of a frame's motion per unit velocity of one coordinate; lanes 6 and 7 are zero.
using PathColumn = Double8;

// path: one column for each coordinate on the path that ends with the coordinate `tip`, the base first. Replaces J' by
// Y of (1).
void half_solve(const MassMatrixLayout& layout, const MassMatrix<double>& factors, int tip, std::span<PathColumn> path);

// Writes W_ij of (1) into a matrix with `width` numbers a row: a and b are the columns of Y that both paths share.
void path_product(std::span<const PathColumn> a, std::span<const PathColumn> b, double* W, std::size_t width);

}  // namespace linchpin
