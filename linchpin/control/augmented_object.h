// Several hands hold one object: the inertia that the hands feel, and the demands on each hand that move the object.
//
// The hands' nodes move with the object O as one rigid body: their accelerations are G' a + w x (w x r), a the object's
// (alpha, acceleration of O), r from O to each hand. Forces f of the hands on the object add up to G f. The inertia of
// the arms adds to that of the object: the augmented object of 001 s.4 and its reference 13,
//     Lambda_aug = Lambda_O + G Lambda G',   Lambda = W^-1,   W = J M^-1 J' of all hands together                (1)
// Differences from the paper. With arms that share a trunk, Lambda has blocks between the hands; the plain sum over
// single hands holds only for arms that share nothing. Arms with too few joints cannot give their hands every
// acceleration; the possible accelerations of the object then satisfy
//     n' (G' a + w x (w x r) - Jdot v) = 0    for forces n that move no joint, W n = 0                           (2)
// Among these, with the chosen rows as demanded, the one with the least a' Lambda_aug a is taken; it needs no force
// beyond those of the rows.
//
// The load on the object follows from Newton and Euler, gravity included. The hands share it with the least forces,
//     G f = Lambda_O (a - g) + velocity products,   f = Q G' (G Q G')^-1 (...) + internal forces                 (3)
// with Q the diagonal of the hands' shares. The internal forces are the part of the requested press forces whose sum
// G f is zero. A hand that accelerates with the object and exerts its f (FrameDemand) takes joint forces
// J' (Lambda a_hand + f) + h: with (1) and (3) these are the paper's, object forces Lambda_aug a + ... shared among the
// hands, but with f itself as the force between hand and object. The hands are tasks of OperationalSpace, whose posture
// then acts in their null space:
//
//     AugmentedObject box(model, {.inertia = of_box, .grips = {{left, X_OL}, {right, X_OR}}});
//     OperationalSpace control(model, {{.node = left}, {.node = right}});
//     box.update(q, v);
//     box.share({.acceleration = tracking_acceleration(box.pose(), box.velocity(), target, ...)}, hands);
//     control.update(q, v);
//     control.torques(hands, {.posture = vdot_0}, tau);
//
// The object may be no body of the model (its inertia is given); a free body of it (held_body(); its coordinates are
// then `passive`); or a part of one hand (that hand's Lambda includes its inertia, so zero is given here).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"
#include "linchpin/control/operational_space.h"

namespace linchpin {

struct Grip {
  Node hand;
  Transform<double> X_OH = Transform<double>::identity();  // the hand's node in the object's frame
  double share = 1;                                        // of the load, relative to the other hands
};

struct HeldObject {
  RigidInertia<double> inertia = RigidInertia<double>::zero();  // about O, in O's axes
  std::vector<Grip> grips = {};                                 // the first defines the object's pose
  std::vector<Row> rows = pose_rows();  // demanded rows of its acceleration, in the world's axes
};

// A body of the model, held by these hands in their poses at q; O is the body's frame. Its inertia is set to zero if it
// is welded to one of the hands.
HeldObject held_body(const Model& model, std::span<const double> q, int body, std::span<const Node> hands);

struct ObjectDemand {
  Motion<double> acceleration = Motion<double>::zero();  // in the world's axes, of O
  // Per hand, on the object, about the hand's node; only the part that adds up to zero is used. Empty: none.
  std::span<const Force<double>> press = {};
};

struct ObjectReport {
  ControlStatus status = ControlStatus::done;
  int mobility = 0;  // number of independent accelerations, of six, that the hands can give the object
  int rows = 0, rank = 0;
  double error = 0;                                      // largest |demanded - expected| of the rows
  Motion<double> acceleration = Motion<double>::zero();  // expected
  Force<double> load = Force<double>::zero();            // G f, about O in the world's axes
  bool ok() const { return status == ControlStatus::done; }
};

// Holds precomputed data and workspaces only; only the constructor allocates. The model must outlive it.
class AugmentedObject {
 public:
  AugmentedObject(const Model& model, HeldObject object, double tolerance = 1e-9);
  AugmentedObject(const Model&&, HeldObject, double = 1e-9) = delete;
  ~AugmentedObject();
  AugmentedObject(AugmentedObject&&) noexcept;
  AugmentedObject& operator=(AugmentedObject&&) noexcept;

  void update(std::span<const double> q, std::span<const double> v);

  // After update(): as held by the first hand.
  Transform<double> pose() const;                // X_WO
  Motion<double> velocity() const;               // in the world's axes
  void inertia(std::span<double> Lambda) const;  // Lambda_aug of (1): 6 x 6 row by row, about O in the world's axes

  // Fills press forces of this size, from each hand towards the middle of all hands.
  void squeeze(double force, std::span<Force<double>> press) const;

  // Fills the demand on each hand.
  ObjectReport share(const ObjectDemand& demand, std::span<FrameDemand> hands);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
