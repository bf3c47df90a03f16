// Dormand and Prince's pair of orders 5 and 4 [Dormand and Prince 1980; Hairer, Norsett and Wanner 1993, table II.5.2],
// on the manifold (runge_kutta.h), with steps chosen by a PI controller [the same, IV.2 and code DOPRI5].
//
// A substep h is accepted if its error e, the difference of the two orders, gives err <= 1 in
//     err = max over coordinates of |e| / (absolute + relative max(|before|, |after|))                         (1)
// (for rotations |before| = |after| = 1 rad). The next substep is
//     h * safety err^-0.17 err_before^0.04,   within [1/5, 5] h                                                (2)
// err_before is reset in each step of length dt, so that State::substep is the only memory between steps. The state is
// projected onto the constraints at the end of the step, not of each substep: near a singular position, at distance d,
// each projection amplifies errors by 1 / d, and many small substeps there folded @four_bar:loops=2.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "linchpin/sim/step_size_control.h"

namespace linchpin {
namespace {

constexpr std::array a2{1.0 / 5};
constexpr std::array a3{3.0 / 40, 9.0 / 40};
constexpr std::array a4{44.0 / 45, -56.0 / 15, 32.0 / 9};
constexpr std::array a5{19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729};
constexpr std::array a6{9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656};
constexpr std::array order5{35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
constexpr std::array order5_less_4{71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                   -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

constexpr std::array<std::span<const double>, 6> rows{a2, a3, a4, a5, a6, order5};

constexpr std::size_t last_stage = dormand_prince_stages - 1;

// Evaluates all stages from the second on. The last one is at the end of the substep: it is the first of the next.
void take_substep(Dynamics& dynamics, double time, const Arrival& base, const Inputs& inputs, double h,
                  Stages& stages) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    place_stage(dynamics, time, base.q, base.v, h, rows[i], stages);
    evaluate_stage(dynamics, inputs, i + 1, stages);
  }
}

// One term of (1); infinite if anything is not finite.
double relative_error(double difference, double before, double after, const SimulationOptions& options) {
  const double allowed =
      options.absolute_tolerance + options.relative_tolerance * std::max(std::abs(before), std::abs(after));
  const double error = std::abs(difference) / allowed;
  return std::isfinite(error) && std::isfinite(allowed) ? error : std::numeric_limits<double>::infinity();
}

// After an accepted substep: its end becomes the start of the next.
void rebase(Stages& stages, Arrival& base) {
  const std::size_t nv = base.v.size();
  std::ranges::copy(stages.q, base.q.begin());
  std::ranges::copy(stages.v, base.v.begin());
  std::copy_n(stages.v.begin(), nv, stages.udot.begin());  // dexp^-1 is 1 at u = 0
  std::copy_n(stages.vdot.begin() + std::ptrdiff_t(last_stage * nv), nv, stages.vdot.begin());
  const std::size_t rows = base.reactions.size();
  std::copy_n(stages.reactions.begin() + std::ptrdiff_t(last_stage * rows), rows, stages.reactions.begin());
  stages.power[0] = stages.power[last_stage];
}

StepReport too_small(StepReport so_far, const char* reason) {
  so_far.status = StepStatus::step_too_small;
  so_far.reason = reason;
  return so_far;
}

}  // namespace

RungeKuttaTable dormand_prince_table() { return rows; }

double dormand_prince_error(const Dynamics& dynamics, const Arrival& base, double h, const SimulationOptions& options,
                            const Stages& stages) {
  const std::size_t nv = base.v.size();
  double worst = 0;
  for (std::size_t k = 0; k < nv; ++k) {
    double u = 0, v = 0;
    for (std::size_t j = 0; j < order5_less_4.size(); ++j) {
      u += order5_less_4[j] * stages.udot[j * nv + k];
      v += order5_less_4[j] * stages.vdot[j * nv + k];
    }
    const int position = dynamics.position_of[k];
    const double before = position < 0 ? 1 : base.q[position];
    const double after = position < 0 ? 1 : stages.q[position];
    worst = std::max(
        {worst, relative_error(h * u, before, after, options), relative_error(h * v, base.v[k], stages.v[k], options)});
  }
  return worst;
}

StepReport dormand_prince(Dynamics& dynamics, const Departure& from, Stages& stages, Arrival& to) {
  const double dt = from.options.dt;
  const double shortest = 16 * std::numeric_limits<double>::epsilon() * dt;
  Arrival& base = to;
  std::ranges::copy(from.state.q, base.q.begin());
  std::ranges::copy(from.state.v, base.v.begin());
  std::ranges::fill(base.reactions, 0);
  evaluate_start(dynamics, from.state.time, base.q, base.v, from.inputs, stages);
  const std::span<const double> vdot = std::span<const double>(stages.vdot).first(base.v.size());
  if (!all_finite(base.q) || !all_finite(vdot)) return not_finite(dynamics.model, from, vdot, to);

  StepReport report;
  report.substeps = 0;
  StepSizeControl control;
  double done = 0;
  double proposed = from.state.substep > 0 ? from.state.substep : dt;
  while (true) {
    const double parts = parts_of(dt - done, proposed), h = (dt - done) / parts;
    if (report.substeps + report.rejected >= from.options.max_substeps)
      return too_small(report, "more than max_substeps substeps: the model is stiff, or the tolerance too tight");
    if (!(h > shortest)) return too_small(report, "no substep meets the tolerance");
    take_substep(dynamics, from.state.time + done, base, from.inputs, h, stages);
    const double error = dormand_prince_error(dynamics, base, h, from.options, stages);
    if (!(error <= 1)) {
      ++report.rejected;
      proposed = control.after_failure(h, error);
      continue;
    }
    ++report.substeps;
    add_work(h, order5, stages, report);
    add_mean_reactions(h / dt, order5, stages, base.reactions);
    rebase(stages, base);
    // A substep that the end of the step cut to less than half of the proposed length does not change the proposal.
    const double next = control.after_success(h, error);
    if (h >= 0.5 * proposed) proposed = next;
    if (parts == 1) break;
    done += h;
  }
  to.substep = proposed;
  return report;
}

}  // namespace linchpin
