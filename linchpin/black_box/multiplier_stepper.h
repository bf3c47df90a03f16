// Time stepping of a MultiplierSystem (f = m a), and dragging (f = m v).
//
// A step integrates (q, v) by the Runge-Kutta method of order 4 or by semi-implicit Euler,
//     v+ = v + dt vdot(t, q, v),     q+ = q (+) dt v+
// and then projects positions and velocities onto the constraints (multiplier_system.h (1), (2)), so there is no drift.
// In Runge-Kutta stages q moves by its rate and is projected onto its manifold only at the end, which keeps order 4.
//
// Unilateral constraints are active while their gap is closed. Each step first finds these and gives an impulse to
// those that are still approaching.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "linchpin/black_box/multiplier_system.h"

namespace linchpin {

struct MultiplierStepOptions {
  enum class Method { runge_kutta, semi_implicit_euler };
  double dt = 1e-3;  // s
  Method method = Method::runge_kutta;
  bool settle = true;
  SettleOptions settling = {};
  Baumgarte baumgarte = {};
  double touch = 1e-7;  // m: gaps up to this count as closed. A settled contact has an error of 1e-12
  double restitution = 0;
};

class MultiplierStepper {
 public:
  // Forces in addition to the bodies' own, at any state within a step.
  using Force = std::function<void(const MultiplierState& state, std::span<double> F)>;

  // Works on `system`, which must outlive it.
  MultiplierStepper(MultiplierSystem& system, const MultiplierStepOptions& options, Force force = {});

  const MultiplierStepOptions& options() const { return options_; }
  // The state is unchanged unless the status is solved or not_settled.
  MultiplierStatus step(MultiplierState& state);
  // Takes `steps` steps, or stops at the first one that is not solved.
  MultiplierStatus run(MultiplierState& state, int steps);

 private:
  MultiplierStatus touch(MultiplierState& state);
  MultiplierStatus stage(const MultiplierState& at, std::span<double> qdot, std::span<double> vdot);
  MultiplierStatus runge_kutta(MultiplierState& state);
  MultiplierStatus euler(MultiplierState& state);

  MultiplierSystem* system_;
  MultiplierStepOptions options_;
  Force force_;
  MultiplierState stage_, start_;
  std::vector<double> F_, qdot_, vdot_, q_sum_, v_sum_;
};

struct MultiplierDragOptions {
  double dt = 1;  // s: the `time` of the system's DraggedPoint constraints
  int steps = 1000;
  double tolerance = 1e-10;  // on the largest component of a step, m or rad
  SettleOptions settling = {};
};
struct MultiplierDragReport {
  MultiplierStatus status = MultiplierStatus::solved;
  bool arrived = false;  // the motion has stopped: at the targets, or as near as the constraints allow
  int steps = 0;
  double strain = 0;  // J: remaining energy of the springs
};

// Moves a mechanism towards the targets of its DraggedPoint constraints by f = m v, while it satisfies all others. A
// step that would increase the distance is halved, so the mechanism stops at a nearest posture.
MultiplierDragReport drag(MultiplierSystem& system, MultiplierState& state, const MultiplierDragOptions& options = {});

}  // namespace linchpin
