// Steps a model through time.
//
// The smooth steppers integrate motion under gravity, joint forces, springs, damping and actuators, subject to the
// model's constraints (loops, couplings, prescribed motion). time_stepping also has contact, friction, impact and joint
// limits (docs/contact.md).
//
//     Simulation simulation(model, {.stepper = Stepper::rk4, .dt = 1e-3});
//     State state = make_state(model);
//     while (state.time < 5) {
//       const StepReport report = simulation.step(state);
//       if (!report.ok()) return fail(report.reason);
//     }
//
// A Simulation holds only precomputed data and workspace. The whole state of a run is in State: a Simulation can be
// destroyed and rebuilt in mid-run, with bit-equal results. step() does not allocate.
//
// Constraints take part in every evaluation of vdot (closed_chain.h). After each step the state is projected onto them,
// positions first, then velocities, so that loops do not drift. A state must satisfy them when a step begins:
// assemble() (dynamics/loops/assembly.h) finds such a state.
//
// The smooth motion is vdot = FD(q, v, tau + passive + actuators, f_ext), with the forces of springs and dampers in
// `passive`. The smooth steppers evaluate both explicitly: a stiff spring or servo (stiffness k on inertia m) or a
// strong damper (d on m) limits dt to about 2 sqrt(m/k) and 2 m/d. Exceptions: dormand_prince shortens its substeps by
// itself, and time_stepping treats these forces implicitly. The force of an actuator is clamped to its limits
// (contact/actuators.h); where it reaches them it has a kink, and steps across the kink are of lower order. The smooth
// steppers ignore contact, dry friction and the limits of positions and velocities: ignored_by_smooth_steppers() lists
// them.
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

// | name                | order | evaluations of the dynamics per step, properties                                    |
// |---------------------|-------|-------------------------------------------------------------------------------------|
// | semi_implicit_euler |   1   | 1; velocities first, then positions with the new velocities. Symplectic if the mass |
// |                     |       | matrix is constant, so that energy stays bounded; else energy may grow              |
// | explicit_euler      |   1   | 1                                                                                   |
// | rk4                 |   4   | 4; Runge-Kutta-Munthe-Kaas: stages are in the Lie algebra, so quaternions stay unit |
// | dormand_prince      |   5   | 1, plus 6 per attempted substep; substeps within dt by the tolerances; on the       |
// |                     |       | manifold as rk4                                                                     |
// | implicit_midpoint   |   2   | 1, plus 1 per fixed-point iteration, 3 to 10 in all; symmetric in time, so energy   |
// |                     |       | does not drift in regular motion                                                    |
// | time_stepping       |   2   | 1 or 2; contact, friction, impact, limits; stiff servos (contact_stepper.h). Order  |
// |                     |       | 1 in crowds of contacts (docs/contact.md)                                           |
// | trapezoidal         |   2   | as time_stepping; springs also act implicitly sideways, and so do dampers of free   |
// |                     |       | and ball joints and gyroscopic moments: no step is too long (docs/trapezoidal.md)   |
// | position_level      |   1   | 1; contact as published in 002 s.2.1, for comparison (position_level.h)             |
// | higher_order        |   4   | 5; explicit Runge-Kutta with the contact forces of position_level, for smooth       |
// |                     |       | motion of order 1, 2, 4 or 5 (`order`), for contact without friction [002 s.4.1]    |
// | event_driven        |   5   | 7 per attempted substep, and about 100 per event; contact with controlled error and |
// |                     |       | events located in time: the referee of the others (event_driven.h)                  |
enum class Stepper {
  semi_implicit_euler,
  explicit_euler,
  rk4,
  dormand_prince,
  implicit_midpoint,
  time_stepping,
  trapezoidal,
  position_level,
  higher_order,
  event_driven
};

inline constexpr int stepper_count = 10;

// Whether the stepper has contact, friction and limits; the others are the smooth steppers.
inline bool has_contact(Stepper stepper) { return stepper >= Stepper::time_stepping; }

// time_stepping if the model has anything that the smooth steppers ignore (shapes that may touch, limits, dry friction)
// or actuators, else rk4. All steppers act on actuators, but servos are often too stiff for rk4 at the usual dt, and
// time_stepping evaluates them implicitly.
Stepper default_stepper(const Model& model);

std::string_view to_string(Stepper stepper);
std::optional<Stepper> stepper_from(std::string_view name);
int order_of(Stepper stepper);  // of higher_order: that of its default

