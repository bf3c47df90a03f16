#include "linchpin/dynamics/tree/mass_matrix.h"

#include <algorithm>

#include "linchpin/dynamics/tree/joint_motion.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

// ---- inward: composite inertias in link frames, momentum of every axis ----------------------------------------------

template <class T>
using Composite = typename CrbaWorkspace<T>::Composite;

// Moves the origin back by r = (0, 0, d): I += 2 (r.h) 1 - r h' - h r' + mass (r.r 1 - r r').
template <class T, class D, class X>
LINCHPIN_INLINE void composite_shift_z(const D& d, X& x) {
  const T both = d * fma(x.mass, d, x.h.z + x.h.z);
  x.I.xx += both;
  x.I.yy += both;
  x.I.xz = fma(-d, x.h.x, x.I.xz);
  x.I.yz = fma(-d, x.h.y, x.I.yz);
  x.h.z = fma(x.mass, d, x.h.z);
}
template <class T, class D, class X>
LINCHPIN_INLINE void composite_shift_x(const D& a, X& x) {
  const T both = a * fma(x.mass, a, x.h.x + x.h.x);
  x.I.yy += both;
  x.I.zz += both;
  x.I.xy = fma(-a, x.h.y, x.I.xy);
  x.I.xz = fma(-a, x.h.z, x.I.xz);
  x.h.x = fma(x.mass, a, x.h.x);
}
template <class T, class R, class X>
LINCHPIN_INLINE void composite_turn_z(const R& c, const R& s, X& x) {
  turn_symmetric(Turn<R>{c, s}, x.I.xx, x.I.xy, x.I.yy);
  turn_pair(c, s, x.I.xz, x.I.yz);
  turn_pair(c, s, x.h.x, x.h.y);
}
template <class T, class R, class X>
LINCHPIN_INLINE void composite_turn_x(const R& c, const R& s, X& x) {
  turn_symmetric(Turn<R>{c, s}, x.I.yy, x.I.yz, x.I.zz);
  turn_pair(c, s, x.I.xy, x.I.xz);
  turn_pair(c, s, x.h.y, x.h.z);
}
template <class T, class S, class X>
LINCHPIN_INLINE void composite_place(const Mat3<S>& R, const Vec3<T>& r, X& x) {
  x.h = R * x.h;
  x.I = rotate(R, x.I);
  const T d = dot(r, x.h) + dot(r, x.h);
  const Sym3<T> mixed{d - (r.x * x.h.x + r.x * x.h.x), d - (r.y * x.h.y + r.y * x.h.y), d - (r.z * x.h.z + r.z * x.h.z),
                      -fma(r.x, x.h.y, r.y * x.h.x),   -fma(r.x, x.h.z, r.z * x.h.x),   -fma(r.y, x.h.z, r.z * x.h.y)};
  x.I = x.I + mixed + x.mass * cross_square(r);
  x.h = fma(x.mass, r, x.h);
}

