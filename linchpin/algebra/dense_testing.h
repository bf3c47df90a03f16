// Dense linear algebra for tests, compiled once. Eigen's products and decompositions are templates, which cost each
// test file that used them up to 30 s of compile time; here they are plain functions of plain matrices and vectors.
//
// The products are better matches than Eigen's if both operands are plain. With one plain operand and one expression a
// product is ambiguous: write A * VectorXd(x - y). Transposes of constant matrices have overloads.
#pragma once

#include <span>

#include <Eigen/Core>

namespace linchpin {

Eigen::MatrixXd operator*(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::VectorXd operator*(const Eigen::MatrixXd& A, const Eigen::VectorXd& x);
Eigen::MatrixXd operator*(const Eigen::Transpose<const Eigen::MatrixXd>& At, const Eigen::MatrixXd& B);
Eigen::VectorXd operator*(const Eigen::Transpose<const Eigen::MatrixXd>& At, const Eigen::VectorXd& x);
Eigen::MatrixXd operator*(const Eigen::MatrixXd& A, const Eigen::Transpose<const Eigen::MatrixXd>& Bt);

// From numbers, those of a matrix row by row.
Eigen::VectorXd vector_of(std::span<const double> numbers);
Eigen::MatrixXd matrix_of(std::span<const double> numbers, Eigen::Index rows, Eigen::Index columns);

// diag(left) A diag(right).
Eigen::MatrixXd scaled(const Eigen::VectorXd& left, const Eigen::MatrixXd& A, const Eigen::VectorXd& right);

// The largest magnitude; 0 if there are no numbers.
double max_abs(const Eigen::VectorXd& x);

// A^-1 B for a symmetric positive definite A, by Cholesky's factors.
bool is_positive_definite(const Eigen::MatrixXd& A);
Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::VectorXd solve_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

// A^-1 and A^-1 B, by LU factors with full pivoting.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
Eigen::MatrixXd solve_regular(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

// The shortest x of those that minimise |A x - b|, by a complete orthogonal decomposition. Pivots below `threshold`
// times the largest count as zero; 0 takes Eigen's default.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold = 0);

// Rank and a basis of the null space, by LU factors with full pivoting.
Eigen::Index rank_of(const Eigen::MatrixXd& A);
Eigen::MatrixXd kernel_of(const Eigen::MatrixXd& A);

// A = U diag(values) V' with square U and V, values descending.
struct SingularValues {
  Eigen::MatrixXd U, V;
  Eigen::VectorXd values;
};
SingularValues singular_values(const Eigen::MatrixXd& A);

// A = V diag(values) V' of a symmetric A, values ascending.
struct SymmetricEigenvalues {
  Eigen::MatrixXd V;
  Eigen::VectorXd values;
};
SymmetricEigenvalues symmetric_eigenvalues(const Eigen::MatrixXd& A);

}  // namespace linchpin
