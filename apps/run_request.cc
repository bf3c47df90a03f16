#include "apps/run_request.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/command.h"
#include "linchpin/contact/contact_set.h"
#include "linchpin/contact/formulation.h"
#include "linchpin/contact/joint_rows.h"
#include "linchpin/dynamics/loops/assembly.h"

namespace linchpin {
namespace {

std::vector<std::string> stepper_names() {
  std::vector<std::string> names;
  for (int i = 0; i < stepper_count; ++i) names.emplace_back(to_string(Stepper(i)));
  return names;
}

// ---- the start ------------------------------------------------------------------------------------------------------

// Sets one coordinate from NAME=VALUE and returns the index of its velocity coordinate, or -1 for ball and free joints.
// The text is split at its last '='; a name may contain anything but a comma, and '.k' at its end selects one of
// several coordinates.
int set_coordinate(const Model& model, const char* option, const std::string& text, int Joint::*first,
                   int Joint::*count, std::vector<double>& numbers) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("{}: expected JOINT=VALUE, got '{}'", option, text));
  const std::string name = text.substr(0, equals);
  const double value = number_from(fmt::format("{} {}", option, name), text.substr(equals + 1),
                                   {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()});
  int index = model.find_joint(name), part = 0;
  const std::size_t dot = name.rfind('.');
  const bool has_part = index < 0 && dot != std::string::npos;
  if (has_part) {
    index = model.find_joint(name.substr(0, dot));
    if (index >= 0) {
      const int n = model.joints()[index].*count;
      part = static_cast<int>(whole_number_from(fmt::format("{} {}: its coordinate", option, name),
                                                name.substr(dot + 1), 0, std::max(0, n - 1)));
    }
  }
  if (index < 0) {
    std::string there;
    for (std::size_t i = 0; i < model.joints().size() && i < 8; ++i) there += (i ? ", " : "") + model.joints()[i].name;
    if (model.joints().size() > 8) there += ", ...";
    throw UsageError(fmt::format("{}: there is no joint '{}'; there are: {}", option, name, there));
  }
  const Joint& joint = model.joints()[index];
  if (joint.*count == 0)
    throw UsageError(fmt::format("{}: joint '{}' is a {} and has no coordinate", option, name, to_string(joint.type)));
  if (joint.*count > 1 && !has_part)
    throw UsageError(fmt::format("{}: joint '{}' has {} coordinates, say which: {}.0 to {}.{}", option, name,
                                 joint.*count, name, name, joint.*count - 1));
  numbers[joint.*first + part] = value;
  return joint.type == JointType::ball || joint.type == JointType::free ? -1 : joint.v + part;
}

void set_coordinates(const Model& model, const char* option, const std::vector<std::string>& texts, int Joint::*first,
                     int Joint::*count, std::vector<double>& numbers, std::vector<int>& said) {
  for (const std::string& text : texts)
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      const int v = set_coordinate(model, option, text.substr(begin, comma - begin), first, count, numbers);
      if (v >= 0 && std::ranges::find(said, v) == said.end()) said.push_back(v);
      begin = comma + 1;
    }
}

// Holds the coordinates that were given by name and changes the others until the constraints are closed.
void close_constraints(const Model& model, const std::vector<int>& said, State& state) {
  if (model.constraints().empty()) return;
  const AssemblyReport report = assemble(model, state, {.held = said});
  if (report.closed()) return;
  const std::string held = said.empty() ? "" : ", with the values of --position and --velocity held";
  if (report.status == AssemblyStatus::velocities_contradict)
    throw UsageError(
        fmt::format("the constraints cannot be kept at the start{}: velocities contradict each other at '{}' by "
                    "{:.3g} m/s or rad/s",
                    held, report.worst, report.speed_error));
  throw UsageError(
      fmt::format("the constraints cannot be closed at the start{}: '{}' stays off by {:.3g} m or rad after {} tries",
                  held, report.worst, report.error, report.tries));
}

std::vector<std::string_view> names_of(std::initializer_list<Stepper> steppers) {
  std::vector<std::string_view> names;
  for (const Stepper stepper : steppers) names.push_back(to_string(stepper));
  return names;
}

// Whether an option was given. UsageError if it was, and the stepper is none of those that have it.
bool said_for(const char* option, const std::string& value, Stepper stepper, std::initializer_list<Stepper> steppers) {
  if (value.empty()) return false;
  if (std::ranges::find(steppers, stepper) == steppers.end())
    throw UsageError(fmt::format("{} is for --stepper {}, but this run uses {}", option,
                                 fmt::join(names_of(steppers), " or "), to_string(stepper)));
  return true;
}

