#include "linchpin/dynamics/compliance/operational_inertia.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "linchpin/algebra/rank.h"
#include "linchpin/base/check.h"

namespace linchpin {

struct OperationalInertia::Workspace {
  explicit Workspace(int rows)
      : n(rows), scaled(rows, rows), result(rows, rows), per_unit(rows), llt(rows), eigen(rows) {}
  int n;
  Eigen::MatrixXd scaled, result;
  Eigen::VectorXd per_unit;  // 1 / sqrt of the compliance's diagonal; 0 for rows without compliance
  Eigen::LLT<Eigen::MatrixXd> llt;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
};

OperationalInertia::OperationalInertia(int rows) {
  check(rows >= 0, "an inertia of ", rows, " rows");
  ws_ = std::make_unique<Workspace>(rows);
}
OperationalInertia::~OperationalInertia() = default;
OperationalInertia::OperationalInertia(OperationalInertia&&) noexcept = default;
OperationalInertia& OperationalInertia::operator=(OperationalInertia&&) noexcept = default;

int OperationalInertia::invert(std::span<const double> compliance, std::span<double> inertia) {
  Workspace& ws = *ws_;
  const int n = ws.n;
  const std::size_t size = std::size_t(n) * std::size_t(n);
  check(compliance.size() == size && inertia.size() == size, "compliance has ", compliance.size(), " and inertia ",
        inertia.size(), " numbers, ", n, " rows need ", size);
  if (n == 0) return 0;
  if (!std::all_of(compliance.begin(), compliance.end(), [](double x) { return std::isfinite(x); })) {
    std::fill(inertia.begin(), inertia.end(), std::numeric_limits<double>::quiet_NaN());
    return -1;
  }
  const auto entry = [&](int i, int j) { return compliance[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
  bool held = false;
  for (int i = 0; i < n; ++i) {
    ws.per_unit[i] = entry(i, i) > 0 ? 1 / std::sqrt(entry(i, i)) : 0;
    held = held || ws.per_unit[i] == 0;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) ws.scaled(i, j) = entry(i, j) * (ws.per_unit[i] * ws.per_unit[j]);

  // Regular if the diagonal of the Cholesky factor is large enough; else the pseudo-inverse by eigenvalues.
  int rank = n;
  if (!held) ws.llt.compute(ws.scaled);
  if (!held && ws.llt.info() == Eigen::Success &&
      ws.llt.matrixLLT().diagonal().minCoeff() > rank::least_regular_diagonal(tolerance)) {
    ws.result.setIdentity();
    ws.llt.solveInPlace(ws.result);
  } else {
    ws.eigen.compute(ws.scaled);
    const double largest = std::max(ws.eigen.eigenvalues().maxCoeff(), 0.0);
    ws.result.setZero();
    rank = 0;
    for (int k = 0; k < n; ++k) {
      const double value = ws.eigen.eigenvalues()[k];
      if (!(value > tolerance * largest)) continue;
      ws.result.noalias() += (1 / value) * ws.eigen.eigenvectors().col(k) * ws.eigen.eigenvectors().col(k).transpose();
      ++rank;
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)  // both halves from one: symmetric to the bit
      inertia[std::size_t(i) * std::size_t(n) + std::size_t(j)] =
          ws.result(std::min(i, j), std::max(i, j)) * (ws.per_unit[i] * ws.per_unit[j]);
  return rank;
}

}  // namespace linchpin
