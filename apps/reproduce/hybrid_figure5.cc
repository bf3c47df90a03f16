// hybrid/figure5: 002 Figure 5, the time of a run without contact by three engines of forward dynamics: the mass
// matrix, O(n^3), the articulated-body algorithm and divide and conquer, both O(n) in one thread.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/reproduce/engine_chain.h"
#include "apps/reproduce/reproduction.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"
#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"

namespace linchpin {
namespace {

// us a step, by engine.
struct FreeChain {
  int rods;
  double time[engines_of_002];
};

std::vector<EngineChain> chains_of(const Model& model) {
  std::vector<EngineChain> chains;
  for (int m = 0; m < engines_of_002; ++m) chains.emplace_back(model, chain_methods[m], 0);
  return chains;
}

FreeChain time_size(int rods, int steps, int rounds) {
  const Model model = engine_chain_model(rods);
  std::vector<EngineChain> chains = chains_of(model);
  const std::vector<ChainTiming> times = time_runs(chains, steps, rounds);
  FreeChain size{rods, {}};
  for (int m = 0; m < engines_of_002; ++m) size.time[m] = 1e6 * times[m].median / steps;
  return size;
}

double exponent(const FreeChain& a, const FreeChain& b, int method) {
  return std::log(b.time[method] / a.time[method]) / std::log(double(b.rods) / a.rods);
}

// The fewest rods from which on aba is faster than the mass matrix, or 0.
int find_crossover(const std::vector<FreeChain>& sizes) {
  int from = 0;
  for (const FreeChain& s : sizes) {
    if (s.time[chain_aba] >= s.time[chain_dense])
      from = 0;
    else if (from == 0)
      from = s.rods;
  }
  return from;
}

// How far the three engines' coordinates are apart at most, relative to the largest one or to a rod.
double difference(std::span<const EngineChain> chains) {
  double most = 0, size = 1;
  for (std::size_t k = 0; k < chains[chain_aba].state().q.size(); ++k) {
    size = larger(size, std::abs(chains[chain_aba].state().q[k]));
    for (const EngineChain& chain : chains)
      most = larger(most, std::abs(chain.state().q[k] - chains[chain_aba].state().q[k]));
  }
  return most / size;
}

// The same at most over a run, from the initial state or, if `moving`, from random angles and velocities.
double trajectory_difference(int rods, bool moving, double until) {
  const Model model = engine_chain_model(rods);
  std::vector<EngineChain> chains = chains_of(model);
  for (EngineChain& chain : chains) chain.start(moving ? random_state(model, 1) : make_state(model));
  double most = 0;
  for (long i = std::lround(until / engine_chain_dt); i > 0; --i) {
    for (EngineChain& chain : chains) chain.step();
    most = larger(most, difference(chains));
  }
  return most;
}

// How many times longer divide and conquer takes if single links are its leaves, as the paper's bodies are, than with
// its usual segments.
double cost_of_single_links(int rods) {
  const Model model = engine_chain_model(rods);
  const Plan<double> plan(model);
  const State state = make_state(model);
  const std::vector<double> tau(state.v.size(), 0.0);
  std::vector<double> vdot(state.v.size());
  const AssemblyTree usual(model, plan, AssemblyTree::usual_segment(model)), single(model, plan, 1);
  AssemblyWorkspace usual_ws(plan, usual), single_ws(plan, single);
  const auto work = [&](const AssemblyTree& tree, AssemblyWorkspace& ws) {
    return repeated([&] { divide_and_conquer(plan, tree, state.q, state.v, tau, {}, nullptr, ws, vdot); });
  };
  const Repeated contenders[] = {work(usual, usual_ws), work(single, single_ws)};
  const std::vector<Timing> times = time_together(contenders, {.budget = 0.05});
  return times[1].minimum / times[0].minimum;
}

double worst_difference(std::span<const int> sizes, bool moving, double until) {
  double worst = 0;
  for (const int rods : sizes) worst = larger(worst, trajectory_difference(rods, moving, until));
  return worst;
}

Table table_of(const std::vector<FreeChain>& sizes, int steps) {
  Table table{fmt::format("Figure 5: us a step (a run has {} steps), and the exponent since half the size", steps),
              "rrrrrrrr",
              {"bodies", chain_names[chain_dense], "exponent", chain_names[chain_dca], "exponent",
               chain_names[chain_aba], "exponent", "first / last"}};
  for (const FreeChain& s : sizes) {
    const auto half = std::ranges::find(sizes, s.rods / 2, &FreeChain::rods);
    std::vector<std::string> row{std::to_string(s.rods)};
    for (const int m : {chain_dense, chain_dca, chain_aba}) {
      row.push_back(fmt::format("{:.3g}", s.time[m]));
      row.push_back(s.rods % 2 == 0 && half != sizes.end() ? fmt::format("{:.2f}", exponent(*half, s, m)) : "");
    }
    row.push_back(fmt::format("{:.2f}", s.time[chain_dense] / s.time[chain_aba]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot plot_of(const std::vector<FreeChain>& sizes) {
  Plot plot{.title = "Figure 5: no contact", .x_label = "bodies", .y_label = "us a step", .log_x = true, .log_y = true};
  for (const int m : {chain_dense, chain_dca, chain_aba}) {
    Series series{chain_names[m], {}};
    for (const FreeChain& s : sizes) series.points.emplace_back(s.rods, s.time[m]);
    plot.series.push_back(std::move(series));
  }
  return plot;
}

const FreeChain& chain_of(const std::vector<FreeChain>& sizes, int rods) {
  return *std::ranges::find(sizes, rods, &FreeChain::rods);
}

std::vector<Claim> timing_claims(const std::vector<FreeChain>& sizes, int largest) {
  const FreeChain &end = chain_of(sizes, largest), &half = chain_of(sizes, largest / 2),
                  &quarter = chain_of(sizes, largest / 4);
  const FreeChain& longest = sizes.back();
  const double e = exponent(half, end, chain_dense), before = exponent(quarter, half, chain_dense);
  const double beyond = exponent(chain_of(sizes, longest.rods / 2), longest, chain_dense);
  const double e_dca = exponent(half, end, chain_dca), e_aba = exponent(half, end, chain_aba);
  double least = HUGE_VAL, most = 0;
  bool ahead = true;
  for (const FreeChain& s : sizes) {
    least = std::min(least, s.time[chain_dca] / s.time[chain_aba]);
    most = std::max(most, s.time[chain_dca] / s.time[chain_aba]);
    if (s.rods + 2 > 7) ahead = ahead && s.time[chain_aba] < s.time[chain_dense];
  }
  const int from = find_crossover(sizes);
  return {
      {"the mass matrix costs O(n^3)", "\"as expected\"",
       fmt::format("as n^{:.2f} from {} to {} bodies, n^{:.2f} from {} to {}, n^{:.2f} from {} to {}: towards 3, since "
                   "n^3 / 6 products are few beside n^2 ones for a while",
                   before, quarter.rods, half.rods, e, half.rods, largest, beyond, longest.rods / 2, longest.rods),
       before < e && e < beyond && beyond > 2.5 && beyond < 3.3, "timing"},
      {"the articulated body and divide and conquer are O(n) in one thread", "\"DCA and ABA are both O(n)\"",
       fmt::format("as n^{:.2f} and n^{:.2f} from {} to {} bodies", e_aba, e_dca, half.rods, largest),
       e_aba < 1.1 && e_dca < 1.1, "timing"},
      {"divide and conquer is the slower of the two", "\"due to the excess matrix manipulations\"",
       fmt::format(
           "a step takes {:.2f} times as long with {} bodies, {:.2f} to {:.2f} over all sizes: ours divides into "
           "segments of eight links, within which it is the other (DCAe, [11]). With single links, as in the "
           "paper, divide and conquer itself takes {:.1f} times as long as with segments",
           end.time[chain_dca] / end.time[chain_aba], largest, least, most, cost_of_single_links(largest)),
       end.time[chain_dca] > end.time[chain_aba], "timing"},
      {"for n > 7 the O(n) method is faster than the mass matrix", "[43]",
       fmt::format("it is, {:.2f} times with 8 bodies (10 coordinates), {:.1f} with {}",
                   chain_of(sizes, 8).time[chain_dense] / chain_of(sizes, 8).time[chain_aba],
                   end.time[chain_dense] / end.time[chain_aba], largest),
       ahead, "timing"},
      {"for smaller systems the mass matrix is faster", "\"optimal results for smaller systems\", section 5",
       from == 0 ? std::string("it is faster at all sizes")
                 : fmt::format("the articulated body is faster from {} bod{} on, {} coordinates: the mass matrix and "
                               "the bias are a sweep each, as aba() has, and their factors come on top",
                               from, from == 1 ? "y" : "ies", from + 2),
       from != 1, "timing"},
  };
}

}  // namespace

Reproduction reproduce_hybrid_figure5(const ReproduceOptions& options, const ReproduceProgress& progress) {
  pin_to_one_core();
  const int largest = options.quick ? 32 : 128, steps = options.quick ? 200 : engine_chain_steps;
  const int rounds = options.quick ? 3 : 5;
  const double until = options.quick ? 0.5 : 2, moving_until = 0.2;  // s
  std::vector<int> of_paper, rods{1, 2, 3, 4, 5, 6, 7, 8};
  for (int n = 1; n <= largest; n *= 2) of_paper.push_back(n);
  for (int n = 16; n <= 512; n *= 2) rods.push_back(n);

  std::vector<FreeChain> sizes;
  for (const int n : rods) {
    if (!progress(double(sizes.size()) / double(rods.size() + 2), fmt::format("{} bodies", n))) return {};
    sizes.push_back(time_size(n, n > largest ? 40 : steps, rounds));
  }
  if (!progress(double(rods.size()) / double(rods.size() + 2), "trajectories")) return {};
  const double falling = worst_difference(of_paper, false, until);
  const double moving = worst_difference(of_paper, true, moving_until);

  Reproduction result;
  // Rounding of n coordinates in a row, whose mass matrix is the worse conditioned the longer the chain is: differences
  // grow as n^3, 2e-16 n^3 = 5e-10 for 128.
  result.claims = {
      {"the three methods give the same motion", "-",
       fmt::format("{:.0e} of the largest coordinate over {:g} s at most, {} to {} bodies", falling, until,
                   of_paper.front(), of_paper.back()),
       falling <= 1e-8},
      {"also where the hinges turn", "-",
       fmt::format("{:.0e} over {:g} s from random angles and velocities; later they grow exponentially in long chains",
                   moving, moving_until),
       moving <= 1e-8},
  };
  for (Claim& claim : timing_claims(sizes, largest)) result.claims.push_back(std::move(claim));
  result.account = {
      Paragraph{fmt::format(
          "Rods of 1 m and 1 kg, hinged in a line, at rest and horizontal 1 m above the ground, fall freely: figure 4, "
          "whose chain has its root at P and floats, so n bodies have n + 2 coordinates. {} steps of {:g} s by Euler's "
          "method. Processor time of one thread, median of {} runs in turns; of chains longer than {}, which the paper "
          "does not have, 40 steps. A step is the poses and velocities of all bodies, the engine (hybrid_dense, "
          "hybrid_dca, hybrid_aba) and the new coordinates. The paper's times are Matlab's, drawn but not printed: "
          "absolute times cannot be compared.",
          steps, engine_chain_dt, rounds, largest)},
      table_of(sizes, steps),
      plot_of(sizes),
  };
  return result;
}

}  // namespace linchpin
