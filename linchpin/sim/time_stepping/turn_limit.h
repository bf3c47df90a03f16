// How far bodies may turn within an interval. Internal to sim/.
//
// Rows and touch times take points to move along straight lines, and a row holds the points that were nearest when the
// interval began. Where bodies turn, other points come nearest. Within h points deviate from the prediction by at most
//     h turn (h closing_speed + 2 min(radius_A, radius_B)),   turn = |w_A - w_B|                                  (1)
// The first term is for the arcs of paths, the second for points beside the witness point. If that is less than half of
// the sum of their half thicknesses, two shapes cannot pass through each other unseen: what is left is penetration,
// which is corrected. An interval in which (1) is more is shortened, to the time until they may touch at the earliest
// (conservative advancement), but not below the time at which (1) reaches that bound.
#pragma once

#include <span>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// The longest interval, at most h, that is safe for all pairs of shapes in `set` if links move by `motion` (by link).
double turn_limit(const StepPlan& plan, const ContactSet& set, std::span<const MovingSphere> motion, double h);

// Whether penetration at the end of the interval is to be expected because bodies turn: the path of a contact with an
// impulse bends, or a contact without an impulse comes nearer than (1).
bool bends(const StepPlan& plan, const Interval& interval, const ContactSet& set, const Solved& solved,
           std::span<const MovingSphere> motion);

}  // namespace linchpin
