#include "linchpin/sim/event_driven/mode_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

using Kind = ModeFault::Kind;

// Of the conditions (2) and (4): an event is located where those of forces are violated by mode_tolerance, and there
// what has been released may accelerate the wrong way by ten times that.
constexpr double opening_share = 0.01;
// Pivots before the first violated condition is taken in place of the worst, and before the search ends, per item.
// Violations of at least this part of the worst are pivoted with it.
constexpr double as_much = 0.99;
constexpr int few_pivots = 3, pivots_by_size = 6, most_pivots = 30;
// Of (5): forces and accelerations below this part of the largest are zero.
constexpr double seed_tolerance = 3e-9;
// Accelerations of contacts that are open though they need not be.
constexpr double idle_share = 1e-7;
constexpr int most_rounds_of_cones = 100;
constexpr double settled = 1e-11;
// Rounds of the direction of sliding from rest, and the change of direction that ends them.
constexpr int most_turns = 200;
constexpr double same_direction = 1e-12;

// Collects the least margin, and those below a limit.
class Least {
 public:
  Least(bool first_only) : first_only_(first_only) {}
  double limit = 0;
  std::vector<ModeFault>* below = nullptr;
  ModeFault wanted = {.margin = std::numeric_limits<double>::quiet_NaN()};  // margin is that of its kind and index
  void add(Kind kind, std::size_t index, double margin) {
    if (kind == wanted.kind && int(index) == wanted.index) wanted.margin = margin;
    if (below && margin < limit) below->push_back({kind, int(index), margin});
    if (first_only_ && fault_.kind != Kind::none && fault_.margin < -mode_tolerance) return;
    if (fault_.kind == Kind::none || !(margin >= fault_.margin)) fault_ = {kind, int(index), margin};
  }
  ModeFault fault() const { return fault_; }

 private:
  bool first_only_;
  ModeFault fault_;
};

double tangential(const Contact& c, double z1, double z2) { return std::hypot(z1, z2 / c.across); }

void add_contact_conditions(const Mode& mode, const ModeForces& f, std::size_t i, Least& least) {
  const int row = f.contact_row[i];
  if (row < 0) return;
  const std::size_t r = std::size_t(row);
  const ModeContact& m = mode.contacts[i];
  const Contact& c = f.contacts[i];
  const double force = 1 / (f.D[r] * f.scale), acceleration = opening_share * f.D[r] / f.scale;
  if (m.hold == Hold::open) return least.add(Kind::closes, i, f.w[r] * acceleration);
  least.add(Kind::pulls, i, f.z[r] * force);
  if (c.mu == 0) return;
  if (m.hold == Hold::sticking)
    least.add(Kind::slips, i, (c.mu * std::max(f.z[r], 0.0) - tangential(c, f.z[r + 1], f.z[r + 2])) * force);
  else if (m.incipient)
    least.add(Kind::reverses, i, dot(m.slide, f.w[r + 1] * c.t1 + f.w[r + 2] * c.t2) * acceleration);
}

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

void add_conditions(const Mode& mode, const ModeForces& f, Least& least) {
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) add_contact_conditions(mode, f, i, least);
  for (std::size_t i = 0; i < mode.limits.size(); ++i) {
    if (f.limit_row[i] < 0) continue;
    const std::size_t r = std::size_t(f.limit_row[i]);
    if (mode.limits[i].closed)
      least.add(Kind::limit_pulls, i, f.z[r] / (f.D[r] * f.scale));
    else
      least.add(Kind::limit_closes, i, opening_share * f.w[r] * f.D[r] / f.scale);
  }
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (mode.dry[i].sign == 0)
      least.add(Kind::dry_slips, i, (f.rows.rows.upper[r] - std::abs(f.z[r])) / (f.D[r] * f.scale));
    else if (mode.dry[i].incipient)
      least.add(Kind::dry_reverses, i, opening_share * mode.dry[i].sign * f.w[r] * f.D[r] / f.scale);
  }
}

}  // namespace

ModeFault worst_condition(const Mode& mode, const ModeForces& f, bool first_only) {
  Least least(first_only);
  add_conditions(mode, f, least);
  return least.fault();
}

