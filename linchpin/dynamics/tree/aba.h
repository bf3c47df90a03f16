// Forward dynamics: the accelerations that joint forces cause. O(n), no mass matrix.
//
// With link i's frame, its motion subspace S and its velocity-product acceleration c, inward (tips to base):
//     IA_i = I_i + sum over children of X' Ia X         articulated inertia                                  (1)
//     U = IA S,  D = S' U (+ armature),  u = tau - S' p                                                      (2)
//     Ia = IA - U D^-1 U',   pa = p + Ia c + U D^-1 u   what the parent feels through the joint               (3)
// and outward (base to tips), from the parent's acceleration a:
//     vdot = D^-1 (u - U' (X a + c)),   a_i = X a + c + S vdot                                               (4)
// [003 s.5; Featherstone 2008, ch. 7]. Where we differ: link frames have z along the joint axis, so that S picks one
// entry and X is a few plane rotations (link_frames.h); accelerations are classical, so that c and p need angular
// velocities only; and D is an entry of IA rather than a quadratic form, so that no large entries of other directions
// cancel in it: what 003 s.7 is after with its modified method (docs/aba.md has the measurements).
//
// T is double, float, or a pack of worlds (Double4, Double8, Float16). In caller's memory the worlds of a pack lie side
// by side: coordinate i of world w at [i * worlds + w]. A lane has the bits of the scalar run of its type.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// What passes 1 and 2 leave for later ones, for Lanes<T>::joints one-axis links.
template <class V>
struct AbaBlock {
  V c, s;  // pass 1: of the joint angle
  // Pass 1 leaves the angular velocity w; pass 2, the only one to need it, puts c in its place (angular part, whose z is
  // zero, and linear part): less memory to go through where chains are long.
  union {
    V w_x, c_x;
  };
  union {
    V w_y, c_y;
  };
  union {
    V w_z, cl_x;
  };
  V cl_y, cl_z;
  V d;  // pass 1, where joints slide: slide0 + slide q
};

// What pass 2 leaves for pass 3: G = U / D and u / D of a one-axis link. A hinge's own g_z is 1; in its place is 1 / D,
// for compound_paths() (compliance.h): an eighth number would cost long chains 8 %.
template <class T>
struct AbaPivot {
  T g_x, g_y, g_z, l_x, l_y, l_z;
  T u;
};

// The same for a ball or free link.
template <class T>
struct AbaWidePivot {
  Mat3<T> R;   // R_FM
  Vec3<T> rF;  // p_FM plus the placement's offset, in F's axes
  Vec3<T> w;
  Motion<T> c;  // in M's axes
  Force<T> p;
  ArticulatedInertia<T> IA;
  Sym3<T> D_inverse;  // ball
  Vec3<T> u;          // ball
  Motion<T> a;        // free: the acceleration itself
};

// p of one-axis links alone, which needs no neighbour.
template <class V>
struct Local {
  V n_x, n_y, n_z, f_x, f_y, f_z;
};

// Scratch of aba(); any content is fine before a call.
template <class T>
struct AbaWorkspace {
  explicit AbaWorkspace(const Plan<T>& plan);
  AlignedArray<AbaBlock<typename Lanes<T>::Wide>> block;
  AlignedArray<AbaPivot<T>> pivot;
  AlignedArray<T> D_inverse;  // per one-axis link that is no hinge
  AlignedArray<AbaWidePivot<T>> wide;
  AlignedArray<Force<T>> external;          // per one-axis link, where there are forces from outside
  AlignedArray<ArticulatedInertia<T>> sum;  // per run: what its children add up to
  AlignedArray<Vec3<T>> w;                  // per run: angular velocity of its last link
  AlignedArray<Motion<T>> a;                // per run: acceleration of its last link
  // Per position of limbs side by side, in place of the above; sines and cosines are in both.
  AlignedArray<AbaBlock<Limbs::V>> limb_block;
  AlignedArray<Local<Limbs::V>> limb_local;
  AlignedArray<Vec3<Limbs::V>> limb_w;
  AlignedArray<AbaPivot<Limbs::V>> limb_pivot;
  AlignedArray<ArticulatedInertia<Limbs::V>> limb_inertia;  // per Limbs: what their parents feel
};

// Whether limbs of one world share registers (Limbs in plan.h) or come one after another: the same numbers, in other
// places of the workspace. One by one is for those who want every joint's numbers as they are described above.
enum class LimbOrder { side_by_side, one_by_one };

// Fills vdot. f_ext holds six numbers per body, the world included: moment about the body's origin and force, in the
// body's axes; empty for none.
template <class T>
void aba(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
         std::span<const typename Plan<T>::Real> tau, std::span<const typename Plan<T>::Real> f_ext,
         AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot);

// Its two halves, for who has forces to add in between (held_rows.h): (1) to (3), and (4) with whatever u is by then.
template <class T>
void aba_inward(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q,
                std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                std::span<const typename Plan<T>::Real> f_ext, AbaWorkspace<T>& ws,
                LimbOrder order = LimbOrder::side_by_side);
template <class T>
void aba_outward(const Plan<T>& plan, AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot,
                 LimbOrder order = LimbOrder::side_by_side);

// Puts what side by side has left of limbs' factors, U / D and 1 / D, where one by one would have: for compound_paths().
template <class T>
void spread_limb_factors(const Plan<T>& plan, AbaWorkspace<T>& ws);

}  // namespace linchpin
