#include "linchpin/dynamics/maximal/auxiliary_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linchpin/algebra/rank.h"
#include "linchpin/base/check.h"

namespace linchpin {

AuxiliaryRows::AuxiliaryRows(const ConstraintForest& forest)
    : forest_(&forest),
      mark_(forest.nodes().size(), 0),
      y_(8 * std::size_t(forest.total_size())),
      l_(8 * std::size_t(forest.total_rows())) {}

void AuxiliaryRows::clear() {
  rows_.clear();
  entries_.clear();
  values_.clear();
  symmetric_ = true;
}

void AuxiliaryRows::begin_row(double softness) { rows_.push_back({entries_.size(), entries_.size(), softness}); }

void AuxiliaryRows::add(int body, std::span<const double> j, std::span<const double> k) {
  check(body >= 0 && body < forest_->bodies(), "an auxiliary row on body ", body, " of ", forest_->bodies());
  const int size = forest_->size(body);
  check(int(j.size()) == size && (k.empty() || int(k.size()) == size), "an auxiliary row of ", j.size(),
        " numbers and a force of ", k.size(), " on body ", body, " of dimension ", size);
  Entry entry{body, size, std::size_t(forest_->first(body)), values_.size(), values_.size()};
  values_.insert(values_.end(), j.begin(), j.end());
  if (!k.empty()) {
    entry.k = values_.size();
    values_.insert(values_.end(), k.begin(), k.end());
    symmetric_ = false;
  }
  entries_.push_back(entry);
  rows_.back().end = entries_.size();
}

void AuxiliaryRows::find_way() {
  const std::span<const ConstraintForest::Node> nodes = forest_->nodes();
  ++stamp_;
  std::size_t lowest = nodes.size();
  for (const Entry& entry : entries_)
    for (int i = forest_->node_of_body(entry.body); i >= 0 && mark_[i] != stamp_; i = nodes[i].parent) {
      mark_[i] = stamp_;
      lowest = std::min(lowest, std::size_t(i));
    }
  on_way_.clear();
  for (std::size_t i = lowest; i < nodes.size(); ++i)
    if (mark_[i] == stamp_) on_way_.push_back(int(i));
}

std::span<const double> AuxiliaryRows::form(ForestFactors& factors) {
  const std::size_t k = rows_.size(), stride = std::size_t(forest_->stride());
  matrix_.resize(k * k);
  sizes_.assign(k, 0.0);
  find_way();
  const std::span<const ConstraintForest::Node> nodes = forest_->nodes();
  for (std::size_t first = 0; first < k; first += 8) {
    const std::size_t columns = std::min<std::size_t>(8, k - first);
    for (const int i : on_way_) {
      const ConstraintForest::Node& node = nodes[i];
      std::fill_n(y_.data() + 8 * std::size_t(node.y), 8 * std::size_t(node.size), 0.0);
    }
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t e = rows_[first + c].first; e < rows_[first + c].end; ++e) {
        const Entry& entry = entries_[e];
        for (std::size_t n = 0; n < std::size_t(entry.size); ++n) y_[8 * (entry.y + n) + c] += values_[entry.k + n];
      }
    factors.solve8({y_.data(), y_.size()}, {}, {l_.data(), l_.size()}, on_way_);
    for (std::size_t i = 0; i < k; ++i) {
      double sum[8] = {};
      for (std::size_t e = rows_[i].first; e < rows_[i].end; ++e) {
        const Entry& entry = entries_[e];
        for (std::size_t n = 0; n < std::size_t(entry.size); ++n)
          for (std::size_t c = 0; c < 8; ++c) sum[c] += values_[entry.j + n] * y_[8 * (entry.y + n) + c];
      }
      std::copy_n(sum, columns, &matrix_[i * k + first]);
    }
  }
  for (std::size_t i = 0; i < k; ++i) {
    matrix_[i * k + i] += rows_[i].softness;
    for (std::size_t e = rows_[i].first; e < rows_[i].end; ++e) {
      const Entry& entry = entries_[e];
      const double* D = factors.block(nodes[forest_->node_of_body(entry.body)].D);  // D^-1, after factor()
      for (std::size_t n = 0; n < std::size_t(entry.size); ++n)
        for (std::size_t m = 0; m < std::size_t(entry.size); ++m)
          sizes_[i] += values_[entry.j + n] * D[n * stride + m] * values_[entry.j + m];
    }
  }
  return matrix_;
}

