#include "linchpin/control/inverse_kinematics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/model/state.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// log(R_d R' exp(-turn)) = e - (1 + [e]/2 + c [e]^2) turn; the transpose of this matrix acts on a row of e.
Vec3<double> row_through_log(const Vec3<double>& row, const Vec3<double>& e) {
  const double x = dot(e, e), angle = std::sqrt(x);
  const double half = angle / 2;
  const double c = x < 1e-6 ? 1.0 / 12 + x / 720 : (1 - half * std::cos(half) / std::sin(half)) / x;
  const Vec3<double> across = cross(row, e);  // [e]' row
  return row + 0.5 * across + c * cross(across, e);
}

// A pseudo-random number in [0, 1) for each pair.
double scattered(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + (b + 1) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

struct InverseKinematics::Parts {
  Parts(const Model& model, std::vector<FrameGoal> goals, const InverseKinematicsOptions& options);

  double evaluate(std::span<const double> q);  // computes r and errors; returns |r|^2
  void differentiate();                        // J at the q of the last evaluate()
  bool met() const;
  bool presses(std::size_t k) const;
  void find_step(double mu);
  bool solve_rows(double mu);
  double predicted() const;
  bool stationary(double cost) const;
  void move_inside(std::span<double> q) const;
  void scatter(int start, std::span<const double> from, std::span<double> q) const;
  InverseKinematicsStatus descend(std::span<double> q, int& iterations);
  void list_limits();

  const Model& model;
  std::vector<FrameGoal> goals;
  InverseKinematicsOptions options;
  Plan<double> plan;
  Kinematics<double> kin;
  Velocities vel;
  std::size_t rows = 0, nv;
  std::span<const Transform<double>> X_WN;                          // argument of solve()
  std::vector<double> r, J, gain, p, trial, J6, A, b, best, first;  // gain = J' r
  std::vector<double> r_kept;
  std::vector<int> q_of;        // per velocity coordinate: index in q if it has limits, else -1
  std::vector<char> free;       // per velocity coordinate
  std::vector<double> current;  // q
  std::vector<GoalError> errors;
  std::vector<int> limits;
  std::size_t limit_count = 0;
};

InverseKinematics::Parts::Parts(const Model& m, std::vector<FrameGoal> g, const InverseKinematicsOptions& o)
    : model(m), goals(std::move(g)), options(o), plan(m), kin(plan), vel(m), nv(m.nv()) {
  check(options.tolerance > 0 && options.tolerance < 1, "tolerance ", options.tolerance, " is not between 0 and 1");
  check(options.max_iterations >= 1, "max_iterations ", options.max_iterations, ", needs 1 or more");
  check(options.restarts >= 0, "restarts ", options.restarts, ", needs 0 or more");
  for (std::size_t i = 0; i < goals.size(); ++i) {
    check_rows(model, i, goals[i].node, goals[i].rows);
    check(goals[i].weight > 0 && goals[i].weight < unlimited, "goal ", i, " has a weight of ", goals[i].weight);
    rows += goals[i].rows.size();
  }
  const std::size_t nq = std::size_t(model.nq());
  for (std::vector<double>* x : {&r, &r_kept, &b}) x->assign(rows, 0);
  for (std::vector<double>* x : {&gain, &p}) x->assign(nv, 0);
  for (std::vector<double>* x : {&trial, &best, &first, &current}) x->assign(nq, 0);
  J.assign(rows * nv, 0);
  J6.assign(6 * nv, 0);
  A.assign(rows * rows, 0);
  q_of.assign(nv, -1);
  for (const Link& link : model.links())
    if (link.nv == 1) q_of[link.v] = link.q;
  free.assign(nv, 1);
  errors.resize(goals.size());
  limits.assign(nv, 0);
}

double InverseKinematics::Parts::evaluate(std::span<const double> q) {
  kinematics<double>(plan, q, kin);
  double cost = 0;
  std::size_t row = 0;
  for (std::size_t g = 0; g < goals.size(); ++g) {
    const Transform<double> X = node_pose(model, kin, goals[g].node);
    const Vec3<double> turn = X.R * log_rotation(from_rotation(transpose(X.R) * X_WN[g].R)), way = X_WN[g].p - X.p;
    double turned = 0, moved = 0;
    for (const Row& given : goals[g].rows) {
      const Row in_W = row_in_world(given, goals[g].axes, X_WN[g].R);
      const double error = dot(in_W.n, turn) + dot(in_W.f, way);
      r[row] = goals[g].weight * error;
      cost += r[row] * r[row];
      ++row;
      const double square = error * error / (dot(in_W.n, in_W.n) + dot(in_W.f, in_W.f));
      (dot(in_W.f, in_W.f) == 0 ? turned : moved) += square;
    }
    errors[g] = {std::sqrt(turned), std::sqrt(moved)};
  }
  return cost;
}

void InverseKinematics::Parts::differentiate() {
  joint_axes(model, kin, vel);
  std::size_t row = 0;
  for (std::size_t g = 0; g < goals.size(); ++g) {
    const Transform<double> X = node_pose(model, kin, goals[g].node);
    const Vec3<double> turn = X.R * log_rotation(from_rotation(transpose(X.R) * X_WN[g].R));
    point_jacobian(model, kin, vel, goals[g].node.body, goals[g].node.X_BN.p, J6);
    for (const Row& given : goals[g].rows) {
      const Row in_W = row_in_world(given, goals[g].axes, X_WN[g].R);
      const Vec3<double> n = goals[g].weight * row_through_log(in_W.n, turn), f = goals[g].weight * in_W.f;
      double* out = J.data() + row * nv;
      for (std::size_t k = 0; k < nv; ++k)
        out[k] = n.x * J6[k] + n.y * J6[nv + k] + n.z * J6[2 * nv + k] + f.x * J6[3 * nv + k] + f.y * J6[4 * nv + k] +
                 f.z * J6[5 * nv + k];
      ++row;
    }
  }
  std::fill(gain.begin(), gain.end(), 0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < nv; ++k) gain[k] += J[i * nv + k] * r[i];
}

bool InverseKinematics::Parts::met() const {
  std::size_t row = 0;
  for (const FrameGoal& goal : goals)
    for (const Row& given : goal.rows) {
      const double length = goal.weight * std::sqrt(dot(given.n, given.n) + dot(given.f, given.f));
      if (!(std::abs(r[row++]) <= options.tolerance * length)) return false;
    }
  return true;
}

// The coordinate is at a limit, and descent would lead beyond it.
bool InverseKinematics::Parts::presses(std::size_t k) const {
  if (q_of[k] < 0) return false;
  const double q = current[q_of[k]];
  const DofSpec& dof = model.dofs()[k];
  return (q <= dof.lower && gain[k] < 0) || (q >= dof.upper && gain[k] > 0);
}

// b <- (J_F J_F' + mu)^-1 b by Cholesky factors. False if the matrix is not positive definite.
bool InverseKinematics::Parts::solve_rows(double mu) {
  const auto a = [&](std::size_t i, std::size_t j) -> double& { return A[i * rows + j]; };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? mu : 0;
      for (std::size_t k = 0; k < nv; ++k)
        if (free[k]) sum += J[i * nv + k] * J[j * nv + k];
      for (std::size_t l = 0; l < j; ++l) sum -= a(i, l) * a(j, l);
      if (i == j && !(sum > 0)) return false;
      a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
    }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t l = 0; l < i; ++l) b[i] -= a(i, l) * b[l];
    b[i] /= a(i, i);
  }
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t l = i + 1; l < rows; ++l) b[i] -= a(l, i) * b[l];
    b[i] /= a(i, i);
  }
  return true;
}

