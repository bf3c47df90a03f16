#include "linchpin/geometry/convex/features.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace linchpin {

namespace {

constexpr double face_cosine = 0.8660254037844386;  // a face is inclined by at most 30 degrees
constexpr double line_sine = 0.5;                   // and so is a line

// Corners of the polygon that represents a cap, evenly spaced and fixed to the body. A manifold has no more points.
constexpr int rim_corners = 8;
constexpr double h = std::numbers::sqrt2 / 2;
constexpr double rim_x[rim_corners] = {1, h, 0, -h, -1, -h, 0, h};
constexpr double rim_y[rim_corners] = {0, h, 1, h, 0, -h, -1, -h};
// Numbers of points that are no corners: the ends of a side line, and points on a rim.
constexpr int side_line = 2 * rim_corners, on_rim = side_line + 2, on_cap_rim = on_rim + 2;

LINCHPIN_INLINE double length_of(double x, double y) { return std::sqrt(fma(x, x, y * y)); }

void set_point(const Vec3<double>& x, int vertex, Outline& out) {
  out.count = 1;
  out.x[0] = x;
  out.vertex[0] = vertex;
  out.face = vertex_feature(vertex);
}
void set_segment(const Vec3<double>& x, int vertex, const Vec3<double>& y, int other, Outline& out) {
  out.count = 2;
  out.x[0] = x;
  out.x[1] = y;
  out.vertex[0] = vertex;
  out.vertex[1] = other;
  out.face = edge_feature(vertex, other);
}

void segment_towards(double l, const Vec3<double>& d, Outline& out) {
  if (std::abs(d.z) <= line_sine) return set_segment({0, 0, -l}, 0, {0, 0, l}, 1, out);
  set_point({0, 0, d.z > 0 ? l : -l}, d.z > 0, out);
}

void box_towards(const Vec3<double>& half, const Vec3<double>& d, Outline& out) {
  const double size[] = {std::abs(d.x), std::abs(d.y), std::abs(d.z)};
  const int corner = int(d.x >= 0) | int(d.y >= 0) << 1 | int(d.z >= 0) << 2;
  const int most = int(std::max_element(size, size + 3) - size), least = int(std::min_element(size, size + 3) - size);
  if (size[most] >= face_cosine) {
    const int i = (most + 1) % 3, j = (most + 2) % 3;
    const int fixed = corner & 1 << most;
    // Counterclockwise about axis `most`, or clockwise on its negative side.
    const int turn[] = {0, 1 << i, 1 << i | 1 << j, 1 << j};
    out.count = 4;
    for (int k = 0; k < 4; ++k) {
      out.vertex[k] = fixed | turn[fixed ? k : 3 - k];
      out.x[k] = box_vertex(half, out.vertex[k]);
    }
    const double side = fixed ? 1 : -1;
    out.normal = {most == 0 ? side : 0, most == 1 ? side : 0, most == 2 ? side : 0};
    out.offset = most == 0 ? half.x : most == 1 ? half.y : half.z;
    out.face = face_feature(2 * most + (fixed != 0));
  } else if (size[least] <= line_sine) {
    const int low = corner & ~(1 << least), high = corner | 1 << least;
    set_segment(box_vertex(half, low), low, box_vertex(half, high), high, out);
  } else {
    set_point(box_vertex(half, corner), corner, out);
  }
}

// The cap at height z, facing up or down, as a polygon.
void cap_towards(double r, double z, bool up, Outline& out) {
  out.count = rim_corners;
  for (int k = 0; k < rim_corners; ++k) {
    const int corner = up ? k : rim_corners - 1 - k;
    out.x[k] = {r * rim_x[corner], r * rim_y[corner], z};
    out.vertex[k] = corner + up * rim_corners;
  }
  out.normal = {0, 0, up ? 1.0 : -1.0};
  out.offset = up ? z : -z;
  out.face = face_feature(up);
}

void cylinder_towards(double r, double l, const Vec3<double>& d, Outline& out) {
  const bool up = d.z >= 0;
  if (std::abs(d.z) >= face_cosine) return cap_towards(r, up ? l : -l, up, out);
  if (std::abs(d.z) <= line_sine)
    return set_segment(rim_point(r, -l, d), side_line, rim_point(r, l, d), side_line + 1, out);
  set_point(rim_point(r, up ? l : -l, d), on_rim + up, out);
}

void cone_towards(double r, double l, const Vec3<double>& d, Outline& out) {
  if (d.z <= -face_cosine) return cap_towards(r, -l, false, out);
  // The normal of the side is inclined by atan(r/(2 l)) from the plane perpendicular to the axis.
  const double across = length_of(d.x, d.y), cosine = (2 * l * across + r * d.z) / length_of(2 * l, r);
  const Vec3<double> tip{0, 0, l};
  if (cosine >= face_cosine) return set_segment(rim_point(r, -l, d), side_line, tip, side_line + 1, out);
  const PiecePoint p =
      2 * l * d.z >= r * across ? PiecePoint{tip, side_line + 1} : PiecePoint{rim_point(r, -l, d), on_rim};
  set_point(p.x, p.piece, out);
}

void triangle_towards(const Vec3<double>* c, const Vec3<double>& d, const int* pieces, Outline& out) {
  Vec3<double> N = cross(c[1] - c[0], c[2] - c[0]);
  const double length = norm(N);
  if (length > 0) N = (1 / length) * N;
  const double cosine = dot(N, d);
  if (std::abs(cosine) >= face_cosine) {
    const bool front = cosine > 0;
    out.count = 3;
    for (int k = 0; k < 3; ++k) {
      out.vertex[k] = front ? k : 2 - k;
      out.x[k] = c[out.vertex[k]];
    }
    out.normal = front ? N : -N;
    out.offset = dot(out.normal, c[0]);
    out.face = face_feature(front);
    return;
  }
  // Of the two edges at the corner that meets, the one most perpendicular to d.
  const int v = pieces[0];
  int best = -1;
  double least = line_sine;
  for (int k = 1; k < 3; ++k) {
    const int w = (v + k) % 3;
    const Vec3<double> e = c[w] - c[v];
    const double lean = std::abs(dot(d, e)) / norm(e);
    if (lean <= least) {
      least = lean;
      best = w;
    }
  }
  if (best < 0) return set_point(c[v], v, out);
  set_segment(c[std::min(v, best)], std::min(v, best), c[std::max(v, best)], std::max(v, best), out);
}

bool holds_all(const Hull& hull, const Hull::Face& face, const int* pieces, int count) {
  const int *first = &hull.corners[face.first], *last = first + face.count;
  for (int i = 0; i < count; ++i)
    if (std::find(first, last, pieces[i]) == last) return false;
  return true;
}

void hull_face(const Hull& hull, int f, Outline& out) {
  const Hull::Face& face = hull.faces[f];
  // If the face has too many corners, evenly chosen ones; their hull is inside of the face.
  out.count = std::min(face.count, most_corners);
  for (int k = 0; k < out.count; ++k) {
    const int corner = int(std::int64_t(k) * face.count / out.count);
    out.vertex[k] = hull.corners[face.first + corner];
    out.x[k] = hull.vertices[out.vertex[k]];
  }
  out.normal = face.normal;
  out.offset = face.offset;
  out.face = face_feature(f);
}

void hull_towards(const Hull& hull, const Vec3<double>& d, const int* pieces, int count, Outline& out) {
  for (; count > 0; --count) {  // by rounding, the corners may not share a face; then the last one is left out
    int best = -1;
    double most = face_cosine;
    const int *about = hull.about.data(), *range = &hull.first_about[pieces[0]];
    for (const int* f = about + range[0]; f != about + range[1]; ++f) {
      const Hull::Face& face = hull.faces[*f];
      const double cosine = dot(face.normal, d);
      if (cosine > most && holds_all(hull, face, pieces + 1, count - 1)) {
        most = cosine;
        best = *f;
      }
    }
    if (best >= 0) return hull_face(hull, best, out);
    if (count > 2) continue;
    double least = line_sine;
    for (int i = range[0]; i < range[1]; ++i) {
      const int e = hull.edges_about[i];
      const Hull::Edge& edge = hull.edges[e];
      if (count > 1 && edge.from != pieces[1] && edge.to != pieces[1]) continue;
      const Vec3<double> along = hull.vertices[edge.to] - hull.vertices[edge.from];
      const double lean = std::abs(dot(d, along)) / norm(along);
      if (lean > least) continue;
      least = lean;
      best = e;
    }
    if (best >= 0) {
      const Hull::Edge& e = hull.edges[best];
      return set_segment(hull.vertices[e.from], e.from, hull.vertices[e.to], e.to, out);
    }
  }
  set_point(hull.vertices[pieces[0]], pieces[0], out);
}

}  // namespace

