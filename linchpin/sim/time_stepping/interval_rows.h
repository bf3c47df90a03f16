// The rows of an interval: contacts, joint limits, dry friction, servos, springs and loops. Internal to sim/.
#pragma once

#include <span>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// Limits nearer than this (rad or m) have rows, besides those that the speed can reach: a row of a limit that is not
// reached costs little, a limit that is missed costs another round.
inline constexpr double limit_margin = 1e-3;

// Whether the limit can be reached within the interval, judged by the speed at its start, with a factor of 2 for
// acceleration.
bool is_near(const JointLimit& limit, const Interval& interval);

// A row of joint limit number `limit`, with the speed at which it may be approached.
void add_limit(const StepPlan& plan, const Placed& placed, int limit, std::span<const double> q, double speed,
               StepRows& out);

// Marks the joint limits that the motion violates without having a row: those approached faster than `share` of their
// speed limit if the interval ends with v, and those that h v_mean passes. Returns whether there are new ones.
bool mark_violated_limits(const StepPlan& plan, const Interval& interval, std::span<const double> v,
                          std::span<const double> v_mean, double share, RowChoice& choice);

// Whether the servos stay within their force limits if the interval ends with v.
bool within_servo_limits(const StepPlan& plan, const Interval& interval, std::span<const double> v);

// Fills `out`. Loops and springs come first, then the rows that are remembered from step to step, in the order of
// State's memory.
void gather_rows(const StepPlan& plan, const Interval& interval, const RowChoice& choice, StepRows& out);

}  // namespace linchpin
