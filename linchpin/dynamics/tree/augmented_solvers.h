// Linear algebra of augmented.cc by Eigen. In files of their own, since these take long to compile. For this room's own
// files; Real is double or long double. Dense matrices are symmetric, n x n numbers.
#pragma once

#include <span>
#include <vector>

namespace linchpin {

template <class Real>
struct SparseEntry {
  int row, column;
  Real value;
};

// The solution of A x = b by sparse LU. A has `size` rows and columns; entries at the same place add up.
template <class Real>
std::vector<Real> sparse_lu_solve(int size, std::span<const SparseEntry<Real>> A, const std::vector<Real>& b);

// The solution of A x = b by LDL' with pivoting.
template <class Real>
std::vector<Real> ldlt_solve(const std::vector<Real>& A, const std::vector<Real>& b);

// In increasing order.
template <class Real>
std::vector<Real> eigenvalues(const std::vector<Real>& A);

}  // namespace linchpin
