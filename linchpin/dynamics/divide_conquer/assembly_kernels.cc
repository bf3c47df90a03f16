#include "linchpin/dynamics/divide_conquer/assembly_kernels.h"

#include "linchpin/dynamics/divide_conquer/assembly_joins.h"
#include "linchpin/dynamics/tree/aba_joint.h"
#include "linchpin/dynamics/tree/aba_wide.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {
namespace {

using Node = AssemblyTree::Node;
using Piece = AssemblyTree::Piece;
constexpr int joints = Lanes<double>::joints;

// ---- velocities -----------------------------------------------------------------------------------------------------

// Carries w outward through a piece; `to_block` leaves each link's in its block. X is one vector, or four of which the
// last one is the angular velocity and takes the joints' rates.
template <bool to_block, class X>
LINCHPIN_INLINE Vec3<X> outward_velocity(const AssemblyInput& in, const Piece& piece, AssemblyWorkspace& ws, Vec3<X> w,
                                         const X& rate) {
  const Plan<double>& plan = in.plan;
  const RunPlan<double>& run = plan.runs[piece.run];
  for (int slot = piece.to; slot <= piece.from; ++slot) {
    const auto& k = plan.blocks[slot / joints];
    auto& b = ws.aba.block[slot / joints];
    const int lane = slot % joints;
    if (slot != run.slot) w = along_normal(at<double>(k.cos_alpha, lane), at<double>(k.sin_alpha, lane), w);
    const double c = at<double>(b.c, lane), s = at<double>(b.s, lane);
    w = {fma(X(s), w.y, X(c) * w.x), fma(X(c), w.y, -(X(s) * w.x)), w.z};
    w.z = fma(X(at<double>(k.turn, lane) * in.v[plan.v_of_slot[slot]]), rate, w.z);
    if constexpr (to_block) {
      at<double>(b.w_x, lane) = w.x;
      at<double>(b.w_y, lane) = w.y;
      at<double>(b.w_z, lane) = w.z;
    }
  }
  return w;
}

void turn_of_segment(const AssemblyInput& in, const Node& node, AssemblyWorkspace& ws, Assembly& out) {
  const Double4 rate(Double4::Vector{0, 0, 0, 1});
  Vec3<Double4> w{Double4(Double4::Vector{1, 0, 0, 0}), Double4(Double4::Vector{0, 1, 0, 0}),
                  Double4(Double4::Vector{0, 0, 1, 0})};
  for (int p = node.last_piece; p-- > node.first_piece;) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    if (piece.head) w = transpose_times(run.E, w);
    if (one_axis(run.kind)) {
      w = outward_velocity<false>(in, piece, ws, w, rate);
      continue;
    }
    const WideLink<double>& link = in.plan.wide_links[run.slot];
    Mat3<double> R;
    Vec3<double> position;
    wide_pose(link, in.q, R, position);
    w = transpose_times(R, w);
    w.x = fma(Double4(in.v[link.v]), rate, w.x);
    w.y = fma(Double4(in.v[link.v + 1]), rate, w.y);
    w.z = fma(Double4(in.v[link.v + 2]), rate, w.z);
  }
  out.turn = w;
}

// (7) for lower after upper: each of its lanes is an image of what `upper` makes of the base's axes and of zero.
LINCHPIN_INLINE Double4 turn_lane(const Vec3<Double4>& upper, const Double4& lower, const Double4& rate) {
  return fma(Double4(lower[2]), upper.z,
             fma(Double4(lower[1]), upper.y, fma(Double4(lower[0]), upper.x, rate * lower[3])));
}
LINCHPIN_INLINE Vec3<double> turned(const Vec3<Double4>& turn, const Vec3<double>& w) {
  const auto along = [&](const Double4& t) { return fma(t[2], w.z, fma(t[1], w.y, fma(t[0], w.x, t[3]))); };
  return {along(turn.x), along(turn.y), along(turn.z)};
}

void velocities_of_segment(const AssemblyInput& in, const Node& node, const Assembly& here, AssemblyWorkspace& ws) {
  Vec3<double> w = here.w;
  for (int p = node.last_piece; p-- > node.first_piece;) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    if (piece.head) w = transpose_times(run.E, w);
    if (one_axis(run.kind))
      w = outward_velocity<true>(in, piece, ws, w, 1.0);
    else
      w = wide_velocity(in.plan, run, w, in.q, in.v, ws.aba.wide[run.slot]);
    for (int l = piece.first_limb; l < piece.last_limb; ++l) ws.node[in.tree.limbs()[l]].w = w;
  }
}

