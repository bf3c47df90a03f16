#include "linchpin/contact/impact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/base/index.h"
#include "linchpin/base/larger.h"

namespace linchpin {
namespace {

// Rounding error of the sum (6), relative to the sum of its terms' sizes. A smaller E is no gain of energy.
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

void check_sizes(const Impact& impact, std::span<const double> z) {
  const Problem& p = impact.problem;
  check(impact.restitution.size() == p.blocks.size(), "there are ", impact.restitution.size(), " restitutions for ",
        p.blocks.size(), " blocks");
  check(impact.approach.size() == p.q.size(), "there are ", impact.approach.size(), " velocities of approach for ",
        p.size(), " rows");
  check(impact.offset.empty() || impact.offset.size() == p.q.size(), "there are ", impact.offset.size(),
        " offsets for ", p.size(), " rows");
  check(impact.turn.empty() || impact.turn.size() == index(cone_count(p.blocks)), "there are ", impact.turn.size(),
        " turns for ", cone_count(p.blocks), " cones");
  check(z.size() == p.q.size(), "z has ", z.size(), " numbers for ", p.size(), " rows");
  for (std::size_t b = 0; b < p.blocks.size(); ++b)
    check(impact.restitution[b] >= 0 && impact.restitution[b] <= 1, "restitution of block ", b, " is ",
          impact.restitution[b], "; it must be between 0 and 1");
}

// Calls f(row, restitution) for each normal row.
template <class F>
void for_normals(const Impact& impact, F&& f) {
  for (std::size_t b = 0; b < impact.problem.blocks.size(); ++b) {
    const Block& block = impact.problem.blocks[b];
    if (block.kind == BlockKind::cone) f(block.start, impact.restitution[b]);
    if (block.kind == BlockKind::nonnegative)
      for (int k = 0; k < block.size; ++k) f(block.start + k, impact.restitution[b]);
  }
}

// Adds a solved problem to the report; returns its status. factor: the |q| that its tolerance is relative to, divided
// by its own |q|.
Status note(const SolveReport& solved, double factor, const ImpactOptions& options, ImpactReport& report) {
  ++report.problems;
  report.iterations += solved.iterations;
  report.fallbacks += solved.tries > 1;
  const bool loose = solved.status != Status::solved && solved.status != Status::bad_input &&
                     solved.residual.within(factor * options.acceptable);
  report.loose += loose;
  if (solved.status != Status::solved && !loose) return solved.status;
  report.residual = larger(report.residual, larger(solved.residual.relative, solved.residual.plain_relative) / factor);
  return Status::solved;
}

// Solves a conic problem, with its cones or with polyhedral friction.
Status solve_conic(const Problem& problem, std::span<const double> turn, const ImpactOptions& options, Solver& solver,
                   ImpactWorkspace& ws, std::span<double> z, ImpactReport& report) {
  const SolverOptions solver_options{.tolerance = options.tolerance};
  if (options.directions == 0)
    return note(solver.solve(problem, options.solver, solver_options, z), 1, options, report);
  if (find_fault(problem)) return Status::bad_input;
  ws.polyhedral.pose(problem, options.directions, turn, ws.posed);
  ws.z_posed.resize(ws.posed.q.size());
  const Status status = note(solver.solve(ws.posed, options.solver, solver_options, ws.z_posed), 1, options, report);
  ws.polyhedral.to_conic(ws.z_posed, z);
  return status;
}

// w = M z
void multiply(const Problem& problem, std::span<const double> z, ImpactWorkspace& ws, std::vector<double>& w) {
  w.resize(problem.q.size());
  ws.work.resize(problem.M.work_size());
  problem.M.multiply(z, w, ws.work);
}

// |q| in the two norms of residual.h.
struct Size {
  double plain, scaled;
};
Size size_of(const std::vector<double>& q, const std::vector<double>& scale) {
  double plain = 0, scaled = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    plain += q[i] * q[i];
    scaled += (q[i] / scale[i]) * (q[i] / scale[i]);
  }
  return {std::sqrt(plain), std::sqrt(scaled)};
}

// (1) to (3): sets ws.change to e + z_d. ws.w must hold w_c. Returns false if no impulse is released, or not solved.
bool decompress(const Impact& impact, const ImpactOptions& options, Solver& solver, ImpactWorkspace& ws,
                std::span<const double> z_c, ImpactReport& report) {
  const Problem& p = impact.problem;
  ws.released.assign(p.q.size(), 0.0);
  bool any = false;
  for_normals(impact, [&](std::size_t row, double restitution) {
    ws.released[row] = restitution * std::max(z_c[row], 0.0);  // (1)
    any = any || ws.released[row] > 0;
  });
  if (!any) return false;
  multiply(p, ws.released, ws, ws.w_change);  // M e

  ws.q_released.resize(p.q.size());
  for (std::size_t i = 0; i < p.q.size(); ++i) ws.q_released[i] = ws.w[i] + ws.w_change[i];  // (2)

  // (3). With polyhedral friction the matrix is that of compression. The tolerance is relative to the q of the impact
  // in these rows, since the q of (2) may be all rounding.
  const bool cones = options.directions == 0;
  if (cones)
    ws.preloaded.pose(p, ws.released, ws.posed);
  else
    ws.polyhedral.set_q(p.q, ws.posed);
  row_scales(ws.posed, ws.scales);
  const Size whole = size_of(ws.posed.q, ws.scales.scale);
  if (cones)
    ws.preloaded.set_q(ws.q_released, ws.posed);
  else
    ws.polyhedral.set_q(ws.q_released, ws.posed);
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    const Block& block = p.blocks[b];
    const int start = cones ? block.start : ws.polyhedral.first_row(int(b));
    if (block.kind == BlockKind::cone && !cones)
      ws.posed.q[ws.polyhedral.bound_row(int(b))] = block.mu * ws.released[block.start];
    if (block.kind == BlockKind::box)  // its bounds apply to the sum of both phases
      for (int k = 0; k < block.size; ++k) {
        ws.posed.lower[start + k] -= z_c[block.start + k];
        ws.posed.upper[start + k] -= z_c[block.start + k];
      }
  }
  const Size own = size_of(ws.posed.q, ws.scales.scale);
  double factor = std::min(whole.plain / own.plain, whole.scaled / own.scaled);
  if (!(factor > 1 && std::isfinite(factor))) factor = 1;
  const SolverOptions solver_options{.tolerance = factor * options.tolerance};
  ws.z_posed.resize(ws.posed.q.size());
  report.status = note(solver.solve(ws.posed, options.solver, solver_options, ws.z_posed), factor, options, report);
  if (!report.ok()) return false;
  ws.change.resize(p.q.size());
  if (cones)
    ws.preloaded.to_conic(ws.z_posed, ws.change);
  else
    ws.polyhedral.to_conic(ws.z_posed, ws.change);
  for (std::size_t i = 0; i < p.q.size(); ++i) ws.change[i] += ws.released[i];
  return true;
}

