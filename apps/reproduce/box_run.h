// The runs of the humanoid with a box for osim/box, and their evaluation.
#pragma once

#include <functional>
#include <vector>

#include "apps/reproduce/humanoid_box.h"
#include "apps/reproduce/osim_timing.h"
#include "linchpin/sim/certificate.h"

namespace linchpin {

struct Sample {
  double time;
  Vec3<double> desired, actual;
  double turn;  // rad, of the box
};

struct CarriedBox {
  double rate = 0;  // of the servo, 1/s
  int substeps = 1;
  bool posture = true, ok = true;
  std::vector<Sample> samples = {};  // after each step
  std::vector<State> states = {};    // at each call of the servo
  Certificate certificate = {};
  double error = 0, mean_square = 0, turn = 0;      // m, m^2, rad
  double pressure_low = 1e9, pressure_high = -1e9;  // m: range of x of the centre of pressure
  double beyond_limits = -1e9;                      // rad: the most that a joint is beyond its range; negative: inside
  double room = 1e9;                                // m: least distance of the robot from the box
  double uncarried = 0;                             // as in ServoReport, the largest
  int mobility = 6, rank = 12;
};

inline double off(const Sample& s) { return norm(s.actual - s.desired); }

// Moves the box along the path. Joint forces are constant between two calls of the servo, with `substeps` steps of rk4
// in between. tell is called with the fraction done; false stops the run.
CarriedBox carry(const BoxScene& scene, const BoxPath& path, double rate, int substeps, bool posture,
                 const std::function<bool(double fraction)>& tell);

// The state at the call of the servo, and the sample after the step, nearest to this time.
const State& state_at(const CarriedBox& run, double time);
const Sample& sample_at(const CarriedBox& run, double time);

// The largest distance between the box's positions in two runs of the same rate.
double apart(const CarriedBox& a, const CarriedBox& b);
// The largest difference of a joint coordinate from its start, rad.
double posture_error(const BoxScene& scene, const State& state);

// The effects of posture and grips, computed by the dynamics of the closed chain, independently of the control law.
struct Effects {
  double advised = 0;     // the largest advised joint force, N m
  double joints = 0;      // the most that the advice changes accelerations of joints, rad/s^2,
  double posture = 0;     //   and of the box, m/s^2 or rad/s^2: in the null space,
  double plain = 0;       //   and with the joint forces of the springs added without projection
  double grip = 0;        // the largest demanded force of a hand on the box, N
  double grip_error = 0;  // the largest difference of acting and demanded force, N or N m
};
Effects examine(const BoxScene& scene, const BoxPath& path, const CarriedBox& run, double every);

struct Times {
  OsimMeasured inertia = {};  // for the paper's n and m
  double law = 0, cycle = 0;  // us: a call of the servo; the same with the simulation until the next call
};

Times measure(const BoxScene& scene, const BoxPath& path, const CarriedBox& run, const TimingOptions& timing);

}  // namespace linchpin
