// Mass properties of a shape: volume, centre of mass and moments of inertia.
//
// A tetrahedron with the corners o, o + a, o + b, o + c has, relative to o,
//     V = a.(b x c)/6,  integral of x = V s/4,  integral of x x' = V/20 (a a' + b b' + c c' + s s')   (1)
// with s = a + b + c. Hulls and closed meshes are sums of signed tetrahedra, one for each triangle of their surface
// (divergence theorem). About the centre of mass c, with C the second moments about o, the inertia is
//     J = (tr D) 1 - D,  D = C - V c c'                                          (2)
#pragma once

#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// Mass properties of a homogeneous body of density 1 kg/m^3, whose mass is its volume.
struct Solid {
  double volume;         // m^3
  Vec3<double> centre;   // of mass, in the shape's frame
  Sym3<double> moments;  // about the centre, in the shape's axes, for density 1
};

// Returns an error for a half-space, for a mesh that is open or inside out, and for shapes without data. A flat hull
// has mass 0. The parts of a compound are summed; where two overlap, that volume counts twice. A height field is solid
// down to its grid's floor.
Result<Solid> solid(const Shape& shape);

// The same for the data of these shapes.
Solid solid(const Hull& hull);
Result<Solid> solid(const TriangleMesh& mesh);
Solid solid(const HeightGrid& grid);

}  // namespace linchpin
