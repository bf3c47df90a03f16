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
// c of a contact holds the motion of its point over both surfaces. The pair of shapes is collided again at q (+) s v
// for s = +-eps, +-2 eps, and J v is differenced along that path with v fixed:
//     c = (8 (f(eps) - f(-eps)) - (f(2 eps) - f(-2 eps))) / (12 eps),   f(s) = J(q (+) s v) v                     (6)
// for f = n . u and, of a contact without slip, f = u. eps turns and moves the bodies by 1e-3 of their size: the error
// of (6), eps^4 f^(5) / 30, is below 1e-13 of the largest term, and so is rounding / eps, for shapes whose contact is
// found to rounding. Where the contact ends on one side of its feature, (6) is replaced by the differences of second
// order on the other side.
//
// Forces of inputs, springs, dampers and actuators are those of the smooth steppers (steppers.h).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linchpin/sim/event_driven/least_norm.h"
#include "linchpin/sim/event_driven/mode.h"
#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// (4) is contradictory if its residual is more than this part of ModeForces::scale.
inline constexpr double contradiction = 1e-7;

struct ModeForces {
  explicit ModeForces(const Model& model);
  // At one configuration, by evaluate().
  StepRows rows;
  std::vector<Contact> contacts;   // of the mode, in its order, with the tangents and coefficients of rest
  std::vector<Contact> in_motion;  // the same with those of sliding
  std::vector<Vec3<double>> u;     // W, their relative velocities
  std::vector<int> contact_row, limit_row, dry_row;  // of the mode's items: their first row, -1 for none
  std::vector<double> W, b;                          // (1), W row by row
  std::vector<double> D;                             // by row: 1 / root of W's diagonal
  double scale = 0;       // the largest |D b|: accelerations and forces far below it are rounding
  bool all_found = true;  // false: a contact of the mode is no longer there
  // By solve().
  std::vector<double> z, w;   // by row
  bool is_unique = true;      // the rank of (4) is full
  bool is_consistent = true;  // (4) has a solution
  std::vector<double> vdot;
  // By evaluate_power().
  Power power;
  double lost = 0;  // power that contacts and dry friction take, W
};

class ModeDynamics {
 public:
  ModeDynamics(Dynamics& dynamics, const StepPlan& plan);

  // Fills rows, W and b at q and v. `set` has the pairs of shapes of all contacts of the mode. all_rows: also for
  // contacts and limits that are open.
  void evaluate(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs,
                const Mode& mode, const ContactSet& set, bool all_rows, ModeForces& out);
  // Solves (4) by the mode, whose contacts must be those of evaluate().
  void solve(const Mode& mode, ModeForces& out);
  // Right after solve(): vectors z that change no acceleration (by row, `count` of them one after the other).
  int idle_forces(const ModeForces& forces, std::vector<double>& out);
  // Fills vdot. Call after solve(), before the next evaluate().
  void lift(ModeForces& out);
  void evaluate_power(const Inputs& inputs, ModeForces& out);
  // After evaluate(): the least motion, in the metric of the mass matrix, that changes these rows by -errors (one per
  // row of `rows`); the other rows may change. False if a number is not finite.
  bool correct(std::span<const double> errors, std::span<const int> rows, ModeForces& forces, std::span<double> change);

  const Placed& placed() const { return placed_; }  // at the last q and v
  ContactSet& there() { return there_; }
  // The direction of sliding in which friction acts: u itself, or slide where there is no slip yet; W.
  static Vec3<double> sliding_direction(const ModeContact& contact, const Contact& at, const Vec3<double>& u);
  // (5) per unit of normal force, W.
  static Vec3<double> friction_per_load(const Contact& in_motion, const Vec3<double>& direction);

 private:
  void gather_forces(const Inputs& inputs);
  void follow(const Mode& mode, const ContactSet& set, const Kinematics<double>& kin, const Velocities& vel);
  const Contact* find_same(const Contact& contact) const;
  void add_rows(const Mode& mode, bool all_rows, ModeForces& out);
  void add_velocity_products(const Mode& mode, const ContactSet& set, ModeForces& out);
  void respond(std::span<const double> z, ModeForces& forces, std::span<double> change);
  double difference_step(const ModeForces& out) const;

  Dynamics& dynamics_;
  const StepPlan& plan_;
  std::unique_ptr<Formulation> formulation_;
  Placed placed_, moved_;
  ContactSet there_;
  std::vector<char> followed_;
  std::vector<double> q_, v_, q_moved_, step_, tau_, f_, zero_, v_plus_, impulses_;
  std::span<const double> f_ext_;
  double time_ = 0;
  AbaWorkspace<double> aba_;
  Problem problem_;
  std::optional<ConstraintRows> loops_;
  std::vector<double> loop_bias_;
  std::vector<Motion<double>> link_acceleration_;
  // (6): per contact and side (-2, -1, 1, 2): n . u and u, and whether it was found.
  struct Sample {
    bool found = false;
    double normal = 0;
    Vec3<double> u = Vec3<double>::zero();
  };
  std::vector<std::array<Sample, 4>> samples_;
  std::vector<double> c_;  // by row
  // (4)
  LeastNormSolver solver_;
  std::vector<int> unknown_;        // rows with w = 0
  std::vector<Vec3<double>> load_;  // per contact: of its friction that slides, per load, W
  std::vector<int> slides_;         // by row: the contact whose sliding load this row is, or -1
  std::vector<double> A_, x_, near_, idle_, speeds_, z_correct_;
  std::vector<std::array<double, 4>> limit_rates_;
};

}  // namespace linchpin
