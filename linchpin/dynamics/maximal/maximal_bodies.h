// A mechanism's bodies each by itself, and what a joint leaves to two of them: for those who work in maximal coordinates
// (multipliers.h, contact/maximal.h).
//
// A body here is a link that carries bodies of the model: what is welded together is one link, and links between the axes
// of one joint are none. The joint of body b on body p leaves
//     V_b = X V_p + S v          X: p's motion as felt at b's origin                                            (1)
// to its coordinates v, S its axes at b, of full rank. With S = Q1 R, [Q1 Q2] orthogonal,
//     hinges   Q2' (V_b - X V_p) = 0,       6 - dof rows                                                        (2)
//     coordinates   v = D' (V_b - X V_p),  D = Q1 R^-T, so that D'S = 1                                         (3)
// A joint force tau is the wrench D tau on b and its opposite on p: by (3) its power is tau . v.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/model/model.h"

namespace linchpin {

struct MaximalBody {
  int link = 0;
  int parent = -1;      // body, -1 for the world
  int dofs = 0, v = 0;  // coordinates of its joint, first of them
};

class MaximalBodies {
 public:
  // Why the model has no maximal coordinates: a body without mass, or without moments about some axis.
  static std::optional<Error> find_fault(const Model& model);
  explicit MaximalBodies(const Model& model);

  int size() const { return int(bodies_.size()); }
  const MaximalBody& operator[](int body) const { return bodies_[body]; }
  // The body whose joint has the link, itself if it is one; -1 for the world.
  int of_link(int link) const { return of_link_[link]; }

 private:
  std::vector<MaximalBody> bodies_;  // in the order of links: parents first
  std::vector<int> of_link_;
};

// D and Q2 of (2) and (3), from S's columns: as many of D as of S, 6 less that of Q2.
void split_freedom(std::span<const Motion<double>> S, std::span<Force<double>> D, std::span<Force<double>> Q2);

}  // namespace linchpin
