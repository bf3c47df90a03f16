#include "linchpin/geometry/shapes/bvh.h"

#include <numeric>

namespace linchpin {
namespace {

constexpr std::size_t lanes = BoxPack::lanes;

// The centre, limited to finite coordinates for infinite boxes.
Vec3<double> finite_centre(const Aabb& box) {
  constexpr double most = 1e150;
  const auto moderate = [=](double x) { return x > -most ? std::min(x, most) : -most; };  // NaN: -most
  const Vec3<double> c = centre(box);
  return {moderate(c.x), moderate(c.y), moderate(c.z)};
}

double along_axis(const Vec3<double>& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// Sorts the boxes `order` into nodes of `capacity` boxes each, of which all but the last are full.
void halve(const std::vector<Vec3<double>>& centres, std::span<std::uint32_t> order, std::size_t capacity) {
  while (capacity >= order.size() && capacity > 1) capacity /= lanes;
  if (order.size() <= capacity) return;
  const std::size_t nodes = (order.size() + capacity - 1) / capacity, middle = (nodes + 1) / 2 * capacity;
  Aabb all = Aabb::none();
  for (const std::uint32_t i : order) all = merge(all, centres[i]);
  const Vec3<double> s = all.upper - all.lower;
  const int axis = s.x >= s.y && s.x >= s.z ? 0 : s.y >= s.z ? 1 : 2;
  const auto before = [&](std::uint32_t i, std::uint32_t j) {
    const double a = along_axis(centres[i], axis), b = along_axis(centres[j], axis);
    return a < b || (a == b && i < j);
  };
  std::nth_element(order.begin(), order.begin() + long(middle), order.end(), before);
  halve(centres, order.first(middle), capacity);
  halve(centres, order.subspan(middle), capacity);
}

}  // namespace

Bvh::Bvh(std::span<const Aabb> boxes) {
  std::vector<Vec3<double>> centres(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    centres[i] = finite_centre(boxes[i]);
    if (holds_points(boxes[i])) order_.push_back(std::uint32_t(i));
  }
  std::size_t capacity = 1;
  while (capacity * lanes < order_.size()) capacity *= lanes;
  halve(centres, order_, capacity);
  tree_.build(boxes, order_);
}

}  // namespace linchpin