// ---- segments inward ------------------------------------------------------------------------------------------------

LINCHPIN_INLINE void add_link(const AssemblyInput& in, int slot, const AssemblyWorkspace& ws,
                              ArticulatedInertia<double>& x) {
  const int lane = slot % joints;
  add_own_inertia(in.plan.blocks[slot / joints], lane, x);
  x.p += own_bias<double>(ws.local[slot / joints], lane);
  if (in.external) x.p = x.p - ws.aba.external[slot];
}

// (1) to (3) of aba.h for the joints of a piece. The inertia on the world is not needed.
void inward_hinges(const AssemblyInput& in, const Piece& piece, bool on_world, AssemblyWorkspace& ws,
                   ArticulatedInertia<double>& inertia) {
  ArticulatedInertia<double> x = inertia;
  for (int slot = piece.from; slot >= piece.to; --slot) {
    add_link(in, slot, ws, x);
    const double tau = in.tau[in.plan.v_of_slot[slot]];
    const HingePivot<double> G = hinge_pivot(x, tau, ws.aba.pivot[slot]);
    if (on_world && slot == piece.to) break;
    x = past_hinge(in.plan.blocks[slot / joints], ws.aba.block[slot / joints], slot % joints, G, tau, x);
  }
  inertia = x;
}

void inward_axes(const AssemblyInput& in, const Piece& piece, bool on_world, AssemblyWorkspace& ws,
                 ArticulatedInertia<double>& inertia) {
  ArticulatedInertia<double> x = inertia;
  for (int slot = piece.from; slot >= piece.to; --slot) {
    add_link(in, slot, ws, x);
    const auto& k = in.plan.blocks[slot / joints];
    const auto& b = ws.aba.block[slot / joints];
    const int lane = slot % joints;
    through_axis(k, in.tau[in.plan.v_of_slot[slot]], b, lane, x, ws.aba.pivot[slot], ws.aba.axial_D_inverse[slot]);
    if (on_world && slot == piece.to) break;
    turn_z(joint_turn<double>(b, lane), x);
    shift_z(at<double>(b.d, lane), x);
    turn_x(tilt_turn<double>(k, lane), x);
    shift_x(at<double>(k.a, lane), x);
  }
  inertia = x;
}

ArticulatedInertia<double> inward_wide(const AssemblyInput& in, const RunPlan<double>& run, AssemblyWorkspace& ws,
                                       const ArticulatedInertia<double>& x) {
  const WideLink<double>& link = in.plan.wide_links[run.slot];
  AbaWidePivot<double>& w = ws.aba.wide[run.slot];
  if (in.external) w.p = w.p - ws.wide_external[run.slot];
  return run.kind == LinkKind::ball ? inward_ball(link, run, in.tau, x, w) : inward_free(link, run, in.tau, x, w);
}

LINCHPIN_INLINE void add_limb(int limb, const AssemblyWorkspace& ws, ArticulatedInertia<double>& x) {
  x += ws.node[limb].I;
  x.p += ws.motion[limb].p;
}

void inward_inertia(const AssemblyInput& in, const Node& node, AssemblyWorkspace& ws, Assembly& out) {
  ArticulatedInertia<double> x = ArticulatedInertia<double>::zero();
  for (int p = node.first_piece; p < node.last_piece; ++p) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    const bool on_world = piece.head && run.parent == 0;
    for (int l = piece.first_limb; l < piece.last_limb; ++l) add_limb(in.tree.limbs()[l], ws, x);
    if (run.kind == LinkKind::revolute)
      inward_hinges(in, piece, on_world, ws, x);
    else if (run.kind == LinkKind::axial)
      inward_axes(in, piece, on_world, ws, x);
    else
      x = inward_wide(in, run, ws, x);
    if (piece.head && one_axis(run.kind) && !on_world) through_head(run, x);
  }
  ws.motion[&out - ws.node.data()].p = x.p;
  out.I = x;
  out.I.p = Force<double>::zero();  // it is in motion
}

// ---- the outer end's unit forces, inward ----------------------------------------------------------------------------

