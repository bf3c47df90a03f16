// multipliers/section9: 004 section 9, Lagrange multipliers in linear time: the paper's four systems, and how time
// grows.
//
// The paper's times are of a 250 MHz R4400; only ratios can be compared: the share of J, the cost of a solution
// relative to the factors, the cost of auxiliary constraints, and the ratio to the dense O(n^3) way. The paper does
// not describe its systems: ours have its numbers of bodies and rows. The dense way, the sparse solvers and
// conjugate gradients are Eigen's, compiled for this machine; their times do not include making the blocks.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "apps/reproduce/reproduction.h"
#include "apps/reproduce/section9_systems.h"
#include "bench/forest_timing.h"
#include "linchpin/base/larger.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"

namespace linchpin {
namespace {

// The paper's figures for a system, ms; 0: not given.
struct TimesOf004 {
  double all, J;
  double dense_over;  // speed-up
};

struct Measured {
  std::string name;
  TimesOf004 paper;
  int bodies = 0, primary = 0, auxiliary = 0;
  double all = 0, J = 0;                               // us: the system's accelerations; its Jacobians alone
  double factor = 0, solve = 0, solve8 = 0, both = 0;  // of the primary constraints' matrix
  double matrix = 0;                                   // the k x k matrix of the auxiliary constraints
  double blocks = 0;                                   // from given blocks: factors, auxiliary ones, solutions
  double dense = 0, sparse = 0, cg = 0, cg_rough = 0;  // factors and a solution, all rows
  int iterations = 0, iterations_rough = 0;
  std::string best_sparse;
  double condition = 0, difference = 0, dense_difference = 0;  // of the multipliers, as a part of the largest
  long numbers = 0, factor_numbers = 0;                        // below the diagonal: of the matrix, of its factors
  int pushing = 0;                                             // contacts with a force
  double auxiliary_error = 0;                                  // |J^a y - r| of active rows, relative to its terms
  double contact_residual = 0;
  double blocks_difference = 0;  // of accelerations, from blocks and by the system
  bool solved = false;