// Options of the steppers with contact: how problems are posed and solved, thresholds of touch, bounce and rest.
// The defaults suit mechanisms of metres and kilograms. All formulations give the same motion, and so do all solvers
// that reach the tolerance; they differ in speed (docs/formulations.md, docs/solvers.md). Polyhedral friction holds
// less than the cone between its directions. Poisson's and Newton's restitution differ if contacts are coupled
// (docs/impact.md).
struct ContactOptions {
  Method method = Method::os;             // takes every model; warm-started, as multipliers is
  SolverId solver = SolverId::automatic;  // a chain of solvers by size and kind of the problem (docs/solvers.md)
  int threads = 1;                        // hybrid_dca: how many share the work of a step; they change no bit
  int directions = 0;                     // of polyhedral friction [000 (6)], even; 0: the exact cone
  double tolerance = 1e-10;               // relative residual that solvers aim at, for every problem
  double acceptable = 1e-6;               // relative residual above which a step fails; in between it counts as loose
  Restitution restitution = Restitution::poisson;  // its problems always have a solution (impact.h)
  double impact_speed = 1e-2;  // m/s: a contact that approaches more slowly does not bounce, so bouncing ends
  // Number of times that one step is split at touches; bounds the cost of a step. Beyond it the rest of the step has no
  // restitution, which the report counts (`unsplit`). 216 elastic spheres at 10 m/s need more than 32 in 5 ms.
  int max_splits = 1000;
  double position_tolerance = 1e-9;  // m: deeper penetration is projected away; gaps of up to ten times this are touch
  int most_contacts = 5000;          // per step; more end the run (`runaway`): most likely speeds have diverged
  // position_level, higher_order: g_N epsilon of 002 s.4.1, m, at most 0. A contact pushes no more penetration than
  // this out in a step. Empty: no floor for position_level, |gravity| dt^2 for higher_order.
  std::optional<double> gap_floor = {};
  double tangential_restitution = 0;  // position_level: that of friction, from 0 to 1; the normal one is of materials
  // time_stepping, trapezoidal: damping of oscillations that dt does not resolve, from 0 (they keep their energy) to 1
  // (they are gone after a step or two). Motion that dt resolves keeps its order ((5) of joint_rows.h).
  double numerical_damping = 1;
  double sleep_after = 0;     // s of rest after which an island sleeps; 0: never, since sleep is not exact
  double sleep_speed = 1e-4;  // m/s and rad/s: a tree whose coordinates are all slower is at rest
};

struct SimulationOptions {
  std::optional<Stepper> stepper = {};  // empty: default_stepper()
  double dt = 1e-3;                     // s, the length of a step
  // dormand_prince, event_driven: allowed error of a substep per coordinate, absolute + relative times the coordinate
  // (1 rad for a rotation).
  double relative_tolerance = 1e-10;
  double absolute_tolerance = 1e-12;  // rad, m, rad/s, m/s
  int max_substeps = 100000;      // dormand_prince: attempts within one dt, so that a stiff model fails with a reason
  int max_iterations = 50;        // implicit_midpoint: reaches round-off if each round halves the error (2^-50 = 1e-15)
  double loop_tolerance = 1e-10;  // m, rad: the largest error of constraints after a step
  int order = 4;                  // higher_order: 1, 2, 4 or 5
  ContactOptions contact = {};    // of the steppers with contact
};
// order_of() the stepper; of higher_order, `order`. The stepper must be set.
int order_of(const SimulationOptions& options);
// ContactOptions::gap_floor, or its default; minus infinity for no floor.
double gap_floor_of(const SimulationOptions& options, const Model& model);
// Throws CheckFailed if an option is out of its range (a dt of -1). The constructor of Simulation calls it.
void check_options(const SimulationOptions& options);

// The inputs of a step, constant during it. Empty spans mean zeros, but empty controls are the model's own.
struct Inputs {
  std::span<const double> tau = {};       // one per velocity coordinate, N m or N
  std::span<const double> f_ext = {};     // six per body, world included: moment, force in the body's moving axes
  std::span<const double> controls = {};  // one per actuator (spec.h)
};

enum class StepStatus {
  done,
  not_finite,         // NaN or infinity in the state, the inputs or the result
  no_convergence,     // implicit_midpoint: the fixed-point iteration did not converge
  step_too_small,     // dormand_prince: no substep, or more than max_substeps, meets the tolerances
  not_assembled,      // the initial state of the step violates its constraints
  constraints_unmet,  // no state near the end of the step satisfies the constraints to loop_tolerance
  unsolved,           // a contact problem was not solved to `acceptable`
  runaway,            // speeds have diverged, or there are more than most_contacts
  no_mode             // event_driven: no contact mode is consistent with the state (contacts_without_mode())
};

