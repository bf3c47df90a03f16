#include "linchpin/dynamics/tree/mass_matrix.h"

#include <algorithm>

#include "linchpin/dynamics/tree/mass_matrix_limbs.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

template <class T, class Real>
void trigonometry(const Plan<T>& plan, const Real* q, CrbaWorkspace<T>& ws) {
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    typename Lanes<T>::Wide q_b;
    if constexpr (Lanes<T>::joints > 1)
      q_b = load_joints(plan, b, q, true);
    else
      q_b = load<T>(q + plan.q_of_slot[b] * Lanes<T>::worlds);
    joint_trigonometry(plan.blocks[b], plan.layout[b].axial, q_b, ws.c[b], ws.s[b], ws.d[b]);
  }
}

// ---- inward: composite inertias in link frames, momentum of every axis ----------------------------------------------

template <class T, class Real>
void inward_axes(const Plan<T>& plan, const RunPlan<Real>& run, CrbaWorkspace<T>& ws, CompositeInertia<T>& x) {
  constexpr int joints = Lanes<T>::joints;
  const bool axial = run.kind == LinkKind::axial;
  const int on_world = run.parent == 0 ? run.slot : -1;
  for (int slot = run.end - 1; slot >= run.slot; --slot) {
    const auto& k = plan.blocks[slot / joints];
    const int lane = slot % joints;
    add_own_inertia(k, lane, x);
    Force<T>& momentum = ws.momentum[plan.v_of_slot[slot]];
    T d(at<Real>(k.slide0, lane));
    if (axial) {  // Ic (turn z, slide z)
      const Real turn = at<Real>(k.turn, lane), slide = at<Real>(k.slide, lane);
      momentum = {{fma(slide, x.h.y, turn * x.I.xz), fma(-slide, x.h.x, turn * x.I.yz), turn * x.I.zz},
                  {-(turn * x.h.y), turn * x.h.x, slide * x.mass}};
      d = number<T>(ws.d, slot);
    } else {
      copy(hinge_momentum(x), momentum);
    }
    if (slot == on_world) return;
    to_previous_link(k, lane, number<T>(ws.c, slot), number<T>(ws.s, slot), d, x);
  }
  if (run.head == Head::screwed)
    through_screwed_head(run, x);
  else if (run.head == Head::general)
    through_general_head(run, x);
}

// Ic s of a ball or free link, in the link's axes. F: those of its joint's frame.
template <class T>
LINCHPIN_INLINE void wide_momenta(bool free, const Mat3<T>& F, const CompositeInertia<T>& x, Force<T>* momentum) {
  const T zero(0);
  momentum[0] = {{x.I.xx, x.I.xy, x.I.xz}, {zero, -x.h.z, x.h.y}};  // Ic (e, 0) = (Ic e, e x h)
  momentum[1] = {{x.I.xy, x.I.yy, x.I.yz}, {x.h.z, zero, -x.h.x}};
  momentum[2] = {{x.I.xz, x.I.yz, x.I.zz}, {-x.h.y, x.h.x, zero}};
  if (!free) return;
  momentum[3] = {cross(x.h, F.x), x.mass * F.x};  // Ic (0, e) = (h x e, mass e)
  momentum[4] = {cross(x.h, F.y), x.mass * F.y};
  momentum[5] = {cross(x.h, F.z), x.mass * F.z};
}

// Rows of a ball or free link on the world, which is the reference frame of its tree: the first axes are (e, 0), and
// those of a free link (0, F's axes).
template <class T>
LINCHPIN_INLINE void write_root_rows(bool free, const Mat3<T>& F, const Force<T>* momentum, const T& armature, T* row) {
  const int count = free ? 6 : 3;
#pragma GCC unroll 6
  for (int i = 0; i < count; ++i) {
    const Force<T>& P = momentum[i];
    const T entries[6] = {P.n.x, P.n.y, P.n.z, dot(F.x, P.f), dot(F.y, P.f), dot(F.z, P.f)};
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) row[j] = entries[j];
    row[i] = entries[i] + armature;
    row += i + 1;
  }
}

