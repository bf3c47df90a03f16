// Finds coordinates that move no mass, for which the mass matrix is singular at every configuration.
#pragma once

#include "linchpin/model/model.h"

namespace linchpin {

// The link whose coordinates move no mass, or -1. Tests two random configurations: a matrix that is singular at both is
// singular everywhere, except with probability zero.
int link_that_moves_no_mass(const Model& model);

}  // namespace linchpin
