// osim/timing: 001 section 4, the time of computing the operational-space inertia, and its growth.
//
// The paper's robot has 24 links and two hands; its algorithm is O(n m + m^3) where symbolic methods are O(n^3 + m^3).
// Ours passes every joint once, whatever the number of nodes: O(n + m^2) for the inverse inertia, and O(m^3) to invert
// it. It is compared with the dense way, on chains and on trees.
#include "apps/reproduce/osim_timing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/reproduce/reproduction.h"
#include "bench/dense_compliance.h"
#include "linchpin/base/larger.h"
#include "linchpin/dynamics/compliance/operational_inertia.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

using Measured = OsimMeasured;

Model model_of(const std::string& text) { return compile(scene(text).value()).value(); }

// The exponent of growth from one size to the next.
double exponent(double x0, double t0, double x1, double t1) { return std::log(t1 / t0) / std::log(x1 / x0); }

Table table_of(const std::string& title, const std::vector<Measured>& rows) {
  Table table{
      title, "rrrrrr", {"dof", "nodes", "J M^-1 J', us", "its inverse, us", "dense J M^-1 J', us", "dense over ours"}};
  for (const Measured& r : rows)
    table.rows.push_back({std::to_string(r.n), std::to_string(r.m), fmt::format("{:.3g}", r.ours),
                          fmt::format("{:.3g}", r.inversion), fmt::format("{:.3g}", r.dense),
                          fmt::format("{:.1f}", r.dense / r.ours)});
  return table;
}
Plot plot_of(const std::string& title, const std::string& x, bool by_nodes, const std::vector<Measured>& rows) {
  Plot plot{.title = title, .x_label = x, .y_label = "us", .log_x = true, .log_y = true};
  Series ours{"J M^-1 J', linchpin", {}}, dense{"the dense way", {}};
  for (const Measured& r : rows) {
    ours.points.emplace_back(by_nodes ? r.m : r.n, r.ours);
    dense.points.emplace_back(by_nodes ? r.m : r.n, r.dense);
  }
  plot.series = {ours, dense};
  return plot;
}

}  // namespace

std::vector<Node> both_hands(const Model& model) {
  std::vector<Node> nodes;
  for (const Frame& frame : model.frames())
    if (frame.name == "left_hand" || frame.name == "right_hand") nodes.push_back({frame.body, frame.X_BF});
  return nodes;
}

OsimMeasured measure_osim(const Model& model, const std::vector<Node>& nodes, const TimingOptions& timing) {
  const std::vector<double> q = random_state(model, 1).q;
  const Plan<double> plan(model);
  const NodeTree<double> tree(model, plan, nodes);
  ArticulatedFactor<double> factors(plan);
  Compliance<double> compliance(tree);
  const int rows = 6 * int(nodes.size());
  std::vector<double> inverse(std::size_t(rows) * std::size_t(rows)), inertia(inverse.size());
  OperationalInertia invert(rows);
  DenseCompliance dense(model, nodes, q);
  const Repeated work[] = {repeated([&] {
                             factor<double>(plan, q, factors);
                             compound_paths<double>(plan, tree, factors, compliance);
                             compliance_matrix<double>(tree, compliance, inverse);
                           }),
                           repeated([&] { invert.invert(inverse, inertia); }), repeated([&] { dense.run(); })};
  work[0](1);
  const std::vector<Timing> t = time_together(work, timing);
  return {model.nv(),         int(nodes.size()),  1e6 * t[0].minimum,
          1e6 * t[1].minimum, 1e6 * t[2].minimum, largest_difference(inverse, dense.matrix())};
}

