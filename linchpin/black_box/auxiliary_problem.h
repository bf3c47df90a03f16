// Solves auxiliary constraints with inequalities (dynamics/maximal/auxiliary_rows.h) by the complementarity solvers.
// 004 (12) with its laws is a problem of solvers/problem/problem.h with w = a, z = mu, M = J^a Mhat^-1 K + E (dense,
// and not symmetric if forces have directions of their own [004 s.8.1]), q = J^a y0 - r^a.
//
//     MultiplierSystem system = ...;
//     system.set_solver(std::make_shared<AuxiliaryProblem>());
//
// Equalities are free blocks. If redundant loops occur together with inequalities, M is singular; docs/solvers.md says
// how the solvers handle that.
#pragma once

#include <span>

#include "linchpin/dynamics/maximal/auxiliary_rows.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

class AuxiliaryProblem final : public AuxiliarySolver {
 public:
  explicit AuxiliaryProblem(SolverId solver = SolverId::automatic, const SolverOptions& options = {});

  bool takes(RowLaw::Kind) const override { return true; }
  bool prepare(std::span<const double> A, std::span<const double> sizes, bool symmetric,
               std::span<const AuxiliaryBlock> blocks) override;
  bool solve(std::span<const double> b, std::span<double> mu) override;

  // The last problem given to the solver, and the solver's report.
  const Problem& problem() const { return problem_; }
  const SolveReport& report() const { return report_; }

 private:
  SolverId id_;
  SolverOptions options_;
  Solver solver_;
  Problem problem_;
  SolveReport report_;
};

}  // namespace linchpin
