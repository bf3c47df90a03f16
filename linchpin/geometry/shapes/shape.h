// Shapes as data, each in its own frame. What touches what is asked in collide.h, what a shape weighs in solid.h.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct Hull;          // hull.h
struct TriangleMesh;  // mesh.h
struct HeightGrid;    // height_grid.h

struct Sphere {
  double radius;
};
struct Capsule {
  double radius, half_length;  // along z; half_length without the caps
};
struct Box {
  Vec3<double> half;  // half extents
};
struct Cylinder {
  double radius, half_length;  // along z
};
struct Ellipsoid {
  Vec3<double> radii;
};
struct Cone {
  double radius, half_length;  // along z: the apex at +half_length, the base at -half_length
};
// All of z <= 0. Rests on the world as a rule: it has no mass.
struct HalfSpace {};
struct ConvexHull {
  std::shared_ptr<const Hull> hull;
};
// The surface of a triangle mesh, seen from the side that its normals point to: terrain, which does not move by itself.
// A mesh that moves is a Compound of convex pieces (convex_pieces.h).
struct Mesh {
  std::shared_ptr<const TriangleMesh> mesh;
};
// Ground over a grid of heights, solid below.
struct HeightField {
  std::shared_ptr<const HeightGrid> grid;
};
struct PlacedShape;
// Several shapes as one; any but compounds.
struct Compound {
  std::shared_ptr<const std::vector<PlacedShape>> parts;
};

// The order is that of the table of pairs in collide.cc.
using Shape =
    std::variant<Sphere, Capsule, Box, Cylinder, Ellipsoid, Cone, HalfSpace, ConvexHull, Mesh, HeightField, Compound>;
inline constexpr int shape_kinds = std::variant_size_v<Shape>;

struct PlacedShape {
  Shape shape;
  Transform<double> X_SP = Transform<double>::identity();  // of the part P in the compound's frame S
};

}  // namespace linchpin
