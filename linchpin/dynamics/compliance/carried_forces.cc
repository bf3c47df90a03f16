#include "linchpin/dynamics/compliance/carried_forces.h"

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {
namespace {

using Run = RunPlan<double>;
using Stretch = NodeTree<double>::Stretch;

LINCHPIN_INLINE bool one_axis(LinkKind kind) { return kind == LinkKind::revolute || kind == LinkKind::axial; }

// s at the joints of a stretch: one register for each axis; the three of a ball joint; of a free joint, the force.
std::size_t registers(const Run& run, const Stretch& stretch) {
  if (one_axis(run.kind)) return std::size_t(stretch.from - stretch.to + 1);
  return run.kind == LinkKind::ball ? 3 : 6;
}

// ---- (1) ------------------------------------------------------------------------------------------------------------

template <bool axial>
LINCHPIN_INLINE Force<Double8> axes_inward(const Plan<double>& plan, const AbaWorkspace<double>& factors,
                                           const Stretch& stretch, Force<Double8> P, Double8* s) {
  for (int slot = stretch.from; slot >= stretch.to; --slot) {
    Double8 along;
    const Force<Double8> F = past_pivot<axial>(plan, factors, slot, P, along);
    *s++ = along;
    P = to_previous_link<axial>(plan, factors, slot, F);
  }
  return P;
}

Force<Double8> stretch_inward(const Plan<double>& plan, const AbaWorkspace<double>& factors, const Stretch& stretch,
                              const Force<Double8>& P, Double8* s) {
  const Run& run = plan.runs[stretch.run];
  if (one_axis(run.kind)) {
    const Force<Double8> F = run.kind == LinkKind::axial ? axes_inward<true>(plan, factors, stretch, P, s)
                                                         : axes_inward<false>(plan, factors, stretch, P, s);
    return stretch.head && run.parent != 0 ? force_through_head(run, F) : F;
  }
  const AbaWidePivot<double>& w = factors.wide[run.slot];
  s[0] = P.n.x, s[1] = P.n.y, s[2] = P.n.z;
  if (run.kind == LinkKind::ball) {
    Vec3<Double8> y;
    const Force<Double8> F = force_to_parent(Transform<double>{w.R, w.rF}, past_ball(w, P, y));
    return {run.E * F.n, run.E * F.f};
  }
  s[3] = P.f.x, s[4] = P.f.y, s[5] = P.f.z;
  return Force<Double8>::zero();
}

// ---- (2) ------------------------------------------------------------------------------------------------------------

// s is that of the column, or null if the column's force does not pass the joint.
template <bool axial, bool passed>
LINCHPIN_INLINE Motion<Double8> axes_outward(const Plan<double>& plan, const AbaWorkspace<double>& factors,
                                             const Stretch& stretch, Motion<Double8> A, const Double8* s) {
  constexpr int joints = Lanes<double>::joints;
  const int head = stretch.head ? stretch.to : -1;
  if constexpr (passed) s += stretch.from - stretch.to;
  for (int slot = stretch.to; slot <= stretch.from; ++slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = factors.block[slot / joints];
    const auto& g = factors.pivot[slot];
    const int lane = slot % joints;
    double d = at<double>(k.slide0, lane);
    if constexpr (axial) d = at<double>(b.d, lane);
    A = motion_along_normal(k, lane, slot == head, Double8(at<double>(b.c, lane)), Double8(at<double>(b.s, lane)),
                            Double8(d), A);
    Double8 left(0.0);
    if constexpr (passed) left = D_inverse<axial>(factors, slot) * *s--;
    left = fma(Double8(-g.l_y), A.v.y, fma(Double8(-g.l_x), A.v.x, fma(Double8(-g.g_x), A.w.x, left)));
    const double g_z = axial ? g.g_z : 1.0;
    const Double8 vdot = left - fma(Double8(g.l_z), A.v.z, fma(Double8(g.g_y), A.w.y, Double8(g_z) * A.w.z));
    if constexpr (axial) {
      A.w.z = fma(Double8(at<double>(k.turn, lane)), vdot, A.w.z);
      A.v.z = fma(Double8(at<double>(k.slide, lane)), vdot, A.v.z);
    } else {
      A.w.z = A.w.z + vdot;
    }
  }
  return A;
}

Motion<Double8> wide_outward(const Run& run, const AbaWidePivot<double>& w, const Motion<Double8>& A,
                             const Double8* s) {
  const Vec3<Double8> zero = Vec3<Double8>::zero();
  const Vec3<Double8> n = s ? Vec3<Double8>{s[0], s[1], s[2]} : zero;
  if (run.kind == LinkKind::free)  // its acceleration does not depend on the parent's
    return s ? solve(w.IA, Force<Double8>{n, {s[3], s[4], s[5]}}) : Motion<Double8>::zero();
  const Vec3<double> offset = w.rF - run.rF;
  const Motion<Double8> carried{transpose_times(w.R, A.w), transpose_times(w.R, A.v + cross(A.w, offset))};
  const Vec3<Double8> Ba{dot(w.IA.Bx, carried.v), dot(w.IA.By, carried.v), dot(w.IA.Bz, carried.v)};
  return {carried.w + w.D_inverse * (n - (w.IA.A * carried.w + Ba)), carried.v};
}

Motion<Double8> stretch_outward(const Plan<double>& plan, const AbaWorkspace<double>& factors, const Stretch& stretch,
                                Motion<Double8> A, const Double8* s) {
  const Run& run = plan.runs[stretch.run];
  if (stretch.head) A = motion_to_head(run, A);
  if (!one_axis(run.kind)) return wide_outward(run, factors.wide[run.slot], A, s);
  if (run.kind == LinkKind::axial)
    return s ? axes_outward<true, true>(plan, factors, stretch, A, s)
             : axes_outward<true, false>(plan, factors, stretch, A, s);
  return s ? axes_outward<false, true>(plan, factors, stretch, A, s)
           : axes_outward<false, false>(plan, factors, stretch, A, s);
}

void write_block(const Motion<Double8>& A, std::size_t width, double* at, double* mirrored) {
  const Double8 rows[6] = {A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z};
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) rows[r].store_first(at + std::size_t(r) * width, 6);
  if (at == mirrored) {  // exactly symmetric
    for (std::size_t r = 1; r < 6; ++r)
      for (std::size_t k = 0; k < r; ++k) at[r * width + k] = at[k * width + r];
    return;
  }
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t k = 0; k < 6; ++k) mirrored[k * width + r] = rows[r][int(k)];
}

}  // namespace

