#include "linchpin/dynamics/compliance/compliance.h"

#include <algorithm>
#include <utility>

#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/scalars.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {
namespace {

// ---- six columns at once --------------------------------------------------------------------------------------------

// Unit forces are the columns of a matrix. For double they lie side by side in a register and are carried together; for
// packs of worlds each is carried by itself. Both use the same source, with X for the columns carried together.
template <class T>
constexpr int groups = side_by_side<T> ? 1 : 6;

template <class T>
LINCHPIN_INLINE Force<Carried<T>> columns(const Matrix6<T>& P, int group) {
  if constexpr (groups<T> == 1)
    return {{P.row[0], P.row[1], P.row[2]}, {P.row[3], P.row[4], P.row[5]}};
  else
    return {{P.at[0][group], P.at[1][group], P.at[2][group]}, {P.at[3][group], P.at[4][group], P.at[5][group]}};
}
template <class T>
LINCHPIN_INLINE void set_columns(const Force<Carried<T>>& x, int group, Matrix6<T>& P) {
  const auto put = [&](int row, const Carried<T>& value) {
    if constexpr (groups<T> == 1)
      P.row[row] = value;
    else
      P.at[row][group] = value;
  };
  put(0, x.n.x);
  put(1, x.n.y);
  put(2, x.n.z);
  put(3, x.f.x);
  put(4, x.f.y);
  put(5, x.f.z);
}

// Psi += s' w s; the upper half is computed.
template <class T>
LINCHPIN_INLINE void add_outer(const Carried<T> (&s)[groups<T>], const T& w, Matrix6<T>& Psi) {
  if constexpr (groups<T> == 1) {
    const Double8 y = w * s[0];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) Psi.row[i] = fma(Double8(s[0].numbers()[i]), y, Psi.row[i]);
  } else {
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      const T y = w * s[j];
#pragma GCC unroll 6
      for (int i = 0; i <= j; ++i) Psi.at[i][j] = fma(s[i], y, Psi.at[i][j]);
    }
  }
}
// ---- unit forces inward: (1), (3) -----------------------------------------------------------------------------------

// Carries P through one joint to the previous link, and leaves s at the joint.
template <bool axial, class T, class Factors, class X>
LINCHPIN_INLINE Force<X> through_joint(const Plan<T>& plan, const Factors& factors, int slot, const Force<X>& P, X& s) {
  return to_previous_link<axial>(plan, factors, slot, past_pivot<axial>(plan, factors, slot, P, s));
}

template <bool axial, class T, class Factors>
void through_joints(const Plan<T>& plan, const Factors& factors, int from, int to, Matrix6<T>& P, Matrix6<T>& Psi) {
  if constexpr (groups<T> == 1) {  // all numbers stay in registers
    Force<Double8> F = columns(P, 0);
    Double8 sum[6], s;
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) sum[i] = Psi.row[i];
    for (int slot = from; slot >= to; --slot) {
      F = through_joint<axial>(plan, factors, slot, F, s);
      const Double8 y = D_inverse<axial>(factors, slot) * s;
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) sum[i] = fma(Double8(s.v[i]), y, sum[i]);
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) Psi.row[i] = sum[i];
    set_columns(F, 0, P);
  } else {
    for (int slot = from; slot >= to; --slot) {
      T s[6];
      for (int g = 0; g < 6; ++g) set_columns(through_joint<axial>(plan, factors, slot, columns(P, g), s[g]), g, P);
      add_outer<T>(s, D_inverse<axial>(factors, slot), Psi);
    }
  }
}

