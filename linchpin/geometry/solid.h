// What a shape weighs: volume, centre and moments of inertia.
#pragma once

#include "linchpin/base/result.h"
#include "linchpin/geometry/shape.h"

namespace linchpin {

// Of a homogeneous body of density 1 kg/m^3: its mass is its volume.
struct Solid {
  double volume;         // m^3
  Vec3<double> centre;   // of mass, in the shape's frame
  Sym3<double> moments;  // about the centre, in the shape's axes, for density 1
};

// None for a half-space or a mesh that is not closed, with the reason.
Result<Solid> solid(const Shape& shape);

}  // namespace linchpin
