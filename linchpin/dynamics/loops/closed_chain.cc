#include "linchpin/dynamics/loops/closed_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linchpin/model/state.h"

namespace linchpin {
namespace {

constexpr int max_projections = 20;

// The largest |x| over the rows r for which counts(r).
template <class Counts>
void largest(std::span<const double> x, const Counts& counts, ConstraintReport& report) {
  report.unmet = 0;
  report.worst = -1;
  for (std::size_t r = 0; r < x.size(); ++r) {
    const double size = std::abs(x[r]);
    if (!counts(int(r)) || size <= report.unmet) continue;  // NaN fails both tests and becomes `unmet`
    report.unmet = size;
    report.worst = int(r);
    if (!std::isfinite(size)) return;
  }
}

// lambda <- -W^+ b
void find_reactions(std::span<const double> b, ClosedChain& chain) {
  for (std::size_t r = 0; r < b.size(); ++r) chain.reactions[r] = -b[r];
  chain.by_compliance->solver.solve(chain.reactions);
}

void find_accelerations(std::span<const double> q, std::span<const double> v, std::span<const double> vdot,
                        ClosedChain& chain) {
  accelerations(chain.model, chain.kin, chain.vel, v, vdot, chain.link_acceleration);
  row_accelerations(chain.constraints, chain.rows, chain.link_acceleration, q, vdot, chain.g);
}

void find_free_motion(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                      std::span<const double> f_ext, ClosedChain& chain, std::span<double> vdot) {
  if (!chain.by_assembly) {
    aba<double>(chain.plan, q, v, tau, f_ext, chain.by_compliance->aba, vdot);
    return;
  }
  ClosedChain::ByAssembly& dca = *chain.by_assembly;
  divide_and_conquer(chain.plan, dca.tree, q, v, tau, f_ext, dca.threads.get(), dca.assembly, vdot);
}

// A row without compliance is left out.
void leave_out_nonholonomic(ClosedChain& chain) {
  std::vector<double>& A = chain.by_compliance->row_matrix;
  const std::size_t rows = chain.rows.error.size();
  for (std::size_t r = 0; r < rows; ++r)
    if (!chain.constraints.holonomic(int(r)))
      for (std::size_t k = 0; k < rows; ++k) A[r * rows + k] = A[k * rows + r] = 0;
}

bool takes_recursion(const ConstraintPlan& constraints, LoopElimination elimination) {
  return elimination == LoopElimination::recursion ||
         (elimination == LoopElimination::automatic && constraints.rows() > most_rows_for_compliance);
}

}  // namespace

void find_unmet(std::span<const double> left, ConstraintReport& report) {
  largest(
      left, [](int) { return true; }, report);
}

ClosedChain::ClosedChain(const Model& m, const Plan<double>& p, std::span<const Constraint> c,
                         LoopElimination elimination, int threads)
    : model(m),
      plan(p),
      constraints(m, c),
      rows(constraints),
      reactions(constraints.rows()),
      kin(p),
      vel(m),
      link_acceleration(m.links().size()),
      g(constraints.rows()),
      x(m.nv()),
      f(6 * m.bodies().size()),
      zero(m.nv(), 0.0),
      give(constraints.rows()) {
  if (takes_recursion(constraints, elimination))
    by_recursion.emplace(m, constraints);
  else
    by_compliance.emplace(m, p, constraints);
  if (elimination == LoopElimination::divide_and_conquer) by_assembly.emplace(m, p, constraints, threads);
}

ClosedChain::ByCompliance::ByCompliance(const Model& model, const Plan<double>& plan, const ConstraintPlan& constraints)
    : tree(model, plan, constraints.nodes()),
      aba(plan),
      factors(plan),
      solve(plan),
      compliance(tree),
      node_matrix(36 * constraints.nodes().size() * constraints.nodes().size()),
      side_force(constraints.sides().size()),
      response(6 * constraints.nodes().size()),
      row_matrix(std::size_t(constraints.rows()) * std::size_t(constraints.rows())),
      row_size(constraints.rows()),
      solver(constraints.rows()) {}

ClosedChain::ByAssembly::ByAssembly(const Model& model, const Plan<double>& plan, const ConstraintPlan& constraints,
                                    int thread_count)
    : tree(model, plan, AssemblyTree::usual_segment(model)),
      assembly(plan, tree),
      solve(plan, tree),
      threads(thread_count == 1 ? nullptr : std::make_unique<ForkJoin>(thread_count)),
      on_link(model.links().size()) {
  std::vector<int> links, group;
  for (const LinkNode& node : constraints.nodes()) links.push_back(node.link);
  group.assign(links.size(), 0);
  handles.place(plan, tree, links);
  response.place(group);
}

void place_chain(std::span<const double> q, std::span<const double> v, double time, ClosedChain& chain) {
  kinematics<double>(chain.plan, q, chain.kin);
  velocities(chain.model, chain.kin, v, chain.vel);
  evaluate_rows(chain.model, chain.constraints, chain.kin, chain.vel, q, v, time, chain.rows);
}

int least_motion(std::span<const double> q, std::span<const double> b, bool holonomic_only, double damping,
                 ClosedChain& chain) {
  if (chain.by_recursion)
    return chain.by_recursion->least_motion(chain.kin, chain.vel, chain.rows, b, holonomic_only, damping, chain.x,
                                            chain.reactions, chain.give);
  row_compliance(q, chain);
  if (holonomic_only) leave_out_nonholonomic(chain);
  std::vector<double>& A = chain.by_compliance->row_matrix;
  const std::size_t rows = b.size();
  for (std::size_t r = 0; r < rows; ++r) {
    const double diagonal = A[r * rows + r];
    chain.give[r] = SemidefiniteSolver::counts(diagonal, chain.by_compliance->row_size[r]) ? diagonal : 0;
    A[r * rows + r] *= 1 + damping;
  }
  const int rank = chain.by_compliance->solver.factor(A, chain.by_compliance->row_size);
  find_reactions(b, chain);
  respond(q, chain.reactions, chain, chain.x);
  return rank;
}

namespace {

// W of the links that rows act on, and the factors for respond().
void find_node_matrix(std::span<const double> q, ClosedChain& chain) {
  ClosedChain::ByCompliance& by = *chain.by_compliance;
  if (chain.by_assembly) {
    ClosedChain::ByAssembly& dca = *chain.by_assembly;
    assemble_factors(chain.plan, dca.tree, q, dca.threads.get(), dca.assembly);
    if (by.node_matrix.empty()) return;
    dca.handles.find_response(chain.plan, dca.tree, dca.assembly, dca.threads.get(), dca.response);
    std::copy_n(dca.response.block(0, 0), by.node_matrix.size(), by.node_matrix.data());
    return;
  }
  factor<double>(chain.plan, q, by.factors);
  compound_paths(chain.plan, by.tree, by.factors, by.compliance);
  compliance_matrix<double>(by.tree, by.compliance, by.node_matrix);
}

// Forces on bodies become forces on the links that carry them.
void put_on_links(const Plan<double>& plan, std::span<const double> f, std::span<Force<double>> on_link) {
  std::ranges::fill(on_link, Force<double>::zero());
  for (std::size_t b = 1; b < plan.body.size(); ++b) {
    const BodyPlan<double>& body = plan.body[b];
    const double* F = f.data() + 6 * b;
    on_link[body.link] +=
        force_to_parent(Transform<double>{body.R_LB, body.p_LB}, Force<double>{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
  }
}

}  // namespace

// Column by column: the acceleration of every node due to a unit reaction of row r, and its component along each row.
void row_compliance(std::span<const double> q, ClosedChain& chain) {
  const ConstraintPlan& plan = chain.constraints;
  ClosedChain::ByCompliance& by = *chain.by_compliance;
  const std::size_t nodes = plan.nodes().size(), rows = std::size_t(plan.rows()), width = 6 * nodes;
  find_node_matrix(q, chain);
  for (std::size_t s = 0; s < plan.sides().size(); ++s) {  // into the axes of the links, as the compliance needs them
    const Force<double>& F = chain.rows.force[s];
    const Mat3<double>& R = chain.kin.X_WL[plan.sides()[s].link].R;
    const Vec3<double> n = transpose_times(R, F.n), f = transpose_times(R, F.f);
    by.side_force[s] = {n.x, n.y, n.z, f.x, f.y, f.z};
  }
  for (std::size_t r = 0; r < rows; ++r) {
    by.row_size[r] = 0;
    std::ranges::fill(by.response, 0);
    for (int s = plan.first_side(int(r)); s < plan.first_side(int(r) + 1); ++s) {
      const std::array<double, 6>& F = by.side_force[s];
      const std::size_t node = std::size_t(plan.sides()[s].node);
      const double* block = by.node_matrix.data() + 6 * node * width;
      for (std::size_t i = 0; i < width; ++i) {  // rows of a symmetric matrix are its columns
        double sum = by.response[i];
        for (std::size_t k = 0; k < 6; ++k) sum += F[k] * block[k * width + i];
        by.response[i] = sum;
      }
      const double* own = block + 6 * node;
      const auto trace = [&](std::size_t part) {  // sum of its link's compliances in all directions: angular, linear
        return own[part * width + part] + own[(part + 1) * width + part + 1] + own[(part + 2) * width + part + 2];
      };
      const double moment = chain.rows.moment_size[s];
      by.row_size[r] += moment * moment * trace(0) + (F[3] * F[3] + F[4] * F[4] + F[5] * F[5]) * trace(3);
    }
    for (std::size_t other = 0; other <= r; ++other) {
      double sum = 0;
      for (int s = plan.first_side(int(other)); s < plan.first_side(int(other) + 1); ++s) {
        const std::array<double, 6>& F = by.side_force[s];
        const double* a = by.response.data() + 6 * std::size_t(plan.sides()[s].node);
        for (std::size_t k = 0; k < 6; ++k) sum += F[k] * a[k];
      }
      by.row_matrix[r * rows + other] = by.row_matrix[other * rows + r] = sum;
    }
  }
}

void respond(std::span<const double> q, std::span<const double> lambda, ClosedChain& chain, std::span<double> x) {
  std::ranges::fill(x, 0);
  std::ranges::fill(chain.f, 0);
  add_reactions(chain.model, chain.constraints, chain.rows, chain.kin, q, lambda, x, chain.f);
  if (!chain.by_assembly) {
    solve<double>(chain.plan, chain.by_compliance->factors, chain.by_compliance->solve, x, chain.f);
    return;
  }
  ClosedChain::ByAssembly& dca = *chain.by_assembly;
  put_on_links(chain.plan, chain.f, dca.on_link);
  solve(chain.plan, dca.tree, dca.assembly, dca.threads.get(), dca.solve, x, dca.on_link);
}

ConstraintReport constrained_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                      std::span<const double> f_ext, double time, ClosedChain& chain,
                                      std::span<double> vdot) {
  ConstraintReport report{.rows = chain.constraints.rows()};
  place_chain(q, v, time, chain);
  if (chain.by_recursion) {
    report.rank =
        chain.by_recursion->accelerations(chain.kin, chain.vel, chain.rows, v, tau, f_ext, vdot, chain.reactions);
  } else {
    find_free_motion(q, v, tau, f_ext, chain, vdot);
    if (report.rows == 0) return report;
    find_accelerations(q, v, vdot, chain);
    report.rank = least_motion(q, chain.g, false, 0, chain);              // (2)
    for (std::size_t k = 0; k < vdot.size(); ++k) vdot[k] += chain.x[k];  // (3)
  }
  if (report.rank == report.rows) return report;  // (2) is regular, so its rows are met
  find_accelerations(q, v, vdot, chain);
  find_unmet(chain.g, report);
  return report;
}

ConstraintReport project_velocity(std::span<const double> q, std::span<double> v, double time, ClosedChain& chain) {
  ConstraintReport report{.rows = chain.constraints.rows()};
  if (report.rows == 0) return report;
  place_chain(q, v, time, chain);
  row_velocities(chain.constraints, chain.rows, chain.vel, q, v, chain.g);
  report.rank = least_motion(q, chain.g, false, 0, chain);
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
    report.rank = least_motion(q, chain.rows.error, true, 0, chain);
    integrate(chain.model, chain.x, q);  // (5)
  }
}

}  // namespace linchpin
