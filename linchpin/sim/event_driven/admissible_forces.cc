#include "linchpin/sim/event_driven/admissible_forces.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// All margins above this part of the largest force: found.
constexpr double enough = 1e-6;
// The corner of a cone is rounded by this part of the largest force, so that (2) is smooth there.
constexpr double corner = 1e-10;
constexpr double first_p = 10, last_p = 1e9;
constexpr int most_newton_steps = 40, most_halvings = 40;

// Solves A x = b by Cholesky's method, with A made definite by its diagonal; A is overwritten.
void solve_definite(std::vector<double>& A, int n, std::vector<double>& x) {
  double trace = 0;
  for (int i = 0; i < n; ++i) trace = std::max(trace, A[index(i * n + i)]);
  for (int i = 0; i < n; ++i) A[index(i * n + i)] += 1e-13 * trace + 1e-300;
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) A[index(i * n + j)] -= A[index(i * n + k)] * A[index(j * n + k)];
    const double pivot = std::sqrt(std::max(A[index(j * n + j)], 1e-15 * trace + 1e-300));
    for (int i = j; i < n; ++i) A[index(i * n + j)] /= pivot;
    A[index(j * n + j)] = pivot;
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[index(i)] -= A[index(i * n + k)] * x[index(k)];
    x[index(i)] /= A[index(i * n + i)];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[index(i)] -= A[index(k * n + i)] * x[index(k)];
    x[index(i)] /= A[index(i * n + i)];
  }
}

}  // namespace

void AdmissibleForces::list(const Mode& mode, const ModeForces& f) {
  margins_.clear();
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const int row = f.contact_row[i];
    const ModeContact& m = mode.contacts[i];
    if (row < 0 || m.hold == Hold::open) continue;
    const double unit = 1 / (f.D[index(row)] * f.scale);
    margins_.push_back({.row = row, .unit = unit});
    const Contact& c = f.contacts[i];
    if (m.hold == Hold::sticking && c.mu > 0)
      margins_.push_back({.row = row, .tangents = row + 1, .factor = c.mu, .across = c.across, .unit = unit});
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i) {
    const int row = f.limit_row[i];
    if (row >= 0 && mode.limits[i].closed) margins_.push_back({.row = row, .unit = 1 / (f.D[index(row)] * f.scale)});
  }
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    if (mode.dry[i].sign != 0) continue;
    const std::size_t row = index(f.dry_row[i]);
    for (const double side : {-1.0, 1.0})
      margins_.push_back(
          {.row = int(row), .factor = side, .offset = f.rows.rows.upper[row], .unit = 1 / (f.D[row] * f.scale)});
  }
}

double AdmissibleForces::value(const Margin& m, std::vector<double>& gradient, std::vector<double>* hessian) const {
  const auto idle = [&](int row, int k) { return idle_[index(k * rows_ + row)]; };
  double x = m.offset + m.factor * z_[index(m.row)];
  for (int k = 0; k < count_; ++k) gradient[index(k)] = m.unit * m.factor * idle(m.row, k);
  if (hessian) std::ranges::fill(*hessian, 0);
  if (m.tangents < 0) return m.unit * x;
  const double t1 = z_[index(m.tangents)], t2 = z_[index(m.tangents + 1)] / m.across, round = corner / m.unit;
  const double length = std::sqrt(t1 * t1 + t2 * t2 + round * round);
  for (int k = 0; k < count_; ++k) {
    const double d1 = idle(m.tangents, k), d2 = idle(m.tangents + 1, k) / m.across;
    gradient[index(k)] -= m.unit * (t1 * d1 + t2 * d2) / length;
    if (!hessian) continue;
    for (int l = 0; l < count_; ++l) {
      const double e1 = idle(m.tangents, l), e2 = idle(m.tangents + 1, l) / m.across;
      (*hessian)[index(k * count_ + l)] =
          -m.unit * ((d1 * e1 + d2 * e2) - (t1 * d1 + t2 * d2) * (t1 * e1 + t2 * e2) / (length * length)) / length;
    }
  }
  return m.unit * (x - length);
}