  double bound() const { return 100 * std::numeric_limits<double>::epsilon() * condition; }
  double speed_up() const { return dense / blocks; }
  double speed_up_in_all() const { return (all - blocks + dense) / all; }
};

double difference(std::span<const double> a, std::span<const double> b) {
  double far = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    far = larger(far, std::abs(a[i] - b[i]));
    largest = larger(largest, std::abs(b[i]));
  }
  return largest == 0 ? far : far / largest;
}

Measured measure(Section9System& s, const TimesOf004& paper, const TimingOptions& timing) {
  Measured m;
  m.name = s.name;
  m.paper = paper;
  m.bodies = s.system.bodies();
  m.primary = s.primary_rows;
  m.auxiliary = s.auxiliary_rows;
  std::vector<double> vdot(s.state.v.size());
  m.solved = s.system.accelerations(s.state, {}, vdot) == MultiplierStatus::solved;

  // All active rows, by the dense way.
  std::vector<double> l;
  BlockSystem blocks = blocks_of(s, l);
  std::vector<double> y_dense(blocks.F.size()), l_dense(blocks.r.size());
  const std::unique_ptr<GeneralSolver> dense = make_general(General::dense_of_A, blocks);
  m.solved = m.solved && dense->factor();
  dense->solve(blocks.F, blocks.r, y_dense, l_dense);
  m.condition = condition_of_A(blocks);
  m.difference = difference(l, l_dense);
  m.auxiliary_error = blocks.residual(vdot, l);
  m.pushing = blocks.total_rows() - m.primary;
  if (s.contacts)
    m.contact_residual = larger(s.contacts->report().residual.relative, s.contacts->report().residual.plain_relative);

  // The primary rows by the forest, and the fill-in of a sparse solver that is given its order.
  BlockSystem primary = primary_blocks_of(s);
  const ConstraintForest forest = forest_of(primary);
  set_order(forest, primary);
  ForestFactors factors(forest);
  load(primary, factors);
  const std::unique_ptr<GeneralSolver> in_order = make_general(General::ldlt_in_our_order, primary);
  m.numbers = primary.numbers_below_diagonal();
  if (in_order->factor()) m.factor_numbers = in_order->nonzeros();

  std::vector<double> y(primary.F.size()), y8(8 * y.size()), l_primary(primary.r.size()), l8(8 * l_primary.size()),
      r8(l8);
  AuxiliaryRows rows(forest);
  for (const int c : s.auxiliary) {
    const RowBlocks& at = s.system.evaluate(s.state, c);
    const MultiplierSpec::Held& held = s.system.spec().constraints[c];
    for (int row = 0; row < held.constraint->rows(); ++row) {
      rows.begin_row();
      for (std::size_t k = 0; k < held.bodies.size(); ++k) {
        if (held.bodies[k] == world_body) continue;
        const std::size_t size = std::size_t(forest.size(held.bodies[k]));
        rows.add(held.bodies[k], at.J(int(k)).subspan(std::size_t(row) * size, size));
      }
    }
  }
  // The computation of the system from given blocks.
  std::vector<AuxiliaryBlock> laws;
  for (const int c : s.auxiliary) {
    const AnyConstraint& constraint = *s.system.spec().constraints[c].constraint;
    laws.push_back({laws.empty() ? 0 : laws.back().first + laws.back().rows, constraint.rows(), constraint.law()});
  }
  std::unique_ptr<AuxiliarySolver> auxiliary_solver;
  if (s.contacts)
    auxiliary_solver = std::make_unique<AuxiliaryProblem>();
  else
    auxiliary_solver = std::make_unique<EqualitySolver>();
  std::vector<double> F, b(m.auxiliary), mu(b), r_auxiliary;
  for (const int c : s.auxiliary)
    for (const double c_of_row : s.system.evaluate(s.state, c).c) r_auxiliary.push_back(-c_of_row);
  const auto from_blocks = [&] {
    factors.factor_and_solve(primary.F, primary.r, y, l_primary);
    if (b.empty()) return;
    const std::span<const double> A = rows.form(factors);
    auxiliary_solver->prepare(A, rows.sizes(), true, laws);
    rows.times(y, b);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] -= r_auxiliary[i];
    auxiliary_solver->solve(b, mu);
    F = primary.F;
    rows.add_force(mu, F);
    factors.solve(F, primary.r, y, l_primary);
  };
  from_blocks();
  m.blocks_difference = difference(y, vdot);

  // The best of the general sparse solvers. With loops no order is free of fill-in, so only solvers that choose their
  // own order take part.
  std::vector<General> kinds{General::llt_of_A, General::lu};
  if (is_here(General::cholmod_of_A)) kinds.push_back(General::cholmod_of_A);
  if (m.auxiliary == 0) {
    set_order(forest, blocks);
    kinds.push_back(General::ldlt_in_our_order);
  }
  std::vector<std::unique_ptr<GeneralSolver>> solvers;
  for (const General kind : kinds) solvers.push_back(make_general(kind, blocks));
  const std::unique_ptr<GeneralSolver> cg = make_general(General::cg_of_A, blocks),
                                       cg_rough = make_general(General::cg_of_A, blocks, {.tolerance = 1e-3});
  std::vector<double> y_other(y_dense.size()), l_other(l_dense.size());
  const auto both = [&](GeneralSolver* solver) {
    return repeated([&, solver] {
      solver->factor();
      solver->solve(blocks.F, blocks.r, y_other, l_other);
    });
  };
  std::vector<Repeated> work{repeated([&] { s.system.accelerations(s.state, {}, vdot); }),
                             repeated([&] {
                               for (int c = 0; c < s.system.constraints(); ++c) s.system.evaluate(s.state, c);
                             }),
                             repeated([&] { factors.factor(); }),
                             repeated([&] { factors.solve(primary.F, primary.r, y, l_primary); }),
                             repeated([&] { factors.solve8(y8, r8, l8); }),
                             repeated([&] { factors.factor_and_solve(primary.F, primary.r, y, l_primary); }),
                             both(dense.get()),
                             both(cg.get()),
                             both(cg_rough.get()),
                             repeated(from_blocks)};
  const std::size_t first_sparse = work.size();
  for (const auto& solver : solvers) work.push_back(both(solver.get()));
  if (m.auxiliary > 0) work.push_back(repeated([&] { rows.form(factors); }));
  const std::vector<Timing> t = time_together(work, timing);
  const auto us = [&](std::size_t i) { return 1e6 * t[i].minimum; };
  m.all = us(0);
  m.J = us(1);
  m.factor = us(2);
  m.solve = us(3);
  m.solve8 = us(4) / 8;
  m.both = us(5);
  m.dense = us(6);
  m.cg = us(7);
  m.cg_rough = us(8);
  m.blocks = us(9);
  m.iterations = cg->iterations();
  m.iterations_rough = cg_rough->iterations();
  for (std::size_t i = 0; i < solvers.size(); ++i)
    if (m.best_sparse.empty() || us(first_sparse + i) < m.sparse) {
      m.sparse = us(first_sparse + i);
      m.best_sparse = to_string(kinds[i]);
    }
  if (m.auxiliary > 0) m.matrix = us(work.size() - 1);
  return m;
}

