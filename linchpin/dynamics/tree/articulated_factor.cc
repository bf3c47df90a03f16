#include "linchpin/dynamics/tree/articulated_factor.h"

#include <algorithm>

#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/scalars.h"
#include "linchpin/dynamics/tree/unit_forces.h"

namespace linchpin {
namespace {

// ---- factor: the inertias of aba's pass 2 ---------------------------------------------------------------------------

// A hinge: D is an entry of IA, and entries that vanish are set to zero exactly.
template <class T>
LINCHPIN_INLINE void project_hinge(ArticulatedInertia<T>& x, FactorPivot<T>& out) {
  using S = typename Scalar<T>::Real;
  out.D_inverse = S(1) / x.A.zz;
  const T gx = x.A.xz * out.D_inverse, gy = x.A.yz * out.D_inverse;
  const Vec3<T> l = out.D_inverse * x.Bz, U = x.Bz;
  out.g_x = gx;
  out.g_y = gy;
  out.g_z = T(1);
  out.l_x = l.x;
  out.l_y = l.y;
  out.l_z = l.z;
  x.A = {fnma(gx, x.A.xz, x.A.xx), fnma(gy, x.A.yz, x.A.yy), T(0), fnma(gx, x.A.yz, x.A.xy), T(0), T(0)};
  x.Bx = fma(-gx, U, x.Bx);
  x.By = fma(-gy, U, x.By);
  x.Bz = Vec3<T>::zero();
  x.C = {fnma(l.x, U.x, x.C.xx), fnma(l.y, U.y, x.C.yy), fnma(l.z, U.z, x.C.zz),
         fnma(l.x, U.y, x.C.xy), fnma(l.x, U.z, x.C.xz), fnma(l.y, U.z, x.C.yz)};
}

template <class T, class Real>
void inward_axes(const Plan<T>& plan, const RunPlan<Real>& run, ArticulatedFactor<T>& f, ArticulatedInertia<T>& x) {
  constexpr int joints = Lanes<T>::joints;
  for (int slot = run.end - 1; slot >= run.slot; --slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = f.block[slot / joints];
    const int lane = slot % joints;
    add_own_inertia(k, lane, x);
    T d(at<Real>(k.slide0, lane));
    if (run.kind == LinkKind::revolute) {
      project_hinge(x, f.pivot[slot]);
    } else {
      const AxisPivot<T> G =
          project_axis(at<Real>(k.turn, lane), at<Real>(k.slide, lane), at<Real>(k.armature, lane), x);
      f.pivot[slot] = {G.g.x, G.g.y, G.g.z, G.l.x, G.l.y, G.l.z, G.D_inverse};
      d = at<T>(b.d, lane);
    }
    turn_z(Turn<T>{at<T>(b.c, lane), at<T>(b.s, lane)}, x);
    shift_z(d, x);
    turn_x(Turn<Real>{at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane)}, x);
    shift_x(at<Real>(k.a, lane), x);
  }
  through_head(run, x);
}

// See inward_ball() and inward_free() of aba.cc.
template <class T, class Real>
void inward_wide(const WideLink<Real>& link, const RunPlan<Real>& run, const Real* q, FactorWide<T>& w,
                 ArticulatedInertia<T>& x) {
  Vec3<T> p;
  wide_pose(link, q, w.R, p);
  w.rF = p + run.rF;
  add_rigid(link.inertia.mass, link.inertia.h, link.inertia.I, x);
  w.IA = x;
  if (link.kind == LinkKind::free) {
    x = ArticulatedInertia<T>::zero();
    return;
  }
  const T armature(link.armature);
  w.D_inverse = inverse(x.A + Sym3<T>::diagonal(armature, armature, armature));
  if (run.parent != 0) x = placed(run.E * w.R, run.E * w.rF, project_ball(armature, w.D_inverse, x));
}

// ---- solve: forces inward, accelerations outward --------------------------------------------------------------------

// X is T, or several right-hand sides side by side. A hinge has g_z = 1.
template <bool axial, class T, class Factors, class X, class Real>
LINCHPIN_INLINE Force<X> axes_inward(const Plan<T>& plan, const Factors& factors, const RunPlan<Real>& run,
                                     SolveWorkspace<T, X>& ws, bool external, const Real* x, Force<X> p) {
  constexpr int joints = Lanes<T>::joints, lanes = Scalar<X>::lanes;
  for (int slot = run.end - 1; slot >= run.slot; --slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = factors.block[slot / joints];
    const auto& g = factors.pivot[slot];
    const int lane = slot % joints;
    if (external) p = p - ws.external[slot];
    const X tau = load<X>(x + plan.v_of_slot[slot] * lanes);
    const X u = tau - fma(at<Real>(k.slide, lane), p.f.z, at<Real>(k.turn, lane) * p.n.z);
    ws.u[slot] = D_inverse<axial>(factors, slot) * u;
    p = {fma(u, Vec3<T>{g.g_x, g.g_y, axial ? g.g_z : T(1)}, p.n), fma(u, Vec3<T>{g.l_x, g.l_y, g.l_z}, p.f)};
    T d(at<Real>(k.slide0, lane));
    if constexpr (axial) d = at<T>(b.d, lane);
    p = force_along_normal(k, lane, X(at<T>(b.c, lane)), X(at<T>(b.s, lane)), X(d), p);
  }
  return force_through_head(run, p);
}

template <class T, class Factors, class X, class Real>
void solve_inward(const Plan<T>& plan, const Factors& factors, SolveWorkspace<T, X>& ws, bool external, const Real* x) {
  constexpr int lanes = Scalar<X>::lanes;
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const RunPlan<Real>& run = plan.runs[r];
    Force<X> p = run.has_children ? ws.sum[r] : Force<X>::zero();
    if (run.kind == LinkKind::revolute) {
      p = axes_inward<false>(plan, factors, run, ws, external, x, p);
    } else if (run.kind == LinkKind::axial) {
      p = axes_inward<true>(plan, factors, run, ws, external, x, p);
    } else {
      const WideLink<Real>& link = plan.wide_links[run.slot];
      const auto& w = factors.wide[run.slot];
      if (external) p = p - ws.wide_external[run.slot];
      const Vec3<X> moment = load3<X>(x + link.v * lanes);
      Vec3<X> n, f;  // the force on the parent, in the link's axes
      if (link.kind == LinkKind::ball) {
        const Vec3<X> u = moment - p.n, Du = w.D_inverse * u;
        ws.wide_u[run.slot] = {Du, Vec3<X>::zero()};
        n = p.n + w.IA.A * Du;
        f = p.f + fma(Du.z, w.IA.Bz, fma(Du.y, w.IA.By, Du.x * w.IA.Bx));
        f = w.R * f;
      } else {
        const Vec3<X> force = load3<X>(x + (link.v + 3) * lanes);
        ws.wide_u[run.slot] = {moment - p.n, transpose_times(w.R, force) - p.f};
        n = moment;
        f = force;
      }
      p = {run.E * (w.R * n + cross(w.rF, f)), run.E * f};
    }
    Force<X>& sum = ws.sum[run.parent];
    sum = run.opens_sum ? p : sum + p;
  }
}

