#include <algorithm>
#include <bit>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/compliance/held_rows.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

bool moves(const Model& model, const HeldNode& held) {
  return held.rows != 0 && model.bodies()[held.node.body].link != 0;
}

std::vector<Node> moving_nodes(const Model& model, std::span<const HeldNode> nodes) {
  std::vector<Node> result;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const int body = nodes[n].node.body;
    check(body >= 0 && std::size_t(body) < model.bodies().size(), "held node ", n, " is on body ", body, " of ",
          model.bodies().size());
    check(nodes[n].rows <= all_rows, "held node ", n, " has the mask ", nodes[n].rows, " of at most ", all_rows);
    if (moves(model, nodes[n])) result.push_back(nodes[n].node);
  }
  return result;
}

// Finds the V_uv that are needed, from the last vertex to the first, and lists them in the order of computation.
template <class Vertices, class Held, class Product, class Block>
void plan_products(const Vertices& vertices, const Held& held, std::vector<Product>& products,
                   std::vector<Block>& blocks) {
  const int count = int(vertices.size());
  std::vector<int> root(vertices.size());
  for (int v = 0; v < count; ++v) {
    const int p = vertices[v].parent;
    root[v] = p < 0 ? v : root[p];
  }
  std::vector<bool> asked(vertices.size() * (vertices.size() + 1) / 2, false);
  const auto has_rows = [&](int v) { return held[v].held > 0; };
  const auto direct = [&](int u, int v) {  // vertices of three columns have no children: neither is the other's parent
    return held[u].columns == 3 && held[v].columns == 3 && root[u] == root[v] && vertices[v].parent >= 0;
  };
  for (int v = count - 1; v >= 0; --v) {
    const int p = vertices[v].parent;
    for (int u = 0; u < v; ++u) {
      if (u == p || root[u] != root[v]) continue;
      if (has_rows(u) && has_rows(v)) asked[vertex_pair(u, v)] = true;
      if (asked[vertex_pair(u, v)]) asked[vertex_pair(std::min(u, p), std::max(u, p))] = true;
    }
  }
  for (int v = 0; v < count; ++v) {
    const int p = vertices[v].parent;
    if (p < 0) continue;
    products.push_back({p, v, p, true, direct(v, v)});
    for (int u = 0; u < v; ++u)
      if (u != p && asked[vertex_pair(u, v)]) products.push_back({u, v, p, false, direct(u, v)});
  }
  for (int v = 0; v < count; ++v)
    for (int u = 0; u <= v; ++u)
      if (has_rows(u) && has_rows(v) && !direct(u, v)) blocks.push_back({u, v, root[u] != root[v]});
}

// The vertices whose paths begin in limbs of the plan; empty unless all limbs can be computed side by side.
template <class T>
std::vector<VerticesOfLimbs> vertices_on_limbs(const Plan<T>& plan, const HeldPlan<T>& held) {
  VerticesOfLimbs none;
  none.fill(-1);
  std::vector<VerticesOfLimbs> result(plan.limbs.size(), none);
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const auto& vertex = held.tree.vertices()[v];
    if (vertex.first == vertex.last)
      continue;  // on the world, or on the link of another node, which then carries six columns
    const auto& run = plan.runs[held.tree.stretches()[vertex.first].run];
    if (run.limbs < 0) continue;
    int& at = result[run.limbs][run.lane];
    if (at >= 0 || held.vertex[v].columns != 3) return {};
    at = int(v);
  }
  return result;
}

}  // namespace

template <class T>
HeldPlan<T>::HeldPlan(const Model& model, const Plan<T>& plan, std::span<const HeldNode> nodes, LimbOrder order)
    : tree(model, plan, moving_nodes(model, nodes)),
      vertex(tree.vertices().size()),
      lever(plan.slots, Lever{}),
      wide_lever(plan.wide_links.size(), Lever{}) {
  const std::vector<int> node_link = assign_rows(model, nodes);
  plan_products(tree.vertices(), vertex, products, blocks);
  const std::vector<int> mark_of_run = plan_walks(model, plan, node_link);
  find_levers(model, plan);
  const auto on_limbs = vertices_on_limbs(plan, *this);
  if (order == LimbOrder::one_by_one || on_limbs.empty())
    limb_order = LimbOrder::one_by_one;
  else
    put_on_limbs(plan, mark_of_run, on_limbs);
}

