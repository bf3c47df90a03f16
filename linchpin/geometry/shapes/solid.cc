#include "linchpin/geometry/shapes/solid.h"

#include <array>
#include <numbers>
#include <vector>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;

Sym3<double> outer(const Vec3<double>& v) { return {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z}; }
Sym3<double> inertia_of(const Sym3<double>& second) {
  const double trace = second.xx + second.yy + second.zz;
  return Sym3<double>::diagonal(trace, trace, trace) - second;
}

// ---------------------------------------------------------------------------------------------- sums of tetrahedra

// The integrals of 1, x and x x', relative to the point o.
struct Sum {
  Vec3<double> o;
  double volume = 0;
  Vec3<double> first = Vec3<double>::zero();
  Sym3<double> second = Sym3<double>::zero();

  void add_tetrahedron(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& r) {
    add({p - o, q - o, r - o});
  }
  // A tetrahedron with four arbitrary corners, as the sum over its surface.
  void add_tetrahedron(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& r, const Vec3<double>& t) {
    add_tetrahedron(p, q, r);
    add_tetrahedron(p, t, q);
    add_tetrahedron(q, t, r);
    add_tetrahedron(r, t, p);
  }
  Solid solid() const {
    const Vec3<double> c = volume > 0 ? (1 / volume) * first : Vec3<double>::zero();
    return {volume, o + c, inertia_of(second - volume * outer(c))};  // (2)
  }

 private:
  void add(const std::array<Vec3<double>, 3>& e) {
    const auto& [a, b, c] = e;
    const double v = dot(a, cross(b, c)) / 6;  // (1)
    const Vec3<double> s = a + b + c;
    volume += v;
    first += (v / 4) * s;
    second += (v / 20) * (outer(a) + outer(b) + outer(c) + outer(s));
  }
};

Vec3<double> mean(const std::vector<Vec3<double>>& points) {
  Vec3<double> sum = Vec3<double>::zero();
  for (const Vec3<double>& p : points) sum += (1.0 / double(points.size())) * p;
  return sum;
}

// --------------------------------------------------------------------------------------------------- shape by shape

Result<Solid> solid_of(const Sphere& s) {
  const double r2 = s.radius * s.radius, V = 4.0 / 3 * pi * r2 * s.radius, i = 0.4 * V * r2;
  return Solid{V, Vec3<double>::zero(), Sym3<double>::diagonal(i, i, i)};
}

// A cylinder and two hemispheres, whose centroids are 3r/8 beyond the ends of the cylinder.
Result<Solid> solid_of(const Capsule& c) {
  const double r = c.radius, l = c.half_length, cylinder = pi * r * r * 2 * l, caps = 4.0 / 3 * pi * r * r * r;
  const double across = cylinder * (r * r / 4 + l * l / 3) + caps * (0.4 * r * r + l * l + 0.75 * l * r);
  const double along = cylinder * r * r / 2 + caps * 0.4 * r * r;
  return Solid{cylinder + caps, Vec3<double>::zero(), Sym3<double>::diagonal(across, across, along)};
}

Result<Solid> solid_of(const Box& b) {
  const double V = 8 * b.half.x * b.half.y * b.half.z;
  const double xx = b.half.x * b.half.x, yy = b.half.y * b.half.y, zz = b.half.z * b.half.z;
  return Solid{V, Vec3<double>::zero(),
               Sym3<double>::diagonal(V / 3 * (yy + zz), V / 3 * (xx + zz), V / 3 * (xx + yy))};
}

Result<Solid> solid_of(const Cylinder& c) {
  const double r2 = c.radius * c.radius, V = pi * r2 * 2 * c.half_length;
  const double across = V * (r2 / 4 + c.half_length * c.half_length / 3);
  return Solid{V, Vec3<double>::zero(), Sym3<double>::diagonal(across, across, V * r2 / 2)};
}

Result<Solid> solid_of(const Ellipsoid& e) {
  const Vec3<double>& r = e.radii;
  const double V = 4.0 / 3 * pi * r.x * r.y * r.z, xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
  return Solid{V, Vec3<double>::zero(),
               Sym3<double>::diagonal(V / 5 * (yy + zz), V / 5 * (xx + zz), V / 5 * (xx + yy))};
}

