// The start of a contact mode: impacts, choice of the mode, and projection onto it. Internal to sim/.
//
// Contacts and limits with gaps up to StepPlan::touch_gap() are in touch. If one of them approaches, an impact at fixed
// positions follows (impact.h), of all that touch. Then those that do not separate belong to the mode, which is chosen
// from the state alone, except that what an event has just released starts as released: at that moment both modes are
// consistent.
//
// Landing. A contact that separates with speed u and is pulled back by the acceleration a (that of the mechanism
// without contacts) rises by u^2 / (2 a). If that is less than `least_rise`, it has landed: its normal velocity is
// set to zero and it joins the mode. So accumulations of impacts end: a ball with restitution e then has u / (a (1 -
// e)) of its accumulation left, some 1e-6 s, in which it would not leave the surface by more than rounding.
//
// Projection onto the mode follows (mode_projection.h). A state that begins far beyond its limits is brought back by
// each coordinate alone. Without a consistent mode there may be an impulse (painleve_impulse.h).
#pragma once

#include "linchpin/sim/event_driven/mode_events.h"
#include "linchpin/sim/event_driven/mode_projection.h"
#include "linchpin/sim/event_driven/other_modes.h"
#include "linchpin/sim/event_driven/painleve_impulse.h"
#include "linchpin/sim/event_driven/without_mode.h"
#include "linchpin/sim/time_stepping/impact_solver.h"

namespace linchpin {

class ModeStart {
 public:
  ModeStart(Dynamics& dynamics, const StepPlan& plan, ModeDynamics& mode_dynamics);

  // Begins a mode at `at`, whose velocities and positions may change. released: the mode that an event has ended, with
  // what it releases released; null if there is none. False if there is no consistent mode; the report has the reason,
  // and without_mode() the contacts.
  bool begin(double time, double left, const Inputs& inputs, const Mode* released, Arrival& at, ContactSums& sums,
             StepReport& report);
  // Removes the drift of a mode that goes on.
  void keep(double time, const Inputs& inputs, Arrival& at, StepReport& report);

  Mode& mode() { return mode_; }
  const Mode& mode() const { return mode_; }
  const ContactSet& set() const { return set_; }  // of all shapes within reach
  bool find_set(double left, const Arrival& at, StepReport& report);
  // After a begin() that ended with no_mode.
  const WithoutMode& without_mode() const { return without_mode_; }

 private:
  bool approaches(const Arrival& at, double rest) const;
  bool solve_impacts(double time, double left, const Inputs& inputs, Arrival& at, ContactSums& sums,
                     StepReport& report);
  void bring_within_limits(Arrival& at, StepReport& report);
  void list_touching(const Arrival& at);
  void drop_separating(const Arrival& at);
  void adopt(const Mode& released);

  Dynamics& dynamics_;
  const StepPlan& plan_;
  ModeDynamics& mode_dynamics_;
  ModeChoice choice_;
  OtherModes others_;
  Variant plain_;
  ImpactSolver impact_solver_;
  ProblemWorkspace problem_;
  Solved solved_;
  PainleveImpulse impulse_;
  ModeProjection projection_;
  IdleRows idle_;
  Placed placed_;
  ContactSet set_;
  Mode mode_;
  ModeForces forces_;
  WithoutMode without_mode_;
  std::vector<char> asleep_;
};

}  // namespace linchpin