struct Carried6 {
  Force<Double8> P;
  Double8 beta;
  Matrix6<double> Psi;
};

LINCHPIN_INLINE void add_outer(const Double8& s, const Double8& y, Matrix6<double>& Psi) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) Psi.row[i] = fma(Double8(s[i]), y, Psi.row[i]);
}

// (1) to (3) of compliance.h and (2) of held_rows.h, joint by joint.
template <bool axial>
void carry_through_axes(const AssemblyInput& in, const Piece& piece, AssemblyWorkspace& ws, Carried6& out) {
  Force<Double8> P = out.P;
  Double8 beta = out.beta;
  Matrix6<double> Psi = out.Psi;
  for (int slot = piece.from; slot >= piece.to; --slot) {
    const auto& b = ws.aba.block[slot / joints];
    const int lane = slot % joints;
    Double8 s;
    const Force<Double8> F = past_pivot<axial>(in.plan, ws.aba, slot, P, s);
    ws.s[slot] = s;
    const Double8 angular =
        fma(at<double>(b.c_y, lane), F.n.y, fma(at<double>(b.c_x, lane), F.n.x, ws.aba.pivot[slot].u_over_D * s));
    beta = angular + fma(at<double>(b.cl_z, lane), F.f.z,
                         fma(at<double>(b.cl_y, lane), F.f.y, fma(at<double>(b.cl_x, lane), F.f.x, beta)));
    add_outer(ws.s[slot], D_inverse<axial>(ws.aba, slot) * s, Psi);
    P = to_previous_link<axial>(in.plan, ws.aba, slot, F);
  }
  out = {P, beta, Psi};
}

LINCHPIN_INLINE Double8 power(const Force<Double8>& F, const Motion<double>& a, const Double8& sum) {
  return fma(a.v.z, F.f.z,
             fma(a.v.y, F.f.y, fma(a.v.x, F.f.x, fma(a.w.z, F.n.z, fma(a.w.y, F.n.y, fma(a.w.x, F.n.x, sum))))));
}

void carry_through_ball(const RunPlan<double>& run, AssemblyWorkspace& ws, Carried6& out) {
  const AbaWidePivot<double>& w = ws.aba.wide[run.slot];
  Double8* s = &ws.wide_s[6 * std::size_t(run.slot)];
  s[0] = out.P.n.x, s[1] = out.P.n.y, s[2] = out.P.n.z;
  Vec3<Double8> y;
  const Force<Double8> F = past_ball(w, out.P, y);
  out.beta = power(F, w.c, plus_dot(out.beta, w.u, y));
  add_outer(s[0], y.x, out.Psi);
  add_outer(s[1], y.y, out.Psi);
  add_outer(s[2], y.z, out.Psi);
  const Force<Double8> G = force_to_parent(Transform<double>{w.R, w.rF}, F);
  out.P = {run.E * G.n, run.E * G.f};
}

// The acceleration of a free link does not depend on its parent.
void carry_through_free(const RunPlan<double>& run, AssemblyWorkspace& ws, Carried6& out) {
  const AbaWidePivot<double>& w = ws.aba.wide[run.slot];
  InertiaFactors<double>& factors = ws.factors[run.slot];
  factor_inertia(w.IA, factors);
  Double8 s[6];
  solve_forward(factors, out.P, s);
  for (int i = 0; i < 6; ++i) {
    ws.wide_s[6 * std::size_t(run.slot) + std::size_t(i)] = s[i];
    add_outer(ws.wide_s[6 * std::size_t(run.slot) + std::size_t(i)], factors.D_inverse[i] * s[i], out.Psi);
  }
  out.beta = power(out.P, w.a, out.beta);
  out.P = Force<Double8>::zero();
}

void carry_unit_forces(const AssemblyInput& in, const Node& node, AssemblyWorkspace& ws, Assembly& out) {
  using V = Double8::Vector;
  Carried6 carried{{{Double8(V{1}), Double8(V{0, 1}), Double8(V{0, 0, 1})},
                    {Double8(V{0, 0, 0, 1}), Double8(V{0, 0, 0, 0, 1}), Double8(V{0, 0, 0, 0, 0, 1})}},
                   Double8(0.0),
                   {}};
  set_zero(carried.Psi);
  for (int p = node.first_piece; p < node.last_piece; ++p) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    if (run.kind == LinkKind::revolute)
      carry_through_axes<false>(in, piece, ws, carried);
    else if (run.kind == LinkKind::axial)
      carry_through_axes<true>(in, piece, ws, carried);
    else if (run.kind == LinkKind::ball)
      carry_through_ball(run, ws, carried);
    else
      carry_through_free(run, ws, carried);
    if (piece.head && one_axis(run.kind)) carried.P = force_through_head(run, carried.P);
  }
  const Force<Double8>& P = carried.P;
  out.Phi = {{P.n.x, P.n.y, P.n.z, P.f.x, P.f.y, P.f.z}};
  out.Psi = carried.Psi;
  ws.motion[&out - ws.node.data()].beta = carried.beta;
}

