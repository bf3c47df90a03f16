// hybrid/figure8: 002 Figure 8 (a) to (d), three rods that fall on a frictionless floor with their ends: the drift of
// their centre of mass and the penetration, by the steppers of 002 s.4.1; the same in space.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/picture.h"
#include "apps/reproduce/falling_chain_run.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

constexpr double paper_floor = -1e-5;  // m: g_N epsilon of the paper

enum Panel { euler, plain, velocity_level, floored, ours, panels };

std::vector<ChainRun> run_panels(const Model& model, double time, const ReproduceProgress& progress, double from) {
  const auto higher_order = [](double floor) {
    return SimulationOptions{.stepper = Stepper::higher_order, .dt = falling_chain_dt, .contact = {.gap_floor = floor}};
  };
  const std::pair<const char*, SimulationOptions> which[panels] = {
      {"(a) Euler", {.stepper = Stepper::position_level, .dt = falling_chain_dt}},
      {"(b) Runge-Kutta", higher_order(-unlimited)},
      {"(c) Runge-Kutta, g_N = 0", higher_order(0)},
      {"(d) Runge-Kutta, g_N epsilon = -1e-5", higher_order(paper_floor)},
      {"time_stepping", {.stepper = Stepper::time_stepping, .dt = falling_chain_dt}}};
  std::vector<ChainRun> runs;
  for (const auto& [name, options] : which) {
    if (!progress(from + 0.5 * double(runs.size()) / panels, name)) return {};
    runs.push_back(run_falling_chain(name, model, options, time));
  }
  return runs;
}

// After the first end has landed and before the second one does.
struct Landing {
  double impact = 0;   // m: deepest penetration within 10 steps
  double settled = 0;  // m: deepest in the last tenth of the time until the second end lands
  double bounce = 0;   // m/s: the largest speed away from the floor within 100 steps
  double speed = 0;    // m/s: of approach
};
Landing landing_of(const ChainRun& run) {
  const Touchdown touch = touchdown_of(run);
  Landing found;
  if (touch.first >= run.samples.size()) return found;
  found.speed = -first_speed(run, touch, touch.first - 1);
  const std::size_t end = std::min(touch.second, run.samples.size());
  for (std::size_t i = touch.first; i < end; ++i) {
    const double depth = -first_gap(run, touch, i);
    if (i < touch.first + 10) found.impact = larger(found.impact, depth);
    if (i >= end - (end - touch.first) / 10) found.settled = larger(found.settled, depth);
    if (i < touch.first + 100) found.bounce = larger(found.bounce, first_speed(run, touch, i));
  }
  return found;
}

Plot drift_plot(const std::vector<ChainRun>& runs, const std::string& title) {
  Plot plot{.title = title, .x_label = "s", .y_label = "|drift|, m", .log_y = true};
  for (const ChainRun& run : runs) {
    plot.series.push_back({run.name, {}, true, false});
    for (const ChainSample& s : run.samples) plot.series.back().points.emplace_back(s.time, std::abs(s.drift));
  }
  return plot;
}

Plot gap_plot(const std::vector<ChainRun>& runs, double from, double to) {
  Plot plot{.title = "Figure 8: gap of the end that lands first", .x_label = "s", .y_label = "m"};
  for (const ChainRun& run : runs) {
    const Touchdown touch = touchdown_of(run);
    plot.series.push_back({run.name, {}, true, false});
    for (std::size_t i = 0; i < run.samples.size(); ++i)
      if (run.samples[i].time >= from && run.samples[i].time <= to)
        plot.series.back().points.emplace_back(run.samples[i].time, first_gap(run, touch, i));
  }
  return plot;
}

Table table_of(const std::vector<ChainRun>& runs, const std::string& title) {
  Table table{title,
              "lrrrrrr",
              {"stepper", "drift, m", "depth at the first impact, m", "depth before the second, m", "rebound, m/s",
               "energy pushed in, J", "energy defect"}};
  for (const ChainRun& run : runs) {
    const Landing l = landing_of(run);
    table.rows.push_back({run.name, fmt::format("{:.1e}", largest_drift(run)), fmt::format("{:.1e}", l.impact),
                          fmt::format("{:.1e}", l.settled), fmt::format("{:.3f}", l.bounce),
                          fmt::format("{:.1e}", run.certificate.pushed_out),
                          fmt::format("{:.1e}", run.certificate.energy.relative_defect())});
  }
  return table;
}

Drawing frames_of(const Model& model, double time) {
  Picture picture(model);
  std::vector<std::string> captions;
  Simulation simulation(model, {.stepper = Stepper::time_stepping, .dt = falling_chain_dt});
  State state = make_state(model);
  constexpr int count = 8;
  for (int i = 0; i < count; ++i) {
    while (state.time < time * i / (count - 1) - 0.5 * falling_chain_dt)
      if (!simulation.step(state).ok()) break;
    picture.expose(state);
    captions.push_back(fmt::format("t = {:.2f} s", state.time));
  }
  return {picture.panels(captions, 4), "From the side. Only the two ends touch the floor, as in the paper."};
}

}  // namespace