template <class T, class Real>
void inward_wide(const WideLink<Real>& link, const MassMatrixLayout& layout, const RunPlan<Real>& run, const Real* q,
                 CrbaWorkspace<T>& ws, MassMatrix<T>& M, CompositeInertia<T>& x) {
  x.mass = x.mass + link.inertia.mass;
  x.h += link.inertia.h;
  x.I += link.inertia.I;
  Transform<T>& X = ws.wide[run.slot];
  wide_pose(link, q, X.R, X.p);
  const bool free = link.kind == LinkKind::free, root = run.parent == 0;
  const Mat3<T> F = transpose(X.R);  // F's axes in the link's axes
  if (root) {
    Force<T> momentum[6];
    wide_momenta(free, F, x, momentum);
    write_root_rows(free, F, momentum, T(link.armature), M.entries.data() + layout.row[std::size_t(link.v)]);
  } else {
    wide_momenta(free, F, x, &ws.momentum[std::size_t(link.v)]);
    composite_place<T>(run.E * X.R, run.E * (X.p + run.rF), x);
  }
}

template <class T, class Real>
void inward_run(const Plan<T>& plan, const MassMatrixLayout& layout, int r, const Real* q, CrbaWorkspace<T>& ws,
                MassMatrix<T>& M) {
  const RunPlan<Real>& run = plan.runs[r];
  CompositeInertia<T> x = carried_by(plan, run, ws);
  if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial)
    inward_axes(plan, run, ws, x);
  else
    inward_wide(plan.wide_links[run.slot], layout, run, q, ws, M, x);
  if (run.parent != 0) copy(x, ws.carried[r]);
}

// ---- outward: axes in the tree's frame, rows of M -------------------------------------------------------------------

// (1): one row, with all axes on the path to the base.
template <class T>
LINCHPIN_INLINE void write_row(const Axes<T>* axes, int depth, const Force<T>& F, T* row, const T* end) {
  using V = typename Lanes<T>::Wide;
  const Force<V> momentum{{V(F.n.x), V(F.n.y), V(F.n.z)}, {V(F.f.x), V(F.f.y), V(F.f.z)}};
  constexpr int width = Lanes<T>::joints;
  int j = 0;
  for (; j + width <= depth + 1; j += width) store_whole(entry(*axes++, momentum), row + j);
  if (j <= depth) store_within(entry(*axes, momentum), row + j, depth + 1 - j, end);
}

// Axes and momenta of a one-axis run; X is the pose of F and becomes that of the last link.
template <class T, class Real>
void outward_axes(const Plan<T>& plan, unsigned depth, const RunPlan<Real>& run, Axes<T>* path, CrbaWorkspace<T>& ws,
                  Transform<T>& X) {
  constexpr int joints = Lanes<T>::joints;
  const bool axial = run.kind == LinkKind::axial;
  for (int slot = run.slot; slot < run.end; ++slot, ++depth) {
    const auto& k = plan.blocks[slot / joints];
    const int lane = slot % joints;
    if (run.parent != 0 || slot != run.slot)  // a tree's first link is its reference frame
      along_axis(k, lane, slot == run.slot, axial, number<T>(ws.c, slot), number<T>(ws.s, slot), number<T>(ws.d, slot),
                 X);
    Force<T>& momentum = ws.momentum[plan.v_of_slot[slot]];
    if (axial) {
      const Motion<T> axis{at<Real>(k.turn, lane) * X.R.z, at<Real>(k.slide, lane) * X.R.z};
      put_axis(at_reference_point(X.p, axis), depth, path);
      copy(at_reference_point(X.p, Force<T>{X.R * momentum.n, X.R * momentum.f}), momentum);
    } else {
      put_axis(hinge_axis(X), depth, path);
      copy(turned_hinge_momentum(X, momentum), momentum);
    }
  }
}

