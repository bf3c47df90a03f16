// JSON with its fields in the order they were written, to a file that is whole or not there. What makes a Json includes
// <nlohmann/json.hpp> itself, in its .cc file: that header takes seconds to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/output_file.h"

namespace linchpin {

using Json = nlohmann::ordered_json;

// One line for each field of the object, and one for each element of a list of objects. Numbers that are not finite
// become null: JSON has no others.
void write_json(const Json& object, OutputFile& file);

}  // namespace linchpin
