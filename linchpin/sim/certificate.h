// The certificate of a run: what was promised, and whether it was kept.
//
//     RunMonitor monitor(model);
//     monitor.start(state);
//     for (...) monitor.add(state, simulation.step(state));
//     if (!monitor.certificate().passed()) ...
#pragma once

#include <optional>
#include <string_view>

#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/sim/energy_balance.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// What a run must satisfy beyond being finite and complete. The steps themselves check the residual of every problem.
struct CertificateLimits {
  // On the relative defect. All built-in scenes from their own start, at the default dt of 1 ms, stay below 0.031, but
  // for two that dt does not resolve (docs/steppers.md); a run whose energy explodes tends to 1, since the energy
  // exchanged grows with it. unlimited: energy is reported and does not decide.
  double energy = 0.1;
  double projection = 0.1;    // of what corrections of positions add or take, relative to the energy exchanged
  double penetration = 1e-4;  // m
  double overrun = 1e-3;      // of joints beyond their range, rad or m
};

// passed: every step was done, all figures are finite and within the limits, and every contact problem was solved to
// the tolerance that was promised (ContactOptions::tolerance).
// passed_loosely: the same, but some problems were solved to ContactOptions::acceptable only, some steps had more
// impacts than ContactOptions::max_splits, or some steps of event_driven were taken by time_stepping.
enum class Verdict { passed, passed_loosely, failed };
std::string_view to_string(Verdict verdict);

struct Certificate {
  bool finite = true;                    // false: a state, an energy or a figure below was NaN or infinite
  StepStatus status = StepStatus::done;  // of the first step that failed, and why
  const char* reason = "";
  int body = -1;
  long steps = 0;  // done
  long evaluations = 0, substeps = 0, rejected = 0;
  double loop_error = 0, loop_speed = 0;  // the largest after any step: m or rad, and per s
  int constraint = -1;                    // of the first step that failed for a constraint
  EnergyBalance energy;
  // Where there are contacts: the largest of any step, and sums.
  double residual = 0, cone_violation = 0, penetration = 0, overrun = 0;
  int most_contacts = 0;
  long problems = 0, loose = 0, halved = 0, iterations = 0, declared_fallbacks = 0, impacts = 0, painleve = 0;
  long unsplit = 0;  // steps that had more impacts than max_splits; what was left of them had no restitution
  long events = 0, ambiguous = 0, handed_over = 0;  // event_driven: sums
  double impact_loss = 0, contact_loss = 0, least_release = 1;
  // position_level, higher_order: the sums of those of the reports, J.
  double restituted = 0, restitution_gain = 0, pushed_out = 0, friction_gain = 0;
  CertificateLimits limits;
  // The first figure that is NaN or infinite, in words ("the penetration"); null if there is none.
  const char* not_finite() const;
  Verdict verdict() const;
  // True for passed_loosely too: the run can be used, with the residual in mind. Ask for verdict() ==
  // Verdict::passed where every problem must be solved to its tolerance.
  bool passed() const { return verdict() != Verdict::failed; }
};

// If the certificate fails for its energy alone: the dt at which the defect would be half of its limit, by the order of
// the stepper. Nothing otherwise, for adaptive steppers, and where the run is so far off (a defect of more than half of
// what was exchanged) that its order says nothing.
std::optional<double> dt_for_energy(const Certificate& certificate, const SimulationOptions& options);

// Computes the stored energy of states.
class EnergyMeter {
 public:
  explicit EnergyMeter(const Model& model)
      : model_(model), plan_(model), kin_(plan_), vel_(model) {}  // must outlive it
  explicit EnergyMeter(const Model&&) = delete;
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
  // The model must outlive the monitor.
  explicit RunMonitor(const Model& model, const CertificateLimits& limits = {});
  explicit RunMonitor(const Model&&, const CertificateLimits& = {}) = delete;

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
