#include "linchpin/sim/time_stepping/turn_limit.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

// Of the sum of two shapes' half thicknesses. Half of it leaves the surface that was met the nearer one.
constexpr double safe_share = 0.5;
// m: paths that bend by less are left to the correction of the next step. A tenth of the certificate's limit.
constexpr double small_bend = 1e-5;

double least_gap(const ContactSet& set, const ShapePair& pair) {
  double gap = std::numeric_limits<double>::infinity();
  for (int k = pair.first; k < pair.first + pair.count; ++k) {
    const Manifold& m = set.found.manifolds[k];
    for (int i = 0; i < m.count; ++i) gap = std::min(gap, m.points[i].gap);
  }
  return std::max(gap, 0.0);
}

}  // namespace

double turn_limit(const StepPlan& plan, const ContactSet& set, std::span<const MovingSphere> motion, double h) {
  double limit = h;
  for (const ShapePair& pair : set.found.pairs) {
    const double safe = safe_share * (plan.thickness[pair.a] + plan.thickness[pair.b]);
    const MovingSphere& a = motion[plan.contacts.scene.shapes()[pair.a].frame];
    const MovingSphere& b = motion[plan.contacts.scene.shapes()[pair.b].frame];
    const double turn = norm(a.w - b.w);
    if (turn == 0 || safe == std::numeric_limits<double>::infinity()) continue;
    const double closing = closing_speed(a, b), size = 2 * std::min(a.radius, b.radius);
    if (limit * turn * (limit * closing + size) <= safe) continue;
    // The positive root of (1) = safe.
    const double root = 2 * safe / (turn * size + std::sqrt(turn * turn * size * size + 4 * turn * closing * safe));
    limit = std::min(limit, std::max(least_gap(set, pair) / closing, root));
  }
  return limit;
}

bool bends(const StepPlan& plan, const Interval& interval, const Solved& solved, std::span<const MovingSphere> motion) {
  const double h = interval.h, small = std::max(small_bend, plan.options.position_tolerance);
  // The distance between an arc and its tangent is half of the angle times the way.
  const auto arc = [&](const MovingSphere& a, const MovingSphere& b, double turn) {
    return 0.5 * h * turn * h * closing_speed(a, b);
  };
  const StepRows& rows = solved.rows;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (rows.owner[b].kind != RowOwner::Kind::contact || solved.impulses[rows.rows.blocks[b].start] == 0) continue;
    const Contact& c = interval.contacts[rows.owner[b].index];
    const MovingSphere &A = motion[c.link_a], &B = motion[c.link_b];
    const double turn = norm(A.w - B.w);
    if (turn > 0 && arc(A, B, turn) > small) return true;
  }
  for (std::size_t i = 0; i < interval.contacts.size(); ++i) {
    if (!interval.idle.contacts[i]) continue;
    const Contact& c = interval.contacts[i];
    const MovingSphere &A = motion[c.link_a], &B = motion[c.link_b];
    const double turn = norm(A.w - B.w);
    if (turn == 0) continue;
    const double deviation = arc(A, B, turn) + h * turn * 2 * std::min(A.radius, B.radius);
    if (deviation > small && c.gap + h * relative_velocity(c, interval.placed.kin, solved.vel_mean).x < deviation)
      return true;
  }
  return false;
}

}  // namespace linchpin
