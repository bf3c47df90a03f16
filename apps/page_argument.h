// The viewer's page, for verbs that need it.
#pragma once

#include <string_view>

namespace linchpin {

// UsageError that says how to get it where this program was built without.
std::string_view page_or_refuse();

}  // namespace linchpin
