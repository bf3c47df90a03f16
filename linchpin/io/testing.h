// Comparison of specs field by field, bit for bit, for this room's tests.
//
// fields_of() takes every struct apart by a structured binding: a field that is added to a struct, here or not in
// spec_json.cc, does not compile until it is added to its line too.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "linchpin/geometry/shapes/height_grid.h"
#include "linchpin/geometry/shapes/hull.h"
#include "linchpin/geometry/shapes/mesh.h"
#include "linchpin/model/spec.h"

namespace linchpin::spec_fields {

#define LINCHPIN_FIELDS(Struct, ...)        \
  inline auto fields_of(const Struct& it) { \
    const auto& [__VA_ARGS__] = it;         \
    return std::tie(__VA_ARGS__);           \
  }

LINCHPIN_FIELDS(Vec3<double>, a, b, c)
LINCHPIN_FIELDS(Mat3<double>, a, b, c)
LINCHPIN_FIELDS(Sym3<double>, a, b, c, d, e, f)
LINCHPIN_FIELDS(Transform<double>, a, b)
LINCHPIN_FIELDS(Sphere, a)
LINCHPIN_FIELDS(Capsule, a, b)
LINCHPIN_FIELDS(Box, a)
LINCHPIN_FIELDS(Cylinder, a, b)
LINCHPIN_FIELDS(Ellipsoid, a)
LINCHPIN_FIELDS(Cone, a, b)
LINCHPIN_FIELDS(ConvexHull, a)
LINCHPIN_FIELDS(Mesh, a)
LINCHPIN_FIELDS(HeightField, a)
LINCHPIN_FIELDS(Compound, a)
LINCHPIN_FIELDS(PlacedShape, a, b)
LINCHPIN_FIELDS(Hull::Face, a, b, c, d)
LINCHPIN_FIELDS(Friction, a, b)
LINCHPIN_FIELDS(Material::Directional, a, b)
LINCHPIN_FIELDS(Material, a, b, c, d)
LINCHPIN_FIELDS(PairMaterial::Directional, a, b, c)
LINCHPIN_FIELDS(PairMaterial, a, b, c)
LINCHPIN_FIELDS(PairRules::Override, a, b, c)
LINCHPIN_FIELDS(PairRules, a, b, c)
LINCHPIN_FIELDS(TimeLaw, a, b, c, d)
LINCHPIN_FIELDS(FrameOnBody, a, b)
LINCHPIN_FIELDS(LoopSpec, a, b, c, d, e)
LINCHPIN_FIELDS(RodSpec, a, b, c, d)
LINCHPIN_FIELDS(RollingSpec, a, b, c, d)
LINCHPIN_FIELDS(VelocitySpec, a, b, c, d, e)
LINCHPIN_FIELDS(CouplingSpec::Term, a, b, c)
LINCHPIN_FIELDS(CouplingSpec, a, b)
LINCHPIN_FIELDS(ConstraintSpec, a, b)
LINCHPIN_FIELDS(SpringSpec, a, b, c, d, e, f)
LINCHPIN_FIELDS(DofSpec, a, b, c, d, e, f, g, h, i)
LINCHPIN_FIELDS(JointSpec, a, b, c, d, e, f, g, h, i, j, k, l)
LINCHPIN_FIELDS(InertiaSpec, a, b, c)
LINCHPIN_FIELDS(GeometrySpec, a, b, c, d, e, f, g)
LINCHPIN_FIELDS(ContactPairSpec, a, b, c, d)
LINCHPIN_FIELDS(ContactExclusionSpec, a, b)
LINCHPIN_FIELDS(BodySpec, a, b, c)
LINCHPIN_FIELDS(FrameSpec, a, b, c)
LINCHPIN_FIELDS(ActuatorSpec, a, b, c, d, e, f, g, h, i, j)
LINCHPIN_FIELDS(ModelSpec, a, b, c, d, e, f, g, h, i, j, k, l)
#undef LINCHPIN_FIELDS

inline auto fields_of(const HalfSpace&) { return std::tuple<>(); }
// Of these the data that they are made from; the rest follows from it.
inline auto fields_of(const Hull& it) { return std::tie(it.vertices, it.faces, it.corners); }
inline auto fields_of(const TriangleMesh& it) { return std::tie(it.vertices, it.triangles); }
inline auto fields_of(const HeightGrid& it) {
  return std::tie(it.columns, it.rows, it.spacing_x, it.spacing_y, it.heights, it.floor);
}

// The place of the first difference, such as ".2[0].7" (field 2, element 0, field 7), or "" if there is none.
inline std::string difference(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)
             ? ""
             : ": " + std::to_string(a) + " and " + std::to_string(b);
}
template <class T>
requires(std::integral<T> || std::is_enum_v<T> || std::same_as<T, std::string>) std::string
    difference(const T& a, const T& b) {
  return a == b ? "" : ": another value";
}
template <class List>
std::string list_difference(const List& a, const List& b);
template <class T>
std::string difference(const std::vector<T>& a, const std::vector<T>& b) {
  return list_difference(a, b);
}
template <class T, std::size_t n>
std::string difference(const std::array<T, n>& a, const std::array<T, n>& b) {
  return list_difference(a, b);
}
template <class T>
std::string difference(const std::optional<T>& a, const std::optional<T>& b);
template <class T>
std::string difference(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b);
template <class... T>
std::string difference(const std::variant<T...>& a, const std::variant<T...>& b);
template <class T>
requires requires(const T& t) { fields_of(t); }
std::string difference(const T& a, const T& b);

template <class List>
std::string list_difference(const List& a, const List& b) {
  if (a.size() != b.size()) return ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " elements";
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const std::string found = difference(a[i], b[i]); !found.empty()) return "[" + std::to_string(i) + "]" + found;
  return "";
}
template <class T>
std::string difference(const std::optional<T>& a, const std::optional<T>& b) {
  if (a.has_value() != b.has_value()) return ": one has none";
  return a ? difference(*a, *b) : "";
}
template <class T>
std::string difference(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b) {
  if (!a != !b) return ": one has none";
  return a ? difference(*a, *b) : "";
}
template <class... T>
std::string difference(const std::variant<T...>& a, const std::variant<T...>& b) {
  if (a.index() != b.index()) return ": another kind";
  return std::visit([&](const auto& x) { return difference(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}
template <class T>
requires requires(const T& t) { fields_of(t); }
std::string difference(const T& a, const T& b) {
  const auto x = fields_of(a), y = fields_of(b);
  std::string found;
  const auto compare = [&](std::size_t place, const auto& one, const auto& other) {
    if (!found.empty()) return;
    if (const std::string inner = difference(one, other); !inner.empty()) found = "." + std::to_string(place) + inner;
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) { (compare(i, std::get<i>(x), std::get<i>(y)), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(x)>>());
  return found;
}

}  // namespace linchpin::spec_fields
