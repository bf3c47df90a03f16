// A hand that pulls points of bodies to where it is held: a damped spring, as strong as what it pulls is heavy.
//
// With e the way from the body's point to the target and v the point's velocity, the point shall accelerate by
//     a = (w^2 (e - dt v) - 2 w v) / (1 + 2 w dt + w^2 dt^2)                                                     (1)
// a critically damped spring of frequency w as implicit Euler takes it over a step dt, so that no step is too long for
// it. The force that does so is
//     f = (A + s trace(A) 1)^-1 a / n                                                                            (2)
// with A = J M^-1 J' the compliance of that point [compliance.h] and n the number of pulls. s keeps directions in which
// the mechanism hardly gives way (a stretched arm, along itself) from asking for a force without end; loops and contacts,
// which A does not know, only make the point heavier. In both cases f is less than what (1) needs: still stable.
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
  static constexpr double frequency = 15;   // rad/s: 4 cm hold a free body's weight, and it follows within 0.2 s
  static constexpr double softness = 0.01;  // s
  static constexpr double most_pull = 300;  // m/s^2: what w^2 e may be
  explicit Hand(const Model& model);        // must outlive it

  // The forces of all pulls at this state for a step of dt, as Inputs::f_ext wants them. Its own, until the next call.
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
