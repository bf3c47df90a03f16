#include "linchpin/dynamics/tree/rnea.h"

#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

// (1) and (2) for one joint: w and a of the previous link (for a run's first joint: of F) become those of the link.
template <bool axial, class T, class C>
LINCHPIN_INLINE void step_outward(const LinkBlock<C>& k, int lane, bool head, const Vec3<T>& r_head, const T& c,
                                  const T& s, const T& d, const T& qdot, const T& qddot, Vec3<T>& w, Motion<T>& a) {
  using S = typename Scalar<T>::Real;
  if (!head) {
    const S ca = at<S>(k.cos_alpha, lane), sa = at<S>(k.sin_alpha, lane), length = at<S>(k.a, lane);
    w = along_normal(ca, sa, w);
    a = {along_normal(ca, sa, a.w), along_normal(ca, sa, a.v)};
    // alpha x r + w x (w x r) with r = (length, 0, d)
    const Vec3<T> wr{d * w.y, fma(length, w.z, -(d * w.x)), -(length * w.y)};
    a.v.x = fma(d, a.w.y, fma(w.y, wr.z, fma(-w.z, wr.y, a.v.x)));
    a.v.y = fma(length, a.w.z, fma(-d, a.w.x, fma(w.z, wr.x, fma(-w.x, wr.z, a.v.y))));
    a.v.z = fma(-length, a.w.y, fma(w.x, wr.y, fma(-w.y, wr.x, a.v.z)));
  } else {
    const Vec3<T> r{r_head.x, r_head.y, r_head.z + d};
    a.v = a.v + cross(a.w, r) + cross(w, cross(w, r));
  }
  w = into_link(c, s, w);
  a = {into_link(c, s, a.w), into_link(c, s, a.v)};
  T turning = qdot;
  if constexpr (axial) turning = at<S>(k.turn, lane) * qdot;
  a.w.x = fma(w.y, turning, a.w.x);
  a.w.y = fma(-w.x, turning, a.w.y);
  if constexpr (axial) {
    const T sliding = at<S>(k.slide, lane) * qdot, twice = sliding + sliding;
    a.v.x = fma(w.y, twice, a.v.x);
    a.v.y = fma(-w.x, twice, a.v.y);
    a.w.z = fma(at<S>(k.turn, lane), qddot, a.w.z);
    a.v.z = fma(at<S>(k.slide, lane), qddot, a.v.z);
  } else {
    a.w.z = a.w.z + qddot;
  }
  w.z = w.z + turning;
}

template <bool axial, class T, class Real>
void outward_axes(const Plan<T>& plan, const RunPlan<Real>& run, const Real* q, const Real* v, const Real* vdot,
                  Vec3<T>& w, Motion<T>& a, RneaWorkspace<T>& ws) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  const Vec3<T> r_head{T(run.rF.x), T(run.rF.y), T(run.rF.z)};
  for (int slot = run.slot; slot < run.end; ++slot) {
    const auto& k = plan.blocks[slot / joints];
    auto& b = ws.block[slot / joints];
    const int lane = slot % joints, coordinate = plan.v_of_slot[slot] * worlds;
    one_joint_trigonometry(plan, q, slot, b);
    T d(at<Real>(k.slide0, lane));
    if constexpr (axial) d = at<T>(b.d, lane);
    step_outward<axial>(k, lane, slot == run.slot, r_head, at<T>(b.c, lane), at<T>(b.s, lane), d,
                        load<T>(v + coordinate), load<T>(vdot + coordinate), w, a);
    at<T>(b.w_x, lane) = w.x;
    at<T>(b.w_y, lane) = w.y;
    at<T>(b.w_z, lane) = w.z;
    at<T>(b.alpha_x, lane) = a.w.x;
    at<T>(b.alpha_y, lane) = a.w.y;
    at<T>(b.alpha_z, lane) = a.w.z;
    at<T>(b.a_x, lane) = a.v.x;
    at<T>(b.a_y, lane) = a.v.y;
    at<T>(b.a_z, lane) = a.v.z;
  }
}

template <class T, class Real>
void outward_motion(const Plan<T>& plan, const Real* q, const Real* v, const Real* vdot, RneaWorkspace<T>& ws) {
  constexpr int worlds = Lanes<T>::worlds;
  all_joint_trigonometry(plan, q, ws.block.data());
  ws.w[0] = Vec3<T>::zero();
  ws.a[0] = {Vec3<T>::zero(), {T(plan.upward.x), T(plan.upward.y), T(plan.upward.z)}};
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    const Motion<T>& parent = ws.a[run.parent];
    // the parent's motion in F's axes, at the parent's origin
    Vec3<T> w = transpose_times(run.E, ws.w[run.parent]);
    Motion<T> a{transpose_times(run.E, parent.w), transpose_times(run.E, parent.v)};
    if (run.kind == LinkKind::revolute) {
      outward_axes<false>(plan, run, q, v, vdot, w, a, ws);
    } else if (run.kind == LinkKind::axial) {
      outward_axes<true>(plan, run, q, v, vdot, w, a, ws);
    } else {
      const WideLink<Real>& link = plan.wide_links[run.slot];
      RneaWide<T>& b = ws.wide[run.slot];
      w = wide_velocity(plan, run, w, q, v, b);
      a = {transpose_times(b.R, a.w) + b.c.w, transpose_times(b.R, a.v + cross(a.w, b.rF)) + b.c.v};
      a.w = a.w + load3<T>(vdot + link.v * worlds);
      if (link.kind == LinkKind::free) a.v = a.v + transpose_times(b.R, load3<T>(vdot + (link.v + 3) * worlds));
      b.p = b.p + link.inertia * a;
    }
    ws.w[r] = w;
    ws.a[r] = a;
  }
}

