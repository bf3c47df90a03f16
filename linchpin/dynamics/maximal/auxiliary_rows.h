// Auxiliary constraints with anticipation [004 s.8]: what closes loops, holds a body alone, holds many at once, pushes
// one way only, or pushes along other directions than it holds.
//
// Let y0 be what the primary constraints make of the forces, and Mhat^-1 the answer of the bodies, held by the primary
// constraints, to a force: a solve of constraint_forest.h (1) with r = 0. With the rows J^a, the forces K mu and the
// softness E,
//     a = J^a y - r^a + E mu = (J^a Mhat^-1 K + E) mu + (J^a y0 - r^a)                                 [004 (12)]
// The matrix costs O(n k): eight columns of K at a time, each solve only on nodes between touched bodies and their
// roots. An AuxiliarySolver finds mu; then one more solve with F + K mu gives y and the primary multipliers.
//
// 004's text has the response's sign and one inverse wrong here: F^resp = J' l with A l = -J M^-1 k, and column j is
// M^-1 (F^resp + k_j). Our solve gives that column as its y.
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
  explicit AuxiliaryRows(const ConstraintForest& forest);

  void clear();
  void begin_row(double softness = 0);
  // Of the row begun last; one for each body of it. k empty: the same as j.
  void add(int body, std::span<const double> j, std::span<const double> k = {});

  int size() const { return int(rows_.size()); }
  // Whether all forces are along their rows: the matrix is symmetric then.
  bool symmetric() const { return symmetric_; }

  // The matrix, row by row, by factors of the forest.
  std::span<const double> form(ForestFactors& factors);
  // After form(): what the diagonal would be were the bodies held from their tips only. A diagonal that is a small part
  // of it is rounding: the primary constraints hold that row already.
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
    std::size_t y, j, k;  // first numbers: of the body, of the values
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

// a = A mu + b with every block of (mu, a) obeying its law. A is prepared once and solved for any number of b.
class AuxiliarySolver {
 public:
  virtual ~AuxiliarySolver() = default;
  virtual bool takes(RowLaw::Kind kind) const = 0;
  // A, k x k row by row, stays as it is until the last solve().
  virtual bool prepare(std::span<const double> A, std::span<const double> sizes, bool symmetric,
                       std::span<const AuxiliaryBlock> blocks) = 0;
  virtual bool solve(std::span<const double> b, std::span<double> mu) = 0;
};

// Equalities alone. Redundant rows are found and share the load: by semidefinite.h where A is symmetric, else by
// elimination with full pivoting, where rows beyond the rank get no force.
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
