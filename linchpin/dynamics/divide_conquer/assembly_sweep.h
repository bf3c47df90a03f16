// The order in which the nodes of an assembly tree are visited, by one thread or several.
#pragma once

#include <algorithm>
#include <span>

#include "linchpin/dynamics/divide_conquer/assembly_tree.h"
#include "linchpin/dynamics/divide_conquer/fork_join.h"

namespace linchpin {

class AssemblySweep {
 public:
  // least: parts with fewer links are not worth another thread.
  AssemblySweep(const AssemblyTree& tree, int least, int threads)
      : tree_(tree), nodes_(tree.nodes()), parallel_(threads > 1) {
    int links = 0;
    for (const int root : tree.roots()) links += nodes_[root].links;
    least_ = share(links, threads, least);
  }

  // Every part costs a start, so there are about as many parts as threads, and more only of large mechanisms.
  static int share(int all, int threads, int least) {
    constexpr int most = 1000;  // more than this makes a start cheap
    return std::max(least, std::min(all / (2 * threads) + 1, most));
  }

  // Calls stage(node) for each node, after all that it is made of.
  template <class Stage>
  void up(const Stage& stage) const {
    if (!parallel_)
      for (int i = 0; i < int(nodes_.size()); ++i) stage(i);
    else
      each(tree_.roots(), [&](int root) { up(root, stage); });
  }
  // Calls stage(node) for each node, before all that it is made of.
  template <class Stage>
  void down(const Stage& stage) const {
    if (!parallel_)
      for (int i = int(nodes_.size()); i-- > 0;) stage(i);
    else
      each(tree_.roots(), [&](int root) { down(root, stage); });
  }

 private:
  using Node = AssemblyTree::Node;

  template <class Stage>
  void up(int i, const Stage& stage) const {
    if (nodes_[i].links < 2 * least_) {
      for (int k = nodes_[i].first_below; k <= i; ++k) stage(k);
      return;
    }
    parts(nodes_[i], [&](int part) { up(part, stage); });
    stage(i);
  }
  template <class Stage>
  void down(int i, const Stage& stage) const {
    if (nodes_[i].links < 2 * least_) {
      for (int k = i; k >= nodes_[i].first_below; --k) stage(k);
      return;
    }
    stage(i);
    parts(nodes_[i], [&](int part) { down(part, stage); });
  }
  // What a node is made of: two assemblies, or what hangs on a segment.
  template <class Each>
  void parts(const Node& node, const Each& f) const {
    if (!node.is_segment()) {
      const int both[2] = {node.upper, node.lower};
      each(both, f);
      return;
    }
    const auto pieces = tree_.pieces();
    const int first = pieces[node.first_piece].first_limb, last = pieces[node.last_piece - 1].last_limb;
    each(tree_.limbs().subspan(first, last - first), f);
  }
  template <class Each>
  void each(std::span<const int> list, const Each& f) const {
    int links = 0;
    for (const int i : list) links += nodes_[i].links;
    halve(list, links, f);
  }
  // Divides a list into two of about as many links until they are few.
  template <class Each>
  void halve(std::span<const int> list, int links, const Each& f) const {
    if (list.size() < 2 || links < 2 * least_) {
      for (const int i : list) f(i);
      return;
    }
    std::size_t cut = 1;
    int before = nodes_[list[0]].links;
    while (cut + 1 < list.size() && 2 * before < links) before += nodes_[list[cut++]].links;
    ForkJoin::both([&] { halve(list.first(cut), before, f); }, [&] { halve(list.subspan(cut), links - before, f); });
  }

  const AssemblyTree& tree_;
  std::span<const Node> nodes_;
  bool parallel_;
  int least_;
};

}  // namespace linchpin
