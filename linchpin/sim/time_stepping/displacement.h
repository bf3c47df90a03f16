// A displacement of positions in no time, by which penetration and stiff springs are corrected. Internal to sim/.
//
//     q <- q (+) d                                                                                               (1)
//
// Velocities stay what they are, coordinate by coordinate, but for free joints. Their linear velocity v_o is that of
// the origin of the joint's frame, so a body that spins about an axis beside it would get another momentum where (1)
// turns it. With the velocity v_c of the centre of mass of all that the joint carries, and the rotation Q by which (1)
// turns the frame,
//     v_o <- v_c - Q (v_c - v_o)                                                                                 (2)
// keeps v_c and so the momentum, and the kinetic energy about the centre.
#pragma once

#include <span>
#include <vector>

#include "linchpin/sim/time_stepping/placed.h"

namespace linchpin {

class Displacement {
 public:
  Displacement(const Model& model, const Plan<double>& plan);
  // Applies d and returns the energy that it adds: potential energy, and kinetic energy where M depends on q.
  double apply(std::span<const double> d, std::span<double> q, std::span<double> v);

 private:
  struct FreeJoint {
    int link;
    Mat3<double> R = {};       // of the link, before
    Vec3<double> offset = {};  // v_c - v_o before, in the world's axes
  };
  void find_momenta();

  const Model& model_;
  const Plan<double>& plan_;
  Placed placed_;
  std::vector<FreeJoint> free_joints_;
  // By link, of the link and all that it carries; only where there are free joints.
  std::vector<double> mass_;
  std::vector<Vec3<double>> momentum_;
};

}  // namespace linchpin
