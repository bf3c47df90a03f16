#include "linchpin/solvers/problem/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// |z - P(z - w~)|^2 of a cone, z in units of 1/s and w in units of s. The pieces of P are distinguished so that no
// velocity cancels in the difference of two impulses: inside the cone the map is w~ itself.
template <class T>
T cone_map(T mu, const double* z, const T* w, T s) {
  const T Z[3] = {s * z[0], s * z[1], s * z[2]};
  const T speed = std::sqrt(w[1] * w[1] + w[2] * w[2]), W[3] = {(w[0] + mu * speed) / s, w[1] / s, w[2] / s};
  const T x[3] = {Z[0] - W[0], Z[1] - W[1], Z[2] - W[2]}, tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (x[0] >= 0 && tangent <= mu * x[0]) return W[0] * W[0] + W[1] * W[1] + W[2] * W[2];
  if (mu * tangent <= -x[0]) return Z[0] * Z[0] + Z[1] * Z[1] + Z[2] * Z[2];
  const T normal = (x[0] + mu * tangent) / (1 + mu * mu), shrink = mu * normal / tangent;
  const T e[3] = {Z[0] - normal, Z[1] - shrink * x[1], Z[2] - shrink * x[2]};
  return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}
// The same for a row of another block, before squaring. NaN propagates.
template <class T>
T row_map(const Problem& p, BlockKind kind, int row, double z, T w, T s) {
  const T Z = s * z, W = w / s;
  if (std::isnan(W) || !std::isfinite(Z)) return NAN;
  if (kind == BlockKind::nonnegative) return std::min(Z, W);
  if (kind == BlockKind::free) return W;
  const T l = s * p.lower[row], h = s * p.upper[row];
  return Z - W <= l ? Z - l : Z - W >= h ? Z - h : W;
}

double diagonal(const Problem& p, int row) {
  if (p.M.kind() == Matrix::Kind::dense) return std::abs(p.M.dense()[index(row) * p.size() + row]);
  double d;
  p.M.copy(row, 1, row, 1, &d, 1);
  return std::abs(d);
}

// The largest |M_ij| / s_j, or |M_ji| / s_j, over rows j that have a scale; 0 if there is none. `inverse` holds 1 /
// s_j, 0 for rows without.
double largest_coupling(const Problem& p, int i, const std::vector<double>& inverse, std::vector<double>& row) {
  const int n = p.size();
  double most = 0;
  const auto look = [&](const double* entries, int stride) {
    for (int j = 0; j < n; ++j) most = std::max(most, std::abs(entries[index(j) * stride]) * inverse[j]);
  };
  if (p.M.kind() == Matrix::Kind::dense) {
    look(&p.M.dense()[index(i) * n], 1);
    look(&p.M.dense()[i], n);
    return most;
  }
  row.resize(n);
  p.M.copy(i, 1, 0, n, row.data(), n);
  look(row.data(), 1);
  p.M.copy(0, n, i, 1, row.data(), 1);
  look(row.data(), 1);
  return most;
}

}  // namespace

void row_scales(const Problem& p, ResidualWorkspace& ws) {
  const int n = p.size();
  ws.scale.resize(n);
  bool missing = false;
  for (const Block& b : p.blocks) {
    if (b.kind == BlockKind::cone) {
      double d[9];
      p.M.diagonal(b.start, 3, d);
      const double s = std::sqrt((std::abs(d[0]) + std::abs(d[4]) + std::abs(d[8])) / 3);
      for (int k = 0; k < 3; ++k) ws.scale[b.start + k] = s;
    } else {
      for (int i = b.start; i < b.start + b.size; ++i) ws.scale[i] = std::sqrt(diagonal(p, i));
    }
    for (int i = b.start; i < b.start + b.size; ++i) missing = missing || !(ws.scale[i] > 0);
  }
  if (!missing) return;
  ws.part.resize(n);  // 1 / s, only of rows with a diagonal, so that the order of rows does not matter
  for (std::size_t i = 0; i < index(n); ++i) ws.part[i] = ws.scale[i] > 0 ? 1 / ws.scale[i] : 0;
  for (const Block& b : p.blocks)
    for (int i = b.start; i < b.start + b.size; ++i) {
      if (ws.part[i] > 0) continue;
      ws.scale[i] = largest_coupling(p, i, ws.part, ws.row);
      if (!(ws.scale[i] > 0)) ws.scale[i] = 1;
    }
  for (const Block& b : p.blocks)
    if (b.kind == BlockKind::cone && !(ws.part[b.start] > 0)) {
      const double s = std::max({ws.scale[b.start], ws.scale[b.start + 1], ws.scale[b.start + 2]});
      for (int k = 0; k < 3; ++k) ws.scale[b.start + k] = s;
    }
}

