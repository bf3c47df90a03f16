// hybrid/figure6: 002 Figure 6, the time of a step by the hybrid methods without contact, with one contact at the root
// and with one at each end, and section 2.3's remark on solvers.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "apps/reproduce/chain_problems.h"
#include "apps/reproduce/engine_response.h"
#include "apps/reproduce/reproduction.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

constexpr const char* cases[] = {"none", "one contact", "two contacts"};

// By engine and number of contacts, us.
struct TouchingChain {
  int rods;
  double step[chain_engines][3];
  double residual;  // of all LCPs
};

// Parts of a step, of one state in contact.
struct PartTimes {
  double place = 0, pose = 0, solve = 0, lift = 0;
};
struct ChainParts {
  int rods;
  PartTimes time[chain_engines][3];
};

std::vector<EngineChain> all_chains(const Model& model) {
  std::vector<EngineChain> chains;
  chains.reserve(3 * chain_engines);
  for (const Method method : chain_methods)
    for (int contacts = 0; contacts < 3; ++contacts) chains.emplace_back(model, method, contacts);
  return chains;
}

TouchingChain time_steps(const Model& model, int rods, int steps, int rounds) {
  std::vector<EngineChain> chains = all_chains(model);
  const std::vector<ChainTiming> times = time_runs(chains, steps, rounds);
  TouchingChain found{rods, {}, 0};
  for (int i = 0; i < 3 * chain_engines; ++i) {
    found.step[i / 3][i % 3] = 1e6 * times[i].least / steps;
    found.residual = larger(found.residual, chains[i].worst_residual());
  }
  return found;
}

// place, pose, solve and lift of each chain, at the end of a run with two contacts.
void add_parts(const Model& model, int steps, std::vector<EngineChain>& chains, std::vector<Repeated>& work) {
  EngineChain run(model, Method::hybrid_aba, 2);
  for (int i = 0; i < steps; ++i) run.step();
  for (EngineChain& chain : chains) {
    chain.start(run.state());
    work.push_back(repeated([&chain] { chain.place(); }));
    work.push_back(repeated([&chain] { chain.pose(); }));
    work.push_back(repeated([&chain] { chain.solve(); }));
    work.push_back(repeated([&chain] { chain.lift(); }));
    for (std::size_t part = work.size() - 4; part < work.size(); ++part) work[part](1);
  }
}

// The parts for two lengths, in turns. Medians: a processor that speeds up for a moment makes minima unequal.
std::array<ChainParts, 2> time_parts(int short_rods, int long_rods, int steps) {
  const Model models[] = {engine_chain_model(short_rods), engine_chain_model(long_rods)};
  std::vector<EngineChain> chains[] = {all_chains(models[0]), all_chains(models[1])};
  std::vector<Repeated> work;
  for (int k = 0; k < 2; ++k) add_parts(models[k], steps, chains[k], work);
  const std::vector<Timing> t = time_together(work, {.sample = 60e-6, .budget = 0.03, .fewest = 15, .most = 300});
  const auto us = [&](int i) { return 1e6 * t[i].median; };
  std::array<ChainParts, 2> found{{{short_rods, {}}, {long_rods, {}}}};
  for (int k = 0; k < 2; ++k)
    for (int c = 0; c < 3 * chain_engines; ++c) {
      const int i = 4 * (3 * chain_engines * k + c);
      found[k].time[c / 3][c % 3] = {us(i), us(i + 1), us(i + 2), us(i + 3)};
    }
  return found;
}

struct Figure6 {
  std::vector<TouchingChain> chains;  // the longest last
  ChainParts half, end;               // of half the longest, and of it
  ProblemDifference dense, dca;       // of all chains
  std::vector<ResponseTimes> responses;
  std::vector<std::pair<int, std::vector<SolverFigures>>> solvers;  // by rods

  const TouchingChain& longest() const { return chains.back(); }
  const TouchingChain& half_of_it() const { return chains[chains.size() - 2]; }
  // ns for each body more: of a step, and of posing its problem.
  double slope(int engine, int contacts) const {
    return 1e3 * (longest().step[engine][contacts] - half_of_it().step[engine][contacts]) / (end.rods - half.rods);
  }
  double pose_slope(int engine, int contacts) const {
    return 1e3 * (end.time[engine][contacts].pose - half.time[engine][contacts].pose) / (end.rods - half.rods);
  }
  double exponent(int engine, int contacts) const {
    return std::log2(longest().step[engine][contacts] / half_of_it().step[engine][contacts]);
  }
};

