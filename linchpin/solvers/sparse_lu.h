// LU factors of a matrix of small blocks, most of which are zero: multifrontal. For this room's own files.
//
// Cells (block rows) are eliminated in an order that keeps the factors sparse (ordering.h). Neighbours in that order
// whose factors have the same pattern are eliminated together, as a dense front: their rows and columns and those of
// the cells that elimination couples to them. A front is the sum of the matrix's own entries and of what its children
// in the elimination tree left over (their Schur complements); all arithmetic is dense_lu's. Rows are exchanged within
// the eliminated rows of a front only: enough for matrices that are nearly positive definite, such as Newton's for
// contacts.
#pragma once

#include <cstddef>
#include <vector>

#include "linchpin/solvers/matrix.h"

namespace linchpin {

class SparseLu {
 public:
  // Makes ready for matrices whose blocks are among those of S, and the diagonal's. Does nothing if S has the pattern
  // of last time.
  void analyse(const BlockSparse& S);

  // A new matrix begins as zeros. Where S's entry e goes: its first number, rows stride apart.
  void clear();
  struct Place {
    double* at;
    int stride;
  };
  Place block(int entry) { return {&data_[entry_at_[std::size_t(entry)]], entry_stride_[std::size_t(entry)]}; }
  Place diagonal(int cell) { return {&data_[diagonal_at_[std::size_t(cell)]], diagonal_stride_[std::size_t(cell)]}; }

  bool factor();                                        // false where a pivot is zero or not finite
  void solve(double* b);                                // b becomes the solution
  std::size_t numbers() const { return data_.size(); }  // in all fronts

 private:
  struct Front {
    int pivots = 0, rows = 0, stride = 0;  // rows: of the matrix, eliminated ones first
    std::size_t data = 0;
    std::size_t row = 0;  // into rows_: which row of the matrix, `rows` of them
    int parent = -1;
    std::size_t to_parent = 0;  // into to_parent_: place of each row after the pivots among the parent's rows (columns)
  };
  int column_of(const Front& f, int row) const;

  std::vector<int> row_start_, first_, column_;  // the pattern at hand
  std::vector<Front> fronts_;                    // children before parents
  std::vector<int> rows_, to_parent_, to_parent_column_, pivot_;
  std::vector<double> data_, local_;
  std::vector<std::size_t> entry_at_, diagonal_at_;
  std::vector<int> entry_stride_, diagonal_stride_;
};

}  // namespace linchpin
