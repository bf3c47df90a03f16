// Suite `solvers`: how long a complementarity problem takes to a given residual, beside Siconos.
//
// | metric      | what is timed                                                                                     |
// |-------------|---------------------------------------------------------------------------------------------------|
// | to 1e-08    | from z = 0 to a plain relative residual (residual.h) of 1e-8 at most                              |
// | to 1e-12    | the same to 1e-12                                                                                 |
// | cold, warm  | lemke() on 24 rows, and a stack of 32 contacts to 1e-10: from z = 0, from the step before         |
//
// Problems are those of ../shared/contact_problems, where that is there, and generated ones (generate.h). Every solver
// of ours that takes a problem is tried, and every one of Siconos, each with every storage of the matrix that suits it.
//
// Who reached a residual is decided by our judge alone, for both. Siconos measures otherwise than the judge does, so
// its tolerance is tightened in steps until the judge is content, and the loosest that does is timed. Our time
// includes the judge and the check of the input, theirs includes their own; the matrix formed from H and A is given to
// both, and ours are also given H and A (marked "factored"). Whoever takes longer than a cap, or much longer than the
// best of his own side, is given up: "not reached".
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "bench/solver_cases.h"
#include "bench/solver_contest.h"
#include "bench/suite.h"
#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"
#include "linchpin/solvers/pivoting/lemke.h"
#include "linchpin/solvers/problem/generate.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/residual.h"
#include "linchpin/solvers/solver.h"
#ifdef LINCHPIN_BENCH_PEERS
#include "bench/peers/siconos.h"
#endif