// ---- joins ----------------------------------------------------------------------------------------------------------

void join(const Node& node, const Assembly& upper, const Assembly& lower, Assembly& out) {
  constexpr Matrix6<double>* null = nullptr;
  out.J = parallel(matrix(lower.I), upper.Psi);
  if (!node.on_world) {  // (5)
    Matrix6<double> PhiJ, change;
    multiply<false, false, 3>(upper.Phi, out.J, null, 6, 6, PhiJ);
    multiply<false, false, 3>(PhiJ, transposed(upper.Phi), null, 6, 6, change);
    out.I = upper.I;
    add_matrix(change, out.I);
  }
  if (!node.open) return;
  Matrix6<double> PsiPhi, V, PsiV;
  multiply<false, false, 3>(upper.Psi, lower.Phi, null, 6, 6, PsiPhi);
  multiply<false, false, 3>(out.J, PsiPhi, null, 6, 6, V);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) V.row[i] = lower.Phi.row[i] - V.row[i];
  multiply<false, false, 3>(upper.Phi, V, null, 6, 6, out.Phi);
  multiply<false, false, 3>(upper.Psi, V, null, 6, 6, PsiV);
  multiply<true, false, 3>(lower.Phi, PsiV, &lower.Psi, 6, 6, out.Psi);
  mirror(out.Psi);
}

// ---- disassembly ----------------------------------------------------------------------------------------------------

// s' F2 / D is added to the u / D of the joints.
void add_outer_force(const AssemblyInput& in, const Node& node, const AssemblyMotion& here, AssemblyWorkspace& ws) {
  const Double8 F = six(here.F);
  const auto along = [&](const Double8& s) { return sum6(s * F); };
  for (int p = node.first_piece; p < node.last_piece; ++p) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    if (one_axis(run.kind)) {
      const bool axial = run.kind == LinkKind::axial;
      for (int slot = piece.from; slot >= piece.to; --slot) {
        AbaPivot<double>& pivot = ws.aba.pivot[slot];
        const double per_D = axial ? ws.aba.axial_D_inverse[slot] : pivot.hinge_D_inverse;
        pivot.u_over_D = fma(per_D, along(ws.s[slot]), pivot.u_over_D);
      }
      continue;
    }
    AbaWidePivot<double>& w = ws.aba.wide[run.slot];
    const Double8* s = &ws.wide_s[6 * std::size_t(run.slot)];
    if (run.kind == LinkKind::ball) {
      w.u += Vec3<double>{along(s[0]), along(s[1]), along(s[2])};
    } else {
      const InertiaFactors<double>& factors = ws.factors[run.slot];
      double x[6];
      for (int i = 0; i < 6; ++i) x[i] = factors.D_inverse[i] * along(s[i]);
      solve_backward(factors, x);
      w.a = w.a + Motion<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    }
  }
}

void outward_accelerations(const AssemblyInput& in, const Node& node, const Motion<double>& inner, double* vdot,
                           AssemblyWorkspace& ws) {
  Motion<double> a = inner;
  for (int p = node.last_piece; p-- > node.first_piece;) {
    const Piece& piece = in.tree.pieces()[p];
    const RunPlan<double>& run = in.plan.runs[piece.run];
    if (piece.head) a = motion_to_head(run, a);
    if (one_axis(run.kind)) {
      const bool axial = run.kind == LinkKind::axial;
      for (int slot = piece.to; slot <= piece.from; ++slot)
        vdot[in.plan.v_of_slot[slot]] = accelerate(in.plan.blocks[slot / joints], ws.aba.block[slot / joints],
                                                   ws.aba.pivot[slot], slot % joints, slot == run.slot, axial, a);
    } else {
      a = outward_wide(in.plan.wide_links[run.slot], run, ws.aba.wide[run.slot], a, vdot);
    }
    for (int l = piece.first_limb; l < piece.last_limb; ++l) ws.motion[in.tree.limbs()[l]].A = a;
  }
}

}  // namespace

