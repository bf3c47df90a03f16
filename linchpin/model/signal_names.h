// Names and units of a run's coordinates and reactions, and names of shapes, for the command line, tables and
// recordings.
#pragma once

#include <string>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

// Names of the position (velocity) coordinates: the joint's name, or joint.k if the joint has several.
std::vector<std::string> position_names(const Model& model);
std::vector<std::string> velocity_names(const Model& model);

// Their units: rad or m, empty for the components of a quaternion; rad/s or m/s.
std::vector<std::string> position_units(const Model& model);
std::vector<std::string> velocity_units(const Model& model);

// Names of the constraint rows, in the order of Simulation::reactions(): "loop_1.0", "loop_1.1", ...; a constraint with
// one row has its plain name.
std::vector<std::string> reaction_names(const Model& model);

// Of model.shapes()[shape]: "body/geometry"; a geometry without a name has its number on the body.
std::string shape_name(const Model& model, int shape);

}  // namespace linchpin
