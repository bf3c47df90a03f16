// Factors of the whole matrix [M -J'; -J 0].
#include <vector>

#include "bench/general_blocks.h"
#include "bench/general_parts.h"

namespace linchpin::general_detail {
namespace {

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
      place_[node] = at;
      at += node < s.bodies() ? s.size[node] : s.constraints[node - s.bodies()].rows;
    }
    std::vector<Eigen::Triplet<double>> entries;
    const auto put = [&](int row, int column, double value) {
      if (!half || row >= column) entries.emplace_back(row, column, value);
    };
    for (int b = 0; b < s.bodies(); ++b) {
      const auto M = mass_of(s, b);
      for (int i = 0; i < M.rows(); ++i)
        for (int k = 0; k < M.cols(); ++k) put(place_[b] + i, place_[b] + k, M(i, k));
    }
    for (std::size_t c = 0; c < s.constraints.size(); ++c)
      for (const BlockSystem::Part& part : s.constraints[c].parts) {
        const auto J = block_of(s, s.constraints[c], part);
        const int row = place_[std::size_t(s.bodies()) + c], column = place_[part.body];
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
using Ldlt = Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Ordering>;
using Lu = Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>>;

template <class Ordering>
long nonzeros_of(const Ldlt<Ordering>& ldlt) {
  return ldlt.matrixL().nestedExpression().nonZeros();
}
long nonzeros_of(const Lu& lu) { return lu.nnzL() + lu.nnzU(); }

template <class Factors, bool lower_only>
class WholeSolver final : public GeneralSolver {
 public:
  explicit WholeSolver(const BlockSystem& s) : whole_(s, lower_only) { factors_.analyzePattern(whole_.matrix()); }
  bool factor() override {
    factors_.factorize(whole_.matrix());
    return factors_.info() == Eigen::Success;
  }
  void solve(std::span<const double> F, std::span<const double> r, std::span<double> y, std::span<double> l) override {
    whole_.solve(F, r, y, l, [&](const VectorXd& b, VectorXd& x) { x = factors_.solve(b); });
  }
  long nonzeros() const override { return nonzeros_of(factors_); }

 private:
  Whole whole_;
  Factors factors_;
};

}  // namespace

std::unique_ptr<GeneralSolver> make_of_whole(General solver, const BlockSystem& system) {
  switch (solver) {
    case General::ldlt_in_our_order:
      return std::make_unique<WholeSolver<Ldlt<Eigen::NaturalOrdering<int>>, true>>(system);
    case General::ldlt_amd:
      return std::make_unique<WholeSolver<Ldlt<Eigen::AMDOrdering<int>>, true>>(system);
    default:
      return std::make_unique<WholeSolver<Lu, false>>(system);
  }
}

}  // namespace linchpin::general_detail
