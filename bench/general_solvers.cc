#include "bench/general_solvers.h"

#include <algorithm>
#include <set>

#ifdef LINCHPIN_HAVE_CHOLMOD
#include <Eigen/CholmodSupport>
#endif
#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Map<const VectorXd>;

Vector vector(std::span<const double> x) { return {x.data(), Eigen::Index(x.size())}; }
Eigen::Map<VectorXd> vector(std::span<double> x) { return {x.data(), Eigen::Index(x.size())}; }

Eigen::Map<const RowMajor> mass_of(const BlockSystem& s, int body) {
  const int n = s.size[std::size_t(body)];
  return {&s.mass[s.mass_at[std::size_t(body)]], n, n};
}
Eigen::Map<const RowMajor> block_of(const BlockSystem& s, const BlockSystem::Constraint& c,
                                    const BlockSystem::Part& part) {
  return {&s.J[part.J], c.rows, s.size[std::size_t(part.body)]};
}

// The whole matrix. Its numbers stand where they are needed: there is nothing to be made before factors.
class Whole {
 public:
  // Of a symmetric solver: the lower half.
  Whole(const BlockSystem& s, bool half) : system_(&s), place_(std::size_t(s.bodies()) + s.constraints.size()) {
    std::vector<int> order = s.order;
    if (order.empty())
      for (std::size_t i = 0; i < place_.size(); ++i) order.push_back(int(i));
    int at = 0;
    for (const int node : order) {
      place_[std::size_t(node)] = at;
      at += node < s.bodies() ? s.size[std::size_t(node)] : s.constraints[std::size_t(node - s.bodies())].rows;
    }
    std::vector<Eigen::Triplet<double>> entries;
    const auto put = [&](int row, int column, double value) {
      if (!half || row >= column) entries.emplace_back(row, column, value);
    };
    for (int b = 0; b < s.bodies(); ++b) {
      const auto M = mass_of(s, b);
      for (int i = 0; i < M.rows(); ++i)
        for (int k = 0; k < M.cols(); ++k) put(place_[std::size_t(b)] + i, place_[std::size_t(b)] + k, M(i, k));
    }
    for (std::size_t c = 0; c < s.constraints.size(); ++c)
      for (const BlockSystem::Part& part : s.constraints[c].parts) {
        const auto J = block_of(s, s.constraints[c], part);
        const int row = place_[std::size_t(s.bodies()) + c], column = place_[std::size_t(part.body)];
        for (int i = 0; i < J.rows(); ++i)
          for (int k = 0; k < J.cols(); ++k) {
            put(row + i, column + k, -J(i, k));
            put(column + k, row + i, -J(i, k));
          }
      }
    // Room for pivots.
    for (std::size_t c = 0; c < s.constraints.size(); ++c)
      for (int i = 0; i < s.constraints[c].rows; ++i) {
        const int at_row = place_[std::size_t(s.bodies()) + c] + i;
        put(at_row, at_row, 0);
      }
    matrix_.resize(at, at);
    matrix_.setFromTriplets(entries.begin(), entries.end());
    b_.resize(at);
    x_.resize(at);
  }
  const Sparse& matrix() const { return matrix_; }

  // Solve(b, x) on vectors in this order.
  template <class Solve>
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l,
             const Solve& solve) {
    each([&](Eigen::Index at, std::size_t first, std::size_t count, bool body) {
      for (std::size_t i = 0; i < count; ++i) b_[at + Eigen::Index(i)] = body ? F[first + i] : -r[first + i];
    });
    solve(b_, x_);
    each([&](Eigen::Index at, std::size_t first, std::size_t count, bool body) {
      for (std::size_t i = 0; i < count; ++i) (body ? y : l)[first + i] = x_[at + Eigen::Index(i)];
    });
  }

 private:
  template <class F>
  void each(const F& f) const {
    const BlockSystem& s = *system_;
    const std::size_t bodies = std::size_t(s.bodies());
    for (std::size_t b = 0; b < bodies; ++b)
      f(Eigen::Index(place_[b]), std::size_t(s.first[b]), std::size_t(s.size[b]), true);
    for (std::size_t c = 0; c < s.constraints.size(); ++c)
      f(Eigen::Index(place_[bodies + c]), std::size_t(s.constraints[c].first), std::size_t(s.constraints[c].rows),
        false);
  }

  const BlockSystem* system_;
  std::vector<int> place_;
  Sparse matrix_;
  VectorXd b_, x_;
};

