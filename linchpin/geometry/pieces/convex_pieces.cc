#include "linchpin/geometry/pieces/convex_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <queue>
#include <span>
#include <utility>

#include "linchpin/geometry/pieces/solid_distance.h"
#include "linchpin/geometry/pieces/split_pieces.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/geometry/shapes/solid.h"
#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

using Point = Vec3<double>;
using Triangle = std::array<Point, 3>;

struct Plane {
  Vec3<double> normal;  // unit
  double offset;        // normal.x = offset
};

// A concave edge, or the part of it that is left after cuts, with the normals of its two faces.
struct Crease {
  Point from, to;
  std::array<Vec3<double>, 2> normals;
};

// The half-space side * (normal.x - offset) >= 0.
struct Cut {
  Plane plane;
  double side;
};

struct Piece {
  std::shared_ptr<const std::vector<Triangle>> component;  // the closed surface that the piece was cut from
  std::vector<Triangle> surface;                           // what the cuts have left of it
  std::vector<Cut> cuts;
  std::vector<Point> corners;  // where three cuts meet within the component
  std::vector<Crease> creases;
  Hull hull;
  double volume;     // of the hull
  double concavity;  // (1)
};

// Data of the whole mesh, common to all pieces.
struct Whole {
  const TriangleMesh& mesh;
  double tolerance;  // m
  double size;       // m
};

// ------------------------------------------------------------------------------------------------------- concavity

// The branch and bound search for c of (1).
class ConcavitySearch {
 public:
  explicit ConcavitySearch(const Whole& whole) : whole_(whole), fine_(0.1 * whole.tolerance) {}

  // Takes in a triangle of the hull: improves the maximum, and keeps the triangle if it may have a larger distance.
  void look_at(const Triangle& t) {
    const Point middle = (1.0 / 3) * (t[0] + t[1] + t[2]);
    const auto [d, nearest] = distance_from_solid(whole_.mesh, middle);
    most_ = std::max(most_, d);
    double r = 0, from_one = 0;
    for (const Point& p : t) {
      r = std::max(r, norm(p - middle));
      from_one = std::max(from_one, distance_from_triangle(whole_.mesh, nearest, p));
    }
    const double bound = std::min(d + r, from_one);
    if (bound > most_ + fine_) patches_.push({t, bound});
  }

  // Divides triangles until the maximum is known.
  double run() {
    while (!patches_.empty() && patches_.top().bound > most_ + fine_ && patches_.top().bound > whole_.tolerance) {
      const Triangle t = patches_.top().corners;
      patches_.pop();
      const Point ab = 0.5 * (t[0] + t[1]), bc = 0.5 * (t[1] + t[2]), ca = 0.5 * (t[2] + t[0]);
      look_at({t[0], ab, ca});
      look_at({ab, t[1], bc});
      look_at({ca, bc, t[2]});
      look_at({ab, bc, ca});
    }
    return most_;
  }

 private:
  struct Patch {
    Triangle corners;
    double bound;  // of the distance of its points
    bool operator<(const Patch& other) const { return bound < other.bound; }
  };
  const Whole& whole_;
  double fine_;  // accuracy of the maximum
  double most_ = 0;
  std::priority_queue<Patch> patches_;
};

// c of (1), up to a tenth of the tolerance. If c is within the tolerance, the result may be a smaller number.
double concavity_of(const Hull& hull, const Whole& whole) {
  ConcavitySearch search(whole);
  for (const Hull::Face& face : hull.faces) {
    const auto corner = [&](int i) { return hull.vertices[hull.corners[face.first + i]]; };
    for (int i = 1; i + 1 < face.count; ++i) search.look_at({corner(0), corner(i), corner(i + 1)});
  }
  return search.run();
}

// --------------------------------------------------------------------------------------------------------- cutting

