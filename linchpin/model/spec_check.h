// What is wrong with one element of a spec, in words; empty when nothing is. compile() adds the element's name.
#pragma once

#include <string>

#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/model/spec.h"

namespace linchpin {

std::string fault_of(const InertiaSpec& inertia);
std::string fault_of(const GeometrySpec& geometry);
std::string fault_of(const JointSpec& joint);        // not its references
std::string fault_of(const ActuatorSpec& actuator);  // nor its

}  // namespace linchpin
