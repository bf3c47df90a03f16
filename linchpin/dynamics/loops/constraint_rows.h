// Rows of bilateral constraints: their values g, velocities, accelerations, and the forces of their reactions.
//
// A holonomic row is a function of position and time, a nonholonomic one of velocity; in both cases
//     gdot = J v + drift,   gddot = J vdot + bias                                                              (1)
// J is the exact derivative of g, so that Newton's method on g converges. bias is the part of gddot without vdot; in
// ConstraintRows it is the part without the accelerations of links, which have velocity products of their own. A row
// acts on few links. J v is a sum over its sides, each a force at a link's origin times the link's velocity:
//     J v = sum F_side . (w, v of its link)   and   J' lambda = the forces F_side lambda on these links         (2)
// Couplings between coordinates have sides too, a pair of opposite forces across each joint, since the compliance takes
// forces on links only; their J v is computed from the coordinates directly.
//
// With d = p_B - p_A, A's axes e, B's axes u (all in the world's axes), the rows are
//     along e:       g = e . d - displacement(t)                                                               (3)
//     turn:          g = e . u           (A's x or y on B's z; A's x on B's y)                                 (4)
//     turn, all:     g_x = (e_z . u_y - e_y . u_z) / 2 and so on: sin(angle) times the axis of the rotation    (5)
//     screw:         g = e_z . d - pitch angle, angle = atan2(e_y . u_x, e_x . u_x), up to whole turns         (6)
//     rod:           g = (d . d - (length + extension(t))^2) / (2 length)                                      (7)
//     rolling:       g = e_z . d - h,  h = |S u'e_z|, S the half axes: height of the lowest point; and          (8)
//                    gdot = e . (velocity of the point of touch on B - on A), e_z, e_x, e_y in this order       (9)
//     velocity:      gdot = angular . w + linear . v - speed(t)                                                (10)
//     coupling:      g = sum p(q) - value(t)                                                                   (11)
// Beyond a right angle, where the sines of (4) and (5) decrease, g is the angle itself and J uses A's own axes. Only
// the first steps of assembly get there, never a motion.
//
// An M-orthogonal step along J' does not depend on the units of a row, so rows are not weighted.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

// The result of solving for the rows.
struct ConstraintReport {
  int rows = 0, rank = 0;  // rank -1: some number is not finite
  double unmet = 0;        // largest residual |gddot|, |gdot| or |g|, in its own unit
  int worst = -1;          // the row with this residual
  int iterations = 0;      // of iterative methods
};

// Whether a constraint prescribes a motion and so may do work: its law of time is not constant (for a velocity: not
// zero).
bool is_driven(const Constraint& constraint);

// The rows of some constraints and the links they act on. Keeps a copy of the constraints.
class ConstraintPlan {
 public:
  ConstraintPlan(const Model& model, std::span<const Constraint> constraints);

  struct Side {
    int node, link;
  };
  int rows() const { return int(first_side_.size()) - 1; }
  std::span<const Constraint> constraints() const { return constraints_; }
  int first_row(int constraint) const { return first_row_[constraint]; }  // one past the last constraint: rows()
  int constraint_of(int row) const { return constraint_of_[row]; }
  bool holonomic(int row) const { return holonomic_[row] != 0; }

  // Row r has the sides [first_side(r), first_side(r + 1)). A frame on the world has no side.
  int first_side(int row) const { return first_side_[row]; }
  std::span<const Side> sides() const { return sides_; }

  // The links that rows act on; each link's own frame is a node of the compliance.
  std::span<const LinkNode> nodes() const { return nodes_; }

 private:
  std::vector<Constraint> constraints_;
  std::vector<int> first_row_, constraint_of_, first_side_;
  std::vector<char> holonomic_;
  std::vector<Side> sides_;
  std::vector<LinkNode> nodes_;
};

// The result of evaluate_rows(); any content is fine before.
struct ConstraintRows {
  explicit ConstraintRows(const ConstraintPlan& plan);
  std::vector<double> error;         // g, m or rad; zero for nonholonomic rows
  std::vector<double> drift, bias;   // (1)
  std::vector<Force<double>> force;  // per side: (2), at the link's origin in the world's axes
  std::vector<double> moment_size;   // per side: |lever| |force|, the scale of the moment's rounding error
};

void evaluate_rows(const Model& model, const ConstraintPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   std::span<const double> q, std::span<const double> v, double time, ConstraintRows& rows);

// gdot = J v + drift.
void row_velocities(const ConstraintPlan& plan, const ConstraintRows& rows, const Velocities& vel,
                    std::span<const double> q, std::span<const double> v, std::span<double> gdot);
// gddot, from accelerations() of the same vdot. evaluate_rows() must have been given the velocities.
void row_accelerations(const ConstraintPlan& plan, const ConstraintRows& rows,
                       std::span<const Motion<double>> link_acceleration, std::span<const double> q,
                       std::span<const double> vdot, std::span<double> gddot);

// Adds J' lambda to forces on bodies, six per body as f_ext in aba.h, and for couplings to forces on coordinates.
void add_reactions(const Model& model, const ConstraintPlan& plan, const ConstraintRows& rows,
                   const Kinematics<double>& kin, std::span<const double> q, std::span<const double> lambda,
                   std::span<double> tau, std::span<double> f);

// The dense J, rows x nv, row by row.
void constraint_jacobian(const Model& model, const ConstraintPlan& plan, const ConstraintRows& rows,
                         const Kinematics<double>& kin, const Velocities& vel, std::span<double> J);

}  // namespace linchpin
