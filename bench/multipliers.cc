// Suite `multipliers`: Lagrange multipliers in linear time [004], beside our own aba and beside general solvers.
//
// | metric           | what is timed                                                                                    |
// |------------------|--------------------------------------------------------------------------------------------------|
// | accelerations    | forward dynamics of a Model, from q and v alone: by multipliers and by aba                       |
// | factor and solve | y and l of M y = F + J' l, J y = r for hinged bodies in space (block_system.h), from blocks.     |
// |                  | Of a general solver: numeric factors and solve, its pattern being analysed before; of those that |
// |                  | factor A = J M^-1 J' also making A                                                               |
// | factor           | without a right-hand side                                                                        |
// | solve            | for one more right-hand side                                                                     |
// | solve8           | for eight more, per column                                                                       |
// | iterations       | of conjugate gradients                                                                           |
// | residual         | by how much the answer misses the equations, as a part of their largest term                     |
//
// Every solver gets the same numbers. The best of the general ones is what ratios are to ("general"); "SimplicialLDLT, our
// order" is told our order of elimination, which no general solver finds by itself, and still works number by number.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "bench/block_system.h"
#include "bench/general_solvers.h"
#include "bench/suite.h"
#include "bench/timing.h"
#include "linchpin/dynamics/aba.h"
#include "linchpin/dynamics/constraint_forest.h"
#include "linchpin/dynamics/multipliers.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr const char* suite = "multipliers";
constexpr const char* general = "general";
constexpr long largest_A = 6'000'000;     // numbers: more take a second, or memory, for what ours does in a millisecond
constexpr int largest_lu = 10000;         // bodies
constexpr int largest_cg = 1000;          // bodies; a chain's iterations grow with its length
constexpr int largest_quick_rival = 100;  // bodies

std::string text(double x) {
  char out[32];
  std::snprintf(out, sizeof out, x < 10 ? "%.2f" : x < 1000 ? "%.1f" : "%.0f", x);
  return out;
}

class MultipliersSuite {
 public:
  MultipliersSuite(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {
    if (options.quick) timing_ = {.sample = 60e-6, .budget = 0.02, .fewest = 3, .most = 100};
  }
  BenchReport run();

 private:
  struct Contender {
    std::string metric, who, scalar;
    int columns = 1;  // of one call
    Repeated work;
  };
  bool run_model(const std::string& scene);
  bool run_bodies(ForestShape shape, int bodies);
  BenchRow& add(const std::string& metric, const std::string& unit, const std::string& who, const std::string& scalar,
                std::optional<double> value);
  void time_all(const std::vector<Contender>& contenders);
  std::optional<double> value(const std::string& metric, const std::string& who, const std::string& scalar) const;
  bool wants(General solver, int bodies, long numbers_of_A) const;
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
                   "lrrrrrrr",
                   {"case", "bodies", "factor and solve", "factor", "solve", "solve8, a column", "factor : solve",
                    "per body, over 1000"},
                   {}};
  BenchTable rivals_{"beside general solvers: us for factors and one solution, smallest", "lrr", {"case", "bodies", "ours"}, {}};
  std::string case_;  // the one at hand
  int size_ = 0;
  std::optional<double> over_aba_, least_ahead_, most_growth_;
};

constexpr General rivals[] = {General::ldlt_in_our_order, General::ldlt_amd,   General::lu,
                              General::llt_of_A,          General::dense_of_A, General::cg_of_A};

BenchRow& MultipliersSuite::add(const std::string& metric, const std::string& unit, const std::string& who,
                                const std::string& scalar, std::optional<double> value) {
  report_.rows.push_back({.suite = suite,
                          .bench_case = case_,
                          .size = size_,
                          .metric = metric,
                          .unit = unit,
                          .value = value,
                          .reason = {},
                          .median = {},
                          .who = who,
                          .scalar = scalar,
                          .ratio = {}});
  return report_.rows.back();
}

