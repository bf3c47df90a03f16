// Rows on single coordinates: limits of position and speed, dry friction, servos with limited force. Also the implicit
// treatment of springs, dampers and servos without limits.
//
// Over a step of length h, with w = v+ of the coordinate and z its impulse:
//     limits          z >= 0,  w + min(max(q - lower, 0) / h, speed) >= 0      and the same from above            (1)
//     dry friction    |z| <= h friction, against the motion                                                       (2)
//     servo           z = h times its force (actuators.h), within h times its limits, that is                     (3)
//                     w + softness z + offset = 0,  softness = 1 / (h^2 stiffness + h damping),
//                     offset = -softness h stiffness (u - q)       (velocity servo: offset = -u)
//     spring          from body to body: as a servo with its elongation in place of q - u, and no limits
// The limit of a ball joint is on its angle of rotation. The rate of this angle is the component of the angular
// velocity along the axis of rotation, which is the same in both frames.
// A force without limits needs no row. Its value at the end of the step is its value at the start with q + h v in place
// of q, minus (h damping + h^2 stiffness) (v+ - v). The last term acts as additional armature.                    (4)
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

// Each adds one row. A unit of z is a unit of generalised force on the coordinate, or of force that pushes the ends of
// the spring apart. The offset of a limit is the speed at which it may be approached. u: control, q: position of the
// servo's coordinate, h: step.
void add_limit_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   const JointLimit& limit, std::span<const double> q, double offset, Rows& rows);
void add_friction_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin,
                      const Velocities& vel, int coordinate, double h, Rows& rows);
void add_servo_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   int actuator, double u, double q, double h, Rows& rows);
void add_spring_row(const Model& model, const Kinematics<double>& kin, int spring, double h, Rows& rows);

// (4): the additional armature by coordinate for a step h. A link has one armature for all its coordinates, so ball
// joints get the least of their three; the dampers of free joints stay explicit.
void implicit_armature(const Model& model, double h, bool with_bounded_servos, std::span<double> armature);

// Adds to tau: springs and dampers of joints (4), force actuators, and servos (bounded ones only if
// with_bounded_servos). moved_q and step are workspace.
void add_implicit_forces(const Model& model, const JointRowPlan& plan, std::span<const double> q,
                         std::span<const double> v, std::span<const double> controls, double h,
                         bool with_bounded_servos, std::span<double> moved_q, std::span<double> step,
                         std::span<double> tau);

}  // namespace linchpin
