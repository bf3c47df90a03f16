// Suite `steppers`: work and precision of every stepper on ten scenes (stepper_scenes.h).
//
// Each stepper runs each scene with several dt (adaptive ones: tolerances). Its error is the largest difference of a
// position coordinate (m, rad) at the end from the referee, a run of event_driven near its tightest tolerance. Where
// that one does not come through, the referee is time_stepping with a 64th of the shortest dt of the others. The tables
// show the error at equal cost, interpolated: at the cost of time_stepping with dt / 4; the order (the slope from the
// longest to the shortest dt); and energy defect, drift, penetration and cost at dt / 4. Drift is the distance of the
// centre of mass of all bodies from that of the referee. Smooth steppers run the scenes in which nothing that they
// ignore acts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bench/stepper_scenes.h"
#include "bench/suite.h"
#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/sim/certificate.h"

namespace linchpin {
namespace {

constexpr const char* stepper_suite = "steppers";
constexpr int compared = 2;  // the run that is compared: dt / 4

struct StepperRun {
  double dt = 0, seconds = 0;  // of processor time for the scene, the smallest of several
  double error = std::numeric_limits<double>::quiet_NaN();
  double defect = 0, drift = 0, penetration = 0;
  std::string failure;
};

struct Contender {
  Stepper stepper;
  std::vector<StepperRun> runs;
};

struct Ended {
  State state;
  StepperRun run;
};

bool is_adaptive(Stepper stepper) { return stepper == Stepper::dormand_prince || stepper == Stepper::event_driven; }

Ended run_scene(const Model& model, const StepperScene& scene, const SimulationOptions& options, int times) {
  State start = make_state(model);
  if (!scene.q.empty()) start.q = scene.q;
  if (!scene.v.empty()) start.v = scene.v;
  const long steps = std::lround(scene.time / options.dt);
  Ended ended{start, {.dt = options.dt, .seconds = std::numeric_limits<double>::infinity()}};
  for (int round = 0; round < times; ++round) {
    Simulation simulation(model, options);
    State state = start;
    const double begin = thread_seconds();
    for (long i = 0; i < steps; ++i) {
      const StepReport report = simulation.step(state);
      if (report.ok()) continue;
      ended.run.failure = report.reason;
      return ended;
    }
    ended.run.seconds = std::min(ended.run.seconds, thread_seconds() - begin);
  }
  // Once more, followed by a monitor, which costs time.
  Simulation simulation(model, options);
  RunMonitor monitor(model);
  State state = start;
  monitor.start(state);
  for (long i = 0; i < steps; ++i) {
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
  }
  ended.state = state;
  ended.run.defect = monitor.certificate().energy.relative_defect();
  ended.run.penetration = monitor.certificate().penetration;
  return ended;
}

Vec3<double> centre_of(const Model& model, const State& state) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  return centre_of_mass(model, kin, vel).position;
}

SimulationOptions options_of(Stepper stepper, const StepperScene& scene, int k) {
  SimulationOptions options{.stepper = stepper, .dt = scene.dt};
  if (is_adaptive(stepper)) {
    options.relative_tolerance = 1e-4 * std::pow(10.0, -2 * k);
    options.absolute_tolerance = 1e-2 * options.relative_tolerance;
  } else {
    options.dt = scene.dt / (1 << k);
  }
  return options;
}

constexpr double rounding = 1e-14;  // of errors

// The error at this cost: on the line between the two runs around it in logarithms, or that of the nearest run.
double error_at(const std::vector<StepperRun>& runs, double seconds) {
  const StepperRun *below = nullptr, *above = nullptr;
  for (const StepperRun& run : runs) {
    if (!run.failure.empty()) continue;
    if (run.seconds <= seconds && (!below || run.seconds > below->seconds)) below = &run;
    if (run.seconds >= seconds && (!above || run.seconds < above->seconds)) above = &run;
  }
  if (!below || !above) return below ? below->error : above ? above->error : std::nan("");
  if (below == above || !(below->error > rounding && above->error > rounding))
    return std::min(below->error, above->error);
  const double part = std::log(seconds / below->seconds) / std::log(above->seconds / below->seconds);
  return below->error * std::pow(above->error / below->error, part);
}

// The slope from the first run to the last whose errors are above rounding; nothing where there are not two.
std::optional<double> order_in(const Contender& c) {
  constexpr double least = 1e-12;  // smaller errors have no order
  const StepperRun *first = nullptr, *last = nullptr;
  for (const StepperRun& run : c.runs) {
    if (!run.failure.empty() || !(run.error > least)) continue;
    if (!first) first = &run;
    last = &run;
  }
  if (first == last || is_adaptive(c.stepper)) return {};
  return std::log(first->error / last->error) / std::log(first->dt / last->dt);
}

class Steppers {
 public:
  Steppers(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {}
  BenchReport run();

 private:
  bool run_scene_with_all(const StepperScene& scene, double from, double share);
  State referee(const Model& model, const StepperScene& scene, int runs);
  void add_rows(const StepperScene& scene, const Model& model, const std::vector<Contender>& all);
  void add_plot(const StepperScene& scene, const std::vector<Contender>& all);

  BenchOptions options_;
  BenchProgress progress_;
  BenchReport report_;
  std::vector<Stepper> steppers_;
};

State Steppers::referee(const Model& model, const StepperScene& scene, int runs) {
  SimulationOptions tight{.stepper = Stepper::event_driven, .dt = scene.dt};
  tight.relative_tolerance = 1e-12;
  tight.absolute_tolerance = 1e-13;
  const Ended exact = run_scene(model, scene, tight, 1);
  const SimulationOptions fine{.stepper = Stepper::time_stepping, .dt = scene.dt / (64 << (runs - 1))};
  const Ended other = run_scene(model, scene, fine, 1);
  if (!exact.run.failure.empty()) {
    report_.notes.push_back(scene.name + ": the referee is time_stepping; event_driven: " + exact.run.failure);
    return other.state;
  }
  report_.notes.push_back(text("%s: event_driven and time_stepping at dt / %d differ by %.1e", scene.name.c_str(),
                               64 << (runs - 1), error_of(model, other.state, exact.state)));
  return exact.state;
}

void Steppers::add_rows(const StepperScene& scene, const Model& model, const std::vector<Contender>& all) {
  const auto ours = std::ranges::find(all, Stepper::time_stepping, &Contender::stepper);
  const double budget = ours->runs[compared].seconds;
  std::vector<std::string> error{scene.name}, order{scene.name}, defect{scene.name}, drift{scene.name},
      depth{scene.name}, cost{scene.name};
  for (const Stepper stepper : steppers_) {
    const auto c = std::ranges::find(all, stepper, &Contender::stepper);
    if (c == all.end()) {
      for (auto* line : {&error, &order, &defect, &drift, &depth, &cost}) line->push_back("-");
      continue;
    }
    const StepperRun& at = c->runs[compared];
    const std::optional<double> slope = order_in(*c);
    const double per_ms = 1e6 * at.seconds / (1e3 * scene.time);
    const bool failed = !at.failure.empty();
    error.push_back(failed ? "failed" : text("%.1e", error_at(c->runs, budget)));
    order.push_back(slope ? text("%.1f", *slope) : "-");
    defect.push_back(failed ? "failed" : text("%.1e", at.defect));
    drift.push_back(failed ? "failed" : text("%.0e", at.drift));
    depth.push_back(failed ? "failed" : text("%.0e", at.penetration));
    cost.push_back(failed ? "failed" : rounded(per_ms));
    for (const StepperRun& run : c->runs) {
      BenchRow row{.suite = stepper_suite, .bench_case = scene.name, .size = model.nv(), .who = "linchpin"};
      row.scalar = std::string(to_string(stepper)) + text(", dt %g s", run.dt);
      row.metric = "error";
      row.unit = "m or rad";
      if (run.failure.empty())
        row.value = run.error;
      else
        row.reason = "not reached: " + run.failure;
      report_.rows.push_back(row);
      if (!row.value) continue;
      row.metric = "cost per simulated ms";
      row.unit = "us";
      row.value = 1e6 * run.seconds / (1e3 * scene.time);
      report_.rows.push_back(row);
    }
  }
  const std::vector<std::string>* lines[] = {&error, &order, &defect, &drift, &depth, &cost};
  for (std::size_t i = 0; i < std::size(lines); ++i) report_.tables[i].rows.push_back(*lines[i]);
}

void Steppers::add_plot(const StepperScene& scene, const std::vector<Contender>& all) {
  BenchPlot plot{
      "Work and precision: " + scene.name + " (" + scene.what + ")", "us per simulated ms", "error, m or rad", {}};
  for (const Contender& c : all) {
    plot.series.push_back({std::string(to_string(c.stepper)), {}});
    for (const StepperRun& run : c.runs)
      if (run.failure.empty())
        plot.series.back().points.emplace_back(1e6 * run.seconds / (1e3 * scene.time), run.error);
  }
  report_.plots.push_back(std::move(plot));
}

bool Steppers::run_scene_with_all(const StepperScene& scene, double from, double share) {
  const int runs = options_.quick ? 3 : 5, times = options_.quick ? 1 : 5;
  const Model model = compile(scene.spec).value();
  if (!progress_(from, scene.name + ": referee")) return false;
  const State truth = referee(model, scene, runs);
  std::vector<Contender> all;
  for (const Stepper stepper : steppers_) {
    if (!scene.smooth && !has_contact(stepper)) continue;
    if (!progress_(from + share * (1.0 + double(all.size())) / (1.0 + double(steppers_.size())),
                   scene.name + ": " + std::string(to_string(stepper))))
      return false;
    all.push_back({stepper, {}});
    for (int k = 0; k < runs; ++k) {
      Ended ended = run_scene(model, scene, options_of(stepper, scene, k), times);
      if (ended.run.failure.empty()) {
        ended.run.error = error_of(model, ended.state, truth);
        ended.run.drift = norm(centre_of(model, ended.state) - centre_of(model, truth));
      }
      all.back().runs.push_back(ended.run);
    }
  }
  add_rows(scene, model, all);
  add_plot(scene, all);
  return true;
}

BenchReport Steppers::run() {
  for (int i = 0; i < stepper_count; ++i) steppers_.push_back(Stepper(i));
  std::vector<std::string> columns{"scene"};
  for (const Stepper stepper : steppers_) columns.emplace_back(to_string(stepper));
  const std::string align = "l" + std::string(steppers_.size(), 'r');
  for (const char* title :
       {"Error at the cost of time_stepping with dt / 4, m or rad", "Order: slope of the error over dt",
        "Relative energy defect at dt / 4", "Drift of the centre of mass at dt / 4, m", "Penetration at dt / 4, m",
        "Cost at dt / 4, us of processor time per simulated ms"})
    report_.tables.push_back({title, align, columns, {}});
  std::vector<StepperScene> scenes = stepper_scenes();
  // The referee needs seconds for it.
  if (options_.quick) std::erase_if(scenes, [](const StepperScene& scene) { return scene.name == "humanoid"; });
  for (std::size_t i = 0; i < scenes.size(); ++i)
    if (!run_scene_with_all(scenes[i], double(i) / double(scenes.size()), 1 / double(scenes.size()))) break;
  return std::move(report_);
}

}  // namespace

BenchReport bench_steppers(const BenchOptions& options, const BenchProgress& progress) {
  pin_to_one_core();
  return Steppers(options, progress).run();
}

}  // namespace linchpin
