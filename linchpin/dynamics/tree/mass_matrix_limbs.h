// Passes of mass_matrix.h over runs side by side (CrbaOrder in plan.h). Each lane performs the operations of a single
// run in the same order, so it has the same bits. For kernel files only.
#pragma once

#include "linchpin/dynamics/tree/limb_lanes.h"
#include "linchpin/dynamics/tree/mass_matrix_joint.h"

namespace linchpin {

// ---- one lane -------------------------------------------------------------------------------------------------------

LINCHPIN_INLINE Vec3<double> lane_of(const Vec3<Limbs::V>& x, int lane) {
  return {x.x.numbers()[lane], x.y.numbers()[lane], x.z.numbers()[lane]};
}
LINCHPIN_INLINE Motion<double> lane_of(const Motion<Limbs::V>& x, int lane) {
  return {lane_of(x.w, lane), lane_of(x.v, lane)};
}
LINCHPIN_INLINE Transform<double> lane_of(const Transform<Limbs::V>& X, int lane) {
  return {{lane_of(X.R.x, lane), lane_of(X.R.y, lane), lane_of(X.R.z, lane)}, lane_of(X.p, lane)};
}
LINCHPIN_INLINE CompositeInertia<double> lane_of(const CompositeInertia<Limbs::V>& x, int lane) {
  return {x.mass.numbers()[lane],
          lane_of(x.h, lane),
          {x.I.xx.numbers()[lane], x.I.yy.numbers()[lane], x.I.zz.numbers()[lane], x.I.xy.numbers()[lane],
           x.I.xz.numbers()[lane], x.I.yz.numbers()[lane]}};
}

// ---- inward ---------------------------------------------------------------------------------------------------------

// What the parent of run r carries of it.
template <class T>
LINCHPIN_INLINE CompositeInertia<T> carried_of(const Plan<T>& plan, int r, const CrbaWorkspace<T>& ws) {
  if constexpr (has_limbs<T>) {
    const CrbaOrder::Place& place = plan.crba_order.place[r];
    if (place.limbs >= 0) return lane_of(ws.limb_carried[place.limbs], place.lane);
  }
  return ws.carried[r];
}
// The sum over the children of a run, in the order of runs.
template <class T, class Real>
LINCHPIN_INLINE CompositeInertia<T> carried_by(const Plan<T>& plan, const RunPlan<Real>& run,
                                               const CrbaWorkspace<T>& ws) {
  int child = run.last_child;
  if (child == 0) return nothing<T>();
  CompositeInertia<T> x = carried_of(plan, child, ws);
  while ((child = plan.runs[child].sibling) != 0) x = sum(x, carried_of(plan, child, ws));
  return x;
}
LINCHPIN_INLINE CompositeInertia<Limbs::V> carried_by_limbs(const Plan<double>& plan, const Limbs& limbs,
                                                            const CrbaWorkspace<double>& ws) {
  using V = Limbs::V;
  if (!limbs.has_children) return nothing<V>();
  CompositeInertia<double> x[Limbs::most];
  for (int lane = 0; lane < Limbs::most; ++lane)
    x[lane] = lane < limbs.count ? carried_by(plan, plan.runs[limbs.run[lane]], ws) : x[0];
  const auto number = [&](const auto& of) { return V(V::Vector{of(x[0]), of(x[1]), of(x[2]), of(x[3])}); };
  using One = CompositeInertia<double>;
  return {number([](const One& y) { return y.mass; }),
          {number([](const One& y) { return y.h.x; }), number([](const One& y) { return y.h.y; }),
           number([](const One& y) { return y.h.z; })},
          {number([](const One& y) { return y.I.xx; }), number([](const One& y) { return y.I.yy; }),
           number([](const One& y) { return y.I.zz; }), number([](const One& y) { return y.I.xy; }),
           number([](const One& y) { return y.I.xz; }), number([](const One& y) { return y.I.yz; })}};
}

LINCHPIN_INLINE void through_heads(const Limbs& limbs, CompositeInertia<Limbs::V>& x) {
  if (limbs.same_head && !limbs.some_aligned) {
    if (limbs.head == Head::general)
      through_general_head(limbs, x);
    else
      through_screwed_head(limbs, x);
    return;
  }
  const CompositeInertia<Limbs::V> aligned = x;
  CompositeInertia<Limbs::V> other = x;
  if (limbs.some_screwed) {
    through_screwed_head(limbs, other);
    x = chosen(limbs.screwed > 0.5, other, x);  // a rotation by zero would round
  }
  if (limbs.some_general) {
    other = aligned;
    through_general_head(limbs, other);
    x = chosen(limbs.general > 0.5, other, x);
  }
}

inline void inward_limbs(const Plan<double>& plan, const Limbs& limbs, CrbaWorkspace<double>& ws,
                         CompositeInertia<Limbs::V>& carried) {
  using V = Limbs::V;
  const auto numbers_of = [](const auto& array) { return reinterpret_cast<const double*>(array.data()); };
  const CompositeInertia<V> beyond = carried_by_limbs(plan, limbs, ws);
  CompositeInertia<V> x = beyond;
  for (int k = limbs.length - 1; k >= 0; --k) {
    const LinkBlock<V>& link = limbs.link[k];
    const Limbs::Position& position = limbs.position[k];
    const std::size_t at_k = std::size_t(limbs.first + k);
    const V c = gather(position.slot, numbers_of(ws.c)), s = gather(position.slot, numbers_of(ws.s));
    ws.limb_turn[at_k].c = c;
    ws.limb_turn[at_k].s = s;
    if (position.tip && k < limbs.length - 1) x = chosen(limbs.sizes > V(double(k + 1)), x, beyond);
    add_own_inertia(link, 0, x);
    copy(hinge_momentum(x), ws.limb_momentum[at_k]);
    if (k == 0 && limbs.on_world) return;
    to_previous_link(link, 0, c, s, link.slide0, x);
  }
  through_heads(limbs, x);
  copy(x, carried);
}

// ---- outward --------------------------------------------------------------------------------------------------------

LINCHPIN_INLINE Transform<Limbs::V> poses_of_parents(const Limbs& limbs, const CrbaWorkspace<double>& ws) {
  using V = Limbs::V;
  if (limbs.one_parent) {
    const Transform<double>& X = ws.X[limbs.parent[0]];
    const auto all = [](const Vec3<double>& x) { return Vec3<V>{V(x.x), V(x.y), V(x.z)}; };
    return {{all(X.R.x), all(X.R.y), all(X.R.z)}, all(X.p)};
  }
  const auto X = [&](int r) -> const Transform<double>& { return ws.X[r]; };
  return {{gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return X(r).R.x; }),
           gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return X(r).R.y; }),
           gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return X(r).R.z; })},
          gather3(limbs.parent, [&](int r) -> const Vec3<double>& { return X(r).p; })};
}