template <class T, class Real>
void outward_wide(const WideLink<Real>& link, unsigned depth, const RunPlan<Real>& run, Axes<T>* path,
                  CrbaWorkspace<T>& ws, Transform<T>& X) {
  const Transform<T>& joint = ws.wide[run.slot];
  const bool free = link.kind == LinkKind::free;
  const Vec3<T> zero = Vec3<T>::zero();
  if (run.parent == 0) {  // the link itself is the reference frame, and its rows are there already
    const Mat3<T> e = Mat3<T>::identity(), F = transpose(joint.R);
    const Vec3<T>*angular = &e.x, *linear = &F.x;
    for (unsigned i = 0; i < 3; ++i) put_axis(Motion<T>{angular[i], zero}, depth + i, path);
    for (unsigned i = 0; free && i < 3; ++i) put_axis(Motion<T>{zero, linear[i]}, depth + 3 + i, path);
    return;
  }
  const Mat3<T> F = X.R;
  X = X * joint;
  Force<T>* momentum = &ws.momentum[std::size_t(link.v)];
  const auto add = [&](const Motion<T>& axis) __attribute__((always_inline)) {
    put_axis(at_reference_point(X.p, axis), depth++, path);
    copy(at_reference_point(X.p, Force<T>{X.R * momentum->n, X.R * momentum->f}), *momentum);
    ++momentum;
  };
  add({X.R.x, zero});
  add({X.R.y, zero});
  add({X.R.z, zero});
  if (!free) return;
  add({zero, F.x});
  add({zero, F.y});
  add({zero, F.z});
}

// Rows of the coordinates [v, v_end) of a run. They are written after all its axes: a register that is read soon after
// its numbers were stored one by one has to wait for them.
template <class T, class Real>
void write_rows(const Plan<T>& plan, const MassMatrixLayout& layout, const RunPlan<Real>& run, int v, int v_end,
                const Axes<T>* path, const CrbaWorkspace<T>& ws, MassMatrix<T>& M) {
  constexpr int joints = Lanes<T>::joints;
  int depth = layout.depth[v];
  T* row = M.entries.data() + layout.row[v];
  const T* const end = M.entries.data() + layout.row[v_end - 1] + layout.depth[v_end - 1] + 1;
  for (int i = v; i < v_end; ++i, ++depth) {
    write_row(path, depth, ws.momentum[i], row, end);
    if (run.kind == LinkKind::axial) {
      const int slot = run.slot + i - v;
      row[depth] += at<Real>(plan.blocks[slot / joints].armature, slot % joints);
    } else if (run.kind == LinkKind::ball || run.kind == LinkKind::free) {
      row[depth] += plan.wide_links[run.slot].armature;
    }
    row += depth + 1;
  }
}

template <class T, class Real>
void outward_run(const Plan<T>& plan, const MassMatrixLayout& layout, int r, CrbaWorkspace<T>& ws, MassMatrix<T>& M) {
  const RunPlan<Real>& run = plan.runs[r];
  Axes<T>* const path = path_of(plan, r, ws);
  copy_path(plan, r, ws);
  const unsigned before = unsigned(plan.crba_order.path[r].before);
  Transform<T> X = Transform<T>::identity();
  if (run.parent != 0) X = pose_of_head(run, ws.X[run.parent]);
  if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial) {
    outward_axes(plan, before, run, path, ws, X);
    const int v = plan.v_of_slot[run.slot];
    write_rows(plan, layout, run, v, v + run.end - run.slot, path, ws, M);
  } else {
    const WideLink<Real>& link = plan.wide_links[run.slot];
    outward_wide(link, before, run, path, ws, X);
    if (run.parent != 0)
      write_rows(plan, layout, run, link.v, link.v + (link.kind == LinkKind::free ? 6 : 3), path, ws, M);
  }
  copy(X, ws.X[r]);
}

