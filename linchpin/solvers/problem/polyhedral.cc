#include "linchpin/solvers/problem/polyhedral.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace linchpin {
// Opposite directions are opposite to the last bit, and perpendicular ones perpendicular, so that symmetry is exact.
void PolyhedralFriction::set_directions(std::span<const double> turn) {
  const int nf = directions_;
  direction_.resize(index(cones_) * nf);
  for (int c = 0; c < cones_; ++c) {
    Direction* d = &direction_[index(c) * nf];
    const double first = turn.empty() ? 0 : turn[c];
    for (int k = 0; k < nf; ++k) {
      if (k >= nf / 2) {
        d[k] = {-d[k - nf / 2].x, -d[k - nf / 2].y};
      } else if (nf % 4 == 0 && k >= nf / 4) {
        d[k] = {-d[k - nf / 4].y, d[k - nf / 4].x};
      } else {
        const double angle = first + 2 * std::numbers::pi * k / nf;
        // A direction along a tangent up to rounding is set along it: the other tangent may be a row that nothing
        // moves.
        const auto snapped = [](double x) {
          return std::abs(x) < 1e-12 ? 0 : std::abs(x) > 1 - 1e-12 ? std::copysign(1, x) : x;
        };
        d[k] = {snapped(std::cos(angle)), snapped(std::sin(angle))};
      }
    }
  }
}

void PolyhedralFriction::pose(const Problem& conic, int directions, std::span<const double> turn, Problem& out) {
  check(directions >= 2 && directions % 2 == 0, "friction directions must be even and at least 4 (planar: 2), not ",
        directions);
  directions_ = directions;
  conic_size_ = conic.size();
  blocks_.assign(conic.blocks.begin(), conic.blocks.end());
  first_row_.clear();
  size_ = cones_ = 0;
  bool boxes = false;
  for (const Block& b : blocks_) {
    first_row_.push_back(size_);
    size_ += b.kind == BlockKind::cone ? directions + 2 : b.size;
    cones_ += b.kind == BlockKind::cone;
    boxes = boxes || b.kind == BlockKind::box;
  }
  check(turn.empty() || turn.size() == index(cones_), "there are ", turn.size(), " turns for ", cones_, " cones");
  set_directions(turn);

  const int n = conic_size_, N = size_, nf = directions_;
  const double* M = conic.M.dense_view(M_);

  // M P, with P the map (1)
  MP_.resize(index(n) * N);
  for (int r = 0; r < n; ++r) {
    const double* from = M + index(r) * n;
    double* to = MP_.data() + index(r) * N;
    int cone = 0;
    for (const Block& b : blocks_) {
      const double* f = from + b.start;
      if (b.kind != BlockKind::cone) {
        to = std::copy_n(f, b.size, to);
        continue;
      }
      const Direction* d = directions_of(cone++);
      *to++ = f[0];
      for (int k = 0; k < nf; ++k) *to++ = d[k].x * f[1] + d[k].y * f[2];
      *to++ = 0;
    }
  }

  // P' (M P), with (3) and (4) for sigma
  out.M.make_dense(N);
  out.q.resize(N);
  set_q(conic.q, out);
  out.blocks.clear();
  out.lower.clear();
  out.upper.clear();
  if (boxes) {
    out.lower.resize(N, 0.0);
    out.upper.resize(N, 0.0);
  }
  double* to = out.M.dense().data();
  int row = 0, cone = 0;
  for (const Block& b : blocks_) {
    const double* from = MP_.data() + index(b.start) * N;
    if (b.kind != BlockKind::cone) {
      to = std::copy_n(from, index(b.size) * N, to);
      if (b.kind == BlockKind::box) {
        std::copy_n(&conic.lower[b.start], b.size, &out.lower[row]);
        std::copy_n(&conic.upper[b.start], b.size, &out.upper[row]);
      }
      out.blocks.push_back({b.kind, row, b.size, 0});
      row += b.size;
      continue;
    }
    const Direction* d = directions_of(cone++);
    const double *t1 = from + N, *t2 = t1 + N;
    to = std::copy_n(from, N, to);
    for (int k = 0; k < nf; ++k, to += N) {
      for (int c = 0; c < N; ++c) to[c] = d[k].x * t1[c] + d[k].y * t2[c];
      to[row + nf + 1] = 1;
    }
    std::fill_n(to, N, 0.0);
    to[row] = b.mu;
    std::fill_n(to + row + 1, nf, -1.0);
    to += N;
    out.blocks.push_back({BlockKind::nonnegative, row, nf + 2, 0});
    row += nf + 2;
  }
}

