// The matrix of many rows, most of which have nothing to do with each other: a pile of loose bodies.
//
// Cells are the cones and the single rows of other blocks, as solvers take them. Two cells meet where they touch links that
// move each other (a group); only blocks of cells that meet are stored.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/rows.h"

namespace linchpin {

class CellMatrix {
 public:
  // Finds cells and blocks, all zero, or those of the last time if they are the same. False, and nothing else to be asked
  // for, where a dense matrix is as good: few rows, or most cells meet. Groups by link, numbered from 0; those of links
  // that no row touches are not looked at.
  bool place(const Rows& rows, std::span<const int> group_of_link, int groups);

  int cell_of(int row) const { return cell_of_row_[row]; }
  int start(int cell) const { return blocks_.row_start[cell]; }
  int width(int cell) const { return start(cell + 1) - start(cell); }
  double* block(int cell, int other);  // they meet
  double& diagonal(int row);
  void clear_row(int row);  // and its column
  const BlockSparse& blocks() const { return blocks_; }

 private:
  void find_cells(const Rows& rows);
  bool is_as_last(const Rows& rows, std::span<const int> group_of_link, int groups) const;

  BlockSparse blocks_;
  std::vector<int> cell_of_row_;
  std::vector<std::size_t> own_;             // by cell: where its block with itself begins
  std::vector<int> first_in_, in_, filled_;  // cells of each group, ascending
  std::vector<int> met_by_;                  // by cell: the last one that was seen to meet it
  struct {
    std::vector<Block> blocks;
    std::vector<int> first_side, group;  // group: by side
    int groups = 0;
  } last_;  // what blocks_ were found for: bodies that lie touch where they did
};

}  // namespace linchpin