// The fewest bodies from which on `engine` is faster than the mass matrix, or 0.
int faster_from(const Figure6& f, int engine, int contacts) {
  int from = 0;
  for (const TouchingChain& c : f.chains) {
    if (c.step[engine][contacts] >= c.step[chain_dense][contacts])
      from = 0;
    else if (from == 0)
      from = c.rods;
  }
  return from;
}

// Of the paper's chain_engines.
int fastest(const TouchingChain& c, int contacts) {
  int best = 0;
  for (int e = 1; e < engines_of_002; ++e)
    if (c.step[e][contacts] < c.step[best][contacts]) best = e;
  return best;
}

constexpr double parallel = 0.1;  // slopes that differ by less are called equal: what runs vary by
constexpr double bent = 1.25;     // and clearly different from this ratio on

std::vector<Claim> problem_claims(const Figure6& f) {
  double residual = 0, of_solvers = 0;  // of all LCPs; of all solvers but lemke
  int problems = 0, not_solved = 0;
  for (const TouchingChain& c : f.chains) residual = larger(residual, c.residual);
  for (const auto& [rods, figures] : f.solvers)
    for (const SolverFigures& s : figures) {
      if (s.solver == SolverId::lemke) continue;
      of_solvers = larger(of_solvers, s.residual);
      problems += s.problems;
      not_solved += s.not_solved;
    }
  return {
      // The mass matrix of a chain has a condition that grows with its length; the recursions invert articulated
      // inertias, whose condition does not. Impulses lose one more digit.
      {"the methods pose the identical problem", "\"all forward dynamics methods yield the identical LCP\"",
       fmt::format("for 1 to {} bodies divide and conquer differs from the articulated body by {:.0e} of the largest "
                   "number at most (impulses {:.0e}), the mass matrix by {:.0e} ({:.0e}): its condition grows with the "
                   "length, that of the recursions does not",
                   f.end.rods, larger(f.dca.matrix, f.dca.q), f.dca.impulses, larger(f.dense.matrix, f.dense.q),
                   f.dense.impulses),
       larger(f.dca.matrix, f.dca.q) <= 1e-10 && f.dca.impulses <= 1e-9 && larger(f.dense.matrix, f.dense.q) <= 1e-7 &&
           f.dense.impulses <= 1e-6},
      {"each of their LCPs is solved", "-", fmt::format("by lemke, residual {:.0e} at most", residual),
       residual <= 1e-10},
      {"Gauss-Seidel and the proximal form are as accurate as LCP methods",
       "\"comparable in speed and accuracy\", [13]",
       fmt::format(
           "gauss_seidel, proximal and auto solve {} of {} to 1e-10, where they stop; the worst residual of lemke "
           "is {:.0e}",
           problems - not_solved, problems, residual),
       problems > 0 && not_solved == 0 && of_solvers <= 1e-10},
  };
}

std::vector<Claim> slope_claims(const Figure6& f) {
  const auto apart = [](double a, double b) { return std::abs(a / b - 1); };
  const auto bend = [&](int engine) { return f.pose_slope(engine, 2) / f.pose_slope(engine, 1); };
  const ResponseTimes& w = f.responses.back();
  const auto whole = [&](int engine) { return f.slope(engine, 1) / f.slope(engine, 0); };
  return {
      {"posing the problem: none and one contact at the root are parallel, (b), (c)", "\"exactly parallel\"",
       fmt::format("{:.1f} and {:.1f} ns for each body more by the articulated body, {:.1f} and {:.1f} by divide and "
                   "conquer",
                   f.pose_slope(chain_aba, 0), f.pose_slope(chain_aba, 1), f.pose_slope(chain_dca, 0),
                   f.pose_slope(chain_dca, 1)),
       apart(f.pose_slope(chain_aba, 1), f.pose_slope(chain_aba, 0)) < parallel &&
           apart(f.pose_slope(chain_dca, 1), f.pose_slope(chain_dca, 0)) < parallel,
       "timing"},
      {"whole steps are parallel too, (b), (c)", "\"exactly parallel\": the LCP is solved between the sweeps",
       fmt::format("{:.2f} and {:.2f} times as steep with the contact: here impulses go through both sweeps again, "
                   "{:.1f} and {:.1f} us with {} bodies",
                   whole(chain_aba), whole(chain_dca), f.end.time[chain_aba][1].lift, f.end.time[chain_dca][1].lift,
                   f.end.rods),
       apart(whole(chain_aba), 1) < parallel && apart(whole(chain_dca), 1) < parallel, "timing"},
      {"two contacts change the slope of the articulated body, (c)", "forces of Q go to the root and back, O(n)",
       fmt::format("posing is {:.2f} times as steep as with one; W alone takes {:.2f} us for P and {:.2f} for P and Q "
                   "with {} bodies",
                   bend(chain_aba), w.p[chain_aba], w.p_and_q[chain_aba], w.rods),
       bend(chain_aba) > bent, "timing"},
      {"and that of divide and conquer, (b)", "also O(n) in one thread",
       fmt::format(
           "{:.2f} times: W takes {:.2f} and {:.2f} us, O(log n); the velocity of Q, which every method needs, is "
           "O(n)",
           bend(chain_dca), w.p[chain_dca], w.p_and_q[chain_dca]),
       bend(chain_dca) > bent, "timing"},
  };
}

