// Shapes as plain data, each in its own frame. Contacts are computed in collide.h, mass properties in solid.h.
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
// All points with z <= 0. It has no mass, so it is usually fixed to the world.
struct HalfSpace {};
struct ConvexHull {
  std::shared_ptr<const Hull> hull;
};
// The surface of a triangle mesh, with contacts on the side that its normals point to: static terrain. For moving
// bodies use a Compound of convex pieces (convex_pieces.h).
struct Mesh {
  std::shared_ptr<const TriangleMesh> mesh;
};
// Terrain given by a grid of heights, solid below.
struct HeightField {
  std::shared_ptr<const HeightGrid> grid;
};
struct PlacedShape;
// Several shapes as one; parts may be of any kind but Compound.
struct Compound {
  std::shared_ptr<const std::vector<PlacedShape>> parts;
};

// The table of pairs in convex_table.cc has the same order.
using Shape =
    std::variant<Sphere, Capsule, Box, Cylinder, Ellipsoid, Cone, HalfSpace, ConvexHull, Mesh, HeightField, Compound>;
inline constexpr int shape_kinds = std::variant_size_v<Shape>;

struct PlacedShape {
  Shape shape;
  Transform<double> X_SP = Transform<double>::identity();  // of the part P in the compound's frame S
};

}  // namespace linchpin
