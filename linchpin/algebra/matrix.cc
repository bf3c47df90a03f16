#include "linchpin/algebra/matrix.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/base/index.h"

namespace linchpin {
namespace {

void check_starts(const std::vector<int>& start, const char* what) {
  check(!start.empty() && start.front() == 0, what, " must begin with 0");
  for (std::size_t i = 1; i < start.size(); ++i)
    check(start[i] > start[i - 1], what, " must ascend: ", start[i - 1], " is followed by ", start[i]);
}

void check_shape(const BlockSparse& S) {
  check_starts(S.row_start, "row_start");
  check_starts(S.column_start, "column_start");
  check(int(S.first.size()) == S.row_blocks() + 1, "first has ", S.first.size(), " numbers for ", S.row_blocks(),
        " row blocks");
  check(S.column.size() == index(S.first.back()) && S.value_start.size() == S.column.size(), "first ends with ",
        S.first.back(), ", there are ", S.column.size(), " columns and ", S.value_start.size(), " value starts");
  check(S.first.front() == 0, "first begins with ", S.first.front(), " instead of 0");
  for (int i = 0; i < S.row_blocks(); ++i)
    check(S.first[i] <= S.first[i + 1], "first must not descend: ", S.first[i], " is followed by ", S.first[i + 1]);
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
      const int j = S.column[e];
      check(j >= 0 && j < S.column_blocks(), "column block ", j, " of ", S.column_blocks());
      check(e == S.first[i] || S.column[e - 1] < j, "columns of row block ", i, " do not ascend");
      const int size = (S.row_start[i + 1] - S.row_start[i]) * (S.column_start[j + 1] - S.column_start[j]);
      check(S.value_start[e] + size <= S.values.size(), "values end at ", S.values.size(), ", block ", e, " needs ",
            S.value_start[e] + size);
    }
}

// Gives every block its own values, one after the other: callers may have them in any order, or shared.
void put_in_order(BlockSparse& S) {
  std::vector<std::size_t> start;
  std::vector<double> values;
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
      const int j = S.column[e];
      const auto from = S.values.begin() + std::ptrdiff_t(S.value_start[e]);
      const int size = (S.row_start[i + 1] - S.row_start[i]) * (S.column_start[j + 1] - S.column_start[j]);
      start.push_back(values.size());
      values.insert(values.end(), from, from + size);
    }
  S.value_start = std::move(start);
  S.values = std::move(values);
}

// The inverse of one symmetric positive definite block by its Cholesky factor, row by row.
void invert(const double* A, int n, double* inverse) {
  std::vector<double> L(A, A + n * n);
  for (int j = 0; j < n; ++j) {
    double d = L[j * n + j];
    for (int k = 0; k < j; ++k) d -= L[j * n + k] * L[j * n + k];
    check(d > 0, "a block of A is not positive definite: pivot ", j, " is ", d);
    L[j * n + j] = std::sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      double s = L[i * n + j];
      for (int k = 0; k < j; ++k) s -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = s / L[j * n + j];
    }
  }
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < n; ++i) {  // L y = e_c
      double s = i == c ? 1 : 0;
      for (int k = 0; k < i; ++k) s -= L[i * n + k] * inverse[k * n + c];
      inverse[i * n + c] = s / L[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {  // L' x = y
      double s = inverse[i * n + c];
      for (int k = i + 1; k < n; ++k) s -= L[k * n + i] * inverse[k * n + c];
      inverse[i * n + c] = s / L[i * n + i];
    }
  }
}

