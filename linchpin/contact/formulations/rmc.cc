// Reduced minimal coordinates [000 s.5]: velocities and free rows are eliminated with dense matrices, O(nv^3).
//
// With M = L L', X = L^-1 J', so that the Delassus matrix is W = J M^-1 J' = X'X, y = L^-1 (M v + dt (tau - bias)),
// f the free rows and c the others,
//     K = X'X + softness,   k = X'y + offset                                                                    (1)
//     w_c = (K_cc - K_cf K_ff^+ K_fc) z_c + k_c - K_cf K_ff^+ k_f                                               (2)
//     z_f = -K_ff^+ (k_f + K_fc z_c),   v+ = L'^-1 (y + X z)                                                    (3)
// which is 000 (39)-(41). Differences from 000: free rows may be dependent, so K_ff^+ is the generalised inverse of
// algebra/semidefinite.h; rows are at velocity level.
#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "linchpin/algebra/semidefinite.h"
#include "linchpin/base/check.h"
#include "linchpin/contact/formulations/formulations.h"
#include "linchpin/contact/formulations/minimal.h"
#include "linchpin/contact/formulations/row_problem.h"

namespace linchpin {
namespace {

using Dense = Eigen::MatrixXd;

class Reduced final : public Formulation {
 public:
  Reduced(const Model& model, const Plan<double>& plan)
      : dense_(model, plan), L_(model.nv()), identity_(Dense::Identity(model.nv(), model.nv())) {}

  void pose(const Motive& motive, const Rows& rows, Problem& problem) override;
  void lift(const Motive& motive, const Rows& rows, std::span<const double> solution, std::span<double> v,
            std::span<double> impulses) override;

 private:
  void eliminate_velocities(const Motive& motive, const Rows& rows);
  void find_row_sizes(const Motive& motive, const Rows& rows);
  void eliminate_free(const Motive& motive, const Rows& rows);

