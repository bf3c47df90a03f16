#include "linchpin/sim/event_driven/least_norm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// Makes x into a reflector I - beta w w' with w[0] = 1 that takes x to (alpha, 0, ...). w[1..] replaces x[1..], alpha
// x[0].
double make_reflector(double* x, int n) {
  double rest = 0;
  for (int i = 1; i < n; ++i) rest += x[i] * x[i];
  if (rest == 0) return 0;
  const double length = std::sqrt(x[0] * x[0] + rest), alpha = x[0] > 0 ? -length : length;
  const double w0 = x[0] - alpha;
  for (int i = 1; i < n; ++i) x[i] /= w0;
  x[0] = alpha;
  return -w0 / alpha;
}

// y <- (I - beta w w') y
void reflect(const double* w, double beta, double* y, int n) {
  double sum = y[0];
  for (int i = 1; i < n; ++i) sum += w[i] * y[i];
  sum *= beta;
  y[0] -= sum;
  for (int i = 1; i < n; ++i) y[i] -= sum * w[i];
}

double length_of(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

int LeastNormSolver::factor(std::span<const double> A, int n) {
  n_ = n;
  const std::size_t m = index(n);
  A_.resize(m * m);
  beta_.assign(m, 0);
  column_.resize(m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double x = A[index(i) * m + index(j)];
      if (!std::isfinite(x)) return rank_ = -1;
      a(i, j) = x;
    }
  for (int j = 0; j < n; ++j) column_[index(j)] = j;
  double first = 0;
  for (rank_ = 0; rank_ < n; ++rank_) {
    const int k = rank_;
    int best = k;
    double most = -1;
    for (int j = k; j < n; ++j) {
      const double size = length_of(&a(k, j), n - k);
      if (size > most * (1 + 1e-12)) most = size, best = j;  // of equal ones the first
    }
    if (k == 0) first = most;
    if (!(most > tolerance * first)) break;
    if (best != k) {
      std::swap_ranges(&a(0, k), &a(0, k) + n, &a(0, best));
      std::swap(column_[index(k)], column_[index(best)]);
    }
    beta_[index(k)] = make_reflector(&a(k, k), n - k);
    for (int j = k + 1; j < n; ++j) reflect(&a(k, k), beta_[index(k)], &a(k, j), n - k);
  }
  if (rank_ == n) return rank_;
  const std::size_t r = index(rank_);
  T_.assign(m * r, 0);
  beta_T_.assign(r, 0);
  for (int k = 0; k < rank_; ++k)
    for (int j = k; j < n; ++j) T_[index(k) * m + index(j)] = a(k, j);
  for (std::size_t k = 0; k < r; ++k) {
    beta_T_[k] = make_reflector(&T_[k * m + k], n - int(k));
    for (std::size_t j = k + 1; j < r; ++j) reflect(&T_[k * m + k], beta_T_[k], &T_[j * m + k], n - int(k));
  }
  return rank_;
}

void LeastNormSolver::null_vector(int k, std::span<double> x) {
  const std::size_t m = index(n_), r = index(rank_);
  y_.assign(m, 0.0);
  y_[r + index(k)] = 1;
  for (std::size_t j = r; j-- > 0;) reflect(&T_[j * m + j], beta_T_[j], &y_[j], n_ - int(j));
  for (std::size_t j = 0; j < m; ++j) x[index(column_[j])] = y_[j];
}

void LeastNormSolver::solve(std::span<double> x) {
  const std::size_t m = index(n_), r = index(rank_);
  y_.assign(x.begin(), x.end());
  for (int k = 0; k < rank_; ++k) reflect(&a(k, k), beta_[index(k)], &y_[index(k)], n_ - k);
  std::fill(y_.begin() + std::ptrdiff_t(r), y_.end(), 0.0);
  if (rank_ == n_) {
    for (int i = n_ - 1; i >= 0; --i) {
      for (int j = i + 1; j < n_; ++j) y_[index(i)] -= a(i, j) * y_[index(j)];
      y_[index(i)] /= a(i, i);
    }
  } else {
    for (std::size_t i = 0; i < r; ++i) {  // T' y = b, T' is lower triangular
      for (std::size_t j = 0; j < i; ++j) y_[i] -= T_[i * m + j] * y_[j];
      y_[i] /= T_[i * m + i];
    }
    for (std::size_t k = r; k-- > 0;) reflect(&T_[k * m + k], beta_T_[k], &y_[k], n_ - int(k));
  }
  for (std::size_t j = 0; j < m; ++j) x[index(column_[j])] = y_[j];
}

}  // namespace linchpin
