// Forces over an interval, and the motion that they alone would cause. Internal to sim/.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

// Computes the forces on coordinates: inputs, springs, dampers and servos as they act over h (joint_rows.h (4)).
class Forces {
 public:
  explicit Forces(const Model& model);
  // Servos with limits are among the forces only `with_bounded_servos`. Valid until the next call.
  std::span<const double> gather(const StepPlan& plan, const Inputs& inputs, std::span<const double> q,
                                 std::span<const double> v, double h, bool with_bounded_servos);

 private:
  std::vector<double> tau_, q_moved_, step_;
};

// The motion over an interval if no row acted, by (4) of contact_stepper.h.
struct FreeMotion {
  explicit FreeMotion(const Model& model)
      : q_forces(model.nq()), v(model.nv()), vel(model), vdot(model.nv()), step(model.nv()) {}
  double h = -1;                   // of the interval that it was found for, s; negative: not known
  std::vector<double> q_forces;    // q in the middle, where forces are evaluated
  std::vector<double> v;           // at the end
  Velocities vel;                  // of the links, for that v at the poses of the start
  std::vector<double> vdot, step;  // workspace
};
void find_free_motion(const StepPlan& plan, const Interval& interval, Variant& mechanism, Forces& forces,
                      FreeMotion& out);

// v <- v + h FD(q, v, tau, f_ext) with the mechanism's armature.
void free_velocity(Variant& mechanism, std::span<const double> q, std::span<const double> v,
                   std::span<const double> tau, std::span<const double> f_ext, double h, std::span<double> vdot,
                   std::span<double> out);

}  // namespace linchpin
