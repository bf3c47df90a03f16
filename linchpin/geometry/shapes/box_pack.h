// BoxPack: eight boxes as a structure of arrays. BoxTree: an implicit tree of such packs.
//
// Pack j of level 0 holds the boxes 8j to 8j+7 in some given order. The bounding boxes of these packs, eight by eight,
// are the packs of level 1, and so on up to a level of one pack. So lane l of pack j at level k+1 bounds pack 8j+l of
// level k, and nothing but the boxes is stored. The quality of the tree depends on the order only.
//
// Lanes without a box are NaN: comparisons with them are false, so they overlap nothing.
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

class BoxTree {
 public:
  static constexpr int most_levels = 12;  // 8^12 boxes: more than a 32-bit index can address

  // Builds the tree over `boxes` in the order `order`, a permutation of some of their indices. Allocates only if the
  // tree was never as large before.
  void build(std::span<const Aabb> boxes, std::span<const std::uint32_t> order);

  int levels() const { return levels_; }  // 0 without boxes
  std::size_t size(int level) const { return size_[level]; }
  const BoxPack* level(int k) const { return packs_.data() + first_[k]; }
  // The bounding box of pack j of level 0.
  Aabb bounds_of(std::size_t j) const { return levels_ > 1 ? box_of(level(1)[j / 8], j % 8) : bounds_; }
  const Aabb& bounds() const { return bounds_; }

 private:
  AlignedArray<BoxPack> packs_;
  std::size_t first_[most_levels] = {}, size_[most_levels] = {};
  int levels_ = 0;
  Aabb bounds_ = Aabb::none();
};

// A bit mask: bit l is set if box l overlaps `box`.
unsigned overlap_lanes(const BoxPack& pack, const Aabb& box);

// Sets t[l] to the first t >= 0 at which origin + t direction is in box l. Bit l of the result is set if the ray meets
// box l at some t in [0, limit]. `inverse` is 1/direction, component by component.
unsigned entry_lanes(const BoxPack& pack, const Vec3<double>& origin, const Vec3<double>& inverse, double limit,
                     double t[BoxPack::lanes]);

// Sets squared[l] to the squared distance of box l from `box`. Bit l of the result is set if that is at most `limit`.
unsigned near_lanes(const BoxPack& pack, const Aabb& box, double limit, double squared[BoxPack::lanes]);

}  // namespace linchpin
