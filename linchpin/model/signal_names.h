// How the command line, tables and recordings call the numbers of a run.
#pragma once

#include <string>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

// The position (velocity) coordinates by their joint, or joint.k for the k-th of several.
std::vector<std::string> position_names(const Model& model);
std::vector<std::string> velocity_names(const Model& model);

// Units of the same: rad or m, none for the parts of a quaternion; rad/s or m/s.
std::vector<std::string> position_units(const Model& model);
std::vector<std::string> velocity_units(const Model& model);

// The rows of constraints, as Simulation::reactions() has them: "loop_1.0", "loop_1.1", ...; of one row the name alone.
std::vector<std::string> reaction_names(const Model& model);

}  // namespace linchpin
