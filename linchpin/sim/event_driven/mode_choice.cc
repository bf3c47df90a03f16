#include "linchpin/sim/event_driven/mode_choice.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

using Kind = ModeFault::Kind;

// Violations of at least this part of the worst are pivoted with it.
constexpr double as_much = 0.99;
// Pivots before a guess is made, before the first violated condition is taken in place of the worst, and before the
// search ends, per item.
constexpr int few_pivots = 3, pivots_by_size = 6, most_pivots = 30;
// Accelerations of contacts that are open though they need not be.
constexpr double idle_share = 1e-7;
// Rounds of the direction of sliding from rest, and the change of direction that ends them.
constexpr int most_turns = 200;
constexpr double same_direction = 1e-12;

// One round for all contacts that slide from rest, d <- F d + a / W of unit length, F the size of the friction and a
// the acceleration: at its end a has the direction d. Where a is small, just beyond the cone, taking the direction of a
// itself would not converge. Returns the largest change of direction.
double turn_slides(const ModeForces& f, Mode& mode) {
  const auto turns = [&](std::size_t i) {
    const ModeContact& m = mode.contacts[i];
    return f.contact_row[i] >= 0 && m.hold == Hold::sliding && m.incipient && f.contacts[i].mu > 0;
  };
  int count = 0;
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) count += turns(i);
  double change = 0;
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    if (!turns(i)) continue;
    ModeContact& m = mode.contacts[i];
    const std::size_t r = index(f.contact_row[i]);
    const Contact& c = f.contacts[i];
    const double softness = f.D[r + 1] * f.D[r + 1] / count;  // shared by contacts on one body
    const Vec3<double> a = f.w[r + 1] * c.t1 + f.w[r + 2] * c.t2;
    const Vec3<double> to = std::hypot(f.z[r + 1], f.z[r + 2]) * m.slide + softness * a;
    if (!(norm(to) > 0)) continue;
    const Vec3<double> d = (1 / norm(to)) * to;
    change = std::max(change, norm(d - m.slide));
    m.slide = d;
  }
  return change;
}

}  // namespace

void solve_with_directions(ModeDynamics& dynamics, Mode& mode, ModeForces& f) {
  dynamics.solve(mode, f);
  for (int turns = 0; turns < most_turns && turn_slides(f, mode) > same_direction; ++turns) dynamics.solve(mode, f);
}

// Changes all items that violate the same condition as much as the worst one: bodies with several feet slip and tip on
// all of them that are alike.
void ModeChoice::pivot_alike(const ModeFault& worst, const ModeForces& f, Mode& mode) {
  conditions_below(mode, f, worst.margin * as_much, faults_);
  for (const ModeFault& fault : faults_)
    if (fault.kind == worst.kind) pivot(fault, f, mode);
}

ModeFault ModeChoice::pivot_until_consistent(int most, Mode& mode, ModeForces& f) {
  const int items = 1 + int(mode.contacts.size() + mode.limits.size() + mode.dry.size());
  ModeFault fault;
  for (int pivots = 0; pivots <= most * items; ++pivots) {
    solve_with_directions(dynamics_, mode, f);
    fault = worst_condition(mode, f, pivots > pivots_by_size * items);
    if (fault.margin >= -choice_tolerance && f.is_consistent) return {};
    // Condition (2) and (4) do not depend on how redundant contacts share a load.
    const bool shared = fault.kind == Kind::pulls || fault.kind == Kind::slips || fault.kind == Kind::limit_pulls ||
                        fault.kind == Kind::dry_slips;
    if (shared && !f.is_unique && f.is_consistent && admissible_.find(mode, f) >= -choice_tolerance) {
      const ModeFault other = worst_condition(mode, f);
      if (other.margin >= -choice_tolerance) {
        AdmissibleForces::keep(f, mode);
        return {};
      }
      fault = other;
    }
    if (!(fault.margin < -choice_tolerance)) return fault;  // contradictory, or NaN
    if (pivots > pivots_by_size * items)
      pivot(fault, f, mode);
    else
      pivot_alike(fault, f, mode);
  }
  return fault;
}

// Pivots may leave contacts open that move as if they were closed, because others carry their load, and the cones share
// loads in their own way. If all of them closed are consistent too, with the least forces, that is the choice: it does
// not depend on how it was found.
void ModeChoice::close_idle(Mode& mode, ModeForces& f) {
  if (f.is_unique && std::ranges::none_of(mode.contacts, [](const ModeContact& m) { return m.hold == Hold::open; }))
    return;
  found_ = mode;
  bool changed = false;
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    changed = changed || norm(m.near) > 0;
    m.near = Vec3<double>::zero();
    const std::size_t r = index(f.contact_row[i]);
    if (m.hold != Hold::open || !(std::abs(f.w[r]) * f.D[r] <= idle_share * f.scale)) continue;
    const Contact& c = f.contacts[i];
    changed = true;
    m.hold = m.incipient ? Hold::sticking : Hold::sliding;
    if (!m.incipient || c.mu == 0) continue;
    const Vec3<double> a = f.w[r + 1] * c.t1 + f.w[r + 2] * c.t2;
    if (!(norm(a) * f.D[r] > idle_share * f.scale)) continue;
    m.hold = Hold::sliding;
    m.slide = (1 / norm(a)) * a;
  }
  if (!changed) return;
  solve_with_directions(dynamics_, mode, f);
  if (f.is_consistent && worst_condition(mode, f).margin >= -choice_tolerance) return;
  mode = found_;
  dynamics_.solve(mode, f);
}

ModeFault ModeChoice::choose(Mode& mode, ModeForces& f) {
  first_ = mode;
  dynamics_.solve(mode, f);
  const bool redundant = !f.is_unique;
  // Single pivots of redundant contacts would break the symmetry of their loads.
  const ModeFault fault = pivot_until_consistent(redundant ? 0 : few_pivots, mode, f);
  if (fault.kind == ModeFault::Kind::none) {
    close_idle(mode, f);
    return fault;
  }
  mode = first_;
  guess_.find(f, mode);
  const ModeFault left = pivot_until_consistent(most_pivots, mode, f);
  if (left.kind == ModeFault::Kind::none) close_idle(mode, f);
  return left;
}

}  // namespace linchpin
