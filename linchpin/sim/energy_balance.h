// The energy balance of a run.
//
//     defect = stored - stored at start - work + dissipated + lost - projected                                  (1)
//
// The defect of the exact motion is zero; what is left is the error of the stepper. The stored energy is that of the
// state after each step (mechanics.h: kinetic, gravity, springs). Work and dissipation are integrals of power over each
// step. The stepper computes them from its own stages (StepReport), so they have its order of accuracy, substeps
// included.
#pragma once

namespace linchpin {

// All in J.
struct EnergyBalance {
  double start = 0;
  double stored = 0;          // now
  double work = 0;            // done by tau and f_ext so far
  double dissipated = 0;      // by damping so far
  double lost = 0;            // to contacts, impacts, limits and dry friction so far
  double projected = 0;       // added by the projections onto constraints so far: no force did that work
  double largest_defect = 0;  // the largest |defect| after any step
  // The largest amount of energy that changed its form, after any step: kinetic energy, the change of gravity's and of
  // the springs' potential since the start, work, dissipation; at least 1e-9 of the potentials, so that a mechanism at
  // rest is not judged by its rounding errors. Defects are measured relative to it, since the zero of a potential is
  // arbitrary.
  double exchanged = 0;

  double defect() const { return stored - start - work + dissipated + lost - projected; }  // (1)
  // 0 if nothing moved; NaN if one of the two is NaN.
  double relative_defect() const {
    return exchanged == 0 && largest_defect == 0 ? 0 : largest_defect / exchanged;
  }
};

}  // namespace linchpin
