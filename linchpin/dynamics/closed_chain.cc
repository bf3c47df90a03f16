#include "linchpin/dynamics/closed_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr int max_projections = 20;

// Largest |x| over the rows that count.
template <class Counts>
void largest(std::span<const double> x, const Counts& counts, ConstraintReport& report) {
  report.unmet = 0;
  report.worst = -1;
  for (std::size_t r = 0; r < x.size(); ++r) {
    const double size = std::abs(x[r]);
    if (!counts(int(r)) || size <= report.unmet) continue;  // a NaN passes, and stays
    report.unmet = size;
    report.worst = int(r);
    if (!std::isfinite(size)) return;
  }
}

// lambda <- -Lambda^+ g
void find_reactions(ClosedChain& chain, std::span<const double> g) {
  for (std::size_t r = 0; r < g.size(); ++r) chain.reactions[r] = -g[r];
  chain.solver.solve(chain.reactions);
}

void find_accelerations(ClosedChain& chain, std::span<const double> q, std::span<const double> v,
                        std::span<const double> vdot) {
  accelerations(chain.model, chain.kin, chain.vel, v, vdot, chain.link_acceleration);
  row_accelerations(chain.constraints, chain.rows, chain.link_acceleration, q, vdot, chain.g);
}

}  // namespace

void find_unmet(std::span<const double> left, ConstraintReport& report) {
  largest(left, [](int) { return true; }, report);
}

ClosedChain::ClosedChain(const Model& m, const Plan<double>& p, std::span<const Constraint> c)
    : model(m),
      plan(p),
      constraints(m, c),
      tree(m, p, constraints.nodes()),
      rows(constraints),
      reactions(std::size_t(constraints.rows())),
      kin(p),
      vel(m),
      link_acceleration(m.links().size()),
      aba(p),
      factors(p),
      solver_ws(p),
      compliance(tree),
      node_matrix(36 * constraints.nodes().size() * constraints.nodes().size()),
      response(6 * constraints.nodes().size()),
      row_matrix(std::size_t(constraints.rows()) * std::size_t(constraints.rows())),
      row_size(std::size_t(constraints.rows())),
      solver(constraints.rows()),
      g(std::size_t(constraints.rows())),
      x(std::size_t(m.nv())),
      f(6 * m.bodies().size()),
      zero(std::size_t(m.nv()), 0.0) {}

void place_chain(std::span<const double> q, std::span<const double> v, double time, ClosedChain& chain) {
  kinematics<double>(chain.plan, q, chain.kin);
  velocities(chain.model, chain.kin, v, chain.vel);
  evaluate_rows(chain.model, chain.constraints, chain.kin, chain.vel, q, v, time, chain.rows);
}

// Column by column: what a unit of row r does to every node, and how much of that each row sees.
void row_compliance(ClosedChain& chain) {
  const ConstraintPlan& plan = chain.constraints;
  const std::size_t nodes = plan.nodes().size(), rows = std::size_t(plan.rows()), width = 6 * nodes;
  compound_paths(chain.plan, chain.tree, chain.factors, chain.compliance);
  compliance_matrix<double>(chain.tree, chain.compliance, chain.node_matrix);
  // Forces into the axes of the links, where the compliance has them.
  const auto local = [&](int side, double(&out)[6]) {
    const Force<double>& F = chain.rows.force[std::size_t(side)];
    const Mat3<double>& R = chain.kin.X_WL[std::size_t(plan.sides()[std::size_t(side)].link)].R;
    const Vec3<double> n = transpose_times(R, F.n), f = transpose_times(R, F.f);
    out[0] = n.x, out[1] = n.y, out[2] = n.z, out[3] = f.x, out[4] = f.y, out[5] = f.z;
  };
  double F[6];
  for (std::size_t r = 0; r < rows; ++r) {
    chain.row_size[r] = 0;
    std::ranges::fill(chain.response, 0);
    for (int s = plan.first_side(int(r)); s < plan.first_side(int(r) + 1); ++s) {
      local(s, F);
      const double* block = chain.node_matrix.data() + 6 * std::size_t(plan.sides()[std::size_t(s)].node) * width;
      for (std::size_t k = 0; k < 6; ++k)  // rows of a symmetric matrix are its columns
        for (std::size_t i = 0; i < width; ++i) chain.response[i] += F[k] * block[k * width + i];
      const double* own = block + 6 * std::size_t(plan.sides()[std::size_t(s)].node);
      for (const std::size_t part : {std::size_t(0), std::size_t(3)}) {  // angular, linear
        double force = 0, give = 0;
        for (std::size_t k = part; k < part + 3; ++k) {
          force += F[k] * F[k];
          give += own[k * width + k];
        }
        chain.row_size[r] += force * give;
      }
    }
    for (std::size_t other = 0; other <= r; ++other) {
      double sum = 0;
      for (int s = plan.first_side(int(other)); s < plan.first_side(int(other) + 1); ++s) {
        local(s, F);
        const double* a = chain.response.data() + 6 * std::size_t(plan.sides()[std::size_t(s)].node);
        for (std::size_t k = 0; k < 6; ++k) sum += F[k] * a[k];
      }
      chain.row_matrix[r * rows + other] = chain.row_matrix[other * rows + r] = sum;
    }
  }
}

