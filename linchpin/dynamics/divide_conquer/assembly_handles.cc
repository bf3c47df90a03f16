#include "linchpin/dynamics/divide_conquer/assembly_handles.h"

#include <algorithm>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/divide_conquer/assembly_joins.h"
#include "linchpin/dynamics/divide_conquer/assembly_sweep.h"
#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {
namespace {

using Node = AssemblyTree::Node;
using Piece = AssemblyTree::Piece;

// A handle's path up the tree is some hundred times the work of a link's share of a sweep over forces.
constexpr int least_links = 256;

// Registers of s that a piece has: one for each axis, three of a ball joint, six of a free one.
int registers(const Plan<double>& plan, const Piece& piece) {
  const LinkKind kind = plan.runs[piece.run].kind;
  if (one_axis(kind)) return piece.from - piece.to + 1;
  return kind == LinkKind::ball ? 3 : 6;
}

template <bool axial>
Force<Double8> through_axes(const Plan<double>& plan, const AssemblyWorkspace& factors, int from, int to,
                            Force<Double8> P, Double8* s, Double8* y) {
  for (int slot = from; slot >= to; --slot) {
    Double8 along;
    const Force<Double8> F = past_pivot<axial>(plan, factors.aba, slot, P, along);
    *s++ = along;
    *y++ = D_inverse<axial>(factors.aba, slot) * along;
    P = to_previous_link<axial>(plan, factors.aba, slot, F);
  }
  return P;
}

Force<Double8> through_wide(const RunPlan<double>& run, const AssemblyWorkspace& factors, bool open,
                            const Force<Double8>& P, Double8* s, Double8* y) {
  const AbaWidePivot<double>& w = factors.aba.wide[run.slot];
  if (run.kind == LinkKind::ball) {
    s[0] = P.n.x, s[1] = P.n.y, s[2] = P.n.z;
    Vec3<Double8> along;
    const Force<Double8> F = force_to_parent(Transform<double>{w.R, w.rF}, past_ball(w, P, along));
    y[0] = along.x, y[1] = along.y, y[2] = along.z;
    return {run.E * F.n, run.E * F.f};
  }
  InertiaFactors<double> own;
  if (!open) factor_inertia(w.IA, own);
  const InertiaFactors<double>& inertia = open ? factors.factors[run.slot] : own;
  Double8 x[6];
  solve_forward(inertia, P, x);
  for (int i = 0; i < 6; ++i) {
    s[i] = x[i];
    y[i] = inertia.D_inverse[i] * x[i];
  }
  return Force<Double8>::zero();
}

LINCHPIN_INLINE Force<Double8> unit_forces() {
  using V = Double8::Vector;
  return {{Double8(V{1}), Double8(V{0, 1}), Double8(V{0, 0, 1})},
          {Double8(V{0, 0, 0, 1}), Double8(V{0, 0, 0, 0, 1}), Double8(V{0, 0, 0, 0, 0, 1})}};
}
LINCHPIN_INLINE Force<Double8> columns(const Matrix6<double>& M) {
  return {{M.row[0], M.row[1], M.row[2]}, {M.row[3], M.row[4], M.row[5]}};
}

// Adds s' y of one joint.
LINCHPIN_INLINE void add_outer(const Double8& s, const Double8& y, Matrix6<double>& sum) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) sum.row[i] = fma(Double8(s[i]), y, sum.row[i]);
}

constexpr Matrix6<double>* nothing = nullptr;
LINCHPIN_INLINE Matrix6<double> product(const Matrix6<double>& A, const Matrix6<double>& B) {
  Matrix6<double> out;
  multiply<false, false, 3>(A, B, nothing, 6, 6, out);
  return out;
}
// A' B
LINCHPIN_INLINE Matrix6<double> inner_product(const Matrix6<double>& A, const Matrix6<double>& B) {
  Matrix6<double> out;
  multiply<true, false, 3>(A, B, nothing, 6, 6, out);
  return out;
}
LINCHPIN_INLINE Matrix6<double> sum(const Matrix6<double>& A, const Matrix6<double>& B) {
  Matrix6<double> out;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) out.row[i] = A.row[i] + B.row[i];
  return out;
}

}  // namespace

