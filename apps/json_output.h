// Writes JSON, with its fields in the order of insertion, to an OutputFile. A .cc file that makes a Json includes
// <nlohmann/json.hpp> itself: that header takes seconds to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/output_file.h"

namespace linchpin {

using Json = nlohmann::ordered_json;

// One line for each field of the object, and one for each element of a list of objects. Numbers that are not finite
// become null, since JSON has none.
void write_json(const Json& object, OutputFile& file);

}  // namespace linchpin