double margin_of(Kind kind, int item, const Mode& mode, const ModeForces& f) {
  Least least(false);
  least.wanted.kind = kind;
  least.wanted.index = item;
  add_conditions(mode, f, least);
  return least.wanted.margin;
}

void conditions_below(const Mode& mode, const ModeForces& f, double margin, std::vector<ModeFault>& out) {
  out.clear();
  Least least(false);
  least.limit = margin;
  least.below = &out;
  add_conditions(mode, f, least);
}

void pivot(const ModeFault& fault, const ModeForces& f, Mode& mode) {
  const std::size_t i = std::size_t(fault.index);
  switch (fault.kind) {
    case Kind::none:
      return;
    case Kind::pulls:
      mode.contacts[i].hold = Hold::open;
      return;
    case Kind::closes:
      mode.contacts[i].hold = mode.contacts[i].incipient ? Hold::sticking : Hold::sliding;
      return;
    case Kind::slips: {
      const std::size_t r = std::size_t(f.contact_row[i]);
      const Contact& c = f.contacts[i];
      // Against its friction: (5) of mode_dynamics.h, solved for u.
      const Vec3<double> d = -f.z[r + 1] * c.t1 - (f.z[r + 2] / (c.across * c.across)) * c.t2;
      mode.contacts[i].hold = Hold::sliding;
      mode.contacts[i].slide = (1 / norm(d)) * d;
      return;
    }
    case Kind::reverses:
      mode.contacts[i].hold = Hold::sticking;
      return;
    case Kind::limit_pulls:
      mode.limits[i].closed = false;
      return;
    case Kind::limit_closes:
      mode.limits[i].closed = true;
      return;
    case Kind::dry_slips:
      mode.dry[i].sign = f.z[std::size_t(f.dry_row[i])] > 0 ? -1 : 1;
      return;
    case Kind::dry_reverses:
      mode.dry[i].sign = 0;
      return;
  }
}

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

// The rows of (5), without those whose forces follow from others.
void ModeChoice::pose_cones(const Mode& mode, const ModeForces& f) {
  rows_.clear();
  problem_.blocks.clear();
  problem_.lower.clear();
  problem_.upper.clear();
  across_.assign(f.b.size(), 1.0);
  bool boxes = false;
  const auto add = [&](int row, BlockKind kind, int size, double mu = 0) {
    problem_.blocks.push_back({.kind = kind, .start = int(rows_.size()), .size = size, .mu = mu});
    for (int k = 0; k < size; ++k) rows_.push_back(row + k);
    boxes = boxes || kind == BlockKind::box;
  };
  for (std::size_t k = 0; k < f.rows.owner.size(); ++k)
    if (f.rows.owner[k].kind == RowOwner::Kind::loop)
      add(f.rows.rows.blocks[k].start, BlockKind::free, f.rows.rows.blocks[k].size);
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const Contact& c = f.contacts[i];
    const bool cone = mode.contacts[i].incipient && c.mu > 0;
    add(f.contact_row[i], cone ? BlockKind::cone : BlockKind::nonnegative, cone ? 3 : 1, cone ? c.mu : 0);
    if (cone) across_[std::size_t(f.contact_row[i]) + 2] = c.across;
  }
  for (const int row : f.limit_row) add(row, BlockKind::nonnegative, 1);
  for (std::size_t i = 0; i < mode.dry.size(); ++i)
    if (mode.dry[i].incipient) add(f.dry_row[i], BlockKind::box, 1);
  const std::size_t n = rows_.size(), all = f.b.size();
  problem_.M.make_dense(int(n));
  problem_.q.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = std::size_t(rows_[i]);
    for (std::size_t j = 0; j < n; ++j)
      problem_.M.dense()[i * n + j] =
          across_[row] * f.W[row * all + std::size_t(rows_[j])] * across_[std::size_t(rows_[j])];
    if (!boxes) continue;
    problem_.lower.push_back(f.rows.rows.lower[row]);
    problem_.upper.push_back(f.rows.rows.upper[row]);
  }
}

