// The velocity products c = (dJ/dt) v of the rows of a contact mode. Internal to sim/.
//
// c of a contact holds the motion of its point over both surfaces. The pair of shapes is collided again at q (+) s v
// for s = +-eps, +-2 eps, and J v is differenced along that path with v fixed:
//     c = (8 (f(eps) - f(-eps)) - (f(2 eps) - f(-2 eps))) / (12 eps),   f(s) = J(q (+) s v) v                     (1)
// for f = n . u and, of a contact without slip, f = u. eps turns and moves the bodies by 1e-3 of their size: the error
// of (1), eps^4 f^(5) / 30, is below 1e-13 of the largest term, and so is rounding / eps, for shapes whose contact is
// found to rounding. Where the contact ends on one side of its feature, (1) is replaced by the differences of second
// order on the other side.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linchpin/sim/event_driven/contact_follower.h"
#include "linchpin/sim/event_driven/mode_forces.h"

namespace linchpin {

class VelocityProducts {
 public:
  VelocityProducts(Dynamics& dynamics, const StepPlan& plan);
  // By row of `forces`, which has the rows, the contacts and their velocities at `placed`. loops: the rows of the
  // model's constraints there, if it has any.
  std::span<const double> find(std::span<const double> q, std::span<const double> v, const Placed& placed,
                               const ConstraintRows* loops, const Mode& mode, const ContactSet& set,
                               ContactFollower& follower, const ModeForces& forces);

 private:
  double difference_step(const Placed& placed, const ModeForces& forces) const;

  Dynamics& dynamics_;
  const StepPlan& plan_;
  Placed moved_;
  std::vector<double> q_moved_, step_, zero_, loop_bias_;
  std::vector<Motion<double>> link_acceleration_;
  // (1): per contact and side (-2, -1, 1, 2): n . u and u, and whether it was found.
  struct Sample {
    bool found = false;
    double normal = 0;
    Vec3<double> u = Vec3<double>::zero();
  };
  std::vector<std::array<Sample, 4>> samples_;
  std::vector<std::array<double, 4>> limit_rates_;
  std::vector<double> c_;  // by row
};

}  // namespace linchpin