template <class T, class Real>
void inward(const Plan<T>& plan, const MassMatrixLayout& layout, const Real* q, CrbaWorkspace<T>& ws,
            MassMatrix<T>& M) {
  for (const CrbaOrder::Step& step : plan.crba_order.inward) {
    if constexpr (has_limbs<T>)
      if (step.limbs >= 0) {
        inward_limbs(plan, plan.crba_order.limbs[step.limbs], ws, ws.limb_carried[step.limbs]);
        continue;
      }
    inward_run(plan, layout, step.run, q, ws, M);
  }
}
template <class T>
void outward(const Plan<T>& plan, const MassMatrixLayout& layout, CrbaWorkspace<T>& ws, MassMatrix<T>& M) {
  using Real = typename Plan<T>::Real;
  for (std::size_t i = plan.crba_order.inward.size(); i-- > 0;) {
    const CrbaOrder::Step& step = plan.crba_order.inward[i];
    if constexpr (has_limbs<T>)
      if (step.limbs >= 0) {
        outward_limbs(plan, layout, plan.crba_order.limbs[step.limbs], ws, M);
        continue;
      }
    outward_run<T, Real>(plan, layout, step.run, ws, M);
  }
}

// Room for the rows of lanes beyond a tip, written one after another.
std::size_t unused_numbers(const CrbaOrder& order) {
  int longest = 0;
  for (const Limbs& limbs : order.limbs) longest = std::max(longest, limbs.length);
  return std::size_t(longest * (longest + 1) / 2 + longest + Limbs::most);
}

// ---- L' D L ---------------------------------------------------------------------------------------------------------

// target[0..n) -= sum over b of multiple[b] source[b][0..n)
template <int count, class T>
LINCHPIN_INLINE void subtract_rows(const T* multiple, const T* const* source, int n, T* target) {
  if constexpr (Lanes<T>::joints > 1) {
    using V = typename Lanes<T>::Wide;
    constexpr int width = Lanes<T>::joints;
    int j = 0;
    for (; j + width <= n; j += width) {
      V x = V::load(target + j);
      for (int b = 0; b < count; ++b) x = fma(V(-multiple[b]), V::load(source[b] + j), x);
      x.store(target + j);
    }
    if (j < n) {  // the numbers beyond belong to other rows and keep their values
      V x = V::load(target + j);
      for (int b = 0; b < count; ++b) x = fma(V(-multiple[b]), V::load(source[b] + j), x);
      x.store_first(target + j, n - j);
    }
  } else {
    for (int j = 0; j < n; ++j)
      for (int b = 0; b < count; ++b) target[j] = fnma(multiple[b], source[b][j], target[j]);
  }
}

// Eliminates `count` pivots k, k-1, ... that are successive on the path to the base: first among themselves, then
// together from every row closer to the base, which is then read and written once instead of `count` times.
template <int count, class T>
void eliminate(const MassMatrixLayout& layout, int k, MassMatrix<T>& M) {
  using S = typename Scalar<T>::Real;
  T* source[count];
  T inverse[count];
  for (int b = 0; b < count; ++b) {
    source[b] = M.entries.data() + layout.row[k - b];
    const int depth = layout.depth[k - b];
    inverse[b] = S(1) / source[b][depth];
    for (int i = b + 1; i < count; ++i) {
      const int reach = layout.depth[k - i];
      const T multiple = source[b][reach] * inverse[b];
      subtract_rows<1>(&multiple, &source[b], reach + 1, M.entries.data() + layout.row[k - i]);
      source[b][reach] = multiple;
    }
  }
  for (int i = layout.parent[k - count + 1]; i >= 0; i = layout.parent[i]) {
    const int reach = layout.depth[i];
    T multiple[count];
    for (int b = 0; b < count; ++b) multiple[b] = source[b][reach] * inverse[b];
    subtract_rows<count>(multiple, source, reach + 1, M.entries.data() + layout.row[i]);
    for (int b = 0; b < count; ++b) source[b][reach] = multiple[b];
  }
}

}  // namespace

template <class T>
MassMatrix<T>::MassMatrix(const MassMatrixLayout& layout) : entries(layout.size + std::size_t(Lanes<T>::joints)) {}

