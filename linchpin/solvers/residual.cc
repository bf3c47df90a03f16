#include "linchpin/solvers/residual.h"

#include <cmath>

#include "linchpin/solvers/projection.h"

namespace linchpin {
namespace {

std::size_t index(int i) { return std::size_t(i); }

// |z - P(z - w~)|^2 of a cone, z in units of 1/s and w in units of s.
double cone_map(double mu, const double* z, const double* w, double s) {
  const double Z[3] = {s * z[0], s * z[1], s * z[2]};
  double x[3] = {Z[0] - (w[0] + mu * tangential(w)) / s, Z[1] - w[1] / s, Z[2] - w[2] / s};
  project_cone(mu, x);
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (Z[k] - x[k]) * (Z[k] - x[k]);
  return sum;
}
// The same of a row of another block, before squaring. NaN goes through.
double row_map(const Problem& p, BlockKind kind, int row, double z, double w, double s) {
  const double Z = s * z, W = w / s;
  if (std::isnan(W) || !std::isfinite(Z)) return NAN;
  if (kind == BlockKind::nonnegative) return std::min(Z, W);
  if (kind == BlockKind::box) return Z - std::min(std::max(Z - W, s * p.lower[index(row)]), s * p.upper[index(row)]);
  return W;
}

double diagonal(const Problem& p, int row) {
  if (p.M.kind() == Matrix::Kind::dense) return std::abs(p.M.dense()[index(row) * index(p.size()) + index(row)]);
  double d;
  p.M.copy(row, 1, row, 1, &d, 1);
  return std::abs(d);
}

// The largest |M_ij| / s_j, or |M_ji| / s_j, over rows j that have a scale; 0 if there is none. `inverse` holds 1 / s_j, 0 for
// rows without.
double largest_coupling(const Problem& p, int i, const std::vector<double>& inverse, std::vector<double>& row) {
  const int n = p.size();
  double most = 0;
  const auto look = [&](const double* entries, int stride) {
    for (int j = 0; j < n; ++j) most = std::max(most, std::abs(entries[index(j) * index(stride)]) * inverse[index(j)]);
  };
  if (p.M.kind() == Matrix::Kind::dense) {
    look(&p.M.dense()[index(i) * index(n)], 1);
    look(&p.M.dense()[index(i)], n);
    return most;
  }
  row.resize(index(n));
  p.M.copy(i, 1, 0, n, row.data(), n);
  look(row.data(), 1);
  p.M.copy(0, n, i, 1, row.data(), 1);
  look(row.data(), 1);
  return most;
}

}  // namespace

void row_scales(const Problem& p, ResidualWorkspace& ws) {
  const int n = p.size();
  ws.scale.resize(index(n));
  bool missing = false;
  for (const Block& b : p.blocks) {
    if (b.kind == BlockKind::cone) {
      double d[9];
      p.M.diagonal(b.start, 3, d);
      const double s = std::sqrt((std::abs(d[0]) + std::abs(d[4]) + std::abs(d[8])) / 3);
      for (int k = 0; k < 3; ++k) ws.scale[index(b.start + k)] = s;
    } else {
      for (int i = b.start; i < b.start + b.size; ++i) ws.scale[index(i)] = std::sqrt(diagonal(p, i));
    }
    for (int i = b.start; i < b.start + b.size; ++i) missing = missing || !(ws.scale[index(i)] > 0);
  }
  if (!missing) return;
  ws.part.resize(index(n));  // 1 / s of rows with a diagonal only, so that the order of rows does not matter
  for (std::size_t i = 0; i < index(n); ++i) ws.part[i] = ws.scale[i] > 0 ? 1 / ws.scale[i] : 0;
  for (const Block& b : p.blocks)
    for (int i = b.start; i < b.start + b.size; ++i) {
      if (ws.part[index(i)] > 0) continue;
      ws.scale[index(i)] = largest_coupling(p, i, ws.part, ws.row);
      if (!(ws.scale[index(i)] > 0)) ws.scale[index(i)] = 1;
    }
  for (const Block& b : p.blocks)
    if (b.kind == BlockKind::cone && !(ws.part[index(b.start)] > 0)) {
      const double s = std::max({ws.scale[index(b.start)], ws.scale[index(b.start + 1)], ws.scale[index(b.start + 2)]});
      for (int k = 0; k < 3; ++k) ws.scale[index(b.start + k)] = s;
    }
}

Residual residual(const Problem& p, std::span<const double> z, ResidualWorkspace& ws) {
  const int n = p.size();
  check(z.size() == index(n), "z has ", z.size(), " numbers for ", n, " rows");
  ws.w.resize(index(n));
  ws.work.resize(p.M.work_size());
  row_scales(p, ws);
  ws.part.resize(index(n));
  p.M.multiply(z, ws.w, ws.work);
  for (std::size_t i = 0; i < index(n); ++i) ws.w[i] += p.q[i];
  double scaled = 0, plain = 0, scaled_q = 0, plain_q = 0, worst = -1;
  Residual r;
  const auto add = [&](int row, double scaled_part, double plain_part) {  // squares
    scaled += scaled_part;
    plain += plain_part;
    ws.part[index(row)] = std::sqrt(scaled_part);
    if (!(scaled_part <= worst)) {  // NaN is the worst
      worst = scaled_part;
      r.worst_row = row;
      r.worst = ws.part[index(row)];
    }
  };
  for (const Block& b : p.blocks) {
    if (b.kind == BlockKind::cone) {
      const double *zb = &z[index(b.start)], *wb = &ws.w[index(b.start)];
      add(b.start, cone_map(b.mu, zb, wb, ws.scale[index(b.start)]), cone_map(b.mu, zb, wb, 1));
      ws.part[index(b.start + 1)] = ws.part[index(b.start + 2)] = 0;
    } else {
      for (int i = b.start; i < b.start + b.size; ++i) {
        const double e = row_map(p, b.kind, i, z[index(i)], ws.w[index(i)], ws.scale[index(i)]);
        const double f = row_map(p, b.kind, i, z[index(i)], ws.w[index(i)], 1);
        add(i, e * e, f * f);
      }
    }
  }
  for (std::size_t i = 0; i < index(n); ++i) {
    plain_q += p.q[i] * p.q[i];
    scaled_q += (p.q[i] / ws.scale[i]) * (p.q[i] / ws.scale[i]);
  }
  r.absolute = std::sqrt(scaled);
  r.plain_absolute = std::sqrt(plain);
  r.relative = scaled_q > 0 ? r.absolute / std::sqrt(scaled_q) : r.absolute;
  r.plain_relative = plain_q > 0 ? r.plain_absolute / std::sqrt(plain_q) : r.plain_absolute;
  return r;
}

}  // namespace linchpin