  MinimalCoordinates dense_;
  RowOrder order_;         // the rows c
  std::vector<int> free_;  // the rows f
  Eigen::LLT<Dense> L_;
  Dense identity_;
  Dense X_, K_;
  Eigen::VectorXd y_, k_, v_;
  std::vector<double> K_ff_, sizes_, column_, right_;
  std::vector<char> held_;
  std::optional<SemidefiniteSolver> solver_;
  Dense T_;            // K_ff^+ K_fc
  Eigen::VectorXd t_;  // K_ff^+ k_f
};

void Reduced::eliminate_velocities(const Motive& motive, const Rows& rows) {
  const Eigen::Index nv = Eigen::Index(motive.v.size());
  L_.compute(Eigen::Map<const Dense>(dense_.mass.data(), nv, nv));
  X_ = Eigen::Map<const Dense>(dense_.J.data(), nv, rows.size());  // J by rows is J' by columns
  L_.matrixL().solveInPlace(X_);
  y_ = Eigen::Map<const Eigen::VectorXd>(dense_.momentum.data(), nv);
  L_.matrixL().solveInPlace(y_);
  K_.noalias() = X_.transpose() * X_;
  k_.noalias() = X_.transpose() * y_;
  for (Eigen::Index r = 0; r < rows.size(); ++r) {
    K_(r, r) += rows.softness[r];
    k_(r) += rows.offset[r];
  }
}

// The size of the terms in the diagonal of a free row before they cancel (a planar linkage, across its plane): the
// norms of its sides' forces times those of the joint axes on their paths, weighted by the diagonal of M^-1.
void Reduced::find_row_sizes(const Motive& motive, const Rows& rows) {
  Dense inverse = identity_;
  L_.matrixL().solveInPlace(inverse);
  sizes_.clear();
  for (const int r : free_) {
    double size = rows.softness[r];
    for (int s = rows.first_side[r]; s < rows.first_side[r + 1]; ++s) {
      const RowSide& side = rows.sides[s];
      const double n = norm(side.force.n), f = norm(side.force.f);
      for (int i = side.link; i != 0; i = motive.model.links()[i].parent) {
        const Link& link = motive.model.links()[i];
        const double lever = norm(motive.kin.X_WL[side.link].p - motive.kin.X_WL[i].p);
        for (int k = link.v; k < link.v + link.nv; ++k) {
          const Motion<double>& axis = motive.vel.axis[k];
          const double reach = n * norm(axis.w) + f * (norm(axis.v) + lever * norm(axis.w));
          size += reach * reach * inverse.col(k).squaredNorm();
        }
      }
    }
    sizes_.push_back(size);
  }
}

void Reduced::eliminate_free(const Motive& motive, const Rows& rows) {
  const std::size_t nf = free_.size(), nc = order_.rows.size();
  T_.resize(Eigen::Index(nf), Eigen::Index(nc));
  t_.resize(Eigen::Index(nf));
  if (nf == 0) return;
  if (K_ff_.size() != nf * nf) solver_.emplace(int(nf));
  K_ff_.resize(nf * nf);
  for (std::size_t i = 0; i < nf; ++i)
    for (std::size_t j = 0; j < nf; ++j) K_ff_[i * nf + j] = K_(free_[i], free_[j]);
  find_row_sizes(motive, rows);
  solver_->factor(K_ff_, sizes_);
  column_.resize(nf);
  for (std::size_t c = 0; c <= nc; ++c) {  // the columns of K_fc, then k_f
    for (std::size_t i = 0; i < nf; ++i) column_[i] = c < nc ? K_(free_[i], order_.rows[c]) : k_(free_[i]);
    right_ = column_;
    solver_->solve(column_);
    for (std::size_t i = 0; i < nf; ++i)  // one step of iterative refinement: the residual of K_ff x = b
      for (std::size_t j = 0; j < nf; ++j) right_[i] -= K_ff_[i * nf + j] * column_[j];
    solver_->solve(right_);
    for (std::size_t i = 0; i < nf; ++i) column_[i] += right_[i];
    for (std::size_t i = 0; i < nf; ++i)
      (c < nc ? T_(Eigen::Index(i), Eigen::Index(c)) : t_(Eigen::Index(i))) = column_[i];
  }
}

void Reduced::pose(const Motive& motive, const Rows& rows, Problem& problem) {
  dense_.place(motive, rows);
  find_order(rows, FreeRows::left_out, order_);
  free_.clear();
  for (const Block& block : rows.blocks)
    for (int k = 0; k < block.size && block.kind == BlockKind::free; ++k) free_.push_back(block.start + k);
  eliminate_velocities(motive, rows);
  eliminate_free(motive, rows);
  begin_problem(rows, order_, 0, problem);
  const std::size_t nc = order_.rows.size();
  problem.M.make_dense(int(nc));
  std::vector<double>& M = problem.M.dense();
  held_.resize(nc);
  // A row that the free rows determine completely has only rounding errors left in (2). They are set to zero: solvers
  // would take them for a matrix, and the residual for a velocity if all rows are of this kind.
  constexpr double rounding = 1e-12;  // as in eliminated.h
  for (std::size_t i = 0; i < nc; ++i) {
    const int r = order_.rows[i];
    double left = K_(r, r);
    for (std::size_t f = 0; f < free_.size(); ++f) left -= K_(r, free_[f]) * T_(Eigen::Index(f), Eigen::Index(i));
    held_[i] = !(left > rounding * K_(r, r));
  }
  for (std::size_t i = 0; i < nc; ++i) {  // (2)
    const int r = order_.rows[i];
    problem.q[i] = k_(r);
    double size = std::abs(k_(r));
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const double term = K_(r, free_[f]) * t_(Eigen::Index(f));
      problem.q[i] -= term;
      size += std::abs(term);
    }
    if (held_[i] && std::abs(problem.q[i]) <= rounding * size) problem.q[i] = 0;  // held at zero velocity
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = K_(r, order_.rows[j]);
      for (std::size_t f = 0; f < free_.size(); ++f) sum -= K_(r, free_[f]) * T_(Eigen::Index(f), Eigen::Index(j));
      M[i * nc + j] = M[j * nc + i] = held_[i] || held_[j] ? 0 : sum;
    }
  }
}

void Reduced::lift(const Motive&, const Rows& rows, std::span<const double> solution, std::span<double> v,
                   std::span<double> impulses) {
  check(solution.size() == order_.rows.size() && impulses.size() == std::size_t(rows.size()), "the solution has ",
        solution.size(), " numbers and ", impulses.size(), " impulses for ", order_.rows.size(), " of ", rows.size(),
        " rows");
  for (std::size_t c = 0; c < solution.size(); ++c) impulses[order_.rows[c]] = solution[c];
  for (std::size_t f = 0; f < free_.size(); ++f) {  // (3)
    double sum = -t_(Eigen::Index(f));
    for (std::size_t c = 0; c < solution.size(); ++c) sum -= T_(Eigen::Index(f), Eigen::Index(c)) * solution[c];
    impulses[free_[f]] = sum;
  }
  v_ = y_;
  v_.noalias() += X_ * Eigen::Map<const Eigen::VectorXd>(impulses.data(), rows.size());
  L_.matrixU().solveInPlace(v_);
  std::ranges::copy(v_, v.begin());
}

}  // namespace

std::unique_ptr<Formulation> make_rmc(const Model& model, const Plan<double>& plan) {
  return std::make_unique<Reduced>(model, plan);
}

}  // namespace linchpin
