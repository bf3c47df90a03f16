// The choice of substeps by their errors, for methods with Dormand and Prince's pair. Internal to sim/.
//
// (1) and (2) are those of dormand_prince.cc.
#pragma once

#include <algorithm>
#include <cmath>

#include "linchpin/sim/runge_kutta.h"

namespace linchpin {

// (1), after the stages of a substep h from base. Infinite if anything is not finite.
double dormand_prince_error(const Dynamics& dynamics, const Arrival& base, double h, const SimulationOptions& options,
                            const Stages& stages);

// (2)
class StepSizeControl {
 public:
  static constexpr double safety = 0.9, most_growth = 5, most_shrinkage = 0.2;
  static constexpr double smallest_error = 1e-4;  // a smaller error is by chance and says little about the next one
  double after_success(double h, double error) {
    const double e = std::max(error, smallest_error);
    const double growth = safety * std::pow(e, -0.17) * std::pow(error_before_, 0.04);
    error_before_ = e;
    const double most = after_failure_ ? 1 : most_growth;
    after_failure_ = false;
    return h * std::clamp(growth, most_shrinkage, most);
  }
  double after_failure(double h, double error) {
    after_failure_ = true;
    return h * std::max(most_shrinkage, safety * std::pow(error, -0.2));
  }

 private:
  double error_before_ = smallest_error;
  bool after_failure_ = false;  // if set, the next substep may not grow
};

// Number of equal parts of the rest of the step, none longer than proposed: no very short substep is left at the end.
inline double parts_of(double rest, double proposed) { return std::max(1.0, std::ceil(rest / proposed - 1e-6)); }

}  // namespace linchpin
