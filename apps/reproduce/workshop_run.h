// The dual-arm robot at work in scene workshop: hands go from key to key, servos follow, contacts do the rest.
//
// A hand is told where the point between its fingertips shall be (HandKey::grasp); between keys it goes straight, by a
// cubic that rests at both. Inverse kinematics makes joint angles of that beforehand, and each servo is told
//     u = q_d + damping / stiffness qdot_d                                                                      (1)
// with which it does not lag, beside joint forces that carry the robot's own weight. Things are not looked at: keys say
// where they stand at the start, and what is held is not accounted for.
// Fingers close since they are told angles beyond where the thing lets them: the servo's stiffness makes the grip.
#pragma once

#include <functional>
#include <vector>

#include "linchpin/model/state.h"
#include "linchpin/sim/certificate.h"

namespace linchpin {

struct Workshop {
  Model model;
  int wheel = 0, driver = 0;  // bodies
  int palms[2] = {};          // left, right
  double peg_end = 0;         // m: x where the hub's peg ends, towards the robot
  // How far all of a wheel that is here is beyond the peg's end, m.
  double clearance(const Transform<double>& X_WO) const;
};
Workshop make_workshop(bool smooth_hands = false);  // smooth: without friction

// A hand points along +y or -y, the thumb towards the robot.
struct HandKey {
  Vec3<double> grasp;  // between the fingertips when they point straight ahead
  double close;        // angle of fingers and thumb, rad; negative: opened wide
};
struct WorkKey {
  double time;
  HandKey left, right;
};

struct WorkSample {
  double time;
  Transform<double> thing = Transform<double>::identity();  // its pose
  Transform<double> in_hand[2] = {thing, thing};            // the same as seen from the palms
  double grip[2] = {};        // N: the sum of normal forces of a hand's shapes on the thing
  double tangent[2] = {};     // N: of their friction
  int touches[2] = {};        // contacts of a hand with the thing that press
  double others = 0;          // N: normal forces of all else on the thing
  double momentum_error = 0;  // N s: what contacts and weight do not explain of the step's change of momentum
};

struct WorkRun {
  bool ok = true;
  double dt = 0;
  std::vector<WorkSample> samples;  // after each step
  std::vector<State> frames;        // every `frame` seconds
  Certificate certificate;
  double worst_servo = 0;  // rad: the largest angle that an arm's joint was off
};

struct WorkOptions {
  double dt = 1e-3, frame = 0.05;  // s
  int directions = 0;              // of friction; 0: the cone
  // Sees every step, and the start, which none led to; before the simulation does anything else.
  std::function<void(long step, const State& state, Simulation& simulation, const StepReport& report,
                     const Certificate& certificate, const Inputs& inputs)>
      watch = {};
  SimulationOptions simulation() const;  // every contact problem has to be solved to the tolerance, or the run ends
};
// `thing`: a body, to be watched.
WorkRun work(const Workshop& shop, const std::vector<WorkKey>& keys, int thing, const WorkOptions& options,
             const std::function<bool(double fraction)>& tell);

}  // namespace linchpin
