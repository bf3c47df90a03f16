// Suite `loops`: forward dynamics of closed chains, by the compliance and by the recursion, beside the tree alone.
//
// | metric         | what is timed                                                              |
// |----------------|----------------------------------------------------------------------------|
// | by compliance  | constrained_dynamics() with all rows eliminated at once, O(n) + O(rows^3)  |
// | by recursion   | the same loop by loop, O(n + m)                                            |
// | tree alone     | aba(), as if nothing were closed                                           |
// | held rows      | held_dynamics(): just points of nodes held, for one world and for packs    |
//
// Times are per evaluation, rows and poses included; of packs per world.
#include <cstdio>
#include <optional>

#include "bench/suite.h"
#include "bench/timing.h"
#include "linchpin/dynamics/compliance/held_rows.h"
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr const char* suite = "loops";
constexpr const char* four_points_case = "@humanoid on four points";
constexpr int largest_dense = 400;  // rows

struct Case {
  std::string name;
  ModelSpec spec;
  bool quick;
};

// Hands and feet on points of the world: what a robot in contact at four points has to solve.
ModelSpec on_four_points() {
  ModelSpec spec = scene("@humanoid").value();
  for (const FrameSpec& frame : spec.frames) {
    if (!frame.name.ends_with("_foot") && !frame.name.ends_with("_hand")) continue;
    LoopSpec point;
    point.type = LoopType::ball;
    point.b = {frame.body, frame.X_BF};
    spec.constraints.push_back({frame.name, point});
  }
  return spec;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int loops : {1, 2, 5, 10, 40, 100, 1000}) {
    const std::string name = "@four_bar:loops=" + std::to_string(loops);
    all.push_back({name, scene(name).value(), loops == 1 || loops == 10});
  }
  for (const char* name : {"@squeezer", "@bricard", "@stewart", "@linkage_biped"})
    all.push_back({name, scene(name).value(), false});
  all.push_back({four_points_case, on_four_points(), true});
  return all;
}

struct Contender {
  std::string metric;
  Repeated work;
};

std::string text_of(double us) {
  char text[32];
  std::snprintf(text, sizeof text, us < 10 ? "%.2f" : "%.1f", us);
  return text;
}

// Hands and feet of the same humanoid held by held_dynamics(), beside aba() of the same scalar. Returns us per world.
template <class T>
double time_held(const char* scalar, const TimingOptions& timing, BenchReport& report, BenchTable& table) {
  using Real = typename Plan<T>::Real;
  constexpr std::size_t worlds = std::size_t(Lanes<T>::worlds);
  const ModelSpec spec = scene("@humanoid").value();
  const Model model = compile(spec).value();
  std::vector<HeldNode> nodes;
  for (const FrameSpec& frame : spec.frames) {
    if (!frame.name.ends_with("_foot") && !frame.name.ends_with("_hand")) continue;
    for (std::size_t body = 0; body < model.bodies().size(); ++body)
      if (model.bodies()[body].name == frame.body) nodes.push_back({{int(body), frame.X_BF}, linear_rows});
  }
  const Plan<T> plan(model);
  const HeldPlan<T> held(model, plan, nodes);
  HeldWorkspace<T> ws(plan, held);
  const State state =
      random_state(model, 1);  // at rest floats would be slowed by numbers below the smallest normal one
  std::vector<Real> q, v;
  for (const double x : state.q) q.insert(q.end(), worlds, Real(x));
  for (const double x : state.v) v.insert(v.end(), worlds, Real(x));
  std::vector<Real> tau(v.size()), vdot(v.size()), lambda(std::size_t(held.rows) * worlds);
  std::vector<int> rank(worlds);
  const std::vector<Repeated> work{
      repeated([&] { held_dynamics<T>(plan, held, q, v, tau, {}, {}, ws, vdot, lambda, rank); }),
      repeated([&] { aba<T>(plan, q, v, tau, {}, ws.aba, vdot); })};
  const std::vector<Timing> timings = time_together(work, timing);
  const double us = 1e6 / double(worlds) * timings[0].minimum, alone = 1e6 / double(worlds) * timings[1].minimum;
  table.rows.push_back({scalar, std::to_string(worlds), std::to_string(held.rows), std::to_string(rank[0]), text_of(us),
                        text_of(alone)});
  report.rows.push_back({.suite = suite,
                         .bench_case = four_points_case,
                         .size = held.rows,
                         .metric = "held rows",
                         .unit = "us",
                         .value = us,
                         .median = 1e6 / double(worlds) * timings[0].median,
                         .who = "linchpin",
                         .scalar = scalar});
  return us;
}

}  // namespace