std::vector<Claim> dense_claims(const Figure6& f) {
  const double none = f.exponent(chain_dense, 0), two = f.exponent(chain_dense, 2);
  const double shift = f.longest().step[chain_dense][2] - f.longest().step[chain_dense][0];
  const double solve = f.end.time[chain_dense][2].solve, lift = f.end.time[chain_dense][2].lift;
  return {
      {"contacts shift the curve of the mass matrix, (a)", "\"vertical shift\"",
       fmt::format("n^{:.2f} without, n^{:.2f} with two contacts from {} to {} bodies; a shift on logarithmic axes is "
                   "the same exponent",
                   none, two, f.half.rods, f.end.rods),
       std::abs(none - two) < parallel, "timing"},
      {"that shift is the LCP, (a)", "\"corresponds to the additional time required to solve the LCP\"",
       fmt::format("of {:.1f} us with {} bodies the LCP takes {:.2f}, the solution by the factors that makes v+ of it "
                   "{:.1f}, and J and W the rest; with 1 body {:.1f} us in all",
                   shift, f.end.rods, solve, lift,
                   f.chains.front().step[chain_dense][2] - f.chains.front().step[chain_dense][0]),
       solve > 0.5 * shift, "timing"},
  };
}

// How much longer the method that is the fastest without contact takes with two contacts than the fastest one then, at
// most over all sizes: 1 if it is the same one.
double lost_by_choice(const Figure6& f) {
  double most = 1;
  for (const TouchingChain& c : f.chains) most = larger(most, c.step[fastest(c, 0)][2] / c.step[fastest(c, 2)][2]);
  return most;
}

std::string small_systems_text(const Figure6& f, int from) {
  if (from == 0) return "it is faster at all sizes";
  if (from == 1) return "the articulated body is faster from 1 body on";
  const double* const one_body[] = {f.chains.front().step[chain_dense], f.chains.front().step[chain_aba]};
  return fmt::format(
      "with two contacts it is up to {} bodies, {} coordinates, and no more from {} bodies, {} coordinates: "
      "{:.2f} us against {:.2f} with 1 body",
      from / 2, from / 2 + 2, from, from + 2, one_body[0][2], one_body[1][2]);
}

std::vector<Claim> choice_claims(const Figure6& f) {
  const auto time = [&](int engine) { return f.longest().step[engine][2]; };
  const auto solve = [&](int engine) { return f.end.time[engine][2].solve; };
  const int from = faster_from(f, chain_aba, 2);
  const double lost = lost_by_choice(f);
  return {
      {"solving the LCP costs all methods the same", "\"identical in each hybrid formulation\"",
       fmt::format("{:.2f}, {:.2f} and {:.2f} us", solve(chain_dense), solve(chain_dca), solve(chain_aba)),
       std::abs(solve(chain_dca) / solve(chain_dense) - 1) < parallel &&
           std::abs(solve(chain_aba) / solve(chain_dense) - 1) < parallel,
       "timing"},
      {"for larger systems the articulated body is the fastest of the three, (d)", "\"most efficient\", section 5",
       fmt::format("with {} bodies and two contacts {:.1f} us, divide and conquer {:.1f}, the mass matrix {:.1f}. "
                   "linchpin's default, os, takes {:.1f}",
                   f.end.rods, time(chain_aba), time(chain_dca), time(chain_dense), time(chain_os)),
       fastest(f.longest(), 2) == chain_aba && fastest(f.half_of_it(), 2) == chain_aba, "timing"},
      {"for small systems the mass matrix is, (d)", "n <= 7 [43]; \"optimal results for smaller systems\"",
       small_systems_text(f, from), from != 1, "timing"},
      {"the fastest method without contact is the fastest with two", "\"would also be the best\"",
       fmt::format("who chooses by free motion loses {:.0f} % with two contacts at most; less than {:.0f} % is noise",
                   100 * (lost - 1), 100 * parallel),
       lost < 1 + parallel, "timing"},
  };
}