void AssemblyHandles::place(const Plan<double>& plan, const AssemblyTree& tree, std::span<const int> links) {
  handles_.clear();
  const int slots = int(plan.link_of_slot.size());
  // Where each link is: its slot, or the ball or free link.
  const std::size_t count = plan.link_of_slot.size() + plan.link_of_wide.size() + 1;
  std::vector<int>& place = place_;
  place.assign(count, -1);
  for (int slot = 0; slot < slots; ++slot) place[plan.link_of_slot[slot]] = slot;
  for (std::size_t w = 0; w < plan.link_of_wide.size(); ++w) place[plan.link_of_wide[w]] = slots + int(w);
  at_.assign(count, {});
  const std::span<const Node> nodes = tree.nodes();
  registers_ = 0;
  for (int n = 0; n < int(nodes.size()); ++n) {
    if (!nodes[n].is_segment()) continue;
    int size = 0;
    for (int p = nodes[n].first_piece; p < nodes[n].last_piece; ++p) {
      const Piece& piece = tree.pieces()[p];
      size += registers(plan, piece);
      const LinkKind kind = plan.runs[piece.run].kind;
      if (one_axis(kind))
        for (int slot = piece.to; slot <= piece.from; ++slot) at_[plan.link_of_slot[slot]] = {n, p};
      else
        at_[plan.link_of_wide[plan.runs[piece.run].slot]] = {n, p};
    }
    registers_ = std::max(registers_, std::size_t(size));
  }
  for (int k = 0; k < int(links.size()); ++k) {
    const auto [segment, piece] = at_[links[k]];
    handles_.push_back({.link = links[k], .chosen = k, .segment = segment, .piece = piece, .at = place[links[k]]});
  }
  std::ranges::sort(handles_, {}, [](const Handle& h) { return std::pair(h.segment, h.chosen); });
  first_.resize(nodes.size());
  last_.resize(nodes.size());
  const auto before = [&](int node) {
    return int(std::ranges::lower_bound(handles_, node, {}, &Handle::segment) - handles_.begin());
  };
  for (int n = 0; n < int(nodes.size()); ++n) {
    first_[n] = before(nodes[n].first_below);
    last_[n] = before(n + 1);
  }
  begin_.assign(handles_.size(), 0);
  for (AlignedArray<Matrix6<double>>* all : {&Q_, &R_, &F_, &A_})
    if (all->size() < handles_.size()) *all = AlignedArray<Matrix6<double>>(handles_.size());
  for (AlignedArray<Double8>* all : {&s_, &y_})
    if (all->size() < handles_.size() * registers_) *all = AlignedArray<Double8>(handles_.size() * registers_);
}

// The path of a handle from where it enters a segment to the inner end.
void AssemblyHandles::carry(const Input& in, int node, int handle) {
  const Node& n = in.tree.nodes()[node];
  const Handle& h = handles_[handle];
  Double8* const s = s_.data() + std::size_t(handle) * registers_;
  Double8* const y = y_.data() + std::size_t(handle) * registers_;
  const bool own = h.segment == node;
  Force<Double8> P = own ? unit_forces() : columns(Q_[handle]);
  bool entered = false;
  int at = 0;
  for (int p = n.first_piece; p < n.last_piece; ++p) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    int from = piece.from;
    if (!entered && own && p == h.piece) {
      entered = true;
      if (one_axis(run.kind)) {
        at += from - h.at;
        from = h.at;
      }
      begin_[handle] = at;
    }
    if (!entered && !own)
      for (int l = piece.first_limb; l < piece.last_limb && !entered; ++l) {
        const int limb = in.tree.limbs()[l];
        entered = first_[limb] <= handle && handle < last_[limb];
        begin_[handle] = at;
      }
    if (!entered) {
      at += registers(in.plan, piece);
      continue;
    }
    if (one_axis(run.kind)) {
      P = run.kind == LinkKind::axial ? through_axes<true>(in.plan, in.factors, from, piece.to, P, s + at, y + at)
                                      : through_axes<false>(in.plan, in.factors, from, piece.to, P, s + at, y + at);
      at += from - piece.to + 1;
      if (piece.head) P = force_through_head(run, P);
    } else {
      P = through_wide(run, in.factors, n.open, P, s + at, y + at);
      at += registers(in.plan, piece);
    }
  }
  Q_[handle] = {{P.n.x, P.n.y, P.n.z, P.f.x, P.f.y, P.f.z}};
}

void AssemblyHandles::add_to_W(const Input& in, int c, int d, const Matrix6<double>& C) const {
  const int i = handles_[c].chosen, j = handles_[d].chosen;
  if (!in.W.in_one_group(i, j)) return;
  double* const at = in.W.block(i, j);
  const std::size_t width = in.W.width(i);
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) {
    double* const row = at + std::size_t(r) * width;
    (Double8::load_first(row, 6) + C.row[r]).store_first(row, 6);
  }
}

