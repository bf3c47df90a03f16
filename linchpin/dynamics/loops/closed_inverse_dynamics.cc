#include "linchpin/dynamics/loops/closed_inverse_dynamics.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "linchpin/algebra/rank.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {
namespace {

using Matrix = Eigen::MatrixXd;

// Singular directions below this share of the largest count as zero.
constexpr double threshold = rank_tolerance<double>;

// The least x that minimises |A x - b|, and an orthonormal basis of the kernel of A.
struct LeastSquares {
  // `size` is the size of the terms whose sums are the entries of A: entries left by cancellation do not count.
  LeastSquares(const Matrix& A, double size) : decomposition(A.rows(), A.cols()), columns(A.cols()) {
    empty = A.size() == 0 || A.cwiseAbs().maxCoeff() <= threshold * size;
    if (empty) return;
    // Relative to the first pivot, the longest column. Must be set before compute(), which depends on the rank.
    decomposition.setThreshold(threshold * std::max(1.0, size / A.colwise().norm().maxCoeff()));
    decomposition.compute(A);
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const {
    return empty ? Eigen::VectorXd(Eigen::VectorXd::Zero(columns)) : Eigen::VectorXd(decomposition.solve(b));
  }
  Eigen::Index rank() const { return empty ? 0 : decomposition.rank(); }
  Matrix kernel() const {
    if (empty) return Matrix::Identity(columns, columns);
    // A = Q [T 0; 0 0] Z P': the last rows of Z P' span the kernel.
    const Matrix Zt = decomposition.matrixZ().transpose();
    return decomposition.colsPermutation() * Zt.rightCols(columns - rank());
  }
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  Eigen::Index columns;
  bool empty;
};

}  // namespace

ClosedInverseReport closed_inverse_dynamics(std::span<const double> q, std::span<const double> v,
                                            std::span<const double> vdot, std::span<const double> f_ext, double time,
                                            std::span<const int> actuated, ClosedChain& chain, std::span<double> tau) {
  const Model& model = chain.model;
  const Eigen::Index nv = model.nv(), rows = chain.constraints.rows();
  check(tau.size() == std::size_t(nv), "tau has ", tau.size(), " numbers, the model needs ", nv);
  std::vector<char> has_actuator(nv, 0);
  for (const int k : actuated) {
    check(k >= 0 && k < nv, "coordinate ", k, " is actuated; the model has ", nv);
    has_actuator[k] = 1;
  }
  std::vector<Eigen::Index> active, passive;
  for (Eigen::Index k = 0; k < nv; ++k) (has_actuator[k] != 0 ? active : passive).push_back(k);

  place_chain(q, v, time, chain);
  Eigen::VectorXd needed(nv);
  RneaWorkspace<double> ws(chain.plan);
  rnea<double>(chain.plan, q, v, vdot, f_ext, ws, {needed.data(), std::size_t(nv)});
  std::vector<double> J(rows * nv);
  constraint_jacobian(model, chain.constraints, chain.rows, chain.kin, chain.vel, J);
  const Matrix Jt = Eigen::Map<const Matrix>(J.data(), nv, rows);  // J by rows is J' by columns

  ClosedInverseReport report;
  accelerations(model, chain.kin, chain.vel, v, vdot, chain.link_acceleration);
  row_accelerations(chain.constraints, chain.rows, chain.link_acceleration, q, vdot, chain.g);
  for (const double x : chain.g) report.off_rows = std::max(report.off_rows, std::abs(x));
  report.finite = needed.allFinite() && Jt.allFinite() && std::isfinite(report.off_rows);
  std::ranges::fill(tau, 0);
  std::ranges::fill(chain.reactions, 0);
  if (!report.finite) return report;

  const Matrix Jp = Jt(passive, Eigen::all), Ja = Jt(active, Eigen::all);
  const double size = Jt.size() > 0 ? Jt.cwiseAbs().maxCoeff() : 0;
  const LeastSquares by_passive(Jp, size);
  Eigen::VectorXd lambda = by_passive.solve(needed(passive));
  const Matrix open = by_passive.kernel();
  const LeastSquares by_active(Ja * open, size);
  lambda += open * by_active.solve(needed(active) - Ja * lambda);
  const Eigen::VectorXd forces = needed(active) - Ja * lambda;
  for (std::size_t k = 0; k < active.size(); ++k) tau[active[k]] = forces[Eigen::Index(k)];
  std::copy_n(lambda.data(), rows, chain.reactions.begin());
  if (!passive.empty()) report.unmet = (Jp * lambda - needed(passive)).cwiseAbs().maxCoeff();
  report.freedom = int(nv - LeastSquares(Jt, size).rank());
  report.spare = int(by_active.rank());
  return report;
}

}  // namespace linchpin
