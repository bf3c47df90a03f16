#include "linchpin/geometry/shapes/shape_check.h"

#include <algorithm>
#include <cmath>

#include "linchpin/spatial/message.h"

namespace linchpin {
namespace {

std::string positive(const char* what, double x) {
  return x > 0 && std::isfinite(x) ? std::string() : message(what, " is ", x, " m; it must be positive and finite");
}
std::string not_negative(const char* what, double x) {
  return x >= 0 && std::isfinite(x) ? std::string() : message(what, " is ", x, " m; it must be finite and at least 0");
}
// The first fault that is not empty.
std::string first_of(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults)
    if (!fault.empty()) return fault;
  return {};
}
std::string each_positive(const char* what, const Vec3<double>& v) {
  return first_of({positive(what, v.x), positive(what, v.y), positive(what, v.z)});
}

std::string check(const Sphere& s) { return positive("sphere radius", s.radius); }
std::string check(const Capsule& c) {
  return first_of({positive("capsule radius", c.radius), not_negative("capsule half length", c.half_length)});
}
std::string check(const Box& b) { return each_positive("box half extent", b.half); }
std::string check(const Cylinder& c) {
  return first_of({positive("cylinder radius", c.radius), positive("cylinder half length", c.half_length)});
}
std::string check(const Ellipsoid& e) { return each_positive("ellipsoid radius", e.radii); }
std::string check(const Cone& c) {
  return first_of({positive("cone radius", c.radius), positive("cone half length", c.half_length)});
}
std::string check(const HalfSpace&) { return {}; }
// The data of these three were checked when they were made.
std::string check(const ConvexHull& h) { return h.hull ? "" : "convex hull without data (convex_hull() makes it)"; }
std::string check(const Mesh& m) { return m.mesh ? "" : "mesh without data (make_mesh() makes it)"; }
std::string check(const HeightField& h) {
  return h.grid ? "" : "height field without data (make_height_grid() makes it)";
}
std::string check(const Compound& c) {
  if (!c.parts || c.parts->empty()) return "compound without parts";
  for (std::size_t i = 0; i < c.parts->size(); ++i) {
    const auto& [shape, X_SP] = (*c.parts)[i];
    const std::string fault = std::holds_alternative<Compound>(shape)
                                  ? "a compound cannot be part of a compound; list its parts here instead"
                                  : first_of({fault_of(shape), fault_of(X_SP)});
    if (!fault.empty()) return message("part ", i, ": ", fault);
  }
  return {};
}

}  // namespace

std::string fault_of(const Shape& shape) {
  return std::visit([](const auto& s) { return check(s); }, shape);
}

std::string fault_of(const Transform<double>& X) {
  if (!all_finite(X.p)) return message("position ", to_string(X.p), " is not finite");
  if (!all_finite(X.R.x) || !all_finite(X.R.y) || !all_finite(X.R.z)) return "rotation is not finite";
  const double lengths =
      std::max({std::abs(dot(X.R.x, X.R.x) - 1), std::abs(dot(X.R.y, X.R.y) - 1), std::abs(dot(X.R.z, X.R.z) - 1)});
  const double angles =
      std::max({std::abs(dot(X.R.x, X.R.y)), std::abs(dot(X.R.x, X.R.z)), std::abs(dot(X.R.y, X.R.z))});
  const double error = std::max(lengths, angles);
  constexpr double tolerance = 1e-6;  // files are written with six digits
  if (error > tolerance) return message("rotation is not orthonormal: off by ", error, ", allowed ", tolerance);
  if (dot(cross(X.R.x, X.R.y), X.R.z) < 0) return "rotation is a reflection (determinant -1)";
  return {};
}

const char* kind_name(const Shape& shape) {
  static constexpr const char* names[shape_kinds] = {"sphere",    "capsule",      "box",        "cylinder",
                                                     "ellipsoid", "cone",         "half-space", "convex hull",
                                                     "mesh",      "height field", "compound"};
  return names[shape.index()];
}

}  // namespace linchpin
