// The forces of actuators (model/spec.h), for all steppers. This is the only place that states their law.
//
//     force actuator     f = gear u, clamped to its limits                                                        (1)
//     position servo     f = stiffness (u - q - h w) - damping w                                                  (2)
//     velocity servo     f = damping (u - w)                                                                      (3)
// Servos are clamped to their limits too. q is the position at the start of a step, w a velocity within it and h the
// time to that point: time_stepping evaluates servos between the middle and the end of the step ((3) of joint_rows.h,
// theta h in place of h), so that stiff ones are stable. With h = 0
// and w = v these are the laws of spec.h, which the smooth steppers evaluate. A servo without stiffness and damping has
// no force, whatever its limits.
#pragma once

#include <span>

#include "linchpin/model/model.h"

namespace linchpin {

// u of an actuator: controls[actuator], or the model's own value if controls is empty.
double control_of(const Model& model, std::span<const double> controls, std::size_t actuator);
bool is_servo(const Actuator& actuator);  // false if its stiffness and damping are both 0
bool is_bounded(const Actuator& actuator);

// (1)
double commanded_force(const Actuator& a, double u);
// (2), (3) without the limits.
double servo_force(const Actuator& a, double u, double q, double w, double h);

// The force of any actuator at this position and velocity of its coordinate: (1), or (2) and (3) with h = 0, clamped.
// q is read for servos only.
double actuator_force(const Actuator& a, double u, double q, double v);

// Adds the forces of all actuators at q and v to tau. controls: one per actuator, or empty for the model's own.
void add_actuator_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                         std::span<const double> controls, std::span<double> tau);
// Their power, W.
double actuator_power(const Model& model, std::span<const double> q, std::span<const double> v,
                      std::span<const double> controls);

}  // namespace linchpin
