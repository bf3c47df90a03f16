// A mechanism in maximal coordinates: its bodies, and joints as constraints between them (multiplier_dynamics.h,
// contact/maximal.h).
//
// A body here is a link that carries bodies of the model: bodies welded together are one link, and links between the
// axes of one joint are not bodies. The joint of body b on body p allows the motions
//     V_b = X V_p + S v          X: transforms p's motion to b's origin                                         (1)
// with its coordinates v and its axes S at b, of full rank. With S = Q1 R, [Q1 Q2] orthogonal,
//     constraint   Q2' (V_b - X V_p) = 0,   6 - dof rows                                                        (2)
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
  // An Error if a body has no mass, or no moment of inertia about some axis: it has no maximal coordinates then.
  static std::optional<Error> find_fault(const Model& model);
  explicit MaximalBodies(const Model& model);

  int size() const { return int(bodies_.size()); }
  const MaximalBody& operator[](int body) const { return bodies_[body]; }
  // The body of a link; for a link between the axes of a joint the body of that joint; -1 for the world.
  int of_link(int link) const { return of_link_[link]; }

 private:
  std::vector<MaximalBody> bodies_;  // in the order of links: parents first
  std::vector<int> of_link_;
};

// D and Q2 of (2) and (3) from S: D has as many columns as S, Q2 has 6 minus that.
void split_freedom(std::span<const Motion<double>> S, std::span<Force<double>> D, std::span<Force<double>> Q2);

}  // namespace linchpin
