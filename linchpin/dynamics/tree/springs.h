// Springs between bodies (SpringSpec): a force along the line d between their ends, with e = d / |d|,
//     F = stiffness (|d| - length) + damping e . ddot       on A along e, on B against it                      (1)
// and an energy of stiffness (|d| - length)^2 / 2. Springs of joints are in mechanics.h.
#pragma once

#include <span>

#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

// Adds (1) to forces on bodies, six per body as f_ext in aba.h.
void add_spring_forces(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<double> f);
double spring_energy(const Model& model, const Kinematics<double>& kin);
// Power of their dampers, W; never positive.
double spring_damping_power(const Model& model, const Kinematics<double>& kin, const Velocities& vel);

}  // namespace linchpin
