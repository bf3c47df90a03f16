// The augmented system of 003, and the eliminations of its matrix that lead to the classical algorithms.
//
// For body k with parent p, with accelerations a_k, joint accelerations vdot_k and the force f_k that reaches k through
// its joint [003 eq. (2)-(4), tree instead of chain, numbered from the base]:
//     f_k - I_k a_k - sum over children c of X_ck' f_c = b_k        motion of the body                       (2)
//     -a_k + S_k vdot_k + X_kp a_p = -c_k                           the joint's freedom                      (3)
//     S_k' f_k = tau_k                                              the joint's force                        (4)
// Together M x = b [003 eq. (5)] with x = (f_k, -a_k, vdot_k) for all k. Joint armature J adds J vdot_k to (4).
//
// - augmented: assembles (5) and solves it by a general sparse LU. Slow; uses no mechanics, so it is the witness.
// - composite: eliminates f and a of all bodies first; what is left is the joint-space inertia (003 s.4, CRBM).
// - articulated: eliminates body after body from the tips; what is left on the diagonal is the articulated inertia
//   (003 s.5, ABM). With split pivots D = S' I S + S' Itilde S it is the modified ABM of 003 s.7.
//
// All methods use the bodies' own frames, whole joints and dense 6x6 blocks: the plainest form of each method, for any
// real type, to check the fast ones (aba.h, rnea.h, mass_matrix.h). They allocate.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

// How the articulated method forms its pivots: D = S' (I + Itilde) S, or split as S' I S + S' Itilde S (003 s.7).
enum class Pivot { plain, split };

// The coefficients of (2)-(4) at one state. Real is double or long double.
template <class Real>
class AugmentedTree {
 public:
  // f_ext as for aba(): six numbers per body or empty.
  AugmentedTree(const Model& model, std::span<const double> q, std::span<const double> v,
                std::span<const double> f_ext = {});
  ~AugmentedTree();

  // tau = M vdot + bias. `largest`, if given, receives the largest term of the sums, the scale of a backward error:
  // over all joints, |S|' times the magnitudes of the terms of (2) (|I| |a|, |b|, |X'| |f| of each child), plus
  // |armature vdot|.
  std::vector<Real> inverse_dynamics(std::span<const Real> vdot, Real* largest = nullptr) const;

  // vdot by the three methods above.
  std::vector<Real> by_sparse_lu(std::span<const Real> tau) const;
  std::vector<Real> by_composite(std::span<const Real> tau) const;
  std::vector<Real> by_articulated(std::span<const Real> tau, Pivot pivot) const;

  std::vector<Real> mass_matrix() const;  // nv x nv
  Real condition_number() const;          // of the mass matrix, in the 2-norm

 private:
  struct Coefficients;
  std::unique_ptr<Coefficients> tree_;
};

extern template class AugmentedTree<double>;
extern template class AugmentedTree<long double>;

}  // namespace linchpin
