// Steps a model through time. So far without contact: smooth motion under gravity, joint forces, springs and damping.
//
//     Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-3});
//     State state = make_state(model);
//     while (state.time < 5) {
//       const StepReport report = simulation.step(state);
//       if (!report.ok()) return fail(report.reason);
//     }
//
// A Simulation holds plans and workspaces only; all that matters is in the State, so that it can be destroyed and
// rebuilt in mid-run and gives the same bits. step() allocates nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "linchpin/model/state.h"

namespace linchpin {

// | name                | order | evaluations of the dynamics a step                                                |
// | semi_implicit_euler |   1   | 1; velocities first, then positions with the new ones: keeps energy bounded         |
// | explicit_euler      |   1   | 1                                                                                    |
// | rk4                 |   4   | 4; Runge-Kutta-Munthe-Kaas: stages live in the algebra, quaternions stay unit        |
// | dormand_prince      |   5   | 7 a substep; as many substeps within dt as the tolerance asks for                    |
// | implicit_midpoint   |   2   | Newton-free fixed point; symmetric, keeps energy without drift                       |
enum class Stepper { semi_implicit_euler, explicit_euler, rk4, dormand_prince, implicit_midpoint };

std::string_view to_string(Stepper stepper);
std::optional<Stepper> stepper_from(std::string_view name);
int order_of(Stepper stepper);

struct SimulationOptions {
  Stepper stepper = Stepper::rk4;
  double dt = 1e-3;                   // s
  double relative_tolerance = 1e-10;  // dormand_prince: error of a substep, per coordinate
  double absolute_tolerance = 1e-12;
};

// What acts on the mechanism during a step, held constant. Empty spans are zeros.
struct Inputs {
  std::span<const double> tau;    // one per velocity coordinate
  std::span<const double> f_ext;  // six per body, the world included: moment and force in the body's axes
};

enum class StepStatus { done, not_finite, no_convergence, step_too_small };

struct StepReport {
  StepStatus status = StepStatus::done;
  const char* reason = "";        // in words, when not done
  int body = -1;                  // the first body whose joint is not finite
  int evaluations = 0;            // of the dynamics
  int substeps = 1, rejected = 0; // dormand_prince
  bool ok() const { return status == StepStatus::done; }
};

class Simulation {
 public:
  Simulation(const Model& model, const SimulationOptions& options);  // the model must outlive the simulation
  ~Simulation();
  Simulation(Simulation&&) noexcept;

  // Advances state by dt. When it fails the state is as before the step.
  StepReport step(State& state, const Inputs& inputs = {});

  const SimulationOptions& options() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
