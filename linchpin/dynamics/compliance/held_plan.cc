#include <algorithm>
#include <array>
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

std::size_t pair(int u, int v) {
  const int first = std::min(u, v), second = std::max(u, v);
  return std::size_t(first) + std::size_t(second) * std::size_t(second + 1) / 2;
}

// Which V_uv are asked for, latest first, then in the order in which they can be made.
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
  const auto direct = [&](int u, int v) {  // vertices of three columns carry no others: neither is the other's parent
    return held[u].columns == 3 && held[v].columns == 3 && root[u] == root[v] && vertices[v].parent >= 0;
  };
  for (int v = count - 1; v >= 0; --v) {
    const int p = vertices[v].parent;
    for (int u = 0; u < v; ++u) {
      if (u == p || root[u] != root[v]) continue;
      if (has_rows(u) && has_rows(v)) asked[pair(u, v)] = true;
      if (asked[pair(u, v)]) asked[pair(u, p)] = true;
    }
  }
  for (int v = 0; v < count; ++v) {
    const int p = vertices[v].parent;
    if (p < 0) continue;
    products.push_back({p, v, p, true, direct(v, v)});
    for (int u = 0; u < v; ++u)
      if (u != p && asked[pair(u, v)]) products.push_back({u, v, p, false, direct(u, v)});
  }
  for (int v = 0; v < count; ++v)
    for (int u = 0; u <= v; ++u)
      if (has_rows(u) && has_rows(v) && !direct(u, v)) blocks.push_back({u, v, root[u] != root[v]});
}

// Vertices whose paths begin in limbs of the plan; empty unless all of those can be taken side by side.
template <class T>
std::vector<std::array<int, Limbs::most>> vertices_on_limbs(const Plan<T>& plan, const HeldPlan<T>& held) {
  std::array<int, Limbs::most> none;
  none.fill(-1);
  std::vector<std::array<int, Limbs::most>> result(plan.limbs.size(), none);
  for (std::size_t v = 0; v < held.vertex.size(); ++v) {
    const auto& vertex = held.tree.vertices()[v];
    if (vertex.first == vertex.last) continue;  // on the world, or beside another node, which then carries six columns
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
  const auto vertices = tree.vertices();
  const auto links = model.links();
  std::vector<bool> carries(vertices.size(), false);
  for (const auto& v : vertices)
    if (v.parent >= 0) carries[v.parent] = true;

  // Columns: all six where other vertices hang on this one, else those of held rows.
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    for (int i = 0; i < 6; ++i) std::copy_n(vertices[v].unit[i], 8, vertex[v].unit[i]);
    if (!carries[v]) continue;
    std::fill_n(vertex[v].angular, 3, Real(1));
    std::fill_n(vertex[v].linear + 3, 3, Real(1));
  }
  std::vector<int> mark_at(links.size(), 0), node_link(vertices.size(), 0);
  int kept = 0;
  for (const HeldNode& node : nodes) {
    const int first_row = rows;
    rows += std::popcount(node.rows);
    if (!moves(model, node)) {
      for (int row = first_row; row < rows; ++row) silent.push_back(row);
      continue;
    }
    const std::size_t v = std::size_t(tree.vertex_of(kept++));
    Vertex& out = vertex[v];
    node_link[v] = model.bodies()[node.node.body].link;
    for (int component = 0; component < 6; ++component) {
      if (!(node.rows >> component & 1u)) continue;
      const std::size_t k = std::size_t(out.held);
      out.given[k] = first_row + out.held;
      out.column[k] = carries[v] ? component : out.held;
      out.component[k] = component;
      if (!carries[v]) (component < 3 ? out.angular : out.linear)[k] = 1;
      if (!carries[v])
        for (int i = 0; i < 6; ++i) out.unit[i][k] = vertices[v].unit[i][component];
      ++out.held;
    }
    if (carries[v]) continue;
    out.columns = out.held <= 3 ? 3 : 6;
    for (int i = 0; i < 6; ++i) std::fill(out.unit[i] + out.held, out.unit[i] + 8, Real(0));
  }
  for (Vertex& v : vertex) {
    v.first = active;
    active += v.held;
  }
  plan_products(vertices, vertex, products, blocks);

  // Marks on the links of nodes and, from run to run, where something goes on outward.
  const std::size_t runs = model.runs().size();
  std::vector<bool> needed(runs, false), goes_on(runs, false), has_node(links.size(), false);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (node_link[v] == 0) continue;
    has_node[node_link[v]] = true;
    needed[links[node_link[v]].run] = true;
  }
  for (std::size_t r = runs - 1; r > 0; --r)
    if (needed[r]) needed[model.runs()[r].parent] = goes_on[model.runs()[r].parent] = true;
  std::vector<int> mark_of_run(runs, 0);
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
  for (std::size_t v = 0; v < vertices.size(); ++v) vertex[v].mark = mark_at[node_link[v]];

  // Levers: from the vertex inward, as far as a link can be at most (slides at zero).
  const auto length = [](const Vec3<Real>& p) { return norm(Vec3<double>{double(p.x), double(p.y), double(p.z)}); };
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    double arm = length(vertices[v].X_LV.p);
    for (int k = vertices[v].first; k < vertices[v].last; ++k) {
      const auto& stretch = tree.stretches()[k];
      const LinkKind kind = plan.runs[stretch.run].kind;
      const bool wide = kind == LinkKind::ball || kind == LinkKind::free;
      for (int slot = stretch.from; slot >= stretch.to; --slot) {
        const std::size_t at = std::size_t(slot);
        const Link& link = links[wide ? plan.link_of_wide[at] : plan.link_of_slot[at]];
        const double turn = wide ? 1 : link.turn;
        (wide ? wide_lever : lever)[at] = {Real(turn * turn), Real(turn * turn * arm * arm + link.slide * link.slide)};
        arm += norm(link.X_PF.p) + std::abs(link.slide0);
      }
    }
  }

  // Limbs side by side.
  const auto on_limbs = vertices_on_limbs(plan, *this);
  if (order == LimbOrder::one_by_one || on_limbs.empty()) {
    limb_order = LimbOrder::one_by_one;
    return;
  }
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
      const auto put = [&](Limbs::V& field, double value) { field.numbers()[lane] = value; };
      const auto put_vector = [&](Vec3<Limbs::V>& field, const Vec3<Real>& value) {
        put(field.x, double(value.x)), put(field.y, double(value.y)), put(field.z, double(value.z));
      };
      for (int row = 0; row < 6; ++row)
        for (int column = 0; column < 3; ++column) put(out.unit[row][column], double(vertex[v].unit[row][column]));
      const auto& node = vertices[v];
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
        if (slot < stretch.from) continue;
        position.node = true;
        put(position.here, 1);
      }
    }
  }
  std::erase_if(walks, [&](const Walk& walk) { return plan.runs[walk.run].limbs >= 0; });
}

#define LINCHPIN_INSTANTIATE(T) template struct HeldPlan<T>;
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
