// Resolves the names in a spec's constraints and springs against the compiled tree. Part of compile().
#pragma once

#include "linchpin/model/model.h"

namespace linchpin {

// An Error names the constraint and its fault: unknown names, both ends on the same link, numbers that are not finite
// or out of range. The model must be complete except for its constraints.
Result<Constraint> resolve(const ConstraintSpec& spec, const Model& model);
Result<Spring> resolve(const SpringSpec& spec, const Model& model);

}  // namespace linchpin