// Columns in depth-first order: those beyond a vertex follow its own.
void CarriedForces::number_columns(const NodeTree<double>& tree) {
  const auto vertices = tree.vertices();
  range_.assign(vertices.size(), {});
  for (Range& range : range_) range.node = -1;
  for (int node = 0; node < tree.nodes(); ++node) range_[tree.vertex_of(node)].node = node;
  beyond_.assign(vertices.size(), 0);  // the number of nodes at and beyond a vertex
  for (std::size_t v = vertices.size(); v-- > 0;) {
    beyond_[v] += range_[v].node >= 0;
    if (vertices[v].parent >= 0) beyond_[vertices[v].parent] += beyond_[v];
  }
  node_of_column_.assign(tree.nodes(), -1);
  next_.assign(vertices.size(), 0);  // the first column of a vertex's next child
  int column = 0;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    Range& range = range_[v];
    const int parent = vertices[v].parent;
    int& from = parent < 0 ? column : next_[parent];
    range.first = from;
    range.root = parent < 0 ? from : range_[parent].root;
    range.last = from += beyond_[v];
    next_[v] = range.first + (range.node >= 0);
    if (range.node >= 0) node_of_column_[range.first] = range.node;
  }
  check(column == tree.nodes(), "two nodes on one link: ", tree.nodes(), " nodes on ", column, " links");
}

