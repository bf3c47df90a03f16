// The verb reproduce.
#pragma once

#include "apps/options.h"

namespace linchpin {

void add_reproduce_options(Verb verb);

}  // namespace linchpin
