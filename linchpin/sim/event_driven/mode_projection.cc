#include "linchpin/sim/event_driven/mode_projection.h"

#include <cmath>

#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// m and m/s: errors below these are not worth a projection.
constexpr double no_gap = 1e-14, no_speed = 1e-14;
constexpr int most_projections = 4;

}  // namespace

void ModeProjection::project(double time, const Inputs& inputs, const ContactSet& set, bool all, Mode& mode,
                             ModeForces& forces, Arrival& at, StepReport& report) {
  if (mode.contacts.empty() && mode.limits.empty() && mode.dry.empty()) return;
  const double worth_gap = all ? no_gap : 1e-13, worth_speed = all ? no_speed : 1e-13;
  const double before = dynamics_.stored(at.q, at.v);
  bool changed = false;
  const int loops = dynamics_.constraint_rows();
  const auto gather = [&](const auto& contact_error, const auto& limit_error, bool velocities) {
    rows_.clear();
    errors_.clear();
    double worst = 0;
    const auto add = [&](int row, double error) {
      rows_.push_back(row);
      errors_.push_back(error);
      worst = larger(worst, std::abs(error));
    };
    for (int r = 0; r < loops; ++r) add(r, 0);
    for (std::size_t i = 0; i < mode.contacts.size(); ++i)
      if (mode.contacts[i].hold != Hold::open) contact_error(i, add);
    for (std::size_t i = 0; i < mode.limits.size(); ++i)
      if (mode.limits[i].closed) limit_error(i, add);
    if (velocities)
      for (std::size_t i = 0; i < mode.dry.size(); ++i)
        if (mode.dry[i].sign == 0) add(forces.dry_row[i], at.v[std::size_t(plan_.joints.frictional[i])]);
    return worst;
  };
  const auto evaluate = [&] {
    mode_dynamics_.evaluate(time, at.q, at.v, inputs, mode, set, false, forces);
    for (std::size_t i = 0; i < mode.contacts.size(); ++i)
      if (mode.contacts[i].hold != Hold::open) mode.contacts[i].at = forces.contacts[i];
  };
  evaluate();
  for (int round = 0; round < most_projections; ++round) {
    const double worst =
        gather([&](std::size_t i, const auto& add) { add(forces.contact_row[i], forces.contacts[i].gap); },
               [&](std::size_t i, const auto& add) {
                 add(forces.limit_row[i], gap_of(plan_.joints.limits[mode.limits[i].limit], at.q));
               },
               false);
    if (!(worst > worth_gap) || !mode_dynamics_.correct(errors_, rows_, forces, change_)) break;
    integrate(plan_.model, change_, at.q);
    changed = true;
    evaluate();
  }
  for (int round = 0; round < 2; ++round) {
    const double worst = gather(
        [&](std::size_t i, const auto& add) {
          const int row = forces.contact_row[i];
          const Contact& c = forces.contacts[i];
          add(row, dot(c.normal, forces.u[i]));
          if (mode.contacts[i].hold != Hold::sticking || c.mu == 0) return;
          add(row + 1, dot(c.t1, forces.u[i]));
          add(row + 2, dot(c.t2, forces.u[i]));
        },
        [&](std::size_t i, const auto& add) {
          add(forces.limit_row[i], rate_of(plan_.joints.limits[mode.limits[i].limit], at.q, at.v));
        },
        true);
    if (!(worst > worth_speed) || !mode_dynamics_.correct(errors_, rows_, forces, change_)) break;
    for (std::size_t k = 0; k < change_.size(); ++k) at.v[k] += change_[k];
    changed = true;
    evaluate();
  }
  if (changed) report.projected += dynamics_.stored(at.q, at.v) - before;
}

}  // namespace linchpin