// (2). p stays inside the limits.
void InverseKinematics::Parts::find_step(double mu) {
  std::fill(p.begin(), p.end(), 0);
  for (std::size_t k = 0; k < nv; ++k) free[k] = !presses(k);
  for (bool again = true; again;) {  // at most nv times: at least one coordinate becomes bound each time
    again = false;
    for (std::size_t i = 0; i < rows; ++i) {
      b[i] = r[i];
      for (std::size_t k = 0; k < nv; ++k)
        if (!free[k]) b[i] -= J[i * nv + k] * p[k];
    }
    if (!solve_rows(mu)) return std::fill(p.begin(), p.end(), 0);
    for (std::size_t k = 0; k < nv; ++k) {
      if (!free[k]) continue;
      p[k] = 0;
      for (std::size_t i = 0; i < rows; ++i) p[k] += J[i * nv + k] * b[i];
    }
    for (std::size_t k = 0; k < nv; ++k) {
      if (!free[k] || q_of[k] < 0) continue;
      const double q = current[q_of[k]];
      const DofSpec& dof = model.dofs()[k];
      if (q + p[k] >= dof.lower && q + p[k] <= dof.upper) continue;
      p[k] = (q + p[k] < dof.lower ? dof.lower : dof.upper) - q;
      free[k] = 0;
      again = true;
    }
  }
}