// Ball: S = (1, 0), so s are the three moments, which contribute s' D^-1 s; see inward_ball() of aba.cc.
template <class T, class Wide>
void through_ball(const RunPlan<typename Plan<T>::Real>& run, const Wide& w, Matrix6<T>& P, Matrix6<T>& Psi) {
  using X = Carried<T>;
  Vec3<X> s[groups<T>], y[groups<T>];
  for (int g = 0; g < groups<T>; ++g) {
    Force<X> F = columns(P, g);
    s[g] = F.n;
    F = force_to_parent(Transform<T>{w.R, w.rF}, past_ball(w, F, y[g]));
    set_columns(Force<X>{run.E * F.n, run.E * F.f}, g, P);
  }
  const auto add = [&](const auto& of_s, const auto& of_y) {
    if constexpr (groups<T> == 1) {
      for (int i = 0; i < 6; ++i) Psi.row[i] = fma(Double8(of_s(0).numbers()[i]), of_y(0), Psi.row[i]);
    } else {
      for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j) Psi.at[i][j] = fma(of_s(i), of_y(j), Psi.at[i][j]);
    }
  };
  add([&](int g) { return s[g].x; }, [&](int g) { return y[g].x; });
  add([&](int g) { return s[g].y; }, [&](int g) { return y[g].y; });
  add([&](int g) { return s[g].z; }, [&](int g) { return y[g].z; });
}

// Free: S is invertible. With IA = L D L' there are six rows s = L^-1 P; no force is transmitted to the parent.
template <class T, class Wide>
void through_free(const Wide& w, Matrix6<T>& P, Matrix6<T>& Psi) {
  InertiaFactors<T> factors;
  factor_inertia(w.IA, factors);
  Carried<T> s[6][groups<T>];
  for (int g = 0; g < groups<T>; ++g) {
    Carried<T> b[6];
    solve_forward(factors, columns(P, g), b);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) s[k][g] = b[k];
  }
  for (int k = 0; k < 6; ++k) add_outer<T>(s[k], factors.D_inverse[k], Psi);
  set_zero(P);
}

// Writes a block of a matrix with n columns, and its transpose at the mirrored place.
template <class T, class Real>
LINCHPIN_INLINE void put_block(const Matrix6<T>& V, std::size_t n, Real* at, Real* mirrored) {
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r)
    if constexpr (groups<T> == 1)
      V.row[r].store_first(at + std::size_t(r) * n, 6);
    else
      for (int k = 0; k < 6; ++k) store(V.at[r][k], at + (std::size_t(r) * n + std::size_t(k)) * worlds);
  if (at == mirrored) return;
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r)
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) store(T(entry(V, r, k)), mirrored + (std::size_t(k) * n + std::size_t(r)) * worlds);
}
template <class Real>
void put_zero(std::size_t row_length, std::size_t block_length, Real* at) {
  for (std::size_t r = 0; r < 6; ++r) std::fill_n(at + r * row_length, block_length, Real(0));
}

template <class T>
void check_tree(const NodeTree<T>& tree, const Compliance<T>& c) {
  check(c.Phi.size() >= tree.vertices().size() && c.rows.size() == tree.pairs(),
        "compliance of other nodes: ", c.rows.size(), " pairs of vertices instead of ", tree.pairs());
}

