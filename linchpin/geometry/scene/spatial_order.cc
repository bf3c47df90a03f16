#include "linchpin/geometry/scene/spatial_order.h"

#include <bit>
#include <utility>

namespace linchpin {
namespace {

// Up to this many boxes, sorting costs more than testing all packs against each other.
constexpr std::size_t few = 128;
// A cell with more boxes than this is subdivided.
constexpr std::size_t crowd = 32;

// The lowest 10 bits, with two zeros after each.
std::uint32_t spread(std::uint32_t v) {
  v = (v | v << 16) & 0x030000ff;
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}

// floor(log2 x) + 1023; 0 for x = 0, and 2047 for infinity.
int exponent(double x) { return int(std::bit_cast<std::uint64_t>(x) >> 52); }
bool is_ordinary(int exponent) { return exponent > 0 && exponent < 2047; }

int size_exponent(const Aabb& b) {
  return exponent(std::max({b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z}));
}

// Sums and differences of such coordinates cannot overflow.
bool is_moderate(const Vec3<double>& c) {
  constexpr double most = 1e150;
  return std::abs(c.x) <= most && std::abs(c.y) <= most && std::abs(c.z) <= most;
}

}  // namespace

void SpatialOrder::sort_by_key(std::span<Item> items, int bits) {
  const int passes = bits > 22 ? 3 : 2, digit = (bits + passes - 1) / passes;
  constexpr int most_digit = 11;
  std::uint32_t place[3][1 << most_digit];
  const std::uint32_t last = (1u << digit) - 1;
  for (int p = 0; p < passes; ++p) std::fill_n(place[p], last + 1, 0u);
  for (const Item& item : items)
    for (int p = 0; p < passes; ++p) ++place[p][item.key >> (p * digit) & last];
  for (int p = 0; p < passes; ++p) {
    std::uint32_t sum = 0;
    for (std::uint32_t d = 0; d <= last; ++d) sum += std::exchange(place[p][d], sum);
  }
  std::span<Item> from = items, to{spare_.data(), items.size()};
  for (int p = 0; p < passes; ++p) {
    for (const Item& item : from) to[place[p][item.key >> (p * digit) & last]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

void SpatialOrder::sort_along_curve(std::span<const Aabb> boxes, std::span<Item> items, bool by_size, int depth) {
  Aabb cube = Aabb::none();
  long sum = 0, counted = 0;
  for (const Item& item : items) {
    const Vec3<double> c = centre(boxes[item.index]);
    if (is_moderate(c)) cube = merge(cube, c);
    if (by_size) {
      const int e = size_exponent(boxes[item.index]);
      if (is_ordinary(e)) sum += e, ++counted;
    }
  }
  const Vec3<double> sides = cube.upper - cube.lower;
  const double side = std::max({sides.x, sides.y, sides.z});
  if (!(side > 0) && !by_size) return;  // all centres are equal
  // For few boxes 32 cells along each axis suffice, and the sort needs fewer passes.
  const int cell_bits = items.size() < 4096 ? 5 : 10;
  const double cells = double(1 << cell_bits), scale = side > 0 ? cells / side : 0;
  const auto cell = [&](double x, double lower) {
    const double u = (x - lower) * scale;
    return spread(u > 0 ? std::uint32_t(std::min(u, cells - 1)) : 0);  // NaN: 0
  };
  const int mean = counted ? int(sum / counted) : 0;
  for (Item& item : items) {
    const Aabb& box = boxes[item.index];
    const Vec3<double> c = centre(box);
    item.key = cell(c.x, cube.lower.x) | cell(c.y, cube.lower.y) << 1 | cell(c.z, cube.lower.z) << 2;  // (1)
    if (by_size)
      item.key |= std::uint32_t(std::clamp((size_exponent(box) - mean + 4) / 3, 0, 3)) << 3 * cell_bits;  // (2)
  }
  sort_by_key(items, 3 * cell_bits + 2);

  constexpr int deepest = 16;  // bounds the recursion; each level divides the side of the cube by 32 or 1024
  if (depth == deepest) return;
  for (std::size_t first = 0, last; first < items.size(); first = last) {
    for (last = first + 1; last < items.size() && items[last].key == items[first].key;) ++last;
    if (last - first > crowd) sort_along_curve(boxes, items.subspan(first, last - first), false, depth + 1);
  }
}

std::span<const std::uint32_t> SpatialOrder::sort(std::span<const Aabb> boxes) {
  items_.resize(boxes.size());
  spare_.resize(boxes.size());
  order_.resize(boxes.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (holds_points(boxes[i])) items_[count++].index = std::uint32_t(i);
  if (count > few) sort_along_curve(boxes, {items_.data(), count}, true, 0);
  for (std::size_t i = 0; i < count; ++i) order_[i] = items_[i].index;
  return {order_.data(), count};
}

}  // namespace linchpin
