// Rows on single coordinates: limits of position and speed, dry friction, servos with limited force. Also the implicit
// treatment of springs, dampers and servos without limits.
//
// Over a step of length h, with v and v+ of the coordinate at its start and end, and z its impulse:
//     limits          z >= 0,  v+ + offset >= 0                                and the same from above            (1)
//     dry friction    |z| <= h friction, against v+ + offset                                                      (2)
//     servo           z = h times its force (actuators.h) at                                                      (3)
//                     v_t = (1 - theta) v + theta v+   and   q + theta h v_t,   within h times its limits, that is
//                     v+ + softness z + offset = 0,  softness = 1 / (theta (theta h^2 stiffness + h damping)),
//                     offset = (1 - theta) / theta v - softness h stiffness (u - q)
//                     (velocity servo: offset = ((1 - theta) v - u) / theta)
//     spring          from body to body: as a servo with its elongation in place of q - u, and no limits; its rates
//                     are J_0 v and J_m v+ + (J_m - J_0) v, if its line turns from J_0 to J_m in half of the step
// The limit of a ball joint is on its angle of rotation. The rate of this angle is the component of the angular
// velocity along the axis of rotation, which is the same in both frames.
// A force without limits needs no row. It is its value at v and q + theta h v, minus
//     theta (theta h stiffness + damping) (v+ - v)                                                                (4)
// which acts as additional armature, times h.
//
// theta = 1/2 is of second order but does not damp motions that are much faster than h; theta = 1 damps them fully but
// is of first order. Each coordinate has
//     theta = 1/2 + x / (2 (1 + x)),   x = (h^2 stiffness + h damping) / inertia                                  (5)
// with its stiffness and damping in all, and the articulated inertia D of aba.h. So theta - 1/2 is of the order of h,
// which keeps the second order, and theta is near 1 where h does not resolve the motion. `numerical_damping` scales
// theta - 1/2: with 0 motions that h does not resolve keep their energy, with 1 they are gone after a step or two.
//
// Two more rows make the treatment complete (Stepper::trapezoidal). A spring with the tension T > 0 and the length L
// pulls its ends back sideways with the stiffness T / L, which an explicit force makes unstable where h^2 T / (L m) is
// above 4:
//     sway            two rows: z = -h (T / L) times the distance that the ends move sideways, from where the row
//                     is evaluated, up to theta h v_t                                                             (6)
//     damper          z = -(h times the factor of (4), minus the armature) (v+ - v): what (4) asks for beyond the
//                     armature of its link, at free joints and at ball joints whose springs or dampers differ     (7)
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/actuators.h"
#include "linchpin/contact/rows.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

// One end of a coordinate's range, or the largest angle of a ball joint, and the speed at which it may be approached.
struct JointLimit {
  enum class Kind { lower, upper, angle };
  Kind kind;
  int coordinate;                       // index in v; the first one of a ball joint
  int position;                         // index in q, or -1 if there is no range; of a ball joint, its quaternion
  double bound = 0, speed = unlimited;  // rad or m; rad/s or m/s
};
// The distance to the limit, m or rad, negative beyond it; and its rate.
double gap_of(const JointLimit& limit, std::span<const double> q);
double rate_of(const JointLimit& limit, std::span<const double> q, std::span<const double> v);
// How far the farthest joint is beyond its range; 0 if all are within.
double overrun_of(std::span<const JointLimit> limits, std::span<const double> q);
// Sets q to the limit if it is beyond it.
void bring_within(const JointLimit& limit, std::span<double> q);

// Lists the coordinates with limits, dry friction and damping, and the bounded servos.
struct JointRowPlan {
  explicit JointRowPlan(const Model& model);
  std::vector<int> link;  // per coordinate: its link
  std::vector<JointLimit> limits;
  std::vector<int> frictional, damped;  // coordinates
  std::vector<int> bounded_servos;      // actuators
  bool passive = false;                 // is there any spring or damper in a joint?
};

// (5): theta by coordinate and by spring, for steps of length h, and the inertia of each coordinate.
struct ImplicitWeights {
  // with_damper_rows: what has no armature counts as well, since it has rows (7).
  ImplicitWeights(const Model& model, const Plan<double>& plan, double h, double numerical_damping = 1,
                  bool with_damper_rows = false);
  std::vector<double> coordinate, spring;
  std::vector<double> inertia;  // by coordinate, kg m^2 or kg
};
// theta of (5) for x.
double implicit_weight(double x, double numerical_damping);
// The sum of 1 / mass of the bodies at the ends of a spring, 1/kg.
double mobility_of(const Model& model, const Spring& spring);

// Each adds one row. A unit of z is a unit of generalised force on the coordinate, or of force that pushes the ends of
// the spring apart. The offset of a limit is the speed at which it may be approached. u: control, q and v: position and
// velocity of the servo's coordinate, h: step; ahead: the time by which kin and vel are ahead of the step's start,
// kin_0 and vel_0.
void add_limit_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   const JointLimit& limit, std::span<const double> q, double offset, Rows& rows);
void add_friction_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin,
                      const Velocities& vel, int coordinate, double offset, double h, Rows& rows);
void add_servo_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   int actuator, double u, double q, double v, double theta, double h, Rows& rows);
// Returns false, and adds no row, where the spring has no length: the direction of its force is undefined.
bool add_spring_row(const Model& model, const Kinematics<double>& kin_0, const Velocities& vel_0,
                    const Kinematics<double>& kin, const Velocities& vel, int spring, double theta, double h,
                    Rows& rows);
double length_of(const Model& model, const Kinematics<double>& kin, const Spring& spring);  // m
// A free row on the rate of a spring's length. Returns false, and adds none, where the spring has no length.
bool add_length_row(const Model& model, const Kinematics<double>& kin, int spring, double offset, Rows& rows);
// (6), as one block of two rows. stiffness: T / L, N/m, positive.
void add_sway_rows(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int spring, double ahead,
                   double theta, double stiffness, double h, Rows& rows);
// (7), with v of the coordinate and the factor of v+ - v, positive.
void add_damper_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                    int coordinate, double v, double factor, Rows& rows);

// (4): by coordinate, what multiplies v+ - v.
void implicit_factors(const Model& model, std::span<const double> theta, double h, bool with_bounded_servos,
                      std::span<double> factors);
// The additional armature for these factors. A link has one armature for all its coordinates, so ball joints get the
// least of their three, and free joints none.
void implicit_armature(const Model& model, std::span<const double> factors, std::span<double> armature);

// Adds to tau: springs and dampers of joints (4), force actuators, and servos (bounded ones only if
// with_bounded_servos). moved_q and step are workspace.
void add_implicit_forces(const Model& model, const JointRowPlan& plan, std::span<const double> theta,
                         std::span<const double> q, std::span<const double> v, std::span<const double> controls,
                         double h, bool with_bounded_servos, std::span<double> moved_q, std::span<double> step,
                         std::span<double> tau);

}  // namespace linchpin
