// Constraints and springs of a spec with their names found in a compiled tree. Part of compile().
#pragma once

#include "linchpin/model/model.h"

namespace linchpin {

// Or an Error that names the constraint and what is wrong with it: names that do not exist, ends on one and the same
// link, numbers that are not finite or make no sense. The model has everything but its constraints.
Result<Constraint> resolve(const ConstraintSpec& spec, const Model& model);
Result<Spring> resolve(const SpringSpec& spec, const Model& model);

}  // namespace linchpin
