// Contact manifold: points where two shapes touch, or are close to touching, with signed gaps.
//
// For a unit direction n let
//     s(n) = min { n.a : a in A } - max { n.b : b in B }                         (1)
// be the gap between A and B along n, with n pointing from B towards A. The signed distance of two convex shapes is
//     d = max over n of s(n)                                                     (2)
// It is their distance while they are apart, otherwise minus the penetration depth (the shortest translation that
// separates them). For any n, s(n) is a lower bound of d, and n.(a - b) >= s(n) for every a in A and b in B. A manifold
// is a direction n and pairs of points a_i, b_i = a_i - gap_i n on the two surfaces with
//     gap_i >= distance = s(n),  with equality for at least one point.           (3)
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
  // Identifies the features (faces, edges, vertices) of A, upper 16 bits, and of B, lower 16 bits, that meet here. The
  // number is the same in each step as long as the same features meet.
  std::uint32_t feature;
};

inline constexpr int most_points = 8;

// Members are not initialised. Only the first `count` points are valid.
struct Manifold {
  Vec3<double> normal;  // n: unit, from B towards A, W
  double distance;      // m, (3)
  int count;
  std::uint32_t piece_a, piece_b;  // index of the compound's part or the terrain's triangle; 0 for simple shapes
  ContactPoint points[most_points];
};

LINCHPIN_INLINE Vec3<double> on_a(const Manifold& m, const ContactPoint& c) { return fma(c.gap / 2, m.normal, c.p); }
LINCHPIN_INLINE Vec3<double> on_b(const Manifold& m, const ContactPoint& c) { return fma(-c.gap / 2, m.normal, c.p); }

// The same contact with A and B exchanged.
inline void swap_sides(Manifold& m) {
  m.normal = -m.normal;
  std::swap(m.piece_a, m.piece_b);
  for (int i = 0; i < m.count; ++i) m.points[i].feature = m.points[i].feature << 16 | m.points[i].feature >> 16;
}

// A list that keeps its memory when it is cleared, so that refilling it does not allocate.
class ManifoldList {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Manifold& operator[](std::size_t i) const { return manifolds_[i]; }
  Manifold& operator[](std::size_t i) { return manifolds_[i]; }
  std::span<const Manifold> all() const { return {manifolds_.data(), size_}; }
  std::span<Manifold> all() { return {manifolds_.data(), size_}; }
  // Memory for one more manifold; keep() adds it to the list.
  Manifold& next() {
    if (is_full()) grow();
    return manifolds_[size_];
  }
  void keep(bool found = true) { size_ += found; }
  // For collide(), whose fastest pairs take fewer cycles than the call to grow() in next() costs, even where it is not
  // executed (registers must be saved for it).
  bool is_full() const { return manifolds_.data() + size_ == std::to_address(manifolds_.end()); }
  void grow() { manifolds_.resize(manifolds_.empty() ? 16 : 2 * manifolds_.size()); }
  Manifold& next_unless_full() { return manifolds_[size_]; }
  void shrink_to(std::size_t size) { size_ = size; }

 private:
  std::vector<Manifold> manifolds_;
  std::size_t size_ = 0;
};

}  // namespace linchpin
