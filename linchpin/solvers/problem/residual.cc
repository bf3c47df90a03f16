#include "linchpin/solvers/problem/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/base/index.h"
#include "linchpin/solvers/problem/exact_sum.h"

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
    most = std::min(most, std::numeric_limits<double>::max());  // the quotient may overflow
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
      double mean = (std::abs(d[0]) + std::abs(d[4]) + std::abs(d[8])) / 3;
      if (std::isinf(mean)) mean = std::abs(d[0]) / 3 + std::abs(d[4]) / 3 + std::abs(d[8]) / 3;
      const double s = std::sqrt(mean);
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

namespace {

// Numbers of this size, and 0, have squares that neither overflow nor vanish, nor do sums of many, nor quotients of
// such numbers and an s.
constexpr double least_ordinary = 1e-120, most_ordinary = 1e120;

// Sums of magnitudes, by which residual() chooses its precision.
struct Sizes {
  double scaled_z = 0, scaled_q = 0, z = 0, q = 0, least_s = HUGE_VAL, most_s = 0;
  // Whether squares can be computed in double. Small z and w are ordinary beside an ordinary q; if q = 0 the figures
  // are absolute, and what vanishes is below any tolerance.
  bool ordinary() const {
    return z <= most_ordinary && scaled_z <= most_ordinary && q <= most_ordinary && scaled_q <= most_ordinary &&
           (q == 0 || (q >= least_ordinary && scaled_q >= least_ordinary)) && least_s >= least_ordinary &&
           most_s <= most_ordinary;
  }
};
Sizes sizes_of(const Problem& p, std::span<const double> z, const std::vector<double>& scale) {
  Sizes sum;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum.scaled_z += std::abs(z[i]) * scale[i];
    sum.scaled_q += std::abs(p.q[i]) / scale[i];
    sum.z += std::abs(z[i]);
    sum.q += std::abs(p.q[i]);
    sum.least_s = std::min(sum.least_s, scale[i]);
    sum.most_s = std::max(sum.most_s, scale[i]);
  }
  return sum;
}

// w summed without rounding, for impulses so large that extended precision would hide q. False if that is not possible:
// numbers at the ends of the range, or a product H A^-1 H', which is itself rounded.
bool exact_w(const Problem& p, std::span<const double> z, ResidualWorkspace& ws) {
  if (p.M.kind() == Matrix::Kind::factored) return false;
  const int n = p.size();
  ws.row.resize(n);
  for (int i = 0; i < n; ++i) {
    p.M.copy(i, 1, 0, n, ws.row.data(), n);
    ExactSum sum;
    sum.add(p.q[i]);
    for (int j = 0; j < n; ++j) sum.add_product(ws.row[j], z[j]);
    if (!sum.exact()) return false;
    ws.extended_w[i] = sum.extended();
  }
  return true;
}

// In extended precision, whose exponents hold the squares of all doubles; a bound on the rounding error of w is added.
Residual extended_residual(const Problem& p, std::span<const double> z, ResidualWorkspace& ws) {
  const std::size_t n = z.size();
  ws.extended_w.resize(n);
  ws.extended_work.resize(p.M.work_size());
  p.M.multiply_extended(z, ws.extended_w, ws.extended_work);
  long double impulses = 0, q = 0, plain_q = 0, largest_s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ws.extended_w[i] += p.q[i];
    impulses += std::abs(z[i]) * (long double)(ws.scale[i]);
    q += std::abs(p.q[i]) / (long double)(ws.scale[i]);
    plain_q += std::abs(p.q[i]);
    largest_s = std::max(largest_s, (long double)(ws.scale[i]));
  }
  constexpr long double epsilon = std::numeric_limits<long double>::epsilon();
  constexpr long double noticeable = 1e-11;  // relative to |q|: a tenth of the default tolerance
  long double lost = epsilon * impulses;
  const bool matters = lost > noticeable * q || lost * largest_s > noticeable * plain_q;  // as judge() adds it
  if (matters && std::isfinite(lost) && exact_w(p, z, ws)) lost = 0;
  for (std::size_t i = 0; i < n; ++i) ws.w[i] = double(ws.extended_w[i]);
  return judge<long double>(p, z, ws.extended_w.data(), lost, ws);
}

}  // namespace

Residual residual(const Problem& p, std::span<const double> z, ResidualWorkspace& ws) {
  const int n = p.size();
  check(z.size() == index(n), "z has ", z.size(), " numbers for ", n, " rows");
  ws.w.resize(n);
  ws.work.resize(p.M.work_size());
  row_scales(p, ws);
  ws.part.resize(n);
  const Sizes sizes = sizes_of(p, z, ws.scale);
  // In scaled units M has a unit diagonal, so the rounding error of w is about epsilon times the impulses. Large
  // impulses, as redundant contacts may have, need extended precision.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr double negligible = 1e-13;  // relative to |q|: a thousandth of the default tolerance
  if (epsilon * sizes.scaled_z > negligible * sizes.scaled_q || !sizes.ordinary()) return extended_residual(p, z, ws);
  p.M.multiply(z, ws.w, ws.work);
  for (std::size_t i = 0; i < index(n); ++i) ws.w[i] += p.q[i];
  const Residual r = judge<double>(p, z, ws.w.data(), 0, ws);
  // A w that overflows, by entries of M far above its diagonal.
  return std::isfinite(r.relative) && std::isfinite(r.plain_relative) ? r : extended_residual(p, z, ws);
}

}  // namespace linchpin
