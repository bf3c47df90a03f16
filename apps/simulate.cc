// linchpin simulate: a model through time, with a certificate at the end.
#include "apps/simulate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/file_conflicts.h"
#include "apps/inspect_recording.h"
#include "apps/page_argument.h"
#include "apps/run_schedule.h"
#include "apps/terminal_text.h"
#include "linchpin/model/signal_names.h"
#include "linchpin/record/build_info.h"
#include "linchpin/record/recording.h"
#include "linchpin/record/recording_writer.h"
#include "linchpin/record/replay.h"

namespace linchpin {
namespace {

constexpr double frames_per_second = 60;  // of a recording without --every: the rate of a screen

// A run, ready to start.
struct Job {
  ModelArgument argument;
  Schedule schedule;  // of the remaining steps
  RunSettings settings;
  Beginning beginning;
};

Job new_job(const SimulateRequest& request) {
  Job job{model_from(request.run.model), {}, {}, {}};
  const Model& model = job.argument.model;
  job.schedule = schedule_of(request.run, request.every, model);
  job.settings.source = job.argument.text;
  job.settings.simulation = simulation_options_of(request.run, model);
  job.settings.limits = limits_of(request.run);
  job.settings.time = job.schedule.time;
  job.settings.every = request.every.empty() ? std::max(1LL, std::llround(1 / (frames_per_second * job.schedule.dt)))
                                             : job.schedule.every;
  job.beginning.state = start_of(request.run, model);
  return job;
}

// The rest of a recorded run, from the end of its last complete block.
Job resumed_job(const SimulateRequest& request) {
  const Recording recording = recording_from("--resume", request.resume);
  if (recording.end() == RunEnd::failed)
    throw UsageError(fmt::format("--resume {}: the run failed at {:g} s; there is nothing to resume", request.resume,
                                 recording.times().back()));
  if (recording.being_written())
    throw UsageError(fmt::format("--resume {}: is being written by another run", request.resume));
  if (!recording.settings().inputs)
    throw UsageError(
        fmt::format("--resume {}: its inputs changed from step to step and are not recorded", request.resume));
  Snapshot start, last;
  for (const auto& [frame, snapshot] : {std::pair{0LL, &start}, {recording.frames() - 1, &last}})
    if (const std::optional<Error> fault = recording.read(frame, *snapshot))
      throw UsageError("--resume " + fault->message);
  last.certificate.reason = "";  // the reason why the recorded run ended

  RunSettings settings = recording.settings();
  const double dt = settings.simulation.dt, reached = last.state.time;
  if (request.time_said)
    settings.time = number_from("--time", request.run.time, {0, std::numeric_limits<double>::max(), true});
  if (!request.every.empty()) settings.every = whole_number_from("--every", request.every, 1, 1'000'000'000'000);
  Schedule schedule = schedule_until(settings.time, dt);
  const bool all_whole = std::ranges::all_of(recording.step_sizes(), [&](double size) { return size == dt; });
  // Exactly the steps that an uninterrupted run would still take, if it began at time 0.
  if (all_whole && std::abs(double(last.step) * dt - reached) < 0.5 * dt + 1e-6 * reached)
    schedule.whole -= last.step;
  else if (settings.time > reached)
    schedule = schedule_until(settings.time - reached, dt);
  if (settings.time <= reached || schedule.whole < 0 || schedule.steps() == 0)
    throw UsageError(fmt::format("--resume {}: the run has reached {:g} s already; --time says how far it shall go",
                                 request.resume, reached));
  schedule.time = settings.time;
  ModelArgument argument{settings.source, recording.spec(), recording.model()};
  schedule.every = request.every.empty() ? row_spacing(schedule, argument.model) : settings.every;
  return {std::move(argument),
          schedule,
          std::move(settings),
          {std::move(last.state), last.step, last.certificate, start.energy, *recording.settings().inputs}};
}

RecordingWriter recording_for(const SimulateRequest& request, const Job& job) {
  const auto taken = [](Result<RecordingWriter> made, const char* option) {
    if (!made) throw UsageError(option + (" " + made.error().message));
    return std::move(made).value();
  };
  if (request.resume.empty())
    return taken(RecordingWriter::create(request.record, job.argument.spec, job.argument.model, job.settings),
                 "--record");
  if (request.record.empty())
    return taken(RecordingWriter::append(request.resume, job.argument.model, job.settings), "--resume");
  // The new file gets the whole run; the old one is not changed.
  if (const std::optional<Error> fault = copy_recording(request.resume, request.record))
    throw UsageError("--record " + fault->message);
  return taken(RecordingWriter::append(request.record, job.argument.model, job.settings), "--record");
}

void refuse_overwriting(const SimulateRequest& request) {
  const bool scene = request.run.model.starts_with('@');
  refuse_same_files({{"MODEL", scene ? "" : request.run.model}, {"--resume", request.resume}},
                    {{"--csv", request.csv},
                     {"--contacts", request.contacts},
                     {"--json", request.json},
                     {"--picture", request.picture},
                     {"--export", request.page},
                     {"--record", request.record}});
}

int verify(const SimulateRequest& request) {
  const Recording recording = recording_from("--verify", request.verify);
  Progress progress(!request.quiet);
  const Result<Replay> done = replay(recording, [&](double part) {
    if (progress.due()) progress.show(part, "repeating the run");
    return !interrupted();
  });
  progress.clear();
  if (!done) throw UsageError("--verify " + done.error().message);
  const Replay& r = done.value();
  if (interrupted()) return exit_failed;
  if (r.same) {
    if (!request.quiet)
      fmt::print("{}: {} frames, {:g} s, the same bits\n", printable(request.verify), r.frames,
                 recording.times().back());
    return exit_done;
  }
  const bool other = recording.version() != linchpin_version() || recording.build() != build_description();
  fmt::print(stderr,
             "linchpin: {}: differs from frame {} on, at {:.12g} s: {} is {} in the recording, and {} when repeated; "
             "{}\n",
             printable(request.verify), r.frame, r.time, printable(r.what), r.recorded, r.again,
             other ? fmt::format("it was written by linchpin {} ({}), and this is {} ({}), which may be why",
                                 recording.version(), recording.build(), linchpin_version(), build_description())
                   : "version and build are the same, so the cause is another processor or library, or a bug");
  return exit_failed;
}

}  // namespace

int simulate(const SimulateRequest& request) {
  // All errors of the request are found before the run starts.
  if (!request.verify.empty()) return verify(request);
  if (request.run.model.empty() && request.resume.empty())
    throw UsageError("MODEL is required (see linchpin simulate --help)");
  Job job = request.resume.empty() ? new_job(request) : resumed_job(request);
  const ModelArgument& argument = job.argument;
  const Model& model = argument.model;
  const Schedule& schedule = job.schedule;
  const SimulationOptions& options = job.settings.simulation;
  if ((request.csv == "-") + (request.json == "-") + (request.picture == "-") + (request.contacts == "-") > 1)
    throw UsageError("only one of --csv, --json, --contacts and --picture can be the standard output");
  if (request.record == "-") throw UsageError("--record: a recording cannot be the standard output");
  const bool records = !request.record.empty() || !request.resume.empty();
  if (!request.every.empty() && request.csv.empty() && request.json.empty() && request.contacts.empty() && !records)
    throw UsageError("--every says how often to write; it needs --record, --csv, --json or --contacts");
  if (!request.contacts.empty() && !has_contact(*options.stepper))
    throw UsageError(
        fmt::format("--contacts is for steppers with contact, but this run uses {}", to_string(*options.stepper)));
  if (!request.page.empty()) page_or_refuse();
  refuse_overwriting(request);
  OutputFile csv("--csv", request.csv), json("--json", request.json), svg("--picture", request.picture),
      contacts("--contacts", request.contacts), page("--export", request.page);
  std::FILE* const out = csv.is_standard_output() || json.is_standard_output() || svg.is_standard_output() ||
                                 contacts.is_standard_output() || page.is_standard_output()
                             ? stderr
                             : stdout;

  Audience audience{RowWriter(model, csv, bool(json)),
                    ContactWriter(model, contacts),
                    Strips(model, schedule.steps()),
                    std::nullopt,
                    std::nullopt,
                    job.settings.every,
                    Progress(!request.quiet)};
  if (svg) audience.picture.emplace(model);
  if (records) audience.recording.emplace(recording_for(request, job));
  if (page) {
    audience.page.emplace(model, options, argument.text);
    audience.page_every = page_spacing(double(schedule.steps()), model, schedule.dt);
  }
  const RunOutcome outcome =
      run_schedule(model, schedule, options, job.settings.limits, std::move(job.beginning), audience);

  csv.commit();
  contacts.commit();
  if (page) {
    std::optional<EarlyEnd> early;
    if (outcome.stopped) early = EarlyEnd{"interrupted", trouble(model, outcome)};
    page.write(page_with_recording(page_or_refuse(), audience.page->blob(outcome.certificate, early)));
    page.commit();
  }
  if (svg) {
    const Picture& picture = *audience.picture;
    svg.write(picture.svg(
        fmt::format("{}, {:g} s, {} exposures; the last one red", argument.text, outcome.time, picture.exposures())));
    svg.commit();
  }
  if (json)
    write_json({{"model", argument.text},
                {"degrees_of_freedom", model.nv()},
                {"stepper", to_string(*options.stepper)},
                {"method", to_string(options.contact.method)},
                {"dt", options.dt},
                {"seconds", outcome.seconds},
                {"real_time_factor", outcome.seconds > 0 ? Json(outcome.motion / outcome.seconds) : Json(nullptr)},
                {"position_names", position_names(model)},
                {"velocity_names", velocity_names(model)},
                {"reaction_names", reaction_names(model)},
                {"ignored", ignored(model, *options.stepper)},
                {"certificate", certificate_json(model, outcome)},
                {"rows", std::move(audience.rows.rows())}},
               json);
  if (!request.quiet) print_summary(argument, schedule, options, outcome, audience.strips, out);
  const std::string why = trouble(model, outcome);
  if (!why.empty() && request.quiet) fmt::print(stderr, "linchpin: {}\n", printable(why));
  if (!why.empty()) return exit_failed;
  if (const std::string loose = why_loosely(outcome.certificate); request.strict && !loose.empty()) {
    fmt::print(stderr, "linchpin: --strict: {}\n", loose);
    return exit_failed;
  }
  return exit_done;
}

void add_simulate(Command& command) {
  auto request = std::make_shared<SimulateRequest>();
  Verb verb = command.add_verb("simulate", "Step a model through time and certify the run");
  verb.add_option("MODEL", request->run.model, "A built-in scene, such as @pendulum:links=12, or a model (.json)")
      .type_name("");
  const Option time = verb.add_option("--time", request->run.time, "How long to simulate, s (5)").type_name("SECONDS");
  add_run_options(verb, request->run);
  verb.add_option("--csv", request->csv,
                  "Write time (s), positions q:, velocities v:, reactions of constraints r: (N, N m; the mean over\n"
                  "the row's step) and energies (J) to FILE; - is standard output")
      .type_name("FILE");
  verb.add_option(
          "--contacts", request->contacts,
          "Write every contact of the rows' steps to FILE (CSV): bodies, point (m), normal, gap (m), force on the\n"
          "first body (N), normal force, friction, state; - is standard output")
      .type_name("FILE");
  verb.add_option("--json", request->json, "Write certificate and rows to FILE; - is standard output")
      .type_name("FILE");
  verb.add_option("--picture", request->picture,
                  fmt::format("Draw the run to FILE (SVG): {} exposures seen from the side, x to the right, z up",
                              picture_exposures))
      .type_name("FILE");
  verb.add_option(
          "--record", request->record,
          "Record the run to FILE (HDF5, docs/recordings.md) as it goes: model, settings, states, contacts with\n"
          "forces, certificates, energies. Replaces an older recording, but no file of another kind")
      .type_name("FILE");
  verb.add_option(
          "--resume", request->resume,
          "Continue a recorded run (up to its own --time, or this one) from the end of its last complete block, bit\n"
          "for bit as if it had not stopped, and append to RECORDING; with --record FILE, to a copy of it")
      .type_name("RECORDING");
  verb.add_option("--verify", request->verify,
                  "Repeat a recorded run and compare every frame bit for bit; exit status 1 if they differ")
      .type_name("RECORDING");
  verb.add_option(
          "--every", request->every,
          "Steps between rows of --csv and --json (default: at most 1000 rows), and between frames of --record\n"
          "(default: 60 per simulated second)")
      .type_name("N");
  verb.add_flag("--strict", request->strict,
                "Exit status 1 also if the run passes loosely: a contact problem was not solved to --tolerance,\n"
                "a step had too many impacts, or event_driven handed a step over to time_stepping");
  verb.add_flag("--quiet", request->quiet, "Print nothing but errors");
  verb.footer(
      "All steppers simulate gravity, springs, damping, actuators (with the model's own controls), loops, couplings\n"
      "and prescribed motion. time_stepping, trapezoidal, position_level, higher_order and event_driven add contact\n"
      "with friction and impact, joint limits and dry friction (docs/steppers.md: which one when); the other steppers\n"
      "ignore those, and the summary and --json list what was ignored. Stiff servos need time_stepping, which\n"
      "evaluates them implicitly, or a short dt; taut or very stiff springs between bodies, dampers of free and ball\n"
      "joints, and bodies that turn by radians within dt need trapezoidal. event_driven takes no velocity limits.\n"
      "Joints start at zero, at rest. The coordinates of a joint with several are numbered from 0: a ball joint has\n"
      "the quaternion w x y z, a free joint the quaternion and then the position x y z. If the model has constraints,\n"
      "the start is assembled: joints given by --position or --velocity keep their values (except ball and free\n"
      "joints), all others are adjusted.\n\n"
      "The certificate says whether every step succeeded with finite numbers, how deep shapes penetrated, and how far\n"
      "the energy is from balance. It is PASSED, PASSED LOOSELY (some contact problems were solved to 1e-6 only, not\n"
      "to --tolerance, or time_stepping took steps that event_driven could not) or FAILED. A run that diverges stops\n"
      "with time, body and reason; files written up to then are complete. Exit status 1 if the certificate fails,\n"
      "with --strict also if it passes loosely.\n\n"
      "Examples:\n"
      "  linchpin simulate @pendulum:links=12 --position hinge_1=-0.785 --velocity hinge_1=1 --picture swing.svg\n"
      "  linchpin simulate @humanoid --seed 1 --time 2 --stepper dormand_prince --dt 0.01\n"
      "  linchpin simulate @top --position pivot.1=0.1 --velocity pivot.2=30 --csv top.csv --every 10\n"
      "  linchpin simulate @four_bar --velocity pivot_0=1 --time 10\n"
      "  linchpin simulate @chain:links=100 --energy-tolerance 1e-9 --json run.json --quiet\n"
      "  linchpin simulate @stack --time 2 --record run.h5 && linchpin simulate --resume run.h5 --time 4\n"
      "  linchpin simulate --verify run.h5");
  verb.on_call([request, verb, time] {
    request->time_said = time.given();
    if (!request->verify.empty()) refuse_others(verb, "--verify", {"--quiet"});
    if (!request->resume.empty())
      refuse_others(
          verb, "--resume",
          {"--time", "--record", "--every", "--csv", "--contacts", "--json", "--picture", "--strict", "--quiet"});
    return simulate(*request);
  });
}

}  // namespace linchpin
