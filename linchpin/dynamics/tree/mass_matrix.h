// The joint-space inertia M by the composite-rigid-body algorithm, its sparse factors, and solves with them.
//
// With the composite inertia Ic_i of link i and all its descendants, and each joint axis s_j as a motion in one frame
// for the whole tree (that of its first link, since M does not depend on the tree's place in the world),
//     M_ij = s_j' (Ic_i s_i)      for j on the path from i to the base, else zero                           (1)
// [003 s.4; Featherstone 2008, ch. 6]. Difference to these: Ic is carried inward in link frames, where rotating it
// costs least, and only the column Ic s is transformed to the tree's frame, where (1) is one product of six-vectors per
// entry.
//
// M is zero between branches. Row i of the sparse storage holds only the coordinates on the path to the base, in their
// order, the diagonal last. L' D L [Featherstone 2008, s.6.5] starts at the tips and has no fill-in. An ancestor's row
// has the length of the part of row i that it updates, so each update is between two contiguous stretches of memory.
//
// For one world of doubles, limbs share registers (CrbaOrder in plan.h, mass_matrix_limbs.h), with the same bits.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// The sparsity pattern. Depends on the model alone.
struct MassMatrixLayout {
  explicit MassMatrixLayout(const Model& model);
  int nv = 0;
  std::vector<int> parent;       // per coordinate: the next one towards the base, or -1
  std::vector<int> depth;        // number of coordinates on the path to the base
  std::vector<std::size_t> row;  // start of row i, which has depth[i] entries and the diagonal
  std::size_t size = 0;
};

// M, or after factor() the strict part of L and D in its place.
template <class T>
struct MassMatrix {
  explicit MassMatrix(const MassMatrixLayout& layout);
  AlignedArray<T> entries;  // padded by one register at the end
};

// The inertia of a link and all its descendants with joints locked, about the link's origin in its axes.
template <class T>
struct CompositeInertia {
  T mass;
  Vec3<T> h;
  Sym3<T> I;
};

// Any content is fine before a call.
template <class T>
struct CrbaWorkspace {
  CrbaWorkspace(const Plan<T>& plan, const MassMatrixLayout& layout);
  AlignedArray<typename Lanes<T>::Wide> c, s, d;  // per joint: cosine and sine of the angle, distance (joint_motion.h)
  AlignedArray<Transform<T>> wide;                // pose of a ball or free link in F
  AlignedArray<Force<T>> momentum;                // per coordinate: Ic s, in the link's axes, then in the tree's
  AlignedArray<CompositeInertia<T>> carried;      // per run: what its parent carries of it, in the parent's frame
  AlignedArray<Transform<T>> X;                   // per run: pose of its last link in the tree's frame
  AlignedArray<Motion<typename Lanes<T>::Wide>> path;  // axes on the paths to the base (CrbaOrder::path)
  // In place of the arrays above, of runs side by side: per position, and per Limbs.
  struct LimbTurn {
    Limbs::V c, s;
  };
  AlignedArray<LimbTurn> limb_turn;
  AlignedArray<Force<Limbs::V>> limb_momentum;
  AlignedArray<Motion<Limbs::V>> limb_axis;  // padded by three positions
  AlignedArray<CompositeInertia<Limbs::V>> limb_carried;
  AlignedArray<double> unused;  // rows of lanes beyond a tip
};

// Fills M.
template <class T>
void crba(const Plan<T>& plan, const MassMatrixLayout& layout, std::span<const typename Plan<T>::Real> q,
          CrbaWorkspace<T>& ws, MassMatrix<T>& M);

// M = L' D L, in place.
template <class T>
void factor(const MassMatrixLayout& layout, MassMatrix<T>& M);

// x <- M^-1 x with the factors.
template <class T>
void solve(const MassMatrixLayout& layout, const MassMatrix<T>& factors, std::span<typename Scalar<T>::Real> x);

// The dense M, both halves, row by row. For one world of a pack, copy its entries into a MassMatrix<double>.
void to_dense(const MassMatrixLayout& layout, const MassMatrix<double>& M, std::span<double> dense);

}  // namespace linchpin