// y = S x, or y = S' x; S with these values in its blocks
template <class X, class T>
void multiply(const BlockSparse& S, const std::vector<double>& values, const X* x, T* y) {
  std::fill(y, y + S.rows(), T(0));
  for (int i = 0; i < S.row_blocks(); ++i) {
    const int r0 = S.row_start[i], rows = S.row_start[i + 1] - r0;
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
      const int j = S.column[e], c0 = S.column_start[j], columns = S.column_start[j + 1] - c0;
      const double* v = &values[S.value_start[e]];
      for (int r = 0; r < rows; ++r, v += columns) {
        T sum = 0;
        for (int c = 0; c < columns; ++c) sum += T(v[c]) * x[c0 + c];
        y[r0 + r] += sum;
      }
    }
  }
}
template <class T>
void multiply_transposed(const BlockSparse& S, const double* x, T* y) {
  std::fill(y, y + S.columns(), T(0));
  for (int i = 0; i < S.row_blocks(); ++i) {
    const int r0 = S.row_start[i], rows = S.row_start[i + 1] - r0;
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
      const int j = S.column[e], c0 = S.column_start[j], columns = S.column_start[j + 1] - c0;
      const double* v = &S.values[S.value_start[e]];
      for (int r = 0; r < rows; ++r, v += columns)
        for (int c = 0; c < columns; ++c) y[c0 + c] += T(v[c]) * x[r0 + r];
    }
  }
}

// out += a b', where a has `rows` and b `columns` rows of n numbers.
template <int rows, int columns, int n>
inline void add_product_of(const double* a, const double* b, double* out, int stride) {
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 3
    for (int c = 0; c < columns; ++c) {
      double sum = 0;
#pragma GCC unroll 6
      for (int m = 0; m < n; ++m) sum += a[r * n + m] * b[c * n + m];
      out[r * stride + c] += sum;
    }
}

// Adds (H A^-1)_i H_k' over the column blocks that both row blocks have.
void add_product(const BlockSparse& H, const std::vector<double>& HA, int i, int k, double* out, int stride) {
  const int rows = H.row_start[i + 1] - H.row_start[i], columns = H.row_start[k + 1] - H.row_start[k];
  int e = H.first[i], f = H.first[k];
  const int e_end = H.first[i + 1], f_end = H.first[k + 1];
  while (e < e_end && f < f_end) {
    const int j = H.column[e], l = H.column[f];
    if (j < l) {
      ++e;
      continue;
    }
    if (l < j) {
      ++f;
      continue;
    }
    const int n = H.column_start[j + 1] - H.column_start[j];
    const double *a = &HA[H.value_start[e]], *b = &H.values[H.value_start[f]];
    if (rows == 3 && columns == 3 && n == 6)  // contacts of rigid bodies
      add_product_of<3, 3, 6>(a, b, out, stride);
    else
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
          double sum = 0;
          for (int m = 0; m < n; ++m) sum += a[r * n + m] * b[c * n + m];
          out[r * stride + c] += sum;
        }
    ++e;
    ++f;
  }
}

int block_at(const std::vector<int>& start, int row) {
  return int(std::upper_bound(start.begin(), start.end(), row) - start.begin()) - 1;
}

// The nonzero blocks of H A^-1 H': pairs of row blocks that share a column block.
BlockSparse product_pattern(const BlockSparse& H) {
  std::vector<std::vector<int>> rows_of(H.column_blocks());
  for (int i = 0; i < H.row_blocks(); ++i)
    for (int e = H.first[i]; e < H.first[i + 1]; ++e) rows_of[H.column[e]].push_back(i);
  BlockSparse S;
  S.row_start = S.column_start = H.row_start;
  std::size_t size = 0;
  std::vector<int> near;
  for (int i = 0; i < H.row_blocks(); ++i) {
    near.clear();
    for (int e = H.first[i]; e < H.first[i + 1]; ++e) {
      const std::vector<int>& r = rows_of[H.column[e]];
      near.insert(near.end(), r.begin(), r.end());
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const int k : near) {
      S.column.push_back(k);
      S.value_start.push_back(size);
      size += index((H.row_start[i + 1] - H.row_start[i]) * (H.row_start[k + 1] - H.row_start[k]));
    }
    S.first.push_back(int(S.column.size()));
  }
  S.values.assign(size, 0.0);
  return S;
}

std::vector<std::size_t> square_starts(const std::vector<int>& start) {
  std::vector<std::size_t> at{0};
  for (std::size_t j = 0; j + 1 < start.size(); ++j) {
    const std::size_t n = start[j + 1] - start[j];
    at.push_back(at.back() + n * n);
  }
  return at;
}

}  // namespace