Reproduction reproduce_hybrid_figure8(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const double time = options.quick ? 1 : 1.5;
  const Model planar = compile(scene("@falling_chain").value()).value();
  const Model spatial = compile(scene("@falling_chain:spatial=1").value()).value();
  const std::vector<ChainRun> runs = run_panels(planar, time, progress, 0);
  const std::vector<ChainRun> in_space = run_panels(spatial, time, progress, 0.5);
  if (runs.empty() || in_space.empty()) return {};
  Landing at[panels];
  double drift[panels];
  for (int i = 0; i < panels; ++i) {
    at[i] = landing_of(runs[i]);
    drift[i] = largest_drift(runs[i]);
  }
  const double gain = drift[euler] / larger(larger(drift[plain], drift[velocity_level]), drift[floored]);
  const double space_gain = largest_drift(in_space[euler]) / largest_drift(in_space[floored]);
  const double first =
      runs[euler].samples[std::min(touchdown_of(runs[euler]).first, runs[euler].samples.size() - 1)].time;

  Reproduction result;
  result.claims = {
      {"(a): Euler's method makes the centre of mass drift", "\"a significant drift\"",
       fmt::format("{:.1e} m in {:g} s", drift[euler], time), drift[euler] > 1e-4},
      {"(a): its penetration is small", "\"O(10^-5), which is acceptable\"",
       fmt::format("{:.0e} m at the first impact, at {:.1f} m/s", at[euler].impact, at[euler].speed),
       at[euler].impact < 5e-5},
      {"(b), (c), (d): Runge-Kutta's drift is smaller by four orders", "\"a factor of O(10^4)\"",
       fmt::format("{:.0e}, {:.0e}, {:.0e} m: at least {:.0e} times smaller", drift[plain], drift[velocity_level],
                   drift[floored], gain),
       gain > 1e3},
      {"(b): the inelastic contact bounces", "\"an unexpected bounce\"",
       fmt::format("away from the floor at {:.2f} m/s after an approach at {:.2f} m/s", at[plain].bounce,
                   at[plain].speed),
       at[plain].bounce > 0.5},
      {"(c): at the velocity level it does not", "\"the bounce seen previously disappears\"",
       fmt::format("{:.0e} m/s at most", at[velocity_level].bounce), at[velocity_level].bounce < 0.02},
      {"(c): penetration is two orders above (a)", "\"two orders of magnitude higher\"",
       fmt::format("{:.0e} m against {:.0e} m", at[velocity_level].impact, at[euler].impact),
       at[velocity_level].impact > 50 * at[euler].impact},
      {"(d): with g_N epsilon it comes back by two orders, without a bounce",
       "\"reduced by two orders of magnitude\", g_N epsilon = -1e-5",
       fmt::format("from {:.0e} m at the impact to {:.0e} m before the next one ((c): {:.0e} m); rebound {:.0e} m/s",
                   at[floored].impact, at[floored].settled, at[velocity_level].settled, at[floored].bounce),
       at[floored].settled < 0.02 * at[floored].impact && at[floored].bounce < 0.1},
      {"g_N epsilon < 0 adds energy", "\"equivalent to adding a small amount of energy\"",
       fmt::format("{:.1e} J against {:.1e} J with g_N = 0, and {:.1e} J without a bound",
                   runs[floored].certificate.pushed_out, runs[velocity_level].certificate.pushed_out,
                   runs[plain].certificate.pushed_out),
       runs[floored].certificate.pushed_out > 0 &&
           runs[floored].certificate.pushed_out < runs[plain].certificate.pushed_out},
      {"in space Euler's drift is an order larger", "\"magnified by an order of magnitude for a 3D system\" [9]",
       fmt::format("{:.1e} m against {:.1e} m in the plane; Runge-Kutta is {:.0e} times better",
                   largest_drift(in_space[euler]), drift[euler], space_gain),
       largest_drift(in_space[euler]) > drift[euler] && space_gain > 1e3},
      {"time_stepping has neither drift nor depth", "-",
       fmt::format("drift {:.0e} m, depth {:.0e} m at the impact, rebound {:.0e} m/s", drift[ours], at[ours].impact,
                   at[ours].bounce),
       at[ours].impact < 1e-6 && at[ours].bounce < 1e-3},
  };
  result.account = {
      Paragraph{fmt::format(
          "@falling_chain: three rods of 1 m and 1 kg, hinged in a line at -pi/6, the first one's centre at (0, 2.3), "
          "at rest; P and Q, the two ends, touch the line y = 0 without friction or restitution. Coordinates as in the "
          "paper: x and y of the first centre, its angle, two relative angles. dt = 1 ms. In space: a free joint and "
          "two ball joints, each rod turned by 20 degrees from the one before. The first end lands at {:.3f} s.",
          first)},
      frames_of(planar, time),
      drift_plot(runs, "Figure 8: drift of the centre of mass along x"),
      gap_plot(runs, first - 0.02, first + 0.2),
      table_of(runs, "In the plane"),
      table_of(in_space, "In space"),
  };
  return result;
}

}  // namespace linchpin
