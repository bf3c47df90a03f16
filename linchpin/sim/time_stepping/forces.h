// Forces over an interval, and the motion that they alone would cause. Internal to sim/.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/sim/time_stepping/gyroscopic_rounds.h"
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

// Forces that depend on velocities: velocity products, and what the armature leaves out of (4) of joint_rows.h (for
// three dampers of a ball joint that differ, of free joints, in intervals shorter than dt). For the second order they
// are needed at
//     v_mean = (v + v+) / 2,   v for trees that jump                                                              (1)
// v+ is predicted by the mean accelerations a of the last two steps (State::vdot):
//     v+ = v + h (a + (a - a_before))                                                                             (2)
// with an error of the third order. Where they are not known, or where the solution is far from (2), the solution takes
// its place in another round. Where the rounds do not settle, bodies turn too far, and the interval is halved.
// The trapezoidal stepper finds the next assumption by Newton's method (gyroscopic_rounds.h), which settles as well
// where bodies turn by radians within an interval.
class MeanVelocityForces {
 public:
  explicit MeanVelocityForces(const StepPlan& plan);

  // Begins an interval with forces at q, and predicts v+. tree_jumps: empty if none does.
  void begin(const Interval& interval, const Variant& mechanism, std::span<const double> q, bool with_bounded_servos,
             std::span<const char> tree_jumps);
  // Whether the solution v_end needs another round because it differs from the v+ of (1). rounds: so far.
  bool needs_another(const Interval& interval, std::span<const double> v_end, std::span<const char> tree_jumps,
                     int rounds);
  // Whether the rounds have ended far from a solution: bodies turn too far within the interval.
  bool diverges() const { return diverges_; }
  // For another round, after the last one found v_end.
  void assume(const Interval& interval, std::span<const double> v_end, std::span<const char> tree_jumps);
  // The same, and finds added(): by how much the forces on coordinates change. Returns whether that is anything:
  // mechanisms of prismatic joints have no velocity products.
  bool assume_and_find_change(const Interval& interval, const Variant& mechanism, std::span<const double> v_end,
                              std::span<const char> tree_jumps);
  std::span<const double> v_mean() const { return v_mean_; }        // (1)
  std::span<const double> v_predicted() const { return v_first_; }  // (1) with the prediction: that of begin()
  // What the armature leaves out, by coordinate.
  std::span<const double> damping() const { return damping_; }
  std::span<const double> added() const { return added_; }

 private:
  bool matters(const Interval& interval, std::span<const double> v_end, std::span<const char> tree_jumps) const;
  void find_means(const Interval& interval, std::span<const char> tree_jumps);

  const StepPlan& plan_;
  RneaWorkspace<double> rnea_;
  std::optional<GyroscopicRounds> gyroscopic_;  // is_trapezoidal
  std::span<const double> q_;
  bool has_bias_ = false;
  bool is_predicted_ = false;  // by the last step
  bool diverges_ = false;
  std::vector<double> assumed_;  // v+ of (1)
  std::vector<double> v_mean_, v_first_, damping_, added_;
  std::vector<double> bias_, bias_before_, next_, zero_;  // workspace
  std::vector<double> factors_;                           // (4) of joint_rows.h for the interval, minus the armature
  bool implicit_ = false;                                 // is any of them not 0?
};

// Updates State::vdot after an interval of length h from v to v_end. regular: its length is dt. After one
// much shorter than dt the accelerations are those known before, or zero where velocities have jumped.
void remember_acceleration(const StepPlan& plan, std::span<const char> tree_jumps, std::span<const double> v,
                           std::span<const double> v_end, double h, bool regular, std::vector<double>& vdot);

// The motion over an interval if no row acted, by (4) of contact_stepper.h.
struct FreeMotion {
  explicit FreeMotion(const Model& model) : q_forces(model.nq()), v(model.nv()), vel(model), step(model.nv()) {}
  double h = -1;                 // of the interval that it was found for, s; negative: not known
  bool diverges = false;         // MeanVelocityForces::diverges()
  std::vector<double> q_forces;  // q in the middle, where forces are evaluated
  std::vector<double> v;         // at the end
  Velocities vel;                // of the links, for that v at the poses of the start
  std::vector<double> step;      // workspace
};
void find_free_motion(const StepPlan& plan, const Interval& interval, Variant& mechanism, Forces& forces,
                      MeanVelocityForces& mean, FreeMotion& out);

// v_end = v + h FD(q, (v + v_end) / 2, tau, f_ext) with the mechanism's armature, for one of the rounds of (1).
void find_free_velocity(const Interval& interval, Variant& mechanism, std::span<const double> q,
                        std::span<const double> tau, bool with_bounded_servos, MeanVelocityForces& mean,
                        std::span<double> v_end);

}  // namespace linchpin
