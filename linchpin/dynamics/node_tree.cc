#include <algorithm>
#include <iterator>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/compliance.h"

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
    const Body& body = model.bodies()[std::size_t(node.body)];
    result.push_back({body.link, body.X_LB * node.X_BN});
  }
  return result;
}

}  // namespace

template <class T>
NodeTree<T>::NodeTree(const Model& model, const Plan<T>& plan, std::span<const Node> nodes)
    : NodeTree(model, plan, on_links(model, nodes)) {}

template <class T>
NodeTree<T>::NodeTree(const Model& model, const Plan<T>& plan, std::span<const LinkNode> nodes)
    : nodes_(int(nodes.size())) {
  const std::span<const Link> links = model.links();
  const auto is_free = [&](std::size_t link) { return links[link].kind == LinkKind::free; };

  // Paths that arrive at each link: from nodes on it, and from links that it carries. Through a free joint nothing comes.
  std::vector<int> arrivals(links.size(), 0), vertex_at(links.size(), -1);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    check(nodes[n].link >= 0 && std::size_t(nodes[n].link) < links.size(), "node ", n, " is on link ", nodes[n].link,
          " of ", links.size());
    ++arrivals[std::size_t(nodes[n].link)];
  }
  for (std::size_t i = links.size() - 1; i > 0; --i)
    if (arrivals[i] > 0 && !is_free(i)) ++arrivals[std::size_t(links[i].parent)];

  // From a link inward to the next vertex: stretches of runs.
  const auto go_inward = [&](std::size_t link, Vertex& v) {
    v.first = int(stretches_.size());
    bool begun = false;
    while (link != 0 && !(begun && vertex_at[link] >= 0)) {
      const int r = links[link].run;
      const Run& run = model.runs()[std::size_t(r)];
      const int slot = plan.runs[std::size_t(r)].slot;
      Stretch s{r, slot + int(link) - run.first, slot, true};
      std::size_t at = link;
      while (int(at) > run.first && vertex_at[at - 1] < 0) --at;
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
    v.parent = link == 0 ? -1 : vertex_at[link];
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
  // In the order of links, so that parents come first; a link's first node is its vertex, and the others hang on it.
  std::vector<std::vector<int>> nodes_on(links.size());
  const auto X_LN = [&](int node) { return nodes[std::size_t(node)].X_LN; };
  for (int n = 0; n < nodes_; ++n) nodes_on[std::size_t(nodes[std::size_t(n)].link)].push_back(n);
  vertex_of_.resize(nodes.size());
  for (const int n : nodes_on[0]) {
    Vertex v;
    v.is_node = true;
    vertex_of_[std::size_t(n)] = add_vertex(v, X_LN(n), true);
  }
  for (std::size_t i = 1; i < links.size(); ++i) {
    const std::vector<int>& here = nodes_on[i];
    if (arrivals[i] < 2 && here.empty()) continue;
    Vertex v;
    v.is_node = !here.empty();
    go_inward(i, v);
    vertex_at[i] = add_vertex(v, here.empty() ? Transform<double>::identity() : X_LN(here.front()));
    for (std::size_t k = 0; k < here.size(); ++k) {
      vertex_of_[std::size_t(here[k])] = vertex_at[i];
      if (k == 0) continue;
      Vertex other;
      other.first = other.last = int(stretches_.size());
      other.parent = vertex_at[i];
      other.is_node = true;
      vertex_of_[std::size_t(here[k])] = add_vertex(other, X_LN(here[k]));
    }
  }
}

template class NodeTree<double>;
template class NodeTree<float>;
template class NodeTree<Double4>;
template class NodeTree<Double8>;
template class NodeTree<Float16>;

}  // namespace linchpin
