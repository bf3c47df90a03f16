// LU factors of a matrix of small blocks, most of which are zero: multifrontal. For this room's own files.
//
// Cells (block rows) are eliminated in an order that keeps the factors sparse, some of them together (ordering.h), as a
// dense front: their rows and columns and those of the cells that elimination couples to them,
//     [A11 A12]    P A11 = L11 U11,  U12 = L11^-1 P A12,  L21' = U11'^-1 A21'
//     [A21 A22]    left over for the parent in the elimination tree: A22 - L21 U12                               (1)
// A front is the sum of the matrix's own entries and of what its children left over. [A11 A12] becomes the front's part
// of the factors in place; beside it stand the columns of [A11; L21], A11's with those of L11 and of U11's rows divided
// by their pivots, so that both halves of solve() run along rows of memory. A22 is never stored: a tile of L21 U12 that is
// in registers is subtracted from what children left over, and the result goes onto a stack. There are two of them, for
// every other generation: nobody writes where it still reads. Rows are exchanged within the eliminated rows of a front
// only: enough for matrices that are nearly positive definite, such as Newton's for contacts.
//
// Factors may be float as well, for half of the time: whoever can do with seven digits, or refines them.
#pragma once

#include <cstddef>
#include <vector>

#include "linchpin/algebra/matrix.h"
#include "linchpin/base/aligned.h"

namespace linchpin {

class SparseLu {
 public:
  // Makes ready for matrices whose blocks are among those of S, and the diagonal's. Does nothing if S has the pattern
  // of last time. `wide`: rows in whole registers of float, too, at the cost of some zeros; for make_room_for_float().
  void analyse(const BlockSparse& S, bool wide = false);
  void make_room_for_float();  // after a wide analysis, before factors of that kind

  // A new matrix has every row written or cleared. Where S's entry e goes: its first number, rows stride apart. Entries
  // lie one after the other, in S's order.
  struct Place {
    double* at;
    int stride;
  };
  Place block(int entry) { return place(entry_[entry]); }
  Place diagonal(int cell) { return place(diagonal_[cell]); }
  bool has_diagonal(int cell) const { return sources_[diagonal_[cell]].stored; }  // has S one?
  void clear_row(int cell, int first, int end);  // S's entries from first on, and the diagonal

  bool factor() { return factor<double>(values_.data(), nullptr); }  // false where a pivot is zero or not finite
  // The same of S itself, its numbers one after the other in `blocks`, plus a square for each cell on the diagonal: nine
  // numbers for each, of which those with one row use the first. For double and float.
  template <class S>
  bool factor(const double* blocks, const double* squares);
  // b becomes the solution, by the last factors of this kind.
  template <class S = double>
  void solve(double* b);
  bool determinant_is_positive() const;  // of the matrix whose factors are the last ones, of double
  std::size_t numbers() const { return double_.factors.size(); }  // in all factors

 private:
  struct Front {
    int pivots = 0, left = 0;             // rows eliminated here, and those they are coupled to
    int gap = 0, width = 0;               // the same two in whole registers
    int stride = 0;                       // of [A11 A12]: gap + width
    std::size_t top = 0, columns = 0;     // into Numbers::factors: `pivots` rows each
    std::size_t row = 0;                  // into rows_: which row of the matrix, eliminated ones first
    std::size_t pivot = 0;                // into Numbers::exchanged, inverse and y_: `gap` of each
    std::size_t source = 0, sources = 0;  // into sources_: the matrix's own entries
    std::size_t child = 0, children = 0;  // into children_
    int stack = 0;                        // which of Numbers::stacks
    std::size_t left_over = 0;            // there: `left` rows, `width` apart
  };
  // A block of the matrix: where the caller puts it, and where it goes in a front.
  struct Source {
    std::size_t at;
    int rows, columns;
    int diagonal;     // the cell, -1 off the diagonal
    bool stored;      // false: a block of the diagonal that S does not have
    int row, column;  // of the front; rows after the pivots count from `pivots`, columns from `gap`
  };
  // Eight columns of a front, or sixteen: `lanes` of them get the child's numbers from `from` on.
  struct Spread {
    int from = 0;
    unsigned lanes = 0;
  };
  // What a front's child adds to it.
  struct Child {
    int front;
    std::size_t row = 0;     // into row_of_child_: for each row of the front the child's, or -1
    std::size_t target = 0;  // into row_of_parent_: for each row that the child leaves over the front's
    int to_pivots = 0;       // how many of those, the first ones, are among the front's pivots
    std::size_t spread = 0;  // into spreads_: of columns, for each eight of the front's
  };
  // A child as a tile of its parent sees it.
  template <class S>
  struct ChildOfTile {
    const S* rows[8];  // its numbers in each row of the tile; Numbers::zeros where it has none
    const Spread* spread;
  };
  // What factors of one kind are made of and in.
  template <class S>
  struct Numbers {
    AlignedArray<S> factors;    // on huge pages where they are large
    AlignedArray<S> stacks[2];  // what fronts leave over: of even and of odd distance from the root
    AlignedArray<S> bottom, zeros;
    AlignedArray<S> known;  // solutions of the rows that a front is coupled to
    std::vector<ChildOfTile<S>> tile_children;
    std::vector<double> inverse;  // of pivots
    std::vector<int> exchanged;   // rows_ of pivots after exchanges, then of no meaning, but valid
  };
  struct Layout;  // the symbolic analysis: sparse_lu_analysis.cc
  void lay_out_fronts(const Layout& layout);
  void lay_out_stacks(const Layout& layout);
  void map_children(const Layout& layout);
  void map_child(const Layout& layout, int parent, Child& child);
  void map_sources(const BlockSparse& S, const Layout& layout);
  // The column of a front that belongs to its row `row`.
  static int column_of(const Front& f, int row) { return row < f.pivots ? row : f.gap + row - f.pivots; }

  Place place(std::size_t source) { return {&values_[sources_[source].at], sources_[source].columns}; }
  template <class S>
  Numbers<S>& numbers_of();
  template <class S>
  void make_room();
  template <class S>
  static Spread spread_of(const Spread* spreads, int k);
  template <class S>
  void add_child(const Front& f, const Child& child);
  template <class S>
  void assemble(const Front& f, const double* blocks, const double* squares);
  template <class S, int rows>
  void leave_rows(const Front& f, int r);
  template <class S, int rows, int registers>
  void leave_tile(const Front& f, int r, int c, int children);
  template <class S>
  void store_columns(const Front& f);
  template <class S>
  void solve_lower(const Front& f, double* b);
  template <class S>
  void solve_upper(const Front& f, double* b);

  std::vector<int> row_start_, first_, column_;  // the pattern at hand
  std::vector<Front> fronts_;                    // children before parents
  std::vector<Child> children_;
  std::vector<int> rows_, row_of_child_, row_of_parent_, pivot_;
  std::vector<double> y_;  // L^-1 b
  std::vector<Source> sources_;
  std::vector<Spread> spreads_;
  std::vector<std::size_t> entry_, diagonal_;  // into sources_
  std::vector<double> values_, local_;
  bool wide_ = false;
  struct Room {  // of Numbers, as counted by analyse()
    std::size_t factors = 0, stacks[2] = {0, 0}, bottom = 0, row = 0, children = 0, pivots = 0;
  } room_;
  Numbers<double> double_;
  Numbers<float> float_;
};

template <>
inline SparseLu::Numbers<double>& SparseLu::numbers_of() {
  return double_;
}
template <>
inline SparseLu::Numbers<float>& SparseLu::numbers_of() {
  return float_;
}

}  // namespace linchpin
