#include "linchpin/sim/event_driven/contact_follower.h"

#include <algorithm>

namespace linchpin {
Vec3<double> velocity_at(int link, const Vec3<double>& point, const Placed& placed) {
  const Motion<double>& m = placed.vel.link[link];
  return m.v + cross(m.w, point - placed.kin.X_WL[link].p);
}

Vec3<double> slip_velocity(const Contact& c, const Placed& placed) {
  return velocity_at(c.link_a, c.point, placed) - velocity_at(c.link_b, c.point, placed);
}

void ContactFollower::follow(const Mode& mode, const ContactSet& set, const Kinematics<double>& kin,
                             const Velocities& vel) {
  followed_.assign(set.found.pairs.size(), 0);
  for (const ModeContact& m : mode.contacts)
    for (std::size_t p = 0; p < followed_.size(); ++p)
      if (set.found.pairs[p].a == int(m.at.key.shape_a) && set.found.pairs[p].b == int(m.at.key.shape_b))
        followed_[p] = 1;
  follow_contacts(plan_.contacts, set, followed_, kin, vel, there_);
}

const Contact* ContactFollower::find_same(const Contact& contact) const {
  const Contact* nearest = nullptr;
  double least = 0.05 * std::min(plan_.radius[contact.key.shape_a], plan_.radius[contact.key.shape_b]);
  for (const Contact& c : there_.contacts) {
    if (c.key == contact.key) return &c;
    if (c.key.shape_a != contact.key.shape_a || c.key.shape_b != contact.key.shape_b) continue;
    const double distance = norm(c.point - contact.point);
    if (dot(c.normal, contact.normal) > 0.999 && distance < least) {
      least = distance;
      nearest = &c;
    }
  }
  return nearest;
}

}  // namespace linchpin
