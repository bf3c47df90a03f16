// Forward dynamics of closed chains in one recursion: O(n) links and O(m) loops, where loops are local.
//
// 002 s.3.4 recommends to reduce coordinates loop by loop within the recursion; the compliance (closed_chain.h) costs
// O(rows^3) for all loops at once. In the terms of 003 both eliminate one matrix in different orders: the compliance
// all bodies first, then all loops; here a loop is eliminated as soon as the recursion has passed all links it acts on.
//
// In the inward pass each link keeps the force f that its subtree needs and the rows' gddot y so far, as functions of
// the link's acceleration a and of the reactions lambda of the loops that are still open:
//     f = IA a + pA - K lambda,   y = K' a + C lambda + k                                                      (1)
// K starts as the rows' forces on the link (constraint_rows.h (2)). Through a joint with axes S,
// D = S' IA S + armature, U = IA S, u = tau - S' (pA + IA c), X the transform from the parent, c velocity products,
//     IA_p += X' (IA - U D^-1 U') X         pA_p += X' (pA + IA c + U D^-1 u)                                  (2)
//     K_p += X' (K - U D^-1 S'K)            C += K'S D^-1 S'K         k += K' c + K'S D^-1 u                   (3)
// At the link where all sides of a loop d have met, its own equation y_d = 0 gives its reactions and eliminates it; o
// are the loops that stay open:
//     lambda_d = -C_dd^+ (K_d' a + C_do lambda_o + k_d)                                                        (4)
//     IA += K_d C_dd^+ K_d'    pA += K_d C_dd^+ k_d    K_o -= K_d C_dd^+ C_do    C_oo -= C_od C_dd^+ C_do  ...  (5)
// The pseudo-inverse is exact here: C is semidefinite, so C_do lies in the range of C_dd; so does K_d' a, since for any
// a of that link its subtree can move rigidly with it, which keeps the loop closed. The outward pass computes the
// accelerations and (4).
//
// Only loops that pass through a common joint couple in C. C is stored in blocks; which loops couple, with the fill-in
// of (5), is found once. Reactions of redundant loops are not unique; they are the least within each loop only.
#pragma once

#include <memory>
#include <span>

#include "linchpin/dynamics/loops/constraint_rows.h"

namespace linchpin {

class LoopRecursion {
 public:
  LoopRecursion(const Model& model, const ConstraintPlan& constraints);  // both must outlive it
  LoopRecursion(const Model&&, const ConstraintPlan&) = delete;
  LoopRecursion(const Model&, const ConstraintPlan&&) = delete;
  ~LoopRecursion();
  LoopRecursion(LoopRecursion&&) noexcept;

  // vdot and reactions with gddot = 0, from poses, velocities and rows of the same state. f_ext as in aba.h, empty for
  // none. Returns the rank.
  int accelerations(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                    std::span<const double> v, std::span<const double> tau, std::span<const double> f_ext,
                    std::span<double> vdot, std::span<double> reactions);

  // The motion x of least kinetic energy with J x = -b: a projection. With holonomic_only nonholonomic rows are left
  // out. Each C_dd of (5) gets damping times its own diagonal added, which shortens x. `give` is each row's diagonal of
  // C before any elimination.
  int least_motion(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                   std::span<const double> b, bool holonomic_only, double damping, std::span<double> x,
                   std::span<double> reactions, std::span<double> give);

  // Blocks of C including fill-in; the cost of the loops is proportional to it.
  int blocks() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