void respond(std::span<const double> q, std::span<const double> lambda, ClosedChain& chain, std::span<double> x) {
  std::ranges::fill(x, 0);
  std::ranges::fill(chain.f, 0);
  add_reactions(chain.model, chain.constraints, chain.rows, chain.kin, q, lambda, x, chain.f);
  solve<double>(chain.plan, chain.factors, chain.solver_ws, x, chain.f);
}

ConstraintReport constrained_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                      std::span<const double> f_ext, double time, ClosedChain& chain,
                                      std::span<double> vdot) {
  aba<double>(chain.plan, q, v, tau, f_ext, chain.aba, vdot);
  ConstraintReport report{.rows = chain.constraints.rows()};
  if (report.rows == 0) return report;
  place_chain(q, v, time, chain);
  factor<double>(chain.plan, q, chain.factors);
  row_compliance(chain);
  report.rank = chain.solver.factor(chain.row_matrix, chain.row_size);
  find_accelerations(chain, q, v, vdot);
  find_reactions(chain, chain.g);  // (2)
  respond(q, chain.reactions, chain, chain.x);
  for (std::size_t k = 0; k < vdot.size(); ++k) vdot[k] += chain.x[k];  // (3)
  find_accelerations(chain, q, v, vdot);
  find_unmet(chain.g, report);
  return report;
}

ConstraintReport project_velocity(std::span<const double> q, std::span<double> v, double time, ClosedChain& chain) {
  ConstraintReport report{.rows = chain.constraints.rows()};
  if (report.rows == 0) return report;
  place_chain(q, v, time, chain);
  factor<double>(chain.plan, q, chain.factors);
  row_compliance(chain);
  report.rank = chain.solver.factor(chain.row_matrix, chain.row_size);
  row_velocities(chain.constraints, chain.rows, chain.vel, q, v, chain.g);
  find_reactions(chain, chain.g);
  respond(q, chain.reactions, chain, chain.x);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += chain.x[k];  // (4)
  velocities(chain.model, chain.kin, v, chain.vel);
  row_velocities(chain.constraints, chain.rows, chain.vel, q, v, chain.g);
  find_unmet(chain.g, report);
  return report;
}

ConstraintReport project_position(std::span<double> q, double time, double tolerance, ClosedChain& chain) {
  ConstraintReport report{.rows = chain.constraints.rows()};
  if (report.rows == 0) return report;
  const auto holonomic = [&](int row) { return chain.constraints.holonomic(row); };
  double before = std::numeric_limits<double>::infinity();
  for (;; ++report.iterations) {
    place_chain(q, chain.zero, time, chain);
    largest(chain.rows.error, holonomic, report);
    if (report.unmet <= tolerance || !(report.unmet < 0.5 * before) || report.iterations == max_projections)
      return report;
    before = report.unmet;
    factor<double>(chain.plan, q, chain.factors);
    row_compliance(chain);
    const std::size_t rows = std::size_t(report.rows);
    for (std::size_t r = 0; r < rows; ++r)  // a row that gives way nowhere is left out
      if (!holonomic(int(r)))
        for (std::size_t k = 0; k < rows; ++k) chain.row_matrix[r * rows + k] = chain.row_matrix[k * rows + r] = 0;
    report.rank = chain.solver.factor(chain.row_matrix, chain.row_size);
    find_reactions(chain, chain.rows.error);
    respond(q, chain.reactions, chain, chain.x);
    integrate(chain.model, chain.x, q);  // (5)
  }
}

}  // namespace linchpin
