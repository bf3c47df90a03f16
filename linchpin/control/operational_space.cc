#include "linchpin/control/operational_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "linchpin/base/check.h"
#include "linchpin/control/node_compliance.h"
#include "linchpin/control/priority_stack.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/algebra/symmetric_eigen.h"

namespace linchpin {
namespace {

constexpr std::size_t none = std::size_t(-1);

bool same(const Node& a, const Node& b) {
  const auto equal = [](const Vec3<double>& x, const Vec3<double>& y) {
    return x.x == y.x && x.y == y.y && x.z == y.z;
  };
  return a.body == b.body && equal(a.X_BN.p, b.X_BN.p) && equal(a.X_BN.R.x, b.X_BN.R.x) &&
         equal(a.X_BN.R.y, b.X_BN.R.y) && equal(a.X_BN.R.z, b.X_BN.R.z);
}

// The root link of the tree that this link belongs to; 0 for the world.
int root_of(const Model& model, int link) {
  while (link != 0 && model.links()[link].parent != 0) link = model.links()[link].parent;
  return link;
}

// One row of one task.
struct StackRow {
  int task, node;
  bool support;
  Row given;          // as in the task
  Row in_N, in_W;     // in the node's and the world's axes, at the current state
  double force = 0;   // F of (1)
  double lambda = 0;  // of a support
};

// Coordinates without motors, and the part of their forces that supports can carry.
struct Passive {
  std::vector<int> coordinates;
  std::vector<std::size_t> entry;  // per pair: its entry of M; `none` where M is zero
  std::vector<double> M, unit;     // E' M E; u = 1 / sqrt of its diagonal
  std::vector<double> G, V, Pi;    // of weigh_supports(): G, then its eigenvalues; eigenvectors; projection
  std::vector<double> J;           // per row: its Jacobian in these coordinates
  std::vector<double> given, mu;   // per coordinate: its force in tau; the multiplier that carries it
  double G_largest = 0;
  int size() const { return int(coordinates.size()); }
};

const std::vector<FrameTask>& checked(const Model& model, const std::vector<FrameTask>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    check_rows(model, i, tasks[i].node, tasks[i].rows);
    check(tasks[i].level >= 0 && tasks[i].level < 1000, "task ", i, " has level ", tasks[i].level, ", not 0 to 999");
  }
  return tasks;
}

std::vector<Node> distinct_nodes(const std::vector<FrameTask>& tasks) {
  std::vector<Node> nodes;
  for (const FrameTask& task : tasks)
    if (std::none_of(nodes.begin(), nodes.end(), [&](const Node& n) { return same(n, task.node); }))
      nodes.push_back(task.node);
  return nodes;
}

int level_count(const std::vector<FrameTask>& tasks) {
  int count = 0;
  for (const FrameTask& task : tasks)
    if (!task.support) count = std::max(count, task.level + 1);
  return count;
}

}  // namespace

struct OperationalSpace::Parts : NodeCompliance {
  Parts(const Model& model, std::vector<FrameTask> tasks, const OperationalSpaceOptions& options);

  void list_rows();
  void list_passive();
  void fill_rows();
  void fill_passive();
  void weigh_supports();
  double support_weight(const Row& in_W) const;
  void start(const OperationalSpaceInputs& inputs);
  void fill_demand(std::span<const FrameDemand> demands);
  void push_body(const Node& node, const Force<double>& force_N);
  void push_exerted(std::span<const FrameDemand> demands);
  void apply_task_forces();
  void subtract_passive_forces(std::span<double> tau);
  void carry_by_supports(std::span<double> tau, double& uncarried);
  void report_errors();
  double compliance(const StackRow& a, const StackRow& b) const;

  std::vector<FrameTask> tasks;
  OperationalSpaceOptions options;
  std::vector<int> node_of_task;
  RneaWorkspace<double> rnea_ws;
  SolveWorkspace<double> solve_ws;
  MassMatrixLayout layout;
  CrbaWorkspace<double> crba_ws;
  MassMatrix<double> mass;

