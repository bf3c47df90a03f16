// State of a mechanism, and the manifold of its configurations.
//
// Coordinates are laid out joint by joint as in the table of spec.h. Rotations are unit quaternions, so q and v differ
// in size: q advances by integrate(), never by addition.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

// A constraint row of the last step and its force: the warm start of the next step.
struct RowMemory {
  // Contact: shapes, pieces, features (collision_scene.h). Other rows: 2^32 - 1, the kind of row, its index.
  std::array<std::uint32_t, 5> key{};
  std::array<double, 3> force{};  // N or N m: along the normal and two tangents, or of one coordinate
  // m/s, along the same: of a contact that closed in the last step, its velocity before, for the restitution of
  // position_level; otherwise 0.
  std::array<double, 3> approach{};
};

struct State {
  double time = 0;
  std::vector<double> q, v;
  double substep = 0;             // next step size of an adaptive stepper, s; 0: not known yet
  std::vector<RowMemory> memory;  // sorted by key, the feature not compared; empty is a cold start
  bool fresh = false;             // true if the last step solved for these forces, false if its warm start was accepted
  int loose_steps = 0;            // consecutive steps solved only to the acceptable tolerance
  // nv mean accelerations of the last step, then how much they changed from the step before: they predict those of the
  // next step. 0 and 0 where that is not known, because v jumped; empty: no step yet.
  std::vector<double> vdot;
  std::vector<double> still;      // per tree of the model: time at rest so far, s; empty if sleeping is off
};

// The initial state of the joints' specs; by default all coordinates zero (every joint's M on its F), at rest.
State make_state(const Model& model);

// Moves q along the constant velocity `step` (velocity times time) for unit time: q <- q (+) step. Quaternions advance
// by the exponential map and are normalised.
void integrate(const Model& model, std::span<const double> step, std::span<double> q);

// The step that leads from a to b: b = a (+) step.
void difference(const Model& model, std::span<const double> a, std::span<const double> b, std::span<double> step);

// Scales each quaternion to length 1.
void normalize(const Model& model, std::span<double> q);

// Angles and distances uniform in [-range, range], rotations uniform, velocities uniform in [-speed, speed].
State random_state(const Model& model, std::uint64_t seed, double range = 3, double speed = 1);

}  // namespace linchpin
