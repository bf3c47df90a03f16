// Broad phase: the pairs of boxes that are near each other.
//
// Boxes i and j with margins m_i and m_j are near if, along each axis e,
//     lower_i.e - m_i <= upper_j.e + m_j   and   lower_j.e - m_j <= upper_i.e + m_i                (1)
// that is, if their gap along each axis is at most the sum of their margins. A margin should be at least the way that
// its shape can move in a step (speed times dt), so that no contact of that step is missed.
//
// The pairs are returned in rising order of (a, b), independent of earlier calls. Boxes are sorted along a
// space-filling curve (spatial_order.h) and form a tree of packs of eight (box_pack.h). For each pack the tree is
// searched for later packs that overlap it; then single boxes are tested against eight at a time. The time is O(n log n
// + pairs) if the density of boxes is bounded.
//
// In a simulation boxes move by small steps. So the search is done with boxes enlarged by a skin. While every box stays
// within its enlarged box, the pairs are a subset of those found then, in the same order, and only (1) is tested:
// O(n + pairs). The skin adapts to the speed of the boxes; if they move too fast, none is used. The kept data affect
// the time of a call, never its result. Measurements are in docs/broad_phase.md.
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
  // All pairs (1) in rising order, valid until the next call. If `margins` is empty, all are 0. An empty box, such as
  // one with NaN, is in no pair. Boxes may be infinite.
  std::span<const BoxPair> find_pairs(std::span<const Aabb> boxes, std::span<const double> margins = {});

 private:
  // Finds the overlapping pairs of these boxes, without skin, and stores them in pairs_.
  void search(std::span<const Aabb> boxes);
  std::size_t find_neighbours(std::size_t pack);
  void test_pack(std::size_t pack, std::size_t candidates);
  void sort_pairs(std::size_t boxes);

  bool is_within_skin(std::span<const Aabb> boxes) const;
  void search_with_skin(std::span<const Aabb> boxes);
  void adapt_skin();
  void pick_pairs(std::span<const Aabb> boxes);  // those of skin_pairs_ that overlap, into pairs_
  void make_room(std::size_t boxes);

  SpatialOrder spatial_order_;
  BoxTree tree_;
  std::vector<Aabb> inflated_;
  std::span<const std::uint32_t> order_;          // position in the tree -> box
  std::vector<std::uint32_t> ids_;                // the same, padded to whole packs
  std::vector<std::uint32_t> candidates_, next_;  // packs of one level, and of the level below
  std::vector<std::uint32_t> tests_;    // 8 j + lane: box `lane` of the current pack against the boxes of pack j
  std::vector<BoxPair> pairs_, spare_;  // only the first count_ are valid
  std::size_t count_ = 0;
  std::vector<std::uint32_t> place_a_, place_b_;

  std::vector<Aabb> with_skin_;      // enlarged boxes of the last search; empty if it was without skin
  std::vector<BoxPair> skin_pairs_;  // the pairs of with_skin_
  double skin_ = 0.05;               // relative to the geometric mean of the boxes' sizes
  int uses_ = 0;                     // calls since the last search
  int searches_left_ = 1;            // searches to be done without skin, which helps later calls only
};

}  // namespace linchpin
