// Accelerations in a contact mode. Internal to sim/.
//
// Rows of loops, contacts in touch, limits reached and dry friction have accelerations
//     w = d/dt (J v) = W z + b,   W = J M^-1 J',   b = J a_free + c,   c = (dJ/dt) v                             (1)
// with a_free the accelerations without them and z their forces. A mode says what each row does:
//     loop                     w = 0
//     contact, open            z = 0
//     contact, closed          w_N = 0
//       that sticks or rolls   w_T = 0                                                                          (2)
//       that slides            z_T = -mu_kinetic z_N d,   d its direction of sliding                            (3)
//     limit, closed            w = 0;  open: z = 0
//     dry friction             w = 0 where it sticks, else z = -F sign(v)
// With z = T x + z_0 these are linear equations for x,
//     S W T x = -S (b + W z_0)                                                                                  (4)
// S the rows with w = 0. T differs from S' by (3), so the matrix is not symmetric. Rows and columns are scaled by the
// roots of W's diagonal. Where contacts are redundant, x is the solution that is nearest to the forces with which the
// mode was found (least_norm.h). Single forces are not unique then; accelerations are, but for sliding contacts whose
// friction depends on how the load is shared. There the choice is this one.
//
// With directional friction, mu along t1 and `across` mu along t2 ((2) of contact_set.h), (3) is
//     z_T = -mu z_N (u1, across^2 u2) / |(u1, across u2)|                                                       (5)
//
// c is that of velocity_products.h, and (4) is solved by mode_equations.h.
//
// Forces of inputs, springs, dampers and actuators are those of the smooth steppers (steppers.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linchpin/sim/event_driven/contact_follower.h"
#include "linchpin/sim/event_driven/mode_equations.h"
#include "linchpin/sim/event_driven/velocity_products.h"

namespace linchpin {

class ModeDynamics {
 public:
  ModeDynamics(Dynamics& dynamics, const StepPlan& plan);

  // Fills rows, W and b at q and v. `set` has the pairs of shapes of all contacts of the mode. all_rows: also for
  // contacts and limits that are open.
  void evaluate(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs,
                const Mode& mode, const ContactSet& set, bool all_rows, ModeForces& out);
  // Solves (4) by the mode, whose contacts must be those of evaluate().
  void solve(const Mode& mode, ModeForces& out) { equations_.solve(mode, dynamics_.constraint_rows(), out); }
  // Right after solve(): vectors z that change no acceleration (by row, `count` of them one after the other).
  int idle_forces(const ModeForces& forces, std::vector<double>& out) { return equations_.idle_forces(forces, out); }
  // Fills vdot. Call after solve(), before the next evaluate().
  void lift(ModeForces& out);
  void evaluate_power(const Inputs& inputs, ModeForces& out);
  // After evaluate(): the least motion, in the metric of the mass matrix, that changes these rows by -errors (one per
  // row of `rows`); the other rows may change. False if a number is not finite.
  bool correct(std::span<const double> errors, std::span<const int> rows, ModeForces& forces, std::span<double> change);

  const Placed& placed() const { return placed_; }  // at the last q and v

 private:
  void gather_forces(const Inputs& inputs);
  void add_rows(const Mode& mode, bool all_rows, ModeForces& out);
  void respond(std::span<const double> z, ModeForces& forces, std::span<double> change);

  Dynamics& dynamics_;
  const StepPlan& plan_;
  std::unique_ptr<Formulation> formulation_;
  Placed placed_;
  ContactFollower follower_;
  VelocityProducts products_;
  ModeEquations equations_;
  std::vector<double> q_, v_, tau_, f_, v_plus_, impulses_;
  std::span<const double> f_ext_;
  double time_ = 0;
  AbaWorkspace<double> aba_;
  Problem problem_;
  std::optional<ConstraintRows> loops_;
  LeastNormSolver solver_;  // of correct(), and its matrix and sides
  std::vector<double> A_, x_, z_correct_, speeds_;
};

}  // namespace linchpin
