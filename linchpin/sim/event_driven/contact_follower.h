// Finds the contacts of a mode again where the bodies have moved. Internal to sim/.
#pragma once

#include <vector>

#include "linchpin/sim/event_driven/mode.h"
#include "linchpin/sim/time_stepping/placed.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// The velocity of a link's material point, and the relative velocity of a contact; W.
Vec3<double> velocity_at(int link, const Vec3<double>& point_W, const Placed& placed);
Vec3<double> slip_velocity(const Contact& contact, const Placed& placed);

class ContactFollower {
 public:
  explicit ContactFollower(const StepPlan& plan) : plan_(plan), there_(plan.contacts) {}
  // Finds the contacts of the mode's pairs at kin. `set` has these pairs.
  void follow(const Mode& mode, const ContactSet& set, const Kinematics<double>& kin, const Velocities& vel);
  // The contact with the same key. Where features change along a smooth surface (the triangles of a mesh), the nearest
  // one of the pair with nearly the same normal. Null if there is none.
  const Contact* find_same(const Contact& contact) const;
  const ContactSet& there() const { return there_; }

 private:
  const StepPlan& plan_;
  ContactSet there_;
  std::vector<char> followed_;
};

}  // namespace linchpin