// One round of (5): known_ has the friction of what slides already. Returns whether the cones were solved.
bool ModeChoice::solve_cones(const ModeForces& f) {
  const std::size_t n = rows_.size(), all = f.b.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = std::size_t(rows_[i]);
    double q = f.b[row];
    for (std::size_t k = 0; k < all; ++k) q += f.W[row * all + k] * known_[k];
    problem_.q[i] = across_[row] * q;
  }
  x_.resize(n, 0.0);
  const SolveReport solved = solver_.solve(problem_, SolverId::automatic, {.tolerance = 1e-12, .warm_start = true}, x_);
  return solved.status == Status::solved || solved.residual.within(1e-8);
}

// (5). Fills z_.
bool ModeChoice::solve_by_cones(const Mode& mode, const ModeForces& f) {
  pose_cones(mode, f);
  const std::size_t all = f.b.size();
  known_.assign(all, 0.0);
  x_.assign(rows_.size(), 0.0);
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (!mode.dry[i].incipient) known_[r] = -mode.dry[i].sign * f.rows.rows.upper[r];
  }
  bool solved = false;
  for (int round = 0; round < most_rounds_of_cones; ++round) {
    solved = solve_cones(f);
    if (!solved) return false;
    z_ = known_;
    for (std::size_t i = 0; i < rows_.size(); ++i) z_[std::size_t(rows_[i])] = across_[std::size_t(rows_[i])] * x_[i];
    double change = 0;
    for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
      const Contact& c = f.contacts[i];
      if (mode.contacts[i].incipient || c.mu == 0) continue;
      const std::size_t r = std::size_t(f.contact_row[i]);
      const Vec3<double> load =
          ModeDynamics::friction_per_load(f.in_motion[i], ModeDynamics::sliding_direction(mode.contacts[i], c, f.u[i]));
      for (const auto& [row, force] :
           {std::pair(r + 1, z_[r] * dot(load, c.t1)), std::pair(r + 2, z_[r] * dot(load, c.t2))}) {
        change = std::max(change, std::abs(force - known_[row]) / (f.D[row] * f.scale));
        known_[row] = force;
      }
    }
    if (change < settled) break;
  }
  for (std::size_t r = 0; r < all; ++r)
    if (known_[r] != 0) z_[r] = known_[r];
  return solved;
}

void ModeChoice::adopt_solution(const ModeForces& f, Mode& mode) {
  w_ = f.b;
  for (std::size_t r = 0; r < w_.size(); ++r)
    for (std::size_t k = 0; k < w_.size(); ++k) w_[r] += f.W[r * w_.size() + k] * z_[k];
  const auto is_zero = [&](std::size_t r) { return !(z_[r] > seed_tolerance * f.D[r] * f.scale); };
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    if (f.contact_row[i] < 0) continue;
    const std::size_t r = std::size_t(f.contact_row[i]);
    const Contact& c = f.contacts[i];
    m.hold = is_zero(r) ? Hold::open : m.incipient ? Hold::sticking : Hold::sliding;
    m.near = {m.hold == Hold::open ? 0 : z_[r], 0, 0};
    if (m.hold != Hold::sticking || c.mu == 0) continue;
    m.near = {z_[r], z_[r + 1], z_[r + 2]};
    const double slip = std::hypot(w_[r + 1], w_[r + 2]);
    if (!(slip * f.D[r] > seed_tolerance * f.scale)) continue;
    const Vec3<double> d = w_[r + 1] * c.t1 + w_[r + 2] * c.t2;
    m.hold = Hold::sliding;
    m.slide = (1 / norm(d)) * d;
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (f.limit_row[i] >= 0) {
      mode.limits[i].closed = !is_zero(std::size_t(f.limit_row[i]));
      mode.limits[i].near = mode.limits[i].closed ? z_[std::size_t(f.limit_row[i])] : 0;
    }
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (!mode.dry[i].incipient) continue;
    const bool slips = std::abs(w_[r]) * f.D[r] > seed_tolerance * f.scale;
    mode.dry[i].sign = !slips ? 0 : w_[r] > 0 ? 1 : -1;
  }
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
  if (solve_by_cones(mode, f)) adopt_solution(f, mode);
  const ModeFault left = pivot_until_consistent(most_pivots, mode, f);
  if (left.kind == ModeFault::Kind::none) close_idle(mode, f);
  return left;
}

}  // namespace linchpin
