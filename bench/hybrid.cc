// Suite `hybrid`: the engines of 002 behind one formulation, and divide and conquer on several processors.
//
// | metric          | what is timed                                                                  |
// |-----------------|--------------------------------------------------------------------------------|
// | pose and lift   | steps 1 to 3 of 002 s.2.3 and the velocities after: all but the solver         |
// | accelerations   | divide_and_conquer() by one and by two threads, beside aba(), wall time        |
// | from processors | the model below: where divide and conquer overtakes aba()                      |
//
// The model of the critical path. T1 is the work of an assembly tree, C its longest succession of nodes, both from the
// measured costs of a link in a segment, of a join and of starting a node on another thread. On P processors no
// schedule that leaves none idle takes longer than
//     T_P = T1 / P + (1 - 1 / P) C                                                                               (1)
// [Graham 1966]. The length of segments is the best one for each P. Memory bandwidth is not in it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "bench/suite.h"
#include "bench/timing.h"
#include "linchpin/contact/formulation.h"
#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"
#include "linchpin/dynamics/divide_conquer/fork_join.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr const char* suite = "hybrid";
constexpr int largest_dense = 300;  // links; above that a step takes milliseconds
constexpr Method engines[] = {Method::os, Method::hybrid_aba, Method::hybrid_dca, Method::multipliers,
                              Method::hybrid_dense};

std::string text_of(double us) {
  char text[32];
  std::snprintf(text, sizeof text, us < 10 ? "%.2f" : us < 1000 ? "%.1f" : "%.0f", us);
  return text;
}

// ---- posing ---------------------------------------------------------------------------------------------------------

struct Case {
  std::string name;
  int contacts;
  bool quick;
  int copies = 1;  // of the scene, in one model
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int links : {7, 30, 100, 1000, 10000, 100000})
    for (const int contacts : {0, 1, 2, 8, 20})
      if (links >= contacts)
        all.push_back({"@chain:links=" + std::to_string(links), contacts, links <= 100 && contacts <= 2});
  for (const int contacts : {0, 1, 4, 8, 20}) all.push_back({"@humanoid", contacts, contacts == 4});
  for (const int contacts : {8, 32}) all.push_back({"@quadruped", contacts, false, 8});
  return all;
}

ModelSpec spec_of(const Case& c) {
  const ModelSpec one = scene(c.name).value();
  ModelSpec all = one;
  for (int k = 1; k < c.copies; ++k) {
    const std::string more = "_" + std::to_string(k);
    for (BodySpec body : one.bodies) {
      body.name += more;
      all.bodies.push_back(std::move(body));
    }
    for (JointSpec joint : one.joints) {
      joint.name += more;
      joint.child += more;
      if (joint.parent != "world") joint.parent += more;
      all.joints.push_back(std::move(joint));
    }
  }
  return all;
}
std::string title_of(const Case& c) { return c.copies == 1 ? c.name : std::to_string(c.copies) + " x " + c.name; }

// The parts of a motive, and contacts spread evenly over the links from the last one on.
struct Posed {
  explicit Posed(const Case& c)
      : model(compile(spec_of(c)).value()),
        plan(model),
        state(random_state(model, 1, 3, 0.05)),
        kin(plan),
        vel(model),
        tau(model.nv(), 0.0) {
    kinematics<double>(plan, state.q, kin);
    velocities(model, kin, state.v, vel);
    const int links = int(model.links().size()) - 1;
    for (int k = 0; k < c.contacts; ++k) add_contact(links - int(long(k) * links / c.contacts));
  }
  void add_contact(int link) {
    const Vec3<double> axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    rows.begin_block(BlockKind::cone, 3, 0.5);
    for (const Vec3<double>& axis : axes) {
      rows.add_side(link, {cross(Vec3<double>{0.1, 0.05, 0.02}, axis), axis});
      rows.end_row(0);
    }
  }
  Motive motive() const { return {model, plan, kin, vel, state.q, state.v, tau, {}, 1e-3}; }

  Model model;
  Plan<double> plan;
  State state;
  Kinematics<double> kin;
  Velocities vel;
  std::vector<double> tau;
  Rows rows;
};

// One engine on one case, ready to be repeated.
struct Engine1 {
  Engine1(Method method, const Posed& posed)
      : formulation(make_formulation(method, posed.model, posed.plan).value()),
        z(posed.rows.size(), 0.01),
        v(posed.model.nv()),
        impulses(posed.rows.size()) {}
  std::unique_ptr<Formulation> formulation;
  Problem problem;
  std::vector<double> z, v, impulses;
};

