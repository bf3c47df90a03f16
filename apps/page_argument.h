// The viewer's page, for verbs that need it.
#pragma once

#include <string_view>

#include "linchpin/model/model.h"

namespace linchpin {

// Throws a UsageError that says how to get the page if this program was built without it.
std::string_view page_or_refuse();

// Steps (or recorded frames) between frames of a page, for a run of `steps` of them that are dt (s) apart: sixty frames
// per simulated second, or fewer if that is more than a page can hold.
long long page_spacing(double steps, const Model& model, double dt);

}  // namespace linchpin
