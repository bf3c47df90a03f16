// Which of many boxes are near each other.
//
// Boxes i and j with margins m_i and m_j are near if, along each axis e,
//     lower_i.e - m_i <= upper_j.e + m_j   and   lower_j.e - m_j <= upper_i.e + m_i                (1)
// that is, if they are apart by at most the sum of their margins. A margin is at least what its shape can move in a
// step (speed times dt), so that no contact of that step is missed.
//
// All pairs come out in rising order of (a, b), whatever the history. Boxes are sorted along a curve (spatial_order.h) and
// taken by eights into a tree (box_pack.h); each pack of eight looks for those after it in the order which it overlaps, and
// where packs overlap, boxes are tested one against eight. O(n log n + pairs) for boxes of bounded crowding.
//
// In a simulation boxes move a little at a time. So what is searched are boxes with a skin, and while every box is within
// the one it had with its skin, the pairs are among those found then, in their order, and (1) picks them: O(n + pairs).
// The skin follows how fast things move, and where they move too fast for any there is none. What is kept decides how long
// a call takes, never what it finds. How that compares is told in docs/broad_phase.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/scene/spatial_order.h"
#include "linchpin/geometry/shapes/aabb.h"
#include "linchpin/geometry/shapes/box_pack.h"

namespace linchpin {

struct BoxPair {
  std::uint32_t a, b;  // a < b
  friend bool operator==(const BoxPair&, const BoxPair&) = default;
};

class BroadPhase {
 public:
  // All pairs (1) in rising order, valid until the next call. `margins` may be empty: none. A box that holds no point,
  // such as one with NaN, is in no pair; infinite ones are as good as others.
  std::span<const BoxPair> find_pairs(std::span<const Aabb> boxes, std::span<const double> margins = {});

 private:
  // The pairs of these boxes as they are, into pairs_.
  void search(std::span<const Aabb> boxes);
  std::size_t find_neighbours(std::size_t pack);
  void test_pack(std::size_t pack, std::size_t candidates);
  void sort_pairs(std::size_t boxes);

  bool is_within_skin(std::span<const Aabb> boxes) const;
  void search_with_skin(std::span<const Aabb> boxes);
  void adapt_skin();
  void pick_pairs(std::span<const Aabb> boxes);  // of those with skin, into pairs_
  void make_room(std::size_t boxes);

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

  std::vector<Aabb> with_skin_;      // empty: nothing is kept
  std::vector<BoxPair> skin_pairs_;  // theirs
  double skin_ = 0.05;               // as part of a middling box
  int uses_ = 0;                     // of what is kept
  int searches_left_ = 1;            // without skin: who asks once needs none
};

}  // namespace linchpin
