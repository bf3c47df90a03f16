#include "linchpin/control/priority_stack.h"

#include <algorithm>
#include <cmath>

#include "linchpin/algebra/rank.h"
#include "linchpin/algebra/symmetric_eigen.h"
#include "linchpin/base/check.h"

namespace linchpin {

PriorityStack::PriorityStack(std::span<const int> rows_per_level) {
  first_.push_back(0);
  int widest = 0;
  for (const int n : rows_per_level) {
    check(n >= 0, "a level of ", n, " rows");
    first_.push_back(first_.back() + n);
    widest = std::max(widest, n);
  }
  rows_ = first_.back();
  const std::size_t n = std::size_t(rows_), m = std::size_t(widest);
  rank_.assign(rows_per_level.size(), 0);
  for (std::vector<double>* matrix : {&A_, &B_, &P_}) matrix->assign(n * n, 0);
  for (std::vector<double>* vector : {&unit_, &y_, &z_}) vector->assign(n, 0);
  block_.assign(m * m, 0);
  vectors_.assign(m * m, 0);
  row_.assign(m, 0);
}

bool PriorityStack::factor() {
  for (int i = 0; i < rows_; ++i) unit_[i] = at(i, i);
  return eliminate();
}
bool PriorityStack::factor(std::span<const double> diagonal) {
  check(diagonal.size() == std::size_t(rows_), "a diagonal of ", diagonal.size(), " numbers, there are ", rows_,
        " rows");
  std::copy(diagonal.begin(), diagonal.end(), unit_.begin());
  return eliminate();
}

bool PriorityStack::eliminate() {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(A_.begin(), A_.end(), finite) || !std::all_of(unit_.begin(), unit_.end(), finite)) {
    std::fill(rank_.begin(), rank_.end(), -1);
    return false;
  }
  for (double& u : unit_) u = u > 0 ? 1 / std::sqrt(u) : 0;
  for (int i = 0; i < rows_; ++i)
    for (int j = 0; j < rows_; ++j) B(i, j) = at(i, j) * (unit_[i] * unit_[j]);

  for (int l = 0; l < levels(); ++l) {
    const int begin = first(l), end = first(l + 1), n = end - begin;
    rank_[l] = invert_block(begin, n);
    for (int i = end; i < rows_; ++i) {  // (1), for all rows after this level
      for (int k = 0; k < n; ++k) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += B(i, begin + j) * P(begin + j, begin + k);
        row_[k] = sum;
      }
      for (int j = end; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += row_[k] * B(j, begin + k);
        B(i, j) -= sum;
        B(j, i) = B(i, j);
      }
    }
  }
  return true;
}

int PriorityStack::invert_block(int first, int n) {
  if (invert_by_cholesky(first, n)) return n;
  return invert_by_eigenvectors(first, n);
}

// Fails if a pivot is so small that an eigenvalue may be below the tolerance.
bool PriorityStack::invert_by_cholesky(int first, int n) {
  const auto L = [&](int i, int j) -> double& { return block_[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
  for (int j = 0; j < n; ++j) {
    double pivot = B(first + j, first + j);
    for (int k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k);
    if (!(pivot > rank::least_regular_pivot(tolerance))) return false;
    L(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = B(first + i, first + j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = sum / L(j, j);
    }
  }
  for (int column = 0; column < n; ++column) {
    for (int i = 0; i < n; ++i) {
      double sum = i == column ? 1 : 0;
      for (int k = column; k < i; ++k) sum -= L(i, k) * row_[k];
      row_[i] = i < column ? 0 : sum / L(i, i);
    }
    for (int i = n - 1; i >= column; --i) {
      double sum = row_[i];
      for (int k = i + 1; k < n; ++k) sum -= L(k, i) * row_[k];
      row_[i] = sum / L(i, i);
      P(first + i, first + column) = P(first + column, first + i) = row_[i];
    }
  }
  return true;
}

int PriorityStack::invert_by_eigenvectors(int first, int n) {
  const auto S = [&](int i, int j) -> double& { return block_[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
  const auto V = [&](int i, int k) { return vectors_[std::size_t(i) * std::size_t(n) + std::size_t(k)]; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      S(i, j) = B(first + i, first + j);
      P(first + i, first + j) = 0;
    }
  const std::size_t size = std::size_t(n) * std::size_t(n);
  jacobi_eigenvectors(n, std::span(block_).first(size), std::span(vectors_).first(size));
  int rank = 0;
  for (int k = 0; k < n; ++k) {
    if (!(S(k, k) > tolerance)) continue;
    ++rank;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) P(first + i, first + j) += V(i, k) * V(j, k) / S(k, k);
  }
  return rank;
}

void PriorityStack::solve(std::span<const double> d, std::span<double> f) {
  check(d.size() == std::size_t(rows_) && f.size() == std::size_t(rows_), "d has ", d.size(), " and f ", f.size(),
        " numbers, there are ", rows_, " rows");
  for (int i = 0; i < rows_; ++i) z_[i] = unit_[i] * d[i];
  for (int l = 0; l < levels(); ++l) {  // (2)
    const int begin = first(l), end = first(l + 1);
    for (int i = begin; i < end; ++i) {
      double sum = 0;
      for (int j = begin; j < end; ++j) sum += P(i, j) * z_[j];
      y_[i] = sum;
    }
    for (int i = end; i < rows_; ++i)
      for (int j = begin; j < end; ++j) z_[i] -= B(i, j) * y_[j];
  }
  for (int l = levels() - 1; l >= 0; --l) {  // (3); f replaces y, z is scratch
    const int begin = first(l), end = first(l + 1);
    for (int j = begin; j < end; ++j) {
      double sum = 0;
      for (int i = end; i < rows_; ++i) sum += B(i, j) * y_[i];
      z_[j] = sum;
    }
    for (int i = begin; i < end; ++i)
      for (int j = begin; j < end; ++j) y_[i] -= P(i, j) * z_[j];
  }
  for (int i = 0; i < rows_; ++i) f[i] = unit_[i] * y_[i];
}

void PriorityStack::multiply(std::span<const double> f, std::span<double> a) const {
  const std::size_t n = std::size_t(rows_);
  check(f.size() == n && a.size() == n, "f has ", f.size(), " and a ", a.size(), " numbers, there are ", n, " rows");
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += A_[i * n + j] * f[j];
    a[i] = sum;
  }
}

}  // namespace linchpin
