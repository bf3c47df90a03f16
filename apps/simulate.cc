// linchpin simulate: a model through time, with a certificate at the end.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/constraint_text.h"
#include "apps/document.h"
#include "apps/json_output.h"
#include "apps/model_argument.h"
#include "apps/picture.h"
#include "apps/progress.h"
#include "linchpin/contact/contact_set.h"
#include "linchpin/dynamics/assembly.h"
#include "linchpin/sim/energy_balance.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {
namespace {

// As typed.
struct Request {
  std::string model;
  std::string time = "5", dt = "1e-3", stepper, every, seed, energy_tolerance;
  std::string method, solver, directions, restitution, tolerance, sleep;
  std::vector<std::string> positions, velocities;
  std::string csv, json, picture, contacts;
  bool quiet = false;
};

std::vector<std::string> stepper_names() {
  std::vector<std::string> names;
  for (int i = 0; i < stepper_count; ++i) names.emplace_back(to_string(Stepper(i)));
  return names;
}

// ---- how far and how fine -------------------------------------------------------------------------------------------

struct Schedule {
  double time = 0, dt = 0;
  long long whole = 0;  // steps of dt
  double rest = 0;      // a shorter one at the end, s
  long long every = 1;  // steps between rows of output
  long long steps() const { return whole + (rest > 0 ? 1 : 0); }
};

Schedule schedule_of(const Request& request, const Model& model) {
  constexpr double most = std::numeric_limits<double>::max();
  Schedule s;
  s.time = number_from("--time", request.time, {0, most, true});
  s.dt = number_from("--dt", request.dt, {0, most, true});
  const double count = s.time / s.dt;
  if (count > 1e12)
    throw UsageError(
        fmt::format("--time {} with --dt {} would be {:.1e} steps; at most 1e12", request.time, request.dt, count));
  // 5 / 1e-3 is not 5000 to the last bit, and no step of 1e-16 s should follow for that.
  const double nearest = std::round(count);
  const bool even = nearest >= 1 && std::abs(count - nearest) < 1e-9 * nearest;
  s.whole = static_cast<long long>(even ? nearest : std::floor(count));
  s.rest = even ? 0 : s.time - static_cast<double>(s.whole) * s.dt;
  if (!request.every.empty()) {
    s.every = whole_number_from("--every", request.every, 1, 1'000'000'000'000);
  } else {
    const double rows = 1000, numbers = 2e6;
    const double steps = static_cast<double>(s.steps());
    s.every = std::max(
        1LL, static_cast<long long>(std::ceil(steps * std::max(1 / rows, (model.nq() + model.nv()) / numbers))));
  }
  return s;
}

// ---- where it starts ------------------------------------------------------------------------------------------------

// NAME=VALUE for one coordinate; returns which velocity coordinate that is (of a quaternion: none, -1). Names may contain anything but a comma; the last '=' parts, and a '.k' at the end
// picks one of several coordinates.
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
      const int n = model.joints()[std::size_t(index)].*count;
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
  const Joint& joint = model.joints()[std::size_t(index)];
  if (joint.*count == 0)
    throw UsageError(fmt::format("{}: joint '{}' is a {} and has no coordinate", option, name, to_string(joint.type)));
  if (joint.*count > 1 && !has_part)
    throw UsageError(fmt::format("{}: joint '{}' has {} coordinates, say which: {}.0 to {}.{}", option, name,
                                 joint.*count, name, name, joint.*count - 1));
  numbers[std::size_t(joint.*first + part)] = value;
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

// What was asked for by name stays; the rest of the state gives way until the constraints are closed.
void close_constraints(const Model& model, const std::vector<int>& said, State& state) {
  if (model.constraints().empty()) return;
  const AssemblyReport report = assemble(model, state, {.held = said});
  if (report.closed()) return;
  const std::string held = said.empty() ? "" : ", with what --position and --velocity say held";
  if (report.status == AssemblyStatus::velocities_contradict)
    throw UsageError(
        fmt::format("the constraints cannot be kept at the start{}: velocities contradict each other at '{}' by "
                    "{:.3g} m/s or rad/s",
                    held, report.worst, report.speed_error));
  throw UsageError(
      fmt::format("the constraints cannot be closed at the start{}: '{}' stays off by {:.3g} m or rad after {} tries",
                  held, report.worst, report.error, report.tries));
}

State start_of(const Request& request, const Model& model) {
  State state =
      request.seed.empty()
          ? make_state(model)
          : random_state(model, std::uint64_t(whole_number_from("--seed", request.seed, 0, 1'000'000'000'000)));
  std::vector<int> said;
  set_coordinates(model, "--position", request.positions, &Joint::q, &Joint::nq, state.q, said);
  set_coordinates(model, "--velocity", request.velocities, &Joint::v, &Joint::nv, state.v, said);
  for (const Joint& joint : model.joints()) {  // a rotation is a unit quaternion, whatever was typed
    if (joint.type != JointType::ball && joint.type != JointType::free) continue;
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += state.q[std::size_t(joint.q + k)] * state.q[std::size_t(joint.q + k)];
    if (!(sum > 0) || std::isinf(sum))
      throw UsageError(
          fmt::format("--position: the quaternion {0}.0 to {0}.3 cannot be brought to length 1", joint.name));
  }
  normalize(model, state.q);
  close_constraints(model, said, state);
  return state;
}

// ---- what is written and shown --------------------------------------------------------------------------------------

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// Rows of a run: to a CSV file as they come, and kept for JSON.
class Recorder {
 public:
  Recorder(const Model& model, OutputFile& csv, bool keep) : csv_(csv), keep_(keep) {
    if (!csv_) return;
    std::string head = "time";
    for (const std::string& name : position_names(model)) head += "," + quoted("q:" + name);
    for (const std::string& name : velocity_names(model)) head += "," + quoted("v:" + name);
    for (const std::string& name : reaction_names(model)) head += "," + quoted("r:" + name);
    csv_.write(head + ",kinetic,gravity,springs,energy,defect\n");
  }
  bool wanted() const { return csv_ || keep_; }
  void add(const State& state, std::span<const double> reactions, const Energy& e, const EnergyBalance& balance) {
    if (csv_) {
      fmt::memory_buffer line;
      const auto out = std::back_inserter(line);
      fmt::format_to(out, "{:.12g}", state.time);  // a sum of many dt
      for (const double x : state.q) fmt::format_to(out, ",{}", x);
      for (const double x : state.v) fmt::format_to(out, ",{}", x);
      for (const double x : reactions) fmt::format_to(out, ",{}", x);
      fmt::format_to(out, ",{},{},{},{},{}\n", e.kinetic, e.gravity, e.springs, e.total(), balance.defect());
      csv_.write({line.data(), line.size()});
    }
    if (keep_)
      rows_.push_back({{"time", state.time},
                       {"q", state.q},
                       {"v", state.v},
                       {"reactions", std::vector<double>(reactions.begin(), reactions.end())},
                       {"kinetic", e.kinetic},
                       {"gravity", e.gravity},
                       {"springs", e.springs},
                       {"energy", e.total()},
                       {"defect", balance.defect()}});
  }
  Json& rows() { return rows_; }