// |r|^2 - |r - J p|^2.
double InverseKinematics::Parts::predicted() const {
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double along = 0;
    for (std::size_t k = 0; k < nv; ++k) along += J[i * nv + k] * p[k];
    sum += along * (2 * r[i] - along);
  }
  return sum;
}

// The gradient of each free coordinate is negligible relative to its column of J and to r.
bool InverseKinematics::Parts::stationary(double cost) const {
  for (std::size_t k = 0; k < nv; ++k) {
    if (presses(k)) continue;
    double column = 0;
    for (std::size_t i = 0; i < rows; ++i) column += J[i * nv + k] * J[i * nv + k];
    if (std::abs(gain[k]) > 1e-9 * std::sqrt(column * cost)) return false;
  }
  return true;
}

void InverseKinematics::Parts::move_inside(std::span<double> q) const {
  for (std::size_t k = 0; k < nv; ++k)
    if (q_of[k] >= 0) {
      double& x = q[q_of[k]];
      x = std::clamp(x, model.dofs()[k].lower, model.dofs()[k].upper);
    }
}

// Another start: uniform within the limits, and within half a turn of the first start; ball joints at random; free
// joints unchanged.
void InverseKinematics::Parts::scatter(int start, std::span<const double> from, std::span<double> q) const {
  std::copy(from.begin(), from.end(), q.begin());
  for (const Link& link : model.links()) {
    const std::size_t i = std::size_t(link.q);
    const auto unit = [&](std::size_t k) { return scattered(std::uint64_t(start), std::uint64_t(link.v) + k); };
    if (link.nv == 1) {
      const DofSpec& dof = model.dofs()[link.v];
      const double low = std::max(dof.lower, from[i] - std::numbers::pi),
                   high = std::min(dof.upper, from[i] + std::numbers::pi);
      q[i] = low + unit(0) * (high - low);
    } else if (link.kind == LinkKind::ball) {
      const double pi = std::numbers::pi;
      const Quaternion<double> turn =
          exp_rotation(Vec3<double>{pi * (2 * unit(0) - 1), pi * (2 * unit(1) - 1), pi * (2 * unit(2) - 1)});
      q[i] = turn.w;
      q[i + 1] = turn.x;
      q[i + 2] = turn.y;
      q[i + 3] = turn.z;
    }
  }
}

InverseKinematicsStatus InverseKinematics::Parts::descend(std::span<double> q, int& iterations) {
  std::copy(q.begin(), q.end(), current.begin());
  double cost = evaluate(current), mu = 0, grow = 2;
  differentiate();
  for (std::size_t i = 0; i < rows; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < nv; ++k) square += J[i * nv + k] * J[i * nv + k];
    mu = std::max(mu, 1e-3 * square);
  }
  const double scale = mu > 0 ? 1e3 * mu : 1;
  if (mu == 0) mu = 1e-3;
  InverseKinematicsStatus status = InverseKinematicsStatus::iteration_limit;
  for (int i = 0; i < options.max_iterations; ++i) {
    if (met()) {
      status = InverseKinematicsStatus::reached;
      break;
    }
    if (stationary(cost) || mu > 1e16 * scale) {
      status = InverseKinematicsStatus::not_reached;
      break;
    }
    ++iterations;
    find_step(mu);
    std::copy(current.begin(), current.end(), trial.begin());
    integrate(model, p, trial);
    move_inside(trial);  // corrects rounding
    r_kept = r;
    const double expected = predicted(), next = evaluate(trial);
    const double ratio = expected > 0 ? (cost - next) / expected : -1;
    if (ratio > 1e-4) {
      std::copy(trial.begin(), trial.end(), current.begin());
      cost = next;
      differentiate();
      // bounded by the cost: near the goal, steps become those of Gauss and Newton
      mu = std::min(mu * (ratio > 0.75 ? 0.1 : ratio > 0.25 ? 0.5 : 1.5), std::max(cost, 1e-14 * scale));
      grow = 2;
    } else {
      std::copy(r_kept.begin(), r_kept.end(), r.begin());
      mu *= grow;
      grow *= 2;
    }
  }
  cost = evaluate(current);
  differentiate();
  if (met()) status = InverseKinematicsStatus::reached;
  std::copy(current.begin(), current.end(), q.begin());
  return status;
}

