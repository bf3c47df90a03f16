// Dense mass matrix and Jacobian in minimal coordinates, for mc.cc and rmc.cc. (Of the engines only
// hybrid_dense.cc forms them, in other ways.)
//
//     M (v+ - v) = dt (tau - bias) + J' z,   bias = rnea(q, v, 0, f_ext)                                        (1)
// M by the composite-rigid-body algorithm, J row by row from the joint axes on the path from a side's link to the base.
// An entry of J whose terms cancel to rounding is set to zero: a row that no motion changes (of a planar linkage,
// across its plane) must not look like one that moves a little.
#pragma once

#include <vector>

#include "linchpin/contact/formulation.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"

namespace linchpin {

class MinimalCoordinates {
 public:
  MinimalCoordinates(const Model& model, const Plan<double>& plan);
  void place(const Motive& motive, const Rows& rows);

  std::vector<double> mass;      // nv x nv
  std::vector<double> J;         // rows x nv
  std::vector<double> momentum;  // M v + dt (tau - bias): M times the velocity without impulses

 private:
  MassMatrixLayout layout_;
  CrbaWorkspace<double> crba_;
  MassMatrix<double> sparse_mass_;
  RneaWorkspace<double> rnea_;
  std::vector<double> bias_, zero_, terms_;
};

}  // namespace linchpin