 private:
  OutputFile& csv_;
  bool keep_;
  Json rows_ = Json::array();
};

// Contacts of the steps that are written, a line each.
class ContactWriter {
 public:
  ContactWriter(const Model& model, OutputFile& file) : model_(model), file_(file) {
    if (file_) file_.write("time,body_a,body_b,x,y,z,normal_x,normal_y,normal_z,gap,force_x,force_y,force_z,normal_force,friction,state\n");
  }
  bool wanted() const { return bool(file_); }
  void add(double time, std::span<const ContactReport> contacts) {
    for (const ContactReport& c : contacts)
      file_.write(fmt::format("{:.12g},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", time,
                              quoted(model_.bodies()[std::size_t(c.body_a)].name),
                              quoted(model_.bodies()[std::size_t(c.body_b)].name), c.point.x, c.point.y, c.point.z,
                              c.normal.x, c.normal.y, c.normal.z, c.gap, c.force.x, c.force.y, c.force.z, c.normal_force,
                              c.friction, to_string(c.state)));
  }

 private:
  const Model& model_;
  OutputFile& file_;
};

// A few curves for the terminal: energies and the first joints.
class Strips {
 public:
  static constexpr int width = 48, joints = 4;
  Strips(const Model& model, long long steps) : model_(model), every_(std::max(1LL, steps / (4 * width))) {
    for (const Joint& joint : model.joints())
      if (joint.nq == 1 && shown_.size() < joints) {
        shown_.push_back(joint.q);
        names_.push_back(joint.name);
        units_.push_back(joint.type == JointType::prismatic ? "m" : "rad");
      }
    joint_.resize(shown_.size());
  }
  bool due(long long step) const { return step % every_ == 0; }
  void add(const State& state, const Energy& e) {
    kinetic_.push_back(e.kinetic);
    potential_.push_back(e.gravity + e.springs);
    for (std::size_t i = 0; i < shown_.size(); ++i) joint_[i].push_back(state.q[std::size_t(shown_[i])]);
  }
  std::string text() const {
    std::string out = line("kinetic", kinetic_, "J") + line("potential", potential_, "J");
    for (std::size_t i = 0; i < shown_.size(); ++i) out += line(names_[i], joint_[i], units_[i]);
    if (!out.empty() && model_.nq() > static_cast<int>(shown_.size()))
      out += fmt::format("  ({} of {} coordinates; --csv FILE has them all)\n", shown_.size(), model_.nq());
    return out;
  }

