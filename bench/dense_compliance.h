// J M^-1 J' as one would write it without the articulated body: the mass matrix and its factors, the Jacobian of every
// node, a solution for each of its rows, and the product. O(n^2 to n^3 + n m^2), what compliance.h is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linchpin/base/larger.h"
#include "linchpin/dynamics/compliance/compliance.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/mechanics.h"

namespace linchpin {

class DenseCompliance {
 public:
  DenseCompliance(const Model& model, const std::vector<Node>& nodes, const std::vector<double>& q)
      : model_(model),
        nodes_(nodes),
        plan_(model),
        layout_(model),
        ws_(plan_, layout_),
        M_(layout_),
        kin_(plan_),
        vel_(model),
        q_(q),
        J_(6 * nodes.size() * std::size_t(model.nv())),
        X_(J_.size()),
        matrix_(36 * nodes.size() * nodes.size()) {
    run();
  }

  void run() {
    const std::size_t nv = std::size_t(model_.nv()), rows = 6 * nodes_.size();
    kinematics<double>(plan_, q_, kin_);
    joint_axes(model_, kin_, vel_);
    crba<double>(plan_, layout_, q_, ws_, M_);
    factor<double>(layout_, M_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      double* J = &J_[6 * i * nv];
      point_jacobian(model_, kin_, vel_, nodes_[i].body, nodes_[i].X_BN.p, {J, 6 * nv});
      const Mat3<double> R = body_pose(model_, kin_, nodes_[i].body).R * nodes_[i].X_BN.R;
      for (std::size_t half = 0; half < 6; half += 3)
        for (std::size_t k = 0; k < nv; ++k) {  // from the world's axes to the node's
          double *x = J + half * nv + k, *y = x + nv, *z = y + nv;
          const Vec3<double> turned = transpose_times(R, Vec3<double>{*x, *y, *z});
          *x = turned.x, *y = turned.y, *z = turned.z;
        }
    }
    X_ = J_;
    for (std::size_t i = 0; i < rows; ++i) solve<double>(layout_, M_, {&X_[i * nv], nv});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = i; j < rows; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < nv; ++k) sum += J_[j * nv + k] * X_[i * nv + k];
        matrix_[i * rows + j] = matrix_[j * rows + i] = sum;
      }
  }
  const std::vector<double>& matrix() const { return matrix_; }

 private:
  const Model& model_;
  std::vector<Node> nodes_;
  Plan<double> plan_;
  MassMatrixLayout layout_;
  CrbaWorkspace<double> ws_;
  MassMatrix<double> M_;
  Kinematics<double> kin_;
  Velocities vel_;
  std::vector<double> q_, J_, X_, matrix_;
};

// Nodes spread evenly over the bodies, the last one first: tips before what is on the way to them.
inline std::vector<Node> spread_nodes(const Model& model, int count) {
  std::vector<Node> nodes;
  const int bodies = int(model.bodies().size()) - 1;
  for (int i = 0; i < count; ++i)
    nodes.push_back({bodies - i * bodies / count, {Mat3<double>::identity(), {0.1, 0.02, -0.1}}});
  return nodes;
}

// As a part of the largest number.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double far = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    far = larger(far, std::abs(a[i] - b[i]));
    scale = larger(scale, std::abs(b[i]));
  }
  return scale == 0 ? far : far / scale;
}

}  // namespace linchpin