// Axes and momenta in the tree's frame.
inline void outward_limb_axes(const Limbs& limbs, CrbaWorkspace<double>& ws) {
  using V = Limbs::V;
  Transform<V> X = Transform<V>::identity();
  if (!limbs.on_world) X = pose_of_head(limbs, poses_of_parents(limbs, ws));
  for (int k = 0; k < limbs.length; ++k) {
    const std::size_t at_k = std::size_t(limbs.first + k);
    const CrbaWorkspace<double>::LimbTurn& turn = ws.limb_turn[at_k];
    if (k > 0 || !limbs.on_world)  // a tree's first link is its reference frame
      along_axis(limbs.link[k], 0, k == 0, false, turn.c, turn.s, turn.c, X);
    copy(hinge_axis(X), ws.limb_axis[at_k]);
    copy(turned_hinge_momentum(X, ws.limb_momentum[at_k]), ws.limb_momentum[at_k]);
    if (!limbs.has_children || !limbs.position[k].tip) continue;
    Transform<V> last;  // not X itself, which would then be kept in memory
    copy(X, last);
    for (int lane = 0; lane < limbs.count; ++lane)
      if (k == limbs.size[lane] - 1) copy(lane_of(last, lane), ws.X[limbs.run[lane]]);
  }
}

// The paths of limbs with children, for the rows of these.
inline void write_limb_paths(const Plan<double>& plan, const Limbs& limbs, CrbaWorkspace<double>& ws) {
  for (int lane = 0; lane < limbs.count; ++lane) {
    const int r = limbs.run[lane];
    if (!plan.runs[r].has_children) continue;
    copy_path(plan, r, ws);
    Axes<double>* path = path_of(plan, r, ws);
    const unsigned before = unsigned(plan.crba_order.path[r].before);
    const Motion<Limbs::V>* axis = &ws.limb_axis[std::size_t(limbs.first)];
    for (int k = 0; k < limbs.size[lane]; ++k) put_axis(lane_of(axis[k], lane), before + unsigned(k), path);
  }
}

