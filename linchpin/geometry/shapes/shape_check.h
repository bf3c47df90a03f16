// Validates shapes and poses. fault_of() describes the first invalid value; it is empty if there is none.
#pragma once

#include <string>

#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

std::string fault_of(const Shape& shape);
std::string fault_of(const Transform<double>& X);

// "sphere", "capsule", ...
const char* kind_name(const Shape& shape);

}  // namespace linchpin
