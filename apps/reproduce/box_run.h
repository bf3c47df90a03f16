// The humanoid's box runs of osim/box: how they are made, and what is found in them.
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
  double pressure_low = 1e9, pressure_high = -1e9;  // m: where the floor's force acts, along x
  double beyond_limits = -1e9;                      // rad: how far any joint is past its range; negative: inside
  double room = 1e9;                                // m, around the box
  double uncarried = 0;
  int mobility = 6, rank = 12;
};

inline double off(const Sample& s) { return norm(s.actual - s.desired); }

// Along the path, with joint forces held from one call of the servo to the next and so many steps of rk4 between.
// `tell` hears how far it is, and may ask to stop.
CarriedBox carry(const BoxScene& scene, const BoxPath& path, double rate, int substeps, bool posture,
              const std::function<bool(double fraction)>& tell);

// At the call of the servo, and after the step, nearest to this time.
const State& state_at(const CarriedBox& run, double time);
const Sample& sample_at(const CarriedBox& run, double time);

// The largest distance of the box's places in two runs of the same rates.
double apart(const CarriedBox& a, const CarriedBox& b);
// Joint coordinates: the largest difference from the start's, rad.
double posture_error(const BoxScene& scene, const State& state);

// What posture and grips do, by the dynamics of the closed chain, which knows nothing of the law.
struct Effects {
  double advised = 0;     // the largest advised joint force, N m
  double joints = 0;      // what advice adds to the joints' accelerations, rad/s^2,
  double posture = 0;     //   and to the box's, m/s^2 or rad/s^2: by the null space,
  double plain = 0;       //   and with the springs' joint forces added as they are
  double grip = 0;        // the largest force of a hand on the box that was told, N
  double grip_error = 0;  // what acts less what was told, N or N m
};
Effects examine(const BoxScene& scene, const BoxPath& path, const CarriedBox& run, double every);

struct Times {
  OsimMeasured inertia = {};  // of the paper's n and m
  double law = 0, cycle = 0;  // us: a call of the servo; and of the simulation until the next
};

Times measure(const BoxScene& scene, const BoxPath& path, const CarriedBox& run, const TimingOptions& timing);

}  // namespace linchpin