  std::vector<StackRow> rows;  // in the order of the stack
  Passive passive;
  std::optional<PriorityStack> stack;
  std::vector<LevelReport> levels;
  std::vector<Transform<double>> X_WN;                        // per node
  std::vector<double> C;                                      // 6 m x 6 m: compliance of the nodes
  std::vector<double> diagonal, d, f, a;                      // per row of the stack
  std::vector<double> q, v, vdot, needed, springs, f_ext, J;  // J: 6 x nv
  std::vector<Motion<double>> link_acceleration;
  std::vector<Force<double>> supported_by;  // per task
  bool updated = false, regular = false;
};

OperationalSpace::Parts::Parts(const Model& m, std::vector<FrameTask> t, const OperationalSpaceOptions& o)
    : NodeCompliance(m, distinct_nodes(checked(m, t))),
      tasks(std::move(t)),
      options(o),
      rnea_ws(plan),
      solve_ws(plan),
      layout(m),
      crba_ws(plan, layout),
      mass(layout) {
  check(options.tolerance > 0 && options.tolerance < 1, "tolerance ", options.tolerance, " is not between 0 and 1");
  check(options.moment_arm > 0 && options.moment_arm < unlimited, "moment_arm ", options.moment_arm,
        " m is not positive");
  const std::size_t nv = std::size_t(model.nv());
  list_rows();
  list_passive();
  std::vector<int> per_level(1 + level_count(tasks), 0);
  per_level[0] = passive.size();
  for (const StackRow& row : rows) ++per_level[row.support ? 0 : std::size_t(1 + tasks[row.task].level)];
  stack.emplace(per_level);
  stack->tolerance = options.tolerance;
  levels.resize(per_level.size());
  for (std::size_t l = 0; l < levels.size(); ++l) levels[l].rows = per_level[l];
  X_WN.resize(nodes.size());
  C.resize(36 * nodes.size() * nodes.size());
  for (std::vector<double>* x : {&diagonal, &d, &f, &a}) x->resize(stack->rows());
  q.resize(model.nq());
  for (std::vector<double>* x : {&v, &vdot, &needed, &springs}) x->resize(nv);
  f_ext.resize(6 * model.bodies().size());
  J.resize(6 * nv);
  link_acceleration.resize(model.links().size());
  supported_by.resize(tasks.size());
}

// Supports come first, then the levels; within a level, tasks are in their order.
void OperationalSpace::Parts::list_rows() {
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (same(nodes[n], tasks[t].node)) node_of_task.push_back(int(n));
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (const Row& row : tasks[t].rows) rows.push_back({int(t), node_of_task[t], tasks[t].support, row, row, row});
  std::stable_sort(rows.begin(), rows.end(), [&](const StackRow& x, const StackRow& y) {
    const auto rank = [&](const StackRow& r) { return r.support ? -1 : tasks[r.task].level; };
    return rank(x) < rank(y);
  });
}

void OperationalSpace::Parts::list_passive() {
  std::vector<bool> chosen(model.nv(), false), in_play(model.links().size(), false);
  for (const int k : options.passive) {
    check(k >= 0 && k < model.nv(), "passive coordinate ", k, ", the model has ", model.nv());
    chosen[k] = true;
  }
  for (const Node& node : nodes) in_play[root_of(model, model.bodies()[node.body].link)] = true;
  in_play[0] = false;
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    for (int k = link.v; k < link.v + link.nv; ++k)
      if (chosen[k] && in_play[root_of(model, int(i))]) passive.coordinates.push_back(k);
  }
  const std::size_t n = std::size_t(passive.size());
  for (const int i : passive.coordinates)
    for (const int j : passive.coordinates) {
      const int low = std::max(i, j), high = std::min(i, j);
      int k = low;  // walking to the base it meets `high`, or M is zero there
      while (k > high) k = layout.parent[k];
      passive.entry.push_back(k == high ? layout.row[low] + std::size_t(layout.depth[high]) : none);
    }
  for (std::vector<double>* x : {&passive.M, &passive.G, &passive.V, &passive.Pi}) x->resize(n * n);
  for (std::vector<double>* x : {&passive.unit, &passive.given, &passive.mu}) x->resize(n);
  passive.J.resize(n * rows.size());
}