template <bool axial, class T, class Factors, class X, class Real>
LINCHPIN_INLINE Motion<X> axes_outward(const Plan<T>& plan, const Factors& factors, const RunPlan<Real>& run,
                                       SolveWorkspace<T, X>& ws, Real* x, Motion<X> a) {
  constexpr int joints = Lanes<T>::joints, lanes = Scalar<X>::lanes;
  for (int slot = run.slot; slot < run.end; ++slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = factors.block[slot / joints];
    const auto& g = factors.pivot[slot];
    const int lane = slot % joints;
    T d(at<Real>(k.slide0, lane));
    if constexpr (axial) d = at<T>(b.d, lane);
    a = motion_along_normal(k, lane, slot == run.slot, X(at<T>(b.c, lane)), X(at<T>(b.s, lane)), X(d), a);
    const X left = fnma(g.l_y, a.v.y, fnma(g.l_x, a.v.x, fnma(g.g_x, a.w.x, ws.u[slot])));
    const T g_z = axial ? g.g_z : T(1);
    const X vdot = left - fma(g.l_z, a.v.z, fma(g.g_y, a.w.y, g_z * a.w.z));
    a.w.z = fma(at<Real>(k.turn, lane), vdot, a.w.z);
    a.v.z = fma(at<Real>(k.slide, lane), vdot, a.v.z);
    store(vdot, x + plan.v_of_slot[slot] * lanes);
  }
  return a;
}