BlockSparse block_sparse(std::vector<int> row_start, std::vector<int> column_start, std::span<const Triplet> triplets) {
  BlockSparse S;
  S.row_start = std::move(row_start);
  S.column_start = std::move(column_start);
  check_starts(S.row_start, "row_start");
  check_starts(S.column_start, "column_start");
  std::vector<int> row_block(S.rows()), column_block(index(S.columns()));
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int r = S.row_start[i]; r < S.row_start[i + 1]; ++r) row_block[r] = i;
  for (int j = 0; j < S.column_blocks(); ++j)
    for (int c = S.column_start[j]; c < S.column_start[j + 1]; ++c) column_block[c] = j;
  std::vector<std::vector<int>> present(S.row_blocks());
  for (const Triplet& t : triplets) {
    check(t.row >= 0 && t.row < S.rows() && t.column >= 0 && t.column < S.columns(), "entry (", t.row, ", ", t.column,
          ") of a matrix of ", S.rows(), " x ", S.columns());
    std::vector<int>& row = present[row_block[t.row]];
    const int j = column_block[t.column];
    if (row.empty() || row.back() != j) row.push_back(j);
  }
  std::size_t size = 0;
  for (int i = 0; i < S.row_blocks(); ++i) {
    std::vector<int>& row = present[i];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const int j : row) {
      S.column.push_back(j);
      S.value_start.push_back(size);
      size += index((S.row_start[i + 1] - S.row_start[i]) * (S.column_start[j + 1] - S.column_start[j]));
    }
    S.first.push_back(int(S.column.size()));
  }
  S.values.assign(size, 0.0);
  for (const Triplet& t : triplets) {
    const int i = row_block[t.row], j = column_block[t.column];
    const auto from = S.column.begin() + S.first[i], to = S.column.begin() + S.first[i + 1];
    const std::size_t e = std::size_t(std::lower_bound(from, to, j) - S.column.begin());
    const int columns = S.column_start[j + 1] - S.column_start[j];
    S.values[S.value_start[e] + index((t.row - S.row_start[i]) * columns + t.column - S.column_start[j])] += t.value;
  }
  return S;
}

void Matrix::make_dense(int n) {
  check(n >= 0, "a matrix of ", n, " rows");
  kind_ = Kind::dense;
  n_ = n;
  dense_.resize(index(n) * n);
  for (std::vector<int>* list : {&blocks_.first, &blocks_.row_start, &blocks_.column_start}) list->assign(1, 0);
  blocks_.column.clear();
  blocks_.value_start.clear();
  for (std::vector<double>* list : {&blocks_.values, &A_, &HA_}) list->clear();
}

void Matrix::assign(const BlockSparse& blocks) {
  check_shape(blocks);
  check(blocks.row_start == blocks.column_start, "a sparse matrix has the same blocks for rows and columns");
  for (std::size_t e = 1; e < blocks.value_start.size(); ++e)
    check(blocks.value_start[e - 1] < blocks.value_start[e], "numbers of block ", e, " are not in order");
  kind_ = Kind::block_sparse;
  n_ = blocks.rows();
  blocks_ = blocks;
  for (std::vector<double>* list : {&dense_, &A_, &HA_}) list->clear();
}

const double* Matrix::dense_view(std::vector<double>& room) const {
  if (kind_ == Kind::dense) return dense_.data();
  room.resize(index(n_) * n_);
  to_dense(room.data(), n_);
  return room.data();
}

BlockSparse& Matrix::make_sparse(int n) {
  make_dense(0);
  kind_ = Kind::block_sparse;
  n_ = n;
  return blocks_;
}

Matrix Matrix::dense(int n, std::vector<double> row_by_row) {
  check(n >= 0 && row_by_row.size() == index(n) * n, "a dense matrix of ", n, " rows has ", row_by_row.size(),
        " numbers");
  Matrix M;
  M.n_ = n;
  M.dense_ = std::move(row_by_row);
  return M;
}

