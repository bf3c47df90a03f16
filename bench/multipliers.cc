// Suite `multipliers`: Lagrange multipliers in linear time [004], beside our own aba and beside general solvers.
//
// | metric           | what is timed                                                                                 |
// |------------------|-----------------------------------------------------------------------------------------------|
// | accelerations    | forward dynamics of a Model, from q and v alone: by multipliers and by aba                    |
// | factor and solve | y and l of M y = F + J' l, J y = r for hinged bodies in space (block_system.h), from blocks.  |
// |                  | Of a general solver: numeric factors and solve, its pattern being analysed before; of those    |
// |                  | that factor A = J M^-1 J' also making A                                                       |
// | factor           | without a right-hand side                                                                     |
// | solve            | for one more right-hand side                                                                  |
// | solve8           | for eight more, per column                                                                    |
// | touch            | one number of each cache line of the factors read: what memory alone takes                    |
// | iterations       | of conjugate gradients                                                                        |
// | residual         | by how much the answer misses the equations, as a part of their largest term                  |
//
// Every solver gets the same numbers. The best of the general ones is what ratios are to ("best general solver");
// "SimplicialLDLT, our order" is told our order of elimination, which no general solver finds by itself, and still
// works number by number.
#include <algorithm>
#include <map>
#include <optional>

#include "bench/block_system.h"
#include "bench/forest_timing.h"
#include "bench/suite.h"
#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"
#include "linchpin/dynamics/maximal/multiplier_dynamics.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr const char* suite = "multipliers";
constexpr const char* best_general = "best general solver";
constexpr int largest_quick_general = 100;  // bodies

std::string who(General solver) { return solver == General::cholmod_of_A ? "CHOLMOD" : "Eigen"; }

// SimplicialLDLT in an order of its own never gets by the zero block: said once, not in a column.
bool is_shown(General solver) { return is_here(solver) && solver != General::ldlt_amd; }

class MultipliersSuite {
 public:
  MultipliersSuite(const BenchOptions& options, const BenchProgress& progress)
      : options_(options), progress_(progress) {
    if (options.quick) timing_ = {.sample = 60e-6, .budget = 0.02, .fewest = 3, .most = 100};
  }
  BenchReport run();

 private:
  bool run_model(const std::string& scene);
  bool run_bodies(ForestShape shape, int bodies);
  BenchRow& add(const std::string& metric, const std::string& unit, const std::string& who, const std::string& scalar,
                std::optional<double> value);
  BenchRow& add(const std::string& metric, const std::string& who, const std::string& scalar, const Timing& timing);
  static double main_ratio(const ForestTimed& t) { return t.best()->both->minimum / t.both.minimum; }
  TimingOptions timing_for(int bodies) const;

  BenchOptions options_;
  BenchProgress progress_;
  TimingOptions timing_;
  BenchReport report_;
  BenchTable models_{"forward dynamics: us per call, smallest",
                     "lrrrrr",
                     {"case", "dof", "aba", "multipliers", "over aba", "ns per body"},
                     {}};
  BenchTable ours_{"hinged bodies by the forest: ns per body, smallest",
                   "lrrrrrrrr",
                   {"shape", "bodies", "factor and solve", "factor", "solve", "solve8, a column", "touch",
                    "factor : solve", "per body, over 1000"},
                   {}};
  BenchTable rivals_{
      "beside general solvers: us for factors and one solution, smallest", "lrr", {"shape", "bodies", "ours"}, {}};
  std::string case_;  // the one at hand
  int size_ = 0;
  std::map<int, double> at_1000_;  // ns per body, by shape
  std::optional<double> over_aba_, least_ahead_, most_growth_;
};

BenchRow& MultipliersSuite::add(const std::string& metric, const std::string& unit, const std::string& who,
                                const std::string& scalar, std::optional<double> value) {
  report_.rows.push_back({.suite = suite,
                          .bench_case = case_,
                          .size = size_,
                          .metric = metric,
                          .unit = unit,
                          .value = value,
                          .who = who,
                          .scalar = scalar});
  return report_.rows.back();
}

