#include "linchpin/sim/drag.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linchpin/base/check.h"
#include "linchpin/contact/contact_set.h"
#include "linchpin/contact/island_solver.h"
#include "linchpin/contact/step_rows.h"
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/dynamics/maximal/maximal_bodies.h"

namespace linchpin {
namespace {

Method method_for(const Model& model, const DragOptions& options) {
  if (options.method) return *options.method;
  return MaximalBodies::find_fault(model) ? Method::os : Method::multipliers;
}

}  // namespace

struct Drag::Parts {
  Parts(const Model& m, const DragOptions& o)
      : model(m),
        options(o),
        method(method_for(m, o)),
        plan(model),
        joint_plan(model),
        contact_plan(model),
        set(contact_plan),
        kin(plan),
        rest(model),
        moving(model),
        zero(model.nv(), 0.0),
        v(zero),
        q(model.nq()) {
    Result<std::unique_ptr<Formulation>> made = make_formulation(method, model, plan);
    check(bool(made), "method ", to_string(method), ": ", made ? "" : made.error().message);
    formulation = std::move(made).value();
    if (!model.constraints().empty()) chain.emplace(model, plan, model.constraints());
  }

  Vec3<double> place_of(const DragGoal& goal) const { return body_pose(model, kin, goal.body) * goal.point_B; }
  double farthest(std::span<const DragGoal> goals) const {
    double most = 0;
    for (const DragGoal& goal : goals) {
      const Vec3<double> e = goal.goal_W - place_of(goal);
      most = std::max(most, norm(e));
    }
    return most;
  }

  // Energy of the springs at the positions of kin.
  double energy(std::span<const DragGoal> goals) const {
    double sum = 0;
    for (const DragGoal& goal : goals) {
      const Vec3<double> e = goal.goal_W - place_of(goal);
      sum += 0.5 * goal.stiffness * dot(e, e);
    }
    return sum;
  }

  void gather(const State& state, std::span<const DragGoal> goals, double h);
  bool solve(const State& state);
  bool try_step(const State& state, std::span<const DragGoal> goals, double h, DragReport& report);

  const Model& model;
  DragOptions options;
  Method method;
  Plan<double> plan;
  JointRowPlan joint_plan;
  ContactPlan contact_plan;
  ContactSet set;
  Kinematics<double> kin;
  Velocities rest, moving;
  std::vector<double> zero, v, q;
  std::unique_ptr<Formulation> formulation;
  std::optional<ClosedChain> chain;

