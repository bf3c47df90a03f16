#include "linchpin/geometry/shapes/hull.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "linchpin/geometry/shapes/qhull_faces.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Point = Vec3<double>;
using Points = std::span<const Point>;
using Cycle = std::vector<int>;
using Cycles = std::vector<Cycle>;  // of indices of points, counterclockwise seen from outside

template <class Amount>
std::size_t largest(Points points, const Amount& amount) {
  std::size_t best = 0;
  double most = amount(points[0]);
  for (std::size_t i = 1; i < points.size(); ++i)
    if (const double a = amount(points[i]); a > most) best = i, most = a;
  return best;
}

// The extents of a set of points: two points a and b far apart, the largest distance from their line, and that from the
// plane of the line and the farthest point.
struct Spread {
  Point a;
  double length;        // from a to b
  Vec3<double> along;   // unit, from a to b
  double width;         // the largest distance from that line
  Vec3<double> normal;  // unit, of the plane of the line and the point farthest from it
  double height;        // the largest distance from that plane
};
Spread spread_of(Points points) {
  Spread s{};
  // a is the point farthest from points[0], b the one farthest from a. Their distance is at least 1/sqrt(3) of the
  // largest distance between two points.
  const auto far_from = [&](const Point& p) { return largest(points, [&](const Point& q) { return norm(q - p); }); };
  s.a = points[far_from(points[0])];
  const Point b = points[far_from(s.a)];
  s.length = norm(b - s.a);
  if (!(s.length > 0)) return s;
  s.along = (1 / s.length) * (b - s.a);
  const auto from_line = [&](const Point& q) { return norm(cross(s.along, q - s.a)); };
  const Point c = points[largest(points, from_line)];
  s.width = from_line(c);
  if (!(s.width > 0)) return s;
  const Vec3<double> n = cross(s.along, c - s.a);
  s.normal = (1 / norm(n)) * n;
  const auto from_plane = [&](const Point& q) { return std::abs(dot(s.normal, q - s.a)); };
  s.height = from_plane(points[largest(points, from_plane)]);
  return s;
}

// ------------------------------------------------------------------------------------------------- flat hulls

// The convex hull in the plane, counterclockwise about `normal`, by Andrew's monotone chain: the lower side from left
// to right, then the upper side back. A point is kept if its distance from the line of its neighbours is above
// `resolution`.
Cycle flat_cycle(Points points, const Spread& s, double resolution) {
  const Vec3<double> across = cross(s.normal, s.along);
  struct Flat {
    double x, y;
    int index;
  };
  std::vector<Flat> flat;
  for (std::size_t i = 0; i < points.size(); ++i)
    flat.push_back({dot(s.along, points[i] - s.a), dot(across, points[i] - s.a), int(i)});
  std::sort(flat.begin(), flat.end(), [](const Flat& p, const Flat& q) {
    return std::array{p.x, p.y, double(p.index)} < std::array{q.x, q.y, double(q.index)};
  });
  // q is to the right of the line from p to r by more than the resolution.
  const auto turns_left = [&](const Flat& p, const Flat& q, const Flat& r) {
    const double area = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    return area > resolution * std::hypot(r.x - p.x, r.y - p.y);
  };
  std::vector<Flat> cycle;
  const auto walk = [&](auto begin, auto end) {
    const std::size_t start = cycle.size();
    for (auto p = begin; p != end; ++p) {
      while (cycle.size() >= start + 2 && !turns_left(cycle[cycle.size() - 2], cycle.back(), *p)) cycle.pop_back();
      cycle.push_back(*p);
    }
    cycle.pop_back();  // the other side begins with it
  };
  walk(flat.begin(), flat.end());
  walk(flat.rbegin(), flat.rend());
  Cycle corners;
  for (const Flat& p : cycle) corners.push_back(p.index);
  return corners;
}

// ------------------------------------------------------------------------------------- from faces to the structure

// A corner of fewer than three faces lies on an edge or in a face. Removes such corners until there are none.
void drop_idle_corners(Cycles& faces, std::size_t points) {
  for (bool again = true; again;) {
    again = false;
    std::vector<int> uses(points, 0);
    for (const Cycle& face : faces)
      for (const int i : face) ++uses[i];
    for (Cycle& face : faces) again |= std::erase_if(face, [&](int i) { return uses[i] < 3; }) > 0;
  }
}