template <class T, class Factors, class X, class Real>
void solve_outward(const Plan<T>& plan, const Factors& factors, SolveWorkspace<T, X>& ws, Real* x) {
  constexpr int lanes = Scalar<X>::lanes;
  ws.a[0] = Motion<X>::zero();
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    Motion<X> a = motion_to_head(run, ws.a[run.parent]);
    if (run.kind == LinkKind::revolute) {
      a = axes_outward<false>(plan, factors, run, ws, x, a);
    } else if (run.kind == LinkKind::axial) {
      a = axes_outward<true>(plan, factors, run, ws, x, a);
    } else {
      const WideLink<Real>& link = plan.wide_links[run.slot];
      const auto& w = factors.wide[run.slot];
      const Force<X>& u = ws.wide_u[run.slot];
      const Vec3<T> offset = w.rF - run.rF;
      const Motion<X> carried{transpose_times(w.R, a.w), transpose_times(w.R, a.v + cross(a.w, offset))};
      if (link.kind == LinkKind::ball) {
        const Vec3<X> Ba{dot(w.IA.Bx, carried.v), dot(w.IA.By, carried.v), dot(w.IA.Bz, carried.v)};
        const Vec3<X> vdot = u.n - w.D_inverse * (w.IA.A * carried.w + Ba);
        store3(vdot, x + link.v * lanes);
        a = {carried.w + vdot, carried.v};
      } else {
        a = solve(w.IA, u);
        store3(a.w - carried.w, x + link.v * lanes);
        store3(w.R * (a.v - carried.v), x + (link.v + 3) * lanes);
      }
    }
    ws.a[r] = a;
  }
}

template <class T>
void check_solve(const Plan<T>& plan, const SolveWorkspace<T>& ws, std::size_t numbers) {
  const std::size_t needed = std::size_t(plan.nv) * std::size_t(Lanes<T>::worlds);
  check(numbers == needed, "x has ", numbers, " numbers, the model needs ", needed);
  check(ws.u.size() == std::size_t(plan.slots) && ws.sum.size() == plan.runs.size(), "workspace of another model");
}

template <class T, class Factors>
void solve_on_links(const Plan<T>& plan, const Factors& factors, SolveWorkspace<T>& ws,
                    std::span<typename Plan<T>::Real> x, std::span<const Force<T>> on_link) {
  check_solve(plan, ws, x.size());
  const std::size_t links = plan.link_of_slot.size() + plan.link_of_wide.size() + 1;
  check(on_link.empty() || on_link.size() == links, "forces on ", on_link.size(), " links, the model has ", links);
  if (!on_link.empty()) {
    for (std::size_t slot = 0; slot < std::size_t(plan.slots); ++slot)
      ws.external[slot] = on_link[plan.link_of_slot[slot]];
    for (std::size_t w = 0; w < plan.wide_links.size(); ++w) ws.wide_external[w] = on_link[plan.link_of_wide[w]];
  }
  solve_inward(plan, factors, ws, !on_link.empty(), x.data());
  solve_outward(plan, factors, ws, x.data());
}

}  // namespace

template <class T>
ArticulatedFactor<T>::ArticulatedFactor(const Plan<T>& plan)
    : block(plan.blocks.size()), pivot(plan.slots), wide(plan.wide_links.size()), sum(plan.runs.size()) {}

template <class T, class X>
SolveWorkspace<T, X>::SolveWorkspace(const Plan<T>& plan)
    : u(plan.slots),
      wide_u(plan.wide_links.size()),
      sum(plan.runs.size()),
      a(plan.runs.size()),
      columns(plan.nv),
      external(plan.slots),
      wide_external(plan.wide_links.size()) {}

template <class T>
void factor(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, ArticulatedFactor<T>& f) {
  const std::size_t needed = std::size_t(plan.nq) * std::size_t(Lanes<T>::worlds);
  check(q.size() == needed, "q has ", q.size(), " numbers, the model needs ", needed);
  check(f.block.size() == plan.blocks.size() && f.sum.size() == plan.runs.size(), "factors of another model");
  all_joint_trigonometry(plan, q.data(), f.block.data());
  for (int slot = 0; slot < plan.slots; ++slot)
    one_joint_trigonometry(plan, q.data(), slot, f.block[slot / Lanes<T>::joints]);
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const auto& run = plan.runs[r];
    ArticulatedInertia<T> x = run.has_children ? f.sum[r] : ArticulatedInertia<T>::zero();
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial)
      inward_axes(plan, run, f, x);
    else
      inward_wide(plan.wide_links[run.slot], run, q.data(), f.wide[run.slot], x);
    hand_over(run, x, f.sum[run.parent]);
  }
}

