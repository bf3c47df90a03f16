// Inverse dynamics by the recursive Newton-Euler algorithm: the joint forces for given accelerations. O(n).
//
// For link i with parent p, outward (base to tips), accelerations classical (the origin's second derivative):
//     w_i = X w_p + z thetadot                                                                            (1)
//     a_i = X a_p + S vdot + c,   c as in aba.h                                                           (2)
// with a_0 = -g: gravity is replaced by an upward acceleration of the world. Inward (tips to base):
//     f_i = I_i a_i + (w x I w, w x (w x h)) - f_ext + sum over children of X' f_c                         (3)
//     tau_i = S' f_i + armature vdot_i                                                                    (4)
// Link frames throughout. [003 eq. (1)-(4), numbered there from the tip; Featherstone 2008, ch. 5]
//
// Scalars, packs and memory layout as in aba.h.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

template <class V>
struct RneaBlock {
  V c, s, d;
  V w_x, w_y, w_z, alpha_x, alpha_y, alpha_z, a_x, a_y, a_z;
};

// Numbers of a ball or free link that the first pass leaves for the second.
template <class T>
struct RneaWide {
  Mat3<T> R;
  Vec3<T> rF, w;
  Motion<T> c;
  Force<T> p;  // the force of (3) without the children's
};

// Workspace of rnea(); any content is fine before a call.
template <class T>
struct RneaWorkspace {
  explicit RneaWorkspace(const Plan<T>& plan);
  AlignedArray<RneaBlock<typename Lanes<T>::Wide>> block;
  AlignedArray<RneaWide<T>> wide;
  AlignedArray<Force<T>> external;
  AlignedArray<Force<T>> sum;  // per run: the sum over its children
  AlignedArray<Vec3<T>> w;     // per run: of its last link
  AlignedArray<Motion<T>> a;   // per run: of its last link
};

// Fills tau. f_ext as for aba().
template <class T>
void rnea(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
          std::span<const typename Plan<T>::Real> vdot, std::span<const typename Plan<T>::Real> f_ext,
          RneaWorkspace<T>& ws, std::span<typename Plan<T>::Real> tau);

}  // namespace linchpin