template <class Ordering>
class WholeLdlt final : public GeneralSolver {
 public:
  explicit WholeLdlt(const BlockSystem& s) : whole_(s, true) { ldlt_.analyzePattern(whole_.matrix()); }
  bool factor() override {
    ldlt_.factorize(whole_.matrix());
    return ldlt_.info() == Eigen::Success;
  }
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l) override {
    whole_.solve(F, r, y, l, [&](const VectorXd& b, VectorXd& x) { x = ldlt_.solve(b); });
  }
  long nonzeros() const override { return ldlt_.matrixL().nestedExpression().nonZeros(); }

 private:
  Whole whole_;
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Ordering> ldlt_;
};

class WholeLu final : public GeneralSolver {
 public:
  explicit WholeLu(const BlockSystem& s) : whole_(s, false) { lu_.analyzePattern(whole_.matrix()); }
  bool factor() override {
    lu_.factorize(whole_.matrix());
    return lu_.info() == Eigen::Success;
  }
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l) override {
    whole_.solve(F, r, y, l, [&](const VectorXd& b, VectorXd& x) { x = lu_.solve(b); });
  }
  long nonzeros() const override { return lu_.nnzL() + lu_.nnzU(); }

 private:
  Whole whole_;
  Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>> lu_;
};

// Pairs of constraints that share a body: where A has blocks. Those with c >= d.
struct Pair {
  int c, d;
  std::size_t part_c, part_d;
};
std::vector<std::vector<std::pair<int, std::size_t>>> constraints_of_bodies(const BlockSystem& s) {
  std::vector<std::vector<std::pair<int, std::size_t>>> at(std::size_t(s.bodies()));
  for (std::size_t c = 0; c < s.constraints.size(); ++c)
    for (std::size_t k = 0; k < s.constraints[c].parts.size(); ++k)
      at[std::size_t(s.constraints[c].parts[k].body)].emplace_back(int(c), k);
  return at;
}
std::vector<Pair> pairs_of(const BlockSystem& s) {
  std::vector<Pair> pairs;
  for (const auto& at : constraints_of_bodies(s))
    for (const auto& [c, part_c] : at)
      for (const auto& [d, part_d] : at)
        if (c >= d) pairs.push_back({c, d, part_c, part_d});
  return pairs;
}

// M^-1 of each body and M^-1 J' of each block: of fixed size where bodies are of 6 or 3 numbers.
class Inverses {
 public:
  explicit Inverses(const BlockSystem& s) : system_(&s), inverse_(s.mass.size()), W_(s.J.size()), u_(s.total_size()) {}
  const BlockSystem& system() const { return *system_; }

