#include "linchpin/algebra/dense_testing.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "linchpin/base/compare_testing.h"

namespace linchpin {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Transposed = Eigen::Transpose<const MatrixXd>;

// By name: A * B would be the operator that is being defined.
MatrixXd operator*(const MatrixXd& A, const MatrixXd& B) { return A.operator*(B); }
VectorXd operator*(const MatrixXd& A, const VectorXd& x) { return A.operator*(x); }
MatrixXd operator*(const Transposed& At, const MatrixXd& B) { return At.operator*(B); }
VectorXd operator*(const Transposed& At, const VectorXd& x) { return At.operator*(x); }
MatrixXd operator*(const MatrixXd& A, const Transposed& Bt) { return A.operator*(Bt); }

VectorXd vector_of(std::span<const double> numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), Eigen::Index(numbers.size()));
}
MatrixXd matrix_of(std::span<const double> numbers, Eigen::Index rows, Eigen::Index columns) {
  MatrixXd A(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) A(i, j) = numbers[i * columns + j];
  return A;
}

MatrixXd scaled(const VectorXd& left, const MatrixXd& A, const VectorXd& right) {
  MatrixXd out = A;
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < A.rows(); ++i) out(i, j) *= left[i] * right[j];
  return out;
}

double max_abs(const VectorXd& x) { return largest(x); }

// Solvers get matrices as right-hand sides throughout: one instance of each.
bool is_positive_definite(const MatrixXd& A) { return Eigen::LLT<MatrixXd>(A).info() == Eigen::Success; }
MatrixXd solve_positive(const MatrixXd& A, const MatrixXd& B) { return Eigen::LLT<MatrixXd>(A).solve(B); }
VectorXd solve_positive(const MatrixXd& A, const VectorXd& b) { return solve_positive(A, MatrixXd(b)); }

MatrixXd inverse(const MatrixXd& A) { return Eigen::FullPivLU<MatrixXd>(A).inverse(); }
MatrixXd solve_regular(const MatrixXd& A, const MatrixXd& B) { return Eigen::FullPivLU<MatrixXd>(A).solve(B); }

VectorXd least_squares(const MatrixXd& A, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors(A.rows(), A.cols());
  if (threshold > 0) factors.setThreshold(threshold);
  factors.compute(A);
  return MatrixXd(factors.solve(MatrixXd(b)));
}

Eigen::Index rank_of(const MatrixXd& A) { return Eigen::FullPivLU<MatrixXd>(A).rank(); }
MatrixXd kernel_of(const MatrixXd& A) { return Eigen::FullPivLU<MatrixXd>(A).kernel(); }

SingularValues singular_values(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

SymmetricEigenvalues symmetric_eigenvalues(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
  return {eigen.eigenvectors(), eigen.eigenvalues()};
}

}  // namespace linchpin
