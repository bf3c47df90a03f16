// For tests of single stages of event_driven: a mode and its rows written down by hand, without a mechanism.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linchpin/model/testing.h"
#include "linchpin/sim/event_driven/mode_forces.h"
#include "linchpin/sim/testing.h"

namespace linchpin {

// Contacts have the normal z and the tangents x and y. Rows are in the order of the calls.
struct ModeByHand {
  ModeByHand() : forces(model_of("@pendulum:links=1")) {}

  void loop() {
    forces.rows.rows.begin_block(BlockKind::free, 1);
    forces.rows.rows.end_row(0);
    forces.rows.add_owner(RowOwner::Kind::loop, 0);
  }
  // A contact at rest, or one that slides with velocity u.
  ModeContact& contact(Hold hold, double mu, const Vec3<double>& u = Vec3<double>::zero(), double across = 1) {
    Contact c{};
    c.normal = {0, 0, 1};
    c.t1 = {1, 0, 0};
    c.t2 = {0, 1, 0};
    c.mu = mu;
    c.across = across;
    const int size = mu > 0 ? 3 : 1;
    forces.contact_row.push_back(forces.rows.rows.size());
    forces.rows.rows.begin_block(mu > 0 ? BlockKind::cone : BlockKind::nonnegative, size, mu);
    for (int k = 0; k < size; ++k) forces.rows.rows.end_row(0);
    forces.rows.add_owner(RowOwner::Kind::contact, int(mode.contacts.size()));
    forces.contacts.push_back(c);
    forces.in_motion.push_back(c);
    forces.u.push_back(u);
    const double speed = norm(u);
    mode.contacts.push_back({.at = c, .hold = hold, .incipient = speed == 0});
    if (speed > 0) mode.contacts.back().slide = (1 / speed) * u;
    return mode.contacts.back();
  }
  ModeLimit& limit(bool closed) {
    forces.limit_row.push_back(forces.rows.rows.size());
    forces.rows.rows.begin_block(BlockKind::nonnegative, 1);
    forces.rows.rows.end_row(0);
    forces.rows.add_owner(RowOwner::Kind::limit, int(mode.limits.size()));
    mode.limits.push_back({.limit = int(mode.limits.size()), .closed = closed});
    return mode.limits.back();
  }
  // sign: of the velocity if it moves, or of that to come if it is incipient.
  ModeDry& dry(double most, int sign, bool incipient) {
    forces.dry_row.push_back(forces.rows.rows.size());
    forces.rows.rows.begin_block(BlockKind::box, 1);
    forces.rows.rows.end_row(0, 0, -1, -most, most);
    forces.rows.add_owner(RowOwner::Kind::dry_friction, int(mode.dry.size()));
    mode.dry.push_back({.sign = sign, .incipient = incipient});
    return mode.dry.back();
  }
  // (1) of mode_dynamics.h, W row by row.
  void set(const std::vector<double>& W, const std::vector<double>& b) {
    forces.W = W;
    forces.b = b;
    forces.D.clear();
    forces.scale = 0;
    for (std::size_t r = 0; r < b.size(); ++r) {
      forces.D.push_back(1 / std::sqrt(W[r * b.size() + r]));
      forces.scale = std::max(forces.scale, forces.D[r] * std::abs(b[r]));
    }
  }

  Mode mode;
  ModeForces forces;
};

}  // namespace linchpin
