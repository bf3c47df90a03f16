// Which of many boxes are near each other.
//
// Boxes i and j with margins m_i and m_j are near if, along each axis e,
//     lower_i.e - m_i <= upper_j.e + m_j   and   lower_j.e - m_j <= upper_i.e + m_i                (1)
// that is, if they are apart by at most the sum of their margins. A margin is at least what its shape can move in a
// step (speed times dt), so that no contact of that step is missed.
//
// All pairs come out in rising order of (a, b), whatever the history: nothing is kept from call to call but memory. At
// each call the boxes are sorted along a curve (spatial_order.h) and taken by eights into a tree (box_pack.h); each
// pack of eight looks for those after it in the order which it overlaps, and where packs overlap, boxes are tested one
// against eight. O(n log n + pairs) for boxes of bounded crowding. How that compares is told in docs/broad_phase.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/aabb.h"
#include "linchpin/geometry/box_pack.h"
#include "linchpin/geometry/spatial_order.h"

namespace linchpin {

struct BoxPair {
  std::uint32_t a, b;  // a < b
  friend bool operator==(const BoxPair&, const BoxPair&) = default;
};

// A pair is wanted if each is in a group that the other minds.
struct BoxFilter {
  std::uint32_t groups = 1, minds = ~std::uint32_t(0);
};
inline bool wanted(const BoxFilter& a, const BoxFilter& b) {
  return (a.groups & b.minds) != 0 && (b.groups & a.minds) != 0;
}

class BroadPhase {
 public:
  // All wanted pairs (1) in rising order, valid until the next call. `margins` and `filters` may be empty: no margin,
  // all wanted. A box that holds no point, such as one with NaN, is in no pair; infinite ones are as good as others.
  std::span<const BoxPair> find_pairs(std::span<const Aabb> boxes, std::span<const double> margins = {},
                                      std::span<const BoxFilter> filters = {});

 private:
  std::size_t find_neighbours(std::size_t pack);
  void test_pack(std::size_t pack, std::size_t candidates);
  void sort_pairs(std::size_t boxes);

  SpatialOrder spatial_order_;
  BoxTree tree_;
  std::vector<Aabb> inflated_;
  std::span<const std::uint32_t> order_;          // position in the tree -> box
  std::vector<std::uint32_t> ids_;                // the same, filled up to whole packs
  std::vector<std::uint32_t> candidates_, next_;  // packs of one level, of the level below
  std::vector<std::uint32_t> tests_;              // 8 pack + lane of the one that is tested against it
  std::vector<BoxPair> pairs_, spare_;            // the first count_ of them
  std::size_t count_ = 0;
  std::vector<std::uint32_t> place_a_, place_b_;
};

}  // namespace linchpin
