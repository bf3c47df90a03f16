#include "linchpin/contact/actuators.h"

#include <algorithm>

namespace linchpin {
namespace {

// Calls f(coordinate, force) for each actuator.
template <class F>
void for_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                std::span<const double> controls, const F& f) {
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& a = model.actuators()[i];
    const double position = a.q < 0 ? 0 : q[a.q];  // a ball or free joint takes force actuators only
    f(a.v, actuator_force(a, control_of(model, controls, i), position, v[a.v]));
  }
}

}  // namespace

double control_of(const Model& model, std::span<const double> controls, std::size_t actuator) {
  return controls.empty() ? model.actuators()[actuator].control : controls[actuator];
}

bool is_servo(const Actuator& a) { return a.type != ActuatorType::force && (a.stiffness != 0 || a.damping != 0); }
bool is_bounded(const Actuator& a) { return a.lower != -unlimited || a.upper != unlimited; }

double commanded_force(const Actuator& a, double u) { return std::clamp(a.gear * u, a.lower, a.upper); }

double servo_force(const Actuator& a, double u, double q, double w, double h) {
  if (a.type == ActuatorType::velocity) return a.damping * (u - w);
  return a.stiffness * (u - q - h * w) - a.damping * w;
}

double actuator_force(const Actuator& a, double u, double q, double v) {
  if (a.type == ActuatorType::force) return commanded_force(a, u);
  return is_servo(a) ? std::clamp(servo_force(a, u, q, v, 0), a.lower, a.upper) : 0;
}

void add_actuator_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                         std::span<const double> controls, std::span<double> tau) {
  for_forces(model, q, v, controls, [&](int k, double force) { tau[k] += force; });
}

double actuator_power(const Model& model, std::span<const double> q, std::span<const double> v,
                      std::span<const double> controls) {
  double power = 0;
  for_forces(model, q, v, controls, [&](int k, double force) { power += force * v[k]; });
  return power;
}

}  // namespace linchpin
