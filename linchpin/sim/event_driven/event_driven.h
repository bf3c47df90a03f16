// Event-driven integration of contact: smooth motion between events with controlled error, events located in time.
// The referee of the other steppers [003 s.6, 7; Glocker 2001; Pfeiffer and Glocker 1996]. Internal to sim/.
//
// Between events a contact mode says which contacts are closed and which of them slide (mode.h). In a mode the motion
//     M vdot = forces + J' z,   rows of closed contacts at the level of accelerations (mode_dynamics.h)            (1)
// is smooth, and Dormand and Prince's method integrates it on the manifold with the tolerances of dormand_prince
// (mode_substep.h). A step of length dt goes on as follows:
//     mode_start.h    impacts of what touches and approaches; a consistent mode; projection onto it
//     mode_substep.h  a substep whose error is within the tolerances
//     mode_events.h   does the mode end within it? then the first time at which it does is located, to rounding, by
//                     integration of the substep up to there (event_location.h)
//     and again, from a new mode if there was an event, until the end of dt
// The mode at the start of a step follows from q and v alone, so nothing but State::substep is remembered.
//
// Substeps are limited: no near pair turns by more than half a radian or comes nearer by more than 2.5 times the sum of
// their half thicknesses within one. Contacts are searched at its end and at four places within it (dense output). A
// contact that closes and opens again between two of these places is missed: it overlaps for less than a fifth of the
// substep.
//
// Handing over. The whole step is repeated by time_stepping, which the report declares (`handed_over`),
//     - after ContactOptions::max_splits events in a step, or where events follow each other without time passing,
//     - where no mode is found for several contacts, whose modes are too many to try all; of one contact all are tried,
//     - where a contact slides so slowly in space that its direction needs more than max_substeps.
// If time_stepping fails too, the step fails for the first reason.
//
// What it takes: contacts of all shapes, static and kinetic coefficients, directional friction, position limits, dry
// friction, loops, couplings and prescribed motion, springs, dampers, actuators. Forces with kinks (actuators at their
// limits) are integrated across the kink with small substeps; it is not located. Velocity limits are refused. Friction
// is the exact cone, `directions` is for impacts only. Nothing sleeps.
#pragma once

#include <memory>
#include <span>

#include "linchpin/sim/steppers.h"

namespace linchpin {

class EventDrivenStepper {
 public:
  // Throws CheckFailed if the model has a velocity limit.
  EventDrivenStepper(Dynamics& dynamics, const SimulationOptions& options);
  ~EventDrivenStepper();
  EventDrivenStepper(EventDrivenStepper&&) noexcept;
  // Where the model has constraints, its chain must be placed at from.state (Simulation::step() does that).
  StepReport step(const Departure& from, Arrival& to);
  std::span<const ContactReport> contacts() const;
  // After a step that failed with no_mode: Simulation::contacts_without_mode().
  std::span<const ContactReport> without_mode() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
