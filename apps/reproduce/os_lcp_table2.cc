// os-lcp/table2: 000 section 8 and Table 2. Pendulums of 3 to 30 links swing into a floor and a wall, by the
// operational space (OS) and by separate bodies whose hinges are rows (NMC/OS): the sizes of their problems and the
// times of the runs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/reproduce/posed_methods.h"
#include "apps/reproduce/reproduction.h"
#include "apps/reproduce/swing_run.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

struct TimesOf000 {
  int links;
  double os, nmc_os;  // s
};
constexpr TimesOf000 times_of_000[] = {{3, 13.33, 47.79},   {6, 10.50, 68.71},    {12, 19.06, 305.28},
                                       {15, 21.76, 558.10}, {24, 38.20, 1899.86}, {30, 73.74, 4100.51}};

// For each step the least time of several runs, since other programs may have disturbed one, and the sums.
struct RunTimes {
  std::vector<double> step;  // s
  double all = 0, flight = 0, contact = 0;
  long contact_steps = 0;

  void add(const SwingRun& run) {
    if (step.empty()) step = run.step_time;
    all = flight = contact = 0;
    contact_steps = 0;
    for (std::size_t i = 0; i < std::min(step.size(), run.step_time.size()); ++i) {
      step[i] = std::min(step[i], run.step_time[i]);
      all += step[i];
      (run.in_contact[i] ? contact : flight) += step[i];
      contact_steps += run.in_contact[i];
    }
  }
  double per_flight_step() const {
    return 1e6 * flight / double(std::max(1L, long(step.size()) - contact_steps));
  }  // us
  double per_contact_step() const { return 1e6 * contact / double(std::max(1L, contact_steps)); }
};

struct Case {
  TimesOf000 paper;
  PendulumSizes sizes_of_paper;
  PendulumSizes sizes = {};
  double residual = 0;  // of all formulations' impulses
  SwingRun os = {}, nmc_os = {};
  // OS by `auto`. NMC/OS by `auto`, which pivots, and by interior_point, which may be quicker for its sizes: the better
  // one counts.
  RunTimes os_times = {}, pivoting = {}, interior = {}, os_cone = {}, nmc_os_cone = {};
  bool clean = true;
  const RunTimes& nmc_os_times() const { return pivoting.all < interior.all ? pivoting : interior; }
  double ratio() const { return nmc_os_times().all / os_times.all; }
};

int size_of(std::span<const Posed> posed, Method method) {
  return std::ranges::find(posed, method, &Posed::method)->size;
}

// Everything for one pendulum; false when asked to stop.
bool run_case(double time, int repeats, const std::function<bool(double)>& progress, Case& c) {
  const Model model = swing_model(c.paper.links);
  const std::vector<Posed> posed = pose_all(model, last_links(model));
  c.sizes = {c.paper.links, size_of(posed, Method::nmc), size_of(posed, Method::nmc_os), size_of(posed, Method::os)};
  c.residual = worst_residual(posed);
  const int runs = 3 * repeats + 2;
  int done = 0;
  bool stopped = false;
  const auto run = [&](Method method, SolverId solver, int directions) {
    if (stopped) return SwingRun{};
    const SwingOptions how{.method = method, .solver = solver, .directions = directions, .time = time};
    SwingRun found = run_swing(model, how, [&](double part) {
      stopped = stopped || !progress((done + part) / runs);
      return !stopped;
    });
    ++done;
    c.clean = c.clean && found.clean();
    return found;
  };
  for (int i = 0; i < repeats; ++i) {
    c.os = run(Method::os, SolverId::automatic, swing_directions);
    c.nmc_os = run(Method::nmc_os, SolverId::automatic, swing_directions);
    c.os_times.add(c.os);
    c.pivoting.add(c.nmc_os);
    c.interior.add(run(Method::nmc_os, SolverId::interior_point, swing_directions));
  }
  c.os_cone.add(run(Method::os, SolverId::automatic, 0));
  c.nmc_os_cone.add(run(Method::nmc_os, SolverId::automatic, 0));
  return !stopped;
}

std::string seconds_text(double x) { return x < 10 ? fmt::format("{:.3f}", x) : fmt::format("{:.2f}", x); }