// The centroid is a quarter of the height above the base.
Result<Solid> solid_of(const Cone& c) {
  const double r2 = c.radius * c.radius, h = 2 * c.half_length, V = pi * r2 * h / 3;
  const double across = V * (3.0 / 20 * r2 + 3.0 / 80 * h * h);
  return Solid{V, {0, 0, -c.half_length / 2}, Sym3<double>::diagonal(across, across, 0.3 * V * r2)};
}

Result<Solid> solid_of(const HalfSpace&) { return Error{"a half-space is unbounded and has no mass"}; }

Result<Solid> solid_of(const ConvexHull& shape) {
  if (!shape.hull) return Error{"the convex hull has no data"};
  return solid(*shape.hull);
}
Result<Solid> solid_of(const Mesh& shape) {
  if (!shape.mesh) return Error{"the mesh has no data"};
  return solid(*shape.mesh);
}
Result<Solid> solid_of(const HeightField& shape) {
  if (!shape.grid) return Error{"the height field has no data"};
  return solid(*shape.grid);
}

Result<Solid> solid_of(const Compound& shape) {
  if (!shape.parts) return Error{"the compound has no data"};
  double volume = 0;
  Vec3<double> first = Vec3<double>::zero();
  std::vector<Solid> solids;
  for (std::size_t i = 0; i < shape.parts->size(); ++i) {
    const auto& [part, X_SP] = (*shape.parts)[i];
    const auto one = solid(part);
    if (!one.ok()) return Error{message("part ", i, ": ", one.error().message)};
    const Solid& s = one.value();
    solids.push_back({s.volume, X_SP * s.centre, rotate(X_SP.R, s.moments)});
    volume += s.volume;
    first += s.volume * solids.back().centre;
  }
  Solid sum{volume, volume > 0 ? (1 / volume) * first : Vec3<double>::zero(), Sym3<double>::zero()};
  for (const Solid& s : solids) sum.moments += s.moments + s.volume * cross_square(s.centre - sum.centre);  // Steiner
  return sum;
}

}  // namespace

Solid solid(const Hull& hull) {
  if (hull.flat) return {0, hull.centre, Sym3<double>::zero()};
  Sum sum{hull.centre};
  for (const Hull::Face& face : hull.faces) {
    const auto corner = [&](int i) { return hull.vertices[hull.corners[face.first + i]]; };
    for (int i = 1; i + 1 < face.count; ++i) sum.add_tetrahedron(corner(0), corner(i), corner(i + 1));
  }
  return sum.solid();
}

Result<Solid> solid(const TriangleMesh& mesh) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      if (mesh.neighbours[t][k] == -1)
        return Error{message("the mesh is not closed: triangle ", t, " has no neighbour at its edge of vertices ",
                             mesh.triangles[t][k], " and ", mesh.triangles[t][(k + 1) % 3], " at ",
                             to_string(mesh.vertices[mesh.triangles[t][k]]), " and ",
                             to_string(mesh.vertices[mesh.triangles[t][(k + 1) % 3]]))};
  Sum sum{mean(mesh.vertices)};
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.corners(int(t));
    sum.add_tetrahedron(a, b, c);
  }
  if (!(sum.volume > 0))
    return Error{message("the mesh is inside out: its volume is ", sum.volume,
                         " m^3; reverse the order of its triangles' corners")};
  return sum.solid();
}

// The prism from each triangle down to the floor, divided into three tetrahedra.
Solid solid(const HeightGrid& grid) {
  Sum sum{centre(grid.box)};
  for (int t = 0; t < grid.triangle_count(); ++t) {
    const auto [a, b, c] = grid.corners(t);
    const auto below = [&](const Vec3<double>& p) { return Vec3<double>{p.x, p.y, grid.floor}; };
    sum.add_tetrahedron(a, b, c, below(a));
    sum.add_tetrahedron(b, c, below(a), below(b));
    sum.add_tetrahedron(below(b), c, below(a), below(c));
  }
  return sum.solid();
}

Result<Solid> solid(const Shape& shape) {
  return std::visit([](const auto& s) { return solid_of(s); }, shape);
}

}  // namespace linchpin