void InverseKinematics::Parts::list_limits() {
  limit_count = 0;
  double strongest = 0;
  for (std::size_t k = 0; k < nv; ++k)
    if (presses(k)) strongest = std::max(strongest, std::abs(gain[k]));
  for (std::size_t k = 0; k < nv; ++k)
    if (presses(k) && std::abs(gain[k]) > 1e-6 * strongest) limits[limit_count++] = int(k);
  std::sort(limits.begin(), limits.begin() + std::ptrdiff_t(limit_count), [&](int x, int y) {
    const double gx = std::abs(gain[x]), gy = std::abs(gain[y]);
    return gx > gy || (gx == gy && x < y);
  });
}

InverseKinematics::InverseKinematics(const Model& model, std::vector<FrameGoal> goals,
                                     const InverseKinematicsOptions& options)
    : parts_(std::make_unique<Parts>(model, std::move(goals), options)) {}
InverseKinematics::~InverseKinematics() = default;
InverseKinematics::InverseKinematics(InverseKinematics&&) noexcept = default;
InverseKinematics& InverseKinematics::operator=(InverseKinematics&&) noexcept = default;

InverseKinematicsReport InverseKinematics::solve(std::span<const Transform<double>> X_WN, std::span<double> q) {
  Parts& s = *parts_;
  check(X_WN.size() == s.goals.size(), X_WN.size(), " poses, there are ", s.goals.size(), " goals");
  check(q.size() == s.current.size(), "q has ", q.size(), " numbers, the model needs ", s.current.size());
  for (std::size_t i = 0; i < q.size(); ++i) check(std::isfinite(q[i]), "q[", i, "] is ", q[i]);
  for (std::size_t i = 0; i < X_WN.size(); ++i) {
    const Mat3<double>& R = X_WN[i].R;
    const double off = std::abs(dot(R.x, R.x) - 1) + std::abs(dot(R.y, R.y) - 1) + norm(cross(R.x, R.y) - R.z);
    check(off < 1e-6, "the pose of goal ", i, " is off a rotation by ", off);
    check(std::isfinite(norm(X_WN[i].p)), "the pose of goal ", i, " has an origin at a distance of ", norm(X_WN[i].p));
  }
  s.X_WN = X_WN;
  normalize(s.model, q);
  for (std::size_t i = 0; i < q.size(); ++i) check(std::isfinite(q[i]), "q[", i, "] is of a quaternion of length ", 0);
  s.move_inside(q);
  std::copy(q.begin(), q.end(), s.first.begin());
  InverseKinematicsReport report;
  double least = 0;
  for (int start = 0; start <= s.options.restarts; ++start) {
    if (start > 0) s.scatter(start, s.first, q);
    const InverseKinematicsStatus status = s.descend(q, report.iterations);
    double cost = 0;
    for (const double x : s.r) cost += x * x;
    if (start == 0 || cost < least) {
      least = cost;
      report.status = status;
      report.start = start;
      std::copy(q.begin(), q.end(), s.best.begin());
    }
    if (status == InverseKinematicsStatus::reached) break;
  }
  std::copy(s.best.begin(), s.best.end(), q.begin());
  std::copy(s.best.begin(), s.best.end(), s.current.begin());
  s.evaluate(q);
  s.differentiate();
  report.errors = s.errors;
  if (report.ok()) return report;
  double most = -1;
  for (std::size_t g = 0; g < s.errors.size(); ++g) {
    const double size = s.goals[g].weight * std::hypot(s.errors[g].rotation, s.errors[g].position);
    if (size <= most) continue;
    most = size;
    report.worst_goal = int(g);
  }
  s.list_limits();
  report.limits = std::span<const int>(s.limits).first(s.limit_count);
  return report;
}

}  // namespace linchpin
