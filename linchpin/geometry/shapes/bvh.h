// A bounding volume hierarchy that is built once and queried often: for triangles of a mesh or shapes of a scene.
//
// It is a BoxTree (box_pack.h) whose order is found by median splits: the boxes of a node are divided between the lower
// and the upper half of its eight lanes, by their centres along the axis of the largest spread of centres; then each
// half in the same way. Equal centres are ordered by index, so the tree is a function of the boxes alone. The tree is
// complete, whatever the boxes. Construction is O(n log n).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "linchpin/geometry/shapes/aabb.h"
#include "linchpin/geometry/shapes/box_pack.h"
#include "linchpin/geometry/shapes/ray.h"

namespace linchpin {

class Bvh {
 public:
  Bvh() = default;
  // Empty boxes are left out; no query finds them.
  explicit Bvh(std::span<const Aabb> boxes);

  std::size_t size() const { return order_.size(); }
  const Aabb& bounds() const { return tree_.bounds(); }

  // Calls visit(index) for each box that overlaps `box`, in an order that depends on the tree alone.
  template <class Visit>
  void for_overlapping(const Aabb& box, Visit&& visit) const;

  // Calls limit = visit(index, limit) for the boxes that the ray meets at some t <= limit. The limit begins as
  // ray.limit; visit() returns the t of the nearest hit so far, or a negative number to stop. The children of a node
  // are visited in the order in which the ray enters them. Boxes of different nodes may overlap, so the ray may enter a
  // box visited later at a smaller t; a box that is skipped is never entered before the limit. Returns the last limit.
  template <class Visit>
  double along(const Ray& ray, Visit&& visit) const;

  // Calls bound = visit(index, bound) for the boxes whose distance from `box` is at most `bound`, the smallest distance
  // found so far; the nearest child of a node first. Returns the last bound.
  template <class Visit>
  double nearest(const Aabb& box, double bound, Visit&& visit) const;

 private:
  struct Node {
    double key;  // t at which the ray enters the node, or its squared distance
    std::uint32_t index;
    int level;
  };
  // The traversal is depth first: at most seven siblings per level wait on the stack.
  static constexpr int most_nodes = 8 * BoxTree::most_levels;

  // Depth-first traversal, the child with the smallest key first. lanes_of(pack, keys) sets the keys of eight children
  // and returns a bit mask of those to visit. leaf(index) is called for boxes. A node is skipped if past(key) is true
  // when its turn comes.
  template <class LanesOf, class Past, class Leaf>
  void walk(const LanesOf& lanes_of, const Past& past, const Leaf& leaf) const;

  BoxTree tree_;
  std::vector<std::uint32_t> order_;
};

template <class LanesOf, class Past, class Leaf>
void Bvh::walk(const LanesOf& lanes_of, const Past& past, const Leaf& leaf) const {
  if (tree_.levels() == 0) return;
  Node stack[most_nodes];
  int height = 0;
  stack[height++] = {0, 0, tree_.levels() - 1};
  while (height > 0) {
    const Node node = stack[--height];
    if (past(node.key)) continue;
    if (node.level < 0) {
      leaf(order_[node.index]);
      continue;
    }
    double keys[BoxPack::lanes];
    const int bottom = height;
    for (unsigned bits = lanes_of(tree_.level(node.level)[node.index], keys); bits; bits &= bits - 1) {
      const std::uint32_t lane = std::uint32_t(std::countr_zero(bits));
      // Insertion sort by falling keys, so that the smallest is popped first; of equal keys the first lane.
      int at = height++;
      for (; at > bottom && stack[at - 1].key <= keys[lane]; --at) stack[at] = stack[at - 1];
      stack[at] = {keys[lane], 8 * node.index + lane, node.level - 1};
    }
  }
}

template <class Visit>
void Bvh::for_overlapping(const Aabb& box, Visit&& visit) const {
  const auto lanes_of = [&](const BoxPack& pack, double* keys) {
    std::fill_n(keys, BoxPack::lanes, 0.0);
    return overlap_lanes(pack, box);
  };
  walk(
      lanes_of, [](double) { return false; }, [&](std::uint32_t index) { visit(index); });
}

template <class Visit>
double Bvh::along(const Ray& ray, Visit&& visit) const {
  const Vec3<double> inverse{1 / ray.direction.x, 1 / ray.direction.y, 1 / ray.direction.z};
  double limit = ray.limit;
  const auto lanes_of = [&](const BoxPack& pack, double* t) {
    return entry_lanes(pack, ray.origin, inverse, limit, t);
  };
  walk(
      lanes_of, [&](double t) { return !(t <= limit); }, [&](std::uint32_t index) { limit = visit(index, limit); });
  return limit;
}

template <class Visit>
double Bvh::nearest(const Aabb& box, double bound, Visit&& visit) const {
  const auto lanes_of = [&](const BoxPack& pack, double* squared) {
    return bound >= 0 ? near_lanes(pack, box, bound * bound, squared) : 0u;
  };
  const auto past = [&](double squared) { return !(bound >= 0 && squared <= bound * bound); };
  walk(lanes_of, past, [&](std::uint32_t index) { bound = visit(index, bound); });
  return bound;
}

}  // namespace linchpin