std::optional<double> MultipliersSuite::value(const std::string& metric, const std::string& who,
                                              const std::string& scalar) const {
  for (const BenchRow& row : report_.rows)
    if (row.bench_case == case_ && row.metric == metric && row.who == who && row.scalar == scalar) return row.value;
  return {};
}

TimingOptions MultipliersSuite::timing_for(int bodies) const {
  TimingOptions timing = timing_;
  if (bodies >= 10000) timing.fewest = 3;  // some rivals take seconds
  return timing;
}

void MultipliersSuite::time_all(const std::vector<Contender>& contenders) {
  std::vector<Repeated> work;
  for (const Contender& c : contenders) work.push_back(c.work);
  const std::vector<Timing> timings = time_together(work, timing_for(size_ / 6));
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    add(c.metric, "us", c.who, c.scalar, 1e6 * timings[i].minimum / c.columns).median =
        1e6 * timings[i].median / c.columns;
  }
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
  time_all({{"accelerations", "linchpin", "aba", 1,
             repeated([&] { aba<double>(plan, state.q, state.v, tau, {}, ws, vdot); })},
            {"accelerations", "linchpin", "multipliers", 1,
             repeated([&] { multipliers.accelerations(state.q, state.v, tau, {}, vdot); })}});
  const double by_aba = *value("accelerations", "linchpin", "aba");
  BenchRow& row = report_.rows.back();
  row.ratio["aba"] = by_aba / *row.value;
  if (name == "@chain:links=1000") over_aba_ = *row.value / by_aba;
  models_.rows.push_back({name, std::to_string(size_), text(by_aba), text(*row.value), text(*row.value / by_aba),
                          text(1e3 * *row.value / multipliers.forest().bodies())});
  return true;
}

bool MultipliersSuite::wants(General solver, int bodies, long numbers_of_A) const {
  if (!options_.peers || (options_.quick && bodies > largest_quick_rival)) return false;
  switch (solver) {
    case General::lu: return bodies <= largest_lu;
    case General::llt_of_A: return numbers_of_A <= largest_A;
    case General::dense_of_A: return long(25) * bodies * bodies <= largest_A;
    case General::cg_of_A: return bodies <= largest_cg;
    default: return true;
  }
}

