// Faults of one element of a spec, as text; empty if there is none. compile() adds the element's name.
#pragma once

#include <string>

#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/model/spec.h"

namespace linchpin {

std::string fault_of(const InertiaSpec& inertia);
std::string fault_of(const GeometrySpec& geometry);
std::string fault_of(const JointSpec& joint);        // its references are not checked
std::string fault_of(const ActuatorSpec& actuator);  // its references are not checked

}  // namespace linchpin