void AuxiliaryRows::times(std::span<const double> y, std::span<double> a) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = 0;
    for (std::size_t e = rows_[i].first; e < rows_[i].end; ++e)
      for (std::size_t n = 0; n < std::size_t(entries_[e].size); ++n)
        sum += values_[entries_[e].j + n] * y[entries_[e].y + n];
    a[i] = sum;
  }
}

void AuxiliaryRows::add_force(std::span<const double> mu, std::span<double> F) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t e = rows_[i].first; e < rows_[i].end; ++e)
      for (std::size_t n = 0; n < std::size_t(entries_[e].size); ++n)
        F[entries_[e].y + n] += values_[entries_[e].k + n] * mu[i];
}

bool EqualitySolver::prepare(std::span<const double> A, std::span<const double> sizes, bool symmetric,
                             std::span<const AuxiliaryBlock>) {
  const std::size_t k = sizes.size();
  symmetric_ = symmetric;
  if (!symmetric) return eliminate(A, sizes);
  if (by_size_.size() <= k) by_size_.resize(k + 1);
  if (!by_size_[k]) by_size_[k] = std::make_unique<SemidefiniteSolver>(int(k));
  current_ = by_size_[k].get();
  rank_ = current_->factor(A, sizes);
  return rank_ >= 0;
}

// Rows and columns are permuted through row_ and column_. Pivots are scaled by the geometric mean of the sizes of their
// row and column.
bool EqualitySolver::eliminate(std::span<const double> A, std::span<const double> sizes) {
  const std::size_t k = sizes.size();
  lu_.assign(A.begin(), A.end());
  row_.resize(k);
  column_.resize(k);
  work_.resize(k);
  std::iota(row_.begin(), row_.end(), std::size_t(0));
  std::iota(column_.begin(), column_.end(), std::size_t(0));
  for (const double a : lu_)
    if (!std::isfinite(a)) return false;
  const auto measure = [&](std::size_t i, std::size_t j) {
    const double unit = std::sqrt(sizes[row_[i]] * sizes[column_[j]]);
    return unit > 0 ? std::abs(lu_[row_[i] * k + column_[j]]) / unit : 0;
  };
  std::size_t n = 0;
  for (; n < k; ++n) {
    std::size_t best_i = n, best_j = n;
    double best = 0;
    for (std::size_t i = n; i < k; ++i)
      for (std::size_t j = n; j < k; ++j)
        if (const double m = measure(i, j); m > best) {
          best = m;
          best_i = i;
          best_j = j;
        }
    if (!(best > rank_tolerance<double>)) break;
    std::swap(row_[n], row_[best_i]);
    std::swap(column_[n], column_[best_j]);
    const double pivot = lu_[row_[n] * k + column_[n]];
    for (std::size_t i = n + 1; i < k; ++i) {
      double& part = lu_[row_[i] * k + column_[n]];
      part /= pivot;
      for (std::size_t j = n + 1; j < k; ++j) lu_[row_[i] * k + column_[j]] -= part * lu_[row_[n] * k + column_[j]];
    }
  }
  rank_ = int(n);
  return true;
}

bool EqualitySolver::solve(std::span<const double> b, std::span<double> mu) {
  const std::size_t k = b.size();
  if (symmetric_) {
    for (std::size_t i = 0; i < k; ++i) mu[i] = -b[i];
    current_->solve(mu);
  } else {
    const std::size_t r = std::size_t(rank_);
    for (std::size_t i = 0; i < r; ++i) {
      double sum = -b[row_[i]];
      for (std::size_t j = 0; j < i; ++j) sum -= lu_[row_[i] * k + column_[j]] * work_[j];
      work_[i] = sum;
    }
    std::ranges::fill(mu, 0.0);
    for (std::size_t i = r; i-- > 0;) {
      double sum = work_[i];
      for (std::size_t j = i + 1; j < r; ++j) sum -= lu_[row_[i] * k + column_[j]] * mu[column_[j]];
      mu[column_[i]] = sum / lu_[row_[i] * k + column_[i]];
    }
  }
  return std::ranges::all_of(mu, [](double x) { return std::isfinite(x); });
}

}  // namespace linchpin
