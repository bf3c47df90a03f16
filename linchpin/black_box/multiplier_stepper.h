// Motion of a MultiplierSystem over time (f = m a), and dragging it about (f = m v).
//
// A step integrates (q, v) by Runge and Kutta's method of order 4 or by the semi-implicit one of Euler,
//     v+ = v + dt vdot(t, q, v),     q+ = q (+) dt v+
// and then settles positions and velocities (multiplier_system.h (1), (2)), so nothing drifts. In Runge and Kutta's
// stages q moves by its rate and goes back to its manifold at the end only: order 4 stays.
//
// Constraints that push one way only act while they touch: each step begins by looking who does; those that still close
// in get an impulse first.
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
  double touch = 1e-7;  // m: gaps up to this are closed. A settled contact is off by 1e-12
  double restitution = 0;
};

class MultiplierStepper {
 public:
  // Forces beside the bodies' own, at any state on the way.
  using Force = std::function<void(const MultiplierState& state, std::span<double> F)>;

  // Works on `system`, which must outlive it.
  MultiplierStepper(MultiplierSystem& system, const MultiplierStepOptions& options, Force force = {});

  const MultiplierStepOptions& options() const { return options_; }
  // The state is left as it was where the status is another than solved or not_settled.
  MultiplierStatus step(MultiplierState& state);
  // `steps` times, or until one is not solved.
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
  double tolerance = 1e-10;  // of a step's largest number, m or rad
  SettleOptions settling = {};
};
struct MultiplierDragReport {
  MultiplierStatus status = MultiplierStatus::solved;
  bool arrived = false;  // nothing moves any more: on the targets, or as near as the constraints let it
  int steps = 0;
  double strain = 0;  // J: what is left in the springs
};

// Moves a mechanism towards the targets of its DraggedPoint constraints, by f = m v, without ever leaving the others. A
// move that would take it further away is halved, so it comes to rest at a nearest posture.
MultiplierDragReport drag(MultiplierSystem& system, MultiplierState& state, const MultiplierDragOptions& options = {});

}  // namespace linchpin
