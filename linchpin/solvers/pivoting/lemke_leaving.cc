#include "linchpin/solvers/pivoting/lemke_leaving.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "linchpin/solvers/pivoting/lemke_registers.h"

namespace linchpin::lemke_detail {
namespace {

// Among candidates, those with less than this share of the largest pivot do not leave: without this rule stacks with a
// large mass ratio pivoted on rounding errors (docs/lemke.md).
constexpr double weak_pivot = 1e-4;

// The coefficient of the j-th perturbation in candidate i of the ratio test for column s, before division by |a_i|.
// Perturbed are the variables that were basic at the start, v = v^ + e^j where v^ obeys (3) unperturbed; upper bounds
// need not be: the coefficients of all rows are a nonsingular matrix, so those of two candidates are never in
// proportion. Candidate -1 is the entering variable's own other bound.
double perturbation(const Run& run, int i, bool upper, int j) {
  const LemkeWorkspace& ws = run.ws;
  if (i < 0) return 0;
  const int v = ws.start_variable[j], place = ws.place[v];
  const bool turned = ws.flipped[v / 2] != ws.start_flipped[v / 2];
  const double sign = upper != turned ? -1 : 1;
  return place >= 0 ? -sign * run.column(place)[i] : ~place == i ? sign : 0;
}

// Whether candidate i reaches its bound before candidate k in the perturbed problem.
bool lexicographically_before(const Run& run, const double* a, int i, int k) {
  const auto differ = [](double x, double y) { return std::abs(x - y) > tie * (1 + std::abs(x) + std::abs(y)); };
  const double by_i = i < 0 ? 1 : 1 / std::abs(a[i]), by_k = k < 0 ? 1 : 1 / std::abs(a[k]);
  if (!run.bounded) {  // the same as below, simplified
    for (int j = 0; j < run.pairs; ++j) {
      const int place = run.ws.place[run.ws.start_variable[j]];
      if (place < 0) {
        if (~place == i || ~place == k) return ~place == k;
        continue;
      }
      const double of_i = -by_i * run.column(place)[i], of_k = -by_k * run.column(place)[k];
      if (differ(of_i, of_k)) return of_i < of_k;
    }
    return false;
  }
  for (int j = 0; j < run.pairs; ++j) {
    const double of_i = by_i * perturbation(run, i, i >= 0 && a[i] > 0, j);
    const double of_k = by_k * perturbation(run, k, k >= 0 && a[k] > 0, j);
    if (differ(of_i, of_k)) return of_i < of_k;
  }
  return false;
}

}  // namespace

template <bool Bounded>
Candidates find_candidates(const Run& run, int s, double own) {
  LemkeWorkspace& ws = run.ws;
  const double *a = run.column(s), *b = run.column(run.b()), *height = ws.row_height.data();
  double* ratio = ws.ratio.data();
  const int end = padded(run.pairs);
  Lanes limit = infinity - Lanes{};
  for (int i = 0; i < end; i += lanes) {
    Lanes room = at(b + i), speed = -at(a + i);
    LaneMask blocks = speed > smallest_pivot;
    if constexpr (Bounded) {
      const LaneMask above = (speed < -smallest_pivot) & (at(height + i) < infinity);
      room = above ? at(height + i) - room : room;
      speed = above ? -speed : speed;
      blocks |= above;
    }
    room = room > 0 ? room : Lanes{};
    const Lanes per_speed = reciprocal(speed);
    at(ratio + i) = blocks ? room * per_speed : infinity - Lanes{};
    keep_smaller(limit, blocks ? (room + tie) * per_speed : infinity - Lanes{});
  }
  spread_smallest(limit);
  if constexpr (Bounded) keep_smaller(limit, own - Lanes{});
  if (limit[0] == infinity) return {};

  Candidates found;
  for (int start = 0; start < end; start += 64) {
    std::uint64_t set = 0;
    for (int i = start; i < std::min(start + 64, end); i += lanes)
      set |= std::uint64_t(at_most(at(ratio + i), limit)) << (i - start);
    if (set == 0) continue;
    found.last = start + 63 - std::countl_zero(set);
    if (end <= 64 && std::has_single_bit(set) && !Bounded) return {1, found.last};  // the usual case
    for (; set != 0; set &= set - 1) ws.candidates[found.count++] = start + std::countr_zero(set);
  }
  if (Bounded && own <= limit[0]) {
    ws.candidates[found.count++] = itself;
    found.last = itself;
  }
  return found;
}
template Candidates find_candidates<false>(const Run& run, int s, double own);
template Candidates find_candidates<true>(const Run& run, int s, double own);

int first_of_ties(const Run& run, int entering, const Candidates& found) {
  const int *candidates = run.ws.candidates.data(), count = found.count, z0 = ~run.ws.place[run.z0()];
  const double* a = run.column(run.ws.place[entering]);
  const auto pivot_of = [&](int i) { return i == itself ? 1 : std::abs(a[i]); };
  double most = 0;
  for (int c = 0; c < count; ++c) {
    if (candidates[c] == z0) return z0;
    most = std::max(most, pivot_of(candidates[c]));
  }
  int first = itself;
  for (int c = 0, any = 0; c < count; ++c) {
    if (pivot_of(candidates[c]) < weak_pivot * most) continue;
    if (!any++ || lexicographically_before(run, a, candidates[c], first)) first = candidates[c];
  }
  return first;
}

int worst_row(const Run& run) {
  const double *b = run.column(run.b()), *d = run.column(run.spare());
  double* ratio = run.ws.ratio.data();
  const int end = padded(run.pairs);
  Lanes least = infinity - Lanes{};
  for (int i = 0; i < end; i += lanes) {  // beyond the last pair b is 0
    const Lanes t = at(b + i) / at(d + i);
    at(ratio + i) = (at(b + i) < -exact) & (at(d + i) > 0) ? t : infinity - Lanes{};
    keep_smaller(least, at(ratio + i));
  }
  spread_smallest(least);
  if (least[0] == infinity) return -1;
  least -= tie * least;
  for (int i = end - lanes; i >= 0; i -= lanes)
    if (const unsigned set = at_most(at(ratio + i), least)) return i + std::bit_width(set) - 1;
  return not_finite;  // b overflowed: least is NaN
}

}  // namespace linchpin::lemke_detail
