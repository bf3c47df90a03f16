// The viewer's page, for verbs that need it.
#pragma once

#include <string_view>

#include "linchpin/model/model.h"

namespace linchpin {

// UsageError that says how to get it where this program was built without.
std::string_view page_or_refuse();

// Steps (or recorded frames) between frames of a page, for a run of so many that are dt apart: sixty a second of
// motion, fewer where that would be more than a page can hold.
long long page_spacing(double steps, const Model& model, double dt);

}  // namespace linchpin