void time_posing(const BenchOptions& options, const TimingOptions& timing, const BenchProgress& progress,
                 BenchReport& report) {
  BenchTable table{"pose and lift: us, smallest (- : more than " + std::to_string(largest_dense) + " links)",
                   "lrrrrrrr",
                   {"case", "dof", "contacts", "os", "hybrid_aba", "hybrid_dca", "multipliers", "hybrid_dense"},
                   {}};
  std::vector<Case> all = cases();
  if (options.quick) std::erase_if(all, [](const Case& c) { return !c.quick; });
  std::optional<double> worst_few, worst_all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    if (!progress(0.7 * double(i) / double(all.size()), title_of(c) + ", " + std::to_string(c.contacts) + " contacts"))
      return;
    const Posed posed(c);
    const Motive motive = posed.motive();
    std::vector<std::unique_ptr<Engine1>> workers;
    std::vector<Repeated> work;
    for (const Method method : engines) {
      if (method == Method::hybrid_dense && posed.model.nv() > largest_dense) continue;
      workers.push_back(std::make_unique<Engine1>(method, posed));
      Engine1& e = *workers.back();
      work.push_back(repeated([&e, &motive, &posed] {
        e.formulation->pose(motive, posed.rows, e.problem);
        e.formulation->lift(motive, posed.rows, e.z, e.v, e.impulses);
      }));
    }
    const std::vector<Timing> timings = time_together(work, timing);
    std::vector<std::string> cells{title_of(c), std::to_string(posed.model.nv()), std::to_string(c.contacts)};
    for (std::size_t k = 0; k < std::size(engines); ++k) {
      if (k >= timings.size()) {
        cells.emplace_back("-");
        continue;
      }
      const double us = 1e6 * timings[k].minimum;
      cells.push_back(text_of(us));
      BenchRow row{.suite = suite,
                   .bench_case = title_of(c) + ", " + std::to_string(c.contacts) + " contacts, " +
                                 std::string(to_string(engines[k])),
                   .size = posed.model.nv(),
                   .metric = "pose and lift",
                   .unit = "us",
                   .value = us,
                   .median = 1e6 * timings[k].median,
                   .who = "linchpin",
                   .scalar = "double"};
      if (k > 0) row.ratio["os"] = timings[0].minimum / timings[k].minimum;
      report.rows.push_back(std::move(row));
      if (engines[k] != Method::hybrid_aba) continue;
      const double ratio = timings[k].minimum / timings[0].minimum;
      std::optional<double>& worst = c.contacts <= 2 ? worst_few : worst_all;
      worst = std::max(worst.value_or(0), ratio);
    }
    table.rows.push_back(std::move(cells));
  }
  report.tables.push_back(std::move(table));
  report.targets.push_back({"hybrid_aba over os, up to 2 contacts, every size", "x", true, 2, worst_few});
  report.targets.push_back({"hybrid_aba over os, 4 to 20 contacts, every size", "x", true, 2, worst_all});
}

// ---- several processors ---------------------------------------------------------------------------------------------

// Seconds of wall time per call, smallest of many; contenders take turns.
std::vector<double> wall_times(const std::vector<Repeated>& work, double budget) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](const Repeated& f, int times) {
    const Clock::time_point start = Clock::now();
    f(times);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::vector<int> times;
  for (const Repeated& f : work) times.push_back(std::max(1, int(500e-6 / seconds(f, 1))));
  std::vector<double> best(work.size(), 1e300);
  const Clock::time_point start = Clock::now();
  for (int round = 0;
       round < 10 || std::chrono::duration<double>(Clock::now() - start).count() < budget * double(work.size());
       ++round)
    for (std::size_t k = 0; k < work.size(); ++k) best[k] = std::min(best[k], seconds(work[k], times[k]) / times[k]);
  return best;
}

struct Chain {
  explicit Chain(int links)
      : model(compile(scene("@chain:links=" + std::to_string(links)).value()).value()),
        plan(model),
        state(random_state(model, 1, 3, 0.05)),
        tau(model.nv(), 0.0),
        vdot(model.nv()),
        aba_ws(plan) {}
  Repeated by_aba() {
    return repeated([this] { aba<double>(plan, state.q, state.v, tau, {}, aba_ws, vdot); });
  }
  Repeated by_assembly(int segment, ForkJoin* threads) {
    auto tree = std::make_shared<AssemblyTree>(model, plan, segment);
    auto ws = std::make_shared<AssemblyWorkspace>(plan, *tree);
    return repeated(
        [this, tree, ws, threads] { divide_and_conquer(plan, *tree, state.q, state.v, tau, {}, threads, *ws, vdot); });
  }
  Model model;
  Plan<double> plan;
  State state;
  std::vector<double> tau, vdot;
  AbaWorkspace<double> aba_ws;
};