std::string_view to_string(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::done;
  const char* reason = "";  // in words, if not done
  // not_finite: the first body whose coordinates or forces are not finite. no_mode: one at a contact or limit whose law
  // cannot be met.
  int body = -1;
  int evaluations = 0;             // of the dynamics
  int substeps = 1, rejected = 0;  // dormand_prince
  // Integrals of power over the step, J, to the order of the stepper (the Euler methods: second order).
  double work = 0;        // of the inputs, actuators and prescribed motion
  double dissipated = 0;  // by damping; negative amounts are an error of the stepper (energy_balance.h)
  // time_stepping: exchanges of energy below this are not resolved by dt, J (energy_balance.h).
  double unresolved = 0;
  // If the model has constraints.
  int constraint = -1;    // not_assembled, constraints_unmet: the constraint with the largest error
  double loop_error = 0;  // largest |g| after the step, m or rad; not_assembled: before the step
  double loop_speed = 0;  // largest |gdot|, m/s or rad/s
  double projected = 0;   // energy that the projection added to the stored energy, J
  // time_stepping.
  int contacts = 0;            // points with rows in the last problem of the step
  int problems = 0;            // number of problems solved
  int iterations = 0;          // of their solvers
  int loose = 0;               // problems solved to `acceptable` but not to `tolerance`
  int halved = 0;              // times that a problem was not solved and the step was repeated with half its length
  int declared_fallbacks = 0;  // problems that the first solver of the chain did not solve
  int impacts = 0;             // times at which the step was split
  int unsplit = 0;             // 1 if max_splits was not enough: the rest of the step had no restitution
  double residual = 0;         // relative, the largest of all problems (solvers/problem/residual.h)
  double cone_violation = 0;   // the largest |friction| - mu normal, N s
  double penetration = 0;      // the deepest at the start of the step, m, and at its end where bodies turn far
  double overrun = 0;          // how far the farthest joint is beyond its range at the end of the step, rad or m
  double impact_loss = 0;      // kinetic energy lost in impacts, J; not negative
  double contact_loss = 0;     // energy lost to friction, limits and touch without restitution, J
  double least_release = 1;    // the smallest factor s of released impulses (impact.h)
  int asleep = 0;              // number of sleeping trees
  // position_level, higher_order: energy, J.
  double restituted = 0;        // given back by restitution, of what the contacts lost in the step before
  double restitution_gain = 0;  // given beyond that: Kane's paradox
  double pushed_out = 0;        // given to bodies that were pushed out of penetration
  double friction_gain = 0;     // given by friction
  int painleve = 0;             // sliding contacts without a consistent force, solved by an impulse; os, multipliers
  int events = 0;               // event_driven: times at which the contact mode changed
  int ambiguous = 0;            // event_driven: modes chosen though another was consistent too (docs/event_driven.md)
  int handed_over = 0;          // event_driven: 1 if time_stepping took the step (docs/event_driven.md)
  bool ok() const { return status == StepStatus::done; }
};

// A contact during the last step.
enum class ContactState { separating, sticking, sliding };
std::string_view to_string(ContactState state);
struct ContactReport {
  int shape_a = 0, shape_b = 0;  // of model.shapes()
  int body_a = 0, body_b = 0;
  Vec3<double> point, normal;             // W; the normal points from B towards A
  double gap = 0;                         // m, at the start of the step
  Vec3<double> force;                     // N, on A, in the world's axes: mean over the step, impacts included
  double normal_force = 0, friction = 0;  // N
  double mu = 0;
  ContactState state = ContactState::separating;
};

class Simulation {
 public:
  Simulation(const Model& model, const SimulationOptions& options);  // the model must outlive the simulation
  Simulation(const Model&&, const SimulationOptions&) = delete;
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // Advances state by dt. If the step fails, the state is unchanged, bit for bit.
  StepReport step(State& state, const Inputs& inputs = {});

  // The constraint forces of the last step that succeeded, as the step applied them, with everything that acted on the
  // mechanism: the mean over the step, impacts included, by the stepper's own quadrature (Euler: at the start;
  // implicit_midpoint: at the middle). The projection of velocities at the end of a step is not part of them. One per
  // row, constraint by constraint in the order of constraint_rows.h, N or N m; empty if there are no constraints, zeros
  // before the first step. For redundant rows they are not unique (docs/loops.md). Zero for mechanisms that sleep.
  // Valid until the next step. The reactions of the smooth dynamics at a state: constrained_dynamics() in
  // dynamics/loops/closed_chain.h.
  std::span<const double> reactions() const;

  // The contacts of the last step, sorted by key. Valid until the next step.
  std::span<const ContactReport> contacts() const;

  // If the last step failed with no_mode: the contacts in touch that act on each other at the moment when no mode was
  // found, without forces, sorted by key. Otherwise empty. Valid until the next step.
  std::span<const ContactReport> contacts_without_mode() const;

  const SimulationOptions& options() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The parts of the model that the smooth steppers ignore: contact, if any two shapes may touch, and one line for each
// joint and kind: dry friction, position and velocity limits.
std::vector<std::string> ignored_by_smooth_steppers(const Model& model);

}  // namespace linchpin
