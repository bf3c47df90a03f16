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

// The way that the links of a pair move within the interval, at most, m.
double reach_of(const ContactSet& set, const StepPlan& plan, const ShapePair& pair) {
  const std::span<const SceneShape> shapes = plan.contacts.scene.shapes();
  return set.reach[shapes[pair.a].frame] + set.reach[shapes[pair.b].frame];
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
    const double size = 2 * std::min(a.radius, b.radius);
    if (limit * turn * (reach_of(set, plan, pair) + size) <= safe) continue;  // h closing_speed is within the reaches
    const double closing = closing_speed(a, b);
    if (limit * turn * (limit * closing + size) <= safe) continue;
    // The positive root of (1) = safe.
    const double root = 2 * safe / (turn * size + std::sqrt(turn * turn * size * size + 4 * turn * closing * safe));
    limit = std::min(limit, std::max(least_gap(set, pair) / closing, root));
  }
  return limit;
}

bool bends(const StepPlan& plan, const Interval& interval, const ContactSet& set, const Solved& solved,
           std::span<const MovingSphere> motion) {
  const double h = interval.h, small = std::max(small_bend, plan.options.position_tolerance);
  const auto turn_of = [&](const Contact& c) { return norm(motion[c.link_a].w - motion[c.link_b].w); };
  const auto reach_of = [&](const Contact& c) { return set.reach[c.link_a] + set.reach[c.link_b]; };
  // The distance between an arc and its tangent is half of the angle times the way, which is within the reaches.
  const auto arc = [&](const Contact& c, double turn) {
    return 0.5 * h * turn * h * closing_speed(motion[c.link_a], motion[c.link_b]);
  };
  const auto may_come_nearer = [&](const Contact& c) {
    const double turn = turn_of(c);
    if (turn == 0) return false;
    const double deviation = arc(c, turn) + h * turn * 2 * std::min(motion[c.link_a].radius, motion[c.link_b].radius);
    return deviation > small && c.gap + h * relative_velocity(c, interval.placed.kin, solved.vel_mean).x < deviation;
  };
  const StepRows& rows = solved.rows;
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (rows.owner[b].kind != RowOwner::Kind::contact) continue;
    const Contact& c = interval.contacts[rows.owner[b].index];
    if (solved.impulses[rows.rows.blocks[b].start] == 0) {
      if (may_come_nearer(c)) return true;
      continue;
    }
    const double turn = turn_of(c);
    if (0.5 * h * turn * reach_of(c) > small && arc(c, turn) > small) return true;
  }
  for (std::size_t i = 0; i < interval.contacts.size(); ++i)
    if (interval.idle.contacts[i] && may_come_nearer(interval.contacts[i])) return true;
  return false;
}

}  // namespace linchpin