// Rotates each cycle to begin with its smallest corner and sorts the faces, so that the hull does not depend on the
// order in which they were found.
void put_in_order(Cycles& faces) {
  for (Cycle& face : faces) std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  std::sort(faces.begin(), faces.end());
}

// Returns the points that are corners, in their order, and renumbers the corners of the faces.
std::vector<Point> keep_corners(Points points, Cycles& faces) {
  std::vector<int> number(points.size(), -1);
  for (const Cycle& face : faces)
    for (const int i : face) number[i] = 0;
  std::vector<Point> vertices;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (number[i] == 0) {
      number[i] = int(vertices.size());
      vertices.push_back(points[i]);
    }
  for (Cycle& face : faces)
    for (int& i : face) i = number[i];
  return vertices;
}

Hull::Face plane_of(const Cycle& cycle, Points vertices) {
  Point mean = Point::zero();
  for (const int i : cycle) mean += (1.0 / double(cycle.size())) * vertices[i];
  Vec3<double> area = Vec3<double>::zero();
  for (std::size_t i = 0; i < cycle.size(); ++i)
    area += cross(vertices[cycle[i]] - mean, vertices[cycle[(i + 1) % cycle.size()]] - mean);  // (1)
  Hull::Face face{};
  face.normal = (1 / norm(area)) * area;
  face.offset = dot(face.normal, vertices[0]);
  for (const Point& v : vertices) face.offset = std::max(face.offset, dot(face.normal, v));
  return face;
}

// The edges. Each must be a side of two faces, in opposite directions; returns nothing if the surface is not closed.
std::optional<std::vector<Hull::Edge>> edges_of(const Cycles& faces) {
  std::map<std::pair<int, int>, Hull::Edge> edges;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Cycle& face = faces[f];
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int p = face[i], q = face[(i + 1) % face.size()];
      auto& edge =
          edges.try_emplace(std::minmax(p, q), Hull::Edge{std::min(p, q), std::max(p, q), -1, -1}).first->second;
      int& side = p < q ? edge.left : edge.right;
      if (side != -1) return {};
      side = int(f);
    }
  }
  std::vector<Hull::Edge> list;
  for (const auto& [ends, edge] : edges) {
    if (edge.left == -1 || edge.right == -1) return {};
    list.push_back(edge);
  }
  return list;
}

// The centroid of the volume, by tetrahedra from an inner point to the triangles of each face. That of the area if
// flat.
Point centre_of(const Hull& hull) {
  Point inner = Point::zero();
  for (const Point& v : hull.vertices) inner += (1.0 / double(hull.vertices.size())) * v;
  Vec3<double> sum = Vec3<double>::zero();
  double total = 0;
  for (const Hull::Face& face : hull.faces) {
    const auto corner = [&](int i) { return hull.vertices[hull.corners[face.first + i]] - inner; };
    for (int i = 1; i + 1 < face.count; ++i) {
      const Vec3<double> a = corner(0), b = corner(i), c = corner(i + 1), area = cross(b - a, c - a);
      const double weight = std::max(0.0, hull.flat ? dot(area, face.normal) : dot(area, a));
      sum += weight * (a + b + c);
      total += weight;
    }
  }
  return total > 0 ? fma(1 / ((hull.flat ? 3 : 4) * total), sum, inner) : inner;
}

void list_sides(Hull& hull) {
  std::map<std::pair<int, int>, int> number;
  for (std::size_t e = 0; e < hull.edges.size(); ++e) number[{hull.edges[e].from, hull.edges[e].to}] = int(e);
  for (const Hull::Face& face : hull.faces)
    for (int i = 0; i < face.count; ++i) {
      const int from = hull.corners[face.first + i];
      const int to = hull.corners[face.first + (i + 1) % face.count];
      hull.sides.push_back(number.at(std::minmax(from, to)));
    }
  hull.edges_about.resize(hull.corners.size());
  std::vector<int> next = hull.first_about;
  for (std::size_t e = 0; e < hull.edges.size(); ++e)
    for (const int v : {hull.edges[e].from, hull.edges[e].to}) hull.edges_about[next[v]++] = int(e);
}

