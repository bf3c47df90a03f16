#include "linchpin/sim/event_driven/mode_conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linchpin {
namespace {

using Kind = ModeFault::Kind;

// Of the conditions (2) and (4): an event is located where those of forces are violated by mode_tolerance, and there
// what has been released may accelerate the wrong way by ten times that.
constexpr double opening_share = 0.01;

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

}  // namespace linchpin
