#include "linchpin/geometry/scene/broad_phase.h"

#include <cmath>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/geometry/scene/broad_phase_kernel.h"
#include "linchpin/geometry/shapes/box_pack_kernel.h"

namespace linchpin {
namespace {

constexpr std::size_t lanes = BoxPack::lanes;

// Replaces each count by the sum of those before it.
void to_places(std::vector<std::uint32_t>& counts) {
  std::uint32_t sum = 0;
  for (std::uint32_t& c : counts) sum += std::exchange(c, sum);
}

}  // namespace

// Two stable counting sorts: by b, then by a.
void BroadPhase::sort_pairs(std::size_t boxes) {
  if (spare_.size() < pairs_.size()) spare_.resize(pairs_.size());
  place_a_.assign(boxes, 0);
  place_b_.assign(boxes, 0);
  for (std::size_t i = 0; i < count_; ++i) ++place_a_[pairs_[i].a], ++place_b_[pairs_[i].b];
  to_places(place_a_);
  to_places(place_b_);
  for (std::size_t i = 0; i < count_; ++i) spare_[place_b_[pairs_[i].b]++] = pairs_[i];
  for (std::size_t i = 0; i < count_; ++i) pairs_[place_a_[spare_[i].a]++] = spare_[i];
}

// Finds the packs at or after pack i that overlap it, level by level from the top. Returns their number.
std::size_t BroadPhase::find_neighbours(std::size_t i) {
  const Aabb box = tree_.bounds_of(i);
  candidates_[0] = 0;
  std::size_t count = 1;
  for (int k = tree_.levels() - 1; k > 0; --k) {
    const BoxPack* level = tree_.level(k);
    const std::size_t from = i >> 3 * (k - 1);  // i's own ancestor in the level below
    std::size_t found = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const std::uint32_t first = std::uint32_t(lanes) * candidates_[c];
      unsigned bits = overlap_bits(level[candidates_[c]], box);
      if (first < from) bits &= ~0u << (from - first);
      found += write_bits(bits, first, &next_[found]);
    }
    std::swap(candidates_, next_);
    count = found;
  }
  return count;
}

// Tests the boxes of pack i against those of the candidates. Two loops without branches on the outcome, which would be
// mispredicted half of the time: first each box of pack i against packs, then the ones that overlap against eight
// boxes.
void BroadPhase::test_pack(std::size_t i, std::size_t candidates) {
  const BoxPack* packs = tree_.level(0);
  const BoxPack& own = packs[i];
  std::size_t tests = 0;
  for (std::size_t c = 0; c < candidates; ++c) {
    const std::uint32_t j = candidates_[c];
    tests += write_bits(overlap_bits(own, tree_.bounds_of(j)), std::uint32_t(lanes) * j, &tests_[tests]);
  }
  std::size_t count = count_;
  for (std::size_t t = 0; t < tests; ++t) {
    const std::size_t j = tests_[t] / lanes, lane = tests_[t] % lanes;
    const unsigned later = j == i ? ~0u << (lane + 1) : ~0u;
    const unsigned bits = overlap_bits(packs[j], box_of(own, lane)) & later;
    if (count + lanes > pairs_.size()) [[unlikely]]
      pairs_.resize(2 * count + 64);
    count += write_pairs(bits, ids_[lanes * i + lane], &ids_[lanes * j], &pairs_[count]);
  }
  count_ = count;
}

void BroadPhase::search(std::span<const Aabb> boxes) {
  order_ = spatial_order_.sort(boxes);
  tree_.build(boxes, order_);
  count_ = 0;
  if (tree_.levels() == 0) return;
  const std::size_t packs = tree_.size(0);
  ids_.assign(lanes * packs, 0);
  std::copy(order_.begin(), order_.end(), ids_.begin());
  candidates_.resize(packs + lanes);
  next_.resize(packs + lanes);
  tests_.resize(lanes * packs + lanes);

  for (std::size_t i = 0; i < packs; ++i) test_pack(i, find_neighbours(i));
  sort_pairs(boxes.size());
}

bool BroadPhase::is_within_skin(std::span<const Aabb> boxes) const {
  if (with_skin_.empty() || boxes.size() != with_skin_.size()) return false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Aabb &box = boxes[i], &skin = with_skin_[i];
    const bool within = contains(skin, box.lower) & contains(skin, box.upper);
    if (!within && (holds_points(box) || holds_points(skin))) return false;  // empty boxes that stay empty are fine
  }
  return true;
}

// Adapts the skin to the number of calls that the last one served. About twenty calls per search are as good as any
// larger number; a skin of half a box doubles the pairs.
void BroadPhase::adapt_skin() {
  constexpr int few = 8, many = 60, pause = 30;
  constexpr double most = 0.3, least = 1e-3;
  if (uses_ < few) skin_ *= 2;
  if (uses_ > many) skin_ = std::max(least, skin_ / 2);
  if (skin_ <= most) return;
  skin_ = most;
  if (uses_ < few / 2) searches_left_ = pause;
}

void BroadPhase::search_with_skin(std::span<const Aabb> boxes) {
  double sum = 0;
  int counted = 0;
  for (const Aabb& b : boxes) {
    const double side = std::max({b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z});
    if (side > 0 && std::isfinite(side)) sum += std::log(side), ++counted;
  }
  const double skin = counted > 0 ? skin_ * std::exp(sum / counted) : 0;
  with_skin_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    with_skin_[i] = holds_points(boxes[i]) ? inflated(boxes[i], skin) : Aabb::none();
  search(with_skin_);
  skin_pairs_.assign(pairs_.begin(), pairs_.begin() + std::ptrdiff_t(count_));
  uses_ = 0;
}

void BroadPhase::pick_pairs(std::span<const Aabb> boxes) {
  if (pairs_.size() < skin_pairs_.size() + 1) pairs_.resize(skin_pairs_.size() + 1);
  std::size_t count = 0;
  for (const BoxPair& pair : skin_pairs_) {
    pairs_[count] = pair;
    count += do_overlap(boxes[pair.a], boxes[pair.b]);
  }
  count_ = count;
}

// Reserves memory for the pairs of boxes with skin, so that the first search with skin does not allocate.
void BroadPhase::make_room(std::size_t boxes) {
  if (pairs_.size() < 2 * count_ + 64) pairs_.resize(2 * count_ + 64);
  if (spare_.size() < pairs_.size()) spare_.resize(pairs_.size());
  skin_pairs_.reserve(pairs_.size());
  with_skin_.reserve(boxes);
}

std::span<const BoxPair> BroadPhase::find_pairs(std::span<const Aabb> boxes, std::span<const double> margins) {
  check(margins.empty() || margins.size() == boxes.size(), margins.size(), " margins for ", boxes.size(), " boxes");
  if (!margins.empty()) {
    inflated_.resize(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) inflated_[i] = inflated(boxes[i], margins[i]);  // (1)
    boxes = inflated_;
  }
  if (!is_within_skin(boxes)) {
    if (!with_skin_.empty()) adapt_skin();
    if (searches_left_ > 0) {
      --searches_left_;
      with_skin_.clear();
      search(boxes);
      make_room(boxes.size());
      return {pairs_.data(), count_};
    }
    search_with_skin(boxes);
  }
  ++uses_;
  pick_pairs(boxes);
  return {pairs_.data(), count_};
}

}  // namespace linchpin
