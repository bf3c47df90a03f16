#include <algorithm>
#include <iterator>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

template <class S>
Mat3<S> as(const Mat3<double>& R) {
  return {{S(R.x.x), S(R.x.y), S(R.x.z)}, {S(R.y.x), S(R.y.y), S(R.y.z)}, {S(R.z.x), S(R.z.y), S(R.z.z)}};
}

std::vector<LinkNode> on_links(const Model& model, std::span<const Node> nodes) {
  std::vector<LinkNode> result;
  for (const Node& node : nodes) {
    check(node.body >= 0 && std::size_t(node.body) < model.bodies().size(), "node ", result.size(), " is on body ",
          node.body, " of ", model.bodies().size());
    const Body& body = model.bodies()[node.body];
    result.push_back({body.link, body.X_LB * node.X_BN});
  }
  return result;
}

}  // namespace

template <class T>
NodeTree<T>::NodeTree(const Model& model, const Plan<T>& plan, std::span<const Node> nodes)
    : NodeTree(model, plan, on_links(model, nodes)) {}

template <class T>
NodeTree<T>::NodeTree(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes) {
  place(model, plan, nodes);
}

template <class T>
void NodeTree<T>::place(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes) {
  nodes_ = int(nodes.size());
  vertices_.clear();
  stretches_.clear();
  const std::span<const Link> links = model.links();
  const auto is_free = [&](std::size_t link) { return links[link].kind == LinkKind::free; };

  // The number of paths that arrive at each link: from its nodes and from its child links. None passes a free joint.
  arrivals_.assign(links.size(), 0);
  vertex_at_.assign(links.size(), -1);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    check(nodes[n].link >= 0 && std::size_t(nodes[n].link) < links.size(), "node ", n, " is on link ", nodes[n].link,
          " of ", links.size());
    ++arrivals_[nodes[n].link];
  }
  for (std::size_t i = links.size() - 1; i > 0; --i)
    if (arrivals_[i] > 0 && !is_free(i)) ++arrivals_[links[i].parent];

  // Adds the stretches of runs from a link inward to the next vertex.
  const auto go_inward = [&](std::size_t link, Vertex& v) {
    v.first = int(stretches_.size());
    bool begun = false;
    while (link != 0 && !(begun && vertex_at_[link] >= 0)) {
      const int r = links[link].run;
      const Run& run = model.runs()[r];
      const int slot = plan.runs[r].slot;
      Stretch s{r, slot + int(link) - run.first, slot, true};
      std::size_t at = link;
      while (int(at) > run.first && vertex_at_[at - 1] < 0) --at;
      s.to = slot + int(at) - run.first;
      s.head = int(at) == run.first;
      stretches_.push_back(s);
      begun = true;
      if (is_free(link)) {
        link = 0;
        break;
      }
      link = std::size_t(links[at].parent);
    }
    v.last = int(stretches_.size());
    v.parent = link == 0 ? -1 : vertex_at_[link];
  };
  const auto add_vertex = [&](Vertex v, const Transform<double>& X_LV, bool fixed = false) {
    v.X_LV = {as<Real>(X_LV.R), {Real(X_LV.p.x), Real(X_LV.p.y), Real(X_LV.p.z)}};
    for (auto& row : v.unit) std::fill(std::begin(row), std::end(row), Real(0));
    const Vec3<Real> axes[3] = {v.X_LV.R.x, v.X_LV.R.y, v.X_LV.R.z};
    for (int k = 0; k < 3 && !fixed; ++k) {
      const Vec3<Real> moment = cross(v.X_LV.p, axes[k]);
      const Real column[6] = {axes[k].x, axes[k].y, axes[k].z, moment.x, moment.y, moment.z};
      for (int i = 0; i < 3; ++i) {
        v.unit[i][k] = v.unit[i + 3][k + 3] = column[i];
        v.unit[i][k + 3] = column[i + 3];
      }
    }
    vertices_.push_back(v);
    return int(vertices_.size()) - 1;
  };
  // In the order of links, so that parents come first. A link's first node is its vertex; its other nodes are children
  // of that vertex.
  first_on_.assign(links.size(), -1);
  next_on_.resize(nodes.size());
  for (int n = nodes_ - 1; n >= 0; --n) next_on_[n] = std::exchange(first_on_[nodes[n].link], n);
  const auto next = [&](int node) { return next_on_[node]; };
  const auto X_LN = [&](int node) { return nodes[node].X_LN; };
  vertex_of_.resize(nodes.size());
  for (int n = first_on_[0]; n >= 0; n = next(n)) {
    Vertex v;
    v.is_node = true;
    vertex_of_[n] = add_vertex(v, X_LN(n), true);
  }
  for (std::size_t i = 1; i < links.size(); ++i) {
    const int here = first_on_[i];
    if (arrivals_[i] < 2 && here < 0) continue;
    Vertex v;
    v.is_node = here >= 0;
    go_inward(i, v);
    vertex_at_[i] = add_vertex(v, here < 0 ? Transform<double>::identity() : X_LN(here));
    if (here < 0) continue;
    vertex_of_[here] = vertex_at_[i];
    for (int n = next(here); n >= 0; n = next(n)) {
      Vertex other;
      other.first = other.last = int(stretches_.size());
      other.parent = vertex_at_[i];
      other.is_node = true;
      vertex_of_[n] = add_vertex(other, X_LN(n));
    }
  }
  find_trees();
}

template <class T>
void NodeTree<T>::find_trees() {
  trees_.clear();
  for (Vertex& v : vertices_) {
    v.tree = v.parent < 0 ? int(trees_.size()) : vertices_[v.parent].tree;
    if (v.parent < 0) trees_.push_back({});
    v.rank = trees_[v.tree].last++;
  }
  int first = 0;
  pairs_ = 0;
  for (Tree& tree : trees_) {
    const int size = std::exchange(tree.last, first);
    tree.first = std::exchange(first, first + size);
  }
  members_.resize(vertices_.size());
  for (int v = 0; v < int(vertices_.size()); ++v) members_[trees_[vertices_[v].tree].last++] = v;
  for (const int v : members_) {
    vertices_[v].pairs = pairs_;
    pairs_ += std::size_t(vertices_[v].rank) + 1;
  }
  node_in_tree_.resize(nodes_);
  for (int n = 0; n < nodes_; ++n) node_in_tree_[n] = trees_[vertices_[vertex_of_[n]].tree].nodes++;
  std::size_t numbers = 0;
  int first_node = 0;
  for (Tree& tree : trees_) {
    tree.matrix = numbers;
    tree.first_node = first_node;
    numbers += 36 * std::size_t(tree.nodes) * std::size_t(tree.nodes);
    first_node += tree.nodes;
  }
  nodes_by_tree_.resize(nodes_);
  for (int n = 0; n < nodes_; ++n)
    nodes_by_tree_[trees_[vertices_[vertex_of_[n]].tree].first_node + node_in_tree_[n]] = n;
}

#define LINCHPIN_INSTANTIATE(T) template class NodeTree<T>;
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
