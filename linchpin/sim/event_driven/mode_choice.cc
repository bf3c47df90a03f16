#include "linchpin/sim/event_driven/mode_choice.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

using Kind = ModeFault::Kind;

// Pivots before the first violated condition is taken in place of the worst, and before the search ends, per item.
constexpr int few_pivots = 3, pivots_by_size = 6, most_pivots = 30;
// Of (5), and of the residual of a solution of it: forces and accelerations below are zero.
constexpr double sliding_share = 1e4, seed_tolerance = 1e-7;
// Rounds of the direction of sliding from rest, and the change of direction that ends them.
constexpr int most_turns = 200;
constexpr double same_direction = 1e-12;

// Collects the least margin, and those below a limit.
class Least {
 public:
  Least(bool first_only) : first_only_(first_only) {}
  double limit = 0;
  std::vector<ModeFault>* below = nullptr;
  void add(Kind kind, std::size_t index, double margin) {
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
  const double force = 1 / (f.D[r] * f.scale), acceleration = f.D[r] / f.scale;
  if (m.hold == Hold::open) return least.add(Kind::closes, i, f.w[r] * acceleration);
  least.add(Kind::pulls, i, f.z[r] * force);
  if (c.mu == 0) return;
  if (m.hold == Hold::sticking)
    least.add(Kind::slips, i, (c.mu * std::max(f.z[r], 0.0) - tangential(c, f.z[r + 1], f.z[r + 2])) * force);
  else if (m.incipient)
    least.add(Kind::reverses, i, dot(m.slide, f.w[r + 1] * c.t1 + f.w[r + 2] * c.t2) * acceleration);
}

// The direction of acceleration of a contact that slides from rest; its own where it does not accelerate.
Vec3<double> starting_direction(const Contact& c, const ModeForces& f, std::size_t r, const Vec3<double>& slide) {
  const Vec3<double> a = f.w[r + 1] * c.t1 + f.w[r + 2] * c.t2;
  const double size = norm(a);
  return size * f.D[r] > mode_tolerance * f.scale ? (1 / size) * a : slide;
}

// One round for all contacts that slide from rest. Returns the largest change of direction.
double turn_slides(const ModeForces& f, Mode& mode) {
  double change = 0;
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    if (f.contact_row[i] < 0 || m.hold != Hold::sliding || !m.incipient || f.contacts[i].mu == 0) continue;
    const Vec3<double> d = starting_direction(f.contacts[i], f, std::size_t(f.contact_row[i]), m.slide);
    change = std::max(change, norm(d - m.slide));
    // Half of the way: the full step oscillates where friction is strong.
    const Vec3<double> mean = m.slide + d;
    if (norm(mean) > 0) m.slide = (1 / norm(mean)) * mean;
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
      least.add(Kind::limit_closes, i, f.w[r] * f.D[r] / f.scale);
  }
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (mode.dry[i].sign == 0)
      least.add(Kind::dry_slips, i, (f.rows.rows.upper[r] - std::abs(f.z[r])) / (f.D[r] * f.scale));
    else if (mode.dry[i].incipient)
      least.add(Kind::dry_reverses, i, mode.dry[i].sign * f.w[r] * f.D[r] / f.scale);
  }
}

}  // namespace

ModeFault worst_condition(const Mode& mode, const ModeForces& f, bool first_only) {
  Least least(first_only);
  add_conditions(mode, f, least);
  return least.fault();
}