void set_tolerances(const RunRequest& request, SimulationOptions& o) {
  const std::initializer_list<Stepper> adaptive = {Stepper::dormand_prince, Stepper::event_driven};
  const double least = *o.stepper == Stepper::event_driven ? 1e-14 : 0;  // the rounding of its substeps
  if (said_for("--relative-tolerance", request.relative_tolerance, *o.stepper, adaptive))
    o.relative_tolerance = number_from("--relative-tolerance", request.relative_tolerance, {least, 1});
  if (said_for("--absolute-tolerance", request.absolute_tolerance, *o.stepper, adaptive))
    o.absolute_tolerance =
        number_from("--absolute-tolerance", request.absolute_tolerance, {0, std::numeric_limits<double>::max(), true});
}

constexpr int most_threads = 1024;

// ---- contact options ------------------------------------------------------------------------------------------------

// The options of steppers with contact; those that were not given keep their defaults.
ContactOptions contact_options_of(const RunRequest& request, Stepper stepper) {
  ContactOptions o;
  const auto said = [&](const char* option, const std::string& value) {
    if (value.empty()) return false;
    if (!has_contact(stepper))
      throw UsageError(fmt::format("{} is for steppers with contact, such as time_stepping, but this run uses {}",
                                   option, to_string(stepper)));
    return true;
  };
  if (said("--method", request.method) && request.method != "auto") {  // auto: os, the fastest on one thread
    std::vector<std::string> names{"auto"};
    for (int i = 0; i < method_count; ++i) names.emplace_back(to_string(Method(i)));
    const std::optional<Method> method = method_from(request.method);
    if (!method)
      throw UsageError(
          fmt::format("--method: there is no '{}'; there are: {}", request.method, fmt::join(names, ", ")));
    o.method = *method;
  }
  if (said("--threads", request.threads)) {
    if (o.method != Method::hybrid_dca)
      throw UsageError(fmt::format("--threads is for --method hybrid_dca, but this run uses {}", to_string(o.method)));
    o.threads = int(whole_number_from("--threads", request.threads, 1, most_threads));
  }
  if (said("--solver", request.solver)) {
    std::vector<std::string_view> names;
    for (const SolverInfo& s : solvers()) names.push_back(s.name);
    const SolverInfo* solver = find_solver(request.solver);
    if (!solver)
      throw UsageError(
          fmt::format("--solver: there is no '{}'; there are: {}", request.solver, fmt::join(names, ", ")));
    o.solver = solver->id;
  }
  if (said("--directions", request.directions)) {
    o.directions = int(whole_number_from("--directions", request.directions, 0, 1000));
    if (o.directions % 2 != 0)
      throw UsageError(fmt::format("--directions {}: friction takes an even number of them, or 0 for the cone itself",
                                   o.directions));
  }
  if (said("--restitution", request.restitution)) {
    if (request.restitution != "poisson" && request.restitution != "newton")
      throw UsageError(fmt::format("--restitution: there is no '{}'; there are: poisson, newton", request.restitution));
    o.restitution = request.restitution == "poisson" ? Restitution::poisson : Restitution::newton;
  }
  if (said("--tolerance", request.tolerance)) {
    o.tolerance = number_from("--tolerance", request.tolerance, {0, 1, true});
    o.acceptable = std::max(o.acceptable, o.tolerance);
  }
  if (said_for("--gap-floor", request.gap_floor, stepper, {Stepper::position_level, Stepper::higher_order}))
    o.gap_floor =
        request.gap_floor == "-inf" ? -unlimited : number_from("--gap-floor", request.gap_floor, {-unlimited, 0});
  if (said_for("--tangential-restitution", request.tangential_restitution, stepper, {Stepper::position_level}))
    o.tangential_restitution = number_from("--tangential-restitution", request.tangential_restitution, {0, 1});
  if (said_for("--numerical-damping", request.numerical_damping, stepper,
               {Stepper::time_stepping, Stepper::trapezoidal}))
    o.numerical_damping = number_from("--numerical-damping", request.numerical_damping, {0, 1});
  if (said_for("--sleep", request.sleep, stepper, {Stepper::time_stepping, Stepper::trapezoidal}))
    o.sleep_after = number_from("--sleep", request.sleep, {0, std::numeric_limits<double>::max()});
  return o;
}

}  // namespace