// The parts of a triangle with side * (normal.x - offset) >= 0. Heights within the resolution count as 0. A triangle in
// the plane is dropped: a corner of the part is also one of another triangle there, or of three cuts.
void clip(const Triangle& t, const Plane& plane, double side, double resolution, std::vector<Triangle>& out) {
  std::array<double, 3> h;
  for (std::size_t k = 0; k < 3; ++k) {
    h[k] = side * (dot(plane.normal, t[k]) - plane.offset);
    if (std::abs(h[k]) <= resolution) h[k] = 0;
  }
  if (h[0] == 0 && h[1] == 0 && h[2] == 0) return;
  std::array<Point, 4> polygon;
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t n = (k + 1) % 3;
    if (h[k] >= 0) polygon[count++] = t[k];
    if ((h[k] > 0 && h[n] < 0) || (h[k] < 0 && h[n] > 0))
      polygon[count++] = fma(h[k] / (h[k] - h[n]), t[n] - t[k], t[k]);
  }
  for (std::size_t k = 1; k + 1 < count; ++k) out.push_back({polygon[0], polygon[k], polygon[k + 1]});
}
// The same for creases. Those in the plane are dropped, since the cut has opened them.
void clip(const Crease& crease, const Plane& plane, double side, double resolution, std::vector<Crease>& out) {
  const double a = side * (dot(plane.normal, crease.from) - plane.offset);
  const double b = side * (dot(plane.normal, crease.to) - plane.offset);
  if (std::max(a, b) <= resolution) return;
  Crease kept = crease;
  const auto at_plane = [&] { return fma(a / (a - b), crease.to - crease.from, crease.from); };
  if (a < 0) kept.from = at_plane();
  if (b < 0) kept.to = at_plane();
  out.push_back(kept);
}

double height(const Cut& cut, const Point& p) { return cut.side * (dot(cut.plane.normal, p) - cut.plane.offset); }

// True if p is inside of a closed surface: the solid angles of its triangles, seen from p, add up to 4 pi.
// A. van Oosterom, J. Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30 (1983), eq. 8.
bool is_inside(const std::vector<Triangle>& surface, const Point& p) {
  double half_angle = 0;
  for (const Triangle& t : surface) {
    const Vec3<double> a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const double A = norm(a), B = norm(b), C = norm(c);
    half_angle += std::atan2(dot(a, cross(b, c)), A * B * C + dot(a, b) * C + dot(b, c) * A + dot(c, a) * B);
  }
  return half_angle > std::numbers::pi;  // 2 pi inside, 0 outside
}

// Adds the point where three cuts meet, if the component is solid there on their inner sides. The last of the part's
// cuts is one of the three.
void add_corner(const Cut& one, const Cut& other, double size, Piece& part) {
  const Cut& last = part.cuts.back();
  const Vec3<double>&a = last.plane.normal, &b = one.plane.normal, &c = other.plane.normal;
  const double det = dot(a, cross(b, c));
  if (!(std::abs(det) > 1e-9)) return;
  const auto meet = [&](double x, double y, double z) {
    return (1 / det) * (x * cross(b, c) + y * cross(c, a) + z * cross(a, b));
  };
  const Point p = meet(last.plane.offset, one.plane.offset, other.plane.offset);
  for (const Cut& cut : part.cuts)
    if (!(height(cut, p) >= -hull_resolution * size)) return;
  const Vec3<double> inwards = meet(last.side, one.side, other.side);
  if (is_inside(*part.component, fma(1e-6 * size / norm(inwards), inwards, p))) part.corners.push_back(p);
}

// The corners of a piece on one side of a further cut, and those that the cut makes.
void cut_corners(const Piece& piece, const Cut& cut, double size, Piece& part) {
  for (const Point& p : piece.corners)
    if (height(cut, p) >= -hull_resolution * size) part.corners.push_back(p);
  part.cuts = piece.cuts;
  part.cuts.push_back(cut);
  for (std::size_t i = 0; i < piece.cuts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) add_corner(piece.cuts[i], piece.cuts[j], size, part);
}

Result<Hull> hull_of(const Piece& piece) {
  std::vector<Point> points = piece.corners;
  for (const Triangle& t : piece.surface) points.insert(points.end(), t.begin(), t.end());
  return convex_hull(points);
}

