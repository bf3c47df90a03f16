#include <Eigen/Sparse>
#include <Eigen/SparseLU>

#include "linchpin/dynamics/tree/augmented_solvers.h"

namespace linchpin {

template <class Real>
std::vector<Real> sparse_lu_solve(int size, std::span<const SparseEntry<Real>> A, const std::vector<Real>& b) {
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  std::vector<Eigen::Triplet<Real>> entries;
  for (const SparseEntry<Real>& e : A) entries.emplace_back(e.row, e.column, e.value);
  Eigen::SparseMatrix<Real> M(size, size);
  M.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<Real>> lu(M);
  const Vector rhs = Eigen::Map<const Vector>(b.data(), size);
  const Vector x = lu.solve(rhs);
  return {x.data(), x.data() + size};
}

template std::vector<double> sparse_lu_solve(int, std::span<const SparseEntry<double>>, const std::vector<double>&);
template std::vector<long double> sparse_lu_solve(int, std::span<const SparseEntry<long double>>,
                                                  const std::vector<long double>&);

}  // namespace linchpin