void list_faces_about(Hull& hull) {
  hull.first_about.assign(hull.vertices.size() + 1, 0);
  for (const int v : hull.corners) ++hull.first_about[v + 1];
  std::partial_sum(hull.first_about.begin(), hull.first_about.end(), hull.first_about.begin());
  hull.about.resize(hull.corners.size());
  std::vector<int> next = hull.first_about;
  for (std::size_t f = 0; f < hull.faces.size(); ++f)
    for (int i = 0; i < hull.faces[f].count; ++i) {
      const int v = hull.corners[hull.faces[f].first + i];
      hull.about[next[v]++] = int(f);
    }
}

void fill_lanes(Hull& hull) {
  const std::size_t count = hull.vertices.size(), padded = (count + 7) / 8 * 8;
  hull.x = AlignedArray<double>(padded);
  hull.y = AlignedArray<double>(padded);
  hull.z = AlignedArray<double>(padded);
  for (std::size_t i = 0; i < padded; ++i) {
    const Point& v = hull.vertices[std::min(i, count - 1)];
    hull.x[i] = v.x, hull.y[i] = v.y, hull.z[i] = v.z;
  }
  const std::size_t faces = hull.faces.size(), padded_faces = (faces + 7) / 8 * 8;
  hull.normal_x = AlignedArray<double>(padded_faces);
  hull.normal_y = AlignedArray<double>(padded_faces);
  hull.normal_z = AlignedArray<double>(padded_faces);
  hull.offset = AlignedArray<double>(padded_faces);
  for (std::size_t i = 0; i < padded_faces; ++i) {
    const Hull::Face& f = hull.faces[std::min(i, faces - 1)];
    hull.normal_x[i] = f.normal.x, hull.normal_y[i] = f.normal.y, hull.normal_z[i] = f.normal.z;
    hull.offset[i] = f.offset;
  }
}

// Returns nothing if the faces do not form a closed surface.
std::optional<Hull> assemble(Points points, Cycles faces, bool flat) {
  if (!flat) drop_idle_corners(faces, points.size());
  for (const Cycle& face : faces)
    if (face.size() < 3) return {};
  Hull hull;
  hull.flat = flat;
  hull.vertices = keep_corners(points, faces);
  put_in_order(faces);
  auto edges = edges_of(faces);
  if (!edges) return {};
  // Euler's formula for a closed surface without holes.
  if (hull.vertices.size() + faces.size() != edges->size() + 2) return {};
  hull.edges = std::move(*edges);
  for (const Cycle& cycle : faces) {
    Hull::Face face = plane_of(cycle, hull.vertices);
    face.first = int(hull.corners.size());
    face.count = int(cycle.size());
    hull.faces.push_back(face);
    hull.corners.insert(hull.corners.end(), cycle.begin(), cycle.end());
  }
  hull.centre = centre_of(hull);
  hull.radius = 0;
  for (const Point& v : hull.vertices) hull.radius = std::max(hull.radius, norm(v - hull.centre));
  fill_lanes(hull);
  list_faces_about(hull);
  list_sides(hull);
  return hull;
}

// True if the hull is convex at every edge and corner and contains all points, up to `slack`. Merging of faces may
// violate this.
bool is_sound(const Hull& hull, Points points, double slack) {
  for (const Hull::Face& f : hull.faces) {
    for (const Point& p : points)
      if (dot(f.normal, p) > f.offset + slack) return false;
    for (int i = 0; i < f.count; ++i) {
      const auto corner = [&](int k) { return hull.vertices[hull.corners[f.first + k % f.count]]; };
      if (dot(f.normal, corner(i)) < f.offset - slack) return false;
      const Vec3<double> way = corner(i + 1) - corner(i);
      if (dot(f.normal, cross(way, corner(i + 2) - corner(i + 1))) < -slack * norm(way)) return false;
    }
  }
  for (const Hull::Edge& e : hull.edges) {
    const Vec3<double>&n = hull.faces[e.left].normal, &m = hull.faces[e.right].normal;
    if (!(dot(hull.vertices[e.to] - hull.vertices[e.from], cross(n, m)) > 0)) return false;
  }
  return true;
}

Result<Hull> flat_hull(Points points, const Spread& s, double resolution) {
  std::vector<Point> projected;
  for (const Point& p : points) projected.push_back(fma(-dot(s.normal, p - s.a), s.normal, p));
  const Cycle front = flat_cycle(projected, s, resolution), back(front.rbegin(), front.rend());
  if (auto hull = assemble(projected, {front, back}, true)) return std::move(*hull);
  return Error{"convex hull: the flat hull of " + std::to_string(points.size()) + " points is not closed"};
}