BenchReport bench_loops(const BenchOptions& options, const BenchProgress& progress) {
  BenchReport report;
  const int core = pin_to_one_core();
  report.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                   : "this system does not let us pin a thread to a core");
  report.notes.emplace_back("automatic takes the recursion above " + std::to_string(most_rows_for_compliance) +
                            " rows");
  report.orientation.push_back({.bench_case = "humanoid of 36 degrees of freedom on four points",
                                .metric = "constrained forward dynamics",
                                .unit = "us",
                                .who = "Pinocchio 3.7",
                                .source = "another machine of this kind",
                                .value = 7.3});
  TimingOptions timing;
  if (options.quick) timing = {.sample = 60e-6, .budget = 0.03, .fewest = 3, .most = 100};
  std::vector<Case> all = cases();
  if (options.quick) std::erase_if(all, [](const Case& c) { return !c.quick; });
  BenchTable table{"forward dynamics of closed chains: us per evaluation, smallest",
                   "lrrrrrr",
                   {"case", "dof", "rows", "rank", "by compliance", "by recursion", "tree alone"},
                   {}};
  std::optional<double> four_points, ladder_40, ladder_1000;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    if (!progress(double(i) / double(all.size()), c.name)) break;
    const Model model = compile(c.spec).value();
    const Plan<double> plan(model);
    const State state = make_state(model);
    std::vector<double> vdot(state.v.size()), tau(state.v.size(), 0.0);
    AbaWorkspace<double> free_ws(plan);
    std::optional<ClosedChain> compliance, recursion;
    recursion.emplace(model, plan, model.constraints(), LoopElimination::recursion);
    const int rows = recursion->constraints.rows();
    if (rows <= largest_dense) compliance.emplace(model, plan, model.constraints(), LoopElimination::compliance);
    int rank = 0;
    const auto by = [&](ClosedChain& chain) {
      return repeated([&] { rank = constrained_dynamics(state.q, state.v, tau, {}, 0, chain, vdot).rank; });
    };
    std::vector<Contender> contenders{
        {"by recursion", by(*recursion)},
        {"tree alone", repeated([&] { aba<double>(plan, state.q, state.v, tau, {}, free_ws, vdot); })}};
    if (compliance) contenders.insert(contenders.begin(), {"by compliance", by(*compliance)});
    std::vector<Repeated> work;
    for (const Contender& x : contenders) work.push_back(x.work);
    const std::vector<Timing> timings = time_together(work, timing);
    std::vector<std::string> cells{c.name, std::to_string(model.nv()), std::to_string(rows), std::to_string(rank)};
    if (!compliance) cells.emplace_back("-");
    double best = 1e300;
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      const double us = 1e6 * timings[k].minimum;
      cells.push_back(text_of(us));
      if (contenders[k].metric != "tree alone") best = std::min(best, us);
      report.rows.push_back({.suite = suite,
                             .bench_case = c.name,
                             .size = rows,
                             .metric = contenders[k].metric,
                             .unit = "us",
                             .value = us,
                             .median = 1e6 * timings[k].median,
                             .who = "linchpin",
                             .scalar = "double"});
    }
    table.rows.push_back(std::move(cells));
    if (c.name == four_points_case) four_points = best;
    if (c.name == "@four_bar:loops=40") ladder_40 = best;
    if (c.name == "@four_bar:loops=1000") ladder_1000 = best;
  }
  report.tables.push_back(std::move(table));
  BenchTable held_table{std::string(four_points_case) + " as held rows: us per world, smallest",
                        "lrrrrr",
                        {"scalar", "worlds", "rows", "rank", "held rows", "tree alone"},
                        {}};
  const double held_alone = time_held<double>("double", timing, report, held_table);
  time_held<float>("float", timing, report, held_table);
  const double held_eight = time_held<Double8>("8 doubles", timing, report, held_table);
  time_held<Float16>("16 floats", timing, report, held_table);
  report.tables.push_back(std::move(held_table));
  report.targets.push_back({"humanoid on four points: a third of Pinocchio's 7.3 us", "us", true, 2.43, four_points});
  report.targets.push_back({"the same as held rows: a third of Pinocchio's", "us", true, 2.43, held_alone});
  report.targets.push_back({"the same, 8 worlds at a time: a tenth, per world", "us", true, 0.73, held_eight});
  std::optional<double> growth;
  if (ladder_40 && ladder_1000) growth = *ladder_1000 / *ladder_40;
  report.targets.push_back({"1000 loops over 40: linear would be 25", "x", true, 35, growth});
  return report;
}

}  // namespace linchpin
