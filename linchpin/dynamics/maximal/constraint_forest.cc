#include "linchpin/dynamics/maximal/constraint_forest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>
#include <utility>

#include "linchpin/dynamics/maximal/constraint_fault.h"
#include "linchpin/dynamics/maximal/forest_kernels.h"

namespace linchpin {
namespace {

struct Edge {
  int constraint, other;  // body, -1 for none
};

// Lends each body that others hang on a block from its first child's elimination to its own: a chain does with one, so
// that D stays in the cache however long the chain is.
void lend_pending(std::vector<ConstraintForest::Node>& nodes, std::size_t stride, std::size_t& numbers) {
  std::vector<std::size_t> back;  // given back
  for (ConstraintForest::Node& node : nodes) {
    if (!node.leaf) back.push_back(node.pending);  // read before its parent's is written
    if (!node.first) continue;
    if (back.empty()) back.push_back(std::exchange(numbers, numbers + stride * stride));
    nodes[node.parent].pending = back.back();
    back.pop_back();
  }
  for (ConstraintForest::Node& node : nodes)
    if (node.parent >= 0) node.parent_pending = nodes[node.parent].pending;
}

}  // namespace

Result<ConstraintForest> ConstraintForest::make(std::span<const int> body_sizes,
                                                std::span<const ForestConstraint> constraints,
                                                std::span<const int> called) {
  const auto fault = [&](int constraint, const auto&... parts) {
    return constraint_fault(called.empty() ? constraint : called[constraint], parts...);
  };
  const int bodies = int(body_sizes.size());
  int widest = 0;
  for (int b = 0; b < bodies; ++b) {
    if (body_sizes[b] < 1) {
      std::ostringstream message;
      message << "body " << b << " has dimension " << body_sizes[b] << "; at least 1 is needed";
      return Error{message.str()};
    }
    widest = std::max(widest, body_sizes[b]);
  }

  // Who meets whom, constraint by constraint: body b's edges are at [first_edge[b], first_edge[b + 1]).
  std::vector<std::size_t> first_edge(std::size_t(bodies) + 1, 0);
  for (int c = 0; c < int(constraints.size()); ++c) {
    const ForestConstraint& it = constraints[c];
    if (it.a < 0 || it.a >= bodies || it.b < -1 || it.b >= bodies)
      return fault(c, "is on bodies ", it.a, " and ", it.b, "; there are ", bodies, ", from 0 (b = -1: none)");
    if (it.a == it.b) return fault(c, "is on body ", it.a, " twice");
    if (it.rows < 1) return fault(c, "has ", it.rows, " rows");
    if (it.held != 0 && (std::popcount(it.held) != it.rows || it.held >> body_sizes[it.a] != 0))
      return fault(c, "has ", it.rows, " rows and holds numbers ", it.held, " (bits) of a body that has ",
                   body_sizes[it.a]);
    ++first_edge[it.a + 1];
    if (it.b >= 0) ++first_edge[it.b + 1];
  }
  for (std::size_t b = 0; b < std::size_t(bodies); ++b) first_edge[b + 1] += first_edge[b];
  std::vector<Edge> edges(first_edge.back());
  std::vector<std::size_t> filled(first_edge.begin(), first_edge.end() - 1);
  for (int c = 0; c < int(constraints.size()); ++c) {
    const ForestConstraint& it = constraints[c];
    edges[filled[it.a]++] = {c, it.b};
    if (it.b >= 0) edges[filled[it.b]++] = {c, it.a};
  }

  ConstraintForest forest;
  forest.stride_ = (widest + 8) / 8 * 8;
  forest.body_.assign(bodies, -1);
  forest.constraint_.resize(constraints.size());
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    forest.constraint_[c].rows = constraints[c].rows;
    forest.constraint_[c].first_row = forest.total_rows_;
    forest.total_rows_ += constraints[c].rows;
  }
  std::vector<int> first(static_cast<std::size_t>(bodies));
  for (std::size_t b = 0; b < first.size(); ++b) {
    first[b] = forest.total_size_;
    forest.total_size_ += body_sizes[b];
  }