void outline_towards(const Core& core, const Vec3<double>& d, const int* pieces, int count, Outline& out) {
  switch (core.kind) {
    case Core::Kind::point:
      return set_point({0, 0, 0}, 0, out);
    case Core::Kind::segment:
      return segment_towards(core.size.z, d, out);
    case Core::Kind::box:
      return box_towards(core.size, d, out);
    case Core::Kind::cylinder:
      return cylinder_towards(core.size.x, core.size.z, d, out);
    case Core::Kind::ellipsoid:
      return set_point(ellipsoid_point(core.size, d), 0, out);
    case Core::Kind::cone:
      return cone_towards(core.size.x, core.size.z, d, out);
    case Core::Kind::triangle:
      return triangle_towards(core.corners, d, pieces, out);
    case Core::Kind::hull:
      return hull_towards(*core.hull, d, pieces, count, out);
  }
}

void reach_towards(const Core& core, const Vec3<double>& at, Outline& cap) {
  const double rho = length_of(at.x, at.y);
  if (!has_disc(core) || cap.count < rim_corners || !(rho > 0)) return;
  const Vec3<double> corner{core.size.x * at.x / rho, core.size.x * at.y / rho, cap.x[0].z};
  // The side of the polygon on which the corner is inserted.
  int place = 0;
  double ahead = 2;
  for (int k = 0; k < cap.count; ++k) {
    const Vec3<double>&p = cap.x[k], &q = cap.x[(k + cap.count - 1) % cap.count];
    const double chord = dot(p - q, corner - q) / dot(p - q, p - q), off = norm(corner - fma(chord, p - q, q));
    if (chord < 0 || chord > 1 || !(off < ahead * core.size.x)) continue;
    ahead = off / core.size.x;
    place = k;
  }
  for (int k = cap.count; k > place; --k) {
    cap.x[k] = cap.x[k - 1];
    cap.vertex[k] = cap.vertex[k - 1];
  }
  cap.x[place] = corner;
  cap.vertex[place] = on_cap_rim + (cap.normal.z > 0);
  ++cap.count;
}

Vec3<double> nearest_of_farthest(const Outline& other, const Vec3<double>& n, const Vec3<double>& centre, double near) {
  double most = dot(n, other.x[0]);
  for (int i = 1; i < other.count; ++i) most = std::max(most, dot(n, other.x[i]));
  Vec3<double> corner[most_corners] = {other.x[0]};
  int count = 0;
  for (int i = 0; i < other.count; ++i)
    if (dot(n, other.x[i]) >= most - near) corner[count++] = other.x[i];
  Vec3<double> best = corner[0];
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    const Vec3<double>&p = corner[i], &q = corner[(i + 1) % count];
    const Vec3<double> e = q - p;
    const double ee = dot(e, e), t = ee > 0 ? std::clamp(dot(centre - p, e) / ee, 0.0, 1.0) : 0.0;
    const Vec3<double> x = fma(t, e, p), away = x - centre, across = fma(-dot(n, away), n, away);
    const double square = dot(across, across);
    if (square < least) {
      least = square;
      best = x;
    }
  }
  return best;
}

}  // namespace linchpin
