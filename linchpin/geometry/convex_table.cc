#include "linchpin/geometry/convex_table.h"

#include <array>
#include <type_traits>
#include <utility>

#include "linchpin/geometry/convex_pair.h"

namespace linchpin {
namespace {

using Collide = bool (*)(const Shape&, const Pose&, const Shape&, const Pose&, double, Manifold&);

// A closed form of pairs.h, found by its kinds; nullptr where there is none.
template <class A, class B>
constexpr std::nullptr_t closed_form = nullptr;

#define LINCHPIN_CLOSED_FORM(A, B, function) \
  template <>                                \
  constexpr auto closed_form<A, B> = function;
LINCHPIN_CLOSED_FORM(Sphere, Sphere, sphere_sphere)
LINCHPIN_CLOSED_FORM(Sphere, Capsule, sphere_capsule)
LINCHPIN_CLOSED_FORM(Sphere, Box, sphere_box)
LINCHPIN_CLOSED_FORM(Sphere, Cylinder, sphere_cylinder)
LINCHPIN_CLOSED_FORM(Sphere, Ellipsoid, sphere_ellipsoid)
LINCHPIN_CLOSED_FORM(Sphere, Cone, sphere_cone)
LINCHPIN_CLOSED_FORM(Capsule, Capsule, capsule_capsule)
LINCHPIN_CLOSED_FORM(Capsule, Box, capsule_box)
LINCHPIN_CLOSED_FORM(Box, Box, box_box)
LINCHPIN_CLOSED_FORM(Sphere, HalfSpace, sphere_half_space)
LINCHPIN_CLOSED_FORM(Capsule, HalfSpace, capsule_half_space)
LINCHPIN_CLOSED_FORM(Box, HalfSpace, box_half_space)
LINCHPIN_CLOSED_FORM(Cylinder, HalfSpace, cylinder_half_space)
LINCHPIN_CLOSED_FORM(Ellipsoid, HalfSpace, ellipsoid_half_space)
LINCHPIN_CLOSED_FORM(Cone, HalfSpace, cone_half_space)
LINCHPIN_CLOSED_FORM(ConvexHull, HalfSpace, hull_half_space)
#undef LINCHPIN_CLOSED_FORM

template <class A, class B>
constexpr bool has_closed_form = !std::is_same_v<std::remove_cv_t<decltype(closed_form<A, B>)>, std::nullptr_t>;

template <class A, class B>
bool collide_kinds(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m) {
  m.piece_a = m.piece_b = 0;
  if constexpr (has_closed_form<A, B>) {
    return closed_form<A, B>(*std::get_if<A>(&a), X_WA, *std::get_if<B>(&b), X_WB, margin, m);
  } else if constexpr (has_closed_form<B, A>) {
    const bool found = closed_form<B, A>(*std::get_if<B>(&b), X_WB, *std::get_if<A>(&a), X_WA, margin, m);
    if (found) swap_sides(m);
    return found;
  } else if constexpr (std::is_same_v<A, HalfSpace> && std::is_same_v<B, HalfSpace>) {
    return false;
  } else {
    return convex_pair(a, X_WA, b, X_WB, margin, m);
  }
}

template <std::size_t... Pairs>
constexpr std::array<Collide, sizeof...(Pairs)> make_table(std::index_sequence<Pairs...>) {
  return {collide_kinds<std::variant_alternative_t<Pairs / convex_kinds, Shape>,
                        std::variant_alternative_t<Pairs % convex_kinds, Shape>>...};
}
constexpr auto table = make_table(std::make_index_sequence<convex_kinds * convex_kinds>());

}  // namespace

bool collide_convex(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m) {
  return table[a.index() * convex_kinds + b.index()](a, X_WA, b, X_WB, margin, m);
}

}  // namespace linchpin
