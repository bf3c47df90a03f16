// Multifrontal LU factors of a sparse matrix of small blocks. For solvers/conic.
//
// Cells (block rows) are eliminated in an order that keeps the factors sparse, some of them together (ordering.h).
// Cells eliminated together form a dense front: their rows and columns, and those of the cells that are coupled to
// them,
//     [A11 A12]    P A11 = L11 U11,  U12 = L11^-1 P A12,  L21' = U11'^-1 A21'
//     [A21 A22]    Schur complement, for the parent in the elimination tree: A22 - L21 U12                       (1)
// A front is the sum of the matrix's own entries and of its children's Schur complements. [A11 A12] becomes the front's
// part of the factors in place. The columns of [A11; L21] are stored beside it, A11 with the columns of L11 and of U11,
// whose rows are divided by their pivots, so that both halves of solve() read memory row by row. A22 is never stored: a
// tile of L21 U12 in registers is subtracted from the children's Schur complements, and the result goes onto a stack.
// There are two stacks, for even and odd generations, so that no front writes to the stack it reads. Rows are exchanged
// only among the eliminated rows of a front: enough for matrices that are nearly positive definite, such as those of
// Newton's method for contacts.
//
// Factors can also be float, which takes half of the time and gives seven digits, or more with refinement.
#pragma once

#include <cstddef>
#include <vector>

#include "linchpin/algebra/matrix.h"
#include "linchpin/base/aligned.h"

namespace linchpin {

class SparseLu {
 public:
  // Symbolic analysis for matrices whose blocks are among those of S and the diagonal. Does nothing if S has the
  // pattern of the last call. `wide`: pads rows to whole registers of float, as make_room_for_float() needs; costs some
  // zeros.
  void analyse(const BlockSparse& S, bool wide = false);
  void make_room_for_float();  // after a wide analysis, before float factors

  // Where to write entry e of S: its first number, rows `stride` apart. Entries lie one after the other in the order of
  // S. Every row of a new matrix has to be written or cleared.
  struct Place {
    double* at;
    int stride;
  };
  Place block(int entry) { return place(entry_[entry]); }
  Place diagonal(int cell) { return place(diagonal_[cell]); }
  bool has_diagonal(int cell) const { return sources_[diagonal_[cell]].stored; }  // whether S has this block
  void clear_row(int cell, int first, int end);  // zeroes the entries [first, end) of S, and the diagonal

  bool factor() { return factor<double>(values_.data(), nullptr); }  // false if a pivot is zero or not finite
  // Factors S with its values in `blocks`, one block after the other, plus a square block for each cell on the
  // diagonal: nine numbers per cell, of which cells of one row use the first. For double and float.
  template <class S>
  bool factor(const double* blocks, const double* squares);
  // b becomes the solution, by the last factors of type S.
  template <class S = double>
  void solve(double* b);
  bool determinant_is_positive() const;                           // of the matrix that was last factored in double
  std::size_t numbers() const { return double_.factors.size(); }  // stored in the factors

 private:
  struct Front {
    int pivots = 0, left = 0;             // rows eliminated here, and rows coupled to them (order of A11, A22)
    int gap = 0, width = 0;               // the same two, padded to whole registers
    int stride = 0;                       // of [A11 A12]: gap + width
    std::size_t top = 0, columns = 0;     // into Numbers::factors: `pivots` rows each
    std::size_t row = 0;                  // into rows_: its rows of the matrix, pivots first
    std::size_t pivot = 0;                // into Numbers::exchanged, inverse and y_: `gap` of each
    std::size_t source = 0, sources = 0;  // into sources_: the matrix's own entries
    std::size_t child = 0, children = 0;  // into children_
    int stack = 0;                        // the stack of its Schur complement
    std::size_t left_over = 0;            // its place there: `left` rows, `width` apart
  };
  // A block of the matrix: where the caller writes it, and where it goes in a front.
  struct Source {
    std::size_t at;
    int rows, columns;
    int diagonal;     // the cell, -1 off the diagonal
    bool stored;      // false: a diagonal block that S does not have
    int row, column;  // in the front; rows after the pivots count from `pivots`, columns from `gap`
  };
  // Eight columns of a front, or sixteen: those in the bit mask `lanes` get the child's numbers from `from` on.
  struct Spread {
    int from = 0;
    unsigned lanes = 0;
  };
  // How the Schur complement of a child is added to a front.
  struct Child {
    int front;
    std::size_t row = 0;     // into row_of_child_: for each row of the front the child's row, or -1
    std::size_t target = 0;  // into row_of_parent_: for each row of the Schur complement the front's row
    int to_pivots = 0;       // how many of those, the first ones, are pivots of the front
    std::size_t spread = 0;  // into spreads_: one for each eight columns of the front
  };
  // A child seen from a tile of its parent.
  template <class S>
  struct ChildOfTile {
    const S* rows[8];  // its numbers in each row of the tile; Numbers::zeros if it has none
    const Spread* spread;
  };
  // The factors of type S and their workspace.
  template <class S>
  struct Numbers {
    AlignedArray<S> factors;    // on huge pages if they are large
    AlignedArray<S> stacks[2];  // Schur complements of fronts at even and at odd distance from the root
    AlignedArray<S> bottom, zeros;
    AlignedArray<S> known;  // solution in the rows that a front is coupled to
    std::vector<ChildOfTile<S>> tile_children;
    std::vector<double> inverse;  // of pivots
    std::vector<int> exchanged;   // rows of the matrix by pivot, after exchanges; padding holds any valid row
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

  std::vector<int> row_start_, first_, column_;  // the pattern that was analysed
  std::vector<Front> fronts_;                    // children before parents
  std::vector<Child> children_;
  std::vector<int> rows_, row_of_child_, row_of_parent_, pivot_;
  std::vector<double> y_;  // L^-1 b
  std::vector<Source> sources_;
  std::vector<Spread> spreads_;
  std::vector<std::size_t> entry_, diagonal_;  // into sources_
  std::vector<double> values_, local_;
  bool wide_ = false;
  struct Room {  // sizes of the vectors in Numbers, as counted by analyse()
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
