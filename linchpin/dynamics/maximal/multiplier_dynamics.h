// Forward dynamics by Lagrange multipliers in linear time: minimal coordinates in and out, maximal coordinates inside
// [004 s.2.2, the middle ground].
//
// Bodies, S, D and Q2 are those of maximal_bodies.h, twists are at the links' origins in their axes, accelerations
// classical. c is b's acceleration relative to p (angular velocity w_p) due to velocities alone, y the acceleration
// minus that of free fall:
//     Mass y = F + D tau - (w x I w, w x (w x h)) + reactions                                                     (1)
//     Q2' (y_b - X y_p) = Q2' c                           reactions Q2 l on b, their opposite on p               (2)
//     D' (y_b - X y_p) + l / a = D' c                     armature a: l = -a vdot along D                         (3)
// The world accelerates upwards, as in aba.h. constraint_forest.h solves (1) to (3), and
//     vdot = D' (y_b - X y_p - c)                                                                                 (4)
// This uses no articulated-body inertia, and of the joints only S: an independent witness for aba.h. Forces on bodies
// and impulses are further right-hand sides of the same factors.
#pragma once

#include <span>
#include <vector>

#include "linchpin/dynamics/maximal/constraint_forest.h"
#include "linchpin/dynamics/maximal/maximal_bodies.h"

namespace linchpin {

class Multipliers {
 public:
  // For a model for which MaximalBodies::find_fault() finds none.
  explicit Multipliers(const Model& model);
  Multipliers(const Multipliers&) = delete;  // factors point at the forest
  Multipliers& operator=(const Multipliers&) = delete;

  // Fills vdot; f_ext as in aba.h. False if a pivot failed (NaN, or masses that differ by 1e14): factors().failed() is
  // the body. keep: whether factors() are needed afterwards.
  bool accelerations(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                     std::span<const double> f_ext, std::span<double> vdot, bool keep = true);
  // The factors only.
  bool factor(std::span<const double> q);

  // After either. Joint velocities from the motions of bodies (six numbers each, angular, linear): (3) of
  // maximal_bodies.h.
  void coordinates(std::span<const double> y, std::span<double> v) const;
  // Adds joint forces to the forces on bodies (six numbers each).
  void add_joint_forces(std::span<const double> tau, std::span<double> F) const;
  // Replaces a force on a link, about its origin in its axes, by forces on bodies: add(body, force). A link between the
  // axes of one joint moves with the bodies on both sides: V_l = X V_p + sum over its own coordinates of S_k v_k.
  template <class Add>
  void spread(int link, const Force<double>& F, const Add& add) const;

  // Whether accelerations() refines its solution (constraint_forest.h): if some body hangs on one of less than a
  // hundredth of its mass.
  bool refines() const { return refines_; }
  const MaximalBodies& bodies() const { return bodies_; }
  const ConstraintForest& forest() const { return forest_; }
  ForestFactors& factors() { return factors_; }
  std::span<const double> multipliers() const {
    return {l_.data(), l_.size()};
  }  // of the last accelerations(): forces, by row of forest()

 private:
  // Kinds of joints: one axis along z that turns or slides, a ball, a free joint; all others (several axes, or a screw)
  // are general and use S and split_freedom().
  enum class Kind { turning, sliding, ball, free, general };
  struct JointPlan {
    Kind kind = Kind::general;
    int parent = -1;             // body
    int q = 0, v = 0, dofs = 0;  // coordinates
    int rows = 0, r = 0;         // rows of the forest, and the offset of the first
    int row[6] = {};             // per row: the component of the body's twist that it holds; not for general joints
    int general = -1;            // index in general_; of a free joint in turned_
    std::size_t Jb = 0, Jp = 0;  // blocks of factors_
    Transform<double> X_PF;
    double angle0 = 0, slide0 = 0;
    RigidInertia<double> inertia;
  };
  struct JointState {
    Transform<double> X;  // X_PB, from the parent body's link or the world
    Vec3<double> w;       // of the body, in its axes
    Motion<double> c;
  };
  struct GeneralJoint {
    std::vector<int> links;  // from the parent outward; the last one is the body's
    std::vector<int> armed;  // coordinates with armature, as indices within the joint
    Motion<double> S[6];
    Force<double> D[6], Q2[6];
  };

  void place(std::span<const double> q, const double* v, const double* tau);
  void place_axes(std::span<const double> q);
  void place_general(int body, const double* q, const double* v, const Vec3<double>& w_p);
  void place_rows(int body);
  void add_external(std::span<const double> f_ext);
  Motion<double> relative(int body, std::span<const double> y) const;                // y_b - X y_p
  Force<double> joint_force(int body, const double* tau) const;                      // D tau
  void add_joint_force(int body, const double* tau, double* F) const;                // on the body and its parent
  void read_coordinates(int body, const Motion<double>& relative, double* v) const;  // D' relative

  struct Placed {
    int body;
    Transform<double> X;
  };
  std::vector<Link> links_;
  std::vector<Placed> frames_;  // of the model's bodies, the world included
  Vec3<double> upward_;
  MaximalBodies bodies_;
  ConstraintForest forest_;
  ForestFactors factors_;
  AlignedArray<JointPlan> plan_;
  std::vector<GeneralJoint> general_;
  std::vector<Mat3<double>> turned_;            // R_FM of free joints
  std::vector<Transform<double>> X_BL_;         // per link between the axes of one joint: its pose in its body
  std::vector<int> axes_;                       // bodies on one axis
  AlignedArray<double> angle_, sine_, cosine_;  // of those
  AlignedArray<JointState> joint_;
  AlignedArray<double> y_, l_, F_, r_;
  bool refines_ = false;
};

template <class Add>
void Multipliers::spread(int link, const Force<double>& F, const Add& add) const {
  const int b = bodies_.of_link(link);
  if (b < 0) return;
  if (bodies_[b].link == link) return add(b, F);
  const Force<double> at_body = force_to_parent(X_BL_[link], F);
  const GeneralJoint& joint = general_[plan_[b].general];
  const int own = links_[link].v + links_[link].nv - bodies_[b].v;
  Force<double> on_body = Force<double>::zero();
  for (int k = 0; k < own; ++k) {
    const double part = dot(at_body, joint.S[k]);
    on_body += Force<double>{part * joint.D[k].n, part * joint.D[k].f};
  }
  add(b, on_body);
  if (bodies_[b].parent >= 0) add(bodies_[b].parent, force_to_parent(joint_[b].X, at_body - on_body));
}

}  // namespace linchpin