Schedule schedule_until(double time, double dt) {
  Schedule s;
  s.time = time;
  s.dt = dt;
  const double count = time / dt;
  if (count > 1e12)
    throw UsageError(fmt::format("--time {} with --dt {} would be {:.1e} steps; at most 1e12", time, dt, count));
  // 5 / 1e-3 differs from 5000 by rounding; without this there would be a last step of 1e-16 s.
  const double nearest = std::round(count);
  const bool even = nearest >= 1 && std::abs(count - nearest) < 1e-9 * nearest;
  s.whole = static_cast<long long>(even ? nearest : std::floor(count));
  s.rest = even ? 0 : time - static_cast<double>(s.whole) * dt;
  return s;
}

long long row_spacing(const Schedule& schedule, const Model& model) {
  const double rows = 1000, numbers = 2e6;
  const double steps = static_cast<double>(schedule.steps());
  return std::max(1LL,
                  static_cast<long long>(std::ceil(steps * std::max(1 / rows, (model.nq() + model.nv()) / numbers))));
}

Schedule schedule_of(const RunRequest& request, const std::string& every, const Model& model) {
  constexpr double most = std::numeric_limits<double>::max();
  Schedule s = schedule_until(number_from("--time", request.time, {0, most, true}),
                              number_from("--dt", request.dt, {0, most, true}));
  s.every = every.empty() ? row_spacing(s, model) : whole_number_from("--every", every, 1, 1'000'000'000'000);
  return s;
}

// A random state with all joints within their ranges.
static State random_start(const RunRequest& request, const Model& model) {
  constexpr double range = 3;  // rad or m, in each direction
  const auto seed = std::uint64_t(whole_number_from("--seed", request.seed, 0, 1'000'000'000'000));
  State state = random_state(model, seed, range);
  for (const Link& link : model.links()) {
    if (link.nq != 1) continue;
    double& q = state.q[link.q];
    const DofSpec& dof = model.dofs()[link.v];
    const bool is_beyond = q < dof.lower || q > dof.upper;
    if (is_beyond && std::isfinite(dof.upper - dof.lower))
      q = dof.lower + (q + range) / (2 * range) * (dof.upper - dof.lower);
  }
  for (const JointLimit& limit : JointRowPlan(model).limits)
    if (limit.position >= 0) bring_within(limit, state.q);
  return state;
}

State start_of(const RunRequest& request, const Model& model) {
  State state = request.seed.empty() ? make_state(model) : random_start(request, model);
  std::vector<int> said;
  set_coordinates(model, "--position", request.positions, &Joint::q, &Joint::nq, state.q, said);
  set_coordinates(model, "--velocity", request.velocities, &Joint::v, &Joint::nv, state.v, said);
  for (const Joint& joint : model.joints()) {  // a quaternion as typed need not have length 1
    if (joint.type != JointType::ball && joint.type != JointType::free) continue;
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += state.q[joint.q + k] * state.q[joint.q + k];
    if (!(sum > 0) || std::isinf(sum))
      throw UsageError(fmt::format("--position: the quaternion {0}.0 to {0}.3 cannot be normalised", joint.name));
  }
  normalize(model, state.q);
  close_constraints(model, said, state);
  return state;
}

SimulationOptions simulation_options_of(const RunRequest& request, const Model& model) {
  SimulationOptions options;
  options.dt = number_from("--dt", request.dt, {0, std::numeric_limits<double>::max(), true});
  if (!request.stepper.empty())
    options.stepper = stepper_from(request.stepper);
  else
    options.stepper =
        request.method.empty() ? default_stepper(model) : Stepper::time_stepping;  // smooth ones have no methods
  if (!options.stepper)
    throw UsageError(
        fmt::format("--stepper: there is no '{}'; there are: {}", request.stepper, fmt::join(stepper_names(), ", ")));
  options.contact = contact_options_of(request, *options.stepper);
  set_tolerances(request, options);
  if (!request.order.empty()) {
    if (*options.stepper != Stepper::higher_order)
      throw UsageError(fmt::format("--order is for --stepper higher_order, but this run uses {}, of order {}",
                                   to_string(*options.stepper), order_of(*options.stepper)));
    options.order = int(whole_number_from("--order", request.order, 1, 5));
    if (options.order == 3) throw UsageError("--order 3: higher_order has the orders 1, 2, 4 and 5");
  }
  if (!request.method.empty())
    if (const auto made = make_formulation(options.contact.method, model, Plan<double>(model)); !made)
      throw UsageError(fmt::format("--method {}: {}", request.method, made.error().message));
  if (options.contact.directions == 2 && !motion_plane(model))
    throw UsageError(
        "--directions 2: this is for models that move in one plane, and this one does not; use 4 or more, or 0");
  return options;
}

