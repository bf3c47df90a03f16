// os-lcp/table1: 000 Table 1, the size of each formulation's problem for the dual-arm robot, and the sizes of Table 2
// for the pendulums. The problems are really posed: five of them at one state, with four contacts of four friction
// directions. They share the contact impulses, whose residual is computed in the problem of OS.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/reproduce/posed_methods.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/base/larger.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

constexpr double tolerance = 1e-9;

Model load(const std::string& text) { return compile(scene(text).value()).value(); }

// A finger and a thumb of each hand.
std::vector<PointContact> fingertips(const Model& model) {
  std::vector<PointContact> points;
  for (const char* name : {"left_finger_1_tip", "left_thumb_tip", "right_finger_1_tip", "right_thumb_tip"}) {
    const Frame& frame = model.frames()[model.find_frame(name)];
    const Body& body = model.bodies()[frame.body];
    points.push_back({body.link, body.X_LB * frame.X_BF.p});
  }
  return points;
}

}  // namespace

Reproduction reproduce_os_lcp_table1(const ReproduceOptions&, const ReproduceProgress& progress) {
  Reproduction result;
  if (!progress(0, "the dual-arm robot")) return {};
  const Model robot = load("@dual_arm");
  const std::vector<Posed> arm = pose_all(robot, fingertips(robot));
  const int n = int(robot.links().size()) - 1, N = robot.nv();
  // NMC, NMC/OS, MC, RMC, OS; the paper's Table 1 leaves NMC/OS out.
  const char* formula[] = {"6n + nb + nu (nf + 2)", "nb + nu (nf + 2)", "N + nb + nu (nf + 2)", "nu (nf + 2)",
                           "nb + nu (nf + 2)"};
  const int of_paper[] = {310, 0, 50, 24, 24};
  result.claims.push_back({"the dual-arm robot", "26 links, 26 degrees of freedom, no loops",
                           fmt::format("{} links, {} degrees of freedom, {} loops", n, N, robot.constraints().size()),
                           n == 26 && N == 26 && robot.constraints().empty()});
  Table table1{"Table 1: the dual-arm robot, 4 contacts, nf = 4",
               "llrrr",
               {"formulation", "size", "paper", "ours", "residual in OS's problem"}};
  for (std::size_t m = 0; m < arm.size(); ++m) {
    table1.rows.push_back({std::string(to_string(arm[m].method)), formula[m],
                           of_paper[m] == 0 ? "-" : std::to_string(of_paper[m]), std::to_string(arm[m].size),
                           fmt::format("{:.1e}", arm[m].residual)});
    if (of_paper[m] != 0)
      result.claims.push_back({fmt::format("size of {} for the dual arm", to_string(arm[m].method)),
                               fmt::format("{} = {}", formula[m], of_paper[m]), std::to_string(arm[m].size),
                               arm[m].size == of_paper[m]});
  }

  std::vector<int> links;
  std::vector<int> sizes_of_paper[5], sizes[5];  // by method, in the order above
  double worst = worst_residual(arm);
  Table table2{
      "Table 2, the sizes: pendulums, 4 contacts, nf = 4", "rrrrrr", {"links", "nmc", "nmc_os", "mc", "rmc", "os"}};
  for (const PendulumSizes& of_000 : sizes_of_000) {
    if (!progress(of_000.links / 31.0, fmt::format("pendulum of {} links", of_000.links))) return {};
    links.push_back(of_000.links);
    sizes_of_paper[0].push_back(of_000.nmc);
    sizes_of_paper[1].push_back(of_000.nmc_os);
    sizes_of_paper[4].push_back(of_000.os);
    const Model pendulum = load(fmt::format("@pendulum:links={}", of_000.links));
    const std::vector<Posed> posed = pose_all(pendulum, last_links(pendulum));
    worst = larger(worst, worst_residual(posed));
    table2.rows.push_back({std::to_string(of_000.links)});
    for (std::size_t m = 0; m < arm.size(); ++m) {
      sizes[m].push_back(posed[m].size);
      table2.rows.back().push_back(std::to_string(posed[m].size));
    }
  }
  for (std::size_t m = 0; m < arm.size(); ++m)
    if (!sizes_of_paper[m].empty())
      result.claims.push_back(
          {fmt::format("sizes of {} for pendulums of {} links", to_string(arm[m].method), fmt::join(links, ", ")),
           fmt::format("{}", fmt::join(sizes_of_paper[m], ", ")), fmt::format("{}", fmt::join(sizes[m], ", ")),
           sizes[m] == sizes_of_paper[m]});
  result.claims.push_back({"all formulations have the same solutions", "\"the underlying physics remains unchanged\"",
                           fmt::format("impulses of each solve OS's problem to {:.1e}", worst), worst <= tolerance});
  result.account.push_back(
      Paragraph{"Every problem is posed at a random state with four contacts against the world (the dual arm's at two "
                "fingers and two "
                "thumbs, the pendulums' on their last links), and solved. A size is the number of rows of the problem "
                "that the solver "
                "gets, with polyhedral friction. The paper gives the counts of the dual-arm robot; its lengths and "
                "masses are ours, "
                "which sizes do not depend on."});
  result.account.push_back(table1);
  result.account.push_back(table2);
  return result;
}

}  // namespace linchpin