double OperationalSpace::Parts::compliance(const StackRow& x, const StackRow& y) const {
  const double r[6] = {x.in_N.n.x, x.in_N.n.y, x.in_N.n.z, x.in_N.f.x, x.in_N.f.y, x.in_N.f.z};
  const double s[6] = {y.in_N.n.x, y.in_N.n.y, y.in_N.n.z, y.in_N.f.x, y.in_N.f.y, y.in_N.f.z};
  const double* block = C.data() + (std::size_t(x.node) * 6 * nodes.size() + std::size_t(y.node)) * 6;
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    if (r[i] == 0) continue;
    double part = 0;
    for (std::size_t j = 0; j < 6; ++j) part += block[i * 6 * nodes.size() + j] * s[j];
    sum += r[i] * part;
  }
  return sum;
}

void OperationalSpace::Parts::fill_rows() {
  for (std::size_t n = 0; n < nodes.size(); ++n) X_WN[n] = node_pose(model, kin, nodes[n]);
  for (StackRow& row : rows) {
    const Axes axes = tasks[row.task].axes;
    const Mat3<double>& R_WN = X_WN[row.node].R;
    row.in_N = row_in_node(row.given, axes, R_WN);
    row.in_W = row_in_world(row.given, axes, R_WN);
  }
  const int p = passive.size();
  for (int i = 0; i < int(rows.size()); ++i) {
    for (int j = 0; j <= i; ++j) stack->at(p + i, p + j) = stack->at(p + j, p + i) = compliance(rows[i], rows[j]);
    const std::size_t n = std::size_t(rows[i].node), stride = 6 * nodes.size();
    diagonal[p + i] = node_units(C.data() + 6 * n * (stride + 1), stride, reach[n]).of(rows[i].in_N);
  }
}

// A moment counts as the force at moment_arm.
double OperationalSpace::Parts::support_weight(const Row& in_W) const {
  const double arm = options.moment_arm;
  return 1 / (dot(in_W.f, in_W.f) + dot(in_W.n, in_W.n) / (arm * arm));
}

// G = u E' Js' Q Js E u, Q the diagonal of support weights: how well supports can push each passive coordinate. Pi
// projects onto the eigenvectors with eigenvalue zero, which supports cannot push.
void OperationalSpace::Parts::weigh_supports() {
  const std::size_t n = std::size_t(passive.size());
  std::fill(passive.G.begin(), passive.G.end(), 0);
  for (std::size_t r = 0; r < rows.size() && rows[r].support; ++r) {
    const Row& w = rows[r].in_W;
    const double weight = support_weight(w);
    const double* j = &passive.J[r * n];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        passive.G[i * n + k] += weight * (passive.unit[i] * j[i]) * (passive.unit[k] * j[k]);
  }
  jacobi_eigenvectors(int(n), passive.G, passive.V);
  passive.G_largest = 0;
  for (std::size_t k = 0; k < n; ++k) passive.G_largest = std::max(passive.G_largest, passive.G[k * n + k]);
  std::fill(passive.Pi.begin(), passive.Pi.end(), 0);
  for (std::size_t k = 0; k < n; ++k) {
    if (passive.G[k * n + k] > options.tolerance * passive.G_largest) continue;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) passive.Pi[i * n + j] += passive.V[i * n + k] * passive.V[j * n + k];
  }
}