// The part of a piece on one side of a plane, with its hull; nothing if the part is empty or flat. The concavity is not
// set.
std::optional<Piece> part_of(const Piece& piece, const Plane& plane, double side, const Whole& whole) {
  const double resolution = hull_resolution * whole.size;
  Piece part{};
  part.component = piece.component;
  for (const Triangle& t : piece.surface) clip(t, plane, side, resolution, part.surface);
  cut_corners(piece, {plane, side}, whole.size, part);
  auto hull = hull_of(part);
  if (!hull.ok() || hull.value().flat) return {};
  part.hull = std::move(hull).value();
  part.volume = solid(part.hull).volume;
  for (const Crease& c : piece.creases) clip(c, plane, side, resolution, part.creases);
  return part;
}

// ------------------------------------------------------------------------------------------------ planes worth trying

// The weight of a crease: its length times the sine of the fold.
double opened_area(const Crease& c) { return norm(c.to - c.from) * norm(cross(c.normals[0], c.normals[1])); }
double opened_area(const std::vector<Crease>& creases) {
  double sum = 0;
  for (const Crease& c : creases) sum += opened_area(c);
  return sum;
}

// The planes of the faces at creases, those with the largest weight first.
std::vector<Plane> planes_along_creases(const Piece& piece, double size) {
  constexpr std::size_t most = 16;  // a smooth valley has hundreds of creases, of which a few suffice
  struct Weighed {
    Plane plane;
    double weight;
  };
  std::vector<Weighed> all;
  for (const Crease& c : piece.creases) {
    const double weight = opened_area(c);
    for (const Vec3<double>& n : c.normals) {
      const Plane plane{n, dot(n, c.from)};
      const auto same = [&](const Weighed& w) {
        const double sign = dot(w.plane.normal, n) > 0 ? 1 : -1;
        return norm(w.plane.normal - sign * n) < 1e-6 && std::abs(w.plane.offset - sign * plane.offset) < 1e-6 * size;
      };
      if (const auto found = std::find_if(all.begin(), all.end(), same); found != all.end())
        found->weight += weight;
      else
        all.push_back({plane, weight});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  std::vector<Plane> planes;
  for (const Weighed& w : std::span(all).first(std::min(most, all.size()))) planes.push_back(w.plane);
  return planes;
}

// The principal axes of inertia, by Jacobi rotations: each one makes one product of inertia zero.
Mat3<double> principal_axes(const Sym3<double>& J) {
  std::array<std::array<double, 3>, 3> A = {{{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}}}, V{};
  for (std::size_t i = 0; i < 3; ++i) V[i][i] = 1;
  const double scale = J.xx + J.yy + J.zz;
  for (int sweep = 0; sweep < 12; ++sweep)  // convergence is quadratic or better: six sweeps are plenty
    for (const auto& [p, q] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
      // Products of inertia within rounding count as 0, so that the axes of a box stay exact.
      if (std::abs(A[p][q]) <= 1e-14 * scale) continue;
      const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
      const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
      const double c = 1 / std::sqrt(t * t + 1), s = t * c;
      for (auto& row : V) {
        const double a = row[p], b = row[q];
        row[p] = c * a - s * b, row[q] = s * a + c * b;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
      }
    }
  return {{V[0][0], V[1][0], V[2][0]}, {V[0][1], V[1][1], V[2][1]}, {V[0][2], V[1][2], V[2][2]}};
}

std::vector<Plane> planes_across_axes(const Piece& piece) {
  constexpr int steps = 8;
  const Mat3<double> axes = principal_axes(solid(piece.hull).moments);
  std::vector<Plane> planes;
  for (const Vec3<double>& axis : {axes.x, axes.y, axes.z}) {
    double low = dot(axis, piece.hull.vertices[0]), high = low;
    for (const Point& v : piece.hull.vertices) {
      low = std::min(low, dot(axis, v));
      high = std::max(high, dot(axis, v));
    }
    for (int i = 1; i < steps; ++i) planes.push_back({axis, low + (high - low) * i / steps});
  }
  return planes;
}

// ------------------------------------------------------------------------------------------------------------ split

std::optional<std::pair<Piece, Piece>> split(const Piece& piece, const Whole& whole) {
  std::vector<Plane> planes = planes_along_creases(piece, whole.size);
  const std::size_t along_creases = planes.size();
  for (const Plane& plane : planes_across_axes(piece)) planes.push_back(plane);
  std::optional<std::pair<Piece, Piece>> best;
  double least = std::numeric_limits<double>::infinity();
  // The volume of the solid is the same for all planes, so the total volume of the hulls ranks them. An uneven cut and
  // remaining creases each add at most this fraction of the piece's volume. It is small: it decides between cuts of
  // about the same volume.
  constexpr double costs = 0.05;
  const double creases = opened_area(piece.creases);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    std::optional<Piece> front = part_of(piece, planes[i], 1, whole);
    if (!front || front->volume > least) continue;
    std::optional<Piece> back = part_of(piece, planes[i], -1, whole);
    if (!back) continue;
    // A plane along a face that leaves no crease needs no even cut: both parts are final.
    const bool last = i < along_creases && front->creases.empty() && back->creases.empty();
    const double unevenness = last ? 0 : std::abs(front->volume - back->volume) / (front->volume + back->volume);
    const double left = creases > 0 ? (opened_area(front->creases) + opened_area(back->creases)) / creases : 0;
    const double cost = front->volume + back->volume + costs * (unevenness + left) * piece.volume;
    if (cost < least * (1 - 1e-9)) {  // the first of planes that are equal up to rounding
      least = cost;
      best.emplace(std::move(*front), std::move(*back));
    }
  }
  if (!best) return {};
  best->first.concavity = concavity_of(best->first.hull, whole);
  best->second.concavity = concavity_of(best->second.hull, whole);
  return best;
}

// ------------------------------------------------------------------------------------------------------- components

// The connected component of each triangle, and the number of components.
std::pair<std::vector<int>, int> components_of(const TriangleMesh& mesh) {
  std::vector<int> component(mesh.triangles.size(), -1);
  std::vector<int> stack;
  int count = 0;
  for (std::size_t start = 0; start < component.size(); ++start) {
    if (component[start] != -1) continue;
    component[start] = count;
    stack.push_back(int(start));
    while (!stack.empty()) {
      const int t = stack.back();
      stack.pop_back();
      for (const int u : mesh.neighbours[t])
        if (component[u] == -1) {
          component[u] = count;
          stack.push_back(u);
        }
    }
    ++count;
  }
  return {std::move(component), count};
}

// One piece for each component, except cavities, whose volume is negative.
Result<std::vector<Piece>> first_pieces(const TriangleMesh& mesh, const Whole& whole) {
  const auto [component, count] = components_of(mesh);
  std::vector<Piece> all(count, Piece{});
  std::vector<double> six_volumes(count, 0.0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const int c = component[t];
    const Triangle corners = mesh.corners(int(t));
    all[c].surface.push_back(corners);
    const Point& o = mesh.vertices[0];
    six_volumes[c] += dot(corners[0] - o, cross(corners[1] - o, corners[2] - o));
    for (std::size_t k = 0; k < 3; ++k) {
      const int u = mesh.neighbours[t][k];
      if (mesh.folds[t][k] == Fold::concave && int(t) < u)  // once for both sides
        all[c].creases.push_back({corners[k], corners[(k + 1) % 3], {mesh.normals[t], mesh.normals[u]}});
    }
  }
  std::vector<Piece> pieces;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (!(six_volumes[c] > 0)) continue;
    Piece& piece = all[c];
    auto hull = hull_of(piece);
    if (!hull.ok()) return hull.error();
    piece.component = std::make_shared<const std::vector<Triangle>>(piece.surface);
    piece.hull = std::move(hull).value();
    piece.volume = solid(piece.hull).volume;
    piece.concavity = piece.hull.flat ? 0 : concavity_of(piece.hull, whole);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

Result<ConvexPieces> convex_pieces(const TriangleMesh& mesh, const ConvexPiecesOptions& options) {
  if (const auto weight = solid(mesh); !weight.ok()) return weight.error();  // open, or inside out
  const double size = norm(mesh.box.upper - mesh.box.lower);
  const Result<double> tolerance = tolerance_of(options, size);
  if (!tolerance) return tolerance.error();
  const Whole whole{mesh, tolerance.value(), size};
  auto first = first_pieces(mesh, whole);
  if (!first.ok()) return first.error();
  std::vector<Piece> pieces = std::move(first).value();
  split_worst_first(pieces, whole.tolerance, options.most_pieces, [&](const Piece& p) { return split(p, whole); });
  return gathered(std::move(pieces));
}

}  // namespace linchpin
