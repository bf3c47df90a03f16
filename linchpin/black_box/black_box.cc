#include "linchpin/black_box/black_box.h"

#include <algorithm>

#include "linchpin/base/check.h"

namespace linchpin {

void AnyBody::start(std::span<double> q) const { std::ranges::fill(q, 0.0); }

void AnyBody::rate(std::span<const double>, std::span<const double> v, std::span<double> qdot) const {
  check(v.size() == qdot.size(), "a body of ", v.size(), " velocities and ", qdot.size(),
        " position numbers must say how one makes the other's rate");
  std::ranges::copy(v, qdot.begin());
}

void AnyBody::settle(std::span<double>) const {}

void AnyBody::advance(std::span<double> q, std::span<const double> v, double dt) const {
  if (positions() == dimension()) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += dt * v[i];
  } else {
    constexpr std::size_t most = 64;
    double qdot[most];
    check(q.size() <= most, "a body of ", q.size(), " position numbers, more than ", most,
          ", must have an advance() of its own");
    rate(q, v, std::span(qdot, q.size()));
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += dt * qdot[i];
  }
  settle(q);
}

void AnyBody::spin(std::span<const double>, std::span<const double>, SpinMotion&) const {
  fail_check("this body has no axes: a constraint on axes cannot act on it");
}

std::span<double> BlockArena::take(std::size_t count) {
  while (true) {
    if (chunk_ == chunks_.size()) chunks_.emplace_back(std::max<std::size_t>(count, 1024));
    std::vector<double>& chunk = chunks_[chunk_];
    if (used_ + count <= chunk.size()) {
      const std::span<double> taken(chunk.data() + used_, count);
      used_ += count;
      std::ranges::fill(taken, 0.0);
      return taken;
    }
    ++chunk_;
    used_ = 0;
  }
}

PointMotion BodyView::point(const Vec3<double>& X) const {
  PointMotion out;
  if (!body_) {
    out.at = X;
    return out;
  }
  out.J = arena_->take(3 * std::size_t(dimension()));
  body_->point(q_, v_, X, out);
  return out;
}

SpinMotion BodyView::spin() const {
  SpinMotion out;
  if (!body_) return out;
  out.J = arena_->take(3 * std::size_t(dimension()));
  body_->spin(q_, v_, out);
  return out;
}

namespace {
void add_row(std::span<double> block, int row, const Vec3<double>& n, std::span<const double> J) {
  const std::size_t size = J.size() / 3;
  double* to = block.data() + std::size_t(row) * size;
  for (std::size_t j = 0; j < size; ++j) to[j] += n.x * J[j] + n.y * J[size + j] + n.z * J[2 * size + j];
}
}  // namespace

void RowBlocks::add(int k, int row, const Vec3<double>& n, const Moving& m) const {
  add_row(J(k), row, n, m.J);
  c[row] += dot(n, m.bias);
}

void RowBlocks::add_direction(int k, int row, const Vec3<double>& n, const Moving& m) const {
  add_row(K(k), row, n, m.J);
}

}  // namespace linchpin
