// Models as JSON of our own: all that a ModelSpec holds, exactly. Recordings keep their model so, and a file of it is a
// model on the command line.
//
//     {"format": "linchpin model", "version": 1, "name": "...", "gravity": [0, 0, -9.81], "bodies": [...], ...}
//
// Fields are those of spec.h and constraint_spec.h by their names. A field that is left out has the value that the
// struct is made with, so that a model may be written by hand in few lines; what is written here has them all. Numbers
// come back to the last bit; "inf" and "-inf" are numbers too. What has several kinds says which: a shape is
// {"kind": "box", "half": [...]}, a constraint {"name": ..., "kind": "loop", "type": "pin", ...}. A rotation is three rows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "linchpin/base/result.h"
#include "linchpin/model/spec.h"

namespace linchpin {

// One line for each body, joint and so on.
std::string spec_to_json(const ModelSpec& spec);

// An Error says which element and what: "bodies[3].inertia: mass is -1 kg; it must be at least 0". Names are looked up
// by compile().
Result<ModelSpec> spec_from_json(std::string_view text);

// The same from a file, which the Error names first.
Result<ModelSpec> load_spec(const std::filesystem::path& file);

}  // namespace linchpin
