// Several hands hold one object: what it takes to move it, and what each hand does for it.
//
// The hands' nodes move with the object O as one rigid body: their accelerations are G' a + w x (w x r), with the
// object's (alpha, acceleration of O) in a and r from O to each hand. Forces f of the hands on it add up to G f. Seen
// from the object, everything that hands and arms must be accelerated with adds to its own inertia, the augmented
// object of 001 s.4 and its reference 13:
//     Lambda_aug = Lambda_O + G Lambda G',   Lambda = (J M^-1 J')^-1 of all hands together                       (1)
// Where we differ. With arms that share a trunk, Lambda has blocks between the hands; the plain sum of single hands is
// for arms that share nothing. Arms with too few joints cannot give their hands every acceleration, and then not every
// acceleration of the object is possible:
//     n' (G' a + w x (w x r) - Jdot v) = 0    for forces n that move no joint, J M^-1 J' n = 0
// Among those that are, and of whose rows the chosen ones are as demanded, the one with the least a' Lambda_aug a is
// taken, which has no force but what the rows take.
//
// What the object then needs is Newton's and Euler's, gravity included, and hands share it with the least forces,
//     G f = Lambda_O (a - g) + velocity products,   f = W G' (G W G')^-1 (...) + what presses hands together      (2)
// where the second part, of the forces asked for, is the one that adds up to nothing. A hand that is told to accelerate
// with the object and to exert its f (FrameDemand) takes joint forces J' (Lambda a_hand + f) + h: with (1) and (2)
// these are the paper's, object forces Lambda_aug a + ... shared among the hands, but with f itself as the force
// between hand and object. As tasks of OperationalSpace, whose posture then acts where no hand feels it:
//
//     AugmentedObject box(model, {.inertia = of_box, .grips = {{left, X_OL}, {right, X_OR}}});
//     OperationalSpace control(model, {{.node = left}, {.node = right}});
//     box.update(q, v);
//     box.share({.acceleration = tracking_acceleration(box.pose(), box.velocity(), target, ...)}, hands);
//     control.update(q, v);
//     control.torques(hands, {.posture = vdot_0}, tau);
//
// The object may be none of the model's bodies (its inertia is given); a free body of it (held_body(); its coordinates
// are `passive` then); or a part of one hand (its inertia is in that hand's Lambda, so zero is given here).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"
#include "linchpin/control/operational_space.h"

namespace linchpin {

struct Grip {
  Node hand;
  Transform<double> X_OH = Transform<double>::identity();  // the hand's node, seen from the object
  double share = 1;                                        // how much of the load it takes beside the others
};

struct HeldObject {
  RigidInertia<double> inertia = RigidInertia<double>::zero();  // about O, in O's axes
  std::vector<Grip> grips = {};                                 // the first says where the object is
  std::vector<Row> rows = all_rows();                           // of its acceleration, that are demanded; world's axes
};

// A body of the model, held by these hands as they stand at q; O is the body's frame. Its inertia is zero here where it
// is fixed to one of the hands.
HeldObject held_body(const Model& model, std::span<const double> q, int body, std::span<const Node> hands);

struct ObjectDemand {
  Motion<double> acceleration = Motion<double>::zero();  // in the world's axes, of O
  std::span<const Force<double>> press = {};  // per hand, on the object, about the hand's node; only what adds up to
                                              //   nothing is taken of it. Empty: none
};

struct ObjectReport {
  ControlStatus status = ControlStatus::done;
  int mobility = 0;  // of six, how many independent accelerations hands can give the object
  int rows = 0, rank = 0;
  double error = 0;                                      // largest |demanded - expected| of the rows
  Motion<double> acceleration = Motion<double>::zero();  // that is expected
  Force<double> load = Force<double>::zero();            // G f, about O in the world's axes
  bool ok() const { return status == ControlStatus::done; }
};

// Holds plans and workspaces only; nothing but the constructor allocates. The model must outlive it.
class AugmentedObject {
 public:
  AugmentedObject(const Model& model, HeldObject object, double tolerance = 1e-9);
  ~AugmentedObject();
  AugmentedObject(AugmentedObject&&) noexcept;
  AugmentedObject& operator=(AugmentedObject&&) noexcept;

  void update(std::span<const double> q, std::span<const double> v);

  // After update(): as the first hand holds it.
  Transform<double> pose() const;                // X_WO
  Motion<double> velocity() const;               // in the world's axes
  void inertia(std::span<double> Lambda) const;  // (1): 6 x 6 row by row, about O in the world's axes

  // Forces of this size, of each hand towards the middle of all: something to press with.
  void squeeze(double force, std::span<Force<double>> press) const;

  // Fills what each hand is told.
  ObjectReport share(const ObjectDemand& demand, std::span<FrameDemand> hands);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
