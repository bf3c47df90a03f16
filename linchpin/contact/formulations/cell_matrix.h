// Assembles a block-sparse Delassus matrix W: many rows, few of which are coupled (a pile of loose bodies).
//
// A cell is a cone, or a single row of another block, as in the sparse solvers. A group is a set of links that are
// connected by joints: an impulse on one moves the others. Two cells are coupled if they act on the same group. Only
// blocks of coupled cells are stored.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/rows.h"

namespace linchpin {

class CellMatrix {
 public:
  // Finds the cells and the pattern of blocks, or keeps the last pattern if it still fits, and makes M block-sparse
  // with this pattern and zeros. The functions below write into M until the next call. Returns false, and leaves M
  // alone, if a dense matrix is as fast (few rows, or most cells are coupled); no other function may be called then.
  // group_of_link: numbers from 0 to groups - 1, read for links that a row acts on.
  bool place(const Rows& rows, std::span<const int> group_of_link, int groups, Matrix& M);

  int cell_of(int row) const { return cell_of_row_[row]; }
  int start(int cell) const { return pattern_.row_start[cell]; }
  int width(int cell) const { return start(cell + 1) - start(cell); }
  double* block(int cell, int other);  // row by row; the cells must be coupled
  double& diagonal(int row);
  void clear_row(int row);  // sets the row and its column to zero

 private:
  void find_cells(const Rows& rows);
  void list_cells_of_groups();
  bool find_coupled_cells();
  bool find_pattern(const Rows& rows, std::span<const int> group_of_link, int groups);
  bool is_as_last(const Rows& rows, std::span<const int> group_of_link, int groups) const;
  std::span<const int> groups_of(int cell) const {  // one for each side of its rows
    const int first = last_.first_side[start(cell)], end = last_.first_side[start(cell + 1)];
    return std::span(last_.group).subspan(first, end - first);
  }

  BlockSparse pattern_;       // without values
  std::size_t numbers_ = 0;   // how many values there are
  std::span<double> values_;  // those of the matrix that place() was given
  std::vector<int> cell_of_row_;
  std::vector<std::size_t> own_;             // by cell: start of its diagonal block in the values
  std::vector<int> first_in_, in_, filled_;  // cells of each group, ascending
  std::vector<int> met_by_;                  // by cell or group: the last cell that was found to be coupled to it
  struct {
    std::vector<Block> blocks;
    std::vector<int> first_side, group;  // group: by side
    int groups = 0;
  } last_;  // the rows that pattern_ was made for: bodies at rest keep their contacts
};

}  // namespace linchpin
