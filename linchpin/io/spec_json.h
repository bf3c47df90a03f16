// Models in linchpin's own JSON format: an exact image of a ModelSpec. Recordings store their model in it, and the
// command line reads such files.
//
//     {"format": "linchpin model", "version": 1, "name": "...", "gravity": [0, 0, -9.81], "bodies": [...], ...}
//
// Fields have the names of those in spec.h and constraint_spec.h. A missing field has the default value of the struct,
// so that a model can be written by hand in few lines; spec_to_json() writes all fields. Numbers are read back to the
// last bit; "inf" and "-inf" are numbers too. Alternatives have a field "kind": a shape is {"kind": "box", "half":
// [...]}, a constraint {"name": ..., "kind": "loop", "type": "pin", ...}. A rotation is a list of three rows. A key
// that occurs twice in one object is an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "linchpin/base/result.h"
#include "linchpin/model/spec.h"

namespace linchpin {

// The text has one line per body, joint and so on.
std::string spec_to_json(const ModelSpec& spec);

// An Error names the element and its fault: "bodies[3].inertia: mass is -1 kg; it must be at least 0". References by
// name are not checked; compile() does that.
Result<ModelSpec> spec_from_json(std::string_view text);

// The same from a file or a pipe of at most 256 MiB; an Error begins with its name.
Result<ModelSpec> load_spec(const std::filesystem::path& file);

}  // namespace linchpin
