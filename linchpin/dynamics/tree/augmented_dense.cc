#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "linchpin/dynamics/tree/augmented_solvers.h"

namespace linchpin {
namespace {

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

template <class Real>
Matrix<Real> square(const std::vector<Real>& A, int n) {
  return Eigen::Map<const Matrix<Real>>(A.data(), n, n);
}

}  // namespace

template <class Real>
std::vector<Real> ldlt_solve(const std::vector<Real>& A, const std::vector<Real>& b) {
  const int n = int(b.size());
  const Vector<Real> rhs = Eigen::Map<const Vector<Real>>(b.data(), n);
  const Vector<Real> x = square(A, n).ldlt().solve(rhs);
  return {x.data(), x.data() + n};
}

template <class Real>
std::vector<Real> eigenvalues(const std::vector<Real>& A) {
  const int n = int(std::lround(std::sqrt(double(A.size()))));
  const Vector<Real> values =
      Eigen::SelfAdjointEigenSolver<Matrix<Real>>(square(A, n), Eigen::EigenvaluesOnly).eigenvalues();
  return {values.data(), values.data() + n};
}

template std::vector<double> ldlt_solve(const std::vector<double>&, const std::vector<double>&);
template std::vector<long double> ldlt_solve(const std::vector<long double>&, const std::vector<long double>&);
template std::vector<double> eigenvalues(const std::vector<double>&);
template std::vector<long double> eigenvalues(const std::vector<long double>&);

}  // namespace linchpin