  // Roots: bodies with a constraint of their own, and then whoever comes first in a tree without one.
  std::vector<int> roots;
  for (const ForestConstraint& it : constraints)
    if (it.b < 0) roots.push_back(it.a);
  for (int b = 0; b < bodies; ++b) roots.push_back(b);

  // Depth first, each body after all that hang on it. `hanger`: the constraint that it hangs on.
  struct Visit {
    int body;
    std::size_t edge;
  };
  std::vector<int> hanger(bodies, -1), parent(bodies, -1), tree(bodies, -1);
  std::vector<Visit> path;
  for (const int root : roots) {
    if (tree[root] >= 0) continue;
    tree[root] = forest.trees_;
    path.push_back({root, first_edge[root]});
    while (!path.empty()) {
      Visit& at = path.back();
      const std::size_t b = std::size_t(at.body);
      if (at.edge < first_edge[b + 1]) {
        const Edge edge = edges[at.edge++];
        if (edge.constraint == hanger[b]) continue;
        if (edge.other < 0) {
          if (b != std::size_t(root) || hanger[b] >= 0)
            return fault(edge.constraint, "is on body ", b,
                         " alone, in a tree that has such a constraint already (on body ", root, "): it is auxiliary");
          hanger[b] = edge.constraint;
          continue;
        }
        const std::size_t other = std::size_t(edge.other);
        if (tree[other] >= 0)
          return fault(edge.constraint, "between bodies ", b, " and ", other, " closes a loop: it is auxiliary");
        tree[other] = forest.trees_;
        hanger[other] = edge.constraint;
        parent[other] = int(b);
        path.push_back({edge.other, first_edge[other]});
        continue;
      }
      Node node;
      node.body = at.body;
      node.constraint = hanger[b];
      node.tree = forest.trees_;
      node.size = body_sizes[b];
      node.y = first[b];
      if (node.constraint >= 0) {
        const ForestConstraint& it = constraints[node.constraint];
        node.rows = it.rows;
        node.l = forest.constraint_[node.constraint].first_row;
        node.flipped = it.a != at.body;
        node.held = !node.flipped && has_held_kernel(node.size, it.held) ? it.held : 0;
        if (node.rows > node.size)
          return fault(node.constraint, "has ", node.rows, " rows for body ", b, " of dimension ", node.size);
        forest.constraint_[node.constraint].node = int(forest.nodes_.size());
      }
      forest.body_[b] = int(forest.nodes_.size());
      forest.nodes_.push_back(node);
      path.pop_back();
    }
    ++forest.trees_;
  }

  const std::size_t stride = std::size_t(forest.stride_);
  const auto take = [&](int count) {
    return std::exchange(forest.numbers_, forest.numbers_ + stride * std::size_t(count));
  };
  for (Node& node : forest.nodes_) {  // what comes in, and what one solution needs on the way out
    node.M = take(node.size);
    if (node.constraint < 0) continue;
    if (node.held == 0) node.Jb = take(node.size);
    node.Jp = take(node.rows);
    node.Z = take(node.rows);
    if (node.held == 0) node.W = take(node.size);
  }
  for (Node& node : forest.nodes_) {  // what more solutions need
    node.D = take(node.size);
    if (node.constraint < 0) continue;
    node.S = take(node.rows);
    const int p = parent[node.body];
    if (p < 0) continue;
    node.parent = forest.body_[p];
    node.parent_size = body_sizes[p];
    node.parent_y = forest.nodes_[node.parent].y;
    Node& on = forest.nodes_[node.parent];
    node.first = on.leaf;
    on.leaf = false;
  }
  lend_pending(forest.nodes_, std::size_t(forest.stride_), forest.pending_);
  const auto shape = [](const Node& n) { return std::array{n.size, n.rows, n.parent_size, int(n.held)}; };
  for (int i = 0; i < int(forest.nodes_.size()); ++i) {
    if (i == 0 || shape(forest.nodes_[i]) != shape(forest.nodes_[i - 1])) forest.runs_.push_back({i, i});
    forest.runs_.back().end = i + 1;
  }
  return forest;
}

int ConstraintForest::off_diagonal_blocks() const {
  int blocks = 0;
  for (const Node& node : nodes_) blocks += int(node.constraint >= 0) + int(node.parent >= 0);
  return blocks;
}

}  // namespace linchpin
