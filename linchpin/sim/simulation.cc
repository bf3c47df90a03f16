#include "linchpin/sim/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <variant>

#include "linchpin/base/names.h"
#include "linchpin/contact/contact_set.h"
#include "linchpin/sim/event_driven/event_driven.h"
#include "linchpin/sim/keep_constraints.h"
#include "linchpin/sim/position_level/position_level.h"
#include "linchpin/sim/runge_kutta.h"
#include "linchpin/sim/steppers.h"
#include "linchpin/sim/time_stepping/contact_stepper.h"

namespace linchpin {
namespace {

struct StepperInfo {
  Stepper stepper;
  std::string_view name;
  int order;
};
constexpr std::array<StepperInfo, stepper_count> steppers{{{Stepper::semi_implicit_euler, "semi_implicit_euler", 1},
                                                           {Stepper::explicit_euler, "explicit_euler", 1},
                                                           {Stepper::rk4, "rk4", 4},
                                                           {Stepper::dormand_prince, "dormand_prince", 5},
                                                           {Stepper::implicit_midpoint, "implicit_midpoint", 2},
                                                           {Stepper::time_stepping, "time_stepping", 2},
                                                           {Stepper::trapezoidal, "trapezoidal", 2},
                                                           {Stepper::position_level, "position_level", 1},
                                                           {Stepper::higher_order, "higher_order", 4},
                                                           {Stepper::event_driven, "event_driven", 5}}};

const StepperInfo& info_of(Stepper stepper) {
  for (const StepperInfo& info : steppers)
    if (info.stepper == stepper) return info;
  fail_check("stepper number ", static_cast<int>(stepper), " of ", stepper_count);
}

using AnyWorkspace =
    std::variant<EulerWorkspace, MidpointWorkspace, Stages, ContactStepper, PositionLevelStepper, EventDrivenStepper>;

AnyWorkspace workspace_for(const SimulationOptions& options, const Model& model, Dynamics& dynamics) {
  switch (*options.stepper) {
    case Stepper::time_stepping:
    case Stepper::trapezoidal:
      return ContactStepper(dynamics, options);
    case Stepper::position_level:
    case Stepper::higher_order:
      return PositionLevelStepper(dynamics, options);
    case Stepper::event_driven:
      return EventDrivenStepper(dynamics, options);
    case Stepper::rk4:
      return Stages(dynamics, rk4_stages);
    case Stepper::dormand_prince:
      return Stages(dynamics, dormand_prince_stages);
    case Stepper::implicit_midpoint:
      return MidpointWorkspace(model);
    default:
      return EulerWorkspace(model);
  }
}

bool limited(const DofSpec& dof) { return dof.lower != -unlimited || dof.upper != unlimited; }

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace

void check_state(const Model& model, const State& state, const Inputs& inputs) {
  const std::size_t nq = std::size_t(model.nq()), nv = std::size_t(model.nv()), forces = 6 * model.bodies().size();
  check(state.q.size() == nq, "state.q has ", state.q.size(), " numbers, the model needs ", nq);
  check(state.v.size() == nv, "state.v has ", state.v.size(), " numbers, the model needs ", nv);
  check(state.vdot.empty() || state.vdot.size() == 2 * nv, "state.vdot has ", state.vdot.size(),
        " numbers, the model needs none or ", 2 * nv);
  check(std::isfinite(state.time), "state.time is ", state.time, " s; it must be finite");
  check(state.substep >= 0 && std::isfinite(state.substep), "state.substep is ", state.substep,
        " s; it must be finite and at least 0");
  check(inputs.tau.empty() || inputs.tau.size() == nv, "tau has ", inputs.tau.size(),
        " numbers, the model needs none or ", nv);
  check(inputs.f_ext.empty() || inputs.f_ext.size() == forces, "f_ext has ", inputs.f_ext.size(),
        " numbers, the model needs none or ", forces);
  check(inputs.controls.empty() || inputs.controls.size() == model.actuators().size(), "controls has ",
        inputs.controls.size(), " numbers, the model has ", model.actuators().size(), " actuators");
}

void check_options(const SimulationOptions& o) {
  if (o.stepper) info_of(*o.stepper);
  check(o.dt > 0 && std::isfinite(o.dt), "dt is ", o.dt, " s; it must be positive and finite");
  check(o.relative_tolerance >= 0 && std::isfinite(o.relative_tolerance), "relative_tolerance is ",
        o.relative_tolerance, "; it must be finite and at least 0");
  check(o.absolute_tolerance > 0 && std::isfinite(o.absolute_tolerance), "absolute_tolerance is ", o.absolute_tolerance,
        "; it must be positive and finite");
  check(o.stepper != Stepper::event_driven || o.relative_tolerance >= 1e-14, "relative_tolerance is ",
        o.relative_tolerance, "; event_driven needs at least 1e-14, the rounding of its substeps");
  check(o.max_substeps > 0, "max_substeps is ", o.max_substeps, "; it must be at least 1");
  check(o.loop_tolerance > 0, "loop_tolerance is ", o.loop_tolerance, "; it must be positive");
  check(o.max_iterations > 0, "max_iterations is ", o.max_iterations, "; it must be at least 1");
  check(!explicit_method(o.order).empty(), "order is ", o.order, "; higher_order has the orders 1, 2, 4 and 5");
  const ContactOptions& c = o.contact;
  check(c.threads >= 1, "threads is ", c.threads, "; it must be at least 1");
  check(c.threads == 1 || c.method == Method::hybrid_dca, "threads is ", c.threads,
        "; only the method hybrid_dca shares the work of a step: use 1");
  check(!c.gap_floor || *c.gap_floor <= 0, "gap_floor is ", c.gap_floor.value_or(0), " m; it must be at most 0");
  check(c.tangential_restitution >= 0 && c.tangential_restitution <= 1, "tangential_restitution is ",
        c.tangential_restitution, "; it must be from 0 to 1");
  check(c.directions == 0 || (c.directions >= 2 && c.directions % 2 == 0), "directions is ", c.directions,
        "; it must be 0 (the friction cone) or an even number of at least 4 (at least 2 in a planar model)");
  check(c.tolerance > 0, "the tolerance of contact problems is ", c.tolerance, "; it must be positive");
  check(c.acceptable >= c.tolerance, "acceptable is ", c.acceptable, ", below the tolerance ", c.tolerance);
  check(c.most_contacts > 0, "most_contacts is ", c.most_contacts, "; it must be at least 1");
  check(c.impact_speed >= 0, "impact_speed is ", c.impact_speed, " m/s; it must be at least 0");
  check(c.max_splits >= 0, "max_splits is ", c.max_splits, "; it must be at least 0");
  check(c.position_tolerance > 0, "position_tolerance is ", c.position_tolerance, " m; it must be positive");
  check(c.numerical_damping >= 0 && c.numerical_damping <= 1, "numerical_damping is ", c.numerical_damping,
        "; it must be from 0 to 1");
  const bool is_split = !o.stepper || *o.stepper <= Stepper::trapezoidal;
  check(c.numerical_damping == 1 || is_split, "numerical_damping is ", c.numerical_damping,
        "; only time_stepping and trapezoidal have it: use 1");
  check(c.sleep_after == 0 || is_split, "sleep_after is ", c.sleep_after,
        " s; only with time_stepping and trapezoidal anything sleeps: use 0");
  check(c.sleep_after >= 0 && c.sleep_speed >= 0, "sleep_after is ", c.sleep_after, " s and sleep_speed ",
        c.sleep_speed, "; both must be at least 0");
}

std::string_view to_string(Stepper stepper) { return info_of(stepper).name; }

std::optional<Stepper> stepper_from(std::string_view name) {
  for (const StepperInfo& info : steppers)
    if (info.name == name) return info.stepper;
  return std::nullopt;
}

int order_of(Stepper stepper) { return info_of(stepper).order; }

int order_of(const SimulationOptions& options) {
  return options.stepper == Stepper::higher_order ? options.order : order_of(*options.stepper);
}

double gap_floor_of(const SimulationOptions& options, const Model& model) {
  if (options.contact.gap_floor) return *options.contact.gap_floor;
  if (options.stepper != Stepper::higher_order) return -unlimited;
  return -norm(model.gravity()) * options.dt * options.dt;
}

std::string_view to_string(StepStatus status) {
  static constexpr EnumNames<StepStatus::no_mode> names{
      "status",
      {"done", "not_finite", "no_convergence", "step_too_small", "not_assembled", "constraints_unmet", "unsolved",
       "runaway", "no_mode"}};
  return names.of(status);
}

std::string_view to_string(ContactState state) {
  static constexpr EnumNames<ContactState::sliding> names{"contact state", {"separating", "sticking", "sliding"}};
  return names.of(state);
}

// A model with actuators gets time_stepping although the others act on them too: servos are often stiff, and only
// time_stepping evaluates them implicitly.
Stepper default_stepper(const Model& model) {
  const bool joints = std::ranges::any_of(model.dofs(), [](const DofSpec& dof) {
    return dof.dry_friction != 0 || dof.velocity_limit != unlimited || limited(dof);
  });
  if (joints || !model.actuators().empty()) return Stepper::time_stepping;
  return any_may_touch(model.collision()) ? Stepper::time_stepping : Stepper::rk4;
}

struct Simulation::Parts {
  Parts(const Model& m, const SimulationOptions& o)
      : options(with_stepper(o, m)),
        dynamics(m),
        workspace(workspace_for(options, m, dynamics)),
        arrival(m, dynamics.constraint_rows()),
        reactions(dynamics.constraint_rows()) {}
  static SimulationOptions with_stepper(SimulationOptions o, const Model& m) {
    if (!o.stepper) o.stepper = default_stepper(m);
    return o;
  }

