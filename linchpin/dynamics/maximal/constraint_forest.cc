#include "linchpin/dynamics/maximal/constraint_forest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <sstream>
#include <utility>

#include "linchpin/dynamics/maximal/constraint_fault.h"
#include "linchpin/dynamics/maximal/forest_kernels.h"

namespace linchpin {
namespace {

// The graph of bodies and constraints. Body b's edges are edge[first[b]] to edge[first[b + 1] - 1].
struct Graph {
  struct Edge {
    int constraint, other;  // body, -1 for none
  };
  std::vector<std::size_t> first;
  std::vector<Edge> edge;
};

Graph graph_of(int bodies, std::span<const ForestConstraint> constraints) {
  Graph graph;
  graph.first.assign(std::size_t(bodies) + 1, 0);
  for (const ForestConstraint& it : constraints) {
    ++graph.first[it.a + 1];
    if (it.b >= 0) ++graph.first[it.b + 1];
  }
  for (int b = 0; b < bodies; ++b) graph.first[b + 1] += graph.first[b];
  graph.edge.resize(graph.first.back());
  std::vector<std::size_t> filled(graph.first.begin(), graph.first.end() - 1);
  for (int c = 0; c < int(constraints.size()); ++c) {
    const ForestConstraint& it = constraints[c];
    graph.edge[filled[it.a]++] = {c, it.b};
    if (it.b >= 0) graph.edge[filled[it.b]++] = {c, it.a};
  }
  return graph;
}

// Gives each body with children a block `pending`, in use from the elimination of its first child to its own. Blocks
// are used again, so a chain needs only one and D stays in the cache however long the chain is.
void assign_pending_blocks(std::vector<ConstraintForest::Node>& nodes, std::size_t stride, std::size_t& numbers) {
  std::vector<std::size_t> unused;
  for (ConstraintForest::Node& node : nodes) {
    if (!node.leaf) unused.push_back(node.pending);  // it is read before the parent's block is written
    if (!node.first) continue;
    if (unused.empty()) unused.push_back(std::exchange(numbers, numbers + stride * stride));
    nodes[node.parent].pending = unused.back();
    unused.pop_back();
  }
  for (ConstraintForest::Node& node : nodes)
    if (node.parent >= 0) node.parent_pending = nodes[node.parent].pending;
}

}  // namespace

// The steps of make(), in the order of their calls.
class ConstraintForest::Builder {
 public:
  Builder(std::span<const int> body_sizes, std::span<const ForestConstraint> constraints, std::span<const int> called)
      : body_sizes_(body_sizes), constraints_(constraints), called_(called) {}

  // An Error if a body has no dimension, or a constraint's bodies, rows or held numbers are impossible.
  std::optional<Error> check_input() const {
    for (int b = 0; b < bodies(); ++b)
      if (body_sizes_[b] < 1) {
        std::ostringstream message;
        message << "body " << b << " has dimension " << body_sizes_[b] << "; at least 1 is needed";
        return Error{message.str()};
      }
    for (int c = 0; c < int(constraints_.size()); ++c) {
      const ForestConstraint& it = constraints_[c];
      if (it.a < 0 || it.a >= bodies() || it.b < -1 || it.b >= bodies())
        return fault(c, "is on bodies ", it.a, " and ", it.b, "; there are ", bodies(), ", from 0 (b = -1: none)");
      if (it.a == it.b) return fault(c, "is on body ", it.a, " twice");
      if (it.rows < 1) return fault(c, "has ", it.rows, " rows");
      if (it.held != 0 && (std::popcount(it.held) != it.rows || it.held >> body_sizes_[it.a] != 0))
        return fault(c, "has ", it.rows, " rows and holds numbers ", it.held, " (bits) of a body that has ",
                     body_sizes_[it.a]);
    }
    return std::nullopt;
  }

  // Offsets into vectors over all bodies and over all rows, both in the caller's order.
  void number_coordinates_and_rows() {
    forest_.constraint_.resize(constraints_.size());
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      forest_.constraint_[c].rows = constraints_[c].rows;
      forest_.constraint_[c].first_row = forest_.total_rows_;
      forest_.total_rows_ += constraints_[c].rows;
    }
    first_.resize(body_sizes_.size());
    for (int b = 0; b < bodies(); ++b) {
      first_[b] = forest_.total_size_;
      forest_.total_size_ += body_sizes_[b];
    }
  }

  // Makes the nodes by depth-first search, each body after all bodies that hang on it. An Error if there is a loop, a
  // second constraint on one body alone in a tree, or a constraint with more rows than its body has dimensions.
  std::optional<Error> order_nodes() {
    graph_ = graph_of(bodies(), constraints_);
    forest_.body_.assign(bodies(), -1);
    hanger_.assign(bodies(), -1);
    parent_.assign(bodies(), -1);
    tree_.assign(bodies(), -1);
    for (const int root : candidate_roots()) {
      if (tree_[root] >= 0) continue;
      if (auto error = order_tree(root)) return error;
      ++forest_.trees_;
    }
    return std::nullopt;
  }

