#include "linchpin/sim/time_stepping/penetration.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/dynamics/tree/articulated.h"
#include "linchpin/sim/time_stepping/interval_rows.h"

namespace linchpin {
namespace {

// rad. The rows of a correction are linear. What a part of it leaves is for the next step.
constexpr double most_turn = 0.1;
// rad. Angles beyond their limit by less are left to the next step; a tenth of the certificate's limit.
constexpr double small_angle = 1e-5;
// rad or m. Limits within this have a row, so that no joint is pushed beyond one by the correction of another.
constexpr double limits_within = 0.2;

bool is_angle(const JointLimit& limit) { return limit.kind == JointLimit::Kind::angle; }

// For each ball joint with a limit the largest of its moments of inertia, all that it carries included.
std::vector<double> armature_of_limited_balls(const StepPlan& plan) {
  std::vector<double> armature(plan.model.nv(), 0.0);
  ArticulatedFactor<double> factors(plan.plan);
  factor<double>(plan.plan, make_state(plan.model).q, factors);
  for (std::size_t i = 0; i < plan.plan.wide_links.size(); ++i) {
    const WideLink<double>& link = plan.plan.wide_links[i];
    const Sym3<double>& D_inverse = factors.wide[i].D_inverse;
    for (const JointLimit& limit : plan.joints.limits)
      if (is_angle(limit) && limit.coordinate == link.v)
        std::fill_n(armature.begin() + link.v, 3, 1 / std::min({D_inverse.xx, D_inverse.yy, D_inverse.zz}));
  }
  return armature;
}

}  // namespace

PenetrationCorrection::PenetrationCorrection(const StepPlan& plan)
    : plan_(plan), rest_(plan.model), zero_(plan.model.nv(), 0.0), shift_(plan.model.nv()) {
  if (std::ranges::any_of(plan.joints.limits, is_angle))
    isotropic_ = std::make_unique<Variant>(plan.model, plan.plan, plan.options, armature_of_limited_balls(plan));
}

bool PenetrationCorrection::passes_angle(std::span<const double> q) const {
  return isotropic_ && std::ranges::any_of(plan_.joints.limits, [&](const JointLimit& limit) {
           return is_angle(limit) && gap_of(limit, q) < -small_angle;
         });
}

bool PenetrationCorrection::is_needed(const Interval& interval) const {
  const double deepest = -plan_.options.position_tolerance;
  return std::ranges::any_of(interval.contacts, [&](const Contact& c) { return c.gap < deepest; }) ||
         std::ranges::any_of(plan_.joints.limits,
                             [&](const JointLimit& limit) { return gap_of(limit, interval.start.q) < deepest; });
}

// The gaps after the motion. For contacts with rows, by the velocities at the middle, where paths are not bent.
void PenetrationCorrection::find_end_gaps(const Interval& interval, const Solved& solved) {
  end_gap_.clear();
  for (const Contact& c : interval.contacts)
    end_gap_.push_back(c.gap + interval.h * relative_velocity(c, interval.placed.kin, solved.vel_mean).x);
  if (interval.h == 0) return;
  for (std::size_t b = 0; b < solved.rows.owner.size(); ++b) {
    const auto& [kind, i] = solved.rows.owner[b];
    if (kind != RowOwner::Kind::contact) continue;
    const Contact& c = interval.contacts[i];
    const int link = c.link_a != 0 ? c.link_a : c.link_b, row = solved.rows.rows.blocks[b].start;
    if (!solved.tree_jumps[plan_.trees.of_link[link]])
      end_gap_[i] = c.gap + 0.5 * interval.h * (solved.rates.before[row] + solved.rates.after[row]);
  }
}

// Scales the correction so that no ball or free joint turns by more than most_turn: its rows are linear.
void PenetrationCorrection::keep_linear() {
  double turn = 0;
  for (const Link& link : plan_.model.links())
    if (link.kind == LinkKind::ball || link.kind == LinkKind::free)
      turn = larger(turn, std::hypot(shift_[link.v], shift_[link.v + 1], shift_[link.v + 2]));
  is_scaled_ = turn > most_turn;
  if (!is_scaled_) return;
  for (double& d : shift_) d *= most_turn / turn;
}

// (6) is posed as a step without forces and without duration, from rest, with gaps in place of velocities.
std::optional<std::span<const double>> PenetrationCorrection::find(const Interval& interval, const Solved& solved,
                                                                   Variant& plain, ProblemWorkspace& ws,
                                                                   SolveEffort& effort,
                                                                   const SpringCorrection* springs) {
  const std::span<const double> q = interval.start.q;
  const Placed& placed = interval.placed;
  find_end_gaps(interval, solved);
  rows_.clear();
  if (interval.chain) add_loop_rows(interval.chain->constraints, interval.chain->rows, {}, rows_);
  std::ranges::fill(rows_.rows.offset, 0);  // loops must stay closed; they have a projection of their own
  if (springs) springs->add_rows(placed, rows_);
  for (int i = 0; i < int(interval.contacts.size()); ++i) {
    const Contact& c = interval.contacts[i];
    add_normal(c, placed.kin, end_gap_[i], rows_.rows);
    rows_.add_owner(RowOwner::Kind::contact, i);
  }
  for (int i = 0; i < int(plan_.joints.limits.size()); ++i) {
    const JointLimit& limit = plan_.joints.limits[i];
    const double gap = gap_of(limit, q) + interval.h * rate_of(limit, q, solved.v_mean);
    if (gap <= limits_within) add_limit(plan_, placed, i, q, gap, rows_);
  }
  Variant& mechanism = isotropic_ ? *isotropic_ : plain;
  velocities(plan_.model, placed.kin, zero_, rest_);
  const Motive motive{mechanism.model, mechanism.plan, placed.kin, rest_, q, zero_, {}, {}, 0};
  mechanism.formulation->pose(motive, rows_.rows, ws.problem);
  ws.z.assign(ws.problem.size(), 0.0);
  impulses_.resize(rows_.rows.size());
  // Positions need not be exact, since the next step sees what is left: 1e-6 of a gap is below any gap that matters.
  const SolveReport report =
      ws.solver.solve(ws.problem, SolverId::automatic, {.tolerance = 1e-6, .acceptable = 1e-2}, ws.z);
  ++effort.problems;
  effort.iterations += report.iterations;
  if (!report.residual.within(1e-2) || report.status == Status::bad_input) return std::nullopt;
  mechanism.formulation->lift(motive, rows_.rows, ws.z, shift_, impulses_);
  keep_linear();
  return shift_;
}

}  // namespace linchpin