// The first rows of the stack, Pi u E' M of (3).
void OperationalSpace::Parts::fill_passive() {
  const std::size_t n = std::size_t(passive.size());
  if (n == 0) return;
  crba<double>(plan, layout, q, crba_ws, mass);
  for (std::size_t i = 0; i < n * n; ++i) passive.M[i] = passive.entry[i] == none ? 0 : mass.entries[passive.entry[i]];
  for (std::size_t i = 0; i < n; ++i) passive.unit[i] = 1 / std::sqrt(passive.M[i * n + i]);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    point_jacobian(model, kin, vel, nodes[node].body, nodes[node].X_BN.p, J);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (std::size_t(rows[r].node) != node) continue;
      const Row& w = rows[r].in_W;
      const std::size_t nv = std::size_t(model.nv());
      for (std::size_t i = 0; i < n; ++i) {
        const double* column = J.data() + passive.coordinates[i];
        passive.J[r * n + i] = w.n.x * column[0] + w.n.y * column[nv] + w.n.z * column[2 * nv] +
                               w.f.x * column[3 * nv] + w.f.y * column[4 * nv] + w.f.z * column[5 * nv];
      }
    }
  }
  weigh_supports();

  const auto Pi_times = [&](std::size_t i, const auto& of) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += passive.Pi[i * n + k] * (passive.unit[k] * of(k));
    return sum;
  };
  for (std::size_t i = 0; i < n; ++i) {
    diagonal[i] = 1;
    for (std::size_t j = 0; j <= i; ++j)
      stack->at(int(i), int(j)) = stack->at(int(j), int(i)) =
          Pi_times(i, [&](std::size_t k) { return Pi_times(j, [&](std::size_t l) { return passive.M[k * n + l]; }); });
    for (std::size_t r = 0; r < rows.size(); ++r)
      stack->at(int(i), int(n + r)) = stack->at(int(n + r), int(i)) =
          Pi_times(i, [&](std::size_t k) { return passive.J[r * n + k]; });
  }
}

// d: the demanded accelerations minus those of the posture alone. vdot is vdot_0; f_ext holds all forces but the
// tasks'.
void OperationalSpace::Parts::fill_demand(std::span<const FrameDemand> demands) {
  accelerations(model, kin, vel, v, vdot, link_acceleration);
  const std::size_t n = std::size_t(passive.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Node& node = nodes[rows[r].node];
    const Motion<double> current = point_acceleration(model, kin, vel, link_acceleration, node.body, node.X_BN.p);
    d[n + r] = dot(rows[r].in_W, demands[rows[r].task].acceleration - current);
  }
  if (n == 0) return;
  rnea<double>(plan, q, v, vdot, f_ext, rnea_ws, needed);
  subtract_passive_forces(needed);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = 0;
    for (std::size_t k = 0; k < n; ++k)
      d[i] -= passive.Pi[i * n + k] * passive.unit[k] * needed[passive.coordinates[k]];
  }
}

// Springs and damping of the joints act in addition to tau.
void OperationalSpace::Parts::subtract_passive_forces(std::span<double> tau) {
  if (!options.counter_passive) return;
  std::fill(springs.begin(), springs.end(), 0);
  add_passive_forces(model, q, v, springs);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] -= springs[k];
}

// Subtracts a force on a node, in its axes, from the forces on bodies: rnea() then adds J' of it to tau.
void OperationalSpace::Parts::push_body(const Node& node, const Force<double>& force_N) {
  const Force<double> force_B = force_to_parent(node.X_BN, force_N);
  double* out = f_ext.data() + 6 * std::size_t(node.body);
  out[0] -= force_B.n.x;
  out[1] -= force_B.n.y;
  out[2] -= force_B.n.z;
  out[3] -= force_B.f.x;
  out[4] -= force_B.f.y;
  out[5] -= force_B.f.z;
}

void OperationalSpace::Parts::push_exerted(std::span<const FrameDemand> demands) {
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const int n = node_of_task[t];
    const Force<double>& e = demands[t].exert;
    push_body(nodes[n], {transpose_times(X_WN[n].R, e.n), transpose_times(X_WN[n].R, e.f)});
  }
}

// Adds the solution f of the stack: the forces F of the tasks to the bodies, those of the passive rows to vdot.
void OperationalSpace::Parts::apply_task_forces() {
  const std::size_t n = std::size_t(passive.size());
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].force = f[n + r];
  for (std::size_t k = 0; k < n; ++k)  // M^-1 of the joint forces M E Pi u f
    for (std::size_t i = 0; i < n; ++i) vdot[passive.coordinates[k]] += passive.unit[k] * passive.Pi[i * n + k] * f[i];
  for (const StackRow& row : rows) push_body(nodes[row.node], {row.force * row.in_N.n, row.force * row.in_N.f});
}