Matrix Matrix::sparse(BlockSparse blocks) {
  check_shape(blocks);
  check(blocks.row_start == blocks.column_start, "a sparse matrix has the same blocks for rows and columns");
  put_in_order(blocks);
  Matrix M;
  M.kind_ = Kind::block_sparse;
  M.n_ = blocks.rows();
  M.blocks_ = std::move(blocks);
  return M;
}

Matrix Matrix::factored(Factored product) {
  check_shape(product.H);
  Matrix M;
  M.kind_ = Kind::factored;
  M.n_ = product.H.rows();
  M.blocks_ = std::move(product.H);
  const BlockSparse& H = M.blocks_;
  const std::vector<std::size_t> start = square_starts(H.column_start);
  check(product.A.size() == start.back(), "A has ", product.A.size(), " numbers, the columns of H need ", start.back());
  M.A_ = std::move(product.A);
  std::vector<double> inverse(M.A_.size());
  for (int j = 0; j < H.column_blocks(); ++j)
    invert(&M.A_[start[j]], H.column_start[j + 1] - H.column_start[j], &inverse[start[j]]);
  M.HA_.assign(H.values.size(), 0.0);
  for (int i = 0; i < H.row_blocks(); ++i)
    for (int e = H.first[i]; e < H.first[i + 1]; ++e) {
      const int j = H.column[e], n = H.column_start[j + 1] - H.column_start[j];
      const double *h = &H.values[H.value_start[e]], *A = &inverse[start[j]];
      double* out = &M.HA_[H.value_start[e]];
      for (int r = 0; r < H.row_start[i + 1] - H.row_start[i]; ++r, h += n, out += n)
        for (int k = 0; k < n; ++k)
          for (int c = 0; c < n; ++c) out[c] += h[k] * A[k * n + c];
    }
  return M;
}

bool Matrix::finite() const {
  const auto all_finite = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
  };
  return all_finite(dense_) && all_finite(blocks_.values) && all_finite(A_) && all_finite(HA_);
}

std::size_t Matrix::work_size() const { return kind_ == Kind::factored ? index(blocks_.columns()) : 0; }

template <class T>
void Matrix::multiply_in(std::span<const double> z, std::span<T> w, std::span<T> work) const {
  check(z.size() == index(n_) && w.size() == index(n_), "a matrix of ", n_, " rows times ", z.size(), " numbers into ",
        w.size());
  check(work.size() >= work_size(), "work has ", work.size(), " numbers, needs ", work_size());
  if (kind_ == Kind::dense) {
    const double* row = dense_.data();
    for (int i = 0; i < n_; ++i, row += n_) {
      T s0 = 0, s1 = 0, s2 = 0, s3 = 0;  // four independent sums: additions overlap
      int j = 0;
      for (; j + 4 <= n_; j += 4) {
        s0 += T(row[j]) * z[j];
        s1 += T(row[j + 1]) * z[j + 1];
        s2 += T(row[j + 2]) * z[j + 2];
        s3 += T(row[j + 3]) * z[j + 3];
      }
      for (; j < n_; ++j) s0 += T(row[j]) * z[j];
      w[i] = (s0 + s1) + (s2 + s3);
    }
  } else if (kind_ == Kind::block_sparse) {
    linchpin::multiply(blocks_, blocks_.values, z.data(), w.data());
  } else {
    multiply_transposed(blocks_, z.data(), work.data());
    linchpin::multiply(blocks_, HA_, work.data(), w.data());
  }
}

void Matrix::multiply(std::span<const double> z, std::span<double> w, std::span<double> work) const {
  multiply_in<double>(z, w, work);
}
void Matrix::multiply_extended(std::span<const double> z, std::span<long double> w, std::span<long double> work) const {
  multiply_in<long double>(z, w, work);
}