BenchRow& MultipliersSuite::add(const std::string& metric, const std::string& who, const std::string& scalar,
                                const Timing& timing) {
  BenchRow& row = add(metric, "us", who, scalar, 1e6 * timing.minimum);
  row.median = 1e6 * timing.median;
  return row;
}

TimingOptions MultipliersSuite::timing_for(int bodies) const {
  TimingOptions timing = timing_;
  if (bodies >= 10000) timing.fewest = 3;  // some rivals take seconds
  return timing;
}

bool MultipliersSuite::run_model(const std::string& name) {
  const Model model = compile(scene(name).value()).value();
  case_ = name;
  size_ = model.nv();
  const Plan<double> plan(model);
  AbaWorkspace<double> ws(plan);
  Multipliers multipliers(model);
  const State state = random_state(model, 1);
  std::vector<double> tau(state.v.size()), vdot(state.v.size());
  const Repeated work[] = {repeated([&] { aba<double>(plan, state.q, state.v, tau, {}, ws, vdot); }),
                           repeated([&] { multipliers.accelerations(state.q, state.v, tau, {}, vdot, false); })};
  const std::vector<Timing> t = time_together(work, timing_for(size_));
  const double by_aba = 1e6 * t[0].minimum, ours = 1e6 * t[1].minimum;
  add("accelerations", "linchpin", "aba", t[0]);
  add("accelerations", "linchpin", "multipliers", t[1]).ratio["aba"] = by_aba / ours;
  if (name == "@chain:links=1000") over_aba_ = ours / by_aba;
  models_.rows.push_back({name, std::to_string(size_), rounded(by_aba), rounded(ours), rounded(ours / by_aba),
                          rounded(1e3 * ours / multipliers.forest().bodies())});
  return true;
}

bool MultipliersSuite::run_bodies(ForestShape shape, int bodies) {
  BlockSystem system = hinged_bodies(shape, bodies);
  case_ = to_string(shape) + " of " + std::to_string(bodies);
  size_ = system.total_size();
  std::span<const General> general = all_general;
  if (!options_.peers) general = {};
  GeneralLimits limits;
  if (options_.quick) limits.bodies = largest_quick_general;
  const ForestTimed t = time_forest(system, general, limits, timing_for(bodies),
                                    [&](const std::string& what) { return progress_(-1, case_ + ": " + what); });
  if (t.bodies == 0) return false;

  const double ours = 1e6 * t.both.minimum;
  BenchRow& main = add("factor and solve", "linchpin", "double", t.both);
  for (const GeneralTimed& g : t.general)
    if (g.both) main.ratio[to_string(g.solver)] = g.both->minimum / t.both.minimum;
  if (t.best()) main.ratio[best_general] = t.best()->both->minimum / t.both.minimum;
  add("factor", "linchpin", "double", t.factor);
  add("solve", "linchpin", "double", t.solve);
  add("solve8", "linchpin", "double", t.solve8);
  add("touch", "linchpin", "double", t.touch);
  add("residual", "relative", "linchpin", "double", t.residual);
  for (const GeneralTimed& g : t.general) {
    if (g.both)
      add("factor and solve", who(g.solver), to_string(g.solver), *g.both);
    else
      add("factor and solve", "us", who(g.solver), to_string(g.solver), {}).reason =
          to_string(g.solver) + ": " + g.reason;
    if (!g.both) continue;
    add("residual", "relative", who(g.solver), to_string(g.solver), g.residual);
    if (g.solver == General::cg_of_A) add("iterations", "", who(g.solver), to_string(g.solver), g.iterations);
  }

  const auto per_body = [&](const Timing& timing) { return 1e9 * timing.minimum / bodies; };
  if (bodies == 1000) at_1000_[int(shape)] = per_body(t.both);
  std::optional<double> growth;
  if (const auto at = at_1000_.find(int(shape)); at != at_1000_.end()) growth = per_body(t.both) / at->second;
  if (growth && bodies > 1000) most_growth_ = std::max(most_growth_.value_or(0), *growth);
  ours_.rows.push_back({to_string(shape), std::to_string(bodies), rounded(per_body(t.both)),
                        rounded(per_body(t.factor)), rounded(per_body(t.solve)), rounded(per_body(t.solve8)),
                        rounded(per_body(t.touch)), rounded(t.factor.minimum / t.solve.minimum),
                        growth ? rounded(*growth) : "-"});
  if (t.general.empty()) return true;
  std::vector<std::string> cells{to_string(shape), std::to_string(bodies), rounded(ours)};
  for (const General kind : all_general) {
    if (!is_shown(kind)) continue;
    const GeneralTimed* const g = t.find(kind);
    cells.push_back(g && g->both ? rounded(1e6 * g->both->minimum) : "-");
    if (kind == General::cg_of_A && g && g->both) cells.back() += " (" + std::to_string(g->iterations) + ")";
  }
  cells.push_back(t.best() ? rounded(main_ratio(t)) + "x" : "-");
  rivals_.rows.push_back(std::move(cells));
  if (t.best()) least_ahead_ = std::min(least_ahead_.value_or(1e300), main_ratio(t));
  return true;
}

