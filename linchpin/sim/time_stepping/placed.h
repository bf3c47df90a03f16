// Poses and velocities of all links at one q and v. Internal to sim/.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

struct Placed {
  Placed(const Model& model, const Plan<double>& plan) : kin(plan), vel(model) {}
  Kinematics<double> kin;
  Velocities vel;
};

inline void place(const Model& model, const Plan<double>& plan, std::span<const double> q, std::span<const double> v,
                  Placed& out) {
  kinematics<double>(plan, q, out.kin);
  velocities(model, out.kin, v, out.vel);
}

// The velocities of the links for another v at the same poses. Fills the links only, not the axes.
inline void link_velocities_at(const Model& model, const Placed& placed, std::span<const double> v, Velocities& out) {
  link_velocities(model, placed.kin, placed.vel.axis, v, out.link);
}

}  // namespace linchpin
