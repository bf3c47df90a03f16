// Forward dynamics of closed chains in one recursion: O(n) links and O(m) loops, where loops are local.
//
// 002 s.3.4 recommends to reduce coordinates loop by loop within the recursion, where the compliance (closed_chain.h) pays
// O(rows^3) for all of them at once. Seen as 003 does, both eliminate one matrix in different orders: the compliance
// all bodies first, then all loops; here a loop goes as soon as the recursion has passed all that it touches.
//
// Inward, every link carries what its outer bodies feel and show as functions of its own acceleration a and of the
// reactions of the loops that are still open,
//     f = IA a + pA - K lambda,   y = K' a + C lambda + k       (y: the open rows' gddot so far)               (1)
// K begins as the rows' forces on the link (constraint_rows.h (2)). Through a joint with axes S, and with
// D = S' IA S + armature, U = IA S, u = tau - S' (pA + IA c), X the way from the parent, c velocity products,
//     IA_p += X' (IA - U D^-1 U') X         pA_p += X' (pA + IA c + U D^-1 u)                                  (2)
//     K_p += X' (K - U D^-1 S'K)            C += K'S D^-1 S'K         k += K' c + K'S D^-1 u                   (3)
// At the link where all sides of a loop d have met, its rows' own equation y_d = 0 gives its reactions, and with them it
// leaves the system; o are loops that stay open:
//     lambda_d = -C_dd^+ (K_d' a + C_do lambda_o + k_d)                                                        (4)
//     IA += K_d C_dd^+ K_d'    pA += K_d C_dd^+ k_d    K_o -= K_d C_dd^+ C_do    C_oo -= C_od C_dd^+ C_do  ...  (5)
// The pseudo-inverse is exact here: C is semidefinite, so C_do lies in the range of C_dd; and for any a of that link its
// outer bodies could move along with it, which keeps the loop closed, so K_d' a does too. Outward, accelerations and (4).
//
// Only loops that pass through one joint meet in C; it is kept in blocks, and which loops meet, with the fill of (5), is
// found once. Reactions of redundant loops are one of many, least within each loop only.
#pragma once

#include <memory>
#include <span>

#include "linchpin/dynamics/loops/constraint_rows.h"

namespace linchpin {

class LoopRecursion {
 public:
  LoopRecursion(const Model& model, const ConstraintPlan& constraints);  // both must outlive it
  ~LoopRecursion();
  LoopRecursion(LoopRecursion&&) noexcept;

  // vdot and reactions with gddot = 0, at a place whose poses, velocities and rows have been evaluated. f_ext as in
  // aba.h, empty for none. Returns the rank.
  int accelerations(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                    std::span<const double> v, std::span<const double> tau, std::span<const double> f_ext,
                    std::span<double> vdot, std::span<double> reactions);

  // The motion x of least kinetic energy with J x = -b: a projection. Without rows that are not holonomic if so asked.
  // Damping adds that part of its own diagonal to each C_dd of (5), which shortens x; `give` is each row's diagonal of C
  // before anything is eliminated.
  int least_motion(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                   std::span<const double> b, bool holonomic_only, double damping, std::span<double> x,
                   std::span<double> reactions, std::span<double> give);

  // Blocks of C, the fill included: the cost of the loops is in proportion.
  int blocks() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
