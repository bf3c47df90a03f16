#include "linchpin/solvers/conic/scaled_problem.h"

#include <algorithm>
#include <cmath>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// Below this many rows dense factors are faster for every pattern (docs/newton.md).
constexpr int smallest_sparse = 48;
// Above this share of coupled pairs of cells the factors fill in, and sparsity saves nothing.
constexpr double largest_density = 0.5;

void list_cells(const Problem& p, std::vector<Cell>& cells) {
  cells.clear();
  for (const Block& b : p.blocks) {
    if (b.kind == BlockKind::cone) {
      cells.push_back({b.kind, b.start, 3, b.mu});
    } else {
      for (int i = b.start; i < b.start + b.size; ++i) cells.push_back({b.kind, i, 1, 0});
    }
  }
}

double dot(const double* a, const double* b, int n) {  // n a multiple of 8
  Double8 sum(0.0);
  for (int j = 0; j < n; j += 8) sum = fma(Double8::load(a + j), Double8::load(b + j), sum);
  return ((sum.v[0] + sum.v[1]) + (sum.v[2] + sum.v[3])) + ((sum.v[4] + sum.v[5]) + (sum.v[6] + sum.v[7]));
}

}  // namespace

void ScaledProblem::assign(const Problem& p) {
  n = p.size();
  stride = padded(n);
  list_cells(p, cells);
  group_cones();
  row_scales(p, scales_);
  s = scales_.scale;
  q.assign(stride, 0.0);
  inverse_.resize(n);
  double sum = 0, plain = 0;
  for (int i = 0; i < n; ++i) {
    plain += p.q[i] * p.q[i];
    inverse_[i] = 1 / s[i];
    q[i] = p.q[i] / s[i];
    sum += q[i] * q[i];
  }
  q_norm = std::sqrt(sum);
  plain_q_norm = std::sqrt(plain);
  lower.resize(p.lower.size());
  upper.resize(p.upper.size());
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower[i] = p.lower[i] * s[i];
    upper[i] = p.upper[i] * s[i];
  }
  sparse = n >= smallest_sparse && p.M.kind() != Matrix::Kind::dense;
  if (sparse) {
    starts_.clear();
    for (const Cell& c : cells) starts_.push_back(c.start);
    starts_.push_back(n);
    p.M.form(starts_, formed_from_, blocks);
    sparse = double(blocks.column.size()) < largest_density * double(cells.size()) * double(cells.size());
    if (sparse && std::all_of(cells.begin(), cells.end(), [](const Cell& c) { return c.size == 3; })) {
      scale_cones();
      return;
    }
    columns_.clear();
    for (std::size_t i = 0; sparse && i < cells.size(); ++i)
      for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e) {
        const Cell& c = cells[blocks.column[e]];
        double* v = &blocks.values[blocks.value_start[e]];
        for (int r = 0; r < cells[i].size; ++r)
          for (int k = 0; k < c.size; ++k) *v++ *= inverse_[cells[i].start + r] * inverse_[c.start + k];
      }
  }
  if (sparse) return;
  W.resize(index(n) * stride);
  p.M.to_dense(W.data(), stride);
  for (int i = 0; i < n; ++i) {
    double* row = &W[index(i) * stride];
    for (int j = 0; j < n; ++j) row[j] *= inverse_[i] * inverse_[j];
    for (int j = n; j < stride; ++j) row[j] = 0;
  }
}

void ScaledProblem::group_cones() {
  cones.clear();
  mu.clear();
  others.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& c = cells[i];
    if (c.kind != BlockKind::cone || frictionless(c)) {
      others.push_back(int(i));
      continue;
    }
    const ConeGroup* last = cones.empty() ? nullptr : &cones.back();
    if (!last || last->count == 8 || last->cell + last->count != int(i) || last->start + 3 * last->count != c.start) {
      cones.push_back({int(i), c.start, 0});
      mu.resize(8 * cones.size(), 1.0);
    }
    mu[8 * cones.size() - 8 + index(cones.back().count++)] = c.mu;
  }
}

void ScaledProblem::scale_cones() {
  columns_.resize(12 * blocks.column.size());
  double *v = blocks.values.data(), *column = columns_.data();  // blocks are contiguous
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e, v += 9, column += 12) {
      // the rows of a cone share one scale
      const double factor = inverse_[cells[i].start] * inverse_[cells[blocks.column[e]].start];
      for (int k = 0; k < 9; ++k) v[k] *= factor;
      for (int k = 0; k < 3; ++k) Double4(Double4::Vector{v[k], v[3 + k], v[6 + k], 0}).store(column + 4 * k);
    }
}

void ScaledProblem::multiply(const double* x, double* w) const {
  if (!sparse) {
    for (int i = 0; i < n; ++i) w[i] = dot(&W[index(i) * stride], x, stride);
    for (int i = n; i < stride; ++i) w[i] = 0;
    return;
  }
  for (int i = n; i < stride; ++i) w[i] = 0;
  if (!columns_.empty()) {
    const double* column = columns_.data();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Double4 sum[3] = {0.0, 0.0, 0.0};
      for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e, column += 12) {
        const double* in = x + 3 * blocks.column[e];
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) sum[k] = fma(Double4(in[k]), Double4::load(column + 4 * k), sum[k]);
      }
      const Double4 all = sum[0] + sum[1] + sum[2];
      for (int k = 0; k < 3; ++k) w[cells[i].start + k] = all[k];
    }
    return;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    double sum[3] = {0, 0, 0};
    for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e) {
      const Cell& c = cells[blocks.column[e]];
      const double *v = &blocks.values[blocks.value_start[e]], *in = x + c.start;
      if (cell.size == 3 && c.size == 3) {
        sum[0] += v[0] * in[0] + v[1] * in[1] + v[2] * in[2];
        sum[1] += v[3] * in[0] + v[4] * in[1] + v[5] * in[2];
        sum[2] += v[6] * in[0] + v[7] * in[1] + v[8] * in[2];
        continue;
      }
      for (int r = 0; r < cell.size; ++r)
        for (int k = 0; k < c.size; ++k) sum[r] += *v++ * in[k];
    }
    for (int r = 0; r < cell.size; ++r) w[cell.start + r] = sum[r];
  }
}

void ScaledProblem::scale(std::span<const double> z, double* x) const {
  for (int i = 0; i < n; ++i) x[i] = z[i] * s[i];
  for (int i = n; i < stride; ++i) x[i] = 0;
}
void ScaledProblem::unscale(const double* x, std::span<double> z) const {
  for (int i = 0; i < n; ++i) z[i] = x[i] / s[i];
}

}  // namespace linchpin
