// Factors of A = J M^-1 J'.
#ifdef LINCHPIN_HAVE_CHOLMOD
#include <Eigen/CholmodSupport>
#endif

#include "bench/general_matrix_a.h"
#include "bench/general_parts.h"

namespace linchpin::general_detail {
namespace {

long numbers_of(const Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>>& llt) {
  return llt.matrixL().nestedExpression().nonZeros();
}
#ifdef LINCHPIN_HAVE_CHOLMOD
long numbers_of(const Eigen::CholmodDecomposition<Sparse, Eigen::Lower>&) { return 0; }  // Eigen does not tell
#endif

template <class Llt>
class LltOfA final : public GeneralSolver {
 public:
  explicit LltOfA(const BlockSystem& s) : A_(s, false), b_(s.total_rows()), l_(s.total_rows()) {
    A_.make();
    llt_.analyzePattern(A_.matrix());
  }
  bool factor() override {
    A_.make();
    llt_.factorize(A_.matrix());
    return llt_.info() == Eigen::Success;
  }
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l) override {
    A_.inverses().right_hand_side(F, r, b_);
    l_ = llt_.solve(b_);
    vector(l) = l_;
    A_.inverses().accelerations(F, l_, y);
  }
  long nonzeros() const override { return numbers_of(llt_); }

 private:
  SparseA A_;
  VectorXd b_, l_;
  Llt llt_;
};

class DenseOfA final : public GeneralSolver {
 public:
  explicit DenseOfA(const BlockSystem& s)
      : inverses_(s),
        pairs_(pairs_of(s)),
        A_(s.total_rows(), s.total_rows()),
        b_(s.total_rows()),
        llt_(s.total_rows()) {}
  void make() {
    inverses_.make();
    const BlockSystem& s = inverses_.system();
    A_.setZero();
    for (const Pair& p : pairs_) {
      const BlockSystem::Constraint &c = s.constraints[p.c], &d = s.constraints[p.d];
      inverses_.add(p, A_.block(c.first, d.first, c.rows, d.rows));
    }
  }
  const MatrixXd& matrix() const { return A_; }
  bool factor() override {
    make();
    llt_.compute(A_);
    return llt_.info() == Eigen::Success;
  }
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l) override {
    inverses_.right_hand_side(F, r, b_);
    llt_.solveInPlace(b_);
    vector(l) = b_;
    inverses_.accelerations(F, b_, y);
  }
  long nonzeros() const override { return A_.rows() * (A_.rows() + 1) / 2; }

 private:
  Inverses inverses_;
  std::vector<Pair> pairs_;
  MatrixXd A_;
  VectorXd b_;
  Eigen::LLT<MatrixXd> llt_;
};

}  // namespace

std::unique_ptr<GeneralSolver> make_factors_of_A(General solver, const BlockSystem& system) {
  switch (solver) {
    case General::llt_of_A:
      return std::make_unique<LltOfA<Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>>>>(system);
#ifdef LINCHPIN_HAVE_CHOLMOD
    case General::cholmod_of_A:
      return std::make_unique<LltOfA<Eigen::CholmodDecomposition<Sparse, Eigen::Lower>>>(system);
#else
    case General::cholmod_of_A:
      return nullptr;
#endif
    case General::dense_of_A:
      return std::make_unique<DenseOfA>(system);
    default:
      return std::make_unique<DenseOfA>(system);
  }
}

}  // namespace linchpin::general_detail

namespace linchpin {

double condition_of_A(const BlockSystem& s) {
  general_detail::DenseOfA dense(s);
  dense.make();
  const Eigen::VectorXd values = dense.matrix().selfadjointView<Eigen::Lower>().eigenvalues();
  return values.maxCoeff() / values.minCoeff();
}

}  // namespace linchpin
