// What changes as time goes on, and the manifold it lives on.
//
// Coordinates are laid out joint by joint as spec.h's table says. Rotations are unit quaternions, so positions and
// velocities differ in number: q moves along v by integrate(), never by addition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

struct State {
  double time = 0;
  std::vector<double> q, v;
  double substep = 0;  // what an adaptive stepper would try next, s; 0: it has to find out
};

// At zero: every joint's M on its F, at rest.
State make_state(const Model& model);

// Moves q along the constant velocity `step` (velocity times time) for unit time: q <- q (+) step. Quaternions turn by
// the exponential map and come back at length 1.
void integrate(const Model& model, std::span<const double> step, std::span<double> q);

// The step that leads from a to b: b = a (+) step.
void difference(const Model& model, std::span<const double> a, std::span<const double> b, std::span<double> step);

// Each quaternion to length 1.
void normalize(const Model& model, std::span<double> q);

// Angles and distances even in [-range, range], rotations even over all rotations, velocities even in [-speed, speed].
State random_state(const Model& model, std::uint64_t seed, double range = 3, double speed = 1);

}  // namespace linchpin
