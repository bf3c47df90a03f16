// linchpin bench: timings of linchpin and of the engines that are installed.
#include "apps/bench/bench.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/document.h"
#include "apps/file_conflicts.h"
#include "apps/json_output.h"
#include "apps/progress.h"
#include "apps/terminal_text.h"
#include "bench/suite.h"

namespace linchpin {
namespace {

struct Request {
  std::vector<std::string> suites;
  bool quick = false, no_peers = false;
  std::string json, report;
};

std::vector<const BenchSuite*> chosen(const std::vector<std::string>& names) {
  std::vector<const BenchSuite*> suites;
  for (const std::string& name : names) {
    const auto at = std::find_if(bench_suites().begin(), bench_suites().end(),
                                 [&](const BenchSuite& suite) { return suite.name == name; });
    if (at == bench_suites().end()) {
      std::string there;
      for (const BenchSuite& suite : bench_suites()) there += (there.empty() ? "" : ", ") + suite.name;
      throw UsageError(fmt::format("there is no suite '{}'; there are: {}", name, there));
    }
    suites.push_back(&*at);
  }
  if (names.empty())
    for (const BenchSuite& suite : bench_suites()) suites.push_back(&suite);
  return suites;
}

Json row_json(const BenchRow& row) {
  Json json{
      {"suite", row.suite}, {"case", row.bench_case}, {"size", row.size}, {"metric", row.metric}, {"unit", row.unit}};
  json["value"] = row.value ? Json(*row.value) : Json(nullptr);
  json["who"] = row.who;
  if (row.median) json["median"] = *row.median;
  if (!row.scalar.empty()) json["scalar"] = row.scalar;
  if (!row.reason.empty()) json["reason"] = row.reason;
  if (row.who == "linchpin") {
    json["ratio"] = Json::object();
    for (const auto& [peer, ratio] : row.ratio) json["ratio"][peer] = ratio;
  }
  return json;
}

void note(std::vector<std::string>& list, const std::string& name) {
  if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

// The values of one metric in the order of the cases: one line per case, our scalars in ns per joint, then ratios.
std::string metric_table(const BenchReport& report, const std::string& metric) {
  std::vector<std::string> peers, scalars, cases;
  for (const BenchRow& row : report.rows) {
    if (row.metric != metric || !row.value) continue;
    note(cases, row.bench_case);
    note(scalars, row.scalar);
    if (row.who != "linchpin") note(peers, row.who);
  }
  const auto find = [&](const std::string& c, const std::string& who, const std::string& scalar,
                        const std::string& unit) -> const BenchRow* {
    for (const BenchRow& row : report.rows)
      if (row.metric == metric && row.bench_case == c && row.who == who && row.scalar == scalar && row.unit == unit)
        return &row;
    return nullptr;
  };
  const bool orientation = std::any_of(report.orientation.begin(), report.orientation.end(),
                                       [&](const Orientation& o) { return o.metric == metric; });
  Table table{
      fmt::format("{}: us per call (smallest, median), ns per joint and world, peers as multiples of ours", metric),
      "l",
      {"case", "dof", "us", "median"}};
  for (const std::string& scalar : scalars) table.columns.push_back(scalar);
  for (const std::string& peer : peers) table.columns.push_back(peer);
  if (orientation) table.columns.emplace_back("Pinocchio us *");
  for (const std::string& c : cases) {
    const BenchRow* const ours = find(c, "linchpin", "double", "us");
    if (!ours || !ours->value) continue;
    std::vector<std::string> line{c, std::to_string(ours->size), fmt::format("{:.4g}", *ours->value),
                                  fmt::format("{:.4g}", *ours->median)};
    for (const std::string& scalar : scalars) {
      const BenchRow* const row = find(c, "linchpin", scalar, "ns/joint");
      line.push_back(row && row->value ? fmt::format("{:.1f}", *row->value) : "-");
    }
    for (const std::string& peer : peers) {
      const auto at = ours->ratio.find(peer);
      line.push_back(at == ours->ratio.end() ? "-" : fmt::format("{:.1f}x", at->second));
    }
    if (orientation) {
      const auto at = std::find_if(report.orientation.begin(), report.orientation.end(),
                                   [&](const Orientation& o) { return o.metric == metric && o.bench_case == c; });
      line.push_back(at == report.orientation.end() ? "-" : fmt::format("{:g}", at->value));
    }
    table.rows.push_back(std::move(line));
  }
  return to_text(table);
}

std::string report_text(const BenchReport& report) {
  std::string out;
  for (const std::string& note : report.notes) out += "  " + note + "\n";
  for (const BenchTable& t : report.tables) out += "\n" + to_text(Table{t.title, t.align, t.columns, t.rows});
  std::vector<std::string> metrics;
  for (const BenchRow& row : report.rows)
    if (report.tables.empty() && row.metric != "agreement") note(metrics, row.metric);
  for (const std::string& metric : metrics) out += "\n" + metric_table(report, metric);
  if (!report.orientation.empty())
    out += fmt::format("\n  * {}: {}\n", report.orientation.front().who, report.orientation.front().source);

  std::vector<std::pair<std::string, std::vector<std::string>>> skipped;  // who, what and why -> cases
  double far = 0;
  std::string farthest;
  for (const BenchRow& row : report.rows) {
    // NaN is the farthest, and stays it.
    if (row.metric == "agreement" && row.value && !std::isnan(far) && !(*row.value <= far)) {
      far = *row.value;
      farthest = fmt::format("{} on {}", row.who, row.bench_case);
    }
    if (row.reason.empty() || row.reason.starts_with("not reached")) continue;  // the tables show these
    const std::string who = row.metric == "agreement" ? row.who : row.who + ", " + row.metric;
    const std::string why = row.reason.starts_with(row.who) ? row.reason : who + ": " + row.reason;
    auto at = std::find_if(skipped.begin(), skipped.end(), [&](const auto& s) { return s.first == why; });
    if (at == skipped.end()) at = skipped.insert(at, {why, {}});
    note(at->second, row.bench_case);
  }
  if (!farthest.empty()) out += fmt::format("\nPeers agree with us within {:.1e} (farthest: {})\n", far, farthest);
  if (!skipped.empty()) {
    out += "\nLeft out\n";
    for (const auto& [why, cases] : skipped)
      out += fmt::format(
          "  {} ({})\n", why,
          cases.size() > 3 ? fmt::format("{} cases", cases.size()) : fmt::format("{}", fmt::join(cases, ", ")));
  }

  Table targets{"Targets (they never change the exit status)", "lrrl", {"what", "value", "target", "met"}};
  for (const BenchTarget& t : report.targets)
    targets.rows.push_back({t.what, t.value ? fmt::format("{:.3g} {}", *t.value, t.unit) : "not measured",
                            fmt::format("{} {:g} {}", t.at_most ? "<=" : ">=", t.target, t.unit),
                            !t.value  ? "-"
                            : t.met() ? "yes"
                                      : "no"});
  if (!targets.rows.empty()) out += "\n" + to_text(targets);
  return out;
}

// The page with tables and plots: its folder is made. Empty without --report.
OutputFile report_page(const std::string& folder, const std::string& index) {
  if (folder.empty()) return {};
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("--report: cannot make the folder '{}': {}", folder,
                                 fault ? fault.message() : "there is a file of that name"));
  return OutputFile("--report", index);
}

void add_to_page(const BenchSuite& suite, const BenchReport& report, std::vector<Item>& blocks) {
  blocks.push_back(Heading{suite.name + ": " + suite.description});
  for (const std::string& note : report.notes) blocks.push_back(Paragraph{note});
  for (const BenchTable& t : report.tables) blocks.push_back(Table{t.title, t.align, t.columns, t.rows});
  for (const BenchPlot& p : report.plots) {
    Plot plot{.title = p.title, .x_label = p.x_label, .y_label = p.y_label, .log_x = true, .log_y = true};
    for (const BenchPlot::Series& s : p.series) plot.series.push_back({s.name, s.points});
    blocks.push_back(std::move(plot));
  }
}

int run(const Request& request) {
  const std::vector<const BenchSuite*> suites = chosen(request.suites);
  const std::string index =
      request.report.empty() ? "" : (std::filesystem::path(request.report) / "index.html").string();
  refuse_same_files({}, {{"--json", request.json}, {"--report", index}});
  OutputFile json("--json", request.json), page = report_page(request.report, index);
  std::vector<Item> blocks;
  std::FILE* const out = json.is_standard_output() ? stderr : stdout;
  Json rows = Json::array(), orientation = Json::array(), targets = Json::array(), notes = Json::array();
  for (const BenchSuite* suite : suites) {
    Progress progress(true);
    const BenchReport report =
        suite->run({.quick = request.quick, .peers = !request.no_peers}, [&](double fraction, const std::string& what) {
          progress.show(fraction, what);
          return !interrupted();
        });
    progress.clear();
    if (interrupted()) return exit_failed;
    fmt::print(out, "{}: {}\n{}\n", suite->name, suite->description, report_text(report));
    add_to_page(*suite, report, blocks);
    for (const BenchRow& row : report.rows) rows.push_back(row_json(row));
    for (const Orientation& o : report.orientation)
      orientation.push_back({{"case", o.bench_case},
                             {"metric", o.metric},
                             {"unit", o.unit},
                             {"value", o.value},
                             {"who", o.who},
                             {"source", o.source}});
    for (const BenchTarget& t : report.targets)
      targets.push_back({{"what", t.what},
                         {"unit", t.unit},
                         {"value", t.value ? Json(*t.value) : Json(nullptr)},
                         {"target", t.target},
                         {"at_most", t.at_most},
                         {"met", t.met()}});
    for (const std::string& note : report.notes) notes.push_back(note);
  }
  if (page) {
    page.write(to_html("linchpin bench", blocks));
    page.commit();
    fmt::print(out, "report: {}\n", printable(index));
  }
  write_json({{"rows", rows}, {"targets", targets}, {"orientation", orientation}, {"notes", notes}}, json);
  return exit_done;
}

}  // namespace

void add_bench_options(Verb verb) {
  auto request = std::make_shared<Request>();
  std::string there;
  for (const BenchSuite& suite : bench_suites()) there += fmt::format("\n  {:<12}{}", suite.name, suite.description);
  verb.add_option("SUITE", request->suites, "Which suites; all of them if none is named").type_name("");
  verb.add_flag("--quick", request->quick, "Fewer cases and samples");
  verb.add_flag("--no-peers", request->no_peers, "Time linchpin alone");
  verb.add_option("--json", request->json, "Write every measurement (rows) to FILE; - is standard output")
      .type_name("FILE");
  verb.add_option("--report", request->report, "Write DIR/index.html, one page with tables and plots").type_name("DIR");
  verb.footer(fmt::format(
      "Suites:{}\n\n"
      "Absolute times differ from machine to machine and from hour to hour; compare the ratios to peers of the same\n"
      "run. A ratio is the peer's time over linchpin's: above 1, linchpin is faster. Times are the smallest of many\n"
      "samples, per call and world, in microseconds (us) and in nanoseconds per degree of freedom (ns/joint). The\n"
      "exit status does not depend on the times.\n\n"
      "Examples:\n"
      "  linchpin bench --quick\n"
      "  linchpin bench dynamics --json dynamics.json\n"
      "  linchpin bench steppers --report steppers\n"
      "  linchpin bench --no-peers",
      there));
  verb.on_call([request] { return run(*request); });
}

}  // namespace linchpin