std::vector<ModeFault> conditions_below(const Mode& mode, const ModeForces& f, double margin) {
  std::vector<ModeFault> found, releases;
  Least least(false);
  least.limit = margin;
  least.below = &found;
  add_conditions(mode, f, least);
  for (const ModeFault& fault : found) {
    const bool releases_it = fault.kind == Kind::pulls || fault.kind == Kind::slips ||
                             fault.kind == Kind::limit_pulls || fault.kind == Kind::dry_slips;
    // A contact that pulls opens, whatever its friction.
    if (releases_it && (releases.empty() || releases.back().kind != Kind::pulls || fault.kind != Kind::slips ||
                        releases.back().index != fault.index))
      releases.push_back(fault);
  }
  return releases;
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

ModeFault ModeChoice::pivot_until_consistent(int most, Mode& mode, ModeForces& f) {
  const int items = 1 + int(mode.contacts.size() + mode.limits.size() + mode.dry.size());
  ModeFault fault;
  for (int pivots = 0; pivots <= most * items; ++pivots) {
    dynamics_.solve(mode, f);
    for (int turns = 0; turns < most_turns && turn_slides(f, mode) > same_direction; ++turns) dynamics_.solve(mode, f);
    fault = worst_condition(mode, f, pivots > pivots_by_size * items);
    if (fault.margin >= -mode_tolerance && f.is_consistent) return {};
    if (!(fault.margin < -mode_tolerance)) return fault;  // contradictory, or NaN
    pivot(fault, f, mode);
  }
  return fault;
}

void ModeChoice::pose_cones(const Mode& mode, const ModeForces& f) {
  const int n = f.rows.rows.size();
  problem_.M.make_dense(n);
  std::ranges::copy(f.W, problem_.M.dense().begin());
  problem_.q = f.b;
  problem_.blocks = f.rows.rows.blocks;
  problem_.lower = f.rows.rows.lower;
  problem_.upper = f.rows.rows.upper;
  double fastest = 0;
  for (int r = 0; r < n; ++r) fastest = std::max(fastest, std::abs(f.b[std::size_t(r)]));
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    const Contact &rest = f.contacts[i], &c = mode.contacts[i].incipient ? rest : f.in_motion[i];
    if (f.contact_row[i] < 0 || rest.mu == 0) continue;
    const std::size_t r = std::size_t(f.contact_row[i]), stride = std::size_t(n);
    for (Block& block : problem_.blocks)
      if (block.start == int(r)) block.mu = c.mu;
    for (std::size_t k = 0; k < stride; ++k) problem_.M.dense()[(r + 2) * stride + k] *= c.across;
    for (std::size_t k = 0; k < stride; ++k) problem_.M.dense()[k * stride + r + 2] *= c.across;
    if (!mode.contacts[i].incipient) {  // (5)
      problem_.q[r + 1] = sliding_share * fastest * dot(mode.contacts[i].slide, rest.t1);
      problem_.q[r + 2] = sliding_share * fastest * dot(mode.contacts[i].slide, rest.t2);
    }
    problem_.q[r + 2] *= c.across;
  }
}

void ModeChoice::adopt_solution(const ModeForces& f, Mode& mode) {
  w_.resize(z_.size());
  work_.resize(problem_.M.work_size());
  problem_.M.multiply(z_, w_, work_);
  for (std::size_t r = 0; r < w_.size(); ++r) w_[r] += problem_.q[r];
  const auto is_zero = [&](std::size_t r) { return !(z_[r] > seed_tolerance * f.D[r] * f.scale); };
  for (std::size_t i = 0; i < mode.contacts.size(); ++i) {
    ModeContact& m = mode.contacts[i];
    if (f.contact_row[i] < 0) continue;
    const std::size_t r = std::size_t(f.contact_row[i]);
    const Contact& c = f.contacts[i];
    m.hold = is_zero(r) ? Hold::open : m.incipient ? Hold::sticking : Hold::sliding;
    if (m.hold != Hold::sticking || c.mu == 0) continue;
    const double slip = std::hypot(w_[r + 1], w_[r + 2]);
    if (!(slip * f.D[r] > seed_tolerance * f.scale)) continue;
    const Vec3<double> d = w_[r + 1] * c.t1 + (w_[r + 2] / c.across) * c.t2;
    m.hold = Hold::sliding;
    m.slide = (1 / norm(d)) * d;
  }
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (f.limit_row[i] >= 0) mode.limits[i].closed = !is_zero(std::size_t(f.limit_row[i]));
  for (std::size_t i = 0; i < mode.dry.size(); ++i) {
    const std::size_t r = std::size_t(f.dry_row[i]);
    if (!mode.dry[i].incipient) continue;
    const bool slips = std::abs(w_[r]) * f.D[r] > seed_tolerance * f.scale;
    mode.dry[i].sign = !slips ? 0 : w_[r] > 0 ? 1 : -1;
  }
}

ModeFault ModeChoice::choose(Mode& mode, ModeForces& f) {
  first_ = mode;
  ModeFault fault = pivot_until_consistent(few_pivots, mode, f);
  if (fault.kind == ModeFault::Kind::none) return fault;
  mode = first_;
  pose_cones(mode, f);
  z_.assign(problem_.q.size(), 0.0);
  const SolveReport solved = solver_.solve(problem_, SolverId::automatic, {.tolerance = 1e-10}, z_);
  if (solved.status == Status::solved || solved.residual.within(1e-6)) adopt_solution(f, mode);
  return pivot_until_consistent(most_pivots, mode, f);
}

}  // namespace linchpin
