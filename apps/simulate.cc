// linchpin simulate: a model through time, with a certificate at the end.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/page_argument.h"
#include "apps/picture.h"
#include "apps/progress.h"
#include "apps/run_report.h"
#include "apps/simulate.h"
#include "linchpin/model/signal_names.h"
#include "linchpin/record/page_data.h"

namespace linchpin {
namespace {

constexpr int exposures = 12;  // of a picture: enough to see the way, few enough to tell them apart

// Takes a snapshot every so many steps, and the last one.
struct SnapshotKeeper {
  long long every = 1;
  std::function<void(const Snapshot&)> keep;
};

// All that looks on while a run goes by.
struct Audience {
  RowWriter rows;
  ContactWriter contacts;
  Strips strips;
  std::optional<Picture> picture;
  std::vector<SnapshotKeeper> keepers;
  Progress progress;
};

// Steps through the schedule before the audience.
RunOutcome run_schedule(const Model& model, const Schedule& schedule, const SimulationOptions& options,
                        const CertificateLimits& limits, State state, Audience& audience) {
  using Clock = std::chrono::steady_clock;
  Simulation simulation(model, options);
  RunMonitor monitor(model, limits);
  EnergyMeter meter(model);
  SnapshotTaker take(model);
  StepReport report;
  const long long between = std::max(1LL, (schedule.steps() + exposures - 2) / (exposures - 1));
  const auto keep = [&](long long step, bool last) {
    const Snapshot* snapshot = nullptr;
    for (const SnapshotKeeper& keeper : audience.keepers) {
      if (!last && step % keeper.every != 0) continue;
      if (!snapshot) snapshot = &take(step, state, simulation, report, monitor.certificate());
      keeper.keep(*snapshot);
    }
  };
  const auto note = [&](long long step, bool last) {
    if (audience.picture && (last || step % between == 0)) audience.picture->expose(state);
    const bool due = last || step % schedule.every == 0;
    if (due && audience.contacts.wanted()) audience.contacts.add(state.time, simulation.contacts());
    const bool row = audience.rows.wanted() && due;
    const bool point = last || audience.strips.due(step);
    if (!row && !point) return;
    const Energy e = meter(state);
    if (row) audience.rows.add(state, simulation.reactions(state), e, monitor.certificate().energy);
    if (point) audience.strips.add(state, e);
  };
  RunOutcome outcome;
  outcome.mobility = mobility_at(model, state);
  monitor.start(state);
  const long long steps = schedule.steps();
  note(0, false);
  keep(0, false);
  for (long long step = 1; step <= steps && !outcome.stopped; ++step) {
    if (step == steps && schedule.rest > 0) {
      SimulationOptions shorter = options;
      shorter.dt = schedule.rest;
      simulation = Simulation(model, shorter);
    }
    const auto start = Clock::now();
    report = simulation.step(state);
    outcome.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    monitor.add(state, report);
    if (!report.ok()) {
      if ((step - 1) % schedule.every != 0) note(step - 1, true);  // the last good state
      keep(step - 1, true);
      break;
    }
    if (!monitor.certificate().finite) break;
    if (interrupted()) outcome.stopped = true;
    note(step, step == steps || outcome.stopped);
    keep(step, step == steps || outcome.stopped);
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

// Sixty frames a second of motion, fewer where that would be more than a page can hold.
long long page_every(const Model& model, const Schedule& schedule) {
  constexpr double rate = 60, most_frames = 3000, most_numbers = 1e7;
  const double numbers = 7.0 * double(model.bodies().size()) + model.nq() + model.nv();
  const double frames = std::min(most_frames, most_numbers / numbers);
  return std::max({1LL, std::llround(1 / (rate * schedule.dt)),
                   static_cast<long long>(std::ceil(double(schedule.steps()) / frames))});
}

}  // namespace

int simulate(const SimulateRequest& request) {
  // Everything that can be wrong with the request comes before the work.
  const ModelArgument argument = model_from(request.run.model);
  const Model& model = argument.model;
  const Schedule schedule = schedule_of(request.run, request.every, model);
  const SimulationOptions options = simulation_options_of(request.run, model);
  const CertificateLimits limits = limits_of(request.run);
  State state = start_of(request.run, model);
  if ((request.csv == "-") + (request.json == "-") + (request.picture == "-") + (request.contacts == "-") > 1)
    throw UsageError("only one of --csv, --json, --contacts and --picture can be the standard output");
  if (!request.every.empty() && request.csv.empty() && request.json.empty() && request.contacts.empty())
    throw UsageError("--every says how often to write, but there is none of --csv, --json and --contacts");
  if (!request.contacts.empty() && *options.stepper != Stepper::time_stepping)
    throw UsageError(
        fmt::format("--contacts is for --stepper time_stepping, and this run is by {}", to_string(*options.stepper)));
  if (!request.page.empty()) page_or_refuse();
  OutputFile csv("--csv", request.csv), json("--json", request.json), svg("--picture", request.picture),
      contacts("--contacts", request.contacts), page("--export", request.page);
  std::FILE* const out =
      csv.is_standard_output() || json.is_standard_output() || svg.is_standard_output() || contacts.is_standard_output()
          ? stderr
          : stdout;

  Audience audience{RowWriter(model, csv, bool(json)), ContactWriter(model, contacts), Strips(model, schedule.steps()),
                    std::nullopt, {}, Progress(!request.quiet)};
  if (svg) audience.picture.emplace(model);
  std::optional<PageRecording> frames;
  if (page) {
    frames.emplace(model, options, argument.text);
    audience.keepers.push_back(
        {page_every(model, schedule), [&](const Snapshot& snapshot) { frames->add(snapshot); }});
  }
  const RunOutcome outcome = run_schedule(model, schedule, options, limits, std::move(state), audience);

  csv.commit();
  contacts.commit();
  if (page) {
    page.write(page_with_recording(page_or_refuse(), frames->blob(outcome.certificate)));
    page.commit();
  }
  if (svg) {
    const Picture& picture = *audience.picture;
    svg.write(picture.svg(
        fmt::format("{}, {:g} s, {} exposures; the last one red", argument.text, outcome.time, picture.exposures())));
    svg.commit();
  }
  if (json)
    write_json({{"model", request.run.model},
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
                {"rows", std::move(audience.rows.rows())}},
               json);
  if (!request.quiet) print_summary(argument, schedule, options, outcome, audience.strips, out);
  const std::string why = trouble(model, outcome);
  if (!why.empty() && request.quiet) fmt::print(stderr, "linchpin: {}\n", why);
  return why.empty() ? exit_done : exit_failed;
}

void add_simulate(CLI::App& command, int& status) {
  auto request = std::make_shared<SimulateRequest>();
  CLI::App* verb = command.add_subcommand("simulate", "Step a model through time and certify the run");
  verb->add_option("MODEL", request->run.model, "A built-in scene, such as @pendulum:links=12")
      ->required()
      ->type_name("");
  verb->add_option("--time", request->run.time, "How long to simulate, s (5)")->type_name("SECONDS");
  add_run_options(*verb, request->run);
  verb->add_option("--csv", request->csv,
                   "Write time (s), positions q:, velocities v:, reactions of constraints r: (N, N m) and\n"
                   "energies (J) to FILE; - is standard output")
      ->type_name("FILE");
  verb->add_option(
          "--contacts", request->contacts,
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
      "Motion under gravity, springs and damping, with loops, couplings and prescribed motion kept. time_stepping "
      "adds\n"
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