// vdot_0 into vdot, the known forces on bodies into f_ext.
void OperationalSpace::Parts::start(const OperationalSpaceInputs& inputs) {
  std::fill(vdot.begin(), vdot.end(), 0);
  if (!inputs.posture_force.empty()) {
    std::copy(inputs.posture_force.begin(), inputs.posture_force.end(), vdot.begin());
    solve<double>(plan, factors, solve_ws, vdot);
  }
  for (std::size_t k = 0; k < inputs.posture.size(); ++k) vdot[k] += inputs.posture[k];
  if (inputs.f_ext.empty())
    std::fill(f_ext.begin(), f_ext.end(), 0);
  else
    std::copy(inputs.f_ext.begin(), inputs.f_ext.end(), f_ext.begin());
}

// tau holds M vdot + h; subtracts Js' lambda of the supports, and sets the remaining forces of passive coordinates to
// zero.
void OperationalSpace::Parts::carry_by_supports(std::span<double> tau, double& uncarried) {
  const std::size_t n = std::size_t(passive.size()), nv = std::size_t(model.nv());
  for (std::size_t i = 0; i < n; ++i) passive.given[i] = tau[passive.coordinates[i]];
  std::fill(passive.mu.begin(), passive.mu.end(), 0);
  for (std::size_t k = 0; k < n; ++k) {
    const double value = passive.G[k * n + k];
    if (!(value > options.tolerance * passive.G_largest)) continue;
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += passive.V[i * n + k] * passive.unit[i] * passive.given[i];
    for (std::size_t i = 0; i < n; ++i) passive.mu[i] += passive.unit[i] * passive.V[i * n + k] * along / value;
  }
  for (std::size_t r = 0; r < rows.size() && rows[r].support; ++r) {
    StackRow& row = rows[r];
    const Node& node = nodes[row.node];
    const Row& w = row.in_W;
    const double weight = support_weight(w);
    row.lambda = 0;
    for (std::size_t i = 0; i < n; ++i) row.lambda += weight * passive.J[r * n + i] * passive.mu[i];
    Force<double>& sum = supported_by[row.task];
    sum = sum + Force<double>{row.lambda * w.n, row.lambda * w.f};
    // one Jacobian per task: its rows are consecutive
    if (r + 1 < rows.size() && rows[r + 1].support && rows[r + 1].task == row.task) continue;
    point_jacobian(model, kin, vel, node.body, node.X_BN.p, J);
    for (std::size_t k = 0; k < nv; ++k)
      tau[k] -= sum.n.x * J[k] + sum.n.y * J[nv + k] + sum.n.z * J[2 * nv + k] + sum.f.x * J[3 * nv + k] +
                sum.f.y * J[4 * nv + k] + sum.f.z * J[5 * nv + k];
  }
  for (const int k : passive.coordinates) uncarried = std::max(uncarried, std::abs(tau[k]));
  for (const int k : options.passive) tau[k] = 0;
}

// The error of each level: demanded minus expected accelerations.
void OperationalSpace::Parts::report_errors() {
  stack->multiply(f, a);
  for (int l = 0; l < stack->levels(); ++l) {
    LevelReport& level = levels[l];
    level.error = 0;
    for (int i = stack->first(l); i < stack->first(l + 1); ++i)
      level.error = std::max(level.error, std::abs(d[i] - a[i]));
  }
}

OperationalSpace::OperationalSpace(const Model& model, std::vector<FrameTask> tasks,
                                   const OperationalSpaceOptions& options)
    : parts_(std::make_unique<Parts>(model, std::move(tasks), options)) {}
OperationalSpace::~OperationalSpace() = default;
OperationalSpace::OperationalSpace(OperationalSpace&&) noexcept = default;
OperationalSpace& OperationalSpace::operator=(OperationalSpace&&) noexcept = default;

std::span<const FrameTask> OperationalSpace::tasks() const { return parts_->tasks; }

