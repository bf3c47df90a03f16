// One interval of a step, and the result of its contact problem. Internal to sim/.
//
// A step consists of one interval, or of several if it is split at impacts. A stage reads the interval and writes a
// result of its own; only ContactStepper applies a result. A result that is not wanted, because the step has to be
// solved again with other contacts or over half the time, is overwritten by the next attempt.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/contact_set.h"
#include "linchpin/contact/step_rows.h"
#include "linchpin/sim/steppers.h"
#include "linchpin/sim/time_stepping/placed.h"

namespace linchpin {

// Contacts and joint limits that are near but get no row: the motion does not reach them, or the interval ends with
// their impact (active_rows.h). 1 for those, 0 for the others.
struct IdleRows {
  std::vector<char> contacts, limits;
};

// The law of a contact in the second phase of its restitution, in place of its gap: (4), (5) of position_level.h.
struct Rebound {
  bool is_on = false;
  Vec3<double> offset = Vec3<double>::zero();  // of its rows, m/s
};

struct Interval {
  const Inputs& inputs;
  const Arrival& start;      // q and v at the start of the interval, and the impulses that warm-start its problem
  const Placed& placed;      // at that q and v
  const ClosedChain* chain;  // with its rows at that q and v; null without constraints
  const ContactSet& set;
  const IdleRows& idle;  // contacts and limits without rows
  double time, h;        // its start and its length, s
  std::span<const Contact> contacts = set.contacts;
  std::span<const Rebound> rebound = {};  // per contact; empty if there is none
};

// What solving took, wanted or not.
struct SolveEffort {
  int problems = 0, iterations = 0;
  int fallbacks = 0;  // problems that the first solver of the chain did not solve
  void add_to(StepReport& report) const;
};

// How well the problems of an interval were solved.
struct SolveQuality {
  double residual = 0;  // relative, the largest
  int loose = 0;        // problems solved to `acceptable`, but not to `tolerance`
  int painleve = 0;     // contacts in a Painleve configuration
  void add_to(StepReport& report) const;
};

// Rows that not every problem of a model has, and their laws.
struct RowChoice {
  bool servos_as_rows = false;     // servos with limits: as rows, otherwise as implicit forces
  std::vector<char> limit_active;  // per joint limit: has a row although it is idle or not near
  std::vector<char> no_lever;      // per contact: 1 if it has no row, since its impulse would hardly move anything
  // Per contact and per coordinate with dry friction: 1 if sliding ends within the interval (interval_rows.h).
  std::vector<char> slip_ends, dry_slip_ends;
};

// J v of every row, before and after the impulses acted.
struct RowVelocities {
  std::vector<double> before, after;
  void fill(const Rows& rows, const Velocities& vel_before, const Velocities& vel_after);
};

struct Solved {
  explicit Solved(const Model& model);

  std::vector<double> v;            // at the end of the interval
  Velocities vel;                   // of the links, for that v at the poses of the start; the axes are not filled
  StepRows rows;                    // of the problem
  std::vector<double> impulses;     // by row, N s or N m s
  RowVelocities rates;              // by row
  std::vector<double> q_forces;     // where forces and rows were evaluated (midpoint.h)
  std::vector<char> tree_has_rows;  // per tree
  std::vector<char> lasts;          // per contact of the interval: in lasting touch (jumps.h)
  std::vector<char> tree_jumps;     // per tree (jumps.h)
  double slip_end = 0;              // s after the start: when the first sliding ends that goes back; h if none does
  std::vector<double> theta;        // by coordinate: that of joint_rows.h, but 1/2 where a servo is at its limit
  // The mean velocity over the interval, by which positions move: (3) and (4) of contact_stepper.h.
  std::vector<double> v_mean;
  Velocities vel_mean;  // of the links, at the poses of the start; by find_mean_motion()
  RowChoice choice;
  bool iterated = false;  // false: the warm start was the solution
  bool loose = false;     // the last problem missed the tolerance
  SolveEffort effort;
  SolveQuality quality;
};

// Fills vel_mean of the links, not of the axes. of_link: tree of each link.
void find_mean_motion(const Interval& interval, std::span<const int> of_link, Solved& solved);

}  // namespace linchpin