template <class T, class Factors>
void compound(const Plan<T>& plan, const NodeTree<T>& tree, const Factors& factors, Compliance<T>& out) {
  check_tree(tree, out);
  check(factors.block.size() == plan.blocks.size() && factors.sum.size() == plan.runs.size(),
        "factors of another model");
  for (std::size_t v = 0; v < tree.vertices().size(); ++v) {
    const auto& vertex = tree.vertices()[v];
    const auto each_column = [](Matrix6<T>& P, const auto& carry) {
      for (int g = 0; g < groups<T>; ++g) set_columns(carry(columns(P, g)), g, P);
    };
    using X = Carried<T>;
    Matrix6<T> P, Psi;  // local variables, so that they can stay in registers
    set_zero(Psi);
    set_to(vertex.unit, P);
    for (int k = vertex.first; k < vertex.last; ++k) {
      const auto& stretch = tree.stretches()[k];
      const auto& run = plan.runs[stretch.run];
      if (run.kind == LinkKind::free) {
        through_free(factors.wide[run.slot], P, Psi);
      } else if (run.kind == LinkKind::ball) {
        through_ball(run, factors.wide[run.slot], P, Psi);
      } else {
        if (run.kind == LinkKind::revolute)
          through_joints<false>(plan, factors, stretch.from, stretch.to, P, Psi);
        else
          through_joints<true>(plan, factors, stretch.from, stretch.to, P, Psi);
        if (stretch.head && run.parent != 0)
          each_column(P, [&](const Force<X>& F) { return force_through_head(run, F); });
      }
    }
    if (vertex.parent >= 0) {  // Phi to the world is never used
      const auto& parent = tree.vertices()[vertex.parent];
      if (parent.is_node) each_column(P, [&](const Force<X>& F) { return force_to_child(parent.X_LV, F); });
    }
    out.Phi[v] = P;
    out.Psi[v] = Psi;
    mirror(out.Psi[v]);
  }
}

}  // namespace

template <class T>
void Compliance<T>::fit(const NodeTree<T>& tree) {
  const auto vertices = tree.vertices();
  const std::size_t count = vertices.size(), pairs = tree.pairs();
  if (Phi.size() < count) {
    Phi = AlignedArray<Matrix6<T>>(count);
    Psi = AlignedArray<Matrix6<T>>(count);
    force = AlignedArray<T>(6 * count);
    motion = AlignedArray<T>(6 * count);
  }
  if (V.size() < pairs) V = AlignedArray<Matrix6<T>>(pairs);
  rows.assign(pairs, Rows::none);
  const auto pair = [&](int u, int v) { return u < v ? tree.pair(u, v) : tree.pair(v, u); };
  const auto before = [&](int v) {
    return tree.members().subspan(tree.trees()[vertices[v].tree].first, vertices[v].rank);
  };
  // V_uv follows from V_up or V_pu, whichever is stored, and is stored the same way.
  for (int v = 0; v < int(count); ++v) {
    const int p = vertices[v].parent;
    rows[pair(v, v)] = Rows::of_u;
    if (p < 0) continue;
    for (const int u : before(v)) {
      const Rows from = rows[pair(u, p)];
      const bool of_u = u <= p ? from == Rows::of_u : from == Rows::of_v;
      rows[pair(u, v)] = from == Rows::none ? Rows::none : of_u ? Rows::of_u : Rows::of_v;
    }
  }
  // Of vertices without a node, only blocks that later vertices need are computed.
  asked.assign(pairs, false);
  for (int v = int(count) - 1; v >= 0; --v) {
    const int p = vertices[v].parent;
    for (const int u : before(v)) {
      if (u == p || rows[pair(u, v)] == Rows::none) continue;  // V_pv is computed with V_vv
      if (asked[pair(u, v)] || (vertices[u].is_node && vertices[v].is_node))
        asked[pair(u, p)] = true;
      else
        rows[pair(u, v)] = Rows::none;
    }
  }
}

template <class T>
void compound_paths(const Plan<T>& plan, const NodeTree<T>& tree, const ArticulatedFactor<T>& factors,
                    Compliance<T>& compliance) {
  compound(plan, tree, factors, compliance);
}
template <class T>
void compound_paths(const Plan<T>& plan, const NodeTree<T>& tree, AbaWorkspace<T>& factors, Compliance<T>& compliance) {
  spread_limb_factors(plan, factors);
  compound(plan, tree, factors, compliance);
}

