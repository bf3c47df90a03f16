// The 24-link humanoid of 001 with a box in both hands, and the control law that puts it on the floor and lifts it.
//
// The robot is @humanoid24:floating=1 on its feet. With the pelvis fixed, as in @humanoid24, its hands end 0.6 m above
// the floor; with its legs it reaches the floor. Four loops are closed by welds, 24 rows:
//     feet    to the floor: they can neither slip nor tip
//     hands   to the sides of the box, in the orientation that the forearms (there are no wrists) have at the start, as
//             palms that do not slide
// Of 36 coordinates these leave 12: all six of the box, four of the body behind it, two of the neck. Arms of four
// joints with both hands on one box can do little more than turn about the line of the shoulders. If the hands could
// turn on the box (balls, pins), it would swing about the line between them, which no joint could stop. The floor is
// only drawn. The box reaches it at rest; contact with it is not simulated.
//
// The posture is advised by springs K towards the start, and by damping of all velocities, also of the pelvis. In the
// directions N that the box leaves free, with coordinates z, this is
//     N' M N (z'' + kd z') = -N' K (q - q_start)
// whose energy can only decrease. With accelerations kp (q_start - q) of the joints alone it need not: N' M E N, with E
// the joints without the pelvis, need not be definite, and the robot would swing with growing amplitude.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linchpin/control/augmented_object.h"
#include "linchpin/control/feedback.h"
#include "linchpin/control/trajectory.h"
#include "linchpin/model/state.h"

namespace linchpin {

struct BoxScene {
  Model model;
  State start;  // assembled, at rest
  int box = 0;  // its body; O is the box's centre
  std::vector<Node> hands, feet;
  std::vector<int> passive;  // velocity coordinates without motors: the pelvis's and the box's
  Vec3<double> half;         // of the box
};
BoxScene make_box_scene();

// Down by a cubic spline through a point in between, a rest on the floor, and back the same way; the box stays level.
class BoxPath {
 public:
  BoxPath(const Transform<double>& X_start, const Transform<double>& X_between, const Transform<double>& X_floor,
          double travel, double rest);
  FrameMotion at(double time) const { return time < up_.start() ? down_.at(time) : up_.at(time); }
  double on_floor() const { return down_.end(); }
  double end() const { return up_.end(); }

 private:
  PoseSpline down_, up_;
};
BoxPath path_to_floor(const BoxScene& scene, double travel);  // travel: s, each way

struct ServoReport {
  bool ok = true;
  int mobility = 0, rank = 0;  // of the box, and of the hands' twelve rows
  double uncarried = 0;        // N or N m: the largest force that a passive coordinate would need but does not get
  double pressure_x = 0;       // m: x of the centre of pressure of both feet
};

// The control law. Each call finds the pose of the box, its demanded acceleration, the demands on each hand, and the
// joint forces.
class BoxServo {
 public:
  struct Settings {
    double rate = 25;     // 1/s, of the box's errors
    double damping = 8;   // 1/s, of the motion that the box leaves free
    double squeeze = 40;  // N
    bool posture = true;  // advise the posture of the start; if false, the motion is only damped
  };
  BoxServo(const BoxScene& scene, const Settings& settings);

  // tau for the box to follow the target.
  ServoReport torques(const State& state, const FrameMotion& target, std::span<double> tau);
  // Of the last call: the advised joint forces, and the demands on each hand.
  std::span<const double> advised_force() const { return advised_force_; }
  std::span<const FrameDemand> told() const { return std::span(demands_).first(scene_.hands.size()); }

 private:
  void advise(const State& state);

  const BoxScene& scene_;
  Settings settings_;
  AugmentedObject object_;
  OperationalSpace control_;
  std::vector<double> springs_, advice_, advised_force_;
  std::vector<FrameDemand> demands_;  // hands, then feet
  std::vector<Force<double>> press_;
};

}  // namespace linchpin
