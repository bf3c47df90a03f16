// The joint-space inertia M by composite rigid bodies, its sparse factors, and what is solved with them.
//
// With the composite inertia Ic_i of everything that link i carries, and every joint axis s_j as a motion in one frame
// for the whole tree (that of its first link: what counts is the mechanism, not where it stands),
//     M_ij = s_j' (Ic_i s_i)      for j on the way from i to the base, else zero                            (1)
// [003 s.4; Featherstone 2008, ch. 6]. Where we differ: Ic travels inward in link frames, where turning it costs least,
// and only the column Ic s goes to the tree's frame, where (1) is one product of six-vectors per entry.
//
// M is zero between branches, and row i of the sparse storage holds only the coordinates on the way to the base, in
// their order, the diagonal last. L' D L [Featherstone 2008, s.6.5] starts at the tips and fills nothing in, and since
// an ancestor's row is as long as the part of ours that it meets, each update is one stretch of memory to another.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// Which entries there are. Depends on the model alone.
struct MassMatrixLayout {
  explicit MassMatrixLayout(const Model& model);
  int nv = 0;
  std::vector<int> parent;       // per coordinate: the next one towards the base, or -1
  std::vector<int> depth;        // how many coordinates there are on the way to the base
  std::vector<std::size_t> row;  // where row i begins: depth[i] entries and the diagonal
  std::size_t size = 0;
};

// M, or after factor() the strict part of L and D in its place.
template <class T>
struct MassMatrix {
  explicit MassMatrix(const MassMatrixLayout& layout);
  AlignedArray<T> entries;  // with room for one register beyond the end
};

template <class T>
struct CrbaWorkspace {
  CrbaWorkspace(const Plan<T>& plan, const MassMatrixLayout& layout);
  struct Block {
    typename Lanes<T>::Wide c, s, d;
  };
  struct Composite {
    T mass;
    Vec3<T> h;
    Sym3<T> I;
  };
  AlignedArray<Block> block;
  AlignedArray<Force<T>> momentum;  // per coordinate: Ic s, in the link's axes, then in the tree's
  AlignedArray<Composite> sum;      // per run
  AlignedArray<Transform<T>> X;     // per run: pose of its last link in the tree's frame
  AlignedArray<T> path;             // six rows: the axes on the way to the base
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

// The whole of M, both halves, row after row (of one world: M.entries[e][world] for packs).
void to_dense(const MassMatrixLayout& layout, const MassMatrix<double>& M, std::span<double> dense);

}  // namespace linchpin