void Matrix::copy(int row, int rows, int column, int columns, double* out, int stride) const {
  for (int r = 0; r < rows; ++r) std::fill(out + r * stride, out + r * stride + columns, 0.0);
  if (kind_ == Kind::dense) {
    for (int r = 0; r < rows; ++r) std::copy_n(&dense_[index(row + r) * n_ + column], columns, out + r * stride);
    return;
  }
  const BlockSparse& S = blocks_;
  for (int i = block_at(S.row_start, row); i < S.row_blocks() && S.row_start[i] < row + rows; ++i) {
    const int r0 = S.row_start[i], r1 = S.row_start[i + 1];
    if (kind_ == Kind::block_sparse) {
      for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
        const int j = S.column[e], c0 = S.column_start[j], c1 = S.column_start[j + 1];
        if (c1 <= column || c0 >= column + columns) continue;
        const double* v = &S.values[S.value_start[e]];
        for (int r = std::max(r0, row); r < std::min(r1, row + rows); ++r)
          for (int c = std::max(c0, column); c < std::min(c1, column + columns); ++c)
            out[(r - row) * stride + c - column] = v[(r - r0) * (c1 - c0) + c - c0];
      }
    } else {
      for (int k = block_at(S.row_start, column); k < S.row_blocks() && S.row_start[k] < column + columns; ++k) {
        const int c0 = S.row_start[k], c1 = S.row_start[k + 1];
        if (r0 >= row && r1 <= row + rows && c0 >= column && c1 <= column + columns) {
          add_product(S, HA_, i, k, out + (r0 - row) * stride + c0 - column, stride);
          continue;
        }
        std::vector<double> whole((r1 - r0) * (c1 - c0));  // the range cuts the block: rare
        add_product(S, HA_, i, k, whole.data(), c1 - c0);
        for (int r = std::max(r0, row); r < std::min(r1, row + rows); ++r)
          for (int c = std::max(c0, column); c < std::min(c1, column + columns); ++c)
            out[(r - row) * stride + c - column] = whole[(r - r0) * (c1 - c0) + c - c0];
      }
    }
  }
}

void Matrix::diagonal(int start, int size, double* out) const {
  const BlockSparse& S = blocks_;
  const int i = kind_ == Kind::block_sparse ? block_at(S.row_start, start) : -1;
  const auto alone = [&](const std::vector<int>& starts) {  // the usual case: a whole block
    return index(i) + 1 < starts.size() && starts[i] == start && starts[i + 1] == start + size;
  };
  if (i < 0 || !alone(S.row_start) || !alone(S.column_start)) return copy(start, size, start, size, out, size);
  const int *first = &S.column[0] + S.first[i], *end = &S.column[0] + S.first[i + 1];
  const int* at = std::find(first, end, i);
  if (at == end)
    std::fill_n(out, size * size, 0.0);
  else
    std::copy_n(&S.values[S.value_start[int(at - &S.column[0])]], size * size, out);
}

void Matrix::form(const std::vector<int>& start, FormedFrom& from, BlockSparse& S) const {
  check(!start.empty() && start.back() == n_, "blocks end at ", start.empty() ? 0 : start.back(), ", the matrix has ",
        n_, " rows");
  if (kind_ == Kind::block_sparse && blocks_.row_start == start) {
    from = {};
    S = blocks_;
    return;
  }
  if (kind_ == Kind::factored && blocks_.row_start == start) {
    const BlockSparse& H = blocks_;
    if (!(from.row_start == start && from.first == H.first && from.column == H.column)) {
      from = {start, H.first, H.column};
      S = product_pattern(H);
    }
    std::fill(S.values.begin(), S.values.end(), 0.0);
    for (int i = 0; i < S.row_blocks(); ++i)
      for (int e = S.first[i]; e < S.first[i + 1]; ++e) {
        const int k = S.column[e];
        add_product(H, HA_, i, k, &S.values[S.value_start[e]], start[k + 1] - start[k]);
      }
    return;
  }
  from = {};
  std::vector<double> all(index(n_) * n_);
  to_dense(all.data(), n_);
  std::vector<Triplet> triplets;
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c)
      if (const double x = all[index(r) * n_ + c]; x != 0) triplets.push_back({r, c, x});
  S = linchpin::block_sparse(start, start, triplets);
}

BlockSparse Matrix::formed(const std::vector<int>& start) const {
  FormedFrom from;
  BlockSparse S;
  form(start, from, S);
  return S;
}

}  // namespace linchpin
