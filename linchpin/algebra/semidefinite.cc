#include "linchpin/algebra/semidefinite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

SemidefiniteSolver::SemidefiniteSolver(int rows)
    : n_(rows), order_(n_), per_unit_(n_), L_(n_ * n_), G_(n_ * n_), y_(n_), z_(n_), noise_(n_) {}

int SemidefiniteSolver::factor(std::span<const double> A, std::span<const double> size) {
  const std::size_t n = n_;
  check(A.size() == n * n, "A has ", A.size(), " numbers, ", n, " rows need ", n * n);
  check(size.empty() || size.size() == n, size.size(), " sizes for ", n, " rows");
  rank_ = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (!std::isfinite(A[i * n + j])) return rank_ = -1;
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = A[i * n + i], lost = size.empty() ? 0 : rank_tolerance<double> * size[i];
    per_unit_[i] = diagonal > lost ? 1 / std::sqrt(diagonal) : 0;
    noise_[i] = std::max(tolerance, diagonal > lost ? lost / diagonal : 1);
    z_[i] = per_unit_[i] > 0 ? 1 : 0;  // the pivot that each row of A would have now
  }
  // Rows of L are in the order of elimination; rows not yet eliminated stay where they are.
  std::size_t rank = 0;
  for (; rank < n; ++rank) {
    std::size_t best = rank;
    for (std::size_t k = rank + 1; k < n; ++k)
      if (z_[order_[k]] > z_[order_[best]]) best = k;
    const double pivot = z_[order_[best]];
    if (!(pivot > 0)) break;
    if (best != rank) {
      std::swap(order_[best], order_[rank]);
      std::swap_ranges(&L_[best * n], &L_[best * n] + rank, &L_[rank * n]);
    }
    const std::size_t p = std::size_t(order_[rank]);
    const double diagonal = std::sqrt(pivot);
    L_[rank * n + rank] = diagonal;
    for (std::size_t k = rank + 1; k < n; ++k) {
      const std::size_t i = std::size_t(order_[k]);
      const double entry = A[std::min(i, p) * n + std::max(i, p)] * (per_unit_[i] * per_unit_[p]);
      const double l = (entry - dot(&L_[k * n], &L_[rank * n], rank)) / diagonal;
      L_[k * n + rank] = l;
      z_[i] -= l * l;
      if (!(z_[i] > noise_[i])) z_[i] = 0;
    }
  }
  rank_ = int(rank);
  if (rank == n) return rank_;
  // L'L of (2), and its Cholesky factor.
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = i; k < n; ++k) sum += L_[k * n + i] * L_[k * n + j];
      G_[i * n + j] = sum;
    }
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = G_[i * n + j] - dot(&G_[i * n], &G_[j * n], j);
      G_[i * n + j] = i == j ? std::sqrt(rest) : rest / G_[j * n + j];
    }
  return rank_;
}

void SemidefiniteSolver::solve(std::span<double> x) {
  const std::size_t n = n_, r = std::size_t(std::max(rank_, 0));
  check(x.size() == n, "x has ", x.size(), " numbers, the matrix has ", n, " rows");
  if (rank_ < 0) {
    std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (std::size_t k = 0; k < n; ++k) y_[k] = per_unit_[order_[k]] * x[order_[k]];
  const auto forward = [&](const std::vector<double>& F, double* b) {  // F lower triangular, r rows
    for (std::size_t i = 0; i < r; ++i) b[i] = (b[i] - dot(&F[i * n], b, i)) / F[i * n + i];
  };
  const auto backward = [&](const std::vector<double>& F, double* b) {
    for (std::size_t i = r; i-- > 0;) {
      b[i] /= F[i * n + i];
      for (std::size_t k = 0; k < i; ++k) b[k] -= F[i * n + k] * b[i];
    }
  };
  if (r == n) {
    forward(L_, y_.data());
    backward(L_, y_.data());
  } else {
    for (std::size_t j = 0; j < r; ++j) z_[j] = 0;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < std::min(k + 1, r); ++j) z_[j] += L_[k * n + j] * y_[k];
    for (int twice = 0; twice < 2; ++twice) {
      forward(G_, z_.data());
      backward(G_, z_.data());
    }
    for (std::size_t k = 0; k < n; ++k) y_[k] = dot(&L_[k * n], z_.data(), std::min(k + 1, r));
  }
  for (std::size_t k = 0; k < n; ++k) x[order_[k]] = per_unit_[order_[k]] * y_[k];
}

}  // namespace linchpin