bool MultipliersSuite::run_bodies(ForestShape shape, int bodies) {
  BlockSystem system = hinged_bodies(shape, bodies);
  const ConstraintForest forest = forest_of(system);
  set_order(forest, system);
  ForestFactors factors(forest);
  load(system, factors);
  case_ = name(shape) + " of " + std::to_string(bodies);
  size_ = system.total_size();
  std::vector<double> y(system.F.size()), l(system.r.size()), y8(8 * y.size()), l8(8 * l.size()), r8(8 * l.size());

  std::vector<Contender> contenders{
      {"factor and solve", "linchpin", "double", 1,
       repeated([&] { factors.factor_and_solve(system.F, system.r, y, l); })},
      {"factor", "linchpin", "double", 1, repeated([&] { factors.factor(); })},
      {"solve", "linchpin", "double", 1, repeated([&] { factors.solve(system.F, system.r, y, l); })},
      {"solve8", "linchpin", "double", 8, repeated([&] { factors.solve8(y8, r8, l8); })}};
  factors.factor_and_solve(system.F, system.r, y, l);
  add("residual", "relative", "linchpin", "double", system.residual(y, l));
  std::vector<std::unique_ptr<GeneralSolver>> solvers;
  std::vector<double> y_other(y.size()), l_other(l.size());
  const long numbers_of_A = nonzeros_of_A(system);
  for (const General kind : rivals) {
    if (!wants(kind, bodies, numbers_of_A)) continue;
    if (!progress_(-1, case_ + ", " + name(kind))) return false;
    std::unique_ptr<GeneralSolver> solver = make_general(kind, system);
    if (!solver->factor()) {
      add("factor and solve", "us", "Eigen", name(kind), {}).reason = "no pivot in the zero block of the matrix";
      continue;
    }
    solver->solve(system.F, system.r, y_other, l_other);
    add("residual", "relative", "Eigen", name(kind), system.residual(y_other, l_other));
    if (kind == General::cg_of_A) {
      add("iterations", "", "Eigen", name(kind), solver->iterations());
      if (!solver->converged()) {
        add("factor and solve", "us", "Eigen", name(kind), {}).reason = "not reached: 1e-10";
        continue;
      }
    }
    GeneralSolver* const it = solver.get();
    solvers.push_back(std::move(solver));
    contenders.push_back({"factor and solve", "Eigen", name(kind), 1, repeated([&, it] {
                            it->factor();
                            it->solve(system.F, system.r, y_other, l_other);
                          })});
  }
  time_all(contenders);

  const auto per_body = [&](const char* metric) { return 1e3 * *value(metric, "linchpin", "double") / bodies; };
  const double ours = *value("factor and solve", "linchpin", "double");
  std::optional<double> at_1000;
  for (const BenchRow& row : report_.rows)
    if (row.bench_case == name(shape) + " of 1000" && row.metric == "factor and solve" && row.who == "linchpin")
      at_1000 = 1e3 * *row.value / 1000;
  const std::optional<double> growth =
      at_1000 ? std::optional(per_body("factor and solve") / *at_1000) : std::nullopt;
  if (growth && bodies > 1000) most_growth_ = std::max(most_growth_.value_or(0), *growth);
  ours_.rows.push_back({name(shape), std::to_string(bodies), text(per_body("factor and solve")), text(per_body("factor")),
                        text(per_body("solve")), text(per_body("solve8")), text(per_body("factor") / per_body("solve")),
                        growth ? text(*growth) : "-"});
  if (solvers.empty()) return true;
  std::vector<std::string> cells{name(shape), std::to_string(bodies), text(ours)};
  std::optional<double> best;
  for (const General kind : rivals) {
    const std::optional<double> us = value("factor and solve", "Eigen", name(kind));
    std::string cell = us ? text(*us) : "-";
    if (kind == General::cg_of_A && us)
      cell += " (" + std::to_string(int(*value("iterations", "Eigen", name(kind)))) + ")";
    cells.push_back(cell);
    if (us && !(best && *best <= *us)) best = us;
  }
  cells.push_back(best ? text(*best / ours) + "x" : "-");
  rivals_.rows.push_back(std::move(cells));
  for (BenchRow& row : report_.rows) {
    if (row.bench_case != case_ || row.who != "linchpin" || row.metric != "factor and solve") continue;
    for (const General kind : rivals)
      if (const std::optional<double> us = value("factor and solve", "Eigen", name(kind))) row.ratio[name(kind)] = *us / ours;
    if (best) row.ratio[general] = *best / ours;
  }
  if (best) least_ahead_ = std::min(least_ahead_.value_or(1e300), *best / ours);
  return true;
}

BenchReport MultipliersSuite::run() {
  const int core = pin_to_one_core();
  report_.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                    : "this system does not let us pin a thread to a core");
  if (options_.peers)
    report_.notes.emplace_back(
        "general solvers are Eigen's, compiled for this machine; \"our order\": told the order in which nothing fills in");
  if (!options_.quick)
    report_.notes.emplace_back("100000 bodies are 240 MB of numbers, which do not fit a core's caches");
  for (const General kind : rivals) {
    rivals_.columns.push_back(name(kind) + (kind == General::cg_of_A ? " (iterations)" : ""));
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
  for (const std::string& name : scenes)
    go_on = go_on && progress_(done++ / parts, name) && run_model(name);
  for (const ForestShape shape : {ForestShape::chain, ForestShape::star, ForestShape::random})
    for (const int bodies : sizes)
      go_on = go_on && progress_(done++ / parts, name(shape) + " of " + std::to_string(bodies)) && run_bodies(shape, bodies);
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