  StepRows rows;
  Problem problem;
  IslandSolver solver;
  std::vector<double> z, impulses;
};

// (1), in d = h v and impulses z = h f: M d = J' z, J d + z / (k h) = goal - x.
void Drag::Parts::gather(const State& state, std::span<const DragGoal> goals, double h) {
  rows.clear();
  if (chain) {
    place_chain(state.q, zero, state.time, *chain);
    add_loop_rows(chain->constraints, chain->rows, {}, rows);
    std::ranges::fill(rows.rows.offset, 0);  // time stands still; try_step() projects positions onto the loops
  }
  for (const DragGoal& goal : goals) {
    const int link = model.bodies()[goal.body].link;
    if (link == 0) continue;
    const Vec3<double> x = place_of(goal), lever = x - kin.X_WL[link].p, e = goal.goal_W - x;
    const Vec3<double> axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double along[3] = {e.x, e.y, e.z};
    rows.rows.begin_block(BlockKind::free, 3);
    rows.add_owner(RowOwner::Kind::spring, 0);
    for (int k = 0; k < 3; ++k) {
      rows.rows.add_side(link, {cross(lever, axes[k]), axes[k]});
      rows.rows.end_row(-along[k], 1 / (goal.stiffness * h));
    }
  }
  for (int i = 0; i < int(set.contacts.size()); ++i) {
    const Contact& c = set.contacts[i];
    add_normal(c, kin, std::max(c.gap, 0.0), rows.rows);
    rows.add_owner(RowOwner::Kind::contact, i);
  }
  for (int i = 0; i < int(joint_plan.limits.size()); ++i) {
    const JointLimit& limit = joint_plan.limits[i];
    const double gap = gap_of(limit, state.q);
    if (!std::isfinite(gap)) continue;
    add_limit_row(model, joint_plan, kin, rest, limit, state.q, std::max(gap, 0.0), rows.rows);
    rows.add_owner(RowOwner::Kind::limit, i);
  }
}

bool Drag::Parts::solve(const State& state) {
  const Motive motive{model, plan, kin, rest, state.q, zero, {}, {}, 0};
  formulation->pose(motive, rows.rows, problem);
  z.assign(problem.size(), 0.0);
  impulses.assign(rows.rows.size(), 0.0);
  const SolveReport solved = solver.solve(problem, SolverId::automatic, {.tolerance = 1e-12, .acceptable = 1e-8}, z);
  if (!solved.residual.within(1e-8) || solved.status == Status::bad_input) return false;
  formulation->lift(motive, rows.rows, z, v, impulses);
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

Drag::Drag(const Model& model, const DragOptions& options) : parts_(std::make_unique<Parts>(model, options)) {}
Drag::~Drag() = default;
Method Drag::method() const { return parts_->method; }

// Computes q and kin after a step of length h. Returns false, with the reason, if it fails.
bool Drag::Parts::try_step(const State& state, std::span<const DragGoal> goals, double h, DragReport& report) {
  report = {};
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, zero, rest);
  // Solves without contacts first, and again with those that this motion would close.
  set.contacts.clear();
  gather(state, goals, h);
  bool good = solve(state);
  if (good && contact_plan.any) {
    velocities(model, kin, v, moving);
    good = find_contacts(model, contact_plan, kin, moving, 1, set);
    report.contacts = int(set.contacts.size());
    if (report.contacts > 0) {
      gather(state, goals, h);
      good = solve(state);
    }
  }
  if (!good) {
    report.reason = "the drag problem was not solved: a number is not finite, or the goals contradict each other";
    return false;
  }
  for (const double x : v) report.turn = std::max(report.turn, std::abs(x));
  const double part = report.turn > options.largest_turn ? options.largest_turn / report.turn : 1;
  report.turn *= part;
  for (double& x : v) x *= part;
  std::ranges::copy(state.q, q.begin());
  integrate(model, v, q);
  for (const JointLimit& limit : joint_plan.limits) bring_within(limit, q);  // removes the solver's error
  if (chain && !(project_position(q, state.time, options.loop_tolerance, *chain).unmet <= options.loop_tolerance)) {
    report.reason = "the loops cannot be closed at the position that the goals ask for";
    return false;
  }
  kinematics<double>(plan, q, kin);
  return true;
}

DragReport Drag::step(State& state, std::span<const DragGoal> goals) {
  Parts& p = *parts_;
  check(state.q.size() == p.q.size(), "state.q has ", state.q.size(), " numbers, the model needs ", p.q.size());
  for (const DragGoal& goal : goals) {
    check(goal.body >= 0 && goal.body < int(p.model.bodies().size()), "a goal is for body ", goal.body,
          ", the model has ", p.model.bodies().size(), " bodies");
    check(goal.stiffness > 0, "the stiffness of a goal is ", goal.stiffness, "; it must be positive");
  }
  kinematics<double>(p.plan, state.q, p.kin);
  const double before = p.energy(goals), far = p.farthest(goals);
  DragReport report;
  for (double h = 1; h > 1e-12; h /= 4) {
    const bool moved = p.try_step(state, goals, h, report);
    const double after = moved ? p.energy(goals) : before;
    if (moved && after <= before) {
      std::ranges::copy(p.q, state.q.begin());
      std::ranges::fill(state.v, 0);
      state.memory.clear();
      report.distance = p.farthest(goals);
      report.there = report.distance <= p.options.tolerance;
      return report;
    }
    if (!std::isfinite(before)) break;
  }
  report.turn = 0;  // no step gets nearer, or it failed with a reason
  report.distance = far;
  report.there = far <= p.options.tolerance;
  return report;
}

DragReport Drag::settle(State& state, std::span<const DragGoal> goals, int most, double still) {
  DragReport report;
  for (int i = 0; i < most; ++i) {
    report = step(state, goals);
    if (!report.ok() || report.there || report.turn <= still) break;
  }
  return report;
}

}  // namespace linchpin