namespace {

// The figures for these w; `lost` is a bound on the rounding error of w, in scaled units.
template <class T>
Residual judge(const Problem& p, std::span<const double> z, const T* w, T lost, ResidualWorkspace& ws) {
  const int n = p.size();
  T scaled = 0, plain = 0, scaled_q = 0, plain_q = 0, worst = -1, largest_s = 0;
  Residual r;
  const auto add = [&](int row, T scaled_part, T plain_part) {  // squares
    scaled += scaled_part;
    plain += plain_part;
    ws.part[row] = double(std::sqrt(scaled_part));
    if (scaled_part > worst || (std::isnan(scaled_part) && !std::isnan(worst))) {  // NaN is the worst
      worst = scaled_part;
      r.worst_row = row;
      r.worst = ws.part[row];
    }
  };
  for (const Block& b : p.blocks) {
    if (b.kind == BlockKind::cone) {
      const double* zb = &z[b.start];
      add(b.start, cone_map<T>(b.mu, zb, w + b.start, ws.scale[b.start]), cone_map<T>(b.mu, zb, w + b.start, 1));
      ws.part[b.start + 1] = ws.part[b.start + 2] = 0;
    } else {
      for (int i = b.start; i < b.start + b.size; ++i) {
        const T e = row_map<T>(p, b.kind, i, z[i], w[i], ws.scale[i]);
        const T f = row_map<T>(p, b.kind, i, z[i], w[i], 1);
        add(i, e * e, f * f);
      }
    }
  }
  for (std::size_t i = 0; i < index(n); ++i) {
    plain_q += T(p.q[i]) * p.q[i];
    scaled_q += (T(p.q[i]) / ws.scale[i]) * (T(p.q[i]) / ws.scale[i]);
    largest_s = std::max(largest_s, T(ws.scale[i]));
  }
  scaled = std::sqrt(scaled) + lost;
  plain = std::sqrt(plain) + lost * largest_s;
  r.absolute = double(scaled);
  r.plain_absolute = double(plain);
  r.relative = double(scaled_q > 0 ? scaled / std::sqrt(scaled_q) : scaled);
  r.plain_relative = double(plain_q > 0 ? plain / std::sqrt(plain_q) : plain);
  return r;
}

}  // namespace

Residual residual(const Problem& p, std::span<const double> z, ResidualWorkspace& ws) {
  const int n = p.size();
  check(z.size() == index(n), "z has ", z.size(), " numbers for ", n, " rows");
  ws.w.resize(n);
  ws.work.resize(p.M.work_size());
  row_scales(p, ws);
  ws.part.resize(n);
  // In scaled units M has a unit diagonal, so the rounding error of w is about epsilon times the impulses.
  double impulses = 0, q = 0;
  for (std::size_t i = 0; i < index(n); ++i) {
    impulses += std::abs(z[i]) * ws.scale[i];
    q += std::abs(p.q[i]) / ws.scale[i];
  }
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr double negligible = 1e-13;  // relative to |q|: a thousandth of the default tolerance
  if (!(epsilon * impulses > negligible * q)) {
    p.M.multiply(z, ws.w, ws.work);
    for (std::size_t i = 0; i < index(n); ++i) ws.w[i] += p.q[i];
    return judge<double>(p, z, ws.w.data(), 0, ws);
  }
  // Large impulses, as redundant contacts may have: extended precision, and a bound on its error is added.
  ws.extended_w.resize(n);
  ws.extended_work.resize(p.M.work_size());
  p.M.multiply_extended(z, ws.extended_w, ws.extended_work);
  for (std::size_t i = 0; i < index(n); ++i) {
    ws.extended_w[i] += p.q[i];
    ws.w[i] = double(ws.extended_w[i]);
  }
  const long double lost = std::numeric_limits<long double>::epsilon() * impulses;
  return judge<long double>(p, z, ws.extended_w.data(), lost, ws);
}

}  // namespace linchpin
