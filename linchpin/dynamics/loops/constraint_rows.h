// The rows of constraints: where they stand, how they move, and the forces that hold them.
//
// Every row is a function of where the mechanism is and of time, or for nonholonomic ones of how it moves; in all cases
//     gdot = J v + drift,   gddot = J vdot + bias                                                              (1)
// with J the derivative of g itself, so that Newton's method on g converges, and bias all that is left of gddot without
// vdot (in ConstraintRows: without accelerations of links, which have velocity products of their own). A row touches few
// links: J v is a sum over its sides, each a force at a link's origin times the link's motion,
//     J v = sum F_side . (w, v of its link)   and   J' lambda = the forces F_side lambda on these links         (2)
// Couplings between coordinates have sides too, a pair of opposite forces across each joint, for the compliance knows
// forces on links only; their J v is taken from the coordinates themselves.
//
// With d = p_B - p_A, A's axes e, B's axes u (all in the world's axes), the rows are
//     along e:       g = e . d - displacement(t)                                                               (3)
//     turn:          g = e . u                                                 (A's x or y on B's z; A's x on B's y)   (4)
//     turn, all:     g_x = (e_z . u_y - e_y . u_z) / 2 and so on: sin(angle) times the axis of the rotation    (5)
//     screw:         g = e_z . d - pitch angle, angle = atan2(e_y . u_x, e_x . u_x), up to whole turns         (6)
//     rod:           g = (d . d - (length + extension(t))^2) / (2 length)                                      (7)
//     rolling:       g = e_z . d - h,  h = |S u'e_z|, S the half axes: height of the lowest point; and          (8)
//                    gdot = e . (velocity of the point of touch on B - on A), e_z, e_x, e_y in this order       (9)
//     velocity:      gdot = angular . w + linear . v - speed(t)                                                (10)
//     coupling:      g = sum p(q) - value(t)                                                                   (11)
// Beyond a right angle, where the sines of (4) and (5) shrink again, g is the angle itself, with A's own axes for J: far
// from closed is where Newton's method begins, not where motion is.
//
// An M-orthogonal step along J' is the same whatever the units of a row: nothing here is weighted.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

// What is left of the rows' conditions after something has been done about them.
struct ConstraintReport {
  int rows = 0, rank = 0;  // rank -1: numbers that are not finite
  double unmet = 0;        // largest |gddot|, |gdot| or |g| left over, in its own unit
  int worst = -1;          // the row where that is
  int iterations = 0;      // where it took several
};

// Whether it prescribes a motion, and so may do work: a law of time that is more than a place (or, of a velocity, zero).
bool is_driven(const Constraint& constraint);

// Which rows some constraints have and which links they touch. Keeps a copy of the constraints.
class ConstraintPlan {
 public:
  ConstraintPlan(const Model& model, std::span<const Constraint> constraints);

  struct Side {
    int node, link;
  };
  int rows() const { return int(first_side_.size()) - 1; }
  std::span<const Constraint> constraints() const { return constraints_; }
  int first_row(int constraint) const { return first_row_[constraint]; }  // also for one past the last
  int constraint_of(int row) const { return constraint_of_[row]; }
  bool holonomic(int row) const { return holonomic_[row] != 0; }

  // Of row r: sides [first_side(r), first_side(r + 1)). None for what is on the world.
  int first_side(int row) const { return first_side_[row]; }
  std::span<const Side> sides() const { return sides_; }

  // The links that any row touches; each link's own frame is a node of the compliance.
  std::span<const LinkNode> nodes() const { return nodes_; }

 private:
  std::vector<Constraint> constraints_;
  std::vector<int> first_row_, constraint_of_, first_side_;
  std::vector<char> holonomic_;
  std::vector<Side> sides_;
  std::vector<LinkNode> nodes_;
};

// What evaluate_rows() finds; any content is fine before it.
struct ConstraintRows {
  explicit ConstraintRows(const ConstraintPlan& plan);
  std::vector<double> error;         // g, m or rad; zero for rows without
  std::vector<double> drift, bias;   // (1)
  std::vector<Force<double>> force;  // per side: (2), at the link's origin in the world's axes
  std::vector<double>
      moment_size;  // per side: what its moment was made of, |lever| |force|: the measure of its rounding
};

void evaluate_rows(const Model& model, const ConstraintPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   std::span<const double> q, std::span<const double> v, double time, ConstraintRows& rows);

// gdot = J v + drift.
void row_velocities(const ConstraintPlan& plan, const ConstraintRows& rows, const Velocities& vel,
                    std::span<const double> q, std::span<const double> v, std::span<double> gdot);
// gddot, from accelerations() of the same vdot. evaluate_rows() must have seen the velocities.
void row_accelerations(const ConstraintPlan& plan, const ConstraintRows& rows,
                       std::span<const Motion<double>> link_acceleration, std::span<const double> q,
                       std::span<const double> vdot, std::span<double> gddot);

// Adds J' lambda to forces on bodies, six per body as f_ext in aba.h, and for couplings to forces on coordinates.
void add_reactions(const Model& model, const ConstraintPlan& plan, const ConstraintRows& rows,
                   const Kinematics<double>& kin, std::span<const double> q, std::span<const double> lambda,
                   std::span<double> tau, std::span<double> f);

// J itself, rows x nv, row after row, for who wants it dense.
void constraint_jacobian(const Model& model, const ConstraintPlan& plan, const ConstraintRows& rows,
                         const Kinematics<double>& kin, const Velocities& vel, std::span<double> J);

}  // namespace linchpin