template <class T, class Real>
void inward_axes(const Plan<T>& plan, const RunPlan<Real>& run, CrbaWorkspace<T>& ws, Composite<T>& x) {
  constexpr int joints = Lanes<T>::joints;
  const bool axial = run.kind == LinkKind::axial;
  for (int slot = run.end - 1; slot >= run.slot; --slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = ws.block[slot / joints];
    const int lane = slot % joints;
    x.mass = x.mass + at<Real>(k.mass, lane);
    x.h += Vec3<Real>{at<Real>(k.h_x, lane), at<Real>(k.h_y, lane), at<Real>(k.h_z, lane)};
    x.I += Sym3<Real>{at<Real>(k.I_xx, lane), at<Real>(k.I_yy, lane), at<Real>(k.I_zz, lane),
                      at<Real>(k.I_xy, lane), at<Real>(k.I_xz, lane), at<Real>(k.I_yz, lane)};
    Force<T>& momentum = ws.momentum[plan.v_of_slot[slot]];
    T d(at<Real>(k.slide0, lane));
    if (axial) {  // Ic (turn z, slide z)
      const Real turn = at<Real>(k.turn, lane), slide = at<Real>(k.slide, lane);
      momentum = {{fma(slide, x.h.y, turn * x.I.xz), fma(-slide, x.h.x, turn * x.I.yz), turn * x.I.zz},
                  {-(turn * x.h.y), turn * x.h.x, slide * x.mass}};
      d = at<T>(b.d, lane);
    } else {
      momentum = {{x.I.xz, x.I.yz, x.I.zz}, {-x.h.y, x.h.x, T(0)}};
    }
    composite_turn_z<T>(at<T>(b.c, lane), at<T>(b.s, lane), x);
    composite_shift_z<T>(d, x);
    composite_turn_x<T>(at<Real>(k.cos_alpha, lane), at<Real>(k.sin_alpha, lane), x);
    composite_shift_x<T>(at<Real>(k.a, lane), x);
  }
  if (run.head == Head::screwed) {
    composite_turn_z<T>(run.phi.c, run.phi.s, x);
    composite_shift_z<T>(run.t, x);
  } else if (run.head == Head::general) {
    composite_place<T>(run.E, Vec3<T>{T(run.r.x), T(run.r.y), T(run.r.z)}, x);
  }
}

template <class T, class Real>
void inward_wide(const WideLink<Real>& link, const RunPlan<Real>& run, const Real* q, CrbaWorkspace<T>& ws,
                 Composite<T>& x) {
  x.mass = x.mass + link.inertia.mass;
  x.h += link.inertia.h;
  x.I += link.inertia.I;
  Mat3<T> R;
  Vec3<T> p;
  wide_pose(link, q, R, p);
  Force<T>* momentum = &ws.momentum[link.v];
  const T zero(0);
  momentum[0] = {{x.I.xx, x.I.xy, x.I.xz}, {zero, -x.h.z, x.h.y}};  // Ic (e, 0) = (Ic e, e x h)
  momentum[1] = {{x.I.xy, x.I.yy, x.I.yz}, {x.h.z, zero, -x.h.x}};
  momentum[2] = {{x.I.xz, x.I.yz, x.I.zz}, {-x.h.y, x.h.x, zero}};
  if (link.kind == LinkKind::free) {
    const Mat3<T> F = transpose(R);  // F's axes in the link's axes; Ic (0, e) = (h x e, mass e)
    momentum[3] = {cross(x.h, F.x), x.mass * F.x};
    momentum[4] = {cross(x.h, F.y), x.mass * F.y};
    momentum[5] = {cross(x.h, F.z), x.mass * F.z};
  }
  if (run.parent != 0) composite_place<T>(run.E * R, run.E * (p + run.rF), x);
}

template <class T, class Real>
void inward_composites(const Plan<T>& plan, const Real* q, CrbaWorkspace<T>& ws) {
  const Composite<T> zero{T(0), Vec3<T>::zero(), Sym3<T>::zero()};
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    const RunPlan<Real>& run = plan.runs[r];
    Composite<T> x = run.has_children ? ws.sum[r] : zero;
    if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial)
      inward_axes(plan, run, ws, x);
    else
      inward_wide(plan.wide_links[run.slot], run, q, ws, x);
    if (run.parent == 0) continue;
    Composite<T>& sum = ws.sum[run.parent];
    sum = run.opens_sum ? x : Composite<T>{sum.mass + x.mass, sum.h + x.h, sum.I + x.I};
  }
}

// ---- outward: axes in the tree's frame, rows of M -------------------------------------------------------------------

