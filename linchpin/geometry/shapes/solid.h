// What a shape weighs: volume, centre and moments of inertia.
//
// A tetrahedron with the corners o, o + a, o + b, o + c holds, seen from o,
//     V = a.(b x c)/6,  integral of x = V s/4,  integral of x x' = V/20 (a a' + b b' + c c' + s s')   (1)
// with s = a + b + c. Hulls and closed meshes are sums of such, one for each triangle of their surface and signed where
// o is outside (the divergence theorem). About the centre of mass c, with C the second moments about o,
//     J = (tr D) 1 - D,  D = C - V c c'                                          (2)
#pragma once

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// Of a homogeneous body of density 1 kg/m^3: its mass is its volume.
struct Solid {
  double volume;         // m^3
  Vec3<double> centre;   // of mass, in the shape's frame
  Sym3<double> moments;  // about the centre, in the shape's axes, for density 1
};

// None, with the reason, for a half-space, for a mesh that is not closed or inside out, and for shapes without data.
// A flat hull weighs nothing. The parts of a compound are summed up: where two overlap, that volume counts twice. A
// height field is solid down to its grid's floor.
Result<Solid> solid(const Shape& shape);

// The same for bare data.
Solid solid(const Hull& hull);
Result<Solid> solid(const TriangleMesh& mesh);
Solid solid(const HeightGrid& grid);

}  // namespace linchpin