void OperationalSpace::update(std::span<const double> q, std::span<const double> v) {
  Parts& p = *parts_;
  check(q.size() == p.q.size(), "q has ", q.size(), " numbers, the model needs ", p.q.size());
  check(v.size() == p.v.size(), "v has ", v.size(), " numbers, the model needs ", p.v.size());
  std::copy(q.begin(), q.end(), p.q.begin());
  std::copy(v.begin(), v.end(), p.v.begin());
  p.NodeCompliance::update(q, v);
  compliance_matrix<double>(p.tree, p.paths, p.C);
  p.fill_rows();
  p.fill_passive();
  p.regular = p.stack->factor(p.diagonal);
  for (int l = 0; l < p.stack->levels(); ++l) p.levels[l].rank = p.stack->rank(l);
  p.updated = true;
}

Transform<double> OperationalSpace::pose(int task) const {
  check(task >= 0 && std::size_t(task) < parts_->tasks.size(), "task ", task, " of ", parts_->tasks.size());
  check(parts_->updated, "pose() of task ", task, " before update()");
  return parts_->X_WN[parts_->node_of_task[task]];
}

Motion<double> OperationalSpace::velocity(int task) const {
  check(task >= 0 && std::size_t(task) < parts_->tasks.size(), "task ", task, " of ", parts_->tasks.size());
  check(parts_->updated, "velocity() of task ", task, " before update()");
  const Node& node = parts_->tasks[task].node;
  return point_velocity(parts_->model, parts_->kin, parts_->vel, node.body, node.X_BN.p);
}

OperationalSpaceReport OperationalSpace::torques(std::span<const FrameDemand> demands,
                                                 const OperationalSpaceInputs& inputs, std::span<double> tau) {
  Parts& p = *parts_;
  const std::size_t nv = p.v.size();
  const auto fits = [](std::span<const double> x, std::size_t needed) { return x.empty() || x.size() == needed; };
  check(p.updated, "torques() of ", p.tasks.size(), " tasks before update()");
  check(demands.size() == p.tasks.size(), demands.size(), " demands, there are ", p.tasks.size(), " tasks");
  check(fits(inputs.posture, nv), "posture has ", inputs.posture.size(), " numbers, the model needs none or ", nv);
  check(fits(inputs.posture_force, nv), "posture_force has ", inputs.posture_force.size(),
        " numbers, the model needs none or ", nv);
  check(fits(inputs.f_ext, p.f_ext.size()), "f_ext has ", inputs.f_ext.size(), " numbers, the model needs none or ",
        p.f_ext.size());
  check(tau.size() == nv, "tau has ", tau.size(), " numbers, the model needs ", nv);

  p.start(inputs);
  p.push_exerted(demands);
  p.fill_demand(demands);
  p.stack->solve(p.d, p.f);  // (1), (3)
  p.apply_task_forces();
  rnea<double>(p.plan, p.q, p.v, p.vdot, p.f_ext, p.rnea_ws, tau);  // (2)
  OperationalSpaceReport report;
  p.subtract_passive_forces(tau);
  std::fill(p.supported_by.begin(), p.supported_by.end(), Force<double>::zero());
  if (!p.options.passive.empty()) p.carry_by_supports(tau, report.uncarried);

  p.report_errors();
  report.held = p.levels.front();
  report.levels = std::span<const LevelReport>(p.levels).subspan(1);
  if (!p.regular || !std::all_of(tau.begin(), tau.end(), [](double x) { return std::isfinite(x); })) {
    report.status = ControlStatus::not_finite;
    std::fill(tau.begin(), tau.end(), std::numeric_limits<double>::quiet_NaN());
  }
  return report;
}

Force<double> OperationalSpace::task_force(int task) const {
  check(task >= 0 && std::size_t(task) < parts_->tasks.size(), "task ", task, " of ", parts_->tasks.size());
  Force<double> sum = Force<double>::zero();
  for (const StackRow& row : parts_->rows)
    if (row.task == task) sum = sum + Force<double>{row.force * row.in_W.n, row.force * row.in_W.f};
  return sum;
}

Force<double> OperationalSpace::support_force(int task) const {
  check(task >= 0 && std::size_t(task) < parts_->tasks.size(), "task ", task, " of ", parts_->tasks.size());
  return parts_->supported_by[task];
}

}  // namespace linchpin
