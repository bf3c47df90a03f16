// What the steppers share: the right-hand side of the motion, and how a step begins and ends. Internal to sim/.
//
// A stepper is a function from a State to where it leads. It never writes the State: Simulation::step() does, and only
// when all is well.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// Of everything that is not conservative, W.
struct Power {
  double input = 0;    // of tau, f_ext, and of constraints that prescribe a motion
  double damping = 0;  // never positive
};

// The right-hand side, with its plans and workspaces.
class Dynamics {
 public:
  explicit Dynamics(const Model& model);

  // vdot = FD(q, v, tau + springs + damping, f_ext), with the model's constraints kept
  void accelerations(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs,
                     std::span<double> vdot);
  Power power(double time, std::span<const double> q, std::span<const double> v, const Inputs& inputs);

  const Model& model;
  // Where there is a quaternion: its angular velocity starts at these velocity coordinates.
  std::vector<int> rotations;
  // For each velocity coordinate the position coordinate that it is the rate of, or -1 for rotations.
  std::vector<int> position_of;
  int evaluations = 0;  // since the step began

  // Where the model has constraints, else null.
  ClosedChain* chain() { return chain_ ? &*chain_ : nullptr; }

  // Energy stored at q and v.
  double stored(std::span<const double> q, std::span<const double> v);

 private:
  void gather_forces(std::span<const double> q, std::span<const double> v, const Inputs& inputs);

  bool passive_;  // has the model springs or damping in its joints at all?
  bool driven_;   // do constraints prescribe any motion, and so do work?
  Plan<double> plan_;
  AbaWorkspace<double> aba_;
  Kinematics<double> kin_;
  Velocities vel_;
  std::optional<ClosedChain> chain_;  // where the model has constraints; reads plan_
  std::vector<double> tau_, vdot_;
  std::vector<double> f_;  // f_ext and springs from body to body; empty where there are none
};

// Where a step would lead.
struct Arrival {
  explicit Arrival(const Model& model);
  void start_from(const State& state);  // all of it but substep
  std::vector<double> q, v;
  double substep = 0;  // see State, as for the next two
  std::vector<RowMemory> memory;
  bool fresh = false;
  int loose_steps = 0;
  std::vector<double> still;
};

// What a stepper is given; its own workspace and the Arrival come after it.
struct Departure {
  const State& state;
  const Inputs& inputs;
  const SimulationOptions& options;
};

bool all_finite(std::span<const double> x);

// The report of a step that met a number which is not finite: looks for the culprit, in the order of causes: q, v, tau
// and f_ext given, then accelerations (if any are given here), then `to`.
StepReport not_finite(const Model& model, const Departure& from, std::span<const double> vdot, const Arrival& to);

// done, or not_finite if `to` is not.
StepReport arrived(const Model& model, const Departure& from, const Arrival& to);

// to <- (q (+) factor velocity)
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
