#include "linchpin/geometry/collide/convex_table.h"

#include <type_traits>

#include "linchpin/geometry/convex/convex_pair.h"

namespace linchpin {
namespace {

// The function of pairs.h for kinds A and B; nullptr if there is none.
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

// The table guarantees the kind, so std::get's check is not needed.
template <class Kind>
const Kind& known(const Shape& shape) {
  const Kind* const content = std::get_if<Kind>(&shape);
  if (!content) __builtin_unreachable();
  return *content;
}

template <class A, class B>
bool collide_kinds(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m) {
  m.piece_a = m.piece_b = 0;
  if constexpr (has_closed_form<A, B>) {
    return closed_form<A, B>(known<A>(a), X_WA, known<B>(b), X_WB, margin, m);
  } else if constexpr (has_closed_form<B, A>) {
    const bool found = closed_form<B, A>(known<B>(b), X_WB, known<A>(a), X_WA, margin, m);
    if (found) swap_sides(m);
    return found;
  } else if constexpr (std::is_same_v<A, HalfSpace> && std::is_same_v<B, HalfSpace>) {
    return false;
  } else {
    return convex_pair(a, X_WA, b, X_WB, margin, m);
  }
}

template <std::size_t Pair>
constexpr CollideKinds entry = collide_kinds<std::variant_alternative_t<Pair / convex_kinds, Shape>,
                                             std::variant_alternative_t<Pair % convex_kinds, Shape>>;

}  // namespace

// clang-format off
#define LINCHPIN_ROW(i) entry<8 * i>, entry<8 * i + 1>, entry<8 * i + 2>, entry<8 * i + 3>, \
                        entry<8 * i + 4>, entry<8 * i + 5>, entry<8 * i + 6>, entry<8 * i + 7>
// clang-format on
static_assert(convex_kinds == 8);
const CollideKinds convex_table[convex_kinds * convex_kinds] = {LINCHPIN_ROW(0), LINCHPIN_ROW(1), LINCHPIN_ROW(2),
                                                                LINCHPIN_ROW(3), LINCHPIN_ROW(4), LINCHPIN_ROW(5),
                                                                LINCHPIN_ROW(6), LINCHPIN_ROW(7)};
#undef LINCHPIN_ROW

}  // namespace linchpin
