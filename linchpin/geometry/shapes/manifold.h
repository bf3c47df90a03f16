// Where two shapes touch, or are about to: points with signed gaps.
//
// For a unit direction n let
//     s(n) = min { n.a : a in A } - max { n.b : b in B }                         (1)
// the gap between A and B as seen along n, n pointing from B towards A. The signed distance of two convex shapes is
//     d = max over n of s(n)                                                     (2)
// which is their distance while apart and minus their depth of penetration (the shortest way out) when not. Whatever n
// a query comes back with, s(n) is a true lower bound of d, and n.(a - b) >= s(n) for every a in A and b in B. So a
// manifold is one direction n and pairs of points a_i, b_i = a_i - gap_i n on the two surfaces with
//     gap_i >= distance = s(n),  equality for one of them at least.              (3)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct ContactPoint {
  Vec3<double> p;  // midway between the surfaces, W: a = p + gap/2 n, b = p - gap/2 n
  double gap;      // m, along the normal; negative in penetration
  // What of A (upper half) and of B (lower half) meet here; the same from step to step while the same features meet.
  std::uint32_t feature;
};

inline constexpr int most_points = 8;

// Nothing is set when made: only the first `count` points have a meaning.
struct Manifold {
  Vec3<double> normal;  // n: unit, from B towards A, W
  double distance;      // m, (3)
  int count;
  std::uint32_t piece_a, piece_b;  // part of a compound, triangle of a mesh, ...; 0 for a shape of one piece
  ContactPoint points[most_points];
};

LINCHPIN_INLINE Vec3<double> on_a(const Manifold& m, const ContactPoint& c) { return fma(c.gap / 2, m.normal, c.p); }
LINCHPIN_INLINE Vec3<double> on_b(const Manifold& m, const ContactPoint& c) { return fma(-c.gap / 2, m.normal, c.p); }

// The same contact with A and B in each other's place.
inline void swap_sides(Manifold& m) {
  m.normal = -m.normal;
  std::swap(m.piece_a, m.piece_b);
  for (int i = 0; i < m.count; ++i) m.points[i].feature = m.points[i].feature << 16 | m.points[i].feature >> 16;
}

// A list that keeps its memory: no allocation once it has seen its largest content.
class ManifoldList {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Manifold& operator[](std::size_t i) const { return manifolds_[i]; }
  Manifold& operator[](std::size_t i) { return manifolds_[i]; }
  std::span<const Manifold> all() const { return {manifolds_.data(), size_}; }
  std::span<Manifold> all() { return {manifolds_.data(), size_}; }
  // Room for one more, which counts only after keep().
  Manifold& next() {
    if (is_full()) grow();
    return manifolds_[size_];
  }
  void keep(bool found = true) { size_ += found; }
  // For loops over single contacts, where a call in the way, even one that is never made, costs more than they do.
  bool is_full() const { return manifolds_.data() + size_ == std::to_address(manifolds_.end()); }
  void grow() { manifolds_.resize(manifolds_.empty() ? 16 : 2 * manifolds_.size()); }
  Manifold& next_unless_full() { return manifolds_[size_]; }
  void shrink_to(std::size_t size) { size_ = size; }

 private:
  std::vector<Manifold> manifolds_;
  std::size_t size_ = 0;
};

}  // namespace linchpin
