// The energy account of a step, and the sums of its contact and constraint impulses. Internal to sim/.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// The energy that contacts, limits and dry friction took over h: -z . (u + u+) / 2. Adds to the report the work of
// servos and loops (which may be driven), the energy that the dampers of springs took, and the largest cone violation.
double energy_lost(const StepPlan& plan, const StepRows& rows, std::span<const double> impulses, const RowVelocities& u,
                   double h, StepReport& report);

// Adds the work of inputs and actuators, and the energy that dampers in joints took, to the report.
void count_work(const StepPlan& plan, const Interval& interval, const Solved& solved, StepReport& report);

// Adds the impulses of loop rows to `sum`, by row of the model's constraints. Rows on trees that sleep are left out:
// the problem has their loops, but not the contacts that carry them. tree_asleep: per tree.
void add_loop_impulses(const StepPlan& plan, const StepRows& rows, std::span<const double> impulses,
                       std::span<const char> tree_asleep, std::span<double> sum);

// The impulses of contacts, added up over the intervals and impacts of a step.
class ContactSums {
 public:
  // The contacts at the start of the step: they are reported even if they carry no force.
  void start(std::span<const Contact> contacts);
  void add(const StepRows& rows, std::span<const Contact> contacts, std::span<const double> impulses,
           const RowVelocities& u);
  // The contacts of the step in rising order of their keys, with mean forces over dt.
  void report(const Model& model, double dt, std::vector<ContactReport>& out);

 private:
  struct Sum {
    Contact contact;                              // point and normal are means, weighted by normal impulses
    Vec3<double> impulse = Vec3<double>::zero();  // N s, W, on A
    double normal = 0, slip = 0, gap = 0;         // N s; m/s at the end; m when it was first found
    const ContactKey& key() const { return contact.key; }
    void take_place(const Contact& c, double impulse);  // before that impulse is added to the sums
  };
  std::vector<Sum> sums_;  // in rising order of their keys
};

}  // namespace linchpin
