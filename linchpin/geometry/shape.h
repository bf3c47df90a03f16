// Shapes as data, in their own frame, and their mass properties. What collides with what is not asked here.
#pragma once

#include <variant>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct Sphere {
  double radius;
};
struct Box {
  Vec3<double> half;  // half extents
};
struct Capsule {
  double radius, half_length;  // along z; half_length without the caps
};
struct Cylinder {
  double radius, half_length;  // along z
};
using Shape = std::variant<Sphere, Box, Capsule, Cylinder>;

double volume(const Shape& shape);

// Of a homogeneous body of this shape: moments about its centre, which is the frame's origin.
Sym3<double> moments_of_inertia(const Shape& shape, double mass);

}  // namespace linchpin