void PolyhedralFriction::set_q(std::span<const double> conic_q, Problem& out) const {
  check(conic_q.size() == index(conic_size_) && out.q.size() == index(size_), "q has ", conic_q.size(), " numbers for ",
        conic_size_, " rows, to become ", out.q.size(), " for ", size_);
  double* to = out.q.data();
  int cone = 0;
  for (const Block& b : blocks_) {
    const double* q = conic_q.data() + b.start;
    if (b.kind != BlockKind::cone) {
      to = std::copy_n(q, b.size, to);
      continue;
    }
    const Direction* d = directions_of(cone++);
    *to++ = q[0];
    for (int k = 0; k < directions_; ++k) *to++ = d[k].x * q[1] + d[k].y * q[2];
    *to++ = 0;
  }
}

void PolyhedralFriction::to_conic(std::span<const double> z, std::span<double> conic_z) const {
  check(z.size() == index(size_) && conic_z.size() == index(conic_size_), "z has ", z.size(), " numbers for ", size_,
        " rows, to become ", conic_z.size(), " for ", conic_size_);
  const double* from = z.data();
  int cone = 0;
  for (const Block& b : blocks_) {
    double* to = conic_z.data() + b.start;
    if (b.kind != BlockKind::cone) {
      std::copy_n(from, b.size, to);
      from += b.size;
      continue;
    }
    const Direction* d = directions_of(cone++);
    to[0] = *from++;
    to[1] = to[2] = 0;
    for (int k = 0; k < directions_; ++k, ++from) {
      to[1] += d[k].x * *from;
      to[2] += d[k].y * *from;
    }
    ++from;  // sigma
  }
}

void PolyhedralFriction::from_conic(std::span<const double> conic_z, std::span<const double> conic_w,
                                    std::span<double> z) const {
  check(z.size() == index(size_) && conic_z.size() == index(conic_size_) &&
            (conic_w.empty() || conic_w.size() == index(conic_size_)),
        "z and w have ", conic_z.size(), " and ", conic_w.size(), " numbers for ", conic_size_, " rows, to become ",
        z.size(), " for ", size_);
  const int nf = directions_;
  double* to = z.data();
  int cone = 0;
  for (const Block& b : blocks_) {
    const double* r = conic_z.data() + b.start;
    if (b.kind != BlockKind::cone) {
      to = std::copy_n(r, b.size, to);
      continue;
    }
    const Direction* d = directions_of(cone++);
    const double x = r[1], y = r[2];
    *to++ = r[0];
    std::fill_n(to, nf, 0.0);
    int nearest = 0;
    for (int k = 1; k < nf; ++k)
      if (d[k].x * x + d[k].y * y > d[nearest].x * x + d[nearest].y * y) nearest = k;
    const Direction a = d[nearest];
    double along = a.x * x + a.y * y;
    const double across = a.x * y - a.y * x;
    int next = nearest;
    double aside = 0;
    if (nf > 2 && across != 0) {  // (x, y) = along a + aside (the neighbour on that side)
      next = (nearest + (across > 0 ? 1 : nf - 1)) % nf;
      const double angle = 2 * std::numbers::pi / nf;
      aside = std::abs(across) / std::sin(angle);
      along -= aside * std::cos(angle);
    }
    along = std::max(along, 0.0);  // the nearest direction is less than halfway off: negative by rounding only
    const double most = b.mu * std::max(r[0], 0.0), sum = along + aside, shrink = sum > most ? most / sum : 1;
    to[nearest] = shrink * along;
    if (next != nearest) to[next] = shrink * aside;
    to += nf;
    double sigma = 0;
    if (!conic_w.empty())
      for (int k = 0; k < nf; ++k)
        sigma = std::max(sigma, -(d[k].x * conic_w[b.start + 1] + d[k].y * conic_w[b.start + 2]));
    *to++ = sigma;
  }
}

Polyhedral polyhedral(const Problem& conic, int directions) {
  check(directions >= 4, "friction directions must be even and at least 4, not ", directions);
  Polyhedral p;
  p.directions = directions;
  p.friction.pose(conic, directions, {}, p.problem);
  return p;
}

void to_conic(const Problem& conic, const Polyhedral& p, std::span<const double> z, std::span<double> conic_z) {
  check(conic_z.size() == conic.q.size(), "z is to become ", conic_z.size(), " numbers for ", conic.q.size(), " rows");
  p.friction.to_conic(z, conic_z);
}

}  // namespace linchpin
