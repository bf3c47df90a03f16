#include "linchpin/sim/time_stepping/account.h"

#include <cmath>

#include "linchpin/sim/time_stepping/interval_solver.h"
#include "linchpin/sim/time_stepping/testing.h"

namespace linchpin {
namespace {

// A box at rest on four contacts: a NaN in the friction of any one of them is the step's cone violation.
TEST(Account, AConeViolationThatIsNotANumberIsKept) {
  const Model model = model_of("stack:boxes=1");
  StageTest stage(model);
  IntervalSolver solver(stage.plan);
  ProblemWorkspace ws;
  Solved solved(model);
  const std::vector<char> asleep(stage.plan.trees.count, 0);
  ASSERT_EQ(solver.solve(stage.interval(1e-3), stage.unknown, asleep, ws, solved), nullptr);
  const RowVelocities& u = solved.rates;
  ASSERT_GE(solved.rows.rows.blocks.size(), 3u);
  for (const Block& block : solved.rows.rows.blocks) {
    ASSERT_EQ(block.kind, BlockKind::cone);
    StepReport report;
    energy_lost(stage.plan, solved.rows, solved.impulses, u, 1e-3, report);
    EXPECT_LT(report.cone_violation, 1e-12);  // N s, against 2.5e-3 N s of each contact
    std::vector<double> impulses = solved.impulses;
    impulses[block.start + 1] = std::nan("");
    energy_lost(stage.plan, solved.rows, impulses, u, 1e-3, report);
    EXPECT_TRUE(std::isnan(report.cone_violation)) << "contact at row " << block.start;
  }
}

}  // namespace
}  // namespace linchpin
