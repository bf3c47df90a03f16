// Rows on single coordinates: limits of position and speed, dry friction, servos whose force is limited; and what an
// implicit step makes of springs, dampers and servos that are not.
//
// Over a step of length h, with w = v+ of the coordinate and z its impulse:
//     limits          z >= 0,  w + min(max(q - lower, 0) / h, speed) >= 0      and the same from above            (1)
//     dry friction    |z| <= h friction, against the motion                                                       (2)
//     servo           z = h (stiffness (u - q - h w) - damping w), within h times its limits, that is             (3)
//                     w + softness z + offset = 0,  softness = 1 / (h^2 stiffness + h damping),
//                     offset = -softness h stiffness (u - q)       (velocity servo: offset = -u)
//     spring          from body to body: the same with its elongation in place of q - u, and no limits
// A ball's limit is on the angle of its rotation, whose rate is w along the axis of that rotation, the same in both
// frames.
// What has no limits needs no row: its force at the end of the step is that at its start, with q + h v in place of q,
// less (h damping + h^2 stiffness) (v+ - v), which acts as so much armature more                                  (4)
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/rows.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

// One end of a coordinate's range, or the angle that a ball may turn by; and how fast it may be approached.
struct JointLimit {
  enum class Kind { lower, upper, angle };
  Kind kind;
  int coordinate;                       // of v; a ball's first
  int position;                         // of q, or -1 where there is no range; a ball's quaternion
  double bound = 0, speed = unlimited;  // rad or m; per s
};
// What is left to it, m or rad, and the rate at which that grows.
double gap_of(const JointLimit& limit, std::span<const double> q);
double rate_of(const JointLimit& limit, std::span<const double> q, std::span<const double> v);
// To the limit if q is beyond it.
void bring_within(const JointLimit& limit, std::span<double> q);

// Who has what: of velocity coordinates.
struct JointRowPlan {
  explicit JointRowPlan(const Model& model);
  std::vector<int> link;  // per coordinate: its link
  std::vector<JointLimit> limits;
  std::vector<int> frictional, damped;  // coordinates
  std::vector<int> bounded_servos;      // actuators
  bool passive = false;                 // are there springs or dampers in joints at all?
};

// One row each. A unit of z acts on the coordinate itself, or draws a spring's ends apart. A limit's offset is the speed
// at which it may be approached.
void add_limit_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   const JointLimit& limit, std::span<const double> q, double offset, Rows& rows);
void add_friction_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin,
                      const Velocities& vel, int coordinate, double h, Rows& rows);
void add_servo_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   int actuator, double u, double q, double h, Rows& rows);
void add_spring_row(const Model& model, const Kinematics<double>& kin, int spring, double h, Rows& rows);

// u of an actuator: as given, or where nothing is given its own.
double control_of(const Model& model, std::span<const double> controls, std::size_t actuator);
bool is_servo(const Actuator& actuator);  // and does anything at all
bool is_bounded(const Actuator& actuator);

// (4): armature by coordinate for a step h. Ball joints count with what their three coordinates have in common; the
// dampers of free joints stay explicit.
void implicit_armature(const Model& model, double h, bool with_bounded_servos, std::span<double> armature);

// Adds to tau: springs and dampers of joints (4), actuators that are forces, and servos: those that are bounded only if asked.
void add_implicit_forces(const Model& model, const JointRowPlan& plan, std::span<const double> q,
                         std::span<const double> v, std::span<const double> controls, double h,
                         bool with_bounded_servos, std::span<double> moved_q, std::span<double> step,
                         std::span<double> tau);

// The force of a servo at the end of a step, were it not bounded.
double servo_force(const Actuator& a, double u, double q, double v_end, double h);

}  // namespace linchpin