// Seconds to hand half of the work to another thread and to wait for it: a tree of nothing but that.
double time_of_start(ForkJoin& threads) {
  constexpr int depth = 8;
  struct Tree {
    static void fork(int left) {
      if (left > 0) ForkJoin::both([left] { fork(left - 1); }, [left] { fork(left - 1); });
    }
  };
  const std::vector<Repeated> work{repeated([&] { threads.run([] { Tree::fork(depth); }); })};
  return 2 * wall_times(work, 0.2)[0] / ((1 << depth) - 1);  // two threads share them
}

// T1 and C of (1), seconds.
struct Work {
  double total, path;
  double on(int processors) const { return total / processors + (1 - 1.0 / processors) * path; }
};
Work work_of(const AssemblyTree& tree, const AssemblyTree::Costs& costs, int links) {
  const int joins = int(tree.nodes().size()) - tree.segments();
  return {costs.link * links + costs.join * joins + costs.start * joins, tree.critical_path(costs)};
}
Work best_work(const Chain& chain, const AssemblyTree::Costs& costs, int processors, int& segment) {
  Work best{1e300, 1e300};
  for (const int length : {4, 8, 16, 32, 64, 128, 512, 2048, 8192}) {
    const Work w = work_of(AssemblyTree(chain.model, chain.plan, length), costs, chain.model.nv());
    if (w.on(processors) < best.on(processors)) best = w, segment = length;
  }
  return best;
}

void time_threads(const BenchOptions& options, const BenchProgress& progress, BenchReport& report) {
  BenchTable table{
      "accelerations by divide and conquer: us of wall time, smallest",
      "rrrrrrrrr",
      {"links", "segments of", "depth", "aba", "1 thread", "2 threads", "over aba", "speed-up", "model, 2 threads"},
      {}};
  BenchTable model{"the model: from how many processors on divide and conquer overtakes aba, and us on P of them",
                   "rrrrrrrrr",
                   {"links", "aba", "from P", "P = 4", "16", "64", "256", "1024", "segment at 1024"},
                   {}};
  ForkJoin two(2);
  Chain measured(1000);
  const std::vector<double> serial =
      wall_times({measured.by_assembly(8, nullptr), measured.by_assembly(16, nullptr)}, options.quick ? 0.05 : 0.5);
  // T1 = links c_link + joins c_join at two lengths of segments.
  const double joins8 = 1000.0 / 8 - 1, joins16 = std::ceil(1000.0 / 16) - 1;
  AssemblyTree::Costs costs;
  costs.join = std::max(0.0, (serial[0] - serial[1]) / (joins8 - joins16));
  costs.link = (serial[0] - joins8 * costs.join) / 1000;
  costs.start = time_of_start(two);
  char note[200];
  std::snprintf(note, sizeof note,
                "model: a link in a segment %.0f ns, a join %.0f ns, a start on another thread %.0f ns",
                1e9 * costs.link, 1e9 * costs.join, 1e9 * costs.start);
  report.notes.emplace_back(note);
  std::optional<double> least_speed_up, most_over_aba;
  const std::vector<int> lengths =
      options.quick ? std::vector<int>{100, 1000} : std::vector<int>{30, 100, 1000, 2000, 10000, 100000};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const int links = lengths[i];
    if (!progress(0.7 + 0.3 * double(i) / double(lengths.size()), std::to_string(links) + " links on two threads"))
      return;
    Chain chain(links);
    const int length = AssemblyTree::usual_segment(chain.model);
    const AssemblyTree tree(chain.model, chain.plan, length);
    const std::vector<double> t =
        wall_times({chain.by_aba(), chain.by_assembly(length, nullptr), chain.by_assembly(length, &two)},
                   options.quick ? 0.05 : 0.5);
    const double speed_up = t[1] / t[2], over = t[1] / t[0];
    if (links >= 1000) least_speed_up = std::min(least_speed_up.value_or(1e300), speed_up);
    most_over_aba = std::max(most_over_aba.value_or(0), over);
    char ratio[3][32];
    std::snprintf(ratio[0], sizeof ratio[0], "%.2f", over);
    std::snprintf(ratio[1], sizeof ratio[1], "%.2f", speed_up);
    table.rows.push_back({std::to_string(links), std::to_string(length), std::to_string(tree.depth()),
                          text_of(1e6 * t[0]), text_of(1e6 * t[1]), text_of(1e6 * t[2]), ratio[0], ratio[1],
                          text_of(1e6 * work_of(tree, costs, links).on(2))});
    const char* const who[] = {"aba", "1 thread", "2 threads"};
    for (std::size_t k = 0; k < 3; ++k)
      report.rows.push_back({.suite = suite,
                             .bench_case = "@chain:links=" + std::to_string(links) + ", " + who[k],
                             .size = links,
                             .metric = "accelerations",
                             .unit = "us",
                             .value = 1e6 * t[k],
                             .who = "linchpin",
                             .scalar = "double"});
    std::vector<std::string> cells{std::to_string(links), text_of(1e6 * t[0])};
    int segment = 0, from = 0;
    for (int P = 1; P <= 1024 && from == 0; ++P)
      if (best_work(chain, costs, P, segment).on(P) < t[0]) from = P;
    cells.push_back(from > 0 ? std::to_string(from) : "never");
    for (const int P : {4, 16, 64, 256, 1024})
      cells.push_back(text_of(1e6 * best_work(chain, costs, P, segment).on(P)));
    cells.push_back(std::to_string(segment));
    model.rows.push_back(std::move(cells));
    report.rows.push_back({.suite = suite,
                           .bench_case = "@chain:links=" + std::to_string(links),
                           .size = links,
                           .metric = "from processors",
                           .unit = "1",
                           .value = from > 0 ? std::optional<double>(from) : std::nullopt,
                           .reason = from > 0 ? "" : "not on 1024 processors",
                           .who = "linchpin",
                           .scalar = "double"});
  }
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(model));
  report.targets.push_back({"one thread over aba, per link", "x", true, 4, most_over_aba});
  report.targets.push_back({"two threads: speed-up from 1000 links on", "x", false, 1.6, least_speed_up});
}

