// Contact forces that are held constant over a step, and explicit integration with them. Internal to sim/.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/runge_kutta.h"
#include "linchpin/sim/time_stepping/interval.h"
#include "linchpin/sim/time_stepping/step_plan.h"

namespace linchpin {

class HeldForces {
 public:
  explicit HeldForces(const StepPlan& plan);

  void clear();
  // Adds the force of a contact on both of its bodies, at its point, in the world's axes, N.
  void add_contact(const Contact& contact, const Kinematics<double>& kin, const Vec3<double>& force);
  // Adds a generalised force on a velocity coordinate, N or N m.
  void add_coordinate(int coordinate, double force) { tau_[coordinate] += force; }
  bool any() const { return !contacts_.empty(); }

  // `inputs` and these forces, for bodies at kin. Valid until the next call.
  Inputs with(const Inputs& inputs, const Kinematics<double>& kin);
  // Adds `share` times the power of each force to its work.
  void add_work(double share, const Placed& placed, std::span<const double> v);
  // After add_work(), J: of the normal forces and the friction of each contact, in the order of add_contact(), and of
  // all forces.
  struct Work {
    double normal = 0, friction = 0;
  };
  std::span<const Work> work() const { return work_; }
  double total_work() const;

 private:
  struct Held {
    int body_a, body_b;
    Vec3<double> at_a, at_b;        // the point in the bodies' frames, m
    Vec3<double> normal, friction;  // N, W, on A
  };
  void add(int body, const Vec3<double>& at, const Vec3<double>& force, const Kinematics<double>& kin);

  const StepPlan& plan_;
  std::vector<Held> contacts_;
  std::vector<Work> work_;
  std::vector<double> tau_, f_ext_, tau_sum_;
  double joint_work_ = 0;
};

// Integrates over dt with these forces by the explicit method of options.order. Fills q, v and reactions of `to`, and
// the work of inputs and damping of the report.
StepReport integrate_with(HeldForces& forces, const StepPlan& plan, Dynamics& dynamics, const Departure& from,
                          Stages& stages, Placed& placed, Arrival& to);

}  // namespace linchpin