  void make() {
    const BlockSystem& s = *system_;
    for (int b = 0; b < s.bodies(); ++b) {
      const auto M = mass_of(s, b);
      double* const to = &inverse_[s.mass_at[std::size_t(b)]];
      if (M.rows() == 6)
        invert<6>(M, to);
      else if (M.rows() == 3)
        invert<3>(M, to);
      else
        Eigen::Map<RowMajor>(to, M.rows(), M.cols()) = M.llt().solve(MatrixXd::Identity(M.rows(), M.cols()));
    }
    for (const BlockSystem::Constraint& c : s.constraints)
      for (const BlockSystem::Part& part : c.parts)
        Eigen::Map<RowMajor>(&W_[part.J], c.rows, s.size[std::size_t(part.body)]).noalias() =
            block_of(s, c, part).lazyProduct(inverse(part.body));
  }
  Eigen::Map<const RowMajor> inverse(int body) const {
    const int n = system_->size[std::size_t(body)];
    return {&inverse_[system_->mass_at[std::size_t(body)]], n, n};
  }
  // J_c M^-1 J_d' of one pair, added.
  template <class Matrix>
  void add(const Pair& pair, Matrix&& to) const {
    const BlockSystem& s = *system_;
    const BlockSystem::Constraint &c = s.constraints[std::size_t(pair.c)], &d = s.constraints[std::size_t(pair.d)];
    const BlockSystem::Part& part = c.parts[pair.part_c];
    const Eigen::Map<const RowMajor> W(&W_[part.J], c.rows, s.size[std::size_t(part.body)]);
    to += W.lazyProduct(block_of(s, d, d.parts[pair.part_d]).transpose());
  }
  // b = r - J M^-1 F.
  void right_hand_side(std::span<const double> F, std::span<const double> r, VectorXd& b) const {
    const BlockSystem& s = *system_;
    for (const BlockSystem::Constraint& c : s.constraints) {
      auto rows = b.segment(c.first, c.rows);
      rows = vector(r).segment(c.first, c.rows);
      for (const BlockSystem::Part& part : c.parts) {
        const int n = s.size[std::size_t(part.body)];
        const Eigen::Map<const RowMajor> W(&W_[part.J], c.rows, n);
        rows -= W.lazyProduct(vector(F).segment(s.first[std::size_t(part.body)], n));
      }
    }
  }
  // y = M^-1 (F + J' l).
  void accelerations(std::span<const double> F, const VectorXd& l, std::span<double> y) {
    const BlockSystem& s = *system_;
    u_ = vector(F);
    for (const BlockSystem::Constraint& c : s.constraints)
      for (const BlockSystem::Part& part : c.parts)
        u_.segment(s.first[std::size_t(part.body)], s.size[std::size_t(part.body)]) +=
            block_of(s, c, part).transpose().lazyProduct(l.segment(c.first, c.rows));
    for (int b = 0; b < s.bodies(); ++b) {
      const int at = s.first[std::size_t(b)], n = s.size[std::size_t(b)];
      vector(y).segment(at, n) = inverse(b).lazyProduct(u_.segment(at, n));
    }
  }

 private:
  template <int n>
  static void invert(const Eigen::Map<const RowMajor>& M, double* to) {
    using Fixed = Eigen::Matrix<double, n, n, Eigen::RowMajor>;
    const Fixed A = M;
    Eigen::Map<Fixed> inverse(to);
    inverse = A.template selfadjointView<Eigen::Lower>().llt().solve(Fixed::Identity());
  }
  const BlockSystem* system_;
  std::vector<double> inverse_, W_;
  VectorXd u_;
};

// A as a sparse matrix whose blocks are filled in place; the lower half, or all of it.
class SparseA {
 public:
  SparseA(const BlockSystem& s, bool all) : inverses_(s), pairs_(pairs_of(s)) {
    if (all) {
      const std::size_t half = pairs_.size();
      for (std::size_t i = 0; i < half; ++i)
        if (const Pair p = pairs_[i]; p.c != p.d) pairs_.push_back({p.d, p.c, p.part_d, p.part_c});
    }
    // Which blocks each column of blocks has, in order.
    std::vector<std::set<int>> rows(s.constraints.size());
    for (const Pair& p : pairs_) rows[std::size_t(p.d)].insert(p.c);
    const int m = s.total_rows();
    std::vector<Eigen::Index> per_column;
    for (std::size_t d = 0; d < rows.size(); ++d) {
      Eigen::Index count = 0;
      for (const int c : rows[d]) count += s.constraints[std::size_t(c)].rows;
      per_column.insert(per_column.end(), std::size_t(s.constraints[d].rows), count);
    }
    matrix_.resize(m, m);
    matrix_.reserve(Eigen::VectorX<Eigen::Index>(Eigen::Map<Eigen::VectorX<Eigen::Index>>(per_column.data(), m)));
    for (std::size_t d = 0; d < rows.size(); ++d)
      for (int k = 0; k < s.constraints[d].rows; ++k)
        for (const int c : rows[d])
          for (int i = 0; i < s.constraints[std::size_t(c)].rows; ++i)
            matrix_.insert(s.constraints[std::size_t(c)].first + i, s.constraints[d].first + k) = 0;
    matrix_.makeCompressed();
    for (const Pair& p : pairs_) {
      const int column = s.constraints[std::size_t(p.d)].first, row = s.constraints[std::size_t(p.c)].first;
      const int* const begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
      const int* const end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
      slots_.push_back(
          {matrix_.outerIndexPtr()[column] + int(std::lower_bound(begin, end, row) - begin), int(end - begin)});
    }
  }
  void make() {
    inverses_.make();
    const BlockSystem& s = inverses_.system();
    std::fill(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros(), 0.0);
    // Columns of a block of columns have the same pattern, so a block is a matrix with that stride.
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& p = pairs_[i];
      inverses_.add(p, Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>(
                           matrix_.valuePtr() + slots_[i].at, s.constraints[std::size_t(p.c)].rows,
                           s.constraints[std::size_t(p.d)].rows, Eigen::OuterStride<>(slots_[i].stride)));
    }
  }
  const Sparse& matrix() const { return matrix_; }
  Inverses& inverses() { return inverses_; }

 private:
  struct Slot {
    int at, stride;
  };
  Inverses inverses_;
  std::vector<Pair> pairs_;
  std::vector<Slot> slots_;
  Sparse matrix_;
};

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
      const BlockSystem::Constraint &c = s.constraints[std::size_t(p.c)], &d = s.constraints[std::size_t(p.d)];
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

