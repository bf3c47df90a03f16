// The reproduction of one table, figure or section of a paper.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/document.h"

namespace linchpin {

// A claim of the paper, with its figures and ours. `holds` is decided by numbers.
struct Claim {
  std::string claim, paper, ours;
  bool holds = false;
  std::string kind = "result";  // or "timing": a trend, which never sets the exit status
};

struct Reproduction {
  std::vector<Claim> claims;
  std::vector<Item> account;  // the report: text, tables and plots
};

struct ReproduceOptions {
  bool quick = false;  // fewer states and cases, the same claims
};

// Called before each piece of work; false asks to stop early, and the result is then discarded.
using ReproduceProgress = std::function<bool(double fraction, const std::string& what)>;

struct ReproductionEntry {
  std::string id, title, source;
  Reproduction (*run)(const ReproduceOptions&, const ReproduceProgress&);
};

const std::vector<ReproductionEntry>& reproductions();  // reproduce.cc

// One file each.
Reproduction reproduce_hybrid_dissipation(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_hybrid_figure5(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_hybrid_figure6(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_hybrid_figure7(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_hybrid_figure8(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_multipliers_section9(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_os_lcp_dual_arm(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_os_lcp_table1(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_os_lcp_table2(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_os_lcp_figure5(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_os_lcp_figure6(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_osim_box(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_osim_timing(const ReproduceOptions& options, const ReproduceProgress& progress);
Reproduction reproduce_stiffness(const ReproduceOptions& options, const ReproduceProgress& progress);

}  // namespace linchpin
