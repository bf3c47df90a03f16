// What changes as time goes on, and the manifold it lives on.
//
// Coordinates are laid out joint by joint as spec.h's table says. Rotations are unit quaternions, so positions and
// velocities differ in number: q moves along v by integrate(), never by addition.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

// A condition of the last step's problem and the force that met it: where the next one begins to look.
struct RowMemory {
  // Of a contact: shapes, pieces, features (collision_scene.h). Of others: the largest number, what it is, which one.
  std::array<std::uint32_t, 5> key{};
  std::array<double, 3> force{};  // N or N m: along the normal and two tangents, or of one coordinate
};

struct State {
  double time = 0;
  std::vector<double> q, v;
  double substep = 0;             // what an adaptive stepper would try next, s; 0: it has to find out
  std::vector<RowMemory> memory;  // in rising order of keys but for the feature; empty is a cold start
  bool fresh = false;             // were those forces found anew in the last step, or did the guess do?
  int loose_steps = 0;            // in a row, whose problem was solved to what is acceptable only
  std::vector<double> still;      // per tree of the model: how long it has hardly moved, s; empty where nothing sleeps
};

// Where the joints' specs say: if they are silent at zero, every joint's M on its F, at rest.
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
