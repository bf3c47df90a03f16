// What is wrong with a shape or a pose, in words that name the number; empty when nothing is.
#pragma once

#include <string>

#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

std::string fault_of(const Shape& shape);
std::string fault_of(const Transform<double>& X);

// "sphere", "capsule", ...
const char* kind_name(const Shape& shape);

}  // namespace linchpin
