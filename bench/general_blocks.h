// A BlockSystem's numbers as matrices of Eigen, where they stand. For general_*.cc alone: these are compiled with an
// Eigen under a name of its own (CMakeLists.txt).
#pragma once

#include <span>

#include <Eigen/Dense>
#include <Eigen/Sparse>

#include "bench/block_system.h"

namespace linchpin::general_detail {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Map<const VectorXd>;

inline Vector vector(std::span<const double> x) { return {x.data(), Eigen::Index(x.size())}; }
inline Eigen::Map<VectorXd> vector(std::span<double> x) { return {x.data(), Eigen::Index(x.size())}; }

inline Eigen::Map<const RowMajor> mass_of(const BlockSystem& s, int body) {
  const int n = s.size[body];
  return {&s.mass[s.mass_at[body]], n, n};
}
inline Eigen::Map<const RowMajor> block_of(const BlockSystem& s, const BlockSystem::Constraint& c,
                                           const BlockSystem::Part& part) {
  return {&s.J[part.J], c.rows, s.size[part.body]};
}

}  // namespace linchpin::general_detail
