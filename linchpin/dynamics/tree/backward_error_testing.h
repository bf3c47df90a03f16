// Does an answer solve the equations of motion? |M vdot + bias - tau|, computed in extended precision by the textbook
// recursion, relative to the largest term in it: a term of the recursion or a product M_ij vdot_j. In a long chain
// these are far larger than their sum, and rounding vdot to a double alone costs eps of them (docs/testing.md).
#pragma once

#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {

class BackwardError {
 public:
  BackwardError(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                const std::vector<double>& tau, const std::vector<double>& f_ext = {})
      : judge_(model, q, v, f_ext), tau_(tau), layout_(model), M_(layout_) {
    const Plan<double> plan(model);
    CrbaWorkspace<double> ws(plan, layout_);
    crba<double>(plan, layout_, q, ws, M_);
  }

  double operator()(const std::vector<double>& vdot) const {
    const std::vector<long double> wide(vdot.begin(), vdot.end());
    long double term = 0, error = 0;
    const std::vector<long double> back = judge_.inverse_dynamics(wide, &term);
    for (std::size_t i = 0; i < tau_.size(); ++i)
      error = larger(error, std::abs(back[i] - static_cast<long double>(tau_[i])));
    return double(error) / larger(double(term), largest_product(vdot));
  }

 private:
  double largest_product(const std::vector<double>& vdot) const {
    double most = 0;
    for (std::size_t k = 0; k < vdot.size(); ++k) {
      std::size_t e = layout_.row[k] + std::size_t(layout_.depth[k]);
      for (int i = static_cast<int>(k); i >= 0; i = layout_.parent[i], --e)
        most = largest({most, M_.entries[e] * vdot[k], M_.entries[e] * vdot[i]});
    }
    return most;
  }

  AugmentedTree<long double> judge_;
  std::vector<double> tau_;
  MassMatrixLayout layout_;
  MassMatrix<double> M_;
};

}  // namespace linchpin