void CarriedForces::place(const Plan<double>& plan, const NodeTree<double>& tree) {
  number_columns(tree);
  const int vertices = int(range_.size());
  std::size_t s = 0, A = 0;
  for (int v = 0; v < vertices; ++v) {
    Range& range = range_[v];
    range.s = s;
    range.A = A;
    for (int k = tree.vertices()[v].first; k < tree.vertices()[v].last; ++k)
      range.numbers += registers(plan.runs[tree.stretches()[k].run], tree.stretches()[k]);
    s += range.numbers * std::size_t(range.last - range.first);
    A += std::size_t(range.last - range.root);
  }
  if (P_.size() < node_of_column_.size()) P_ = AlignedArray<Force<Double8>>(node_of_column_.size());
  if (A_.size() < A) A_ = AlignedArray<Motion<Double8>>(A);
  if (s_.size() < s) s_ = AlignedArray<Double8>(s);
}

void CarriedForces::inward(const Plan<double>& plan, const NodeTree<double>& tree,
                           const AbaWorkspace<double>& factors) {
  using V = Double8::Vector;
  for (std::size_t v = range_.size(); v-- > 0;) {
    const Range& range = range_[v];
    if (range.node >= 0)
      P_[range.first] = {{Double8(V{1}), Double8(V{0, 1}), Double8(V{0, 0, 1})},
                         {Double8(V{0, 0, 0, 1}), Double8(V{0, 0, 0, 0, 1}), Double8(V{0, 0, 0, 0, 0, 1})}};
    Double8* s = s_.data() + range.s;
    for (int c = range.first; c < range.last; ++c) {
      Force<Double8> P = P_[c];
      for (int k = tree.vertices()[v].first; k < tree.vertices()[v].last; ++k) {
        const Stretch& stretch = tree.stretches()[k];
        P = stretch_inward(plan, factors, stretch, P, s);
        s += registers(plan.runs[stretch.run], stretch);
      }
      P_[c] = P;
    }
  }
}

void CarriedForces::outward(const Plan<double>& plan, const NodeTree<double>& tree,
                            const AbaWorkspace<double>& factors) {
  for (std::size_t v = 0; v < range_.size(); ++v) {
    const Range& range = range_[v];
    const int parent = tree.vertices()[v].parent;
    for (int c = range.root; c < range.last; ++c) {
      Motion<Double8> A = Motion<Double8>::zero();
      if (parent >= 0) A = A_[range_[parent].A + std::size_t(c - range.root)];
      // The end of the column's s: the innermost joint comes first here.
      const Double8* s = nullptr;
      if (c >= range.first) s = s_.data() + range.s + range.numbers * std::size_t(c - range.first + 1);
      for (int k = tree.vertices()[v].last; k-- > tree.vertices()[v].first;) {
        const Stretch& stretch = tree.stretches()[k];
        if (s) s -= registers(plan.runs[stretch.run], stretch);
        A = stretch_outward(plan, factors, stretch, A, s);
      }
      A_[range.A + std::size_t(c - range.root)] = A;
    }
  }
}

void CarriedForces::find_response(const Plan<double>& plan, const NodeTree<double>& tree, AbaWorkspace<double>& factors,
                                  ResponseMatrices& W) {
  check(range_.size() == tree.vertices().size() && W.links().size() == std::size_t(tree.nodes()), "response of ",
        W.links().size(), " links, there are ", tree.nodes(), " nodes");
  spread_limb_factors(plan, factors);
  inward(plan, tree, factors);
  outward(plan, tree, factors);
  for (const Range& range : range_) {
    const int i = range.node;
    for (int c = range.root; i >= 0 && c <= range.first; ++c)
      if (const int j = node_of_column_[c]; W.in_one_group(i, j))
        write_block(A_[range.A + std::size_t(c - range.root)], W.width(i), W.block(i, j), W.block(j, i));
  }
}

}  // namespace linchpin
