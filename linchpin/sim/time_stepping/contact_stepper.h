// Time stepping with contact: the velocities at the end of a step and the impulses over it are found together, so that
// no contact penetrates, friction holds what it can hold, and no limit is passed. Internal to sim/.
//
// A step of length h from (q, v), with the contacts found at q [000 (1)-(16); Anitescu and Potra; Stewart and Trinkle]:
//     M (v+ - v) = h forces + J' z                                                                               (1)
//     rows J v+ + offset by their laws: no contact closes, friction by the cone or by directions                 (2)
//     q+ = q (+) h v+                      for trees whose velocities jump, with M, forces and J at q            (3)
//     q+ = (q (+) h/2 v) (+) h/2 v+        for all others, with M, forces and J at the middle q (+) h/2 v        (4)
// (4) is of second order, also where contacts last, because the rows hold at the end of the step (midpoint.h),
// friction opposes the mean sliding velocity (interval_rows.h), forces that depend on velocities are those of the mean
// velocity (forces.h), and springs, dampers and servos act near the middle of the step (joint_rows.h). A contact that
// the motion does not close has no row, so that it changes nothing (active_rows.h). Gaps up to StepPlan::touch_gap()
// count as touch.
//
// Impacts. A contact that closes gets no row (2). The step is split where it touches, at the root of
//     gap + u t + (u+ - u) t^2 / (2 h) = 0                                                                       (5)
// with u+ of the free motion or of a solution without the row. An impact without duration is solved there (impact.h),
// with restitution if the contact approaches faster than `impact_speed`, otherwise without (landings.h), and the rest
// of the step follows. Contacts that are far away in proportion to their shapes split the step as well, because (2) is
// the law of a plane, and the shape may end long before. After max_splits parts the rest of the step has no
// restitution; the report counts that. A step is also split, a few times, where something that slides stops and goes
// back: friction changes its sign there.
//
// In crowds, islands of many contacts of which some have gaps, and late in a step with many parts, gaps are closed by
// rows (2) within the step. Velocities then jump within it (jumps.h): (3), of first order.
//
// Contacts are searched as far as links get at the speeds they have. If impulses or forces of the step itself make a
// link faster, contacts are searched again, and if one of the new ones would close, the step is solved again with it.
// So a body that is struck does not tunnel either. Where bodies turn fast, the step is divided into shorter intervals
// (turn_limit.h), so that they do not turn through each other.
//
// Rounding and the curvature of paths let contacts penetrate slightly. Penetration beyond `position_tolerance` is
// removed in the next step by the shortest correction in the metric of the mass matrix,
//     q+ <- q+ (+) d,   d = M^-1 N' p,   N d + gap + h N v+ >= 0, complementary to p >= 0                         (6)
// Velocities do not change but where displacement.h says so. What energy this adds is potential for the most part; the
// energy balance has it as `projected`. Where the paths of contacts bend much, (6) is applied at the end of the
// interval already, with the contacts found there.
//
// | stage                              | file                | result                                      |
// |------------------------------------|---------------------|---------------------------------------------|
// | poses and velocities at q, v       | placed.h            | Placed                                      |
// | contacts in reach                  | contact_set.h       | ContactSet                                  |
// | contacts and limits that close     | landings.h          | Landings                                    |
// | islands at rest                    | sleep.h             | trees that sleep                            |
// | impact, if something touches       | impact_solver.h     | Solved                                      |
// | motion without rows                | forces.h            | FreeMotion                                  |
// | first touch (5), turning           | touch.h, turn_limit.h | h                                         |
// | contacts and limits without rows   | active_rows.h       | IdleRows                                    |
// | trees whose velocities jump        | jumps.h             | Solved::tree_jumps, lasts                   |
// | where rows and forces are evaluated | midpoint.h         | Midpoint                                    |
// | problem (1), (2) and its solution  | interval_rows.h, interval_solver.h | Solved                       |
// | contacts that are closed all the same | missed_contacts.h | MissedContacts, for another attempt        |
// | correction (6)                     | penetration.h, displacement.h | d                                 |
// | energy, contact and loop forces    | account.h           | StepReport, ContactReports, reactions       |
#pragma once

#include <memory>
#include <span>

#include "linchpin/sim/steppers.h"

namespace linchpin {

class ContactStepper {
 public:
  ContactStepper(Dynamics& dynamics, const SimulationOptions& options);
  ~ContactStepper();
  ContactStepper(ContactStepper&&) noexcept;
  // Where the model has constraints, its chain must be placed at from.state (Simulation::step() does that).
  StepReport step(const Departure& from, Arrival& to);
  std::span<const ContactReport> contacts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