namespace {

// Fills c.V by (4).
template <class T>
void fill_pairs(const NodeTree<T>& tree, Compliance<T>& c) {
  using Rows = typename Compliance<T>::Rows;
  constexpr Matrix6<T>* null = nullptr;
  const auto vertices = tree.vertices();
  for (int v = 0; v < int(vertices.size()); ++v) {
    const int p = vertices[v].parent;
    const Matrix6<T>& Phi = c.Phi[v];
    Matrix6<T>& own = c.V[tree.pair(v, v)];
    if (p < 0) {
      own = c.Psi[v];
      continue;
    }
    Matrix6<T>& Z = c.V[tree.pair(p, v)];  // V_pp Phi_v
    multiply<false, false, 6>(c.V[tree.pair(p, p)], Phi, null, 6, 6, Z);
    multiply<true, true, 6>(Phi, Z, &c.Psi[v], 6, 6, own);
    mirror(own);
    const int* members = tree.members().data() + tree.trees()[vertices[v].tree].first;
    for (int k = 0; k < vertices[v].rank; ++k) {
      const std::size_t uv = vertices[v].pairs + std::size_t(k);
      if (k == vertices[p].rank || c.rows[uv] == Rows::none) continue;
      const Matrix6<T>& before =
          c.V[k < vertices[p].rank ? vertices[p].pairs + std::size_t(k) : tree.pair(p, members[k])];
      if (c.rows[uv] == Rows::of_u)
        multiply<false, false, 6>(before, Phi, null, 6, 6, c.V[uv]);
      else
        multiply<true, false, 6>(Phi, before, null, 6, 6, c.V[uv]);
    }
  }
}

// Writes block (i, j) of a matrix with n columns, and (j, i): nodes `node_i` and `node_j`, which are in one tree.
template <class T>
LINCHPIN_INLINE void put_pair(const NodeTree<T>& tree, const Compliance<T>& c, int node_i, int node_j, std::size_t i,
                              std::size_t j, std::size_t n, typename Plan<T>::Real* matrix) {
  using Rows = typename Compliance<T>::Rows;
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
  int u = tree.vertex_of(node_i), v = tree.vertex_of(node_j);
  auto* at = matrix + (6 * i * n + 6 * j) * worlds;
  auto* mirrored = matrix + (6 * j * n + 6 * i) * worlds;
  if (u > v) std::swap(u, v), std::swap(at, mirrored);
  const std::size_t uv = tree.pair(u, v);
  if (c.rows[uv] == Rows::none)
    put_zero(n * worlds, 6 * worlds, at), put_zero(n * worlds, 6 * worlds, mirrored);
  else if (c.rows[uv] == Rows::of_u)
    put_block(c.V[uv], n, at, mirrored);
  else
    put_block(c.V[uv], n, mirrored, at);
}

}  // namespace

template <class T>
void compliance_matrix(const NodeTree<T>& tree, Compliance<T>& c, std::span<typename Plan<T>::Real> matrix) {
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
  const std::size_t n = 6 * std::size_t(tree.nodes());
  check_tree(tree, c);
  check(matrix.size() == n * n * worlds, "the matrix has ", matrix.size(), " numbers, ", tree.nodes(), " nodes need ",
        n * n * worlds);
  fill_pairs(tree, c);
  const auto tree_of = [&](int node) { return tree.vertices()[tree.vertex_of(node)].tree; };
  for (int i = 0; i < tree.nodes(); ++i)
    for (int j = i; j < tree.nodes(); ++j)
      if (tree_of(i) == tree_of(j)) {
        put_pair(tree, c, i, j, std::size_t(i), std::size_t(j), n, matrix.data());
      } else {
        put_zero(n * worlds, 6 * worlds, &matrix[(6 * std::size_t(i) * n + 6 * std::size_t(j)) * worlds]);
        put_zero(n * worlds, 6 * worlds, &matrix[(6 * std::size_t(j) * n + 6 * std::size_t(i)) * worlds]);
      }
}

template <class T>
std::size_t numbers_by_tree(const NodeTree<T>& tree) {
  if (tree.trees().empty()) return 0;
  const auto& last = tree.trees().back();
  return last.matrix + 36 * std::size_t(last.nodes) * std::size_t(last.nodes);
}

