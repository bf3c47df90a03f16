#include "linchpin/geometry/shapes/mesh.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Point = Vec3<double>;
using Points = std::span<const Point>;
using Triangle = std::array<int, 3>;
using Triangles = std::span<const Triangle>;

// A description of the first error in the input; empty if there is none.
std::string fault_of(Points vertices, Triangles triangles) {
  if (triangles.empty()) return "the mesh has no triangles";
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!all_finite(vertices[i])) return message("vertex ", i, " is ", to_string(vertices[i]), "; it must be finite");
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int i : triangles[t])
      if (i < 0 || std::size_t(i) >= vertices.size())
        return message("triangle ", t, " has corner ", i, "; the vertices are 0 to ",
                       std::ptrdiff_t(vertices.size()) - 1);
  return {};
}

// For each vertex the first one with the same coordinates.
std::vector<int> first_at_same_place(Points vertices) {
  const auto key = [&](int i) { return std::array{vertices[i].x, vertices[i].y, vertices[i].z}; };
  std::vector<int> order(vertices.size()), first(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j) || (key(i) == key(j) && i < j); });
  for (std::size_t k = 0; k < order.size(); ++k)
    first[order[k]] = k > 0 && key(order[k]) == key(order[k - 1]) ? first[order[k - 1]] : order[k];
  return first;
}

// Sets the vertices, without repeated and unused ones, and the triangles with the new numbers.
void join(Points vertices, Triangles triangles, TriangleMesh& mesh) {
  const std::vector<int> first = first_at_same_place(vertices);
  std::vector<int> number(vertices.size(), -1);
  for (const Triangle& t : triangles)
    for (const int i : t) number[first[i]] = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (number[i] == 0) {
      number[i] = int(mesh.vertices.size());
      mesh.vertices.push_back(vertices[i]);
    }
  for (const Triangle& t : triangles) {
    const auto renumbered = [&](int i) { return number[first[i]]; };
    mesh.triangles.push_back({renumbered(t[0]), renumbered(t[1]), renumbered(t[2])});
  }
}

// Sets the normals; describes the first triangle without area, if there is one.
std::string find_normals(Triangles given, TriangleMesh& mesh) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.corners(int(t));
    const Vec3<double> area = cross(b - a, c - a);
    const double longest = std::max({norm(b - a), norm(c - b), norm(a - c)});
    // Coordinates have rounding errors of half an epsilon of their size. A height of a few of these is not significant.
    const double far = std::max({norm(a), norm(b), norm(c)});
    const double length = norm(area);
    if (!(length > 4 * std::numeric_limits<double>::epsilon() * far * longest) || !std::isfinite(length))
      return message("triangle ", t, " (vertices ", given[t][0], ", ", given[t][1], ", ", given[t][2],
                     ") has no area: ", to_string(a), ", ", to_string(b), ", ", to_string(c));
    mesh.normals.push_back((1 / length) * area);
  }
  return {};
}

struct Side {
  int from, to;     // from < to
  int triangle, k;  // edge k of this triangle
  bool forward;     // the direction of the side in the triangle is from `from` to `to`
};
// All sides of all triangles, sorted so that those of one edge are consecutive.
std::vector<Side> sides_of(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int p = mesh.triangles[t][k], q = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(p, q), std::max(p, q), int(t), k, p < q});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::array{a.from, a.to, a.triangle, a.k} < std::array{b.from, b.to, b.triangle, b.k};
  });
  return sides;
}

Fold fold_between(const TriangleMesh& mesh, int t, int k, int u) {
  const Triangle& corners = mesh.triangles[t];
  const Point& p = mesh.vertices[corners[k]];
  const Vec3<double> along = mesh.vertices[corners[(k + 1) % 3]] - p;
  const Vec3<double>&n = mesh.normals[t], &m = mesh.normals[u];
  // Flat if the corners of each are in the plane of the other up to the rounding of floats of this size.
  double leaves = 0;
  for (const Point& q : mesh.corners(u)) leaves = std::max(leaves, std::abs(dot(n, q - p)));
  for (const Point& q : mesh.corners(t)) leaves = std::max(leaves, std::abs(dot(m, q - p)));
  const double size = norm(mesh.box.upper - mesh.box.lower);
  if (leaves < 1e-7 * size && dot(n, m) > 0) return Fold::flat;
  return dot(cross(n, m), along) > 0 ? Fold::convex : Fold::concave;  // (1)
}

// Sets neighbours and folds; describes the first edge that is not the edge of a surface, if there is one.
std::string find_neighbours(Triangles given, TriangleMesh& mesh) {
  mesh.neighbours.assign(mesh.triangles.size(), {-1, -1, -1});
  mesh.folds.assign(mesh.triangles.size(), {Fold::border, Fold::border, Fold::border});
  mesh.closed = true;
  const std::vector<Side> sides = sides_of(mesh);
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    const Side& a = sides[i];
    while (end < sides.size() && sides[end].from == a.from && sides[end].to == a.to) ++end;
    if (end == i + 1) {
      mesh.closed = false;
      continue;
    }
    const Triangle& t = given[a.triangle];
    const std::string edge = message("edge of vertices ", t[a.k], " and ", t[(a.k + 1) % 3], " at ",
                                     to_string(mesh.vertices[a.from]), " and ", to_string(mesh.vertices[a.to]));
    if (end > i + 2) {
      std::string list = std::to_string(a.triangle);
      for (std::size_t j = i + 1; j < end; ++j) list += message(j + 1 < end ? ", " : " and ", sides[j].triangle);
      return message("triangles ", list, " share one edge, the ", edge, "; a surface has two at most");
    }
    const Side& b = sides[i + 1];
    if (a.forward == b.forward)
      return message("triangles ", a.triangle, " and ", b.triangle,
                     " are oriented against each other: both run the same way along the ", edge);
    mesh.neighbours[a.triangle][a.k] = b.triangle;
    mesh.neighbours[b.triangle][b.k] = a.triangle;
    const Fold fold = fold_between(mesh, a.triangle, a.k, b.triangle);
    mesh.folds[a.triangle][a.k] = fold;
    mesh.folds[b.triangle][b.k] = fold;
  }
  return {};
}

}  // namespace

Result<TriangleMesh> make_mesh(Points vertices, Triangles triangles) {
  if (std::string fault = fault_of(vertices, triangles); !fault.empty()) return Error{std::move(fault)};
  TriangleMesh mesh;
  join(vertices, triangles, mesh);
  mesh.box = Aabb::none();
  for (const Point& v : mesh.vertices) mesh.box = merge(mesh.box, v);
  if (std::string fault = find_normals(triangles, mesh); !fault.empty()) return Error{std::move(fault)};
  if (std::string fault = find_neighbours(triangles, mesh); !fault.empty()) return Error{std::move(fault)};
  std::vector<Aabb> boxes;
  for (int t = 0; t < int(mesh.triangles.size()); ++t) {
    const std::array<Point, 3> c = mesh.corners(t);
    boxes.push_back(merge(merge({c[0], c[0]}, c[1]), c[2]));
  }
  mesh.bvh = Bvh(boxes);
  return mesh;
}

}  // namespace linchpin
