// hybrid/dissipation: what 002 s.4.1 says of friction. Polyhedral friction dissipates less than the cone, and the more
// directions it has, the less is missing; with the contact forces of a complementarity problem and a higher-order
// integrator, friction is no longer guaranteed to dissipate.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>

#include <fmt/format.h>

#include "apps/reproduce/falling_chain_run.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

// ---- directions -----------------------------------------------------------------------------------------------------

// A box slides over a floor at 1 m/s, at `heading` to the first direction: the energy that friction takes in a step.
double loss_of_sliding(const Model& model, Simulation& simulation, double heading) {
  State state = make_state(model);
  state.v[3] = std::cos(heading);
  state.v[4] = std::sin(heading);
  const StepReport report = simulation.step(state);
  return report.ok() ? report.contact_loss : std::nan("");
}

struct Directions {
  int count;                   // 0: the cone
  double least = 1, mean = 0;  // of the cone's dissipation, over all headings
};

Directions dissipation_with(const Model& model, int count, int headings) {
  Directions found{.count = count};
  const auto options = [](int directions) {
    return SimulationOptions{
        .stepper = Stepper::position_level, .dt = falling_chain_dt, .contact = {.directions = directions}};
  };
  Simulation cone(model, options(0)), polyhedral(model, options(count));
  for (int i = 0; i < headings; ++i) {
    const double heading = 2 * std::numbers::pi * i / headings;
    const double share = loss_of_sliding(model, polyhedral, heading) / loss_of_sliding(model, cone, heading);
    found.least = smaller(found.least, share);
    found.mean += share / headings;
  }
  return found;
}

// ---- higher order ---------------------------------------------------------------------------------------------------

Model rough_chain(double mu) {
  ModelSpec spec = scene("@falling_chain").value();
  for (GeometrySpec& g : spec.world_geometry) g.material.friction = {mu, mu};
  for (BodySpec& body : spec.bodies)
    for (GeometrySpec& g : body.geometry) g.material.friction = {mu, mu};
  return compile(spec).value();
}

struct FrictionRun {
  std::string name;
  double lost = 0;     // J: by all contacts
  double given = 0;    // J: by friction, in the steps and contacts where it gave energy
  double created = 0;  // J: by contacts and impacts in the steps where they gave energy
  double worst = 0;    // the largest F . u+ of a friction force F and the sliding velocity at the end of its step, W
  double defect = 0;
  bool done = true;
};

// u+ of the point of body `body` that is at `point` now.
double sliding_power(const Model& model, const Kinematics<double>& kin, const Velocities& vel, const ContactReport& c) {
  const int body = c.body_a != 0 ? c.body_a : c.body_b;
  const double side = c.body_a != 0 ? 1 : -1;
  const Transform<double> X = body_pose(model, kin, body);
  const Vec3<double> friction = side * (c.force - dot(c.force, c.normal) * c.normal);
  return dot(friction, point_velocity(model, kin, vel, body, transpose_times(X.R, c.point - X.p)).v);
}

FrictionRun run_rough_chain(const std::string& name, const Model& model, const SimulationOptions& options,
                            double time) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  Simulation simulation(model, options);
  RunMonitor monitor(model);
  State state = make_state(model);
  monitor.start(state);
  FrictionRun run{.name = name};
  for (long i = std::lround(time / options.dt); i > 0 && run.done; --i) {
    // The poses at which the problem was posed, and the velocities after it.
    kinematics<double>(plan, state.q, kin);
    const StepReport report = simulation.step(state);
    monitor.add(state, report);
    run.done = report.ok();
    velocities(model, kin, state.v, vel);
    for (const ContactReport& c : simulation.contacts())
      run.worst = larger(run.worst, sliding_power(model, kin, vel, c));
  }
  const Certificate& c = monitor.certificate();
  run.lost = c.contact_loss + c.impact_loss;
  run.given = c.friction_gain;
  run.created = c.energy.created;
  run.defect = c.energy.relative_defect();
  return run;
}

Table directions_table(const std::vector<Directions>& all) {
  Table table{"Dissipation of polyhedral friction, as a part of the cone's",
              "rrrr",
              {"directions", "least", "cos(pi / directions)", "mean"}};
  for (const Directions& d : all)
    table.rows.push_back({std::to_string(d.count), fmt::format("{:.6f}", d.least),
                          fmt::format("{:.6f}", std::cos(std::numbers::pi / d.count)), fmt::format("{:.6f}", d.mean)});
  return table;
}

