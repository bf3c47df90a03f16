// What contact_stepper.cc and the files beside it share. Internal to sim/.
//
// | file                | what                                                                 |
// |---------------------|----------------------------------------------------------------------|
// | contact_stepper.cc  | the step and its parts in time; positions                            |
// | contact_touch.cc    | where a step is split, and impacts there                             |
// | contact_solve.cc    | rows over time, the problem and its solution; what is put back       |
// | contact_account.cc  | energy, forces of contacts                                           |
// | contact_sleep.cc    | who sleeps                                                           |
#pragma once

#include <cmath>
#include <cstdint>

#include "linchpin/contact/friction.h"
#include "linchpin/contact/island_solver.h"
#include "linchpin/geometry/scene/islands.h"
#include "linchpin/sim/contact_stepper.h"

namespace linchpin {

// The mechanism as a step of a certain kind sees it.
struct Variant {
  Variant(const Model& m, Method method, std::span<const double> armature)
      : model(m.with_more_armature(armature)), plan(model), aba(plan) {
    Result<std::unique_ptr<Formulation>> made = make_formulation(method, model, plan);
    check(bool(made), "method ", to_string(method), ": ", made ? "" : made.error().message);
    formulation = std::move(made).value();
  }
  Model model;
  Plan<double> plan;
  AbaWorkspace<double> aba;
  std::unique_ptr<Formulation> formulation;
};

// A tree of the model: the links that hang on the world by one joint.
struct Trees {
  explicit Trees(const Model& model) : of_link(model.links().size(), -1) {
    for (std::size_t i = 1; i < model.links().size(); ++i) {
      const Link& link = model.links()[i];
      of_link[i] = link.parent == 0 ? count++ : of_link[link.parent];
    }
  }
  int count = 0;
  std::vector<int> of_link;  // -1 for the world
};

// As good as touching when an impact comes: m.
inline double touching(const ContactOptions& o) { return 10 * o.position_tolerance; }

// Limits nearer than this (rad or m), beside what speed asks for, have rows.
inline constexpr double limit_margin = 1e-3;

inline double length(double x, double y) { return std::sqrt(x * x + y * y); }

struct ContactStepper::Parts {
  Parts(Dynamics& d, const SimulationOptions& o);

  StepReport step(const Departure& from, Arrival& to);

  // One part of a step, from and to q, v; h is shortened to where the next bounce touches.
  void place(double time, std::span<const double> q, std::span<const double> v);
  bool is_far(const Contact& c) const;
  bool meets_impact() const;
  bool solve_impacts(Arrival& at, StepReport& report);
  double find_touch(const Departure& from, const Arrival& at, double h);
  bool find_missed(const Departure& from, bool may_split, double& h, Arrival& at, StepReport& report);
  bool solve(const Departure& from, bool may_split, double& h, Arrival& at, StepReport& report);
  bool solve_settled(const Departure& from, double h, const Arrival& at, StepReport& report);
  void move(const Departure& from, double h, Arrival& at, StepReport& report);
  bool too_many_contacts(StepReport& report) const;

  void add_limit(int limit, std::span<const double> q, double offset, StepRows& to) const;
  bool is_near(const JointLimit& limit, std::span<const double> q, std::span<const double> v, double h) const;
  bool find_hasty(const Arrival& at, std::span<const double> v, double h, double share);
  void gather_rows(const Inputs& inputs, std::span<const double> q, std::span<const double> v, double h, bool servos);
  void find_row_trees();
  void place_middle(std::span<const double> q, std::span<const double> v, double h);
  void gather_forces(const Inputs& inputs, std::span<const double> q, std::span<const double> v, double h, bool servos);
  bool solve_rows(const Departure& from, const Arrival& at, double h, bool servos, StepReport& report);
  bool within_servo_limits(const Inputs& inputs, std::span<const double> q, double h) const;
  bool is_sunk(std::span<const double> q) const;
  bool put_back(const Arrival& at, double h, StepReport& report);

  double add_losses(double h, StepReport& report);
  void count_work(const Inputs& inputs, std::span<const double> q, std::span<const double> v, double h, bool servos,
                  StepReport& report);
  void collect();
  void finish_reports();

  void drop_sleepers();
  void keep_sleepers();
  void find_sleepers(const Departure& from, Arrival& at, StepReport& report);
  void count_stillness(Arrival& at) const;
  int painleve_contacts();

  // What a gap counts in (2): nothing while it is as good as none. Where more contacts hold than are needed, gaps of
  // rounding and of the paths' curvature cannot all be closed at once: they would decide which foot of a box carries
  // the weight and, in a pile, throw its forces about in every step. Beyond that a gap is closed altogether, not down
  // to the limit: else all gaps would come to lie there, each closing its bit in every step.
  double open(double gap) const { return gap > touching(options) ? gap : 0.0; }

  bool unsolved(StepReport& report, const char* reason) const {
    report.status = StepStatus::unsolved;
    report.reason = reason;
    return false;
  }

  Dynamics& dynamics;
  const Model& model;
  const ContactOptions options;
  const double dt;
  Trees trees;
  ContactPlan contact_plan;
  JointRowPlan joint_plan;
  std::vector<double> radius;  // per shape: half of its extent, infinite for the unbounded

  // soft: springs and servos in its armature; firm: without those servos that have limits, where there are any;
  // bare: nothing but the model, for impacts.
  std::vector<double> armature;
  Variant soft;
  std::unique_ptr<Variant> firm;
  Variant bare;

  // Scratch.
  Kinematics<double> kin, kin_middle;
  Velocities vel, vel_after;
  ContactSet set;
  ContactSet wider;             // of find_missed()
  bool servos_are_soft = true;  // or are rows, all that have limits
  std::vector<char> bounces;    // per contact: gets no row now
  std::vector<char> hasty;      // per limit of a joint: gets a row though it is not near
  StepRows rows;
  StepRows lifted;  // of (6)
  Problem problem, flat_problem;
  PolyhedralFriction friction;
  ImpactWorkspace impact;
  IslandSolver solver;
  std::vector<double> z, flat, impulses, lift_impulses, w_before, w_after, restitution, approach;
  std::vector<double> q_eval, q_moved, step_v, v_after, tau, vdot, shift, zero;
  bool fresh = false;          // were the impulses found anew?
  bool loose = false;          // and not to the tolerance?
  std::vector<char> has_rows;  // per tree
  std::vector<char> asleep;    // per tree
  Islands islands;
  std::vector<std::uint8_t> never_fixed;
  std::vector<BodyPair> joined;

  struct Sum {
    Contact contact;                              // as last seen
    Vec3<double> impulse = Vec3<double>::zero();  // N s, W, on A
    double normal = 0, slip = 0, gap = 0;         // N s; m/s at the end; m where it was first seen
  };
  std::vector<Sum> sums;
  std::vector<ContactReport> reports;
};

}  // namespace linchpin