std::string number(double x) {
  return x == 0     ? "-"
         : x < 10   ? fmt::format("{:.2f}", x)
         : x < 1000 ? fmt::format("{:.1f}", x)
                    : fmt::format("{:.0f}", x);
}
std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

Table paper_table(const std::vector<Measured>& all) {
  Table table{"The four systems: the paper's milliseconds (250 MHz R4400) and ours",
              "lrrrrrrrr",
              {"system", "multipliers", "paper, ms", "of it J", "ours, us", "of it J", "from blocks, us",
               "dense way, us", "dense over ours"}};
  for (const Measured& m : all)
    table.rows.push_back(
        {m.name, m.auxiliary ? fmt::format("{} + {}", m.primary, m.auxiliary) : std::to_string(m.primary),
         fmt::format("{:.1f}", m.paper.all), m.paper.J > 0 ? percent(m.paper.J / m.paper.all) : "-", number(m.all),
         percent(m.J / m.all), number(m.blocks), number(m.dense), fmt::format("{:.1f}", m.speed_up())});
  return table;
}
Table parts_table(const std::vector<Measured>& all) {
  Table table{
      "Parts, us: of the primary constraints' matrix, and of the auxiliary ones",
      "lrrrrrr",
      {"system", "factor", "solve", "factor : solve", "both in one go", "eight solves, each", "auxiliary matrix"}};
  for (const Measured& m : all)
    table.rows.push_back({m.name, number(m.factor), number(m.solve), fmt::format("{:.1f}", m.factor / m.solve),
                          number(m.both), number(m.solve8), number(m.matrix)});
  return table;
}
Table general_table(const std::vector<Measured>& all) {
  Table table{
      "General solvers on all rows, us for factors and a solution",
      "lrrlrrrr",
      {"system", "ours from blocks", "sparse", "which", "CG to 1e-10", "iterations", "CG to 1e-3", "iterations"}};
  for (const Measured& m : all)
    table.rows.push_back({m.name, number(m.blocks), number(m.sparse), m.best_sparse, number(m.cg),
                          std::to_string(m.iterations), number(m.cg_rough), std::to_string(m.iterations_rough)});
  return table;
}

// Rods as lines, auxiliary constraints as circles; systems in space from the side.
Drawing drawing_of(const std::vector<Section9System>& systems) {
  constexpr double panel = 220;
  std::string out = fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"The four systems\">",
                                panel * double(systems.size()), panel + 24);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const Section9System& s = systems[i];
    const auto up = [&](const Vec3<double>& p) { return s.planar ? p.y : p.z; };
    double low = 0, left = 0, right = 0;
    for (const Section9System::Rod& rod : s.rods) {
      low = std::min(low, up(rod.to));
      left = std::min(left, rod.to.x);
      right = std::max(right, rod.to.x);
    }
    const double scale = (panel - 20) / std::max(-low, right - left);
    const double middle = panel * (double(i) + 0.5) - 0.5 * scale * (left + right);
    const auto x = [&](const Vec3<double>& p) { return middle + scale * p.x; };
    const auto y = [&](const Vec3<double>& p) { return 8 - scale * up(p); };
    std::string path;
    for (const Section9System::Rod& rod : s.rods)
      path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x(rod.from), y(rod.from), x(rod.to), y(rod.to));
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\" stroke-linecap=\"round\"/>", path);
    for (const Vec3<double>& p : s.points)
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"none\" stroke=\"#c33\" stroke-width=\"2\"/>", x(p), y(p));
    out += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>", panel * (double(i) + 0.5),
                       panel + 16, s.name);
  }
  return {out + "</svg>", "Rods of 0.6 m, the first of them held by the world; circles: auxiliary constraints."};
}