// ---- depth ----------------------------------------------------------------------------------------------------------

void add_link(ModelSpec& spec, const std::string& name, const std::string& parent) {
  BodySpec body;
  body.name = name;
  body.inertia = {1, {0, 0, -0.5}, Sym3<double>::diagonal(0.1, 0.1, 0.02)};
  spec.bodies.push_back(std::move(body));
  JointSpec joint;
  joint.name = joint.child = name;
  joint.parent = parent;
  joint.type = JointType::revolute;
  joint.axis = {0, 1, 0};
  joint.X_PF.p = {0, 0, -1};
  spec.joints.push_back(std::move(joint));
}

// `arms` chains of `length` links: all on one link, or each on a link of a chain of its own.
ModelSpec arms_on(bool comb, int arms, int length) {
  ModelSpec spec;
  const auto base = [&](int arm) { return comb ? "base_" + std::to_string(arm) : std::string("base"); };
  for (int a = 0; a < (comb ? arms : 1); ++a) add_link(spec, base(a), a == 0 ? "world" : base(a - 1));
  for (int a = 0; a < arms; ++a)
    for (int k = 0; k < length; ++k) {
      const auto name = [&](int link) { return "arm_" + std::to_string(a) + "_" + std::to_string(link); };
      add_link(spec, name(k), k == 0 ? base(a) : name(k - 1));
    }
  return spec;
}

void show_depths(BenchReport& report) {
  BenchTable table{"depth of assembly trees, in nodes", "lrrr", {"mechanism", "links", "segments", "depth"}, {}};
  const auto show = [&](const std::string& name, const ModelSpec& spec) {
    const Model model = compile(spec).value();
    const AssemblyTree tree(model, Plan<double>(model), AssemblyTree::usual_segment(model));
    table.rows.push_back({name, std::to_string(model.links().size() - 1), std::to_string(tree.segments()),
                          std::to_string(tree.depth())});
  };
  for (const char* name :
       {"@chain:links=1000", "@humanoid", "@quadruped", "@dual_arm", "@forest", "@random_tree:bodies=1000,seed=1"})
    show(name, scene(name).value());
  show("star: 100 arms of 10 links on one", arms_on(false, 100, 10));
  show("comb: 100 arms of 10 links on a chain", arms_on(true, 100, 10));
  report.tables.push_back(std::move(table));
}

}  // namespace

BenchReport bench_hybrid(const BenchOptions& options, const BenchProgress& progress) {
  BenchReport report;
  TimingOptions timing{.sample = 100e-6, .budget = 0.15, .fewest = 5, .most = 300};
  if (options.quick) timing = {.sample = 60e-6, .budget = 0.02, .fewest = 3, .most = 50};
  report.notes.emplace_back("no peer has divide and conquer or these engines; os is the reference");
  show_depths(report);
  time_posing(options, timing, progress, report);
  time_threads(options, progress, report);
  return report;
}

}  // namespace linchpin
