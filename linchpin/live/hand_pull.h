// Pulls points of bodies towards targets of a user's hand: a damped spring, scaled to the inertia of the point.
//
// With e from the body's point to the target and v the point's velocity, the point shall accelerate by
//     a = (w^2 (e - dt v) - 2 w v) / (1 + 2 w dt + w^2 dt^2)                                                     (1)
// a critically damped spring of frequency w, integrated by implicit Euler over a step dt, so that it is stable for
// every step size. The force is
//     f = (W + s trace(W) 1)^-1 a / n                                                                            (2)
// with W = J M^-1 J' the compliance of that point [compliance.h] and n the number of pulls. s bounds the force in
// directions of low compliance (along a stretched arm). Loops and contacts are not in W and only increase the inertia
// of the point. In both cases f is less than (1) requires, and the pull stays stable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct Pull {
  int body = 0;
  Vec3<double> at{0, 0, 0};  // in the body, m
  Vec3<double> to{0, 0, 0};  // in the world, m
};

class Hand {
 public:
  static constexpr double frequency = 15;   // rad/s: 4 cm balance a free body's weight, and it follows within 0.2 s
  static constexpr double softness = 0.01;  // s of (2)
  static constexpr double most_pull = 300;  // m/s^2: bound of |w^2 e|
  explicit Hand(const Model& model);        // must outlive it
  explicit Hand(const Model&&) = delete;

  // The forces of all pulls at this state for a step dt, as Inputs::f_ext. Valid until the next call.
  std::span<const double> forces(const State& state, double dt, std::span<const Pull> pulls);

 private:
  const Model& model_;
  Plan<double> plan_;
  Kinematics<double> kin_;
  Velocities vel_;
  ArticulatedFactor<double> factors_;
  NodeTree<double> tree_;
  Compliance<double> compliance_;
  std::vector<LinkNode> nodes_;
  std::vector<double> matrix_, forces_;
};

}  // namespace linchpin