// The part of the rows that belongs to the limbs' ancestors, for one register of these; `count` are left from the first
// of them on. F: the momenta of one limb.
LINCHPIN_INLINE void write_ancestor_entries(const Axes<double>& axes, const double* F, int size, int before, int count,
                                            double* row, const double* end) {
  using Wide = Lanes<double>::Wide;
  for (int k = 0; k < size; ++k, F += 6 * Limbs::most) {
    const auto number = [&](int i) __attribute__((always_inline)) { return Wide(F[i * Limbs::most]); };
    const Force<Wide> momentum{{number(0), number(1), number(2)}, {number(3), number(4), number(5)}};
    store_within(entry(axes, momentum), row, count, end);
    row += before + k + 1;
  }
}
inline void write_ancestor_part(const Plan<double>& plan, const MassMatrixLayout& layout, const Limbs& limbs,
                                CrbaWorkspace<double>& ws, MassMatrix<double>& M) {
  constexpr int width = Lanes<double>::joints;
  for (int lane = 0; lane < limbs.count; ++lane) {
    const Axes<double>* path = path_of(plan, limbs.parent[lane], ws);
    const int before = plan.crba_order.path[limbs.run[lane]].before, size = limbs.size[lane];
    double* const row = M.entries.data() + layout.row[std::size_t(limbs.position[0].v[lane])];
    const double* const end = row + unsigned(size * (2 * before + size + 1)) / 2;
    const double* const F = ws.limb_momentum[std::size_t(limbs.first)].n.x.numbers() + lane;
    // Backwards: the last register may reach into the first entries of the next row.
    if (before > width)
      for (int j = (before - 1) / width * width; j > 0; j -= width)
        write_ancestor_entries(path[j / width], F, size, before, before - j, row + j, end);
    write_ancestor_entries(path[0], F, size, before, before, row, end);
  }
}

// Entries [0, n) of a row of each limb, in one register per lane.
template <int n>
LINCHPIN_INLINE void write_own_entries(const Motion<Limbs::V>* axis, const Force<Limbs::V>& F,
                                       double* const (&row)[Limbs::most]) {
  Limbs::V x[Limbs::most];
#pragma GCC unroll 4
  for (int i = 0; i < Limbs::most; ++i) x[i] = entry(axis[i < n ? i : 0], F);
  if constexpr (n == 1) {
#pragma GCC unroll 4
    for (int lane = 0; lane < Limbs::most; ++lane) *row[lane] = x[0][lane];
    return;
  }
  transpose(x);
#pragma GCC unroll 4
  for (int lane = 0; lane < Limbs::most; ++lane) {
    if constexpr (n == 4) {
      x[lane].store(row[lane]);
    } else {
      Pack<double, 2>(__builtin_shufflevector(x[lane].v, x[lane].v, 0, 1)).store(row[lane]);
      if constexpr (n == 3) row[lane][2] = x[lane][2];
    }
  }
}
LINCHPIN_INLINE void write_own_row(const Motion<Limbs::V>* axis, const Force<Limbs::V>& F, int count,
                                   double* const (&to)[Limbs::most]) {
  double* row[Limbs::most] = {to[0], to[1], to[2], to[3]};
  for (; count >= Limbs::most; count -= Limbs::most, axis += Limbs::most) {
    write_own_entries<4>(axis, F, row);
#pragma GCC unroll 4
    for (int lane = 0; lane < Limbs::most; ++lane) row[lane] += Limbs::most;
  }
  if (count == 1) write_own_entries<1>(axis, F, row);
  if (count == 2) write_own_entries<2>(axis, F, row);
  if (count == 3) write_own_entries<3>(axis, F, row);
}

// The part of the rows that belongs to the limbs' own coordinates. Unused lanes repeat the first limb. Rows beyond a
// tip go to memory that is not used.
inline void write_own_part(const Plan<double>& plan, const MassMatrixLayout& layout, const Limbs& limbs,
                           CrbaWorkspace<double>& ws, MassMatrix<double>& M) {
  const Motion<Limbs::V>* axis = &ws.limb_axis[std::size_t(limbs.first)];
  const Force<Limbs::V>* momentum = &ws.limb_momentum[std::size_t(limbs.first)];
  double* row[Limbs::most];
  std::size_t before[Limbs::most];
#pragma GCC unroll 4
  for (int lane = 0; lane < Limbs::most; ++lane) {
    before[lane] = std::size_t(plan.crba_order.path[limbs.run[lane]].before);
    row[lane] = M.entries.data() + layout.row[std::size_t(limbs.position[0].v[lane])] + before[lane];
  }
  for (int k = 0; k < limbs.length; ++k) {
    write_own_row(axis, momentum[k], k + 1, row);
    if (limbs.position[std::size_t(k)].tip)
      for (int lane = 0; lane < Limbs::most; ++lane)
        if (limbs.size[lane] == k + 1) row[lane] = ws.unused.data(), before[lane] = 0;
#pragma GCC unroll 4
    for (int lane = 0; lane < Limbs::most; ++lane) row[lane] += before[lane] + std::size_t(k + 1);
  }
}

inline void outward_limbs(const Plan<double>& plan, const MassMatrixLayout& layout, const Limbs& limbs,
                          CrbaWorkspace<double>& ws, MassMatrix<double>& M) {
  outward_limb_axes(limbs, ws);
  if (limbs.has_children) write_limb_paths(plan, limbs, ws);
  if (!limbs.on_world) write_ancestor_part(plan, layout, limbs, ws, M);
  write_own_part(plan, layout, limbs, ws, M);
}

}  // namespace linchpin
