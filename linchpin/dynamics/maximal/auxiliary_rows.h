// Auxiliary constraints with anticipation [004 s.8]: constraints that close loops, act on a single body or on many, are
// unilateral, or have forces along other directions than their rows.
//
// Let y0 be the solution of constraint_forest.h (1) with the primary constraints only, and Mhat^-1 the response of the
// bodies under primary constraints to a force: a solve of (1) with r = 0. With the rows J^a, the forces K mu and the
// softness E,
//     a = J^a y - r^a + E mu = (J^a Mhat^-1 K + E) mu + (J^a y0 - r^a)                                 [004 (12)]
// The matrix costs O(n k): eight columns of K at a time, each solve only on nodes between touched bodies and their
// roots. An AuxiliarySolver finds mu; then one more solve with F + K mu gives y and the primary multipliers.
//
// The text of 004 has the sign of the response and one inverse wrong here: F^resp = J' l with A l = -J M^-1 k, and
// column j is M^-1 (F^resp + k_j), the y of our solve.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/algebra/semidefinite.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"
#include "linchpin/dynamics/maximal/row_law.h"

namespace linchpin {

// Rows of J^a and columns of K, each on a few bodies.
class AuxiliaryRows {
 public:
  explicit AuxiliaryRows(const ConstraintForest& forest);  // must outlive them
  explicit AuxiliaryRows(const ConstraintForest&&) = delete;

  void clear();
  void begin_row(double softness = 0);
  // The block of the last row begun for one of its bodies. k empty: the same as j.
  void add(int body, std::span<const double> j, std::span<const double> k = {});

  int size() const { return int(rows_.size()); }
  // Whether all forces are along their rows, so that the matrix is symmetric.
  bool symmetric() const { return symmetric_; }

  // The matrix, row by row, from factors of the forest.
  std::span<const double> form(ForestFactors& factors);
  // After form(): the diagonal that the matrix would have if each body had only the constraints towards its tips. A
  // diagonal entry that is a small part of this is rounding: the primary constraints imply that row.
  std::span<const double> sizes() const { return sizes_; }

  void times(std::span<const double> y, std::span<double> a) const;       // a = J^a y
  void add_force(std::span<const double> mu, std::span<double> F) const;  // F += K mu
  std::span<const int> on_way() const { return on_way_; }                 // nodes that form() visits

 private:
  struct Row {
    std::size_t first, end;  // entries
    double softness;
  };
  struct Entry {
    int body, size;
    std::size_t y, j, k;  // offsets: of the body in y, of j and k in values_
  };
  void find_way();

  const ConstraintForest* forest_;
  std::vector<Row> rows_;
  std::vector<Entry> entries_;
  std::vector<double> values_;
  bool symmetric_ = true;
  std::vector<int> on_way_, mark_;
  int stamp_ = 0;
  std::vector<double> matrix_, sizes_;
  AlignedArray<double> y_, l_;  // eight columns
};

// Rows [first, first + rows) and their law.
struct AuxiliaryBlock {
  int first = 0, rows = 0;
  RowLaw law;
};

// Solves a = A mu + b where each block of (mu, a) obeys its law. A is prepared once and solved for any number of b.
class AuxiliarySolver {
 public:
  virtual ~AuxiliarySolver() = default;
  virtual bool takes(RowLaw::Kind kind) const = 0;
  // A is k x k, row by row, and must not change until the last solve().
  virtual bool prepare(std::span<const double> A, std::span<const double> sizes, bool symmetric,
                       std::span<const AuxiliaryBlock> blocks) = 0;
  virtual bool solve(std::span<const double> b, std::span<double> mu) = 0;
};

// For equalities only. Rows may be redundant: a symmetric A is solved by semidefinite.h, which shares the load among
// them; any other by elimination with full pivoting, where rows beyond the rank get no force.
class EqualitySolver final : public AuxiliarySolver {
 public:
  bool takes(RowLaw::Kind kind) const override { return kind == RowLaw::Kind::equality; }
  bool prepare(std::span<const double> A, std::span<const double> sizes, bool symmetric,
               std::span<const AuxiliaryBlock> blocks) override;
  bool solve(std::span<const double> b, std::span<double> mu) override;
  int rank() const { return rank_; }

 private:
  bool eliminate(std::span<const double> A, std::span<const double> sizes);

  bool symmetric_ = true;
  int rank_ = 0;
  SemidefiniteSolver* current_ = nullptr;
  std::vector<std::unique_ptr<SemidefiniteSolver>> by_size_;  // each made when first needed
  std::vector<double> lu_, work_;
  std::vector<std::size_t> row_, column_;
};

}  // namespace linchpin
