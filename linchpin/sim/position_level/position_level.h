// Time stepping at the position level, and explicit integration of higher order with its contact forces, as published
// [002 s.2.1, 4.1]. For comparison: time_stepping/ is more accurate and adds no energy. Internal to sim/.
//
// position_level. Over a step of length h from (q, v), with M, forces, J and the gaps g at its start:
//     M (v+ - v) = h forces + J' z                                                              [002 (7), (10)]  (1)
//     0 <= g + h n . u+  perp  z_N >= 0,   friction against u+                                         [002 (4)]  (2)
//     q+ = q (+) h v+                                                                                             (3)
// First order. (2) pushes what has penetrated out within one step, which adds energy (StepReport::pushed_out).
//
// Restitution has two phases [002 s.2.1]. A contact that closes gets the impulse z1 by which its gap is zero at the end
// of the step; u- is its velocity before. Its laws in the next step, with its restitution e and e_T of the options:
//     newton    0 <= n . u+ + e n . u-  perp  z_N >= 0,   friction against u+ + e_T u-                            (4)
//     poisson   0 <= n . u+  perp  z_N >= 0,   friction against u+;   then the same with z = z_c + r + z',        (5)
//               r = (e (z1 + z_c)_N, e_T (z1 + z_c)_T),   for z', where z_c is the first solution: the approach that
//               z1 has left ends by z_c, and the whole compression is released
// Both can add energy where contacts are coupled or friction acts (Kane's paradox); impact.h cannot. The report has the
// energy given back (`restituted`) and what exceeds the loss of the first phase (`restitution_gain`).
//
// higher_order. The impulses of (1), (2) act as constant forces z / h, on the points of contact, along the world's axes
// and on the coordinates of limits and dry friction. An explicit Runge-Kutta method integrates from q and v with them
// [002 s.4.1]. The motion then meets (2) up to an error of the order of h^2, or h |u| where a contact closes. If the
// next step removed all of it, contacts would bounce; so g is replaced by max(g, gap_floor) with gap_floor <= 0. With 0
// contacts that have closed are at the velocity level: no bounce, but penetration stays. The default is the penetration
// of an Euler step, |gravity| h^2. Friction need not dissipate: StepReport::friction_gain has the energy that it added.
//
// Contacts are those within reach at the start. What closes later in a step, tunnels or turns far is not handled, and
// nothing sleeps.
#pragma once

#include <memory>
#include <span>

#include "linchpin/sim/steppers.h"

namespace linchpin {

class PositionLevelStepper {
 public:
  PositionLevelStepper(Dynamics& dynamics, const SimulationOptions& options);
  ~PositionLevelStepper();
  PositionLevelStepper(PositionLevelStepper&&) noexcept;
  // Where the model has constraints, its chain must be placed at from.state (Simulation::step() does that).
  StepReport step(const Departure& from, Arrival& to);
  std::span<const ContactReport> contacts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
