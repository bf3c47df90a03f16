// Time stepping with contact: velocities and impulses over a step are found together, so that at its end no contact has
// closed beyond zero, nothing slides that friction holds, and no limit is passed. Internal to sim/.
//
// A step of length h from (q, v), contacts found at q [000 (1)-(16), design by Anitescu and Potra, Stewart and Trinkle]:
//     M (v+ - v) = h forces + J' z                                                                               (1)
//     n . u+ + max(gap, 0) / h >= 0, complementary to z_n >= 0;  friction by the cone or by directions           (2)
// where gaps that are as good as none (ten position tolerances) count as 0;
//     q+ = q (+) h v+                      for trees that have rows                                              (3)
//     q+ = (q (+) h/2 v) (+) h/2 v+        for all others, with forces at the middle: second order, symplectic    (4)
// Springs, dampers and servos act as they will at the end of the step (joint_rows.h).
//
// Bounces. A contact with restitution that would close within the step, faster than `impact_speed`, gets no row (2):
// the step ends where it touches, at the root of
//     gap + u t + (u_free+ - u) t^2 / (2 h) = 0                                                                   (5)
// an impact without duration is solved there (impact.h), and the rest of the step follows. Contacts that are far in
// proportion to their shapes end a step at their touch as well, for (2) would be the law of a plane where the shape may
// long have ended.
//
// Contacts are looked for as far as links get at the speeds they have. What impulses or forces of the step itself make
// faster may get farther: then contacts are looked for again, and where one of them would close beyond zero the step is
// solved anew with it. So nothing tunnels that is struck, either.
//
// Rounding and the curvature of paths let contacts sink in by little. What is deeper than `position_tolerance` is put
// back over the next step by the shortest way as the mass matrix measures it,
//     q+ <- q+ (+) d,   d = M^-1 N' p,   N d + gap + h N v+ >= 0, complementary to p >= 0                          (6)
// which leaves velocities alone: no energy but that of height and springs, and the balance says how much.
#pragma once

#include <memory>
#include <vector>

#include "linchpin/contact/impact.h"
#include "linchpin/contact/step_rows.h"
#include "linchpin/sim/steppers.h"

namespace linchpin {

class ContactStepper {
 public:
  ContactStepper(Dynamics& dynamics, const SimulationOptions& options);
  ~ContactStepper();
  ContactStepper(ContactStepper&&) noexcept;
  StepReport step(const Departure& from, Arrival& to);
  std::span<const ContactReport> contacts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