  StepReport advance(const Departure& from) {
    switch (*options.stepper) {
      case Stepper::time_stepping:
      case Stepper::trapezoidal:
        return std::get<ContactStepper>(workspace).step(from, arrival);
      case Stepper::position_level:
      case Stepper::higher_order:
        return std::get<PositionLevelStepper>(workspace).step(from, arrival);
      case Stepper::event_driven:
        return std::get<EventDrivenStepper>(workspace).step(from, arrival);
      case Stepper::semi_implicit_euler:
        return semi_implicit_euler(dynamics, from, std::get<EulerWorkspace>(workspace), arrival);
      case Stepper::explicit_euler:
        return explicit_euler(dynamics, from, std::get<EulerWorkspace>(workspace), arrival);
      case Stepper::rk4:
        return rk4(dynamics, from, std::get<Stages>(workspace), arrival);
      case Stepper::dormand_prince:
        return dormand_prince(dynamics, from, std::get<Stages>(workspace), arrival);
      case Stepper::implicit_midpoint:
        return implicit_midpoint(dynamics, from, std::get<MidpointWorkspace>(workspace), arrival);
    }
    fail_check("stepper number ", static_cast<int>(*options.stepper), " of ", stepper_count);
  }

  SimulationOptions options;
  Dynamics dynamics;
  AnyWorkspace workspace;
  Arrival arrival;
  std::vector<double> reactions;  // of the last step that succeeded
  bool without_mode = false;      // has the last step failed with no_mode?
};

Simulation::Simulation(const Model& model, const SimulationOptions& options) {
  check_options(options);
  parts_ = std::make_unique<Parts>(model, options);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const SimulationOptions& Simulation::options() const { return parts_->options; }

std::span<const double> Simulation::reactions() const { return parts_->reactions; }

std::span<const ContactReport> Simulation::contacts() const {
  if (const auto* stepper = std::get_if<ContactStepper>(&parts_->workspace)) return stepper->contacts();
  if (const auto* stepper = std::get_if<PositionLevelStepper>(&parts_->workspace)) return stepper->contacts();
  if (const auto* stepper = std::get_if<EventDrivenStepper>(&parts_->workspace)) return stepper->contacts();
  return {};
}

std::span<const ContactReport> Simulation::contacts_without_mode() const {
  if (!parts_->without_mode) return {};
  return std::get<EventDrivenStepper>(parts_->workspace).without_mode();
}

StepReport Simulation::step(State& state, const Inputs& inputs) {
  check_state(parts_->dynamics.model, state, inputs);
  parts_->dynamics.evaluations = 0;
  parts_->without_mode = false;
  parts_->arrival.substep = state.substep;
  const bool closed = parts_->dynamics.chain() != nullptr;
  if (closed)
    if (const auto refused = refused_start(parts_->dynamics, state, parts_->options)) return *refused;
  const Departure from{state, inputs, parts_->options};
  // Before any stepper: limits of an actuator would hide an infinite control.
  if (!all_finite(inputs.controls)) return not_finite(parts_->dynamics.model, from, {}, parts_->arrival);
  StepReport report = parts_->advance(from);
  parts_->without_mode = report.status == StepStatus::no_mode;
  if (closed && report.ok())
    project(parts_->dynamics, state.time + parts_->options.dt, parts_->options, parts_->arrival, report);
  report.evaluations = parts_->dynamics.evaluations;
  if (!report.ok()) return report;
  // Only these lines write the state.
  std::ranges::copy(parts_->arrival.q, state.q.begin());
  std::ranges::copy(parts_->arrival.v, state.v.begin());
  state.substep = parts_->arrival.substep;
  state.memory.assign(parts_->arrival.memory.begin(), parts_->arrival.memory.end());
  state.fresh = parts_->arrival.fresh;
  state.loose_steps = parts_->arrival.loose_steps;
  state.vdot.assign(parts_->arrival.vdot.begin(), parts_->arrival.vdot.end());
  state.still.assign(parts_->arrival.still.begin(), parts_->arrival.still.end());
  state.time += parts_->options.dt;
  std::ranges::copy(parts_->arrival.reactions, parts_->reactions.begin());
  return report;
}

std::vector<std::string> ignored_by_smooth_steppers(const Model& model) {
  std::vector<std::string> lines;
  if (any_may_touch(model.collision())) lines.push_back("contact: shapes that may touch pass through each other");
  for (const Joint& joint : model.joints()) {
    const auto dofs = model.dofs().subspan(joint.v, joint.nv);
    const auto any = [&](const auto& has) { return std::ranges::any_of(dofs, has); };
    const auto add = [&](const char* what) { lines.push_back(text("joint '", joint.name, "': ", what)); };
    if (any([](const DofSpec& dof) { return dof.dry_friction != 0; })) add("dry friction");
    if (any(limited)) add("position limits");
    if (any([](const DofSpec& dof) { return dof.velocity_limit != unlimited; })) add("velocity limit");
  }
  return lines;
}

}  // namespace linchpin
