// The verb bench.
#pragma once

#include "apps/options.h"

namespace linchpin {

void add_bench_options(Verb verb);

}  // namespace linchpin
