#include "linchpin/solvers/conic/cell_system.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"
#include "linchpin/solvers/conic/cones.h"

namespace linchpin {
namespace {

// From this many cells on float factors save more than refinement costs (docs/interior_point.md).
constexpr std::size_t many_cells = 400;
constexpr double rough_accuracy = 1e-4;  // (3): 1e-5 takes 4 % more time at 1000 contacts, 1e-3 no less
// A refinement step has to reduce the square of the residual by this factor, else the matrix is too near a singular
// one.
constexpr double least_gain = 1e-2;
// Factorisations in double after a failure of float; doubled by each failure, up to 64.
constexpr int wait_after_failure = 4;

// out = L w, w a block of `size` rows, w_stride apart, and m columns.
void multiply_left(const double* L, int size, const double* w, int w_stride, int m, double* out, int out_stride) {
  if (size == 1) {
    for (int j = 0; j < m; ++j) out[j] = L[0] * w[j];
    return;
  }
  const double *w0 = w, *w1 = w + w_stride, *w2 = w1 + w_stride;
  int j = 0;
  for (; j + 8 <= m; j += 8) {
    const Double8 a = Double8::load(w0 + j), b = Double8::load(w1 + j), c = Double8::load(w2 + j);
    for (int i = 0; i < 3; ++i)
      fma(Double8(L[3 * i]), a, fma(Double8(L[3 * i + 1]), b, Double8(L[3 * i + 2]) * c))
          .store(out + i * out_stride + j);
  }
  for (; j < m; ++j)
    for (int i = 0; i < 3; ++i)
      out[i * out_stride + j] = L[3 * i] * w0[j] + L[3 * i + 1] * w1[j] + L[3 * i + 2] * w2[j];
}

}  // namespace

void CellSystem::prepare(const ScaledProblem& p, bool with_float) {
  flags_.assign(p.cells.size(), {});
  L_.resize(9 * p.cells.size());
  R_.resize(9 * p.cells.size());
  for (std::vector<double>* x : {&rhs_, &x_, &Wx_}) x->assign(p.stride, 0.0);
  rows_.reserve(p.n);
  const bool many = p.cells.size() >= many_cells;
  with_float_ = with_float && p.sparse && many;
  is_float_ = false;
  failures_ = wait_ = 0;
  if (p.sparse)
    sparse_.analyse(p.blocks, many);
  else
    dense_.matrix(p.n);  // room for all rows: any number may be active later
  if (with_float_) sparse_.make_room_for_float();
}

bool CellSystem::factor(const ScaledProblem& p, bool rough) {
  return p.sparse ? factor_sparse(p, rough) : factor_dense(p);
}

bool CellSystem::factor_dense(const ScaledProblem& p) {
  rows_.clear();
  for (std::size_t c = 0; c < p.cells.size(); ++c)
    for (int k = 0; k < p.cells[c].size; ++k)
      if (flags_[c].active) rows_.push_back(p.cells[c].start + k);
  const int m = int(rows_.size());
  double* K = dense_.matrix(m);
  const int stride = dense_.stride();
  double gathered[3 * 8];
  int at = 0;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    if (!flags_[c].active) continue;
    const Cell& cell = p.cells[c];
    const double* W = &p.W[index(cell.start) * p.stride];
    double* row = K + index(at) * stride;
    if (m == p.n) {
      if (flags_[c].unit_L)
        for (int k = 0; k < cell.size; ++k) std::copy_n(W + index(k) * p.stride, stride, row + index(k) * stride);
      else
        multiply_left(L(c), cell.size, W, p.stride, stride, row, stride);
    } else {
      for (int j = 0; j < m; j += 8) {
        const int width = std::min(8, m - j);
        for (int k = 0; k < cell.size; ++k)
          for (int i = 0; i < width; ++i) gathered[8 * k + i] = W[index(k) * p.stride + index(rows_[j + i])];
        if (flags_[c].unit_L)
          for (int k = 0; k < cell.size; ++k) std::copy_n(gathered + 8 * k, width, row + k * stride + j);
        else
          multiply_left(L(c), cell.size, gathered, 8, width, row + j, stride);
      }
      for (int k = 0; k < cell.size; ++k)
        for (int j = m; j < stride; ++j) row[k * stride + j] = 0;
    }
    for (int i = 0; i < cell.size; ++i)
      for (int j = 0; j < cell.size; ++j) row[i * stride + at + j] += R(c)[cell.size * i + j];
    at += cell.size;
  }
  return m == 0 || dense_.factor();
}