// SimplicialLDLT with its own order always fails at the zero block.
bool is_shown(General solver) { return is_here(solver) && solver != General::ldlt_amd; }

using Growth = std::vector<ForestTimed>;  // of one shape, by size

Table growth_table(ForestShape shape, const Growth& rows) {
  Table table{fmt::format("Hinged bodies, {}: us for factors and a solution", to_string(shape)),
              "rrrrr",
              {"bodies", "ours", "ns per body", "memory alone", "residual"}};
  for (const General kind : all_general) {
    if (!is_shown(kind)) continue;
    table.columns.push_back(to_string(kind));
    table.align += 'r';
  }
  table.columns.emplace_back("CG's iterations");
  table.columns.emplace_back("best over ours");
  table.align += "rr";
  for (const ForestTimed& t : rows) {
    std::vector<std::string> cells{std::to_string(t.bodies), number(1e6 * t.both.minimum),
                                   number(1e9 * t.both.minimum / t.bodies), number(1e9 * t.touch.minimum / t.bodies),
                                   fmt::format("{:.0e}", t.residual)};
    for (const General kind : all_general) {
      if (!is_shown(kind)) continue;
      const GeneralTimed* const g = t.find(kind);
      cells.push_back(g && g->both ? number(1e6 * g->both->minimum) : "-");
    }
    const GeneralTimed* const cg = t.find(General::cg_of_A);
    cells.push_back(cg ? std::to_string(cg->iterations) : "-");
    cells.push_back(t.best() ? fmt::format("{:.1f}", t.best()->both->minimum / t.both.minimum) : "-");
    table.rows.push_back(std::move(cells));
  }
  return table;
}
Plot growth_plot(ForestShape shape, const Growth& rows) {
  Plot plot{.title = fmt::format("Factors and a solution: {}", to_string(shape)),
            .x_label = "bodies",
            .y_label = "us",
            .log_x = true,
            .log_y = true,
            .series = {{"linchpin", {}}}};
  for (const ForestTimed& t : rows) plot.series[0].points.emplace_back(t.bodies, 1e6 * t.both.minimum);
  for (const General kind : all_general) {
    if (kind == General::cholmod_of_A) continue;  // the line of SimplicialLLT
    Series series{to_string(kind)};
    for (const ForestTimed& t : rows)
      if (const GeneralTimed* g = t.find(kind); g && g->both)
        series.points.emplace_back(t.bodies, 1e6 * g->both->minimum);
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

Reproduction reproduce_multipliers_section9(const ReproduceOptions& options, const ReproduceProgress& progress) {
  pin_to_one_core();
  const TimingOptions timing{.sample = 100e-6, .budget = options.quick ? 0.01 : 0.15, .fewest = 3, .most = 300};
  const std::vector<int> sizes = options.quick ? std::vector<int>{10, 100, 1000}
                                               : std::vector<int>{10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000};
  constexpr ForestShape shapes[] = {ForestShape::chain, ForestShape::star, ForestShape::random};
  GeneralLimits limits;
  if (options.quick) limits.bodies = 100;
  const double parts = double(4 + std::size(shapes) * sizes.size());
  double done = 0;
  const auto next = [&](const std::string& what) { return progress(done++ / parts, what); };

  std::vector<Section9System> systems;
  systems.push_back(plane_tree());
  systems.push_back(plane_loops());
  systems.push_back(space_contacts());
  systems.push_back(space_tree());
  constexpr TimesOf004 of_paper[] = {{6.2, 2.2, 0}, {20.2, 0, 0}, {14.4, 3.5, 2}, {35.7, 11.2, 40}};
  std::vector<Measured> all;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    if (!next(systems[i].name)) return {};
    all.push_back(measure(systems[i], of_paper[i], timing));
  }
  const Measured &tree = all[0], &loops = all[1], &contacts = all[2], &large = all[3];

  Growth growth[std::size(shapes)];
  for (std::size_t k = 0; k < std::size(shapes); ++k)
    for (const int bodies : sizes) {
      const std::string what = fmt::format("{} of {} bodies", to_string(shapes[k]), bodies);
      if (!next(what)) return {};
      BlockSystem system = hinged_bodies(shapes[k], bodies);
      growth[k].push_back(time_forest(system, all_general, limits, timing, [&](const std::string& solver) {
        return progress((done - 1) / parts, what + ": " + solver);
      }));
      if (growth[k].back().bodies == 0) return {};
    }

  bool equal = true, none_filled = true;
  double worst = 0, worst_bound = 0, residual = 0, least_ahead = 1e300, most_growth = 0, memory_growth = 0;
  std::string filled;
  for (const Measured& m : all) {
    equal = equal && m.solved && m.difference <= m.bound() && m.blocks_difference <= m.bound();
    worst = larger(worst, m.difference);
    worst_bound = larger(worst_bound, m.bound());
    none_filled = none_filled && m.factor_numbers == m.numbers;
    filled += fmt::format("{}{} of {}", filled.empty() ? "" : ", ", m.factor_numbers, m.numbers);
  }
  for (std::size_t k = 0; k < std::size(shapes); ++k) {
    for (const ForestTimed& t : growth[k]) {
      residual = larger(residual, t.residual);
      if (const GeneralTimed* best = t.best()) least_ahead = smaller(least_ahead, best->both->minimum / t.both.minimum);
      if (const GeneralTimed* g = t.find(General::ldlt_in_our_order))
        none_filled = none_filled && g->nonzeros == t.numbers_below_diagonal;
    }
    // Growth from a size at which all numbers are still in the core's own cache.
    const auto at = std::ranges::find(growth[k], options.quick ? 100 : 300, &ForestTimed::bodies);
    const ForestTimed& end = growth[k].back();
    const auto exponent = [&](Timing ForestTimed::*time) {
      return std::log((end.*time).minimum / ((*at).*time).minimum) / std::log(double(end.bodies) / at->bodies);
    };
    most_growth = larger(most_growth, exponent(&ForestTimed::both));
    memory_growth = larger(memory_growth, exponent(&ForestTimed::touch));
  }
  const double added = (loops.all - tree.all) / tree.all;

  Reproduction result;
  result.claims = {
      {"the multipliers are those of the dense solution", "-",
       fmt::format("they differ by {:.0e} of the largest at most, where 100 roundings times the condition of J M^-1 J' "
                   "are {:.0e}",
                   worst, worst_bound),
       equal},
      {"nothing fills in, whatever the tree", "section 7.1, shown by the order of elimination",
       fmt::format("numbers below the diagonal, of the factors (counted by a sparse solver in our order) and of the "
                   "matrix: {}; "
                   "the same for chains, stars and random trees",
                   filled),
       none_filled},
      {"12 auxiliary multipliers beside 96 primary ones: all constraints hold", "section 8",
       fmt::format("equations missed by {:.0e} of their largest term", loops.auxiliary_error),
       loops.solved && loops.auxiliary_error <= 1e-12},
      {"3 frictionless contacts beside 96 primary multipliers are complementary", "solved as Baraff 1994",
       fmt::format("{} push; residual {:.0e} (residual.h)", contacts.pushing, contacts.contact_residual),
       contacts.solved && contacts.pushing > 0 && contacts.contact_residual <= 1e-10},
      {fmt::format("no numerical trouble up to {} bodies", sizes.back()),
       "\"no numerical tolerance values to be found\"",
       fmt::format("equations missed by {:.0e} of their largest term at most", residual), residual <= 1e-12},
      {"computing J is a part of the time, not most of it", "35 %, 24 % and 31 %",
       fmt::format("{}, {} and {}", percent(tree.J / tree.all), percent(contacts.J / contacts.all),
                   percent(large.J / large.all)),
       larger(tree.J / tree.all, larger(contacts.J / contacts.all, large.J / large.all)) < 0.5, "timing"},
      {"a further solution is cheaper than the factors", "about 1 : 4",
       fmt::format("1 : {:.1f}, {:.1f} and {:.1f} one by one; 1 : {:.1f}, {:.1f} and {:.1f} eight at a time",
                   tree.factor / tree.solve, contacts.factor / contacts.solve, large.factor / large.solve,
                   tree.factor / tree.solve8, contacts.factor / contacts.solve8, large.factor / large.solve8),
       tree.factor > tree.solve && large.factor > large.solve, "timing"},
      {"12 of 108 multipliers auxiliary: dearer, by their matrix", "14 ms more than 6.2: 3.3 times in all",
       fmt::format("{:.1f} us more than {:.1f}: {:.1f} times in all; the matrix is {:.1f} us of it",
                   loops.all - tree.all, tree.all, 1 + added, loops.matrix),
       added <= 14 / 6.2, "timing"},
      {"faster than the dense way at 99 multipliers", "2 times",
       fmt::format("{:.1f} times from blocks, {:.1f} with J, masses and forces in both", contacts.speed_up(),
                   contacts.speed_up_in_all()),
       contacts.speed_up_in_all() >= 2, "timing"},
      {"and more so at 381", "close to 40 times",
       fmt::format("{:.0f} times from blocks, {:.0f} with J, masses and forces in both", large.speed_up(),
                   large.speed_up_in_all()),
       large.speed_up() > contacts.speed_up(), "timing"},
      {"conjugate gradients are behind", "3 times slower at 108 multipliers; as fast where 12 are auxiliary",
       fmt::format("{:.0f} and {:.0f} times slower to 1e-10, {:.0f} and {:.0f} to 1e-3", tree.cg / tree.blocks,
                   loops.cg / loops.blocks, tree.cg_rough / tree.blocks, loops.cg_rough / loops.blocks),
       tree.cg_rough > tree.blocks, "timing"},
      {fmt::format("linear to {} bodies: chains, stars, random trees", sizes.back()), "O(n) for any tree",
       fmt::format("as n^{:.2f} at most from {} bodies on; reading that memory alone grows as n^{:.2f}", most_growth,
                   options.quick ? 100 : 300, memory_growth),
       most_growth < 1.2, "timing"},
      {"ahead of general sparse solvers on all of them", "-",
       fmt::format("the best of them takes {:.1f} times as long where it comes nearest", least_ahead), least_ahead >= 3,
       "timing"},
  };
  result.account = {
      Paragraph{"The paper gives times of four systems of bodies in the plane and in space, but not what they look "
                "like. Here they "
                "are rods: in the plane a tree of 54 pins, and one of 48 pins with 6 more that close loops; in space "
                "binary trees of "
                "ball joints, the smaller one with three tips on frictionless planes. Bodies and constraints are black "
                "boxes to "
                "each other; \"ours\" is everything from state to accelerations: J, masses, forces, factors, auxiliary "
                "constraints, "
                "solutions; \"from blocks\" is without J, masses and forces, which is what others are compared with. "
                "The dense way makes J M^-1 J' from given blocks, factors it by Cholesky and solves; contacts cost it "
                "nothing here. Times are the smallest of many samples in one thread."},
      drawing_of(systems),
      paper_table(all),
      parts_table(all),
      general_table(all),
      Heading{"How time grows"},
      Paragraph{"Rigid bodies in space, each hung on another one by a hinge of five rows: one on the other, all on one "
                "(J M^-1 J' is then "
                "full, 004 figure 1), or on a random one. General solvers get their pattern analysed before; those "
                "that factor A = J M^-1 J' "
                "make it, which counts. \"Our order\" is SimplicialLDLT in the order without fill-in, which works "
                "number by number; "
                "SimplicialLDLT in its own order meets the zero block and fails. Conjugate gradients have the diagonal "
                "as preconditioner and go "
                "to 1e-10. A \"-\" would take seconds or did not run. A body is 2.4 KB of numbers here: a thousand "
                "fill a core's own "
                "cache, and 100000 do not fit any. \"Memory alone\" is what it takes, "
                "ns per body, to read one number of each cache line of the factors."},
  };
  for (std::size_t k = 0; k < std::size(shapes); ++k) {
    result.account.push_back(growth_table(shapes[k], growth[k]));
    result.account.push_back(growth_plot(shapes[k], growth[k]));
  }
  return result;
}

}  // namespace linchpin
