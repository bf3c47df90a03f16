// The constraints of a model as text, for `inspect` and the summary of a run.
#pragma once

#include <string>
#include <vector>

#include "linchpin/model/state.h"

namespace linchpin {

// "pin", "rod 0.5 m", "rolling", "coupling", ...
std::string kind_of(const Constraint& constraint);
// The bodies or coordinates that it holds together: "coupler_1 to crank_2", "finger.0, thumb.0".
std::string ends_of(const Model& model, const Constraint& constraint);

struct Mobility {
  int rows = 0, rank = 0;  // all rows, and the independent ones at this state
  int freedom = 0;         // degrees of freedom that are left
};
Mobility mobility_at(const Model& model, const State& state);

}  // namespace linchpin