// Which columns each vertex carries and where its rows are. Returns the link of each vertex's node, 0 where it has
// none.
template <class T>
std::vector<int> HeldPlan<T>::assign_rows(const Model& model, std::span<const HeldNode> nodes) {
  const auto vertices = tree.vertices();
  std::vector<bool> has_children(vertices.size(), false);
  for (const auto& v : vertices)
    if (v.parent >= 0) has_children[v.parent] = true;

  // A vertex with children carries all six columns, the others those of their held rows.
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    for (int i = 0; i < 6; ++i) std::copy_n(vertices[v].unit[i], 8, vertex[v].unit[i]);
    if (!has_children[v]) continue;
    std::fill_n(vertex[v].angular, 3, Real(1));
    std::fill_n(vertex[v].linear + 3, 3, Real(1));
  }
  std::vector<int> node_link(vertices.size(), 0);
  int kept = 0;
  for (const HeldNode& node : nodes) {
    const int first_row = rows;
    rows += std::popcount(node.rows);
    if (!moves(model, node)) {
      for (int row = first_row; row < rows; ++row) silent.push_back(row);
      continue;
    }
    const int v = tree.vertex_of(kept++);
    node_link[v] = model.bodies()[node.node.body].link;
    assign_columns(v, node.rows, first_row, has_children[v]);
  }
  for (Vertex& v : vertex) {
    v.first = active;
    active += v.held;
  }
  return node_link;
}

// The held rows of one vertex, and its columns where it has no children. first_row: the first of the caller's rows.
template <class T>
void HeldPlan<T>::assign_columns(int v, unsigned held_rows, int first_row, bool has_children) {
  Vertex& out = vertex[v];
  for (int component = 0; component < 6; ++component) {
    if (!(held_rows >> component & 1u)) continue;
    const int k = out.held;
    out.given[k] = first_row + k;
    out.column[k] = has_children ? component : k;
    out.component[k] = component;
    if (!has_children) {
      (component < 3 ? out.angular : out.linear)[k] = 1;
      for (int i = 0; i < 6; ++i) out.unit[i][k] = tree.vertices()[v].unit[i][component];
    }
    ++out.held;
  }
  if (has_children) return;
  out.columns = out.held <= 3 ? 3 : 6;
  for (int i = 0; i < 6; ++i) std::fill(out.unit[i] + out.held, out.unit[i] + 8, Real(0));
}

// Marks on the links of nodes and at the end of each run that leads to one. Returns the mark at the end of each run.
template <class T>
std::vector<int> HeldPlan<T>::plan_walks(const Model& model, const Plan<T>& plan, const std::vector<int>& node_link) {
  const auto links = model.links();
  const std::size_t runs = model.runs().size();
  std::vector<bool> needed(runs, false), goes_on(runs, false), has_node(links.size(), false);
  for (const int link : node_link) {
    if (link == 0) continue;
    has_node[link] = true;
    needed[links[link].run] = true;
  }
  for (std::size_t r = runs - 1; r > 0; --r)
    if (needed[r]) needed[model.runs()[r].parent] = goes_on[model.runs()[r].parent] = true;
  std::vector<int> mark_of_run(runs, 0), mark_at(links.size(), 0);
  for (std::size_t r = 1; r < runs; ++r) {
    if (!needed[r]) continue;
    const Run& run = model.runs()[r];
    const int slot = plan.runs[r].slot;
    int from = mark_of_run[run.parent], begin = run.first;
    for (int link = run.first; link < run.end; ++link) {
      const bool last = link == run.end - 1;
      if (!has_node[link] && !(last && goes_on[r])) continue;
      mark_at[link] = marks;
      walks.push_back({int(r), slot + begin - run.first, slot + link + 1 - run.first, from, marks, !last});
      from = marks++;
      begin = link + 1;
      if (last) mark_of_run[r] = from;
    }
  }
  for (std::size_t v = 0; v < vertex.size(); ++v) vertex[v].mark = mark_at[node_link[v]];
  return mark_of_run;
}

