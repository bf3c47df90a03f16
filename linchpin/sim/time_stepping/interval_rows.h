// The rows of an interval: contacts, joint limits, dry friction, servos, springs and loops. Internal to sim/.
//
// A row is J_m v+ + offset with J_m as in midpoint.h; of a contact, with u = J_0 v and u_m = J_m v:
//     in a tree that jumps         n . u+ + gap / h >= 0,  friction against u+                                    (1)
//     apart                        n . u+ + n . u + 2 gap / h >= 0: it stays open by the mean of u and u+         (2)
//     lasting, sliding             n . u+ + n . (u_m - u) + gap / (2 h) >= 0,  friction against u+ + u_m          (3)
//     lasting, otherwise           the same,  friction against u+ + (u_m - u)                                     (4)
// By (3) friction opposes the mean of the sliding velocities, which is of second order where their direction turns; by
// (4) it opposes that at the end, so that it can hold. If a contact of (3) stops or goes back, its sliding ends within
// the interval, and it is solved again by (4). If it still goes back, friction has changed its sign within the
// interval, which has to end there. The same holds for limits and dry friction of joints. gap / (2 h), of what is more
// than a touch, closes gaps of the third order (jumps.h) by a half in each step: more would let the normal velocity
// swing.
#pragma once

#include <span>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/midpoint.h"
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

// Marks the contacts and joints of (3) whose sliding ends, and sets solved.slip_end to the first time. Returns whether
// there are new ones.
bool mark_ended_slip(const StepPlan& plan, const Interval& interval, const Midpoint& middle, Solved& solved);
// Whether something whose sliding ended has gone back within the interval.
bool slips_back(const StepPlan& plan, const Solved& solved);

// Fills solved.rows by solved.choice, lasts and tree_jumps. Loops and springs come first, then the rows that are
// remembered from step to step, in the order of State's memory.
void gather_rows(const StepPlan& plan, const Interval& interval, const Midpoint& middle, Solved& solved);

}  // namespace linchpin
