#include "linchpin/sim/event_driven/mode_equations.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// m/s: below this a sliding velocity has no direction of its own.
constexpr double no_slip = 1e-11;
// Of forces of size 1, in scaled rows: smaller accelerations are rounding.
constexpr double no_change = 1e-9;

}  // namespace

Vec3<double> sliding_direction(const ModeContact& contact, const Contact& c, const Vec3<double>& u) {
  const Vec3<double> slip = u - dot(u, c.normal) * c.normal;
  const double speed = norm(slip);
  const Vec3<double> slide = contact.slide - dot(contact.slide, c.normal) * c.normal;
  // Where the velocity has reversed, friction goes on as before: the event is located before that.
  if (speed < no_slip || dot(slip, slide) <= 0) return (1 / norm(slide)) * slide;
  return (1 / speed) * slip;
}

Vec3<double> friction_per_load(const Contact& c, const Vec3<double>& d) {
  const double d1 = dot(d, c.t1), d2 = c.across * dot(d, c.t2), size = std::hypot(d1, d2);
  if (!(size > 0)) return Vec3<double>::zero();
  return (-c.mu / size) * (d1 * c.t1 + (c.across * d2) * c.t2);  // (5)
}

void ModeEquations::solve(const Mode& mode, int loops, ModeForces& out) {
  const int n = out.rows.rows.size();
  out.is_unique = out.is_consistent = true;
  out.z.assign(std::size_t(n), 0.0);
  out.w.assign(out.b.begin(), out.b.end());
  if (n == 0) return;
  unknown_.clear();
  load_.assign(mode.contacts.size(), Vec3<double>::zero());
  // Of an unknown normal force whose contact slides: its contact, else -1.
  near_.clear();
  const auto add_unknown = [&](int row, double near = 0) {
    unknown_.push_back(row);
    near_.push_back(near / out.D[std::size_t(row)]);
  };
  for (int r = 0; r < loops; ++r) add_unknown(r);
  std::vector<int>& slides = slides_;
  slides.assign(std::size_t(n), -1);
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const ModeContact& m = mode.contacts[i];
    const int row = out.contact_row[i];
    if (row < 0 || m.hold == Hold::open) continue;
    add_unknown(row, m.near.x);
    if (out.contacts[i].mu == 0) continue;
    if (m.hold == Hold::sticking) {
      add_unknown(row + 1, m.near.y);
      add_unknown(row + 2, m.near.z);
    } else {
      const Vec3<double> d = sliding_direction(m, out.contacts[i], out.u[i]);
      load_[i] = friction_per_load(out.in_motion[i], d);
      slides[std::size_t(row)] = int(i);
    }
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (out.limit_row[i] >= 0 && mode.limits[i].closed) add_unknown(out.limit_row[i], mode.limits[i].near);
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const int row = out.dry_row[i];
    if (mode.dry[i].sign == 0)
      add_unknown(row);
    else
      out.z[std::size_t(row)] = -mode.dry[i].sign * out.rows.rows.upper[std::size_t(row)];  // z_0
  }
  const auto add_response = [&](int row, double force) {
    if (force == 0) return;
    for (int i = 0; i < n; ++i) out.w[std::size_t(i)] += out.W[entry_of(i, row, n)] * force;
  };
  for (int r = 0; r < n; ++r) add_response(r, out.z[std::size_t(r)]);
  const int m = int(unknown_.size());
  if (m == 0) return;
  A_.resize(std::size_t(m) * std::size_t(m));
  x_.resize(std::size_t(m));
  const auto friction_in_rows = [&](int contact, double& f1, double& f2) {
    const Contact& c = out.contacts[std::size_t(contact)];
    f1 = dot(load_[std::size_t(contact)], c.t1);
    f2 = dot(load_[std::size_t(contact)], c.t2);
  };
  for (int j = 0; j < m; ++j) {
    const int column = unknown_[std::size_t(j)], contact = slides[std::size_t(column)];
    double f1 = 0, f2 = 0;
    if (contact >= 0) friction_in_rows(contact, f1, f2);
    for (int i = 0; i < m; ++i) {
      const int row = unknown_[std::size_t(i)];
      double value = out.W[entry_of(row, column, n)];
      if (contact >= 0) value += out.W[entry_of(row, column + 1, n)] * f1 + out.W[entry_of(row, column + 2, n)] * f2;
      A_[entry_of(i, j, m)] = out.D[std::size_t(row)] * value * out.D[std::size_t(column)];
    }
  }
  for (int i = 0; i < m; ++i)
    x_[std::size_t(i)] = -out.D[std::size_t(unknown_[std::size_t(i)])] * out.w[std::size_t(unknown_[std::size_t(i)])];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) x_[std::size_t(i)] -= A_[entry_of(i, j, m)] * near_[std::size_t(j)];
  const int rank = solver_.factor(A_, m);
  if (rank < 0) {
    out.is_consistent = false;
    return;
  }
  out.is_unique = rank == m;
  solver_.solve(x_);
  for (int j = 0; j < m; ++j) x_[std::size_t(j)] += near_[std::size_t(j)];
  for (int j = 0; j < m; ++j) {
    const int row = unknown_[std::size_t(j)];
    const double force = out.D[std::size_t(row)] * x_[std::size_t(j)];
    out.z[std::size_t(row)] = force;
    add_response(row, force);
    if (slides[std::size_t(row)] < 0) continue;
    double f1 = 0, f2 = 0;
    friction_in_rows(slides[std::size_t(row)], f1, f2);
    out.z[std::size_t(row) + 1] = f1 * force;
    out.z[std::size_t(row) + 2] = f2 * force;
    add_response(row + 1, f1 * force);
    add_response(row + 2, f2 * force);
  }
  for (const int row : unknown_)
    if (!(std::abs(out.D[std::size_t(row)] * out.w[std::size_t(row)]) <= contradiction * out.scale))
      out.is_consistent = false;
}

int ModeEquations::idle_forces(const ModeForces& f, std::vector<double>& out) {
  const int n = f.rows.rows.size(), m = int(unknown_.size()), count = m - solver_.rank();
  out.assign(index(n * count), 0.0);
  std::vector<double>& x = idle_;
  x.resize(index(m));
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    solver_.null_vector(k, x);
    double* z = out.data() + index(kept * n);
    std::fill_n(z, n, 0.0);
    for (int j = 0; j < m; ++j) {
      const std::size_t row = index(unknown_[index(j)]);
      z[row] = f.D[row] * x[index(j)];
      if (slides_[row] < 0) continue;
      const Contact& c = f.contacts[index(slides_[row])];
      z[row + 1] = z[row] * dot(load_[index(slides_[row])], c.t1);
      z[row + 2] = z[row] * dot(load_[index(slides_[row])], c.t2);
    }
    // Where the friction of sliding depends on how the load is shared, forces change accelerations.
    double change = 0;
    for (int i = 0; i < n; ++i) {
      double w = 0;
      for (int j = 0; j < n; ++j) w += f.W[entry_of(i, j, n)] * z[j];
      change = std::max(change, std::abs(f.D[index(i)] * w));
    }
    if (change < no_change) ++kept;
  }
  out.resize(index(n * kept));
  return kept;
}

}  // namespace linchpin