// A as an operator, for Eigen's iterations.
class OperatorA;

}  // namespace linchpin

template <>
struct Eigen::internal::traits<linchpin::OperatorA> : Eigen::internal::traits<Eigen::SparseMatrix<double>> {};

namespace linchpin {

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
      const int at = s.first[std::size_t(b)], n = s.size[std::size_t(b)];
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
            if (J(i, k) != 0) entries.emplace_back(c.first + i, s.first[std::size_t(part.body)] + k, J(i, k));
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
}  // namespace linchpin

template <class Rhs>
struct Eigen::internal::generic_product_impl<linchpin::OperatorA, Rhs, Eigen::SparseShape, Eigen::DenseShape,
                                             Eigen::GemvProduct>
    : generic_product_impl_base<linchpin::OperatorA, Rhs, generic_product_impl<linchpin::OperatorA, Rhs>> {
  template <class To>
  static void scaleAndAddTo(To& to, const linchpin::OperatorA& A, const Rhs& x, const double& scale) {
    A.add_product(to, x, scale);
  }
};

namespace linchpin {
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

std::string name(General solver) {
  switch (solver) {
    case General::ldlt_in_our_order:
      return "SimplicialLDLT, our order";
    case General::ldlt_amd:
      return "SimplicialLDLT, AMD";
    case General::lu:
      return "SparseLU";
    case General::llt_of_A:
      return "SimplicialLLT of A";
    case General::cholmod_of_A:
      return "CHOLMOD of A";
    case General::dense_of_A:
      return "dense LLT of A";
    default:
      return "CG on A";
  }
}

bool is_here(General solver) {
#ifdef LINCHPIN_HAVE_CHOLMOD
  (void)solver;
  return true;
#else
  return solver != General::cholmod_of_A;
#endif
}

std::unique_ptr<GeneralSolver> make_general(General solver, const BlockSystem& system, const GeneralOptions& options) {
  switch (solver) {
    case General::ldlt_in_our_order:
      return std::make_unique<WholeLdlt<Eigen::NaturalOrdering<int>>>(system);
    case General::ldlt_amd:
      return std::make_unique<WholeLdlt<Eigen::AMDOrdering<int>>>(system);
    case General::lu:
      return std::make_unique<WholeLu>(system);
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
      return std::make_unique<CgOfA>(system, options);
  }
}

long nonzeros_of_A(const BlockSystem& s) {
  long sum = 0;  // pairs that share two bodies, which a forest has none of, are counted twice but on the diagonal
  for (const BlockSystem::Constraint& c : s.constraints) sum += long(c.rows) * c.rows;
  for (const auto& at : constraints_of_bodies(s)) {
    long rows = 0, squares = 0;
    for (const auto& [c, part] : at) {
      const long count = s.constraints[std::size_t(c)].rows;
      rows += count;
      squares += count * count;
    }
    sum += rows * rows - squares;
  }
  return sum;
}

double condition_of_A(const BlockSystem& s) {
  DenseOfA dense(s);
  dense.make();
  const VectorXd values = dense.matrix().selfadjointView<Eigen::Lower>().eigenvalues();
  return values.maxCoeff() / values.minCoeff();
}

}  // namespace linchpin