// (1): one row, with all axes on the path to the base. Whole registers are written, also beyond the row's end: the
// following rows are written later, and the last one is padded.
template <class T>
LINCHPIN_INLINE void write_row(const T* path, std::size_t stride, int depth, const Force<T>& F, T* row) {
  if constexpr (Lanes<T>::joints > 1) {
    using V = typename Lanes<T>::Wide;
    const V nx(F.n.x), ny(F.n.y), nz(F.n.z), fx(F.f.x), fy(F.f.y), fz(F.f.z);
    for (int j = 0; j <= depth; j += Lanes<T>::joints) {
      V left = V::load(path + j) * nx, right = V::load(path + 3 * stride + j) * fx;
      left = fma(V::load(path + stride + j), ny, left);
      right = fma(V::load(path + 4 * stride + j), fy, right);
      left = fma(V::load(path + 2 * stride + j), nz, left);
      right = fma(V::load(path + 5 * stride + j), fz, right);
      (left + right).store(row + j);
    }
  } else {
    for (int j = 0; j <= depth; ++j) {
      const T left = fma(path[2 * stride + j], F.n.z, fma(path[stride + j], F.n.y, path[j] * F.n.x));
      const T right = fma(path[5 * stride + j], F.f.z, fma(path[4 * stride + j], F.f.y, path[3 * stride + j] * F.f.x));
      row[j] = left + right;
    }
  }
}

// Appends one coordinate to the path, given its axis and momentum about a link's origin, both in the tree's axes. Its
// momentum about the reference point replaces the one of the inward pass.
template <class T>
LINCHPIN_INLINE void add_to_path(int depth, const Motion<T>& axis, const Vec3<T>& origin, const Force<T>& turned,
                                 T* path, std::size_t stride, Force<T>& momentum) {
  const Vec3<T> linear = axis.v + cross(origin, axis.w);  // at the reference point
  path += depth;
  path[0] = axis.w.x;
  path[stride] = axis.w.y;
  path[2 * stride] = axis.w.z;
  path[3 * stride] = linear.x;
  path[4 * stride] = linear.y;
  path[5 * stride] = linear.z;
  momentum = {turned.n + cross(origin, turned.f), turned.f};
}

// Axes and momenta of a one-axis run; X is the pose of F and becomes that of the last link.
template <class T, class Real>
void outward_axes(const Plan<T>& plan, const MassMatrixLayout& layout, const RunPlan<Real>& run, CrbaWorkspace<T>& ws,
                  Transform<T>& X) {
  constexpr int joints = Lanes<T>::joints;
  const std::size_t stride = ws.path.size() / 6;
  const bool axial = run.kind == LinkKind::axial;
  for (int slot = run.slot; slot < run.end; ++slot) {
    const auto& k = plan.blocks[slot / joints];
    const auto& b = ws.block[slot / joints];
    const int lane = slot % joints;
    const std::size_t i = std::size_t(plan.v_of_slot[slot]);
    if (run.parent != 0 || slot != run.slot)  // a tree's first link is its reference frame
      X = along_axis(k, lane, slot == run.slot, axial, at<T>(b.c, lane), at<T>(b.s, lane), at<T>(b.d, lane), X);
    Motion<T> axis{X.R.z, Vec3<T>::zero()};
    Force<T>& momentum = ws.momentum[i];
    Vec3<T> f = fma(momentum.f.y, X.R.y, momentum.f.x * X.R.x);
    if (axial) {
      axis = {at<Real>(k.turn, lane) * X.R.z, at<Real>(k.slide, lane) * X.R.z};
      f = fma(momentum.f.z, X.R.z, f);
    }
    add_to_path(layout.depth[i], axis, X.p, Force<T>{X.R * momentum.n, f}, ws.path.data(), stride, momentum);
  }
}

