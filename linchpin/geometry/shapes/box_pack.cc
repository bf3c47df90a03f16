#include "linchpin/geometry/shapes/box_pack.h"

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/box_pack_kernel.h"

namespace linchpin {
namespace {

constexpr std::size_t lanes = BoxPack::lanes;

std::size_t packs_for(std::size_t boxes) { return (boxes + lanes - 1) / lanes; }

// Stores box `index` of `count` in the level; after the last one, fills the remaining lanes of its pack with NaN.
void put(BoxPack* level, std::size_t index, std::size_t count, const Aabb& box) {
  set_box(level[index / lanes], index % lanes, box);
  if (index + 1 < count) return;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t lane = count; lane % lanes != 0; ++lane)
    set_box(level[lane / lanes], lane % lanes, {{nan, nan, nan}, {nan, nan, nan}});
}

}  // namespace

void BoxTree::build(std::span<const Aabb> boxes, std::span<const std::uint32_t> order) {
  levels_ = 0;
  bounds_ = Aabb::none();
  std::size_t total = 0;
  for (std::size_t count = order.size(); count > 0; count = packs_for(count)) {
    first_[levels_] = total;
    size_[levels_] = packs_for(count);
    total += size_[levels_++];
    if (count <= lanes) break;
  }
  if (levels_ == 0) return;
  if (packs_.size() < total) packs_ = AlignedArray<BoxPack>(total + total / 4);

  for (std::size_t i = 0; i < order.size(); ++i) put(packs_.data(), i, order.size(), boxes[order[i]]);
  for (int k = 0; k < levels_; ++k) {
    const BoxPack* below = level(k);
    for (std::size_t j = 0; j < size_[k]; ++j) {
      Aabb all = Aabb::none();
      for (std::size_t lane = 0; lane < lanes; ++lane) all = merge(all, box_of(below[j], lane));  // ignores NaN
      if (k + 1 < levels_)
        put(packs_.data() + first_[k + 1], j, size_[k], all);
      else
        bounds_ = all;
    }
  }
}

unsigned overlap_lanes(const BoxPack& pack, const Aabb& box) { return overlap_bits(pack, box); }

// Slab test: the line is between the two planes of an axis while t is between (lower - o)/d and (upper - o)/d. For d =
// 0 these are infinite, or 0 * infinity = NaN if o lies in one of the planes. Comparisons with NaN are false, so that
// the axis does not restrict t then.
unsigned entry_lanes(const BoxPack& pack, const Vec3<double>& origin, const Vec3<double>& inverse, double limit,
                     double t[BoxPack::lanes]) {
  const double o[] = {origin.x, origin.y, origin.z}, inverse_d[] = {inverse.x, inverse.y, inverse.z};
  // The exit is increased by a few roundings, so that a box is not missed by a line along its edge or face.
  constexpr double slack = 1 + 4 * std::numeric_limits<double>::epsilon();
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    double in = 0, out = limit;
    bool box = true;
    for (int axis = 0; axis < 3; ++axis) {
      const double lower = pack.lower[axis][lane], upper = pack.upper[axis][lane];
      const double a = (lower - o[axis]) * inverse_d[axis], b = (upper - o[axis]) * inverse_d[axis];
      const double first = inverse_d[axis] < 0 ? b : a, last = (inverse_d[axis] < 0 ? a : b) * slack;
      if (first > in) in = first;
      if (last < out) out = last;
      box = box && lower <= upper;
    }
    t[lane] = in;
    bits |= unsigned(box && in <= out && in < std::numeric_limits<double>::infinity()) << lane;
  }
  return bits;
}

unsigned near_lanes(const BoxPack& pack, const Aabb& box, double limit, double squared[BoxPack::lanes]) {
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Aabb other = box_of(pack, lane);
    squared[lane] = distance_squared(box, other);
    bits |= unsigned(other.lower.x <= other.upper.x && squared[lane] <= limit) << lane;
  }
  return bits;
}

}  // namespace linchpin