Claim solver_claim(const Figure6& f) {
  constexpr double comparable = 10;
  double gauss_seidel[] = {HUGE_VAL, 0}, proximal[] = {HUGE_VAL, 0};
  for (const auto& [rods, figures] : f.solvers)
    for (int i = 1; i < 3; ++i) {
      double* const range = i == 1 ? gauss_seidel : proximal;
      const double times = figures[i].time / figures[0].time;
      range[0] = std::min(range[0], times);
      range[1] = std::max(range[1], times);
    }
  return {"and they are as fast", "\"comparable in speed and accuracy\", [13]",
          fmt::format("Gauss-Seidel takes {:.1f} to {:.1f} times as long as lemke, the proximal form {:.1f} to {:.1f} "
                      "times; up to {:g} would be comparable. Two contacts are what pivoting is best at",
                      gauss_seidel[0], gauss_seidel[1], proximal[0], proximal[1], comparable),
          gauss_seidel[1] < comparable && proximal[1] < comparable, "timing"};
}

Table engine_table(const Figure6& f, int engine) {
  Table table{fmt::format("Figure 6({}): {}, us a step",
                          "abc"[engine == chain_dense ? 0
                                : engine == chain_dca ? 1
                                                      : 2],
                          chain_names[engine]),
              "rrrrrr",
              {"bodies", cases[0], cases[1], cases[2], "one - none", "two - one"}};
  for (const TouchingChain& c : f.chains) {
    const double* t = c.step[engine];
    table.rows.push_back({std::to_string(c.rods), fmt::format("{:.3g}", t[0]), fmt::format("{:.3g}", t[1]),
                          fmt::format("{:.3g}", t[2]), fmt::format("{:.3g}", t[1] - t[0]),
                          fmt::format("{:.3g}", t[2] - t[1])});
  }
  return table;
}

Table two_contacts_table(const Figure6& f) {
  Table table{"Figure 6(d): two contacts, us a step; os is linchpin's own engine", "rrrrr", {"bodies"}};
  for (const char* name : chain_names) table.columns.push_back(name);
  for (const TouchingChain& c : f.chains) {
    table.rows.push_back({std::to_string(c.rods)});
    for (int e = 0; e < chain_engines; ++e) table.rows.back().push_back(fmt::format("{:.3g}", c.step[e][2]));
  }
  return table;
}

Table parts_table(const Figure6& f) {
  Table table{
      fmt::format("Parts of a step with {} bodies, us, and ns for each body more since {}", f.end.rods, f.half.rods),
      "llrrrrr",
      {"engine", "contacts", "place", "pose", "solve", "lift", "pose, ns a body"}};
  for (int e = 0; e < chain_engines; ++e)
    for (int c = 0; c < 3; ++c) {
      const PartTimes& t = f.end.time[e][c];
      const auto text = [&](double x) { return c == 0 ? std::string() : fmt::format("{:.2f}", x); };
      table.rows.push_back({chain_names[e], cases[c], fmt::format("{:.2f}", t.place), fmt::format("{:.2f}", t.pose),
                            text(t.solve), text(t.lift), fmt::format("{:.1f}", f.pose_slope(e, c))});
    }
  return table;
}

Table response_table(const Figure6& f) {
  Table table{"W alone, without the rest of posing: forces on P, and on P and Q, us", "rrrrrrrrr", {"bodies"}};
  for (const char* name : {"mass matrix", "divide and conquer", "articulated body", "os"}) {
    table.columns.push_back(fmt::format("{}, P", name));
    table.columns.push_back("P and Q");
  }
  for (const ResponseTimes& r : f.responses) {
    table.rows.push_back({std::to_string(r.rods)});
    for (int e = 0; e < chain_engines; ++e)
      for (const double us : {r.p[e], r.p_and_q[e]}) table.rows.back().push_back(fmt::format("{:.2f}", us));
  }
  return table;
}

