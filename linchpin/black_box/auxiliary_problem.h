// Auxiliary constraints that are no equalities (dynamics/maximal/auxiliary_rows.h), solved by the solver room: 004 (12) with its
// laws is a problem of solvers/problem/problem.h as it stands, w = a, z = mu, M = J^a Mhat^-1 K + E (dense, and not symmetric
// where forces are along directions of their own [004 s.8.1]), q = J^a y0 - r^a.
//
//     MultiplierSystem system = ...;
//     system.set_solver(std::make_shared<AuxiliaryProblem>());
//
// Equalities are free blocks. Where loops are redundant beside inequalities, M is singular; what the solvers make of
// that is in docs/solvers.md.
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

  // The problem as it went to the solver last, and what became of it.
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
