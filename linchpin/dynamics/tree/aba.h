// Forward dynamics by the articulated-body algorithm: the accelerations that joint forces cause. O(n), no mass matrix.
//
// With link i's frame, its motion subspace S and its velocity-product acceleration c, inward (tips to base):
//     IA_i = I_i + sum over children of X' Ia X         articulated-body inertia                             (1)
//     U = IA S,  D = S' U (+ armature),  u = tau - S' p                                                      (2)
//     Ia = IA - U D^-1 U',   pa = p + Ia c + U D^-1 u   passed on to the parent                               (3)
// and outward (base to tips), from the parent's acceleration a:
//     vdot = D^-1 (u - U' (X a + c)),   a_i = X a + c + S vdot                                               (4)
// [003 s.5; Featherstone 2008, ch. 7]. Differences to these: link frames have z along the joint axis, so that S selects
// one entry and X is a few plane rotations (link_frames.h); accelerations are classical, so that c and p need angular
// velocities only; D is an entry of IA rather than a quadratic form, so that no large entries of other directions
// cancel in it, which is the aim of the modified method of 003 s.7 (docs/aba.md has the measurements).
//
// T is double, float, or a pack of worlds (Double4, Double8, Float16). In the caller's memory the worlds of a pack lie
// side by side: coordinate i of world w at [i * worlds + w]. A lane has the bits of a scalar run of its type.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// Numbers that passes 1 and 2 leave for later passes, for Lanes<T>::joints one-axis links.
//
// Pass 1 writes the angular velocity (w_x, w_y, w_z). Only pass 2 reads it and writes the acceleration c of (3) into
// the same memory: angular part (c_x, c_y, 0), linear part (cl_x, cl_y, cl_z). Long chains have less memory to read.
template <class V>
struct AbaBlock {
  V c, s;  // pass 1: cosine and sine of the joint angle
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
  V d;  // pass 1, axial joints: slide0 + slide q
};

// Numbers of a one-axis link that pass 2 leaves for pass 3: U / D, angular part g and linear part l, and u / D.
//
// A hinge has g_z = 1, which is not stored. Its 1 / D takes that place, for compound_paths() (compliance.h); an eighth
// number would cost long chains 8 %. The 1 / D of an axial link is in AbaWorkspace::axial_D_inverse.
template <class T>
struct AbaPivot {
  T g_x, g_y;
  union {
    T g_z;              // axial links
    T hinge_D_inverse;  // hinges
  };
  T l_x, l_y, l_z;
  T u_over_D;  // held_dynamics() adds the reactions' share before pass 3
};

// Numbers of a ball or free link that passes leave for later ones.
template <class T>
struct AbaWidePivot {
  Mat3<T> R;   // R_FM
  Vec3<T> rF;  // from the parent's origin to M's, in F's axes
  Vec3<T> w;
  Motion<T> c;  // in M's axes
  Force<T> p;
  ArticulatedInertia<T> IA;
  Sym3<T> D_inverse;  // ball
  Vec3<T> u;          // ball
  Motion<T> a;        // free: the link's acceleration
};

// The bias force p of one-axis links without their children; it depends on no other link.
template <class V>
struct Local {
  V n_x, n_y, n_z, f_x, f_y, f_z;
};

// Workspace of aba(); any content is fine before a call.
template <class T>
struct AbaWorkspace {
  explicit AbaWorkspace(const Plan<T>& plan);
  AlignedArray<AbaBlock<typename Lanes<T>::Wide>> block;
  AlignedArray<AbaPivot<T>> pivot;
  AlignedArray<T> axial_D_inverse;  // per slot; set for axial links only
  AlignedArray<AbaWidePivot<T>> wide;
  AlignedArray<Force<T>> external;          // per one-axis link, if there are external forces
  AlignedArray<ArticulatedInertia<T>> sum;  // per run: the sum over its children
  AlignedArray<Vec3<T>> w;                  // per run: angular velocity of its last link
  AlignedArray<Motion<T>> a;                // per run: acceleration of its last link
  // Per position of limbs side by side, in place of the arrays above; sines and cosines are in both.
  AlignedArray<AbaBlock<Limbs::V>> limb_block;
  AlignedArray<Local<Limbs::V>> limb_local;
  AlignedArray<Vec3<Limbs::V>> limb_w;
  AlignedArray<AbaPivot<Limbs::V>> limb_pivot;
  AlignedArray<ArticulatedInertia<Limbs::V>> limb_inertia;  // per Limbs: passed on to the parents
};

// Whether limbs of one world share registers (Limbs in plan.h) or are computed one after another. The results are the
// same but stand in different arrays of the workspace; one_by_one fills the per-joint arrays above for every joint.
enum class LimbOrder { side_by_side, one_by_one };

// Fills vdot. f_ext holds six numbers per body, the world included: moment about the body's origin and force, in the
// body's axes; empty for none.
template <class T>
void aba(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, std::span<const typename Plan<T>::Real> v,
         std::span<const typename Plan<T>::Real> tau, std::span<const typename Plan<T>::Real> f_ext,
         AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot);

// The two halves of aba(), for callers that add forces in between (held_rows.h): (1) to (3), and (4) with the u that
// the workspace then holds.
template <class T>
void aba_inward(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q,
                std::span<const typename Plan<T>::Real> v, std::span<const typename Plan<T>::Real> tau,
                std::span<const typename Plan<T>::Real> f_ext, AbaWorkspace<T>& ws,
                LimbOrder order = LimbOrder::side_by_side);
template <class T>
void aba_outward(const Plan<T>& plan, AbaWorkspace<T>& ws, std::span<typename Plan<T>::Real> vdot,
                 LimbOrder order = LimbOrder::side_by_side);

// Copies the factors of limbs, U / D and 1 / D, from the arrays of side_by_side to those of one_by_one: for
// compound_paths().
template <class T>
void spread_limb_factors(const Plan<T>& plan, AbaWorkspace<T>& ws);

}  // namespace linchpin