Table solver_table(const Figure6& f) {
  Table table{"Solvers: problems of the runs with two contacts, in which a contact pushes, from z = 0 to 1e-10",
              "rllrrrrr",
              {"bodies", "solver", "of", "problems", "us", "iterations", "residual", "not solved"}};
  for (const auto& [rods, figures] : f.solvers)
    for (const SolverFigures& s : figures)
      table.rows.push_back({std::to_string(rods), std::string(info(s.solver).name), s.lcp ? "LCP (13)" : "cones",
                            std::to_string(s.problems), fmt::format("{:.2f}", s.time),
                            fmt::format("{:.1f}", s.iterations), fmt::format("{:.0e}", s.residual),
                            std::to_string(s.not_solved)});
  return table;
}

Plot engine_plot(const Figure6& f, int engine, const std::string& letter) {
  Plot plot{.title = fmt::format("Figure 6({}): {}", letter, chain_names[engine]),
            .x_label = "bodies",
            .y_label = "us a step",
            .log_x = engine == chain_dense,
            .log_y = engine == chain_dense};
  for (int c = 0; c < 3; ++c) {
    plot.series.push_back({cases[c]});
    for (const TouchingChain& t : f.chains) plot.series.back().points.emplace_back(t.rods, t.step[engine][c]);
  }
  return plot;
}

Plot two_contacts_plot(const Figure6& f) {
  Plot plot{
      .title = "Figure 6(d): two contacts", .x_label = "bodies", .y_label = "us a step", .log_x = true, .log_y = true};
  for (int e = 0; e < chain_engines; ++e) {
    plot.series.push_back({chain_names[e]});
    for (const TouchingChain& t : f.chains) plot.series.back().points.emplace_back(t.rods, t.step[e][2]);
  }
  return plot;
}

}  // namespace

Reproduction reproduce_hybrid_figure6(const ReproduceOptions& options, const ReproduceProgress& progress) {
  pin_to_one_core();
  const int largest = options.quick ? 16 : 128, rounds = options.quick ? 3 : 5;
  const int steps = options.quick ? 600 : engine_chain_steps;  // the chain lands after 451
  Figure6 f;
  std::vector<int> sizes;
  for (int rods = 1; rods <= largest; rods *= 2) sizes.push_back(rods);
  for (const int rods : sizes) {
    if (!progress(double(f.chains.size()) / double(sizes.size() + 1), fmt::format("{} bodies", rods))) return {};
    const Model model = engine_chain_model(rods);
    f.chains.push_back(time_steps(model, rods, steps, rounds));
    compare_problems(model, Method::hybrid_dense, steps, 50, f.dense);
    compare_problems(model, Method::hybrid_dca, steps, 50, f.dca);
    f.responses.push_back(time_responses(model, rods));
    f.solvers.emplace_back(rods, compare_solvers(model, steps, rounds));
  }
  if (!progress(double(sizes.size()) / double(sizes.size() + 1), "parts of a step")) return {};
  const auto [half, end] = time_parts(largest / 2, largest, steps);
  f.half = half;
  f.end = end;

  Reproduction result;
  for (const std::vector<Claim>& claims :
       {problem_claims(f), slope_claims(f), dense_claims(f), choice_claims(f), {solver_claim(f)}})
    result.claims.insert(result.claims.end(), claims.begin(), claims.end());
  result.account = {
      Paragraph{fmt::format(
          "The chain of hybrid/figure5, {} steps of {:g} s: inelastic contacts of its ends with the line y = 0, at P, "
          "which is on the root, or at P and Q; friction {:g}, which the paper does not state, with the two directions "
          "of a plane, so an LCP of four rows a contact, in every step, solved by lemke. Processor time of one thread, "
          "for every twenty steps the least of {} runs in turns. Without contacts a step is the engine's free motion; "
          "with contacts pose, solve and lift. The paper's times are Matlab's, drawn but not printed: absolute times "
          "cannot be compared.",
          steps, engine_chain_dt, engine_chain_mu, rounds)},
      engine_table(f, chain_dense),
      engine_plot(f, chain_dense, "a"),
      engine_table(f, chain_dca),
      engine_plot(f, chain_dca, "b"),
      engine_table(f, chain_aba),
      engine_plot(f, chain_aba, "c"),
      two_contacts_table(f),
      two_contacts_plot(f),
      parts_table(f),
      response_table(f),
      solver_table(f),
  };
  return result;
}

}  // namespace linchpin