CertificateLimits limits_of(const RunRequest& request) {
  CertificateLimits limits;
  if (request.energy_tolerance == "inf")
    limits.energy = unlimited;
  else if (!request.energy_tolerance.empty())
    limits.energy =
        number_from("--energy-tolerance", request.energy_tolerance, {0, std::numeric_limits<double>::max()});
  return limits;
}

void refuse_others(const Verb& verb, const std::string& with, const std::vector<std::string>& allowed) {
  for (const std::string& name : verb.given_options())
    if (name != with && std::ranges::find(allowed, name) == allowed.end())
      throw UsageError(fmt::format("{} takes its settings from the recording; {} cannot be given with it", with, name));
}

void add_run_options(Verb verb, RunRequest& request) {
  verb.add_option("--dt", request.dt, "Time step, s (1e-3); dormand_prince subdivides it as needed")
      .type_name("SECONDS");
  verb.add_option(
          "--stepper", request.stepper,
          fmt::format(
              "{}\n(default: time_stepping for contact, limits, dry friction or actuators and with --method, else rk4)",
              fmt::join(stepper_names(), ", ")))
      .type_name("NAME");
  verb.add_option("--method", request.method,
                  "Formulation of the contact problem [000, 002, 004]: os, rmc, mc, nmc_os, nmc, multipliers,\n"
                  "hybrid_dense, hybrid_aba, hybrid_dca; auto is os, the fastest on one thread (auto)")
      .type_name("NAME");
  verb.add_option("--threads", request.threads, "hybrid_dca: threads that share the work of a step (1)").type_name("N");
  verb.add_option("--solver", request.solver, "Solver of the contact problem, see `linchpin help solve` (auto)")
      .type_name("NAME");
  verb.add_option("--directions", request.directions,
                  "Number of friction directions [000 (6)]: 4 or more, 2 for planar models, 0 for the exact cone (0)")
      .type_name("N");
  verb.add_option("--tolerance", request.tolerance, "Relative residual that every contact problem must reach (1e-10)")
      .type_name("PART");
  verb.add_option("--restitution", request.restitution,
                  "poisson (impulse of release over compression) or newton (speed after over before) (poisson)")
      .type_name("NAME");
  verb.add_option("--relative-tolerance", request.relative_tolerance,
                  "dormand_prince, event_driven: error of a substep relative to each coordinate (1e-10)")
      .type_name("PART");
  verb.add_option("--absolute-tolerance", request.absolute_tolerance,
                  "dormand_prince, event_driven: the same, absolute: rad, m, rad/s, m/s (1e-12)")
      .type_name("NUMBER");
  verb.add_option("--order", request.order, "Order of the Runge-Kutta method of higher_order: 1, 2, 4 or 5 (4)")
      .type_name("N");
  verb.add_option("--gap-floor", request.gap_floor,
                  "position_level, higher_order: g_N epsilon of 002 s.4.1, the penetration that is pushed out in one "
                  "step,\nm, at most 0; -inf: all of it (-inf for position_level, -|gravity| dt^2 for higher_order)")
      .type_name("METRES");
  verb.add_option("--tangential-restitution", request.tangential_restitution,
                  "position_level: restitution of friction, from 0 to 1 (0)")
      .type_name("PART");
  verb.add_option(
          "--numerical-damping", request.numerical_damping,
          "time_stepping, trapezoidal: damping of oscillations that dt does not resolve, from 0 (none) to 1 (1)")
      .type_name("PART");
  verb.add_option("--sleep", request.sleep, "Islands at rest for this long are put to sleep, s; 0: never (0)")
      .type_name("SECONDS");
  verb.add_option("--position", request.positions,
                  "Initial position of a joint, rad or m; JOINT.k for one of several coordinates; may be repeated")
      .type_name("JOINT=VALUE")
      .one_value_each();
  verb.add_option("--velocity", request.velocities, "Initial velocity of a joint, rad/s or m/s, in the same form")
      .type_name("JOINT=VALUE")
      .one_value_each();
  verb.add_option("--seed", request.seed,
                  "Start from this random state, joints within their ranges; --position and --velocity override")
      .type_name("N");
  verb.add_option("--energy-tolerance", request.energy_tolerance,
                  fmt::format("Fail the certificate when the energy defect exceeds this fraction of the energy "
                              "exchanged;\ninf: report it only ({})",
                              CertificateLimits{}.energy))
      .type_name("PART");
}

}  // namespace linchpin