// (4)
void AssemblyHandles::pass_segment(const Input& in, int node) {
  const Node& n = in.tree.nodes()[node];
  for (int c = first_[node]; c < last_[node]; ++c) carry(in, node, c);
  // The registers of the outer end's s, in the order of the handles'.
  for (int c = first_[node]; n.open && c < last_[node]; ++c) {
    const Double8* const y = y_.data() + std::size_t(c) * registers_;
    Matrix6<double> R;
    set_zero(R);
    int at = 0;
    for (int p = n.first_piece; p < n.last_piece; ++p) {
      const Piece& piece = in.tree.pieces()[p];
      const RunPlan<double>& run = in.plan.runs[piece.run];
      const bool axes = one_axis(run.kind);
      const Double8* const out = axes ? &in.factors.s[piece.from] : &in.factors.wide_s[6 * std::size_t(run.slot)];
      for (int k = 0, count = registers(in.plan, piece); k < count; ++k, ++at)
        if (at >= begin_[c]) add_outer(axes ? out[-k] : out[k], y[at], R);
    }
    R_[c] = R;
  }
  int size = 0;
  for (int p = n.first_piece; p < n.last_piece; ++p) size += registers(in.plan, in.tree.pieces()[p]);
  for (int c = first_[node]; c < last_[node]; ++c)
    for (int d = c; d < last_[node]; ++d) {
      const Double8* const s = s_.data() + std::size_t(c) * registers_;
      const Double8* const y = y_.data() + std::size_t(d) * registers_;
      Matrix6<double> C;
      set_zero(C);
      for (int at = std::max(begin_[c], begin_[d]); at < size; ++at) add_outer(s[at], y[at], C);
      add_to_W(in, c, d, C);
    }
}

// (5) to (8)
void AssemblyHandles::pass_join(const Input& in, int node) {
  const Node& n = in.tree.nodes()[node];
  const Assembly &here = in.factors.node[node], &upper = in.factors.node[n.upper], &lower = in.factors.node[n.lower];
  const int first = first_[node], middle = last_[n.upper], last = last_[node];
  for (int c = first; c < last; ++c) {
    if (c < middle) {
      const Matrix6<double> JR = product(here.J, R_[c]);
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) F_[c].row[i] = -JR.row[i];
      A_[c] = sum(R_[c], product(upper.Psi, F_[c]));
    } else {
      const Matrix6<double> JPsiQ = product(here.J, product(upper.Psi, Q_[c]));
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) F_[c].row[i] = Q_[c].row[i] - JPsiQ.row[i];
      A_[c] = product(upper.Psi, F_[c]);
    }
  }
  for (int c = first; c < last; ++c)
    for (int d = c; d < last; ++d)
      add_to_W(in, c, d, c < middle ? inner_product(R_[c], F_[d]) : inner_product(Q_[c], A_[d]));
  for (int c = first; c < last; ++c) {
    if (!n.on_world) {
      const Matrix6<double> PhiF = product(upper.Phi, F_[c]);
      Q_[c] = c < middle ? sum(Q_[c], PhiF) : PhiF;
    }
    if (n.open) {
      const Matrix6<double> PhiA = inner_product(lower.Phi, A_[c]);
      R_[c] = c < middle ? PhiA : sum(R_[c], PhiA);
    }
  }
}

void AssemblyHandles::find_response(const Plan<double>& plan, const AssemblyTree& tree,
                                    const AssemblyWorkspace& factors, ForkJoin* threads, ResponseMatrices& W) {
  check(first_.size() == tree.nodes().size() && W.links().size() == handles_.size(), "response of ", W.links().size(),
        " links, there are ", handles_.size(), " handles");
  check(factors.node.size() == tree.nodes().size(), "factors of another model");
  W.clear();
  const Input in{plan, tree, factors, W};
  const int count = threads ? threads->threads() : 1;
  const auto stages = [&] {
    AssemblySweep(tree, least_links, count).up([&](int node) {
      if (!has_handles(node)) return;
      if (tree.nodes()[node].is_segment())
        pass_segment(in, node);
      else
        pass_join(in, node);
    });
  };
  if (count > 1)
    threads->run(stages);
  else
    stages();
  // The other half, and the lower half of diagonal blocks.
  for (int c = 0; c < int(handles_.size()); ++c)
    for (int d = c; d < int(handles_.size()); ++d) {
      const int i = handles_[c].chosen, j = handles_[d].chosen;
      if (!W.in_one_group(i, j)) continue;
      const double* const from = W.block(i, j);
      double* const to = W.block(j, i);
      const std::size_t width = W.width(i);
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t k = c == d ? r + 1 : 0; k < 6; ++k) to[k * width + r] = from[r * width + k];
    }
}

}  // namespace linchpin