Reproduction reproduce_osim_timing(const ReproduceOptions& options, const ReproduceProgress& progress) {
  pin_to_one_core();
  const TimingOptions timing{.sample = 60e-6, .budget = options.quick ? 0.02 : 0.1, .fewest = 3, .most = 300};
  const std::vector<int> sizes =
      options.quick ? std::vector<int>{16, 32, 64} : std::vector<int>{16, 32, 64, 128, 256, 512};
  const std::vector<int> counts = options.quick ? std::vector<int>{1, 4, 8} : std::vector<int>{1, 2, 4, 8, 16, 32};
  const int size_for_counts = options.quick ? 64 : 256;
  const double parts = double(1 + 2 * (sizes.size() + counts.size()));
  double done = 0;
  const auto next = [&](const std::string& what) { return progress(done++ / parts, what); };

  if (!next("humanoid with two hands")) return {};
  const Model robot = model_of("@humanoid24");
  const Measured paper = measure_osim(robot, both_hands(robot), timing);
  const char* kinds[] = {"chains", "trees"};
  std::vector<Measured> by_size[2], by_count[2];
  for (int kind = 0; kind < 2; ++kind) {
    const auto mechanism = [&](int n) {
      return model_of(kind == 0 ? fmt::format("@chain:links={}", n) : fmt::format("@random_tree:bodies={},seed=1", n));
    };
    for (const int n : sizes) {
      if (!next(fmt::format("{} of {} bodies", kinds[kind], n))) return {};
      const Model model = mechanism(n);
      by_size[kind].push_back(measure_osim(model, spread_nodes(model, 2), timing));
    }
    const Model model = mechanism(size_for_counts);
    for (const int m : counts) {
      if (!next(fmt::format("{} of {} bodies with {} nodes", kinds[kind], size_for_counts, m))) return {};
      by_count[kind].push_back(measure_osim(model, spread_nodes(model, m), timing));
    }
  }

  double worst = paper.difference;
  for (int kind = 0; kind < 2; ++kind)
    for (const std::vector<Measured>* rows : {&by_size[kind], &by_count[kind]})
      for (const Measured& r : *rows) worst = larger(worst, r.difference);
  const auto growth = [](const std::vector<Measured>& rows, double Measured::*time) {
    const Measured &a = rows[rows.size() - 2], &b = rows.back();
    return exponent(a.n, a.*time, b.n, b.*time);
  };
  const double ours_n = growth(by_size[0], &Measured::ours), dense_n = growth(by_size[0], &Measured::dense);
  const double ours_m = by_count[0].back().ours / by_count[0].front().ours,
               dense_m = by_count[0].back().dense / by_count[0].front().dense;

  Reproduction result;
  result.claims = {
      // Long chains are ill-conditioned: one ulp of the mass matrix changes the result by 1e-8 at 300 links.
      {"the recursion gives J M^-1 J'", "Table 1, derived",
       fmt::format("the dense product differs by {:.1e} at most", worst), worst <= 1e-6},
      {"24 links, two hands", "less than 1 ms on a 266 MHz Pentium II, servo at 300 Hz",
       fmt::format("{:.2f} us and {:.2f} us to invert it: {:.0f} kHz", paper.ours, paper.inversion,
                   1e3 / (paper.ours + paper.inversion)),
       paper.ours + paper.inversion < 1000, "timing"},
      {"linear in the number of links", "O(n m + m^3), where others need O(n^3 + m^3)",
       fmt::format("chains, {} to {} links: as n^{:.2f}; the dense way as n^{:.2f}",
                   by_size[0][by_size[0].size() - 2].n, by_size[0].back().n, ours_n, dense_n),
       ours_n < 1.3 && ours_n < dense_n, "timing"},
      {"better than that in the number of nodes", "O(n m)",
       fmt::format("chain of {}: {} nodes cost {:.1f} times one, by the dense way {:.1f} times", size_for_counts,
                   counts.back(), ours_m, dense_m),
       ours_m < double(counts.back()), "timing"},
  };
  result.account.push_back(Paragraph{
      "A force at one node moves all of them. J M^-1 J' says by how much; its inverse is the operational-space "
      "inertia. "
      "Times are the smallest of many samples in one thread, ours from q alone (articulated inertias included); the "
      "dense way makes the mass matrix, factors it, and solves for every row of the Jacobian."});
  result.account.push_back(table_of("The paper's robot: 24 links, both hands", {paper}));
  for (int kind = 0; kind < 2; ++kind) {
    result.account.push_back(Heading{kind == 0 ? "Chains of hinges" : "Random trees with every kind of joint"});
    result.account.push_back(table_of("By size, two nodes", by_size[kind]));
    result.account.push_back(plot_of("Time by size, two nodes", "degrees of freedom", false, by_size[kind]));
    result.account.push_back(
        table_of(fmt::format("By the number of nodes, {} bodies", size_for_counts), by_count[kind]));
    result.account.push_back(plot_of("Time by the number of nodes", "nodes", true, by_count[kind]));
  }
  return result;
}

}  // namespace linchpin