 private:
  std::string line(const std::string& name, const std::vector<double>& values, const std::string& unit) const {
    if (values.size() < 2) return "";
    std::size_t space = 9;  // "potential"
    for (const std::string& n : names_) space = std::max(space, n.size());
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return fmt::format("  {:<{}}  {}  {:.4g} .. {:.4g} {}\n", name, space, strip(values, width), *low, *high, unit);
  }
  const Model& model_;
  long long every_;
  std::vector<int> shown_;
  std::vector<std::string> names_, units_;
  std::vector<double> kinetic_, potential_;
  std::vector<std::vector<double>> joint_;
};

constexpr int exposures = 12;  // of a picture: enough to see the way, few enough to tell them apart

// All that looks on while a run goes by.
struct Audience {
  Recorder recorder;
  ContactWriter contacts;
  Strips strips;
  std::optional<Picture> picture;
  Progress progress;
};

struct Outcome {
  Certificate certificate;
  double time = 0;       // reached, s
  double seconds = 0;    // spent in steps
  bool stopped = false;  // by the user
  Mobility mobility;     // at the start
  State end;
};

// Steps through the schedule before the audience.
Outcome run_schedule(const Model& model, const Schedule& schedule, const SimulationOptions& options,
                     const CertificateLimits& limits, State state, Audience& audience) {
  using Clock = std::chrono::steady_clock;
  Simulation simulation(model, options);
  RunMonitor monitor(model, limits);
  EnergyMeter meter(model);
  const long long between = std::max(1LL, (schedule.steps() + exposures - 2) / (exposures - 1));
  const auto note = [&](long long step, bool last) {
    if (audience.picture && (last || step % between == 0)) audience.picture->expose(state);
    const bool due = last || step % schedule.every == 0;
    if (due && audience.contacts.wanted()) audience.contacts.add(state.time, simulation.contacts());
    const bool row = audience.recorder.wanted() && due;
    const bool point = last || audience.strips.due(step);
    if (!row && !point) return;
    const Energy e = meter(state);
    if (row) audience.recorder.add(state, simulation.reactions(state), e, monitor.certificate().energy);
    if (point) audience.strips.add(state, e);
  };
  Outcome outcome;
  outcome.mobility = mobility_at(model, state);
  monitor.start(state);
  const long long steps = schedule.steps();
  note(0, false);
  for (long long step = 1; step <= steps && !outcome.stopped; ++step) {
    if (step == steps && schedule.rest > 0) {
      SimulationOptions shorter = options;
      shorter.dt = schedule.rest;
      simulation = Simulation(model, shorter);
    }
    const auto start = Clock::now();
    const StepReport report = simulation.step(state);
    outcome.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    monitor.add(state, report);
    if (!report.ok()) {
      if ((step - 1) % schedule.every != 0) note(step - 1, true);  // the last good state
      break;
    }
    if (!monitor.certificate().finite) break;
    if (interrupted()) outcome.stopped = true;
    note(step, step == steps || outcome.stopped);
    if (audience.progress.due())
      audience.progress.show(double(step) / double(steps), fmt::format("t = {:.3g} s, energy {:.6g} J", state.time,
                                                                       monitor.certificate().energy.stored));
  }
  audience.progress.clear();
  outcome.certificate = monitor.certificate();
  outcome.time = state.time;
  outcome.end = std::move(state);
  return outcome;
}

std::string verdict(const Outcome& outcome) {
  const Certificate& c = outcome.certificate;
  if (outcome.stopped) return "INTERRUPTED";
  return c.passed() ? "PASSED" : "FAILED";
}

// The body whose joint is not finite, or moves fastest.
std::string fastest_body(const Model& model, const State& state) {
  const Joint* fastest = nullptr;
  double most = -1;
  for (const Joint& joint : model.joints())
    for (int k = 0; k < joint.nv; ++k) {
      const double speed = std::abs(state.v[std::size_t(joint.v + k)]);
      if (speed <= most) continue;
      fastest = &joint;
      if (!std::isfinite(speed)) return model.bodies()[std::size_t(joint.child)].name;
      most = speed;
    }
  return fastest ? model.bodies()[std::size_t(fastest->child)].name : "world";
}

// Why it is no success, in a line; empty when it is.
std::string trouble(const Model& model, const Outcome& outcome) {
  const Certificate& c = outcome.certificate;
  if (outcome.stopped) return fmt::format("stopped by the user at t = {:.6g} s", outcome.time);
  const std::string body = c.body >= 0 ? fmt::format(" (body '{}')", model.bodies()[std::size_t(c.body)].name)
                           : c.constraint >= 0
                               ? fmt::format(" (constraint '{}')", model.constraints()[std::size_t(c.constraint)].name)
                               : std::string();
  if (c.status != StepStatus::done) return fmt::format("stopped at t = {:.6g} s: {}{}", outcome.time, c.reason, body);
  if (!c.finite)
    return fmt::format("stopped at t = {:.6g} s: the energy is not finite (fastest is body '{}')", outcome.time,
                       fastest_body(model, outcome.end));
  if (c.penetration > c.limits.penetration)
    return fmt::format("shapes went {:.2e} m into each other, more than the {:.2e} m allowed", c.penetration,
                       c.limits.penetration);
  if (!c.passed())
    return fmt::format("energy defect {:.2e} of what was exchanged, above the tolerance {:.2e}",
                       c.energy.relative_defect(), c.limits.energy);
  return "";
}

std::vector<std::string> ignored(const Model& model, Stepper stepper) {
  if (stepper == Stepper::time_stepping) return {};
  std::vector<std::string> lines = ignored_by_smooth_steppers(model);
  std::size_t shapes = 0;
  for (const Body& body : model.bodies()) shapes += body.geometry.size();
  if (shapes > 0)
    lines.insert(lines.begin(),
                 fmt::format("contact: {} touch{} nothing",
                             shapes == 1 ? "one shape" : fmt::format("{} shapes", shapes), shapes == 1 ? "es" : ""));
  return lines;
}

Json certificate_json(const Model& model, const Outcome& outcome) {
  const Certificate& c = outcome.certificate;
  const EnergyBalance& e = c.energy;
  return {{"passed", c.passed() && !outcome.stopped},
          {"status", outcome.stopped ? std::string("interrupted") : std::string(to_string(c.status))},
          {"reason", trouble(model, outcome)},
          {"finite", c.finite},
          {"body", c.body >= 0 ? Json(model.bodies()[std::size_t(c.body)].name) : Json(nullptr)},
          {"constraint", c.constraint >= 0 ? Json(model.constraints()[std::size_t(c.constraint)].name) : Json(nullptr)},
          {"constraints",
           {{"rows", outcome.mobility.rows},
            {"rank_at_start", outcome.mobility.rank},
            {"freedom_at_start", outcome.mobility.freedom},
            {"loop_error", c.loop_error},
            {"loop_speed", c.loop_speed}}},
          {"contact",
           {{"residual", c.residual},
            {"cone_violation", c.cone_violation},
            {"penetration", c.penetration},
            {"most_contacts", c.most_contacts},
            {"problems", c.problems},
            {"loose", c.loose},
            {"halved", c.halved},
            {"iterations", c.iterations},
            {"declared_fallbacks", c.declared_fallbacks},
            {"impacts", c.impacts},
            {"painleve_steps", c.painleve},
            {"impact_loss", c.impact_loss},
            {"contact_loss", c.contact_loss},
            {"least_release", c.least_release}}},
          {"time", outcome.time},
          {"steps", c.steps},
          {"evaluations", c.evaluations},
          {"substeps", c.substeps},
          {"rejected", c.rejected},
          {"energy",
           {{"start", e.start},
            {"stored", e.stored},
            {"work", e.work},
            {"dissipated", e.dissipated},
            {"lost", e.lost},
            {"projected", e.projected},
            {"defect", e.defect()},
            {"largest_defect", e.largest_defect},
            {"exchanged", e.exchanged},
            {"relative_defect", e.relative_defect()},
            {"tolerance", std::isinf(c.limits.energy) ? Json(nullptr) : Json(c.limits.energy)}}}};
}

void print_summary(const ModelArgument& argument, const Schedule& schedule, const SimulationOptions& options,
                   const Outcome& outcome, const Strips& strips, std::FILE* out) {
  const Model& model = argument.model;
  const Certificate& c = outcome.certificate;
  const EnergyBalance& e = c.energy;
  fmt::print(out, "{}: {} degrees of freedom, {} bodies, {:.4g} kg\n", argument.text, model.nv(),
             model.bodies().size() - 1, model.total_mass());
  if (const Mobility& m = outcome.mobility; m.rows > 0)
    fmt::print(out, "{} constraint{} with {} rows, {} of them independent at the start: {} degree{} of freedom left\n",
               model.constraints().size(), model.constraints().size() == 1 ? "" : "s", m.rows, m.rank, m.freedom,
               m.freedom == 1 ? "" : "s");
  fmt::print(out, "{} (order {}), dt {:g} s: {:g} s in {} steps, {} evaluations", to_string(*options.stepper),
             order_of(*options.stepper), options.dt, outcome.time, c.steps, c.evaluations);
  if (c.substeps > c.steps || c.rejected > 0) fmt::print(out, ", {} substeps, {} rejected", c.substeps, c.rejected);
  if (schedule.rest > 0) fmt::print(out, " (the last one {:.3g} s)", schedule.rest);
  fmt::print(out, "\n");
  if (c.steps > 0 && outcome.seconds > 0)
    fmt::print(out, "{:.3g} times real time, {:.3g} us a step\n", outcome.time / outcome.seconds,
               1e6 * outcome.seconds / double(c.steps));
  const std::string curves = strips.text();
  fmt::print(out, "\n{}{}", curves, curves.empty() ? "" : "\n");
  fmt::print(out, "  energy at start   {: .10g} J\n", e.start);
  fmt::print(out, "  energy at end     {: .10g} J\n", e.stored);
  if (e.work != 0) fmt::print(out, "  work done         {: .10g} J\n", e.work);
  if (e.dissipated != 0) fmt::print(out, "  dissipated        {: .10g} J\n", e.dissipated);
  if (c.impact_loss != 0) fmt::print(out, "  lost in impacts   {: .10g} J\n", c.impact_loss);
  if (c.contact_loss != 0) fmt::print(out, "  lost in contact   {: .10g} J\n", c.contact_loss);
  if (e.projected != 0) fmt::print(out, "  by projection     {: .3e} J\n", e.projected);
  fmt::print(out, "  largest defect    {: .3e} J, {:.1e} of the {:.4g} J that changed hands\n", e.largest_defect,
             e.relative_defect(), e.exchanged);
  if (outcome.mobility.rows > 0)
    fmt::print(out, "  constraints kept to {:.1e} m or rad, {:.1e} m/s or rad/s\n", c.loop_error, c.loop_speed);
  if (c.problems > 0) {
    fmt::print(out, "  contacts          at most {}, {} problems ({}), {} iterations, {} impacts\n", c.most_contacts,
               c.problems, to_string(options.contact.method), c.iterations, c.impacts);
    if (c.loose > 0)
      fmt::print(out, "  {} of them not to {:.1e}, but to what is acceptable, {:.1e}\n", c.loose,
                 options.contact.tolerance, options.contact.acceptable);
    fmt::print(out, "  residual {:.1e}, friction beyond its cone {:.1e} N s, penetration {:.1e} m\n", c.residual,
               std::max(0.0, c.cone_violation), c.penetration);
  }
  const std::vector<std::string> left_out = ignored(model, *options.stepper);
  if (!left_out.empty()) {
    fmt::print(out, "\nNot acted upon by smooth steppers:\n");
    for (std::size_t i = 0; i < left_out.size() && i < 3; ++i) fmt::print(out, "  {}\n", left_out[i]);
    if (left_out.size() > 3)
      fmt::print(out, "  and {} more of the kind (--json FILE lists all)\n", left_out.size() - 3);
  }
  const std::string why = trouble(model, outcome);
  fmt::print(
      out, "\ncertificate: {}  {}\n", verdict(outcome),
      !why.empty() ? why
      : std::isinf(c.limits.energy)
          ? fmt::format("all {} steps finite and done; energy reported, not judged (--energy-tolerance)", c.steps)
          : fmt::format("all {} steps finite and done; energy defect within {:.1e}", c.steps, c.limits.energy));
}

// Those of time_stepping; what is not said is as it is by default.
ContactOptions contact_options_of(const Request& request, Stepper stepper) {
  ContactOptions o;
  const auto said = [&](const char* option, const std::string& value) {
    if (value.empty()) return false;
    if (stepper != Stepper::time_stepping)
      throw UsageError(fmt::format("{} is for --stepper time_stepping, and this run is by {}", option, to_string(stepper)));
    return true;
  };
  if (said("--method", request.method)) {
    std::vector<std::string> names;
    for (int i = 0; i < method_count; ++i) names.emplace_back(to_string(Method(i)));
    const std::optional<Method> method = method_from(request.method);
    if (!method)
      throw UsageError(fmt::format("--method: there is no '{}'; there are: {}", request.method, fmt::join(names, ", ")));
    o.method = *method;
  }
  if (said("--solver", request.solver)) {
    std::vector<std::string_view> names;
    for (const SolverInfo& s : solvers()) names.push_back(s.name);
    const SolverInfo* solver = find_solver(request.solver);
    if (!solver)
      throw UsageError(fmt::format("--solver: there is no '{}'; there are: {}", request.solver, fmt::join(names, ", ")));
    o.solver = solver->id;
  }
  if (said("--directions", request.directions)) {
    o.directions = int(whole_number_from("--directions", request.directions, 0, 1000));
    if (o.directions % 2 != 0)
      throw UsageError(
          fmt::format("--directions {}: friction takes an even number of them, or 0 for the cone itself", o.directions));
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
  if (said("--sleep", request.sleep))
    o.sleep_after = number_from("--sleep", request.sleep, {0, std::numeric_limits<double>::max()});
  return o;
}

int simulate(const Request& request) {
  // Everything that can be wrong with the request comes before the work.
  const ModelArgument argument = model_from(request.model);
  const Model& model = argument.model;
  const Schedule schedule = schedule_of(request, model);
  SimulationOptions options;
  if (!request.stepper.empty())
    options.stepper = stepper_from(request.stepper);
  else
    options.stepper = request.method.empty() ? default_stepper(model) : Stepper::time_stepping;  // what has methods
  if (!options.stepper)
    throw UsageError(
        fmt::format("--stepper: there is no '{}'; there are: {}", request.stepper, fmt::join(stepper_names(), ", ")));
  options.contact = contact_options_of(request, *options.stepper);
  if (!request.method.empty())
    if (const auto made = make_formulation(options.contact.method, model, Plan<double>(model)); !made)
      throw UsageError(fmt::format("--method {}: {}", request.method, made.error().message));
  if (options.contact.directions == 2 && !motion_plane(model))
    throw UsageError("--directions 2: this is for models that move in one plane, and this one does not; 4 or more, or 0");
  CertificateLimits limits;
  if (!request.energy_tolerance.empty())
    limits.energy =
        number_from("--energy-tolerance", request.energy_tolerance, {0, std::numeric_limits<double>::max()});
  State state = start_of(request, model);
  if ((request.csv == "-") + (request.json == "-") + (request.picture == "-") + (request.contacts == "-") > 1)
    throw UsageError("only one of --csv, --json, --contacts and --picture can be the standard output");
  if (!request.every.empty() && request.csv.empty() && request.json.empty() && request.contacts.empty())
    throw UsageError("--every says how often to write, but there is none of --csv, --json and --contacts");
  if (!request.contacts.empty() && *options.stepper != Stepper::time_stepping)
    throw UsageError(fmt::format("--contacts is for --stepper time_stepping, and this run is by {}",
                                 to_string(*options.stepper)));
  OutputFile csv("--csv", request.csv), json("--json", request.json), svg("--picture", request.picture),
      contacts("--contacts", request.contacts);
  std::FILE* const out =
      csv.is_standard_output() || json.is_standard_output() || svg.is_standard_output() || contacts.is_standard_output()
          ? stderr
          : stdout;

  options.dt = schedule.dt;
  Audience audience{Recorder(model, csv, bool(json)), ContactWriter(model, contacts), Strips(model, schedule.steps()), std::nullopt,
                    Progress(!request.quiet)};
  if (svg) audience.picture.emplace(model);
  const Outcome outcome = run_schedule(model, schedule, options, limits, std::move(state), audience);

  csv.commit();
  contacts.commit();
  if (svg) {
    const Picture& picture = *audience.picture;
    svg.write(picture.svg(
        fmt::format("{}, {:g} s, {} exposures; the last one red", argument.text, outcome.time, picture.exposures())));
    svg.commit();
  }
  if (json)
    write_json({{"model", request.model},
                {"degrees_of_freedom", model.nv()},
                {"stepper", to_string(*options.stepper)},
                {"method", to_string(options.contact.method)},
                {"dt", options.dt},
                {"seconds", outcome.seconds},
                {"real_time_factor", outcome.seconds > 0 ? Json(outcome.time / outcome.seconds) : Json(nullptr)},
                {"position_names", position_names(model)},
                {"velocity_names", velocity_names(model)},
                {"reaction_names", reaction_names(model)},
                {"ignored", ignored(model, *options.stepper)},
                {"certificate", certificate_json(model, outcome)},
                {"rows", std::move(audience.recorder.rows())}},
               json);
  if (!request.quiet) print_summary(argument, schedule, options, outcome, audience.strips, out);
  const std::string why = trouble(model, outcome);
  if (!why.empty() && request.quiet) fmt::print(stderr, "linchpin: {}\n", why);
  return why.empty() ? exit_done : exit_failed;
}

}  // namespace

int demonstrate() {
  Request request;
  request.model = "@swing";
  fmt::print("The pendulum of paper 000: 12 links, let go at -45 degrees, swing into floor and wall, for 5 s:\n\n");
  const int status = simulate(request);
  fmt::print(
      "\nTry next: linchpin simulate @stand --time 2, linchpin reproduce os-lcp/dual-arm --report page, linchpin help\n");
  return status;
}

void add_simulate(CLI::App& command, int& status) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = command.add_subcommand("simulate", "Step a model through time and certify the run");
  verb->add_option("MODEL", request->model, "A built-in scene, such as @pendulum:links=12")->required()->type_name("");
  verb->add_option("--time", request->time, "How long to simulate, s (5)")->type_name("SECONDS");
  verb->add_option("--dt", request->dt, "Time step, s (1e-3); dormand_prince divides it further as it needs to")
      ->type_name("SECONDS");
  verb->add_option("--stepper", request->stepper,
                   fmt::format("{}\n(time_stepping where anything can touch or is limited, or with --method, else rk4)",
                               fmt::join(stepper_names(), ", ")))
      ->type_name("NAME");
  verb->add_option("--method", request->method,
                   "Formulation of the contact problem [000, 004]: os, rmc, mc, nmc_os, nmc, multipliers (os)")
      ->type_name("NAME");
  verb->add_option("--solver", request->solver, "Solver of the contact problem, see `linchpin help solve` (auto)")
      ->type_name("NAME");
  verb->add_option("--directions", request->directions, "Friction along so many directions [000 (6)], 4 or more (2 where all is in one plane); 0: the cone (0)")
      ->type_name("N");
  verb->add_option("--tolerance", request->tolerance, "Relative residual that every problem has to reach (1e-10)")
      ->type_name("PART");
  verb->add_option("--restitution", request->restitution,
                   "poisson (impulse of release over compression) or newton (speed after over before) (poisson)")
      ->type_name("NAME");
  verb->add_option("--sleep", request->sleep, "Islands at rest for so long sleep, s; 0: never (0)")->type_name("SECONDS");
  verb->add_option("--position", request->positions,
                   "Start of a joint, rad or m; JOINT.k for one of several coordinates; may be repeated")
      ->type_name("JOINT=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--velocity", request->velocities, "The same for velocities, rad/s or m/s")
      ->type_name("JOINT=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--seed", request->seed,
                   "Start from this random state instead of zero; --position and --velocity override")
      ->type_name("N");
  verb->add_option("--energy-tolerance", request->energy_tolerance,
                   "Fail the certificate when the energy defect exceeds this part of the energy exchanged")
      ->type_name("PART");
  verb->add_option("--csv", request->csv,
                   "Write time (s), positions q:, velocities v:, reactions of constraints r: (N, N m) and\n"
                   "energies (J) to FILE; - is standard output")
      ->type_name("FILE");
  verb->add_option("--contacts", request->contacts,
                   "Write every contact of the rows' steps to FILE (CSV): bodies, point (m), normal, gap (m), force on the\n"
                   "first body (N), normal force, friction, state; - is standard output")
      ->type_name("FILE");
  verb->add_option("--json", request->json, "Write certificate and rows to FILE; - is standard output")
      ->type_name("FILE");
  verb->add_option(
          "--picture", request->picture,
          fmt::format("Draw the run to FILE (SVG): {} exposures seen from the side, x to the right, z up", exposures))
      ->type_name("FILE");
  verb->add_option("--every", request->every,
                   "Steps between rows of --csv and --json (so many that there are at most 1000 rows)")
      ->type_name("N");
  verb->add_flag("--quiet", request->quiet, "Print nothing but errors");
  verb->footer(
      "Motion under gravity, springs and damping, with loops, couplings and prescribed motion kept. time_stepping adds\n"
      "contact with friction and impact, joint limits, dry friction and servos, all solved exactly (docs/contact.md);\n"
      "the other steppers leave those out, and the summary says what of the model that concerns. Joints\n"
      "start\n"
      "at zero, at rest. Coordinates of joints with several are numbered from 0; a ball's are the quaternion w x y z, "
      "a\n"
      "free joint's the quaternion and the position x y z.\n"
      "Where the model has constraints the start is assembled: joints named by --position or --velocity keep what was "
      "said,\n"
      "all others give way.\n\n"
      "The certificate says whether every step was done and finite, and how far energy is from balanced. A run that "
      "goes\n"
      "to infinity ends there with time, body and reason; what was written up to then is whole. Exit status 1 when "
      "the\n"
      "certificate fails.\n\n"
      "Examples:\n"
      "  linchpin simulate @pendulum:links=12 --position hinge_1=-0.785 --velocity hinge_1=1 --picture swing.svg\n"
      "  linchpin simulate @humanoid --seed 1 --time 2 --stepper dormand_prince --dt 0.01\n"
      "  linchpin simulate @top --position pivot.1=0.1 --velocity pivot.2=30 --csv top.csv --every 10\n"
      "  linchpin simulate @four_bar --velocity pivot_0=1 --time 10\n"
      "  linchpin simulate @chain:links=100 --energy-tolerance 1e-9 --json run.json --quiet");
  verb->callback([request, &status] { status = simulate(*request); });
}

}  // namespace linchpin
