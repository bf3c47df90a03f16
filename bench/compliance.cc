// Suite `compliance`: J M^-1 J' of six-dimensional nodes, by length of chain and number of nodes, scalar and packed,
// beside the dense way.
//
// | metric         | what is timed                                                                                    |
// |----------------|--------------------------------------------------------------------------------------------------|
// | from q         | factors, paths and matrix, from q alone                                                          |
// | after factors  | paths and matrix, the articulated factors being there                                            |
// | dense          | from q: mass matrix, its factors, Jacobian of every node, a solution for each row, the product   |
//
// Times are per call and world.
#include "linchpin/dynamics/compliance.h"

#include <cmath>
#include <optional>

#include "bench/dense_compliance.h"
#include "bench/suite.h"
#include "bench/timing.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr const char* suite = "compliance";
constexpr const char* from_q = "from q";
constexpr const char* after_factors = "after factors";
constexpr const char* dense_way = "dense";
constexpr int largest_dense = 100;  // degrees of freedom

struct Case {
  std::string scene;
  int nodes;
  bool quick;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* scene : {"@chain:links=30", "@chain:links=100", "@chain:links=1000", "@humanoid24", "@humanoid"})
    for (const int nodes : {1, 2, 4, 8, 16})
      all.push_back({scene, nodes, nodes == 4 && scene != std::string("@chain:links=1000")});
  return all;
}

template <class T>
class Ours {
 public:
  using Real = typename Plan<T>::Real;
  static constexpr int worlds = Lanes<T>::worlds;

  Ours(const Model& model, const std::vector<Node>& nodes)
      : plan_(model), tree_(model, plan_, nodes), factors_(plan_), compliance_(tree_) {
    q_.resize(std::size_t(model.nq() * worlds));
    matrix_.resize(36 * nodes.size() * nodes.size() * std::size_t(worlds));
    for (int w = 0; w < worlds; ++w) {
      const State state = random_state(model, std::uint64_t(1 + w));
      for (std::size_t i = 0; i < state.q.size(); ++i)
        q_[i * std::size_t(worlds) + std::size_t(w)] = static_cast<Real>(state.q[i]);
    }
    factor<T>(plan_, q_, factors_);
    matrix();
  }
  void matrix() {
    compound_paths<T>(plan_, tree_, factors_, compliance_);
    compliance_matrix<T>(tree_, compliance_, matrix_);
  }
  Repeated timed(const std::string& metric) {
    if (metric == after_factors) return repeated([this] { matrix(); });
    return repeated([this] {
      factor<T>(plan_, q_, factors_);
      matrix();
    });
  }
  const std::vector<Real>& result() const { return matrix_; }

 private:
  Plan<T> plan_;
  NodeTree<T> tree_;
  ArticulatedFactor<T> factors_;
  Compliance<T> compliance_;
  std::vector<Real> q_, matrix_;
};

struct Contender {
  std::string metric, scalar;
  int worlds;
  Repeated work;
};

}  // namespace

BenchReport bench_compliance(const BenchOptions& options, const BenchProgress& progress) {
  BenchReport report;
  const int core = pin_to_one_core();
  report.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                   : "this system does not let us pin a thread to a core");
  TimingOptions timing;
  if (options.quick) timing = {.sample = 60e-6, .budget = 0.03, .fewest = 3, .most = 100};
  std::vector<Case> all = cases();
  if (options.quick) std::erase_if(all, [](const Case& c) { return !c.quick; });
  BenchTable table{"J M^-1 J' of six-dimensional nodes: us per call and world, smallest",
                   "lrrrrrrrrr",
                   {"case", "dof", "nodes", "from q", "after factors", "4 doubles", "8 doubles", "16 floats", "dense",
                    "dense over ours"},
                   {}};
  std::map<std::string, double> found;  // "scene nodes metric scalar" -> us
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    if (!progress(double(i) / double(all.size()), c.scene + ", " + std::to_string(c.nodes) + " nodes")) break;
    const Model model = compile(scene(c.scene).value()).value();
    const std::vector<Node> nodes = spread_nodes(model, c.nodes);
    Ours<double> one(model, nodes);
    Ours<Double4> four(model, nodes);
    Ours<Double8> eight(model, nodes);
    Ours<Float16> sixteen(model, nodes);
    std::optional<DenseCompliance> dense;
    if (model.nv() <= largest_dense) dense.emplace(model, nodes, random_state(model, 1).q);
    if (dense && !(largest_difference(one.result(), dense->matrix()) <= 1e-6))
      report.notes.push_back(c.scene + ": the dense way gives another matrix");
    std::vector<Contender> scalars{{from_q, "double", 1, one.timed(from_q)},
                                   {after_factors, "double", 1, one.timed(after_factors)}};
    if (dense) scalars.push_back({dense_way, "double", 1, repeated([&dense] { dense->run(); })});
    std::vector<Contender> packs{{from_q, "4 doubles", 4, four.timed(from_q)},
                                 {from_q, "8 doubles", 8, eight.timed(from_q)},
                                 {from_q, "16 floats", 16, sixteen.timed(from_q)}};
    std::vector<std::string> cells{c.scene, std::to_string(model.nv()), std::to_string(c.nodes)};
    double ours = 0, theirs = 0;
    for (std::vector<Contender>* group : {&scalars, &packs}) {  // packs by themselves: they lower the clock
      std::vector<Repeated> work;
      for (const Contender& x : *group) work.push_back(x.work);
      const std::vector<Timing> timings = time_together(work, timing);
      for (std::size_t k = 0; k < group->size(); ++k) {
        const Contender& x = (*group)[k];
        const double us = 1e6 * timings[k].minimum / x.worlds;
        found[c.scene + " " + std::to_string(c.nodes) + " " + x.metric + " " + x.scalar] = us;
        report.rows.push_back({.suite = suite,
                               .bench_case = c.scene + ", " + std::to_string(c.nodes) + " nodes",
                               .size = model.nv(),
                               .metric = x.metric,
                               .unit = "us",
                               .value = us,
                               .reason = {},
                               .median = 1e6 * timings[k].median / x.worlds,
                               .who = "linchpin",
                               .scalar = x.scalar,
                               .ratio = {}});
        if (x.metric == dense_way) {
          theirs = us;
          continue;
        }
        if (x.metric == from_q && x.scalar == "double") ours = us;
        char text[32];
        std::snprintf(text, sizeof text, us < 10 ? "%.2f" : "%.1f", us);
        cells.emplace_back(text);
      }
    }
    char text[2][32] = {"-", "-"};
    if (theirs > 0) {
      std::snprintf(text[0], sizeof text[0], "%.1f", theirs);
      std::snprintf(text[1], sizeof text[1], "%.1fx", theirs / ours);
    }
    cells.emplace_back(text[0]);
    cells.emplace_back(text[1]);
    table.rows.push_back(std::move(cells));
  }
  report.tables.push_back(std::move(table));
  const auto value = [&](const std::string& key) {
    const auto at = found.find(key);
    return at == found.end() ? std::optional<double>() : at->second;
  };
  const std::string robot = "@humanoid 4 ";
  report.targets.push_back({"humanoid, 4 nodes, from q", "us", true, 2.2, value(robot + from_q + " double")});
  report.targets.push_back({"humanoid, 4 nodes, 8 worlds", "us", true, 0.65, value(robot + from_q + " 8 doubles")});
  report.targets.push_back(
      {"humanoid, 4 nodes, on top of the factors", "us", true, 0.6, value(robot + after_factors + " double")});
  return report;
}

}  // namespace linchpin