template <class V>
struct Local {
  V n_x, n_y, n_z, f_x, f_y, f_z;
};

// (3) without external forces and children, lane by lane.
template <class C, class V>
LINCHPIN_INLINE Local<V> link_force(const LinkBlock<C>& k, const RneaBlock<V>& b) {
  const Vec3<V> w{b.w_x, b.w_y, b.w_z}, alpha{b.alpha_x, b.alpha_y, b.alpha_z}, a{b.a_x, b.a_y, b.a_z};
  const Vec3<C> h{k.h_x, k.h_y, k.h_z};
  const Sym3<C> I{k.I_xx, k.I_yy, k.I_zz, k.I_xy, k.I_xz, k.I_yz};
  const Vec3<V> n = I * alpha + cross(h, a) + cross(w, I * w);
  const Vec3<V> f = k.mass * a + cross(alpha, h) + cross(w, cross(w, h));
  return {n.x, n.y, n.z, f.x, f.y, f.z};
}

template <bool axial, class T, class Real>
Force<T> inward_axes(const Plan<T>& plan, const RunPlan<Real>& run, const Real* vdot, bool external, Force<T> F,
                     Local<typename Lanes<T>::Wide>& local, int& block, RneaWorkspace<T>& ws, Real* tau) {
  constexpr int joints = Lanes<T>::joints, worlds = Lanes<T>::worlds;
  for (int slot = run.end - 1; slot >= run.slot; --slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = ws.block[slot / joints];
    const int lane = slot % joints, coordinate = plan.v_of_slot[slot] * worlds;
    if (joints == 1 || slot / joints != block) {
      block = slot / joints;
      local = link_force(k, b);
    }
    F += Force<T>{{at<T>(local.n_x, lane), at<T>(local.n_y, lane), at<T>(local.n_z, lane)},
                  {at<T>(local.f_x, lane), at<T>(local.f_y, lane), at<T>(local.f_z, lane)}};
    if (external) F = F - ws.external[slot];
    T d(at<Real>(k.slide0, lane)), joint_force = F.n.z;  // (4)
    if constexpr (axial) {
      d = at<T>(b.d, lane);
      joint_force = fma(at<Real>(k.slide, lane), F.f.z, at<Real>(k.turn, lane) * F.n.z);
      joint_force = fma(at<Real>(k.armature, lane), load<T>(vdot + coordinate), joint_force);
    }
    store(joint_force, tau + coordinate);
    F = force_along_normal(k, lane, at<T>(b.c, lane), at<T>(b.s, lane), d, F);
  }
  return F;
}

template <class T, class Real>
void inward_forces(const Plan<T>& plan, const Real* vdot, bool external, RneaWorkspace<T>& ws, Real* tau) {
  constexpr int worlds = Lanes<T>::worlds;
  Local<typename Lanes<T>::Wide> local;
  int block = -1;
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const RunPlan<Real>& run = plan.runs[r];
    Force<T> F = run.has_children ? ws.sum[r] : Force<T>::zero();
    if (run.kind == LinkKind::revolute) {
      F = force_through_head(run, inward_axes<false>(plan, run, vdot, external, F, local, block, ws, tau));
    } else if (run.kind == LinkKind::axial) {
      F = force_through_head(run, inward_axes<true>(plan, run, vdot, external, F, local, block, ws, tau));
    } else {
      const WideLink<Real>& link = plan.wide_links[run.slot];
      const RneaWide<T>& b = ws.wide[run.slot];
      F += b.p;
      const Vec3<T> inertial = T(link.armature) * load3<T>(vdot + link.v * worlds);
      store3(F.n + inertial, tau + link.v * worlds);
      const Vec3<T> f = b.R * F.f;
      if (link.kind == LinkKind::free) store3(f, tau + (link.v + 3) * worlds);
      const Vec3<T> n = b.R * F.n + cross(b.rF, f);  // about the parent's origin, in F's axes
      F = {run.E * n, run.E * f};
    }
    Force<T>& sum = ws.sum[run.parent];
    sum = run.opens_sum ? F : sum + F;
  }
}

}  // namespace

template <class T>
RneaWorkspace<T>::RneaWorkspace(const Plan<T>& plan)
    : block(plan.blocks.size()),
      wide(plan.wide_links.size()),
      external(plan.slots),
      sum(plan.runs.size()),
      w(plan.runs.size()),
      a(plan.runs.size()) {}

template <class T>
void rnea(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
          std::span<const typename Plan<T>::Real> vdot, std::span<const typename Plan<T>::Real> f_ext,
          RneaWorkspace<T>& ws, std::span<typename Plan<T>::Real> tau) {
  check_sizes(plan, q, v, vdot, f_ext);
  check(tau.size() == v.size(), "tau has ", tau.size(), " numbers, the model needs ", v.size());
  check(ws.block.size() == plan.blocks.size() && ws.sum.size() == plan.runs.size(), "workspace of another model");
  outward_motion(plan, q.data(), v.data(), vdot.data(), ws);
  if (!f_ext.empty()) gather_external_forces(plan, f_ext.data(), ws);
  inward_forces(plan, vdot.data(), !f_ext.empty(), ws, tau.data());
}

#define LINCHPIN_INSTANTIATE(T)                                                                            \
  template struct RneaWorkspace<T>;                                                                        \
  template void rnea<T>(const Plan<T>&, std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>,    \
                        std::span<const Plan<T>::Real>, std::span<const Plan<T>::Real>, RneaWorkspace<T>&, \
                        std::span<Plan<T>::Real>);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
