// Conjugate gradients on A = J M^-1 J', as a matrix or as an operator.
#include <memory>
#include <vector>

#include <Eigen/IterativeLinearSolvers>

#include "bench/general_matrix_a.h"
#include "bench/general_parts.h"

namespace linchpin::general_detail {

// A as an operator, for Eigen's iterations.
class OperatorA;

}  // namespace linchpin::general_detail

template <>
struct Eigen::internal::traits<linchpin::general_detail::OperatorA>
    : Eigen::internal::traits<Eigen::SparseMatrix<double>> {};

namespace linchpin::general_detail {

class OperatorA : public Eigen::EigenBase<OperatorA> {
 public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic, IsRowMajor = false };

  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  explicit OperatorA(const BlockSystem& s)
      : inverse_(s.total_size(), s.total_size()), J_(s.total_rows(), s.total_size()) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int b = 0; b < s.bodies(); ++b) {
      const int at = s.first[b], n = s.size[b];
      const MatrixXd inverse = mass_of(s, b).llt().solve(MatrixXd::Identity(n, n));
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) entries.emplace_back(at + i, at + k, inverse(i, k));
    }
    inverse_.setFromTriplets(entries.begin(), entries.end());
    entries.clear();
    for (const BlockSystem::Constraint& c : s.constraints)
      for (const BlockSystem::Part& part : c.parts) {
        const auto J = block_of(s, c, part);
        for (int i = 0; i < J.rows(); ++i)
          for (int k = 0; k < J.cols(); ++k)
            if (J(i, k) != 0) entries.emplace_back(c.first + i, s.first[part.body] + k, J(i, k));
      }
    J_.setFromTriplets(entries.begin(), entries.end());
    const Rows JW = J_ * inverse_;
    diagonal_ = JW.cwiseProduct(J_) * VectorXd::Ones(s.total_size());
    u_.resize(s.total_size());
    w_.resize(s.total_size());
  }
  Eigen::Index rows() const { return J_.rows(); }
  Eigen::Index cols() const { return J_.rows(); }
  template <class Rhs>
  Eigen::Product<OperatorA, Rhs, Eigen::AliasFreeProduct> operator*(const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }
  template <class To, class From>
  void add_product(To& to, const From& x, double scale) const {
    u_.noalias() = J_.transpose() * x;
    w_.noalias() = inverse_ * u_;
    to.noalias() += scale * (J_ * w_);
  }
  long work() const { return 2 * J_.nonZeros() + inverse_.nonZeros(); }
  const VectorXd& diagonal() const { return diagonal_; }

 private:
  Rows inverse_, J_;
  VectorXd diagonal_;
  mutable VectorXd u_, w_;
};

namespace {

class DiagonalOfOperator {
 public:
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };
  DiagonalOfOperator() = default;
  template <class Matrix>
  DiagonalOfOperator& analyzePattern(const Matrix&) {
    return *this;
  }
  template <class Matrix>
  DiagonalOfOperator& factorize(const Matrix& A) {
    inverse_ = A.diagonal().cwiseInverse();
    return *this;
  }
  template <class Matrix>
  DiagonalOfOperator& compute(const Matrix& A) {
    return factorize(A);
  }
  template <class Rhs>
  auto solve(const Eigen::MatrixBase<Rhs>& b) const {
    return inverse_.cwiseProduct(b);
  }
  Eigen::ComputationInfo info() const { return Eigen::Success; }

 private:
  VectorXd inverse_;
};

}  // namespace
}  // namespace linchpin::general_detail

template <class Rhs>
struct Eigen::internal::generic_product_impl<linchpin::general_detail::OperatorA, Rhs, Eigen::SparseShape,
                                             Eigen::DenseShape, Eigen::GemvProduct>
    : generic_product_impl_base<linchpin::general_detail::OperatorA, Rhs,
                                generic_product_impl<linchpin::general_detail::OperatorA, Rhs>> {
  template <class To>
  static void scaleAndAddTo(To& to, const linchpin::general_detail::OperatorA& A, const Rhs& x, const double& scale) {
    A.add_product(to, x, scale);
  }
};

namespace linchpin::general_detail {
namespace {

class CgOfA final : public GeneralSolver {
 public:
  CgOfA(const BlockSystem& s, const GeneralOptions& options) : inverses_(s), operator_(s), b_(s.total_rows()) {
    // Applied once for each iteration: what has fewer numbers.
    if (nonzeros_of_A(s) < operator_.work()) sparse_ = std::make_unique<SparseA>(s, true);
    for_operator_.setTolerance(options.tolerance);
    for_operator_.setMaxIterations(options.most_iterations);
    for_matrix_.setTolerance(options.tolerance);
    for_matrix_.setMaxIterations(options.most_iterations);
    inverses_.make();
  }
  bool factor() override {
    inverses_.make();
    if (sparse_) {
      sparse_->make();
      for_matrix_.compute(sparse_->matrix());
    } else {
      for_operator_.compute(operator_);
    }
    return true;
  }
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l) override {
    inverses_.right_hand_side(F, r, b_);
    const auto by = [&](auto& iteration) {
      l_ = iteration.solve(b_);
      iterations_ = int(iteration.iterations());
      converged_ = iteration.info() == Eigen::Success;
    };
    if (sparse_)
      by(for_matrix_);
    else
      by(for_operator_);
    vector(l) = l_;
    inverses_.accelerations(F, l_, y);
  }
  int iterations() const override { return iterations_; }
  bool converged() const override { return converged_; }

 private:
  Inverses inverses_;
  OperatorA operator_;
  std::unique_ptr<SparseA> sparse_;
  VectorXd b_, l_;
  Eigen::ConjugateGradient<OperatorA, Eigen::Lower | Eigen::Upper, DiagonalOfOperator> for_operator_;
  Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> for_matrix_;
  int iterations_ = 0;
  bool converged_ = true;
};

}  // namespace

std::unique_ptr<GeneralSolver> make_iteration_on_A(const BlockSystem& system, const GeneralOptions& options) {
  return std::make_unique<CgOfA>(system, options);
}

}  // namespace linchpin::general_detail
