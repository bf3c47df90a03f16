// An order of boxes in which neighbours lie close together and are of like size: the order of a BoxTree (box_pack.h)
// that is cheap enough to be found anew at every step.
//
// Centres are sorted along Morton's curve: with the cube that holds them cut into 1024^3 cells, the bits of the three
// cell numbers are interleaved into one number,
//     key = ... z_1 y_1 x_1 z_0 y_0 x_0                                                            (1)
// The cube's sides are equal, so a flat scene is cut into squares. A box much larger than the rest would spoil the pack
// that it falls into, so the size comes first: four classes of three octaves each, about the geometric mean,
//     class = clamp(floor((log2 extent - mean of floor(log2 extent) + 4) / 3), 0, 3)               (2)
// When some boxes are far away from all others, or lie in distant clusters, whole clusters fall into one cell. A cell
// with many boxes is sorted once more by its own cube, and so on: the scale does not matter, and time stays O(n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/shapes/aabb.h"

namespace linchpin {

// Keeps its memory from call to call, nothing else.
class SpatialOrder {
 public:
  // The indices of all boxes that hold points. Valid until the next call.
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
