// A mechanism in maximal coordinates, for nmc.cc and nmc_os.cc: the twists of all bodies are unknowns, hinges are
// constraint rows [000 s.3].
//
// V are the twists of the bodies (dynamics/maximal/maximal_bodies.h), each at its link's origin in the link's own axes,
// where its inertia is constant. With classical accelerations A (angular, and of the origin)
//     Mass A = F - b,   b = (w x I w, w x (w x h))                                                             (1)
// F: gravity, external forces and reactions. A joint with coordinates v allows
//     V_b = X V_p + S v,     S = Q1 R,  [Q1 Q2] orthogonal                                                      (2)
//     hinges   G V = Q2' (V_b - X V_p) = 0,       6 - dof rows                                                  (3)
//     coordinates   v = D' (V_b - X V_p),  D = Q1 R^-T, so that D'S = 1                                         (4)
//
// In minimal coordinates V = S v for the whole tree and A = S vdot + c, where c = accelerations() with vdot = 0. A step
// v+ = v + dt vdot + impulses is then, with V+ = S v+,
//     Mass (V+ - V) = dt (F + D tau - b - Mass c) + G' p + J' z,     G V+ = 0                                   (5)
// since S' (5) is the step in minimal coordinates: S'G' = 0. Difference from 000: the twist after the step is
// V+ + dt c. 000 (21) has it as the unknown, and its second line is G (V+ + dt c - V) = G dt c = -dt Gdot V. Here the
// unknown is V+, as in the other methods, with rows at velocity level at q. So all methods have the same solution to
// rounding.
//
// Armature a of a coordinate adds -a (v+ - v) to its joint force: an impulse y along D, which is a further unknown:
//     D' (V_b+ - X V_p+) - v + y / a = 0,      a free row with softness 1 / a                                   (6)
//
// A link between the axes of one joint is no body. A row's side on such a link l acts on the bodies b and p through
//     V_l = X V_p + sum over its coordinates k of S_k v_k,   v by (4)                                           (7)
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/formulation.h"
#include "linchpin/contact/formulations/row_problem.h"
#include "linchpin/dynamics/maximal/body_inverse.h"
#include "linchpin/dynamics/maximal/maximal_bodies.h"

namespace linchpin {

class MaximalCoordinates {
 public:
  explicit MaximalCoordinates(const Model& model);

  int bodies() const { return bodies_.size(); }
  // The number of rows (3) and (6); one row (6) for each coordinate with armature.
  int hinge_rows() const { return hinge_rows_; }
  const Matrix36& mass(int body) const { return mass_[body]; }
  const Matrix36& inverse(int body) const { return inverse_[body]; }

  // Computes the members below for one step.
  void place(const Motive& motive, const Rows& rows, const RowOrder& order);
  // The hinge rows as one block, then the given rows in the given order. Links are bodies here, numbered from 1; forces
  // are in the bodies' axes.
  Rows rows;
  std::vector<double> momentum;        // Mass V_free: (5) without impulses; six numbers per body
  std::vector<Motion<double>> V_free;  // by body, numbered from 1; 0 is the world, at rest

  // (4): v from V, numbered as V_free. Call after place().
  void coordinates(const Motive& motive, std::span<const Motion<double>> V, std::span<double> v) const;

 private:
  // S, D and Q2 of a joint, in the world's axes at its body's origin, column by column.
  struct JointPart {
    Motion<double> S[6];
    Force<double> D[6], hinge[6];
  };

  void place_joints(const Motive& motive);
  void place_momenta(const Motive& motive);
  // Adds a side on a body; none if the body is the world.
  void add_side(const Motive& motive, int body, const Force<double>& F_W);
  // Adds a side on a body and the opposite one on its parent.
  void add_across_joint(const Motive& motive, int body, const Force<double>& F_W);
  // Adds the sides of a force on any link: (7).
  void add_link_side(const Motive& motive, int link, const Force<double>& F_W);

  MaximalBodies bodies_;
  std::vector<Matrix36> mass_, inverse_;  // by body
  std::vector<RigidInertia<double>> inertia_;
  std::vector<double> armature_;  // by coordinate
  int hinge_rows_ = 0;

  std::vector<JointPart> joints_;
  std::vector<Motion<double>> drift_;  // by link: c
  std::vector<Force<double>> force_;   // by body: external forces and D tau of (5), in its axes
  std::vector<double> zero_;
  Velocities products_;  // at Motive::v_products
};

}  // namespace linchpin
