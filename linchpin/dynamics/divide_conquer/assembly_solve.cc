// The stages of solve() in divide_and_conquer.h. Compiled for this machine.
#include "linchpin/dynamics/divide_conquer/assembly_joins.h"
#include "linchpin/dynamics/divide_conquer/assembly_kernels.h"
#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {
namespace {

using Node = AssemblyTree::Node;
using Piece = AssemblyTree::Piece;
constexpr int joints = Lanes<double>::joints;

// (2) and (3) of aba.h for forces alone, and beta of the outer end.
template <bool axial>
Force<double> bias_through_axes(const AssemblySolveInput& in, const Piece& piece, AssemblySolveWorkspace& ws,
                                Force<double> p, Double8& beta) {
  for (int slot = piece.from; slot >= piece.to; --slot) {
    const auto& k = in.plan.blocks[slot / joints];
    const auto& b = in.factors.aba.block[slot / joints];
    const auto& g = in.factors.aba.pivot[slot];
    const int lane = slot % joints;
    if (in.external) p = p - ws.external[slot];
    double along = p.n.z;
    if constexpr (axial) along = fma(at<double>(k.slide, lane), p.f.z, at<double>(k.turn, lane) * p.n.z);
    const double u = in.x[in.plan.v_of_slot[slot]] - along;
    const double u_over_D = D_inverse<axial>(in.factors.aba, slot) * u;
    ws.u_over_D[slot] = u_over_D;
    beta = fma(Double8(u_over_D), in.factors.s[slot], beta);
    p = {fma(u, Vec3<double>{g.g_x, g.g_y, axial ? g.g_z : 1.0}, p.n), fma(u, Vec3<double>{g.l_x, g.l_y, g.l_z}, p.f)};
    double d = at<double>(k.slide0, lane);
    if constexpr (axial) d = at<double>(b.d, lane);
    p = force_along_normal(k, lane, at<double>(b.c, lane), at<double>(b.s, lane), d, p);
  }
  return p;
}

Force<double> bias_through_wide(const AssemblySolveInput& in, const RunPlan<double>& run, bool open,
                                AssemblySolveWorkspace& ws, Force<double> p, Double8& beta) {
  const WideLink<double>& link = in.plan.wide_links[run.slot];
  const AbaWidePivot<double>& w = in.factors.aba.wide[run.slot];
  const Double8* s = &in.factors.wide_s[6 * std::size_t(run.slot)];
  if (in.external) p = p - ws.wide_external[run.slot];
  const Vec3<double> moment = load3<double>(in.x + link.v);
  Vec3<double> n, f;
  if (link.kind == LinkKind::ball) {
    const Vec3<double> Du = w.D_inverse * (moment - p.n);
    ws.wide_u[run.slot] = {Du, Vec3<double>::zero()};
    beta = fma(Double8(Du.z), s[2], fma(Double8(Du.y), s[1], fma(Double8(Du.x), s[0], beta)));
    n = w.R * (p.n + w.IA.A * Du);
    f = w.R * (p.f + transpose_B(w.IA, Du));
  } else {
    const Vec3<double> force = load3<double>(in.x + link.v + 3);
    const Force<double> u{moment - p.n, transpose_times(w.R, force) - p.f};
    ws.wide_u[run.slot] = u;
    if (open) {
      const InertiaFactors<double>& factors = in.factors.factors[run.slot];
      double y[6];
      solve_forward(factors, u, y);
      for (int i = 0; i < 6; ++i) beta = fma(Double8(factors.D_inverse[i] * y[i]), s[i], beta);
    }
    n = w.R * moment;
    f = force;
  }
  return {run.E * (n + cross(w.rF, f)), run.E * f};
}

// s' F2 / D is added to the u / D of the joints, and accelerations follow by (4) of aba.h without velocities.
template <bool axial>
Motion<double> response_of_axes(const AssemblySolveInput& in, const Piece& piece, AssemblySolveWorkspace& ws, bool open,
                                const Double8& F, Motion<double> a) {
  const int head = piece.head ? piece.to : -1;
  for (int slot = piece.to; slot <= piece.from; ++slot) {
    const auto& k = in.plan.blocks[slot / joints];
    const auto& b = in.factors.aba.block[slot / joints];
    const auto& g = in.factors.aba.pivot[slot];
    const int lane = slot % joints;
    double d = at<double>(k.slide0, lane);
    if constexpr (axial) d = at<double>(b.d, lane);
    a = motion_along_normal(k, lane, slot == head, at<double>(b.c, lane), at<double>(b.s, lane), d, a);
    double u_over_D = ws.u_over_D[slot];
    if (open) u_over_D = fma(D_inverse<axial>(in.factors.aba, slot), sum6(in.factors.s[slot] * F), u_over_D);
    const double left = fnma(g.l_y, a.v.y, fnma(g.l_x, a.v.x, fnma(g.g_x, a.w.x, u_over_D)));
    const double g_z = axial ? g.g_z : 1.0;
    const double vdot = left - fma(g.l_z, a.v.z, fma(g.g_y, a.w.y, g_z * a.w.z));
    a.w.z = fma(at<double>(k.turn, lane), vdot, a.w.z);
    a.v.z = fma(at<double>(k.slide, lane), vdot, a.v.z);
    in.x[in.plan.v_of_slot[slot]] = vdot;
  }
  return a;
}

Motion<double> response_of_wide(const AssemblySolveInput& in, const RunPlan<double>& run, AssemblySolveWorkspace& ws,
                                bool open, const Double8& F, const Motion<double>& a) {
  const WideLink<double>& link = in.plan.wide_links[run.slot];
  const AbaWidePivot<double>& w = in.factors.aba.wide[run.slot];
  const Double8* s = &in.factors.wide_s[6 * std::size_t(run.slot)];
  const Force<double>& u = ws.wide_u[run.slot];
  const Motion<double> carried{transpose_times(w.R, a.w), transpose_times(w.R, a.v + cross(a.w, w.rF - run.rF))};
  if (link.kind == LinkKind::ball) {
    Vec3<double> Du = u.n;
    if (open) Du += w.D_inverse * Vec3<double>{sum6(s[0] * F), sum6(s[1] * F), sum6(s[2] * F)};
    const Vec3<double> vdot = Du - w.D_inverse * (w.IA.A * carried.w + times_B(w.IA, carried.v));
    store3(vdot, in.x + link.v);
    return {carried.w + vdot, carried.v};
  }
  Motion<double> out = linchpin::solve(w.IA, u);
  if (open) {
    const InertiaFactors<double>& factors = in.factors.factors[run.slot];
    double y[6];
    for (int i = 0; i < 6; ++i) y[i] = factors.D_inverse[i] * sum6(s[i] * F);
    solve_backward(factors, y);
    out = out + Motion<double>{{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
  }
  store3(out.w - carried.w, in.x + link.v);
  store3(w.R * (out.v - carried.v), in.x + link.v + 3);
  return out;
}

}  // namespace

void gather_bias(const AssemblySolveInput& in, int node, AssemblySolveWorkspace& ws) {
  const Node& n = in.tree.nodes()[node];
  if (!n.is_segment()) {
    join_bias(in.tree, node, in.factors.node, ws.motion);
    return;
  }
  Force<double> force = Force<double>::zero();
  Double8 beta(0.0);
  for (int p = n.first_piece; p < n.last_piece; ++p) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    for (int l = piece.first_limb; l < piece.last_limb; ++l) force += ws.motion[in.tree.limbs()[l]].p;
    if (!one_axis(run.kind)) {
      force = bias_through_wide(in, run, n.open, ws, force, beta);
      continue;
    }
    force = run.kind == LinkKind::axial ? bias_through_axes<true>(in, piece, ws, force, beta)
                                        : bias_through_axes<false>(in, piece, ws, force, beta);
    if (piece.head) force = force_through_head(run, force);
  }
  ws.motion[node].p = force;
  ws.motion[node].beta = beta;
}

void hand_out_response(const AssemblySolveInput& in, int node, AssemblySolveWorkspace& ws) {
  const Node& n = in.tree.nodes()[node];
  if (!n.is_segment()) {
    disjoin(in.tree, node, in.factors.node, ws.motion);
    return;
  }
  Motion<double> a = ws.motion[node].A;
  const Double8 F = n.open ? six(ws.motion[node].F) : Double8(0.0);
  for (int p = n.last_piece; p-- > n.first_piece;) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    if (piece.head) a = motion_to_head(run, a);
    if (!one_axis(run.kind))
      a = response_of_wide(in, run, ws, n.open, F, a);
    else
      a = run.kind == LinkKind::axial ? response_of_axes<true>(in, piece, ws, n.open, F, a)
                                      : response_of_axes<false>(in, piece, ws, n.open, F, a);
    for (int l = piece.first_limb; l < piece.last_limb; ++l) ws.motion[in.tree.limbs()[l]].A = a;
  }
}

}  // namespace linchpin
