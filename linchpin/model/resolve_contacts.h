// Places the shapes on the links of a compiled tree, and resolves which pairs may touch. Part of compile().
#pragma once

#include "linchpin/model/model.h"

namespace linchpin {

// Shapes are in the order of model.shapes(). An Error names the pair or exclusion and its fault. The model must be
// complete except for its collision().
Result<SceneSpec> resolve_contacts(const ModelSpec& spec, const Model& model);

}  // namespace linchpin
