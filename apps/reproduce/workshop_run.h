// The dual-arm robot at work in the scene workshop: the hands move from key to key by servos, and move things by
// contact alone.
//
// A key gives the position of the point between the fingertips (HandKey::grasp); between two keys a hand moves straight
// by a cubic at rest at both. Inverse kinematics computes the joint angles beforehand, and each servo gets
//     u = q_d + damping / stiffness qdot_d                                                                      (1)
// so that it does not lag. Joint forces carry the robot's own weight. There is no feedback from things: the keys hold
// their positions at the start, and the weight of a held thing is not compensated. Fingers grip by angles beyond those
// at which they touch the thing: the stiffness of the servos makes the force.
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
  double peg_end = 0;         // m: x of the end of the hub's peg, on the robot's side
  // The distance of a wheel with this pose from the end of the peg, m; positive if all of the wheel is beyond it.
  double clearance(const Transform<double>& X_WO) const;
};
Workshop make_workshop(bool smooth_hands = false);  // smooth: without friction

// A hand points along +y or -y, the thumb towards the robot.
struct HandKey {
  Vec3<double> grasp;  // the point between the fingertips when they point straight ahead
  double close;        // angle of fingers and thumb, rad; negative: opened wide
};
struct WorkKey {
  double time;
  HandKey left, right;
};

struct WorkSample {
  double time;
  Transform<double> thing = Transform<double>::identity();  // its pose
  Transform<double> in_hand[2] = {thing, thing};            // its pose relative to the palms
  double grip[2] = {};        // N: the sum of normal forces of a hand's shapes on the thing
  double tangent[2] = {};     // N: of their friction
  int touches[2] = {};        // contacts of a hand with the thing that press
  double others = 0;          // N: normal forces of everything else on the thing
  double momentum_error = 0;  // N s: the step's change of momentum less the impulses of contacts and weight
};

struct WorkRun {
  bool ok = true;
  double dt = 0;
  std::vector<WorkSample> samples;  // after each step
  std::vector<State> frames;        // every `frame` seconds
  Certificate certificate;
  double worst_servo = 0;  // rad: the largest tracking error of an arm's joint
};

struct WorkOptions {
  double dt = 1e-3, frame = 0.05;  // s
  int directions = 0;              // of friction; 0: the cone
  // Called at the start (step 0) and after each step, before the simulation does anything else.
  std::function<void(long step, const State& state, const Simulation& simulation, const StepReport& report,
                     const Certificate& certificate)>
      watch = {};
  SimulationOptions simulation() const;  // the run ends if a contact problem is not solved to the tolerance
};
// thing: the body that the samples are about. tell is called with the fraction done; false stops the run.
WorkRun work(const Workshop& shop, const std::vector<WorkKey>& keys, int thing, const WorkOptions& options,
             const std::function<bool(double fraction)>& tell);

}  // namespace linchpin
