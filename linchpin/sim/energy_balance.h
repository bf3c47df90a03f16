// The energy balance of a run.
//
//     defect = stored - stored at start - work + dissipated + lost - projected                                  (1)
//
// The defect of the exact motion is zero; what is left is the error of the stepper. The stored energy is that of the
// state after each step (mechanics.h: kinetic, gravity, springs). Work and dissipation are integrals of power over each
// step. The stepper computes them from its own stages (StepReport), so they have its order of accuracy, substeps
// included.
//
// Dampers, contacts, limits, dry friction and impacts take energy and never give any. Where the account of a step says
// that they gave some, the stepper made it: an implicit damper pushes with -d v+ and does -d v+ (v + v+) h / 2 of work,
// which is positive if the velocity changes its sign within the step and was faster before; a contact on a curved path
// does the work z (u + u+) / 2 with u > 0. In a run that dt resolves such amounts are of higher order than dt. They are
// not subtracted from the defect as a loss is added to it, but are a part of the defect, and their sum is `created`.
//
// Where a row closes a gap within a step, in crowds of contacts, a fall of n steps has an error of 1/n of its energy.
// So the relative defect of piles that only settle, or of bodies that start 1e-6 m deep within the floor, is up to
// 1/2, however good the run is. Energies below that of a fall of ten steps,
//     unresolved = m (10 g dt)^2 / 2,   m the mass that can move                                                 (2)
// are therefore judged relative to (2): 4.8 mJ for 1 kg at 1 ms.
#pragma once

namespace linchpin {

// All in J.
struct EnergyBalance {
  double start = 0;
  double stored = 0;              // now
  double work = 0;                // done by tau, f_ext, actuators and prescribed motion so far
  double dissipated = 0;          // by damping so far: the sum of the steps in which it took energy
  double lost = 0;                // to contacts, impacts, limits and dry friction so far, the same
  double projected = 0;           // added by the projections onto constraints so far: no force did that work
  double created = 0;             // by damping, contacts and impacts, in the steps in which they gave energy: an error
  double largest_defect = 0;      // the largest |defect| after any step
  double largest_projection = 0;  // the largest |projected| after any step
  // The largest amount of energy that changed its form, after any step: kinetic energy, the change of gravity's and of
  // the springs' potential since the start, work, dissipation; at least 1e-9 of the potentials, so that a mechanism at
  // rest is not judged by its rounding errors. Defects are measured relative to it, since the zero of a potential is
  // arbitrary.
  double exchanged = 0;
  double unresolved = 0;  // (2), of time_stepping; 0 for the other steppers

  double defect() const { return stored - start - work + dissipated + lost - projected; }  // (1)
  // False: what was created is rounding. A contact at rest works with forces times rounded velocities.
  bool creates() const { return created > 1e-9 * exchanged; }
  // 0 if nothing moved; NaN if one of the two is NaN.
  double relative_defect() const { return exchanged == 0 && largest_defect == 0 ? 0 : largest_defect / exchanged; }
  // Whether the defect is at most this part of the energy exchanged, or of (2); false for NaN.
  bool within(double part) const { return is_small(largest_defect, part); }
  // The same for any amount.
  bool is_small(double amount, double part) const {
    return amount == 0 || amount / exchanged <= part || (amount <= part * unresolved && exchanged <= unresolved);
  }
};

}  // namespace linchpin
