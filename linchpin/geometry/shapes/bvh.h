// A hierarchy of boxes that is built once and asked often: the triangles of a mesh, the shapes of a scene.
//
// A BoxTree (box_pack.h) over an order found by halving: the boxes of a node, which are to fill some of its eight
// lanes, are divided between the lower and the upper half of these lanes, by their centres along the axis in which the
// centres spread most; then each half in the same way. Equal centres are told apart by their index, so the tree is a
// function of the boxes alone. The depth is that of a complete tree whatever the boxes; O(n log n).
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
  // Boxes that hold no point are left out: nothing finds them.
  explicit Bvh(std::span<const Aabb> boxes);

  std::size_t size() const { return order_.size(); }
  const Aabb& bounds() const { return tree_.bounds(); }

  // Calls visit(index) for each box that overlaps `box`, in an order that depends on the tree alone.
  template <class Visit>
  void for_overlapping(const Aabb& box, Visit&& visit) const;

  // Calls limit = visit(index, limit) for the boxes that the ray meets at some t <= limit, which begins as ray.limit
  // and is what visit() last said: the t of the nearest hit so far, or less than 0 to stop. Near nodes come before far
  // ones, children of a node in the order in which the ray enters them; boxes of different nodes may overlap, so a
  // later box may begin earlier, but never one of those left out. Returns the last limit.
  template <class Visit>
  double along(const Ray& ray, Visit&& visit) const;

  // Calls bound = visit(index, bound) for the boxes whose distance from `box` is at most `bound`, the least distance
  // known so far; again near nodes first. Returns the last bound.
  template <class Visit>
  double nearest(const Aabb& box, double bound, Visit&& visit) const;

 private:
  struct Node {
    double key;  // where the node begins: t or distance squared
    std::uint32_t index;
    int level;
  };
  // A walk from the top opens one node at a time and puts off at most seven others of each level.
  static constexpr int most_nodes = 8 * BoxTree::most_levels;

  // Opens nodes, the one with the least key of those opened last first. lanes_of(pack, keys) fills eight keys and tells
  // the lanes to be followed; leaf(index) is called for boxes; a node whose key is past(key) by then is dropped.
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
      // From the far ones up to the near ones; of equals the first lane is the nearest.
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