template <class Value>
std::string joined(const std::vector<Case>& cases, const Value& value) {
  std::vector<std::string> texts;
  for (const Case& c : cases) texts.push_back(value(c));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Table main_table(const std::vector<Case>& cases, double time) {
  Table table{
      fmt::format(
          "Table 2: computation for a run ({:g} s simulated here; the paper does not say how long its runs are)", time),
      "rrrrrrrrrr",
      {"links", "size OS", "NMC/OS", "NMC", "paper OS, s", "NMC/OS, s", "speed-up", "ours OS, s", "NMC/OS, s",
       "speed-up"}};
  for (const Case& c : cases)
    table.rows.push_back({std::to_string(c.paper.links), std::to_string(c.sizes.os), std::to_string(c.sizes.nmc_os),
                          std::to_string(c.sizes.nmc), fmt::format("{:.2f}", c.paper.os),
                          fmt::format("{:.2f}", c.paper.nmc_os), fmt::format("{:.1f}", c.paper.nmc_os / c.paper.os),
                          seconds_text(c.os_times.all), seconds_text(c.nmc_os_times().all),
                          fmt::format("{:.1f}", c.ratio())});
  return table;
}

Table step_table(const std::vector<Case>& cases) {
  Table table{"Where the time goes, us a step",
              "rrrrrrrrrr",
              {"links", "steps with contacts", "flight OS", "NMC/OS lemke", "interior point", "contact OS",
               "NMC/OS lemke", "interior point", "cone: contact OS", "NMC/OS"}};
  const auto us = [](double x) { return fmt::format("{:.1f}", x); };
  for (const Case& c : cases)
    table.rows.push_back({std::to_string(c.paper.links), std::to_string(c.os_times.contact_steps),
                          us(c.os_times.per_flight_step()), us(c.pivoting.per_flight_step()),
                          us(c.interior.per_flight_step()), us(c.os_times.per_contact_step()),
                          us(c.pivoting.per_contact_step()), us(c.interior.per_contact_step()),
                          us(c.os_cone.per_contact_step()), us(c.nmc_os_cone.per_contact_step())});
  return table;
}

Table certificate_table(const std::vector<Case>& cases) {
  Table table{"Certificates",
              "rlrrrrrrr",
              {"links", "method", "impacts", "problems", "most contacts", "largest problem", "residual",
               "penetration, m", "energy defect"}};
  for (const Case& c : cases)
    for (const bool os : {true, false}) {
      const Certificate& f = (os ? c.os : c.nmc_os).certificate;
      const int hinges = os ? 0 : 5 * c.paper.links;
      table.rows.push_back({std::to_string(c.paper.links), os ? "OS" : "NMC/OS", std::to_string(f.impacts),
                            std::to_string(f.problems), std::to_string(f.most_contacts),
                            std::to_string(hinges + f.most_contacts * (swing_directions + 2)),
                            fmt::format("{:.0e}", f.residual), fmt::format("{:.0e}", f.penetration),
                            fmt::format("{:.1e}", f.energy.relative_defect())});
    }
  return table;
}

Plot time_plot(const std::vector<Case>& cases) {
  Plot plot{.title = "Speed-up of OS over NMC/OS",
            .x_label = "links",
            .y_label = "times",
            .log_x = true,
            .log_y = true,
            .series = {{"paper", {}}, {"ours, the run", {}}, {"ours, steps with contacts", {}}},
            .note = "Times of whole runs, and of those steps in which anything touches."};
  for (const Case& c : cases) {
    const double n = c.paper.links;
    plot.series[0].points.emplace_back(n, c.paper.nmc_os / c.paper.os);
    plot.series[1].points.emplace_back(n, c.ratio());
    plot.series[2].points.emplace_back(n, c.nmc_os_times().per_contact_step() / c.os_times.per_contact_step());
  }
  return plot;
}

}  // namespace

