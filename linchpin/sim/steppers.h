// Shared by the steppers: the right-hand side of the equations of motion, and the input and output of a step. Internal
// to sim/.
//
// A stepper is a function from a Departure (the state and inputs) to an Arrival (the new state). It never writes the
// State: Simulation::step() does, only if the step succeeds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// Throws CheckFailed if sizes do not suit the model, or the time is not finite.
void check_state(const Model& model, const State& state, const Inputs& inputs);

// Power of the forces that are not conservative, W.
struct Power {
  double input = 0;    // of tau, f_ext, actuators, and constraints that prescribe a motion
  double damping = 0;  // of dampers; never positive
};

// The right-hand side of the equations of motion, with its precomputed data and workspace.
class Dynamics {
 public:
  explicit Dynamics(const Model& model);

  // vdot = FD(q, v, tau + springs + damping + actuators, f_ext), subject to the model's constraints
  void accelerations(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs,
                     std::span<double> vdot);
  Power power(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs);

  const Model& model;
  // For each quaternion: the velocity coordinate at which its angular velocity starts.
  std::vector<int> rotations;
  // By velocity coordinate: the position coordinate whose rate it is, or -1 for a rotation.
  std::vector<int> position_of;
  int evaluations = 0;  // since the start of the step

  // Null if the model has no constraints.
  ClosedChain* chain() { return chain_ ? &*chain_ : nullptr; }
  int constraint_rows() const { return chain_ ? chain_->constraints.rows() : 0; }
  // The constraint forces of the last call of accelerations(); empty without constraints.
  std::span<const double> reactions() const {
    return chain_ ? std::span<const double>(chain_->reactions) : std::span<const double>();
  }

  // Kinetic and potential energy at q and v, J.
  double stored(std::span<const double> q, std::span<const double> v);

 private:
  void gather_forces(std::span<const double> q, std::span<const double> v, const Inputs& inputs);

  bool passive_;   // is there any spring or damper in a joint?
  bool actuated_;  // is there any actuator?
  bool driven_;    // does any constraint prescribe a motion, and so do work?
  Plan<double> plan_;
  AbaWorkspace<double> aba_;
  Kinematics<double> kin_;
  Velocities vel_;
  std::optional<ClosedChain> chain_;  // if the model has constraints; refers to plan_
  std::vector<double> tau_, vdot_;
  std::vector<double> f_;  // f_ext plus springs between bodies; empty if there are no such springs
};

// The result of a step: the members of State, and the constraint forces.
struct Arrival {
  Arrival(const Model& model, int constraint_rows);
  void start_from(const State& state);  // all of State but substep
  std::vector<double> q, v;
  double substep = 0;
  std::vector<RowMemory> memory;
  bool fresh = false;
  int loose_steps = 0;
  std::vector<double> vdot, still;
  std::vector<double> reactions;  // mean over the step, as in Simulation::reactions(); empty without constraints
};

// The input of a stepper.
struct Departure {
  const State& state;
  const Inputs& inputs;
  const SimulationOptions& options;
};

bool all_finite(std::span<const double> x);

// The report of a step with a number that is not finite. Searches for the cause in this order: q, v, tau, f_ext and
// controls at the start, then vdot (if not empty), then `to`.
StepReport not_finite(const Model& model, const Departure& from, std::span<const double> vdot, const Arrival& to);

// The report `done`, or not_finite() if `to` is not finite.
StepReport arrived(const Model& model, const Departure& from, const Arrival& to);

// Fills the report of a step that fails, and returns false.
inline bool fail(StepStatus status, const char* reason, StepReport& report) {
  report.status = status;
  report.reason = reason;
  return false;
}

// to = q (+) factor velocity. step: workspace of nv numbers.
void move(const Model& model, std::span<const double> q, double factor, std::span<const double> velocity,
          std::span<double> step, std::span<double> to);

// ---- the steppers, one file each ----

// euler.cc
struct EulerWorkspace {
  explicit EulerWorkspace(const Model& model);
  std::vector<double> vdot, step;
};
StepReport explicit_euler(Dynamics& dynamics, const Departure& from, EulerWorkspace& ws, Arrival& to);
StepReport semi_implicit_euler(Dynamics& dynamics, const Departure& from, EulerWorkspace& ws, Arrival& to);

// implicit_midpoint.cc
struct MidpointWorkspace {
  explicit MidpointWorkspace(const Model& model);
  std::vector<double> q, v, vdot, before, step;
};
StepReport implicit_midpoint(Dynamics& dynamics, const Departure& from, MidpointWorkspace& ws, Arrival& to);

}  // namespace linchpin
