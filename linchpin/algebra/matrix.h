// The matrix of a complementarity problem: dense, block-sparse, or stored as the product H A^-1 H'.
//
// Contact problems have M = H A^-1 H', with A the mass matrix (one symmetric block per mechanism) and H the contact
// Jacobian. The formed M couples every two contacts of the same body; the product takes only the memory of H. Solvers
// ask for products M z, diagonal blocks, or the whole matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linchpin {

// A sparse matrix of dense blocks. row_start[i] is the first row of row block i, with the number of rows at the end;
// column_start likewise. Row block i holds the entries first[i] to first[i + 1] - 1: entry e is the block in column
// block column[e], stored row by row from values[value_start[e]]. The columns of a row block ascend.
struct BlockSparse {
  std::vector<int> row_start{0}, column_start{0};
  std::vector<int> first{0}, column;
  std::vector<std::size_t> value_start;
  std::vector<double> values;

  int rows() const { return row_start.back(); }
  int columns() const { return column_start.back(); }
  int row_blocks() const { return int(row_start.size()) - 1; }
  int column_blocks() const { return int(column_start.size()) - 1; }
};

// One number of a matrix.
struct Triplet {
  int row, column;
  double value;
};

// Blocks that contain a triplet are stored in full; triplets at the same place are summed.
BlockSparse block_sparse(std::vector<int> row_start, std::vector<int> column_start, std::span<const Triplet> triplets);

// H A^-1 H' with A block-diagonal: one symmetric positive definite block for each column block of H, stored row by row
// one after the other.
struct Factored {
  BlockSparse H;
  std::vector<double> A;
};

// The pattern of the matrix that a formed matrix came from.
struct FormedFrom {
  std::vector<int> row_start, first, column;
};

class Matrix {
 public:
  enum class Kind { dense, block_sparse, factored };

  Matrix() = default;  // no rows
  static Matrix dense(int n, std::vector<double> row_by_row);
  static Matrix sparse(BlockSparse blocks);  // square, the same blocks for rows and columns
  static Matrix factored(Factored product);  // fails a check if A is not positive definite

  // Becomes a dense matrix of n rows, whose numbers the caller sets (dense()). Keeps its memory.
  void make_dense(int n);
  // Becomes a copy of `blocks`, which have the same row and column blocks and values in order. Keeps its memory.
  void assign(const BlockSparse& blocks);
  // Becomes block-sparse with n rows and no blocks, which the caller adds as above. Keeps its memory.
  BlockSparse& make_sparse(int n);

  Kind kind() const { return kind_; }
  int size() const { return n_; }
  bool finite() const;

  const std::vector<double>& dense() const { return dense_; }  // row by row
  std::vector<double>& dense() { return dense_; }
  const BlockSparse& blocks() const { return blocks_; }  // M itself, or H
  const std::vector<double>& A() const { return A_; }

  // w = M z; multiply_extended() in extended precision. `work` holds at least work_size() numbers.
  std::size_t work_size() const;
  void multiply(std::span<const double> z, std::span<double> w, std::span<double> work) const;
  void multiply_extended(std::span<const double> z, std::span<long double> w, std::span<long double> work) const;
  // Copies some rows and columns of M; the rows of the copy are `stride` numbers apart. Allocates only if a product
  // H A^-1 H' is cut within a block.
  void copy(int row, int rows, int column, int columns, double* out, int stride) const;
  void diagonal(int start, int size, double* out) const;  // row by row
  void to_dense(double* out, int stride) const { copy(0, n_, 0, n_, out, stride); }
  // The whole matrix row by row: its own numbers if it is dense, else a copy in `room`.
  const double* dense_view(std::vector<double>& room) const;
  // S becomes M as blocks over the rows `start` (with the number of rows at the end), values in order. If S came from a
  // matrix of the same pattern, its values are replaced and nothing is allocated.
  void form(const std::vector<int>& start, FormedFrom& from, BlockSparse& S) const;
  BlockSparse formed(const std::vector<int>& start) const;

 private:
  template <class T>
  void multiply_in(std::span<const double> z, std::span<T> w, std::span<T> work) const;

  Kind kind_ = Kind::dense;
  int n_ = 0;
  std::vector<double> dense_;
  BlockSparse blocks_;
  std::vector<double> A_;
  std::vector<double> HA_;  // H A^-1, with the blocks of H
};

}  // namespace linchpin