Reproduction reproduce_os_lcp_table2(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const double time = options.quick ? 0.25 : 3;
  const int repeats = 2;
  pin_to_one_core();
  std::vector<Case> cases;
  double all_work = 0, done = 0;
  const auto work = [](int links) { return 10.0 + links * links; };
  const auto chosen = [&](int links) { return !options.quick || links == 3 || links == 12 || links == 30; };
  for (const TimesOf000& paper : times_of_000)
    if (chosen(paper.links)) all_work += work(paper.links);
  for (std::size_t k = 0; k < std::size(times_of_000); ++k) {
    const int links = times_of_000[k].links;
    if (!chosen(links)) continue;
    Case& c = cases.emplace_back(Case{.paper = times_of_000[k], .sizes_of_paper = sizes_of_000[k]});
    const bool finished = run_case(
        time, repeats,
        [&](double part) {
          return progress((done + part * work(links)) / all_work, fmt::format("pendulum of {} links", links));
        },
        c);
    if (!finished) return {};
    done += work(links);
  }

  const auto all = [&](const auto& holds) { return std::ranges::all_of(cases, holds); };
  bool growing = true;
  for (std::size_t k = 1; k < cases.size(); ++k) growing = growing && cases[k].ratio() > cases[k - 1].ratio();
  double residual = 0, sunk = 0, defect = 0, posed_residual = 0;
  long loose = 0, problems = 0;
  for (const Case& c : cases) {
    posed_residual = larger(posed_residual, c.residual);
    for (const SwingRun* run : {&c.os, &c.nmc_os}) {
      residual = larger(residual, run->certificate.residual);
      sunk = larger(sunk, run->certificate.penetration);
      defect = larger(defect, run->certificate.energy.relative_defect());
      loose += run->certificate.loose;
      problems += run->certificate.problems;
    }
  }
  const std::string links = joined(cases, [](const Case& c) { return std::to_string(c.paper.links); });

  Reproduction result;
  result.claims = {
      {fmt::format("size of OS's problem, 4 contacts and nf = 4, {} links", links),
       joined(cases, [](const Case& c) { return std::to_string(c.sizes_of_paper.os); }),
       joined(cases, [](const Case& c) { return std::to_string(c.sizes.os); }),
       all([](const Case& c) { return c.sizes.os == c.sizes_of_paper.os; })},
      {"size of NMC/OS's problem", joined(cases, [](const Case& c) { return std::to_string(c.sizes_of_paper.nmc_os); }),
       joined(cases, [](const Case& c) { return std::to_string(c.sizes.nmc_os); }),
       all([](const Case& c) { return c.sizes.nmc_os == c.sizes_of_paper.nmc_os; })},
      {"size of NMC's problem", joined(cases, [](const Case& c) { return std::to_string(c.sizes_of_paper.nmc); }),
       joined(cases, [](const Case& c) { return std::to_string(c.sizes.nmc); }),
       all([](const Case& c) { return c.sizes.nmc == c.sizes_of_paper.nmc; })},
      {"these problems have the same solutions", "-",
       fmt::format("impulses of each solve OS's problem to {:.1e}", posed_residual), posed_residual <= 1e-9},
      {"every run has a clean certificate", "-",
       fmt::format(
           "{} problems, {} of them not solved to 1e-10, largest residual {:.0e}; shapes penetrate by {:.0e} m at "
           "most; the energy defect is {:.0e} of the energy exchanged",
           problems, loose, residual, sunk, defect),
       all([](const Case& c) { return c.clean; })},
      {"OS is faster than NMC/OS for every pendulum",
       joined(cases, [](const Case& c) { return fmt::format("{:.1f}", c.paper.nmc_os / c.paper.os); }),
       joined(cases, [](const Case& c) { return fmt::format("{:.1f}", c.ratio()); }),
       all([](const Case& c) { return c.ratio() > 1; }), "timing"},
      {"the gap widens with the number of links", "from 3.6 to 55.6 times",
       fmt::format("from {:.1f} to {:.1f} times", cases.front().ratio(), cases.back().ratio()), growing, "timing"},
  };
  result.account = {
      Paragraph{fmt::format(
          "@swing as the paper has it: spheres of 1 kg on pins, 12 m in all, from 10 m above a floor, a wall at 4 m; "
          "from "
          "-pi/4 in line at 1 rad/s; mu 0.5, restitution 0.7, steps of 0.1 ms; links touch floor, wall and each other "
          "(but "
          "not their neighbours, whom the hinge holds). {:g} s are simulated: down, off the floor, and to the wall. "
          "Friction is polyhedral with four directions; both methods go through the same stepper, collision detection, "
          "impact law and solvers, to the same tolerance. In flight OS has nothing to solve and is one pass of the "
          "articulated-body algorithm; NMC/OS has its hinges, a linear system. OS takes the solver that `auto` chooses "
          "(lemke). NMC/OS is run with that and with interior_point, and the quicker one of the two counts; "
          "docs/reproduce_os_lcp.md has notes on the figures. "
          "Each step's time is the least of two runs.",
          time)},
      main_table(cases, time),
      time_plot(cases),
      step_table(cases),
      certificate_table(cases),
  };
  return result;
}

}  // namespace linchpin