template <class T>
CrbaWorkspace<T>::CrbaWorkspace(const Plan<T>& plan, const MassMatrixLayout& layout)
    : c(plan.blocks.size()),
      s(plan.blocks.size()),
      d(plan.blocks.size()),
      wide(plan.wide_links.size()),
      momentum(plan.nv),
      carried(plan.runs.size()),
      X(plan.runs.size()),
      path(plan.crba_order.path_size),
      limb_turn(plan.crba_order.positions),
      limb_momentum(plan.crba_order.positions),
      limb_axis(plan.crba_order.positions + Limbs::most - 1),
      limb_carried(plan.crba_order.limbs.size()),
      unused(unused_numbers(plan.crba_order)) {
  check(layout.nv == plan.nv, "layout of another model: ", layout.nv, " coordinates, the plan has ", plan.nv);
}

template <class T>
void crba(const Plan<T>& plan, const MassMatrixLayout& layout, std::span<const typename Plan<T>::Real> q,
          CrbaWorkspace<T>& ws, MassMatrix<T>& M) {
  const std::size_t needed = std::size_t(plan.nq) * std::size_t(Lanes<T>::worlds);
  check(q.size() == needed, "q has ", q.size(), " numbers, the model needs ", needed);
  check(layout.nv == plan.nv, "layout of another model: ", layout.nv, " coordinates, the plan has ", plan.nv);
  check(ws.c.size() == plan.blocks.size() && ws.carried.size() == plan.runs.size(), "workspace of another model");
  check(M.entries.size() == layout.size + std::size_t(Lanes<T>::joints), "mass matrix of another model");
  trigonometry(plan, q.data(), ws);
  inward(plan, layout, q.data(), ws, M);
  outward(plan, layout, ws, M);
}

template <class T>
void factor(const MassMatrixLayout& layout, MassMatrix<T>& M) {
  check(M.entries.size() == layout.size + std::size_t(Lanes<T>::joints), "mass matrix of another model");
  for (int k = layout.nv - 1; k >= 0;) {
    int serial = 1;
    while (serial < 8 && k >= serial && layout.parent[k - serial + 1] == k - serial) ++serial;
    if (serial == 8 && layout.depth[k] > 64) {  // rows closer to the base no longer fit the nearest cache
      eliminate<8>(layout, k, M);
      k -= 8;
    } else if (serial >= 4) {
      eliminate<4>(layout, k, M);
      k -= 4;
    } else {
      eliminate<1>(layout, k, M);
      k -= 1;
    }
  }
}

template <class T>
void solve(const MassMatrixLayout& layout, const MassMatrix<T>& factors, std::span<typename Scalar<T>::Real> x) {
  using S = typename Scalar<T>::Real;
  constexpr int n = Scalar<T>::lanes;
  const std::size_t needed = std::size_t(layout.nv) * std::size_t(n);
  check(x.size() == needed, "x has ", x.size(), " numbers, the model needs ", needed);
  S* out = x.data();
  for (int k = layout.nv - 1; k >= 0; --k) {  // x <- L'^-1 x
    const T* row = factors.entries.data() + layout.row[k];
    const T xk = load<T>(out + k * n);
    int e = layout.depth[k] - 1;
    for (int i = layout.parent[k]; i >= 0; i = layout.parent[i], --e)
      store(fnma(row[e], xk, load<T>(out + i * n)), out + i * n);
  }
  for (int k = 0; k < layout.nv; ++k) {  // x <- L^-1 D^-1 x
    const T* row = factors.entries.data() + layout.row[k];
    int e = layout.depth[k];
    T xk = load<T>(out + k * n) / row[e--];
    for (int i = layout.parent[k]; i >= 0; i = layout.parent[i], --e) xk = fnma(row[e], load<T>(out + i * n), xk);
    store(xk, out + k * n);
  }
}

#define LINCHPIN_INSTANTIATE(T)                                                                                     \
  template struct MassMatrix<T>;                                                                                    \
  template struct CrbaWorkspace<T>;                                                                                 \
  template void crba<T>(const Plan<T>&, const MassMatrixLayout&, std::span<const Plan<T>::Real>, CrbaWorkspace<T>&, \
                        MassMatrix<T>&);                                                                            \
  template void factor<T>(const MassMatrixLayout&, MassMatrix<T>&);                                                 \
  template void solve<T>(const MassMatrixLayout&, const MassMatrix<T>&, std::span<Plan<T>::Real>);
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
