// Where a run's energy came from and where it went, and the certificate of the run.
//
//     defect = stored - stored at start - work + dissipated + lost - projected                                  (1)
// is zero for the motion itself; what is left is the error of the stepper. Stored energy is that of the state after
// each step (mechanics.h: kinetic, gravity, springs). Work and dissipation are integrals of power over each step, which
// the stepper forms from its own stages (StepReport): to its own order, also where a step has many substeps.
#pragma once

#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/sim/simulation.h"

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
  // The largest energy that moved from one purse to another, after any step: kinetic, what gravity or springs have
  // given or taken since the start, work, or dissipated; at least a billionth of what gravity and springs hold, so that
  // what is at rest is not measured by its rounding. The measure of a defect, since no zero of a potential matters.
  double exchanged = 0;

  double defect() const { return stored - start - work + dissipated + lost - projected; }  // (1)
  double relative_defect() const { return exchanged > 0 ? largest_defect / exchanged : 0; }
};

// What is asked of a run beside being finite and done; the residual of each problem is asked by the step itself.
struct CertificateLimits {
  double energy = unlimited;  // on the relative defect
  double penetration = 1e-4;  // m
};

// What can be said of a run.
struct Certificate {
  bool finite = true;
  StepStatus status = StepStatus::done;  // of the first step that failed, and why
  const char* reason = "";
  int body = -1;
  long steps = 0;  // done
  long evaluations = 0, substeps = 0, rejected = 0;
  double loop_error = 0, loop_speed = 0;  // the largest after any step: m or rad, and per s
  int constraint = -1;                    // of the first step that failed for a constraint
  EnergyBalance energy;
  // Where there are contacts: the largest of any step, and sums.
  double residual = 0, cone_violation = 0, penetration = 0;
  int most_contacts = 0;
  long problems = 0, loose = 0, halved = 0, iterations = 0, declared_fallbacks = 0, impacts = 0, painleve = 0;
  double impact_loss = 0, contact_loss = 0, least_release = 1;
  CertificateLimits limits;
  bool passed() const {
    return finite && status == StepStatus::done && energy.relative_defect() <= limits.energy &&
           penetration <= limits.penetration;
  }
};

// The stored energy of one state after another.
class EnergyMeter {
 public:
  explicit EnergyMeter(const Model& model)
      : model_(model), plan_(model), kin_(plan_), vel_(model) {}  // must outlive it
  Energy operator()(const State& state);

 private:
  const Model& model_;
  Plan<double> plan_;
  Kinematics<double> kin_;
  Velocities vel_;
};

// Follows a run: start() once, then add() after every step, whether it succeeded or not.
class RunMonitor {
 public:
  // By default energy is reported and does not decide: how much of it a stepper may lose is the user's choice.
  explicit RunMonitor(const Model& model, const CertificateLimits& limits = {});

  void start(const State& state);
  void add(const State& after, const StepReport& report);
  // In place of start(): goes on with a run whose certificate so far, and energy at its start, are known.
  void resume(const Energy& at_start, const Certificate& so_far);

  const Certificate& certificate() const { return certificate_; }
  const Energy& at_start() const { return at_start_; }

 private:
  EnergyMeter energy_of_;
  Energy at_start_{0, 0, 0};
  Certificate certificate_;
};

}  // namespace linchpin