bool CellSystem::factor_sparse(const ScaledProblem& p, bool rough) {
  is_float_ = false;
  if (std::all_of(flags_.begin(), flags_.end(), [](const Flags& f) { return f.active && f.unit_L; })) {  // W + R
    if (rough && with_float_ && wait_-- <= 0) is_float_ = sparse_.factor<float>(p.blocks.values.data(), R_.data());
    return is_float_ || sparse_.factor<double>(p.blocks.values.data(), R_.data());
  }
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    const int size = p.cells[c].size;
    const int first = p.blocks.first[c], end = p.blocks.first[c + 1];
    const SparseLu::Place diagonal = sparse_.diagonal(int(c));
    if (!flags_[c].active) {
      sparse_.clear_row(int(c), first, end);
      for (int i = 0; i < size; ++i) diagonal.at[i * diagonal.stride + i] = 1;
      continue;
    }
    if (!sparse_.has_diagonal(int(c))) sparse_.clear_row(int(c), first, first);
    if (flags_[c].unit_L && first < end) {  // copies a row of blocks
      const std::size_t from = p.blocks.value_start[first], to = index(end) < p.blocks.value_start.size()
                                                                     ? p.blocks.value_start[end]
                                                                     : p.blocks.values.size();
      std::copy(&p.blocks.values[from], p.blocks.values.data() + to, sparse_.block(first).at);
    }
    for (int e = first; e < end && !flags_[c].unit_L; ++e) {
      const SparseLu::Place place = sparse_.block(e);
      const int width = p.cells[p.blocks.column[e]].size;
      multiply_left(L(c), size, &p.blocks.values[p.blocks.value_start[e]], width, width, place.at, place.stride);
    }
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) diagonal.at[i * diagonal.stride + j] += R(c)[size * i + j];
  }
  return sparse_.factor();
}

// Solves by float factors with refinement; false if that does not reach (3). rhs_ keeps the original b.
bool CellSystem::solve_float(const ScaledProblem& p, double* b) {
  const auto square = [&](const double* x) {
    Double8 sum(0.0);
    for (int i = 0; i < p.stride; i += 8) sum = fma(Double8::load(x + i), Double8::load(x + i), sum);
    return linchpin::sum(sum, 8);
  };
  for (int i = p.n; i < p.stride; ++i) b[i] = 0;
  std::copy_n(b, p.stride, rhs_.data());
  std::fill(x_.begin(), x_.end(), 0.0);
  double before = square(b);
  const double enough = rough_accuracy * rough_accuracy * before;
  for (;;) {  // b holds the residual, then the refinement step
    sparse_.solve<float>(b);
    for (int i = 0; i < p.stride; i += 8) (Double8::load(&x_[i]) + Double8::load(b + i)).store(&x_[i]);
    p.multiply(x_.data(), Wx_.data());
    for (std::size_t c = 0; c < p.cells.size(); ++c) {
      const int at = p.cells[c].start, size = p.cells[c].size;
      for (int i = 0; i < size; ++i) {
        double sum = Wx_[at + i];
        for (int j = 0; j < size; ++j) sum += R(c)[size * i + j] * x_[at + j];
        b[at + i] = rhs_[at + i] - sum;
      }
    }
    const double now = square(b);
    if (now <= enough) break;
    if (!(now < least_gain * before)) return false;
    before = now;
  }
  std::copy_n(x_.data(), p.stride, b);
  return true;
}

void CellSystem::solve(const ScaledProblem& p, double* b) {
  if (is_float_ && !solve_float(p, b)) {
    is_float_ = false;
    wait_ = wait_after_failure << std::min(failures_++, 4);
    std::copy_n(rhs_.data(), p.stride, b);
    if (!sparse_.factor<double>(p.blocks.values.data(), R_.data())) {
      std::fill_n(b, p.n, std::nan(""));
      return;
    }
  } else if (is_float_) {
    return;
  }
  if (p.sparse) {
    sparse_.solve(b);
    return;
  }
  bool moves = false;  // whether a cell of (1) has a nonzero x
  for (std::size_t c = 0; c < p.cells.size(); ++c)
    for (int k = p.cells[c].start; k < p.cells[c].start + p.cells[c].size; ++k) {
      x_[k] = flags_[c].active ? 0 : b[k];
      moves = moves || x_[k] != 0;
    }
  if (moves) p.multiply(x_.data(), Wx_.data());
  std::size_t at = 0;
  for (std::size_t c = 0; c < p.cells.size(); ++c) {
    if (!flags_[c].active) continue;
    const Cell& cell = p.cells[c];
    for (int i = 0; i < cell.size; ++i, ++at) {
      rhs_[at] = b[cell.start + i];
      if (!moves) continue;
      if (flags_[c].unit_L)
        rhs_[at] -= Wx_[cell.start + i];
      else
        for (int j = 0; j < cell.size; ++j) rhs_[at] -= L(c)[cell.size * i + j] * Wx_[cell.start + j];
    }
  }
  if (at > 0) dense_.solve(rhs_.data());
  for (std::size_t k = 0; k < at; ++k) b[rows_[k]] = rhs_[k];
}

}  // namespace linchpin
