#include "linchpin/sim/time_stepping/spring_correction.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

// w of (1) below which springs are resolved.
constexpr double least_share = 1e-3;
// Of the elongation of the force, and of the length: smaller changes are left.
constexpr double least_change = 1e-3, length_rounding = 1e-13;

}  // namespace

SpringCorrection::SpringCorrection(const StepPlan& plan) : plan_(plan) {
  if (!plan.is_trapezoidal) return;
  for (int s = 0; s < int(plan.model.springs().size()); ++s)
    if (plan.model.springs()[s].stiffness > 0 && 2 * plan.weights.spring[s] - 1 > least_share)
      springs_.push_back({.spring = s});
}

void SpringCorrection::find_targets(const Solved& solved, const Kinematics<double>& start, double h) {
  for (Stiff& stiff : springs_) stiff.target = std::nan("");
  auto next = springs_.begin();
  for (std::size_t b = 0; b < solved.rows.owner.size() && next != springs_.end(); ++b) {
    const auto& [kind, index] = solved.rows.owner[b];
    if (kind != RowOwner::Kind::spring || index < next->spring) continue;
    while (next != springs_.end() && next->spring < index) ++next;  // a spring without length has no row
    if (next == springs_.end() || next->spring != index) continue;
    const Spring& spring = plan_.model.springs()[index];
    const double theta = plan_.weights.spring[index];
    const double z = solved.impulses[solved.rows.rows.blocks[b].start];
    const double elongation = length_of(plan_.model, start, spring) - spring.length;
    next->target = (spring.damping * elongation - theta * z) / (theta * h * spring.stiffness + spring.damping);
    ++next;
  }
}

bool SpringCorrection::is_needed(const Placed& end) {
  bool needed = false;
  is_coarse_ = false;
  for (Stiff& stiff : springs_) {
    const Spring& spring = plan_.model.springs()[stiff.spring];
    const double length = length_of(plan_.model, end.kin, spring), elongation = length - spring.length;
    stiff.change = 0;
    if (std::isnan(stiff.target) || length == 0) continue;
    const double change = (2 * plan_.weights.spring[stiff.spring] - 1) * (stiff.target - elongation);
    const double least = std::max(least_change * std::abs(stiff.target), length_rounding * length);
    if (!(std::abs(change) > least)) continue;
    stiff.change = change;
    needed = true;
    is_coarse_ = is_coarse_ || change * change > least * length;
  }
  return needed;
}

void SpringCorrection::add_rows(const Placed& end, StepRows& rows) const {
  for (const Stiff& stiff : springs_)
    if (add_length_row(plan_.model, end.kin, stiff.spring, -stiff.change, rows.rows))
      rows.add_owner(RowOwner::Kind::spring, stiff.spring);
}

}  // namespace linchpin
