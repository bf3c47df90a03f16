#include "linchpin/sim/time_stepping/interval.h"

#include <algorithm>

#include "linchpin/base/larger.h"

namespace linchpin {

void SolveEffort::add_to(StepReport& report) const {
  report.problems += problems;
  report.iterations += iterations;
  report.declared_fallbacks += fallbacks;
}

void SolveQuality::add_to(StepReport& report) const {
  report.residual = larger(report.residual, residual);
  report.loose += loose;
  report.painleve = std::max(report.painleve, painleve);
}

Solved::Solved(const Model& model)
    : v(model.nv()), vel(model), q_forces(model.nq()), v_mean(model.nv()), vel_mean(model) {}

}  // namespace linchpin
