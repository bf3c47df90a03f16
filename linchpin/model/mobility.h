// Finds coordinates that move no mass, where the mass matrix would be singular at every configuration.
#pragma once

#include "linchpin/model/model.h"

namespace linchpin {

// The link whose coordinates move no mass, or -1. Looks at two configurations chosen at random: what is singular at
// both is singular everywhere but by a coincidence of probability zero.
int link_that_moves_no_mass(const Model& model);

}  // namespace linchpin
