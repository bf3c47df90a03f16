// The articulated-body algorithm as factorisation and solve: the factors depend on q alone and serve any number of
// right-hand sides. M^-1 x, impulse responses and the compliance J M^-1 J' (compliance.h) use them.
//
//     factor(q):   IA, U, D of (1) to (3) in aba.h, without velocities and forces
//     bias(q, v):  rnea() with vdot = 0
//     solve(x):    M^-1 x, x any joint forces (or impulses)
// so that vdot = solve(tau - bias(q, v)). aba() does the same in one sweep, which is faster for one right-hand side.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// Factors of the one-axis links of a block.
template <class V>
struct FactorBlock {
  V c, s, d;
};
// U / D and 1 / D.
template <class T>
struct FactorPivot {
  T g_x, g_y, g_z, l_x, l_y, l_z;
  T D_inverse;
};
template <class T>
struct FactorWide {
  Mat3<T> R;
  Vec3<T> rF;
  ArticulatedInertia<T> IA;  // without its bias force
  Sym3<T> D_inverse;         // ball
};

// The factors; const during solves, so several threads may share them.
template <class T>
struct ArticulatedFactor {
  explicit ArticulatedFactor(const Plan<T>& plan);
  AlignedArray<FactorBlock<typename Lanes<T>::Wide>> block;
  AlignedArray<FactorPivot<T>> pivot;
  AlignedArray<FactorWide<T>> wide;
  AlignedArray<ArticulatedInertia<T>> sum;  // workspace
};

template <class T>
void factor(const Plan<T>& plan, std::span<const typename Plan<T>::Real> q, ArticulatedFactor<T>& factors);

// Workspace of solve(); X is T, or for T = double also Double8: eight right-hand sides side by side.
template <class T, class X = T>
struct SolveWorkspace {
  explicit SolveWorkspace(const Plan<T>& plan);
  AlignedArray<X> u;
  AlignedArray<Force<X>> wide_u;
  AlignedArray<Force<X>> sum;
  AlignedArray<Motion<X>> a;
  AlignedArray<X> columns;                         // of inverse_mass_matrix()
  AlignedArray<Force<X>> external, wide_external;  // per one-axis link and per ball or free link; forces given by link
};

// x <- M^-1 x. With X = Double8 the right-hand sides lie side by side as worlds do.
template <class T, class X = T>
void solve(const Plan<T>& plan, const ArticulatedFactor<T>& factors, SolveWorkspace<T, X>& ws,
           std::span<typename Plan<T>::Real> x);

// x <- M^-1 (x + J' f): the accelerations that joint forces x and forces f on bodies add, or the velocities if both are
// impulses. f as f_ext in aba.h. O(n) for any number of bodies with forces.
template <class T>
void solve(const Plan<T>& plan, const ArticulatedFactor<T>& factors, SolveWorkspace<T>& ws,
           std::span<typename Plan<T>::Real> x, std::span<const typename Plan<T>::Real> f);

// The same with one force per link, the world included, about its origin in its axes, or none; links between the axes
// of one joint carry no body but have a force here too. From factors, or from the workspace that aba() or aba_inward()
// filled.
template <class T>
void solve(const Plan<T>& plan, const ArticulatedFactor<T>& factors, SolveWorkspace<T>& ws,
           std::span<typename Plan<T>::Real> x, std::span<const Force<T>> on_link);
template <class T>
void solve(const Plan<T>& plan, AbaWorkspace<T>& factors, SolveWorkspace<T>& ws, std::span<typename Plan<T>::Real> x,
           std::span<const Force<T>> on_link);

// The dense inverse, nv x nv, eight columns at a time.
void inverse_mass_matrix(const Plan<double>& plan, const ArticulatedFactor<double>& factors,
                         SolveWorkspace<double, Double8>& ws, std::span<double> inverse);

}  // namespace linchpin
