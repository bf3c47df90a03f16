// Where a step is split: the first touch of a contact that bounces, lands or is far away. Internal to sim/.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/forces.h"
#include "linchpin/sim/time_stepping/landings.h"

namespace linchpin {

// Whether the gap is large in proportion to the shapes. A row is the law of a plane, which holds near the contact only;
// a far contact gets none until it touches.
bool is_far(const StepPlan& plan, const Contact& contact);

// Whether a contact with restitution touches and approaches faster than options.impact_speed.
bool meets_impact(const StepPlan& plan, const Placed& placed, std::span<const Contact> contacts);

// The smallest root of gap + u t + a t^2 / 2 = 0 in (0, h]; more than h if there is none. gap > 0.
double touch_time(double gap, double u, double a, double h);

// Whether any contact that bounces or is far could end the interval by its touch.
bool may_touch(const StepPlan& plan, std::span<const Contact> contacts);

// The first time at which a contact touches that bounces, lands or is far, or a limit that lands, by (5) of
// contact_stepper.h; the interval's h if there is none. Marks contacts that land, bounce or are far as idle in
// `contact_idle`, whether they touch within h or not, unless they have to have a row (keys in `required`).
double first_touch(const StepPlan& plan, const Interval& interval, const FreeMotion& free, const Landings& landings,
                   std::span<const ContactKey> required, std::vector<char>& contact_idle);

}  // namespace linchpin