void check_assembly_sizes(const Plan<double>& plan, std::span<const double> q, std::span<const double> v,
                          std::span<const double> tau, std::span<const double> f_ext, std::span<const double> vdot) {
  check_sizes(plan, q, v, tau, f_ext);
  check(vdot.size() == v.size(), "vdot has ", vdot.size(), " numbers, the model needs ", v.size());
}

void gather_forces(const Plan<double>& plan, std::span<const double> f_ext, AssemblyWorkspace& ws) {
  for (AlignedArray<Force<double>>* all : {&ws.aba.external, &ws.wide_external})
    for (Force<double>& F : *all) F = Force<double>::zero();
  each_external_force(
      plan, f_ext.data(), [&](std::size_t slot, const Force<double>& F) { ws.aba.external[slot] += F; },
      [&](std::size_t wide, const Force<double>& F) { ws.wide_external[wide] += F; });
}

void turn_joints(const AssemblyInput& in, int block, AssemblyWorkspace& ws) {
  auto& out = ws.aba.block[block];
  joint_trigonometry(in.plan.blocks[block], in.plan.layout[block].axial,
                     load_joints(in.plan, std::size_t(block), in.q, true), out.c, out.s, out.d);
}

void find_velocity_products(const AssemblyInput& in, int block, AssemblyWorkspace& ws) {
  const Double8 qdot = load_joints(in.plan, std::size_t(block), in.v, false);
  const BlockLayout& layout = in.plan.layout[block];
  const auto& k = in.plan.blocks[block];
  auto& out = ws.aba.block[block];
  auto& local = ws.local[block];
  const auto* head = layout.heads < 0 ? nullptr : &in.plan.heads[layout.heads];
  if (layout.axial)
    head ? velocity_terms<true, true>(k, head, qdot, out, local)
         : velocity_terms<true, false>(k, head, qdot, out, local);
  else
    head ? velocity_terms<false, true>(k, head, qdot, out, local)
         : velocity_terms<false, false>(k, head, qdot, out, local);
}

void find_turn(const AssemblyInput& in, int node, AssemblyWorkspace& ws) {
  const Node& n = in.tree.nodes()[node];
  if (!n.open) return;
  Assembly& out = ws.node[node];
  if (n.is_segment()) {
    turn_of_segment(in, n, ws, out);
    return;
  }
  const Vec3<Double4>&upper = ws.node[n.upper].turn, &lower = ws.node[n.lower].turn;
  const Double4 rate(Double4::Vector{0, 0, 0, 1});
  out.turn = {turn_lane(upper, lower.x, rate), turn_lane(upper, lower.y, rate), turn_lane(upper, lower.z, rate)};
}

void hand_out_velocity(const AssemblyInput& in, int node, AssemblyWorkspace& ws) {
  const Node& n = in.tree.nodes()[node];
  const Assembly& here = ws.node[node];
  if (n.is_segment()) {
    velocities_of_segment(in, n, here, ws);
  } else {
    ws.node[n.upper].w = here.w;
    ws.node[n.lower].w = turned(ws.node[n.upper].turn, here.w);
  }
}

void assemble(const AssemblyInput& in, int node, AssemblyWorkspace& ws) {
  const Node& n = in.tree.nodes()[node];
  Assembly& out = ws.node[node];
  if (!n.is_segment()) {
    join(n, ws.node[n.upper], ws.node[n.lower], out);
    join_bias(in.tree, node, ws.node, ws.motion);
    return;
  }
  inward_inertia(in, n, ws, out);
  if (n.open) carry_unit_forces(in, n, ws, out);
}

void hand_out_acceleration(const AssemblyInput& in, int node, double* vdot, AssemblyWorkspace& ws) {
  const Node& n = in.tree.nodes()[node];
  if (!n.is_segment()) {
    disjoin(in.tree, node, ws.node, ws.motion);
    return;
  }
  if (n.open) add_outer_force(in, n, ws.motion[node], ws);
  outward_accelerations(in, n, ws.motion[node].A, vdot, ws);
}

}  // namespace linchpin
