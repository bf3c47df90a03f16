#include "linchpin/contact/friction.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"

namespace linchpin {

void PreloadedFriction::pose(const Problem& conic, std::span<const double> preload, Problem& out) {
  check(preload.size() == conic.q.size(), "there are ", preload.size(), " preloads for ", conic.size(), " rows");
  const int n = conic_size_ = conic.size();
  row_scales(conic, scales_);  // K of (2): the second cone gets the scale of the first
  second_.clear();
  from_.resize(n);
  for (int i = 0; i < n; ++i) from_[i] = i;
  out.blocks.assign(conic.blocks.begin(), conic.blocks.end());
  for (const Block& b : conic.blocks) {
    if (b.kind != BlockKind::cone || !(b.mu > 0) || !(preload[b.start] > 0)) continue;
    const double s = scales_.scale[b.start];
    out.blocks.push_back({BlockKind::cone, size(), 3, b.mu});
    second_.push_back({b.start, s * s, preload[b.start]});
    for (const int row : {-1, b.start + 1, b.start + 2}) from_.push_back(row);
  }

  const int N = size();
  const double* M = conic.M.dense_view(M_);
  out.M.make_dense(N);
  double* to = out.M.dense().data();
  for (int r = 0; r < N; ++r, to += N) {
    if (from_[r] < 0) {
      std::fill_n(to, N, 0.0);
      to[r] = second_[(r - n) / 3].K;
      continue;
    }
    const double* row = M + index(from_[r]) * n;
    for (int c = 0; c < N; ++c) to[c] = from_[c] < 0 ? 0 : row[from_[c]];
  }
  out.q.resize(N);
  set_q(conic.q, out);
  out.lower.assign(conic.lower.begin(), conic.lower.end());
  out.upper.assign(conic.upper.begin(), conic.upper.end());
  if (!out.lower.empty()) {
    out.lower.resize(N, 0.0);
    out.upper.resize(N, 0.0);
  }
}

void PreloadedFriction::set_q(std::span<const double> conic_q, Problem& out) const {
  check(conic_q.size() == index(conic_size_) && out.q.size() == index(size()), "q has ", conic_q.size(),
        " numbers for ", conic_size_, " rows, to become ", out.q.size(), " for ", size());
  for (int r = 0; r < size(); ++r) {
    const int from = from_[r];
    const Second* second = from < 0 ? &second_[(r - conic_size_) / 3] : nullptr;
    out.q[r] = second ? -second->K * second->preload : conic_q[from];
  }
}

void PreloadedFriction::to_conic(std::span<const double> z, std::span<double> conic_z) const {
  check(z.size() == index(size()) && conic_z.size() == index(conic_size_), "z has ", z.size(), " numbers for ", size(),
        " rows, to become ", conic_z.size(), " for ", conic_size_);
  std::copy_n(z.begin(), conic_size_, conic_z.begin());
  for (std::size_t i = 0; i < second_.size(); ++i)
    for (std::size_t k = 1; k < 3; ++k) conic_z[index(second_[i].start) + k] += z[index(conic_size_) + 3 * i + k];
}

int cone_count(std::span<const Block> blocks) {
  return int(std::count_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.kind == BlockKind::cone; }));
}

double cone_violation(std::span<const Block> blocks, std::span<const double> z) {
  double worst = 0;
  const auto raise = [&](double x) {  // NaN is the worst, and stays
    if (!(x <= worst) && !std::isnan(worst)) worst = x;
  };
  for (const Block& b : blocks) {
    const double* r = &z[b.start];
    if (b.kind == BlockKind::nonnegative) {
      for (int k = 0; k < b.size; ++k) raise(-r[k]);
    } else if (b.kind == BlockKind::cone) {
      raise(-r[0]);
      raise(std::hypot(r[1], r[2]) - b.mu * r[0]);
    }
  }
  return worst;
}

}  // namespace linchpin