BenchReport MultipliersSuite::run() {
  const int core = pin_to_one_core();
  report_.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                    : "this system does not let us pin a thread to a core");
  if (options_.peers)
    report_.notes.emplace_back(
        "general solvers are Eigen's, compiled for this machine; \"our order\": told the order in which nothing fills "
        "in");
  if (options_.peers && !is_here(General::cholmod_of_A))
    report_.notes.emplace_back("without CHOLMOD (LINCHPIN_BENCH_CHOLMOD=OFF)");
  if (!options_.quick)
    report_.notes.emplace_back(
        "100000 bodies are 240 MB of numbers, which do not fit a core's caches: \"touch\" is what reading them takes");
  for (const General kind : all_general) {
    if (!is_shown(kind)) continue;
    rivals_.columns.push_back(to_string(kind) + (kind == General::cg_of_A ? " (iterations)" : ""));
    rivals_.align += 'r';
  }
  rivals_.columns.emplace_back("best over ours");
  rivals_.align += 'r';

  std::vector<std::string> scenes{"@chain:links=7", "@chain:links=30", "@chain:links=100", "@chain:links=1000"};
  if (!options_.quick) scenes.insert(scenes.end(), {"@chain:links=10000", "@chain:links=100000", "@humanoid24"});
  scenes.emplace_back("@humanoid");
  if (!options_.quick) scenes.insert(scenes.end(), {"@quadruped", "@dual_arm", "@random_tree:bodies=100,seed=1"});
  std::vector<int> sizes{10, 100, 1000, 10000, 100000};
  if (options_.quick) sizes = {100, 1000};
  const double parts = double(scenes.size() + 3 * sizes.size());
  double done = 0, now = 0;
  // What is done within a case leaves the bar where it is.
  progress_ = [&, told = progress_](double fraction, const std::string& what) {
    if (fraction >= 0) now = fraction;
    return told(now, what);
  };
  bool go_on = true;
  for (const std::string& name : scenes) go_on = go_on && progress_(done++ / parts, name) && run_model(name);
  for (const ForestShape shape : {ForestShape::chain, ForestShape::star, ForestShape::random})
    for (const int bodies : sizes)
      go_on = go_on && progress_(done++ / parts, to_string(shape) + " of " + std::to_string(bodies)) &&
              run_bodies(shape, bodies);
  report_.tables = {std::move(models_), std::move(ours_)};
  if (!rivals_.rows.empty()) report_.tables.push_back(std::move(rivals_));
  report_.targets = {
      {"1000-link chain, over our own aba", "x", true, 4, over_aba_},
      {"best of the general solvers over ours, where least", "x", false, 3, least_ahead_},
      {"time per body, 10000 and 100000 over 1000, where most", "x", true, 2, most_growth_},
  };
  return std::move(report_);
}

}  // namespace

BenchReport bench_multipliers(const BenchOptions& options, const BenchProgress& progress) {
  return MultipliersSuite(options, progress).run();
}

}  // namespace linchpin