Result<Hull> solid_hull(Points points, const Spread& s, double resolution) {
  // Relative to one of the points, since Qhull's tolerances are relative to the largest coordinate.
  std::vector<Point> centred;
  for (const Point& p : points) centred.push_back(p - s.a);
  // Points with noise of about the resolution may not give a valid surface. Then a finer resolution is tried, in the
  // end that of rounding.
  std::string why = "its faces are not closed";
  std::optional<Hull> last;
  for (const double part : {1.0, 0.1, 0.01, 0.001, 0.0}) {
    const double r = part * resolution;
    auto faces = qhull_faces(centred, r);
    if (!faces.ok()) {
      why = faces.error().message;
      continue;
    }
    auto hull = assemble(points, std::move(faces).value(), false);
    if (hull && is_sound(*hull, points, 10 * resolution)) return std::move(*hull);
    if (hull) last = std::move(hull);
  }
  if (last) return std::move(*last);
  return Error{message("convex hull of ", points.size(), " points: ", why)};
}

// The points without repetitions, in the order of their first occurrence.
std::vector<Point> distinct(Points points) {
  const auto key = [&](std::size_t i) { return std::array{points[i].x, points[i].y, points[i].z}; };
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return key(i) < key(j) || (key(i) == key(j) && i < j); });
  order.erase(std::unique(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return key(i) == key(j); }),
              order.end());
  std::sort(order.begin(), order.end());
  std::vector<Point> kept;
  for (const std::size_t i : order) kept.push_back(points[i]);
  return kept;
}

}  // namespace

Result<Hull> convex_hull(Points points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!all_finite(points[i])) return Error{message("point ", i, " is ", to_string(points[i]), "; it must be finite")};
  if (points.size() < 3) return Error{message(points.size(), " points; a convex hull needs three or more")};
  const Spread s = spread_of(points);
  if (!(s.length > 0))
    return Error{
        message("points 0 to ", points.size() - 1, " are all at ", to_string(points[0]), "; a hull needs an extent")};
  if (!std::isfinite(s.length)) return Error{"the points are farther apart than the largest double"};
  if (s.width < least_hull_thickness * s.length)
    return Error{message("points 0 to ", points.size() - 1, " lie on a line: they deviate from it by ", s.width,
                         " m, over ", s.length, " m")};
  const std::vector<Point> set = distinct(points);
  const double resolution = hull_resolution * s.length;
  if (s.height < least_hull_thickness * s.length) return flat_hull(set, s, resolution);
  return solid_hull(set, s, resolution);
}

Result<Hull> hull_of_faces(Points vertices, std::span<const Cycle> faces, bool flat) {
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!all_finite(vertices[i]))
      return Error{message("vertex ", i, " is ", to_string(vertices[i]), "; it must be finite")};
  if (vertices.size() < 3 || faces.size() < 2)
    return Error{message("a hull needs 3 vertices and 2 faces or more; given are ", vertices.size(), " vertices and ",
                         faces.size(), " faces")};
  for (std::size_t f = 0; f < faces.size(); ++f)
    for (const int i : faces[f])
      if (i < 0 || std::size_t(i) >= vertices.size())
        return Error{message("face ", f, " has corner ", i, "; the vertices are 0 to ", vertices.size() - 1)};
  std::optional<Hull> hull = assemble(vertices, Cycles(faces.begin(), faces.end()), flat);
  if (!hull) return Error{message("the ", faces.size(), " faces do not form one closed surface")};
  // The offset of a face is that of the vertex farthest along its normal. If a corner of the face is well below, the
  // hull is not convex. Results of convex_hull() are convex up to about its resolution; the slack is far above that.
  const double slack = 1e-3 * hull->radius;
  for (std::size_t f = 0; f < hull->faces.size(); ++f) {
    const Hull::Face& face = hull->faces[f];
    if (!all_finite(face.normal)) return Error{message("face ", f, " has no area")};
    for (int i = 0; i < face.count; ++i) {
      const Point& corner = hull->vertices[hull->corners[face.first + i]];
      if (face.offset - dot(face.normal, corner) > slack)
        return Error{message("face ", f, " is not convex: a vertex lies ", face.offset - dot(face.normal, corner),
                             " m above its corner at ", to_string(corner))};
    }
  }
  return std::move(*hull);
}

}  // namespace linchpin