template <class T, class X>
void solve(const Plan<T>& plan, const ArticulatedFactor<T>& factors, SolveWorkspace<T, X>& ws,
           std::span<typename Plan<T>::Real> x) {
  const std::size_t needed = std::size_t(plan.nv) * std::size_t(Scalar<X>::lanes);
  check(x.size() == needed, "x has ", x.size(), " numbers, the model needs ", needed);
  check(ws.u.size() == std::size_t(plan.slots) && ws.sum.size() == plan.runs.size(), "workspace of another model");
  solve_inward(plan, factors, ws, false, x.data());
  solve_outward(plan, factors, ws, x.data());
}

template <class T>
void solve(const Plan<T>& plan, const ArticulatedFactor<T>& factors, SolveWorkspace<T>& ws,
           std::span<typename Plan<T>::Real> x, std::span<const typename Plan<T>::Real> f) {
  const std::size_t forces = 6 * std::size_t(Lanes<T>::worlds) * std::size_t(plan.bodies);
  check_solve(plan, ws, x.size());
  check(f.size() == forces, "f has ", f.size(), " numbers, the model needs ", forces);
  for (AlignedArray<Force<T>>* all : {&ws.external, &ws.wide_external})
    for (Force<T>& F : *all) F = Force<T>::zero();
  each_external_force(
      plan, f.data(), [&](std::size_t slot, const Force<T>& F) { ws.external[slot] += F; },
      [&](std::size_t wide, const Force<T>& F) { ws.wide_external[wide] += F; });
  solve_inward(plan, factors, ws, true, x.data());
  solve_outward(plan, factors, ws, x.data());
}

template <class T>
void solve(const Plan<T>& plan, const ArticulatedFactor<T>& factors, SolveWorkspace<T>& ws,
           std::span<typename Plan<T>::Real> x, std::span<const Force<T>> on_link) {
  solve_on_links(plan, factors, ws, x, on_link);
}

template <class T>
void solve(const Plan<T>& plan, AbaWorkspace<T>& factors, SolveWorkspace<T>& ws, std::span<typename Plan<T>::Real> x,
           std::span<const Force<T>> on_link) {
  spread_limb_factors(plan, factors);
  solve_on_links(plan, factors, ws, x, on_link);
}

#ifndef LINCHPIN_APART  // no template: defined in the room's own library only (LANES in CMakeLists.txt)
void inverse_mass_matrix(const Plan<double>& plan, const ArticulatedFactor<double>& factors,
                         SolveWorkspace<double, Double8>& ws, std::span<double> inverse) {
  const int n = plan.nv;
  check(inverse.size() == std::size_t(n) * std::size_t(n), "inverse has ", inverse.size(), " numbers, the model needs ",
        std::size_t(n) * std::size_t(n));
  for (int first = 0; first < n; first += 8) {
    for (Double8& e : ws.columns) e = Double8(0.0);
    const int count = std::min(8, n - first);
    for (int k = 0; k < count; ++k) ws.columns[first + k].numbers()[k] = 1;
    solve<double, Double8>(plan, factors, ws, {ws.columns.data()->numbers(), 8 * std::size_t(n)});
    for (int row = 0; row < n; ++row)
      ws.columns[row].store_first(&inverse[std::size_t(row) * std::size_t(n) + std::size_t(first)], count);
  }
}
#endif

#define LINCHPIN_INSTANTIATE(T)                                                                                     \
  template struct ArticulatedFactor<T>;                                                                             \
  template struct SolveWorkspace<T, T>;                                                                             \
  template void factor<T>(const Plan<T>&, std::span<const Plan<T>::Real>, ArticulatedFactor<T>&);                   \
  template void solve<T, T>(const Plan<T>&, const ArticulatedFactor<T>&, SolveWorkspace<T, T>&,                     \
                            std::span<Plan<T>::Real>);                                                              \
  template void solve<T>(const Plan<T>&, const ArticulatedFactor<T>&, SolveWorkspace<T>&, std::span<Plan<T>::Real>, \
                         std::span<const Plan<T>::Real>);                                                           \
  template void solve<T>(const Plan<T>&, const ArticulatedFactor<T>&, SolveWorkspace<T>&, std::span<Plan<T>::Real>, \
                         std::span<const Force<T>>);                                                                \
  template void solve<T>(const Plan<T>&, AbaWorkspace<T>&, SolveWorkspace<T>&, std::span<Plan<T>::Real>,            \
                         std::span<const Force<T>>);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE
#ifndef LINCHPIN_APART
template struct SolveWorkspace<double, Double8>;
template void solve<double, Double8>(const Plan<double>&, const ArticulatedFactor<double>&,
                                     SolveWorkspace<double, Double8>&, std::span<double>);
#endif

}  // namespace linchpin