// F . u+ says nothing about time_stepping: it poses friction against the mean of u and u+.
Table friction_table(const FrictionRun& euler, const FrictionRun& higher, const FrictionRun& ours) {
  Table table{"Three rods fall on a floor with mu = 0.5",
              "lrrrrr",
              {"stepper", "lost in contact, J", "given by friction, J", "largest F . u+, W", "created in contact, J",
               "energy defect"}};
  for (const FrictionRun* r : {&euler, &higher, &ours})
    table.rows.push_back({r->name, fmt::format("{:.2f}", r->lost), r == &higher ? fmt::format("{:.1e}", r->given) : "-",
                          r == &ours ? "-" : fmt::format("{:.1e}", r->worst), fmt::format("{:.1e}", r->created),
                          fmt::format("{:.1e}", r->defect)});
  return table;
}

}  // namespace

Reproduction reproduce_hybrid_dissipation([[maybe_unused]] const ReproduceOptions& options,
                                          const ReproduceProgress& progress) {
  constexpr int headings = 1440;  // every quarter of a degree
  const Model box = compile(scene("@slope:angle=0").value()).value();
  std::vector<Directions> directions;
  for (const int count : {4, 6, 8, 16, 32, 64}) {
    if (!progress(0.1 * double(directions.size()), fmt::format("{} directions", count))) return {};
    directions.push_back(dissipation_with(box, count, headings));
  }
  double off = 0;
  for (const Directions& d : directions) off = larger(off, std::abs(d.least - std::cos(std::numbers::pi / d.count)));
  const bool grows = std::ranges::is_sorted(directions, std::ranges::less{}, &Directions::mean);

  const Model chain = rough_chain(0.5);
  std::vector<FrictionRun> runs;
  const std::pair<const char*, SimulationOptions> which[] = {
      {"position_level", {.stepper = Stepper::position_level, .dt = falling_chain_dt}},
      {"higher_order, order 4", {.stepper = Stepper::higher_order, .dt = falling_chain_dt}},
      {"time_stepping", {.stepper = Stepper::time_stepping, .dt = falling_chain_dt}}};
  for (const auto& [name, of_run] : which) {
    if (!progress(0.6 + 0.1 * double(runs.size()), name)) return {};
    runs.push_back(run_rough_chain(name, chain, of_run, 1.5));
  }
  const FrictionRun &euler = runs[0], &higher = runs[1], &ours = runs[2];

  Reproduction result;
  result.claims = {
      {"polyhedral friction approaches the maximum of dissipation",
       "\"it is possible to get closer to the theoretical maximum dissipation by selecting a sufficiently large number "
       "of "
       "direction vectors\"",
       fmt::format("{:.1f} % of the cone's with 4 directions at worst, {:.2f} % with 64",
                   100 * directions.front().least, 100 * directions.back().least),
       grows && directions.back().least > 0.998},
      {"what is missing at worst is 1 - cos(pi / directions)", "-", fmt::format("within {:.0e}", off), off < 1e-3},
      {"with first-order integration friction dissipates",
       "\"it is possible to prove that the frictional force ... achieves maximum dissipation as long as a first order "
       "integration is employed\"",
       fmt::format("F . u+ is at most {:.0e} W, rounding", euler.worst), euler.done && euler.worst < 1e-6},
      {"with higher order it is not guaranteed", "\"no longer guaranteed to be dissipative\"",
       fmt::format("friction gives {:.1e} J in single steps, and F . u+ is up to {:.1e} W", higher.given, higher.worst),
       higher.done && higher.given > 0 && higher.worst > 1e-3},
      {"time_stepping dissipates, at second order", "-",
       fmt::format(
           "contacts create {:.0e} J of {:.0f} J lost; the energy defect is {:.0e}, that of position_level {:.0e}",
           ours.created, ours.lost, ours.defect, euler.defect),
       ours.done && ours.defect < euler.defect && ours.created < 1e-3 * ours.lost},
  };
  Plot plot{.title = "Dissipation that polyhedral friction misses",
            .x_label = "directions",
            .y_label = "part of the cone's dissipation",
            .log_x = true,
            .log_y = true,
            .series = {{"at worst", {}}, {"mean", {}}, {"1 - cos(pi / directions)", {}, true, false}}};
  for (const Directions& d : directions) {
    plot.series[0].points.emplace_back(d.count, 1 - d.least);
    plot.series[1].points.emplace_back(d.count, 1 - d.mean);
    plot.series[2].points.emplace_back(d.count, 1 - std::cos(std::numbers::pi / d.count));
  }
  result.account = {
      Paragraph{
          fmt::format("A box slides over a level floor at 1 m/s, in {} directions; the energy that friction takes in "
                      "a step of 1 ms, relative to the friction cone.",
                      headings)},
      directions_table(directions),
      plot,
      Paragraph{
          "@falling_chain with friction of 0.5 for 1.5 s, dt = 1 ms. A friction force F of the complementarity "
          "problem opposes the sliding velocity u+ at the end of an Euler step: F . u+ <= 0. A Runge-Kutta method "
          "ends the step with another velocity. time_stepping poses friction against the mean of u and u+."},
      friction_table(euler, higher, ours),
  };
  return result;
}

}  // namespace linchpin
