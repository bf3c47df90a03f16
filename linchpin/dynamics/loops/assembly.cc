#include "linchpin/dynamics/loops/assembly.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "linchpin/base/names.h"

namespace linchpin {
namespace {

// The errors of the holonomic rows.
struct Distance {
  double sum = 0;      // of squares, each divided by the row's compliance
  double largest = 0;  // |g|
  int worst = -1;
};

class Assembler {
 public:
  Assembler(const Model& model, const State& state, const AssemblyOptions& options,
            std::span<const Constraint> constraints)
      : options_(options),
        time_(state.time),
        plan_(model),
        chain_(model, plan_, constraints),
        unit_(chain_.constraints.rows()) {}

  // One try of (1) from q. Returns the remaining error.
  Distance close(std::vector<double>& q, int& iterations) {
    place(q);
    Distance here = measure();
    double mu = 0;
    std::vector<double> trial(q.size());
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (here.largest <= options_.tolerance || !std::isfinite(here.sum)) break;
      ++iterations;
      bool better = false;
      while (!better && mu < largest_mu) {
        take_step(q, mu, trial);
        here = measure();  // with the compliances of this step
        place(trial);
        const Distance there = measure();
        better = there.sum < here.sum;
        if (better) {
          stalled_ = there.largest > 0.5 * here.largest ? stalled_ + 1 : 0;
          q = trial;
          here = there;
          mu = mu > smallest_mu ? 0.1 * mu : 0;
        } else {
          mu = std::max(10 * mu, smallest_mu);
          place(q);  // back to the rows at q
        }
      }
      if (!better || (stalled_ >= 3 && here.largest <= rounding())) break;
    }
    place(q);
    return measure();
  }

  // Errors up to this are rounding of positions: some hundred units in the last place of the mechanism's extent.
  double rounding() const {
    double extent = 1;
    for (const Transform<double>& X : chain_.kin.X_WL)
      extent = std::max({extent, std::abs(X.p.x), std::abs(X.p.y), std::abs(X.p.z)});
    return 1e-13 * extent;
  }

  const std::string& name_of(int row) const {
    return chain_.constraints.constraints()[chain_.constraints.constraint_of(row)].name;
  }
  ClosedChain& chain() { return chain_; }

 private:
  static constexpr double smallest_mu = 1e-4, largest_mu = 1e8;

  void place(std::span<const double> q) { place_chain(q, chain_.zero, time_, chain_); }

  Distance measure() const {
    Distance d;
    for (int r = 0; r < chain_.constraints.rows(); ++r) {
      if (!chain_.constraints.holonomic(r)) continue;
      const double g = std::abs(chain_.rows.error[r]), scaled = unit_[r] * g;
      d.sum += scaled * scaled;
      if (!(g <= d.largest)) {
        d.largest = g;
        d.worst = r;
      }
    }
    return d;
  }

  // The step of (1) from q, after place(q).
  void take_step(std::span<const double> q, double mu, std::vector<double>& to) {
    least_motion(q, chain_.rows.error, true, mu, chain_);
    for (std::size_t r = 0; r < unit_.size(); ++r) unit_[r] = chain_.give[r] > 0 ? 1 / std::sqrt(chain_.give[r]) : 0;
    to.assign(q.begin(), q.end());
    integrate(chain_.model, chain_.x, to);  // (1)
  }

  const AssemblyOptions& options_;
  double time_;
  Plan<double> plan_;
  ClosedChain chain_;
  std::vector<double> unit_;
  int stalled_ = 0;
};

// The model's own constraints, and one for each held coordinate that fixes its q and v.
std::vector<Constraint> with_held(const Model& model, const State& state, const std::vector<int>& held) {
  std::vector<Constraint> all(model.constraints().begin(), model.constraints().end());
  for (const int v : held) {
    check(v >= 0 && v < model.nv(), "coordinate ", v, " is held; the model has ", model.nv());
    const auto link = std::ranges::find_if(model.links(), [&](const Link& l) { return v >= l.v && v < l.v + l.nv; });
    check(link->nv == 1, "coordinate ", v,
          " is held; it belongs to a ball or free joint, which has no position coordinate for it");
    const double q = state.q[link->q], rate = state.v[v];
    Coupling coupling;
    coupling.terms = {{int(link - model.links().begin()), link->q, v, {0, 1}}};
    coupling.value.polynomial = {q - rate * state.time, rate};
    const auto joint = std::ranges::find_if(model.joints(), [&](const Joint& j) { return v >= j.v && v < j.v + j.nv; });
    all.push_back({"joint " + joint->name + ", held", coupling});
  }
  return all;
}

}  // namespace

std::string_view to_string(AssemblyStatus status) {
  static constexpr EnumNames<AssemblyStatus::not_finite> names{
      "status", {"closed", "not_closed", "velocities_contradict", "not_finite"}};
  return names.of(status);
}

AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options) {
  check(state.q.size() == std::size_t(model.nq()), "state.q has ", state.q.size(), " numbers, the model needs ",
        model.nq());
  check(state.v.size() == std::size_t(model.nv()), "state.v has ", state.v.size(), " numbers, the model needs ",
        model.nv());
  check(options.tolerance > 0, "tolerance is ", options.tolerance, "; it must be positive");
  check(options.tries >= 1 && options.max_iterations >= 1, "tries is ", options.tries, " and max_iterations ",
        options.max_iterations, "; both must be at least 1");
  const std::vector<Constraint> constraints = with_held(model, state, options.held);
  Assembler assembler(model, state, options, constraints);
  AssemblyReport report;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> even(-1, 1);
  Distance nearest;
  nearest.largest = std::numeric_limits<double>::infinity();
  for (report.tries = 1;; ++report.tries) {
    std::vector<double> q = state.q;
    if (report.tries > 1) {
      const double size = 0.05 * std::pow(1.6, report.tries - 2);  // up to 2 rad or m
      std::vector<double> shake(state.v.size());
      for (double& x : shake) x = size * even(random);
      integrate(model, shake, q);
    }
    const Distance left = assembler.close(q, report.iterations);
    if (!std::isfinite(left.largest)) {
      report.status = AssemblyStatus::not_finite;
      report.error = left.largest;
      if (left.worst >= 0) report.worst = assembler.name_of(left.worst);
      return report;
    }
    if (left.largest < nearest.largest) nearest = left;
    if (left.largest > std::max(options.tolerance, assembler.rounding())) {
      if (report.tries < options.tries) continue;
      report.status = AssemblyStatus::not_closed;
      report.error = nearest.largest;
      report.worst = assembler.name_of(nearest.worst);
      return report;
    }
    report.error = left.largest;
    std::vector<double> v = state.v;
    const ConstraintReport velocity = project_velocity(q, v, state.time, assembler.chain());
    report.speed_error = velocity.unmet;
    double fastest = 1;
    for (const double x : v) fastest = std::max(fastest, std::abs(x));
    if (!(velocity.unmet <= 1e-9 * fastest)) {
      report.status =
          std::isfinite(velocity.unmet) ? AssemblyStatus::velocities_contradict : AssemblyStatus::not_finite;
      if (velocity.worst >= 0) report.worst = assembler.name_of(velocity.worst);
      return report;
    }
    state.q = q;
    state.v = v;
    return report;
  }
}

}  // namespace linchpin
