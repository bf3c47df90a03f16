// Steps a model through time: smooth motion under gravity, joint forces, springs and damping, with its constraints (loops,
// couplings, prescribed motion) kept; time_stepping has contact, friction, impact, limits and servos too (docs/contact.md).
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
//
// Constraints take part in every evaluation of vdot (closed_chain.h), and after each step the state is brought back onto
// them by projection, positions first, then velocities, so that loops do not drift. A state must satisfy them when a step
// begins: assemble() (dynamics/loops/assembly.h) finds one that does.
//
// The smooth motion is vdot = FD(q, v, tau + passive, f_ext), with springs and damping in `passive` at the time that the
// stepper evaluates: a stiff spring (stiffness k on inertia m) or a strong damper (d on m) bounds dt to about 2 sqrt(m/k)
// and 2 m/d, except for dormand_prince, which shortens its substeps by itself, and time_stepping, which solves for them.
// Only time_stepping acts upon dry friction and limits: ignored_by_smooth_steppers() names them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/contact/formulation.h"
#include "linchpin/contact/impact.h"
#include "linchpin/model/state.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// | name                | order | evaluations of the dynamics a step                                                 |
// |---------------------|-------|------------------------------------------------------------------------------------|
// | semi_implicit_euler |   1   | 1; velocities first, then positions with the new ones: symplectic, so that energy    |
// |                     |       | stays bounded, where the mass matrix is constant (else it may run away)              |
// | explicit_euler      |   1   | 1                                                                                    |
// | rk4                 |   4   | 4; Runge-Kutta-Munthe-Kaas: stages live in the algebra, quaternions stay unit        |
// | dormand_prince      |   5   | 1, and 6 a substep tried; as many substeps within dt as the tolerance asks for;      |
// |                     |       | on the manifold as rk4                                                               |
// | implicit_midpoint   |   2   | 1, and 1 a round of fixed point, 3 to 10 in all; symmetric in time: no drift of      |
// |                     |       | energy in regular motion                                                             |
// | time_stepping       | 1, 2  | contact, friction, impact, limits, servos (contact_stepper.h); order 1, and 2 where  |
// |                     |       | nothing is near and no velocity products act                                        |
enum class Stepper { semi_implicit_euler, explicit_euler, rk4, dormand_prince, implicit_midpoint, time_stepping };

inline constexpr int stepper_count = 6;

// time_stepping where the model has anything that the others do not act upon (shapes that may touch, limits, dry
// friction, actuators), else rk4.
Stepper default_stepper(const Model& model);

std::string_view to_string(Stepper stepper);
std::optional<Stepper> stepper_from(std::string_view name);
int order_of(Stepper stepper);

// How time_stepping poses and solves its problems, and what counts as touch, bounce and rest. The defaults are for
// mechanisms of metres and kilograms. Every formulation gives the same motion, as every solver does that reaches the
// tolerance; they differ in time (docs/formulations.md, docs/solvers.md). With directions of friction in place of the
// cone, contacts hold less between them. Poisson's and Newton's restitution differ where contacts act on each other
// (docs/impact.md).
struct ContactOptions {
  Method method = Method::os;
  SolverId solver = SolverId::automatic;
  int directions = 0;        // of friction [000 (6)]; 0: the cone itself
  double tolerance = 1e-10;  // relative residual that every problem is to reach
  double acceptable = 1e-6;  // what it must reach: a step with more fails, one in between is counted as loose
  Restitution restitution = Restitution::poisson;
  double impact_speed = 1e-2;        // m/s: what approaches more slowly does not bounce
  int max_splits = 32;               // of one step, at touches
  double position_tolerance = 1e-9;  // m: penetration beyond this is projected away; gaps of up to ten of it are touch
  int most_contacts = 5000;          // a step that would have more ends the run: speeds have run away, most likely
  double sleep_after = 0;            // s of rest after which an island sleeps; 0: never
  double sleep_speed = 1e-4;         // m/s and rad/s: slower is rest
};

struct SimulationOptions {
  std::optional<Stepper> stepper = {};  // nothing: default_stepper()
  double dt = 1e-3;                     // s
  double relative_tolerance = 1e-10;  // dormand_prince: error of a substep, per coordinate (a rotation counts as 1 rad)
  double absolute_tolerance = 1e-12;  //   rad, m, rad/s, m/s
  int max_substeps = 100000;          // dormand_prince: tries within one dt, so that a stiff model ends with a word
  int max_iterations = 50;            // implicit_midpoint: a fixed point slower than 1/2 a round is no way to solve it
  double loop_tolerance = 1e-10;      // what constraints may be off after a step: m, rad
  ContactOptions contact = {};
};
// Options that make no sense (a dt of -1) are the caller's mistake: CheckFailed, which a Simulation throws too.
void check_options(const SimulationOptions& options);