namespace linchpin {
namespace {

constexpr const char* suite = "solvers";
constexpr const char* us = "us";
constexpr double targets[] = {1e-8, 1e-12};

std::string metric_of(double target) { return text("to %.0e", target); }
std::string in_words(double microseconds) {
  return microseconds < 1e3   ? text("%.3g us", microseconds)
         : microseconds < 1e6 ? text("%.3g ms", microseconds / 1e3)
                              : text("%.3g s", microseconds / 1e6);
}

class Solvers {
 public:
  Solvers(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {
    if (options.quick) timing_ = {.sample = 60e-6, .budget = 0.03, .fewest = 3, .most = 100};
  }
  BenchReport run();

 private:
  struct Best {
    std::string solver;
    double microseconds = 0;
  };
  // What a case came to at one target.
  struct Score {
    std::string name;
    int rows = 0;
    double target = 0;
    std::optional<Best> our, their;
    bool ahead() const { return our && (!their || our->microseconds < their->microseconds); }
  };

  bool beside_siconos() const {
#ifdef LINCHPIN_BENCH_PEERS
    return options_.peers && siconos_installed();
#else
    return false;
#endif
  }
  void run_case(const SolverCase& c);
  std::vector<Reached> compete(Contest& contest, const Problem& problem, double target);
  std::optional<Best> best_of(const std::vector<Reached>& results, const std::string& who) const;
  void add_rows(const std::vector<Reached>& results, double target);
  void run_lemke();
  void run_stack();
  void add_row(const std::string& metric, std::optional<double> value, const std::string& who,
               const std::string& solver, const std::string& reason, std::optional<double> median = {});
  void add_tables();
  void add_targets();
  struct Piles {
    static constexpr int count = 25;
    int solved = 0;
    std::optional<double> median;  // s
    double mean = 0;               // s, of those that are solved
  };
  Piles time_piles_at_rest(int contacts);

  BenchOptions options_;
  BenchProgress progress_;
  TimingOptions timing_{.sample = 100e-6, .budget = 0.1, .fewest = 5, .most = 1000};
  BenchReport report_;
  std::vector<Score> scores_;
  std::string case_;  // the one at hand
  int size_ = 0;
  std::map<std::string, Best> lemke_, stack_;  // by metric
};

void Solvers::add_row(const std::string& metric, std::optional<double> value, const std::string& who,
                      const std::string& solver, const std::string& reason, std::optional<double> median) {
  report_.rows.push_back({.suite = suite,
                          .bench_case = case_,
                          .size = size_,
                          .metric = metric,
                          .unit = us,
                          .value = value,
                          .reason = reason,
                          .median = median,
                          .who = who,
                          .scalar = solver});
}

// All attempts at one target. A side's later attempts may take twenty times as long as its best so far: nobody who
// takes longer can be its best.
std::vector<Reached> Solvers::compete(Contest& contest, const Problem& problem, double target) {
  const double cap = options_.quick ? 1 : 5;
  std::map<std::string, double> fastest;
  std::vector<Reached> results;
  for (Attempt& attempt : contest.attempts) {
    if (attempt.failed) continue;
    const auto at = fastest.find(attempt.who);
    const double allowed = at == fastest.end() ? cap : std::min(cap, std::max(20 * at->second, 0.01));
    results.push_back(reach(attempt, problem, target, allowed));
    const Reached& result = results.back();
    if (!result.reached) {
      attempt.failed = !result.cut || allowed == cap;
      continue;
    }
    if (at == fastest.end())
      fastest[attempt.who] = result.seconds;
    else
      at->second = std::min(at->second, result.seconds);
  }
  return results;
}

// Takes the time again, in turns, of those that may be the fastest of each side; others keep the time of their one
// call.
void time_again(std::vector<Reached>& results, const TimingOptions& timing) {
  constexpr std::size_t how_many = 3;
  constexpr double long_enough = 0.3;  // s: one call is a good measure
  std::vector<Reached*> chosen;
  for (const char* who : {ours, theirs}) {
    std::vector<Reached*> side;
    for (Reached& r : results)
      if (r.reached && r.attempt->who == who) side.push_back(&r);
    std::sort(side.begin(), side.end(), [](const Reached* a, const Reached* b) { return a->seconds < b->seconds; });
    if (side.size() > how_many) side.resize(how_many);
    for (Reached* r : side)
      if (r->seconds < long_enough) chosen.push_back(r);
  }
  std::vector<Repeated> work;
  for (const Reached* r : chosen)
    work.push_back([r](int times) {
      for (int i = 0; i < times; ++i) r->attempt->call(r->tolerance, r->limit);
    });
  for (Reached& r : results) r.timing = {r.seconds, r.seconds};
  const std::vector<Timing> timings = time_together(work, timing);
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i]->timing = timings[i];
}

std::optional<Solvers::Best> Solvers::best_of(const std::vector<Reached>& results, const std::string& who) const {
  std::optional<Best> best;
  for (const Reached& r : results)
    if (r.reached && r.attempt->who == who && !(best && best->microseconds <= 1e6 * r.timing.minimum))
      best = Best{r.attempt->solver, 1e6 * r.timing.minimum};
  return best;
}

void Solvers::add_rows(const std::vector<Reached>& results, double target) {
  const std::optional<Best> their = best_of(results, theirs);
  for (const Reached& r : results) {
    if (!r.reached) {
      add_row(metric_of(target), {}, r.attempt->who, r.attempt->solver,
              text("not reached: %.1e after %s", r.residual, in_words(1e6 * r.seconds).c_str()));
      continue;
    }
    add_row(metric_of(target), 1e6 * r.timing.minimum, r.attempt->who, r.attempt->solver, {}, 1e6 * r.timing.median);
    BenchRow& row = report_.rows.back();
    if (their && row.who == ours) row.ratio[theirs] = their->microseconds / *row.value;
  }
}

void Solvers::run_case(const SolverCase& c) {
  case_ = c.name;
  size_ = 0;
  const Result<Problem> made = c.make();
  if (!made) {
    add_row(metric_of(targets[0]), {}, ours, "", made.error().message);
    return;
  }
  const Problem& problem = made.value();
  size_ = problem.size();
  Contest contest;
  add_ours(problem, nullptr, contest);
#ifdef LINCHPIN_BENCH_PEERS
  std::optional<SiconosSilence> silence;
  if (beside_siconos()) {
    silence.emplace();
    add_siconos(problem, contest);
  }
#endif
  for (const double target : targets) {
    std::vector<Reached> results = compete(contest, problem, target);
    time_again(results, timing_);
    add_rows(results, target);
    scores_.push_back({case_, size_, target, best_of(results, ours), best_of(results, theirs)});
  }
}

// Some steps of a scene, each from the solution of the one before. Empty: a step could not be solved.
struct Step {
  ContactScene scene;
  Problem problem;
  std::vector<double> z;
};
std::vector<Step> steps_of(ContactScene scene, int count) {
  Solver solver;
  std::vector<Step> steps;
  for (int i = 0; i < count; ++i) {
    Step step{scene, contact_problem(scene), {}};
    step.z.resize(step.problem.q.size());
    if (solver.solve(step.problem, SolverId::automatic, {.tolerance = 1e-12}, step.z).status != Status::solved)
      return {};
    scene = after_step(scene, step.z);
    steps.push_back(std::move(step));
  }
  return steps;
}

// How a problem comes to a solver: in the first step of a scene, where bodies land at random velocities, from z = 0;
// once they have come to rest, from z = 0; and then from the solution of the step before, as a simulation does most of
// the time.
struct Start {
  const char* metric;
  std::size_t step;
  bool warm;
};
constexpr int settled = 30;  // steps of 10 ms
constexpr Start starts[] = {
    {"cold, first step", 0, false}, {"cold, at rest", settled - 1, false}, {"warm, at rest", settled - 1, true}};

// lemke() on the four contacts of a box with four directions of friction: eight boxes in turn.
void Solvers::run_lemke() {
  case_ = "Lemke, 24 rows";
  size_ = 24;
  std::vector<std::vector<Step>> boxes;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    boxes.push_back(steps_of(separate_boxes_scene(1, seed), settled));
    if (boxes.back().empty()) return add_row(starts[0].metric, {}, ours, "lemke", "a conic problem was not solved");
  }
  struct Item {
    Problem problem;
    std::vector<double> guess, z;
  };
  LemkeWorkspace ws;
  ResidualWorkspace judge;
  for (const Start& start : starts) {
    std::vector<Item> items;
    for (const std::vector<Step>& steps : boxes) {
      Item item{polyhedral(steps[start.step].problem, 4).problem, {}, {}};
      item.z.resize(item.problem.q.size());
      item.guess = item.z;
      if (start.warm) lemke(polyhedral(steps[start.step - 1].problem, 4).problem, {}, ws, item.guess);
      items.push_back(std::move(item));
    }
    const auto solve_all = [&] {
      for (Item& item : items) {
        if (start.warm) std::copy(item.guess.begin(), item.guess.end(), item.z.begin());
        lemke(item.problem, {.warm_start = start.warm}, ws, item.z);
      }
    };
    solve_all();
    double worst = 0;
    for (const Item& item : items) {
      const Residual r = residual(item.problem, item.z, judge);
      worst = larger(worst, r.plain_relative);
    }
    if (!(worst <= 1e-10)) {
      add_row(start.metric, {}, ours, "lemke", text("the judge found a residual of %.1e", worst));
      continue;
    }
    const Repeated work[] = {repeated(solve_all)};
    const Timing timing = time_together(work, timing_)[0];
    const double scale = 1e6 / double(items.size());
    add_row(start.metric, scale * timing.minimum, ours, "lemke", {}, scale * timing.median);
    lemke_[start.metric] = {"lemke", scale * timing.minimum};
  }
}

// Eight boxes, one on the other: the median of some stacks, each by the solver that is fastest with it.
void Solvers::run_stack() {
  constexpr double target = 1e-10;
  const std::uint64_t stacks = options_.quick ? 3 : 5;
  size_ = 96;
  std::map<std::string, std::vector<Best>> all;
  for (std::uint64_t seed = 1; seed <= stacks; ++seed) {
    case_ = text("stack of 32 contacts to 1e-10, seed %d", int(seed));
    const std::vector<Step> steps = steps_of(stack_of_boxes_scene(8, seed), settled);
    if (steps.empty()) return add_row(starts[0].metric, {}, ours, "automatic", "a step was not solved");
    for (const Start& start : starts) {
      const Problem& problem = steps[start.step].problem;
      Contest contest;
      add_ours(problem, start.warm ? &steps[start.step - 1].z : nullptr, contest);
      std::vector<Reached> results = compete(contest, problem, target);
      time_again(results, timing_);
      for (const Reached& r : results)
        add_row(start.metric, r.reached ? std::optional(1e6 * r.timing.minimum) : std::nullopt, ours, r.attempt->solver,
                r.reached ? "" : text("not reached: %.1e", r.residual));
      const std::optional<Best> best = best_of(results, ours);
      all[start.metric].push_back(best ? *best : Best{"nobody", std::numeric_limits<double>::infinity()});
    }
  }
  for (auto& [metric, bests] : all) {
    std::sort(bests.begin(), bests.end(), [](const Best& a, const Best& b) { return a.microseconds < b.microseconds; });
    const Best& median = bests[bests.size() / 2];
    if (std::isfinite(median.microseconds)) stack_[metric] = median;
  }
}

void Solvers::add_tables() {
  BenchTable table{"Time to a residual: the fastest solver of each side, and Siconos' time over ours",
                   "lrrrlrlr",
                   {"case", "rows", "to", "linchpin", "by", "Siconos", "by", "ratio"},
                   {}};
  for (const Score& s : scores_) {
    const auto time = [](const std::optional<Best>& best) {
      return best ? in_words(best->microseconds) : "not reached";
    };
    std::string ratio = "-";
    if (s.our && s.their) ratio = text("%.2fx", s.their->microseconds / s.our->microseconds);
    table.rows.push_back({s.name, std::to_string(s.rows), text("%.0e", s.target), time(s.our),
                          s.our ? s.our->solver : "", beside_siconos() ? time(s.their) : "-",
                          s.their ? s.their->solver : "", ratio});
  }
  report_.tables.push_back(std::move(table));

  BenchTable warm{
      "Cold and warm", "lrlrlrl", {"case"}, {{"Lemke, 24 rows"}, {"stack of 32 contacts to 1e-10, median"}}};
  for (const Start& start : starts) {
    warm.columns.emplace_back(start.metric);
    warm.columns.emplace_back("by");
    for (const std::size_t i : {0, 1}) {
      const auto& times = i == 0 ? lemke_ : stack_;
      const auto at = times.find(start.metric);
      warm.rows[i].push_back(at == times.end() ? "-" : in_words(at->second.microseconds));
      warm.rows[i].push_back(at == times.end() ? "" : at->second.solver);
    }
  }
  report_.tables.push_back(std::move(warm));
}

// `auto` from z = 0 to 1e-8, each pile's best time. How many iterations one pile takes is luck (100 contacts: 7 to
// 130), and one of 1000 contacts in some twenty takes seconds or a minute: the median is what a pile costs.
Solvers::Piles Solvers::time_piles_at_rest(int contacts) {
  constexpr double long_enough = 1;  // s: once will do
  Piles piles;
  std::vector<double> times;
  for (int seed = 1; seed <= Piles::count; ++seed) {
    const Problem problem = pile_of_spheres(contacts, std::uint64_t(seed), {.speed = 0});
    Solver solver;
    std::vector<double> z(problem.q.size());
    bool solved = false;
    const auto solve = [&] {
      std::ranges::fill(z, 0.0);
      solved = solver.solve(problem, SolverId::automatic, {.tolerance = 1e-8}, z).status == Status::solved;
    };
    const double start = thread_seconds();
    solve();
    const double once = thread_seconds() - start;
    if (!solved) continue;
    const Repeated work[] = {repeated(solve)};
    times.push_back(once > long_enough ? once : time_together(work, timing_)[0].minimum);
    piles.mean += times.back();
  }
  std::ranges::sort(times);
  piles.solved = int(times.size());
  piles.mean /= std::max(piles.solved, 1);
  if (piles.solved > Piles::count / 2)
    piles.median = times[Piles::count / 2];  // those left open count as slower than all
  return piles;
}

void Solvers::add_targets() {
  // Cold is the worse of the two.
  const auto worst = [](const std::map<std::string, Best>& times, bool warm) {
    std::optional<double> most = 0;
    for (const Start& start : starts) {
      if (start.warm != warm) continue;
      const auto at = times.find(start.metric);
      if (at == times.end()) return std::optional<double>();
      most = std::max(*most, at->second.microseconds);
    }
    return most;
  };
  report_.targets = {
      {"Lemke on 24 rows, cold", us, true, 2, worst(lemke_, false)},
      {"Lemke on 24 rows, warm", us, true, 0.7, worst(lemke_, true)},
      {"stack of 32 contacts to 1e-10, cold", us, true, 200, worst(stack_, false)},
      {"stack of 32 contacts to 1e-10, warm", us, true, 50, worst(stack_, true)},
  };
  for (const double target : targets) {
    int ahead = 0, all = 0;
    for (const Score& s : scores_) {
      if (s.target != target) continue;
      ++all;
      ahead += s.ahead();
    }
    std::optional<double> part;
    if (beside_siconos() && all > 0) {
      part = double(ahead) / all;
      report_.notes.push_back(
          text("faster than the best Siconos solver on %d of %d problems at %.0e", ahead, all, target));
    }
    report_.targets.push_back(
        {text("problems to %.0e on which we are ahead of Siconos, as a part", target), "", false, 0.9, part});
  }
  std::optional<double> growth;
  if (!options_.quick) {
    const Piles small = time_piles_at_rest(100), large = time_piles_at_rest(1000);
    if (small.median && large.median) growth = *large.median / *small.median;
    for (const auto& [contacts, piles] : {std::pair(100, small), std::pair(1000, large)})
      report_.notes.push_back(
          text("piles of %d contacts at rest: %d of %d solved, median %.3g ms, mean of those %.3g ms", contacts,
               piles.solved, Piles::count, 1e3 * piles.median.value_or(std::nan("")), 1e3 * piles.mean));
    if (growth)
      report_.notes.push_back(
          text("from 100 to 1000 contacts at rest: %.1f times the time, exponent %.2f", *growth, std::log10(*growth)));
  }
  report_.targets.push_back({"pile at rest to 1e-08 (median of 25), 1000 contacts over 100", "", true, 40, growth});
}

BenchReport Solvers::run() {
  const int core = pin_to_one_core();
  report_.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                    : "this system does not let us pin a thread to a core");
#ifdef LINCHPIN_BENCH_PEERS
  if (options_.peers)
    report_.notes.push_back(siconos_installed() ? "beside Siconos " + siconos_version()
                                                : "without Siconos: not installed");
#else
  if (options_.peers) report_.notes.push_back("built without the peers (LINCHPIN_BUILD_BENCH_PEERS=OFF)");
#endif
  std::vector<SolverCase> cases = shared_cases();
  if (cases.empty()) {
    case_ = "shared problems";
    add_row(
        metric_of(targets[0]), {}, ours, "",
        "no problems in " + shared_problems().string() + "; set LINCHPIN_SHARED to the folder above contact_problems");
  }
  for (SolverCase& c : generated_cases()) cases.push_back(std::move(c));
  if (options_.quick) std::erase_if(cases, [](const SolverCase& c) { return !c.quick; });
  const double parts = double(cases.size() + 2);
  double done = 0;
  bool go_on = progress_(0, "Lemke, 24 rows");
  if (go_on) run_lemke();
  go_on = go_on && progress_(++done / parts, "stack of 32 contacts");
  if (go_on) run_stack();
  for (const SolverCase& c : cases) {
    go_on = go_on && progress_(++done / parts, c.name);
    if (!go_on) break;
    run_case(c);
  }
  add_tables();
  add_targets();
  return std::move(report_);
}

}  // namespace

BenchReport bench_solvers(const BenchOptions& options, const BenchProgress& progress) {
  return Solvers(options, progress).run();
}

}  // namespace linchpin
