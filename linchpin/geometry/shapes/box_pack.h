// Eight boxes side by side, coordinates apart, and the tree that such packs form.
//
// Boxes in some order are taken by eights: pack j of level 0 holds boxes 8j to 8j+7. The boxes that hold each of these
// packs are boxes again; taken by eights they are level 1, and so on until one pack is left. So lane l of pack j at
// level k+1 bounds pack 8j+l of level k, and there is nothing to store but the boxes. What the tree is worth depends on
// the order alone.
//
// Lanes without a box are NaN: a comparison with them is false, so they overlap nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/base/aligned.h"
#include "linchpin/geometry/shapes/aabb.h"

namespace linchpin {

struct alignas(cache_line) BoxPack {
  static constexpr int lanes = 8;
  double lower[3][lanes], upper[3][lanes];  // [axis][lane]
};

LINCHPIN_INLINE Aabb box_of(const BoxPack& pack, std::size_t lane) {
  return {{pack.lower[0][lane], pack.lower[1][lane], pack.lower[2][lane]},
          {pack.upper[0][lane], pack.upper[1][lane], pack.upper[2][lane]}};
}
LINCHPIN_INLINE void set_box(BoxPack& pack, std::size_t lane, const Aabb& box) {
  pack.lower[0][lane] = box.lower.x, pack.lower[1][lane] = box.lower.y, pack.lower[2][lane] = box.lower.z;
  pack.upper[0][lane] = box.upper.x, pack.upper[1][lane] = box.upper.y, pack.upper[2][lane] = box.upper.z;
}

// The packs of all levels.
class BoxTree {
 public:
  static constexpr int most_levels = 12;  // 8^11 boxes: more than 32 bits can count

  // The tree over `boxes` in the order `order`, a permutation of some of their indices; allocates only if it was never
  // as large before.
  void build(std::span<const Aabb> boxes, std::span<const std::uint32_t> order);

  int levels() const { return levels_; }  // 0 without boxes
  std::size_t size(int level) const { return size_[level]; }
  const BoxPack* level(int k) const { return packs_.data() + first_[k]; }
  // What pack j of level 0 holds.
  Aabb bounds_of(std::size_t j) const { return levels_ > 1 ? box_of(level(1)[j / 8], j % 8) : bounds_; }
  const Aabb& bounds() const { return bounds_; }

 private:
  AlignedArray<BoxPack> packs_;
  std::size_t first_[most_levels] = {}, size_[most_levels] = {};
  int levels_ = 0;
  Aabb bounds_ = Aabb::none();
};

// A bit for each lane: 1 << l when box l overlaps `box`.
unsigned overlap_lanes(const BoxPack& pack, const Aabb& box);

// For each lane, where the line origin + t direction enters its box at or after t = 0; the bits tell the lanes whose
// box it meets at some t in [0, limit]. `inverse` is 1/direction, entry by entry.
unsigned entry_lanes(const BoxPack& pack, const Vec3<double>& origin, const Vec3<double>& inverse, double limit,
                     double t[BoxPack::lanes]);

// For each lane the square of its distance from `box`; the bits tell the lanes where that is at most `limit`.
unsigned near_lanes(const BoxPack& pack, const Aabb& box, double limit, double squared[BoxPack::lanes]);

}  // namespace linchpin