// (2) at z_. With derivatives: gradient_, and -hessian_ of it.
double AdmissibleForces::smooth(double p, bool with_derivatives) {
  double least = 0;
  values_.resize(margins_.size());
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    values_[i] = value(margins_[i], g_, nullptr);
    least = i == 0 ? values_[0] : std::min(least, values_[i]);
  }
  double sum = 0;
  for (const double v : values_) sum += std::exp(-p * (v - least));
  if (with_derivatives) {
    std::ranges::fill(gradient_, 0);
    std::ranges::fill(hessian_, 0);
    for (std::size_t i = 0; i < margins_.size(); ++i) {
      const double weight = std::exp(-p * (values_[i] - least)) / sum;
      if (weight < 1e-30) continue;
      value(margins_[i], g_, &h_);
      for (int k = 0; k < count_; ++k) {
        gradient_[index(k)] += weight * g_[index(k)];
        for (int l = 0; l < count_; ++l)
          hessian_[index(k * count_ + l)] += weight * (p * g_[index(k)] * g_[index(l)] - h_[index(k * count_ + l)]);
      }
    }
    for (int k = 0; k < count_; ++k)
      for (int l = 0; l < count_; ++l) hessian_[index(k * count_ + l)] -= p * gradient_[index(k)] * gradient_[index(l)];
  }
  return least - std::log(sum) / p;
}

double AdmissibleForces::find(const Mode& mode, ModeForces& f) {
  list(mode, f);
  if (margins_.empty()) return 1;
  rows_ = f.rows.rows.size();
  count_ = f.is_unique ? 0 : dynamics_.idle_forces(f, idle_);
  const std::size_t k = index(count_);
  g_.assign(k, 0);
  h_.assign(k * k, 0);
  gradient_.assign(k, 0);
  hessian_.assign(k * k, 0);
  z_ = f.z;
  const auto least = [&] { return *std::ranges::min_element(values_); };
  smooth(1, false);
  double best = least();
  if (count_ == 0) return best;
  for (double p = first_p; p <= last_p && best < enough; p *= 10) {
    for (int round = 0; round < most_newton_steps && best < enough; ++round) {
      const double now = smooth(p, true);
      step_ = gradient_;
      solve_definite(hessian_, count_, step_);
      double slope = 0;
      for (std::size_t i = 0; i < k; ++i) slope += gradient_[i] * step_[i];
      if (!(slope * p > 1e-12)) break;
      tried_ = z_;
      double factor = 1;
      bool better = false;
      for (int halving = 0; halving < most_halvings && !better; ++halving, factor *= 0.5) {
        for (int r = 0; r < rows_; ++r) {
          z_[index(r)] = tried_[index(r)];
          for (std::size_t i = 0; i < k; ++i) z_[index(r)] += factor * step_[i] * idle_[i * index(rows_) + index(r)];
        }
        better = smooth(p, false) > now + 1e-4 * factor * slope;
      }
      if (!better) {
        z_ = tried_;
        smooth(p, false);
        break;
      }
      if (least() > best) {
        best = least();
        f.z = z_;
      }
    }
  }
  return best;
}

void AdmissibleForces::keep(const ModeForces& f, Mode& mode) {
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    if (f.contact_row[i] < 0 || m.hold == Hold::open) continue;
    const std::size_t r = index(f.contact_row[i]);
    m.near = {f.z[r], 0, 0};
    if (f.contacts[i].mu > 0) m.near = {f.z[r], f.z[r + 1], f.z[r + 2]};
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (f.limit_row[i] >= 0 && mode.limits[i].closed) mode.limits[i].near = f.z[index(f.limit_row[i])];
}

}  // namespace linchpin
