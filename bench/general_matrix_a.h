// A = J M^-1 J' [004 s.5], made block by block: what its solvers share. For general_*.cc alone.
#pragma once

#include <utility>
#include <vector>

#include "bench/general_blocks.h"

namespace linchpin::general_detail {

// Of each body, the constraints on it, and which of their parts it is.
std::vector<std::vector<std::pair<int, std::size_t>>> constraints_of_bodies(const BlockSystem& s);

// Pairs of constraints that share a body: where A has blocks. Those with c >= d.
struct Pair {
  int c, d;
  std::size_t part_c, part_d;
};
std::vector<Pair> pairs_of(const BlockSystem& s);

// M^-1 of each body and M^-1 J' of each block: of fixed size where bodies are of 6 or 3 numbers.
class Inverses {
 public:
  explicit Inverses(const BlockSystem& s) : system_(&s), inverse_(s.mass.size()), W_(s.J.size()), u_(s.total_size()) {}
  const BlockSystem& system() const { return *system_; }

  void make() {
    const BlockSystem& s = *system_;
    for (int b = 0; b < s.bodies(); ++b) {
      const auto M = mass_of(s, b);
      double* const to = &inverse_[s.mass_at[b]];
      if (M.rows() == 6)
        invert<6>(M, to);
      else if (M.rows() == 3)
        invert<3>(M, to);
      else
        Eigen::Map<RowMajor>(to, M.rows(), M.cols()) = M.llt().solve(MatrixXd::Identity(M.rows(), M.cols()));
    }
    for (const BlockSystem::Constraint& c : s.constraints)
      for (const BlockSystem::Part& part : c.parts)
        Eigen::Map<RowMajor>(&W_[part.J], c.rows, s.size[part.body]).noalias() =
            block_of(s, c, part).lazyProduct(inverse(part.body));
  }
  Eigen::Map<const RowMajor> inverse(int body) const {
    const int n = system_->size[body];
    return {&inverse_[system_->mass_at[body]], n, n};
  }
  // J_c M^-1 J_d' of one pair, added.
  template <class Matrix>
  void add(const Pair& pair, Matrix&& to) const {
    const BlockSystem& s = *system_;
    const BlockSystem::Constraint &c = s.constraints[pair.c], &d = s.constraints[pair.d];
    const BlockSystem::Part& part = c.parts[pair.part_c];
    const Eigen::Map<const RowMajor> W(&W_[part.J], c.rows, s.size[part.body]);
    to += W.lazyProduct(block_of(s, d, d.parts[pair.part_d]).transpose());
  }
  // b = r - J M^-1 F.
  void right_hand_side(std::span<const double> F, std::span<const double> r, VectorXd& b) const {
    const BlockSystem& s = *system_;
    for (const BlockSystem::Constraint& c : s.constraints) {
      auto rows = b.segment(c.first, c.rows);
      rows = vector(r).segment(c.first, c.rows);
      for (const BlockSystem::Part& part : c.parts) {
        const int n = s.size[part.body];
        const Eigen::Map<const RowMajor> W(&W_[part.J], c.rows, n);
        rows -= W.lazyProduct(vector(F).segment(s.first[part.body], n));
      }
    }
  }
  // y = M^-1 (F + J' l).
  void accelerations(std::span<const double> F, const VectorXd& l, std::span<double> y) {
    const BlockSystem& s = *system_;
    u_ = vector(F);
    for (const BlockSystem::Constraint& c : s.constraints)
      for (const BlockSystem::Part& part : c.parts)
        u_.segment(s.first[part.body], s.size[part.body]) +=
            block_of(s, c, part).transpose().lazyProduct(l.segment(c.first, c.rows));
    for (int b = 0; b < s.bodies(); ++b) {
      const int at = s.first[b], n = s.size[b];
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
  SparseA(const BlockSystem& s, bool all);
  void make();
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

}  // namespace linchpin::general_detail