template <class T>
void compliance_by_tree(const NodeTree<T>& tree, Compliance<T>& c, std::span<typename Plan<T>::Real> matrices) {
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
  check_tree(tree, c);
  check(matrices.size() == numbers_by_tree(tree) * worlds, "the matrices have ", matrices.size(), " numbers, ",
        tree.trees().size(), " trees need ", numbers_by_tree(tree) * worlds);
  fill_pairs(tree, c);
  for (const auto& one : tree.trees()) {
    const std::size_t n = 6 * std::size_t(one.nodes);
    const std::span<const int> nodes = tree.nodes_of(one);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = i; j < nodes.size(); ++j)
        put_pair(tree, c, nodes[i], nodes[j], i, j, n, matrices.data() + one.matrix * worlds);
  }
}

template <class T>
void apply_compliance(const NodeTree<T>& tree, Compliance<T>& c, std::span<const typename Plan<T>::Real> f,
                      std::span<typename Plan<T>::Real> a) {
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
  const std::size_t n = 6 * std::size_t(tree.nodes()) * worlds;
  check_tree(tree, c);
  check(f.size() == n && a.size() == n, "f has ", f.size(), " and a ", a.size(), " numbers, ", tree.nodes(),
        " nodes need ", n);
  for (T& x : c.force) x = T(0);
  const auto first = [&](int node) { return 6 * std::size_t(tree.vertex_of(node)); };
  for (int i = 0; i < tree.nodes(); ++i)
    for (std::size_t k = 0; k < 6; ++k) c.force[first(i) + k] = load<T>(&f[(6 * std::size_t(i) + k) * worlds]);
  for (std::size_t v = tree.vertices().size(); v-- > 0;) {
    const int p = tree.vertices()[v].parent;
    if (p < 0) continue;
    for (int r = 0; r < 6; ++r)
      for (int k = 0; k < 6; ++k) {
        T& sum = c.force[6 * std::size_t(p) + std::size_t(r)];
        sum = fma(T(entry(c.Phi[v], r, k)), c.force[6 * v + std::size_t(k)], sum);
      }
  }
  for (std::size_t v = 0; v < tree.vertices().size(); ++v) {
    const int p = tree.vertices()[v].parent;
    for (int k = 0; k < 6; ++k) {
      T sum(0);
      for (int r = 0; r < 6; ++r) sum = fma(T(entry(c.Psi[v], r, k)), c.force[6 * v + std::size_t(r)], sum);
      for (int r = 0; r < 6 && p >= 0; ++r)
        sum = fma(T(entry(c.Phi[v], r, k)), c.motion[6 * std::size_t(p) + std::size_t(r)], sum);
      c.motion[6 * v + std::size_t(k)] = sum;
    }
  }
  for (int i = 0; i < tree.nodes(); ++i)
    for (std::size_t k = 0; k < 6; ++k) store(c.motion[first(i) + k], &a[(6 * std::size_t(i) + k) * worlds]);
}

#define LINCHPIN_INSTANTIATE(T)                                                                                     \
  template struct Compliance<T>;                                                                                    \
  template void compound_paths<T>(const Plan<T>&, const NodeTree<T>&, const ArticulatedFactor<T>&, Compliance<T>&); \
  template void compound_paths<T>(const Plan<T>&, const NodeTree<T>&, AbaWorkspace<T>&, Compliance<T>&);            \
  template void compliance_matrix<T>(const NodeTree<T>&, Compliance<T>&, std::span<Plan<T>::Real>);                 \
  template std::size_t numbers_by_tree<T>(const NodeTree<T>&);                                                      \
  template void compliance_by_tree<T>(const NodeTree<T>&, Compliance<T>&, std::span<Plan<T>::Real>);                \
  template void apply_compliance<T>(const NodeTree<T>&, Compliance<T>&, std::span<const Plan<T>::Real>,             \
                                    std::span<Plan<T>::Real>);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