// What acts on the mechanism during a step, held constant. Empty spans are zeros.
struct Inputs {
  std::span<const double> tau = {};  // one per velocity coordinate
  std::span<const double> f_ext =
      {};  // six per body, the world included: moment and force in the body's own moving axes
  std::span<const double> controls = {};  // one per actuator (spec.h), or none for their own; time_stepping only
};

// not_assembled: the state that a step began from is off its constraints. constraints_unmet: no state near its end is on
// them (to loop_tolerance): they contradict each other, or cannot be followed any further.
// runaway: speeds that no mechanism has, or more contacts than allowed. unsolved: the contact problem could not be solved to its tolerance.
enum class StepStatus {
  done,
  not_finite,
  no_convergence,
  step_too_small,
  not_assembled,
  constraints_unmet,
  unsolved,
  runaway
};

std::string_view to_string(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::done;
  const char* reason = "";         // in words, when not done
  int body = -1;                   // not_finite: the first body whose coordinates, or forces, are not finite
  int evaluations = 0;             // of the dynamics
  int substeps = 1, rejected = 0;  // dormand_prince
  // Integrals of power over the step, J, to the order of the stepper (the Eulers: second).
  double work = 0;        // of the inputs
  double dissipated = 0;  // by damping; never negative up to the weights' signs (dormand_prince has one)
  // Where the model has constraints.
  int constraint = -1;    // not_assembled, constraints_unmet: the one farthest off
  double loop_error = 0;  // largest |g| after the step, m or rad; not_assembled: before
  double loop_speed = 0;  // largest |gdot|, m/s or rad/s
  double projected = 0;   // energy that the projection added to what is stored, J
  // time_stepping.
  int contacts = 0;            // points with rows in the last problem of the step
  int problems = 0;            // solved
  int iterations = 0;          // of their solvers
  int loose = 0;               // problems that were solved to what is acceptable, but not to the tolerance
  int halved = 0;              // times that a problem was not solved and tried again with half the time
  int declared_fallbacks = 0;  // problems that the first solver of the chain did not solve
  int impacts = 0;             // times at which the step was split
  double residual = 0;         // relative, the largest of all problems (solvers/problem/residual.h)
  double cone_violation = 0;   // N s: the largest |friction| - mu normal
  double penetration = 0;      // m: the deepest where the step began
  double impact_loss = 0;      // kinetic energy that impacts took, J; never negative
  double contact_loss = 0;     // the same for friction, limits and landing without restitution, J
  double least_release = 1;    // the smallest factor s by which released impulses were scaled (impact.h)
  int asleep = 0;              // trees
  int painleve = 0;            // contacts whose sliding no finite force is consistent with: solved by an impulse (os)
  bool ok() const { return status == StepStatus::done; }
};

// A contact over the last step.
enum class ContactState { separating, sticking, sliding };
std::string_view to_string(ContactState state);
struct ContactReport {
  int shape_a = 0, shape_b = 0;  // of model.shapes()
  int body_a = 0, body_b = 0;
  Vec3<double> point, normal;             // W; the normal points from B towards A
  double gap = 0;                         // m, where the step began
  Vec3<double> force;                     // N, on A, in the world's axes: the step's mean, impacts included
  double normal_force = 0, friction = 0;  // N
  double mu = 0;
  ContactState state = ContactState::separating;
};

class Simulation {
 public:
  Simulation(const Model& model, const SimulationOptions& options);  // the model must outlive the simulation
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // Advances state by dt. When it fails the state is, bit for bit, as before the step.
  StepReport step(State& state, const Inputs& inputs = {});

  // The forces that keep the model's constraints at this state: one per row, constraint by constraint in the order of
  // constraint_rows.h, N or N m; empty where there are none. Of redundant rows the least ones (docs/loops.md). Valid until
  // the next call of anything here.
  std::span<const double> reactions(const State& state, const Inputs& inputs = {});

  // The contacts of the last step, in rising order of their keys. Valid until the next one.
  std::span<const ContactReport> contacts() const;

  const SimulationOptions& options() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// What the model says and only time_stepping acts upon, one line for each joint and kind: dry friction, position, effort
// and velocity limits.
std::vector<std::string> ignored_by_smooth_steppers(const Model& model);

}  // namespace linchpin
