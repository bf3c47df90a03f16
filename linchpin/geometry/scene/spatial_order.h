// An order of boxes in which neighbours are close together and of similar size: the order of a BoxTree (box_pack.h). It
// is cheap enough to be computed in every step.
//
// Centres are sorted along a Morton curve: their bounding cube is divided into 1024^3 cells (32^3 for fewer than 4096
// boxes), and the bits of the three cell numbers are interleaved into one number,
//     key = ... z_1 y_1 x_1 z_0 y_0 x_0                                                            (1)
// The sides of the cube are equal, so that a flat scene is divided into squares. A box much larger than the others
// would enlarge the bounds of its pack, so boxes are sorted by size first: four classes of three octaves each, about
// the geometric mean,
//     class = clamp(floor((log2 extent - mean of floor(log2 extent) + 4) / 3), 0, 3)               (2)
// If some boxes are far away from all others, or boxes form distant clusters, a whole cluster may be in one cell. The
// boxes of a crowded cell are sorted again by their own cube, recursively. So the scale does not matter, and the time
// stays O(n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/shapes/aabb.h"

namespace linchpin {

// Keeps its memory between calls, and no other state.
class SpatialOrder {
 public:
  // The indices of all boxes that are not empty, in that order. Valid until the next call.
  std::span<const std::uint32_t> sort(std::span<const Aabb> boxes);

 private:
  struct Item {
    std::uint32_t key, index;
  };
  void sort_along_curve(std::span<const Aabb> boxes, std::span<Item> items, bool by_size, int depth);
  void sort_by_key(std::span<Item> items, int bits);

  std::vector<Item> items_, spare_;
  std::vector<std::uint32_t> order_;
};

}  // namespace linchpin
