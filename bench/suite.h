// What a suite of benchmarks hands back.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linchpin {

// One number. Times are the smallest of many samples, per call and world.
struct BenchRow {
  std::string suite = {}, bench_case = {};
  int size = 0;  // degrees of freedom, or rows of a problem
  std::string metric = {}, unit = {};
  std::optional<double> value = {};  // none: skipped, for this reason
  std::string reason = {};
  std::optional<double> median = {};
  std::string who = {};                      // "linchpin" or the peer
  std::string scalar = {};                   // linchpin: double, float, or how many worlds side by side; or the solver
  std::map<std::string, double> ratio = {};  // peer -> its value over ours, so above 1 is ahead
};

// A figure measured on another machine on another day. For orientation: never compared by this program.
struct Orientation {
  std::string bench_case, metric, unit, who, source;
  double value = 0;
};

// What we set out to reach. Reported, never judged by the exit status.
struct BenchTarget {
  std::string what, unit;
  bool at_most = true;  // else at least
  double target = 0;
  std::optional<double> value;  // none: not measured in this run
  bool met() const { return value && (at_most ? *value <= target : *value >= target); }
};

// A suite's own way to show its rows; without one they are shown metric by metric.
struct BenchTable {
  std::string title;
  std::string align;  // one letter per column: l or r
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

// Curves, both axes logarithmic. For --report.
struct BenchPlot {
  std::string title, x_label, y_label;
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
  };
  std::vector<Series> series;
};

struct BenchReport {
  std::vector<BenchRow> rows;
  std::vector<BenchTable> tables;
  std::vector<BenchPlot> plots;
  std::vector<Orientation> orientation;
  std::vector<BenchTarget> targets;
  std::vector<std::string> notes;  // who took part, and who did not and why
};

struct BenchOptions {
  bool quick = false;
  bool peers = true;
};

// Told before each piece of work what it is; false asks to stop early.
using BenchProgress = std::function<bool(double fraction, const std::string& what)>;

struct BenchSuite {
  std::string name, description;
  BenchReport (*run)(const BenchOptions&, const BenchProgress&);
};

const std::vector<BenchSuite>& bench_suites();

BenchReport bench_compliance(const BenchOptions& options, const BenchProgress& progress);   // compliance.cc
BenchReport bench_contact(const BenchOptions& options, const BenchProgress& progress);      // contact.cc
BenchReport bench_dynamics(const BenchOptions& options, const BenchProgress& progress);     // dynamics.cc
BenchReport bench_geometry(const BenchOptions& options, const BenchProgress& progress);     // geometry.cc
BenchReport bench_loops(const BenchOptions& options, const BenchProgress& progress);        // loops.cc
BenchReport bench_hybrid(const BenchOptions& options, const BenchProgress& progress);       // hybrid.cc
BenchReport bench_multipliers(const BenchOptions& options, const BenchProgress& progress);  // multipliers.cc
BenchReport bench_solvers(const BenchOptions& options, const BenchProgress& progress);      // solvers.cc
BenchReport bench_steppers(const BenchOptions& options, const BenchProgress& progress);     // steppers.cc

}  // namespace linchpin
