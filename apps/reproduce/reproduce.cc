// linchpin reproduce: repeats the papers' tables, figures and sections.
#include "apps/reproduce/reproduce.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/file_conflicts.h"
#include "apps/json_output.h"
#include "apps/progress.h"
#include "apps/reproduce/reproduction.h"
#include "apps/terminal_text.h"

namespace linchpin {

const std::vector<ReproductionEntry>& reproductions() {
  static const std::vector<ReproductionEntry> all{
      {"smooth/stiffness", "Formulation stiffness: which elimination keeps its digits", "003 section 7",
       reproduce_stiffness},
      {"osim/timing", "The operational-space inertia: its time, and how it grows with links and nodes", "001 section 4",
       reproduce_osim_timing},
      {"osim/box", "A humanoid puts a box on the floor with both hands, and takes it up again", "001 figures 5, 6",
       reproduce_osim_box},
      {"os-lcp/table1", "How large each formulation's problem is: the dual-arm robot and the pendulums",
       "000 tables 1, 2", reproduce_os_lcp_table1},
      {"os-lcp/table2", "Pendulums of 3 to 30 links against floor and wall: OS and NMC/OS, sizes and times",
       "000 section 8, table 2", reproduce_os_lcp_table2},
      {"os-lcp/figure5", "The pendulum of 12 links swings into floor and wall, in frames", "000 figure 5",
       reproduce_os_lcp_figure5},
      {"os-lcp/figure6", "Height and velocity of the pendulum's last link by two methods, and their difference",
       "000 figure 6", reproduce_os_lcp_figure6},
      {"os-lcp/dual-arm", "The dual-arm robot takes a wheel off its hub, and hands a driver from hand to hand",
       "000 figure 1, section 8", reproduce_os_lcp_dual_arm},
      {"hybrid/figure5", "Chains of 1 to 512 bodies fall freely: time by three methods of forward dynamics",
       "002 figure 5", reproduce_hybrid_figure5},
      {"hybrid/figure6", "The same chains with no, one and two contacts: time by three hybrid methods, and by solver",
       "002 figure 6, section 2.3", reproduce_hybrid_figure6},
      {"hybrid/figure7", "A pendulum of 8 rods: drift of its energy by Euler's method and by Runge-Kutta",
       "002 figure 7", reproduce_hybrid_figure7},
      {"hybrid/figure8",
       "Three rods fall on their ends: drift and penetration of higher-order integration with contact",
       "002 figure 8, section 4.1", reproduce_hybrid_figure8},
      {"hybrid/dissipation", "What friction dissipates: by the number of directions, and with higher order",
       "002 section 4.1", reproduce_hybrid_dissipation},
      {"multipliers/section9",
       "Lagrange multipliers in linear time: four systems, and chains, stars and trees of any size", "004 section 9",
       reproduce_multipliers_section9},
  };
  return all;
}

namespace {

struct Request {
  std::vector<std::string> ids;
  bool quick = false;
  std::string json, report;
};

std::vector<const ReproductionEntry*> chosen(const std::vector<std::string>& ids) {
  std::vector<const ReproductionEntry*> entries;
  for (const std::string& id : ids) {
    const std::size_t before = entries.size();
    for (const ReproductionEntry& entry : reproductions())
      if ((id == "all" || id == entry.id) && std::find(entries.begin(), entries.end(), &entry) == entries.end())
        entries.push_back(&entry);
    const bool known = id == "all" || std::any_of(reproductions().begin(), reproductions().end(),
                                                  [&](const ReproductionEntry& entry) { return entry.id == id; });
    if (known || entries.size() > before) continue;
    std::string there;
    for (const ReproductionEntry& entry : reproductions()) there += (there.empty() ? "" : ", ") + entry.id;
    throw UsageError(fmt::format("there is nothing to reproduce called '{}'; there are: {} (or all, list)", id, there));
  }
  return entries;
}

int list(const std::string& json) {
  OutputFile file("--json", json);
  Json rows = Json::array();
  Table table{"", "lll", {"id", "from", "what"}};
  for (const ReproductionEntry& entry : reproductions()) {
    rows.push_back({{"id", entry.id}, {"source", entry.source}, {"title", entry.title}});
    table.rows.push_back({entry.id, entry.source, entry.title});
  }
  fmt::print(file.is_standard_output() ? stderr : stdout, "{}", to_text(table));
  write_json({{"rows", rows}}, file);
  return exit_done;
}

Table claim_table(const std::vector<Claim>& claims) {
  Table table{"", "lllll", {"claim", "paper", "ours", "holds", "kind"}};
  for (const Claim& c : claims) table.rows.push_back({c.claim, c.paper, c.ours, c.holds ? "yes" : "no", c.kind});
  return table;
}

std::string claims_text(const std::vector<Claim>& claims) {
  std::string out = "Claims\n------\n";
  for (const Claim& c : claims)
    out += fmt::format("  [{}] {}{}\n        paper: {}\n        ours:  {}\n", c.holds ? "holds" : "FAILS", c.claim,
                       c.kind == "timing" ? " (timing: a trend, not judged)" : "", c.paper, c.ours);
  return out;
}

Json table_json(const Table& table) {
  return {{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}};
}

int run(const Request& request) {
  if (request.ids.empty() || (request.ids.size() == 1 && request.ids.front() == "list")) {
    if (!request.report.empty()) throw UsageError("--report needs something to reproduce: all, or an id of the list");
    return list(request.json);
  }
  const std::vector<const ReproductionEntry*> entries = chosen(request.ids);

  // Paths that cannot be written are refused before the work, not after it.
  const std::string index =
      request.report.empty() ? "" : (std::filesystem::path(request.report) / "index.html").string();
  refuse_same_files({}, {{"--json", request.json}, {"--report", index}});
  OutputFile json("--json", request.json), page;
  if (!request.report.empty()) {
    std::error_code fault;
    std::filesystem::create_directories(request.report, fault);
    if (!std::filesystem::is_directory(request.report))
      throw UsageError(fmt::format("--report: cannot make the folder '{}': {}", request.report,
                                   fault ? fault.message() : "there is a file of that name"));
    page = OutputFile("--report", index);
  }
  std::FILE* const out = json.is_standard_output() ? stderr : stdout;

  bool all_hold = true;
  Json rows = Json::array(), tables = Json::object();
  std::vector<Item> blocks;
  Progress progress(true);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ReproductionEntry& entry = *entries[i];
    const Reproduction found = entry.run({.quick = request.quick}, [&](double fraction, const std::string& what) {
      progress.show((double(i) + fraction) / double(entries.size()), entry.id + ": " + what);
      return !interrupted();
    });
    progress.clear();
    if (interrupted()) return exit_failed;
    fmt::print(out, "{}: {} ({})\n\n{}{}\n", entry.id, entry.title, entry.source, to_text(found.account),
               claims_text(found.claims));
    for (const Claim& c : found.claims) {
      all_hold = all_hold && (c.holds || c.kind == "timing");
      rows.push_back({{"id", entry.id},
                      {"claim", c.claim},
                      {"paper", c.paper},
                      {"ours", c.ours},
                      {"holds", c.holds},
                      {"kind", c.kind}});
    }
    tables[entry.id] = Json::array();
    for (const Item& block : found.account)
      if (const Table* table = std::get_if<Table>(&block)) tables[entry.id].push_back(table_json(*table));
    blocks.push_back(Heading{fmt::format("{}: {} ({})", entry.id, entry.title, entry.source)});
    blocks.push_back(claim_table(found.claims));
    blocks.insert(blocks.end(), found.account.begin(), found.account.end());
  }
  if (page) {
    page.write(to_html("linchpin reproduces", blocks));
    page.commit();
    fmt::print(out, "report: {}\n", printable(index));
  }
  write_json({{"rows", rows}, {"tables", tables}}, json);
  return all_hold ? exit_done : exit_failed;
}

}  // namespace

void add_reproduce_options(Verb verb) {
  auto request = std::make_shared<Request>();
  verb.add_option("ID", request->ids, "What to reproduce: ids of the list, or `all`; `list` (the default) shows them")
      .type_name("");
  verb.add_flag("--quick", request->quick, "Fewer cases, the same claims");
  verb.add_option("--json", request->json, "Write the claims (rows) and tables to FILE; - is standard output")
      .type_name("FILE");
  verb.add_option("--report", request->report, "Write DIR/index.html, one page with tables and plots").type_name("DIR");
  verb.footer(
      "Each claim of a paper is compared with the result computed here. Exit status 1 when a claim of kind \"result\"\n"
      "does not hold; claims of kind \"timing\" are trends and do not change it.\n\n"
      "Examples:\n"
      "  linchpin reproduce list\n"
      "  linchpin reproduce smooth/stiffness --quick\n"
      "  linchpin reproduce all --report report --json claims.json");
  verb.on_call([request] { return run(*request); });
}

}  // namespace linchpin