template <class T, class Real>
void outward_wide(const WideLink<Real>& link, const MassMatrixLayout& layout, const RunPlan<Real>& run, const Real* q,
                  CrbaWorkspace<T>& ws, Transform<T>& X) {
  const std::size_t stride = ws.path.size() / 6;
  const bool root = run.parent == 0;
  Mat3<T> R, F = X.R;
  Vec3<T> p;
  wide_pose(link, q, R, p);
  if (root)
    F = transpose(R);  // the link itself is the reference frame
  else
    X = {X.R * R, X.p + X.R * p};
  std::size_t i = std::size_t(link.v);
  const auto add = [&](const Motion<T>& axis) __attribute__((always_inline)) {
    Force<T>& momentum = ws.momentum[i];
    Force<T> turned = momentum;
    if (!root) turned = {X.R * momentum.n, X.R * momentum.f};
    add_to_path(layout.depth[i], axis, X.p, turned, ws.path.data(), stride, momentum);
    ++i;
  };
  add({X.R.x, Vec3<T>::zero()});
  add({X.R.y, Vec3<T>::zero()});
  add({X.R.z, Vec3<T>::zero()});
  if (link.kind != LinkKind::free) return;
  add({Vec3<T>::zero(), F.x});
  add({Vec3<T>::zero(), F.y});
  add({Vec3<T>::zero(), F.z});
}

// Depth first, so that the path always holds the axes from the base to the current link. The rows of a run are written
// after all its axes: a register that is read soon after its numbers were stored one by one has to wait for them.
template <class T, class Real>
void outward_rows(const Plan<T>& plan, const MassMatrixLayout& layout, const Real* q, CrbaWorkspace<T>& ws,
                  MassMatrix<T>& M) {
  constexpr int joints = Lanes<T>::joints;
  const std::size_t stride = ws.path.size() / 6;
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<Real>& run = plan.runs[r];
    Transform<T> X = Transform<T>::identity();
    if (run.parent != 0) {
      const Transform<T>& parent = ws.X[run.parent];
      X = {parent.R * run.E, parent.p + parent.R * run.r};
    }
    const bool wide = run.kind != LinkKind::revolute && run.kind != LinkKind::axial;
    int first, end;  // coordinates
    if (wide) {
      const WideLink<Real>& link = plan.wide_links[run.slot];
      outward_wide(link, layout, run, q, ws, X);
      first = link.v;
      end = first + (link.kind == LinkKind::free ? 6 : 3);
    } else {
      outward_axes(plan, layout, run, ws, X);
      first = plan.v_of_slot[run.slot];
      end = first + run.end - run.slot;
    }
    ws.X[r] = X;
    for (int i = first; i < end; ++i) {
      const int depth = layout.depth[i];
      T* row = M.entries.data() + layout.row[i];
      write_row(ws.path.data(), stride, depth, ws.momentum[i], row);
      if (run.kind == LinkKind::axial) {
        const int slot = run.slot + i - first;
        row[depth] += at<Real>(plan.blocks[slot / joints].armature, slot % joints);
      } else if (wide) {
        row[depth] += plan.wide_links[run.slot].armature;
      }
    }
  }
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
    : block(plan.blocks.size()), momentum(plan.nv), sum(plan.runs.size()), X(plan.runs.size()) {
  int deepest = 0;
  for (const int depth : layout.depth) deepest = std::max(deepest, depth + 1);
  path = AlignedArray<T>(6 * std::size_t(deepest + Lanes<T>::joints));
}

template <class T>
void crba(const Plan<T>& plan, const MassMatrixLayout& layout, std::span<const typename Plan<T>::Real> q,
          CrbaWorkspace<T>& ws, MassMatrix<T>& M) {
  const std::size_t needed = std::size_t(plan.nq) * std::size_t(Lanes<T>::worlds);
  check(q.size() == needed, "q has ", q.size(), " numbers, the model needs ", needed);
  check(layout.nv == plan.nv, "layout of another model: ", layout.nv, " coordinates, the plan has ", plan.nv);
  check(ws.block.size() == plan.blocks.size() && ws.sum.size() == plan.runs.size(), "workspace of another model");
  check(M.entries.size() == layout.size + std::size_t(Lanes<T>::joints), "mass matrix of another model");
  all_joint_trigonometry(plan, q.data(), ws.block.data());
  for (int slot = 0; slot < plan.slots; ++slot)
    one_joint_trigonometry(plan, q.data(), slot, ws.block[slot / Lanes<T>::joints]);
  inward_composites(plan, q.data(), ws);
  outward_rows(plan, layout, q.data(), ws, M);
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