// Each joint's lever arm is at most the length of the links between it and its vertex (slides at zero).
template <class T>
void HeldPlan<T>::find_levers(const Model& model, const Plan<T>& plan) {
  const auto length = [](const Vec3<Real>& p) { return norm(Vec3<double>{double(p.x), double(p.y), double(p.z)}); };
  for (const auto& v : tree.vertices()) {
    double arm = length(v.X_LV.p);
    for (int k = v.first; k < v.last; ++k) {
      const auto& stretch = tree.stretches()[k];
      const LinkKind kind = plan.runs[stretch.run].kind;
      const bool wide = kind == LinkKind::ball || kind == LinkKind::free;
      for (int slot = stretch.from; slot >= stretch.to; --slot) {
        const Link& link = model.links()[wide ? plan.link_of_wide[slot] : plan.link_of_slot[slot]];
        const double turn = wide ? 1 : link.turn;
        (wide ? wide_lever : lever)[slot] = {Real(turn * turn),
                                             Real(turn * turn * arm * arm + link.slide * link.slide)};
        arm += norm(link.X_PF.p) + std::abs(link.slide0);
      }
    }
  }
}

// Assigns the vertices on limbs to the lanes of their limbs.
template <class T>
void HeldPlan<T>::put_on_limbs(const Plan<T>& plan, const std::vector<int>& mark_of_run,
                               const std::vector<VerticesOfLimbs>& on_limbs) {
  limb_nodes.resize(plan.limbs.size());
  for (std::size_t i = 0; i < plan.limbs.size(); ++i) {
    const Limbs& limbs = plan.limbs[i];
    LimbNodes& out = limb_nodes[i];
    out.position.resize(limbs.length);
    for (int lane = 0; lane < Limbs::most; ++lane) {
      const int v = on_limbs[i][lane];
      out.vertex[lane] = v;
      out.mark[lane] = mark_of_run[limbs.parent[lane]];
      if (v < 0) continue;
      out.any = true;
      vertex[v].limbs = int(i);
      vertex[v].lane = lane;
      put_in_lane(plan, v, lane, out);
    }
  }
  std::erase_if(walks, [&](const Walk& walk) { return plan.runs[walk.run].limbs >= 0; });
}

// Writes vertex v into one lane of its limb.
template <class T>
void HeldPlan<T>::put_in_lane(const Plan<T>& plan, int v, int lane, LimbNodes& out) const {
  const auto put = [lane](Limbs::V& field, double value) { field.numbers()[lane] = value; };
  const auto put_vector = [&put](Vec3<Limbs::V>& field, const Vec3<Real>& value) {
    put(field.x, double(value.x)), put(field.y, double(value.y)), put(field.z, double(value.z));
  };
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 3; ++column) put(out.unit[row][column], double(vertex[v].unit[row][column]));
  const auto& node = tree.vertices()[v];
  put_vector(out.R_LV.x, node.X_LV.R.x);
  put_vector(out.R_LV.y, node.X_LV.R.y);
  put_vector(out.R_LV.z, node.X_LV.R.z);
  put_vector(out.p_LV, node.X_LV.p);
  const auto& stretch = tree.stretches()[node.first];
  const int root = plan.runs[stretch.run].slot;
  for (int slot = root; slot <= stretch.from; ++slot) {
    auto& position = out.position[slot - root];
    put(position.lever_angular, double(lever[slot].angular));
    put(position.lever_linear, double(lever[slot].linear));
  }
  auto& last = out.position[stretch.from - root];
  last.node = true;
  put(last.here, 1);
}

#define LINCHPIN_INSTANTIATE(T) template struct HeldPlan<T>;
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
