// The shapes of a compiled tree on its links, and who may touch whom. Part of compile().
#pragma once

#include "linchpin/model/model.h"

namespace linchpin {

// Shapes in the order of model.shapes(). Or an Error that names the pair or exclusion and what is wrong with it. The
// model has everything but its collision().
Result<SceneSpec> resolve_contacts(const ModelSpec& spec, const Model& model);

}  // namespace linchpin
