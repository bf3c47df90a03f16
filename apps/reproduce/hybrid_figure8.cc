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
      {"(c) the same, g_N = 0", higher_order(0)},
      {"(d) the same, -1e-5", higher_order(paper_floor)},
      {"time_stepping", {.stepper = Stepper::time_stepping, .dt = falling_chain_dt}}};
  std::vector<ChainRun> runs;
  for (const auto& [name, options] : which) {
    if (!progress(from + 0.5 * double(runs.size()) / double(panels), name)) return {};
    runs.push_back(run_falling_chain(name, model, options, time));
  }
  return runs;
}

// What the first impact leaves behind.
struct Landing {
  double speed = 0;    // m/s: of approach
  double rebound = 0;  // m/s: the largest speed away from the floor within 20 ms
  double impact = 0;   // m: the deepest penetration within 10 ms
  double settled = 0;  // m: the largest distance from the floor, 90 to 130 ms after the impact
  double later = 0;    // m: the deepest penetration from then until the other end lands
};
Landing landing_of(const ChainRun& run) {
  const Touchdown touch = touchdown_of(run);
  Landing found;
  if (touch.first >= run.samples.size()) return found;
  found.speed = -first_speed(run, touch, touch.first - 1);
  const std::size_t end = std::min(touch.second, run.samples.size());
  for (std::size_t i = touch.first; i < end; ++i) {
    const std::size_t after = i - touch.first;
    const double gap = first_gap(run, touch, i);
    if (after < 20) found.rebound = larger(found.rebound, first_speed(run, touch, i));
    if (after < 10) found.impact = larger(found.impact, -gap);
    if (after >= 90 && after < 130) found.settled = larger(found.settled, std::abs(gap));
    if (after >= 130) found.later = larger(found.later, -gap);
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
              {"stepper", "drift, m", "depth at the impact, m", "distance 0.1 s later, m", "depth from then on, m",
               "rebound, m/s", "pushed in, J"}};
  for (const ChainRun& run : runs) {
    const Landing l = landing_of(run);
    table.rows.push_back({run.name, fmt::format("{:.1e}", largest_drift(run)), fmt::format("{:.1e}", l.impact),
                          fmt::format("{:.1e}", l.settled), fmt::format("{:.1e}", l.later),
                          fmt::format("{:.3f}", l.rebound), fmt::format("{:.1e}", run.certificate.pushed_out)});
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
  // After the first impact and before the second, the energy that pushes the ends out.
  constexpr double after = 0.6;  // s
  const std::vector<ChainRun> until = run_panels(planar, after, progress, 0.5);
  if (until.empty()) return {};
  double pushed[panels];
  for (int i = 0; i < panels; ++i) pushed[i] = until[i].certificate.pushed_out;
  const double gain = drift[euler] / larger(larger(drift[plain], drift[velocity_level]), drift[floored]);
  const double space_gain = largest_drift(in_space[euler]) / largest_drift(in_space[floored]);
  const double first =
      runs[euler].samples[std::min(touchdown_of(runs[euler]).first, runs[euler].samples.size() - 1)].time;

  Reproduction result;
  result.claims = {
      {"(a): Euler's method makes the centre of mass drift", "\"a significant drift\"",
       fmt::format("{:.1e} m in {:g} s", drift[euler], time), drift[euler] > 1e-4},
      {"(a): its penetration is small", "\"O(10^-5), which is acceptable\"",
       fmt::format("{:.0e} m at the first impact, at {:.1f} m/s; {:.0e} m until the second", at[euler].impact,
                   at[euler].speed, larger(at[euler].settled, at[euler].later)),
       at[euler].impact < 5e-5 && at[euler].later < 1e-4},
      {"(b), (c), (d): Runge-Kutta's drift is smaller by four orders", "\"a factor of O(10^4)\"",
       fmt::format("{:.0e}, {:.0e}, {:.0e} m: at least {:.0e} times smaller", drift[plain], drift[velocity_level],
                   drift[floored], gain),
       gain > 1e3},
      {"(b): the inelastic contact bounces", "\"an unexpected bounce\"",
       fmt::format("away from the floor at {:.2f} m/s after an approach at {:.2f} m/s", at[plain].rebound,
                   at[plain].speed),
       at[plain].rebound > 0.5},
      {"(c): at the velocity level it does not", "\"the bounce seen previously disappears\"",
       fmt::format("{:.2f} m/s, which is the rods' own motion: time_stepping has {:.2f} m/s",
                   at[velocity_level].rebound, at[ours].rebound),
       at[velocity_level].rebound < 0.1 * at[plain].rebound},
      {"(c): penetration is two orders above (a)", "\"two orders of magnitude higher\"",
       fmt::format("{:.0e} m against {:.0e} m", at[velocity_level].impact, larger(at[euler].impact, at[euler].settled)),
       at[velocity_level].impact > 50 * larger(at[euler].impact, at[euler].settled)},
      {"(d): with g_N epsilon the error of the first impact comes back by two orders, without a bounce",
       "\"reduced by two orders of magnitude\", g_N epsilon = -1e-5",
       fmt::format("from {:.0e} m to {:.0e} m within 0.1 s ((c): {:.0e} m); rebound {:.2f} m/s", at[floored].impact,
                   at[floored].settled, at[velocity_level].settled, at[floored].rebound),
       at[floored].settled < 0.02 * at[floored].impact && at[floored].rebound < 0.1 * at[plain].rebound},
      {"(c), (d): errors at the position level accumulate", "\"another possible drawback\"",
       fmt::format("before the second impact, as the rods turn faster, (c) is {:.0e} m deep and (d) {:.0e} m",
                   at[velocity_level].later, at[floored].later),
       at[velocity_level].later > at[velocity_level].settled && at[floored].later > at[floored].settled},
      {"g_N epsilon < 0 adds energy", "\"equivalent to adding a small amount of energy\"",
       fmt::format("until {:g} s {:.1e} J, against {:.1e} J with g_N = 0 and {:.1e} J without a bound", after,
                   pushed[floored], pushed[velocity_level], pushed[plain]),
       pushed[floored] > 2 * pushed[velocity_level] && pushed[floored] < 0.1 * pushed[plain]},
      {"in space the same holds", "\"magnified by an order of magnitude for a 3D system\", of [9]",
       fmt::format(
           "Euler's drift is {:.1e} m against {:.1e} m in the plane (not an order more: [9] has another system); "
           "Runge-Kutta is {:.0e} times better",
           largest_drift(in_space[euler]), drift[euler], space_gain),
       largest_drift(in_space[euler]) > 1e-4 && space_gain > 1e3},
      {"time_stepping, of order 2, keeps the end on the floor", "-",
       fmt::format("depth {:.0e} m, drift {:.0e} m: {:.0e} times less than Euler's",
                   larger(at[ours].impact, at[ours].later), drift[ours], drift[euler] / drift[ours]),
       larger(at[ours].impact, at[ours].later) < 1e-6 && drift[ours] < 0.02 * drift[euler]},
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
