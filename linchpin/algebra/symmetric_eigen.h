// Eigenvalues and eigenvectors of small symmetric matrices. Not installed.
#pragma once

#include <span>

namespace linchpin {

// By Jacobi rotations in a fixed order, for an n x n matrix stored row by row. On return A is diagonal; column k of V
// (stored row by row) is the eigenvector of A's k-th diagonal entry.
void jacobi_eigenvectors(int n, std::span<double> A, std::span<double> V);

}  // namespace linchpin