  // Where each node's blocks are in the array of numbers: first what comes in and what one solution needs in its
  // outward pass, then what further solutions need.
  void lay_out_blocks() {
    const int widest = body_sizes_.empty() ? 0 : *std::ranges::max_element(body_sizes_);
    forest_.stride_ = (widest + 8) / 8 * 8;
    const std::size_t stride = std::size_t(forest_.stride_);
    const auto take = [&](int count) {
      return std::exchange(forest_.numbers_, forest_.numbers_ + stride * std::size_t(count));
    };
    for (Node& node : forest_.nodes_) {
      node.M = take(node.size);
      if (node.constraint < 0) continue;
      if (node.held == 0) node.Jb = take(node.size);
      node.Jp = take(node.rows);
      node.Z = take(node.rows);
      if (node.held == 0) node.W = take(node.size);
    }
    for (Node& node : forest_.nodes_) {
      node.D = take(node.size);
      if (node.constraint >= 0) node.S = take(node.rows);
    }
  }

  void link_parents() {
    for (Node& node : forest_.nodes_) {
      const int p = parent_[node.body];
      if (p < 0) continue;
      node.parent = forest_.body_[p];
      Node& parent = forest_.nodes_[node.parent];
      node.parent_size = parent.size;
      node.parent_y = parent.y;
      node.first = parent.leaf;
      parent.leaf = false;
    }
    assign_pending_blocks(forest_.nodes_, std::size_t(forest_.stride_), forest_.pending_);
  }

  // Runs of successive nodes of one shape.
  void find_runs() {
    const auto shape = [](const Node& n) { return std::array{n.size, n.rows, n.parent_size, int(n.held)}; };
    for (int i = 0; i < int(forest_.nodes_.size()); ++i) {
      if (i == 0 || shape(forest_.nodes_[i]) != shape(forest_.nodes_[i - 1])) forest_.runs_.push_back({i, i});
      forest_.runs_.back().end = i + 1;
    }
  }

  ConstraintForest result() { return std::move(forest_); }

 private:
  int bodies() const { return int(body_sizes_.size()); }

  template <class... Parts>
  Error fault(int constraint, const Parts&... parts) const {
    return constraint_fault(called_.empty() ? constraint : called_[constraint], parts...);
  }

  // A tree's root is the body with a constraint of its own, or else its first body.
  std::vector<int> candidate_roots() const {
    std::vector<int> roots;
    for (const ForestConstraint& it : constraints_)
      if (it.b < 0) roots.push_back(it.a);
    for (int b = 0; b < bodies(); ++b) roots.push_back(b);
    return roots;
  }

  std::optional<Error> order_tree(int root) {
    struct Visit {
      int body;
      std::size_t edge;
    };
    tree_[root] = forest_.trees_;
    std::vector<Visit> path{{root, graph_.first[root]}};
    while (!path.empty()) {
      Visit& at = path.back();
      if (at.edge == graph_.first[at.body + 1]) {
        if (auto error = add_node(at.body)) return error;
        path.pop_back();
        continue;
      }
      const Graph::Edge edge = graph_.edge[at.edge++];
      if (edge.constraint == hanger_[at.body]) continue;
      if (edge.other < 0) {
        if (at.body != root || hanger_[at.body] >= 0)
          return fault(edge.constraint, "is on body ", at.body,
                       " alone, in a tree that has such a constraint already (on body ", root, "): it is auxiliary");
        hanger_[at.body] = edge.constraint;
        continue;
      }
      if (tree_[edge.other] >= 0)
        return fault(edge.constraint, "between bodies ", at.body, " and ", edge.other,
                     " closes a loop: it is auxiliary");
      tree_[edge.other] = forest_.trees_;
      hanger_[edge.other] = edge.constraint;
      parent_[edge.other] = at.body;
      path.push_back({edge.other, graph_.first[edge.other]});
    }
    return std::nullopt;
  }

  std::optional<Error> add_node(int body) {
    Node node;
    node.body = body;
    node.constraint = hanger_[body];
    node.tree = forest_.trees_;
    node.size = body_sizes_[body];
    node.y = first_[body];
    if (node.constraint >= 0) {
      const ForestConstraint& it = constraints_[node.constraint];
      node.rows = it.rows;
      node.l = forest_.constraint_[node.constraint].first_row;
      node.flipped = it.a != body;
      node.held = !node.flipped && has_held_kernel(node.size, it.held) ? it.held : 0;
      if (node.rows > node.size)
        return fault(node.constraint, "has ", node.rows, " rows for body ", body, " of dimension ", node.size);
      forest_.constraint_[node.constraint].node = int(forest_.nodes_.size());
    }
    forest_.body_[body] = int(forest_.nodes_.size());
    forest_.nodes_.push_back(node);
    return std::nullopt;
  }

  std::span<const int> body_sizes_;
  std::span<const ForestConstraint> constraints_;
  std::span<const int> called_;
  Graph graph_;
  std::vector<int> first_;                   // per body: its offset in y and F
  std::vector<int> hanger_, parent_, tree_;  // per body: the constraint it hangs on, its parent body, its tree
  ConstraintForest forest_;
};

Result<ConstraintForest> ConstraintForest::make(std::span<const int> body_sizes,
                                                std::span<const ForestConstraint> constraints,
                                                std::span<const int> called) {
  Builder builder(body_sizes, constraints, called);
  if (auto error = builder.check_input()) return *std::move(error);
  builder.number_coordinates_and_rows();
  if (auto error = builder.order_nodes()) return *std::move(error);
  builder.lay_out_blocks();
  builder.link_parents();
  builder.find_runs();
  return builder.result();
}

int ConstraintForest::off_diagonal_blocks() const {
  int blocks = 0;
  for (const Node& node : nodes_) blocks += int(node.constraint >= 0) + int(node.parent >= 0);
  return blocks;
}

}  // namespace linchpin