// (5): sets ws.change to z_newton - z_plastic. Returns false if no contact with restitution approaches, or not solved.
bool rebound(const Impact& impact, const ImpactOptions& options, Solver& solver, ImpactWorkspace& ws,
             std::span<const double> z_plastic, ImpactReport& report) {
  ws.newton = impact.problem;
  bool any = false;
  for_normals(impact, [&](std::size_t row, double restitution) {
    const double kept = restitution * std::min(impact.approach[row], 0.0);
    ws.newton.q[row] += kept;
    any = any || kept < 0;
  });
  if (!any) return false;
  ws.change.resize(z_plastic.size());
  report.rebound = solve_conic(ws.newton, impact.turn, options, solver, ws, ws.change, report);
  if (report.rebound != Status::solved) return false;
  for (std::size_t i = 0; i < z_plastic.size(); ++i) ws.change[i] -= z_plastic[i];
  return true;
}

// E(s) = a + b s + c s^2 of (6), with z + s change and w + s w_change. size: the sum of the absolute values of its
// terms.
struct ImpactEnergy {
  double a = 0, b = 0, c = 0, size = 0;
  double at(double s) const { return a + s * (b + s * c); }
};
ImpactEnergy energy(const Impact& impact, std::span<const double> z, const ImpactWorkspace& ws, bool changes) {
  ImpactEnergy e;
  for (const Block& block : impact.problem.blocks)
    for (std::size_t i = block.start; i < index(block.start + block.size); ++i) {
      const double sign = block.kind == BlockKind::free ? -1 : 1;
      const double approach = impact.approach[i], after = ws.w[i] - (impact.offset.empty() ? 0 : impact.offset[i]);
      const double change = changes ? ws.change[i] : 0, w_change = changes ? ws.w_change[i] : 0;
      const double speeds = approach + sign * after, speeds_change = sign * w_change;
      e.a += z[i] * speeds / 2;
      e.b += (change * speeds + z[i] * speeds_change) / 2;
      e.c += change * speeds_change / 2;
      e.size += (std::abs(z[i]) + std::abs(change)) * (std::abs(approach) + std::abs(after) + std::abs(w_change)) / 2;
    }
  return e;
}

// The largest s in [0, 1] with E(s) <= max(E(0), 0). E is convex: c = change' W change / 2, W = J M^-1 J'.
double largest_release(const ImpactEnergy& e) {
  if (e.at(1) <= rounding * e.size) return 1;
  const double a = std::min(e.a, 0.0), root = std::sqrt(std::max(e.b * e.b - 4 * a * e.c, 0.0));
  const double s = e.b >= 0 ? -2 * a / (e.b + root) : (root - e.b) / (2 * e.c);
  return s >= 0 && s <= 1 ? s : s > 1 ? 1 : 0;  // NaN: 0
}

}  // namespace

ImpactReport solve_impact(const Impact& impact, const ImpactOptions& options, Solver& solver, ImpactWorkspace& ws,
                          std::span<double> z) {
  check_sizes(impact, z);
  const Problem& p = impact.problem;
  ImpactReport report;
  ws.w.resize(p.q.size());
  const auto finite = [](std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
  };
  if (!finite(impact.approach) || !finite(impact.offset)) {
    report.status = Status::bad_input;
    std::fill(z.begin(), z.end(), 0.0);
    return report;
  }
  report.status = solve_conic(p, impact.turn, options, solver, ws, z, report);
  if (report.status == Status::bad_input) {
    std::fill(z.begin(), z.end(), 0.0);
    return report;
  }
  multiply(p, z, ws, ws.w);
  for (std::size_t i = 0; i < p.q.size(); ++i) ws.w[i] += p.q[i];
  const bool poisson = options.restitution == Restitution::poisson;
  const bool changes = report.ok() && (poisson ? decompress(impact, options, solver, ws, z, report)
                                               : rebound(impact, options, solver, ws, z, report));
  if (changes) multiply(p, ws.change, ws, ws.w_change);
  const ImpactEnergy e = energy(impact, z, ws, changes);
  report.release = changes ? largest_release(e) : report.ok() && report.rebound == Status::solved ? 1 : 0;
  report.energy = changes ? e.at(report.release) : e.a;
  if (changes)
    for (std::size_t i = 0; i < p.q.size(); ++i) {
      z[i] += report.release * ws.change[i];
      ws.w[i] += report.release * ws.w_change[i];
    }
  return report;
}

}  // namespace linchpin
