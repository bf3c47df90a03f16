// JSON with its fields in the order they were written, to a file that is whole or not there.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/output_file.h"

namespace linchpin {

using Json = nlohmann::ordered_json;

// One line for each field of the object, and one for each element of a list of objects. Numbers that are not finite
// become null: JSON has no others.
inline void write_json(const Json& object, OutputFile& file) {
  if (!file) return;
  const char* field = "{\n";
  for (const auto& [name, value] : object.items()) {
    file.write(field + ("  " + Json(name).dump()) + ": ");
    field = ",\n";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      file.write(value.dump());
      continue;
    }
    const char* element = "[\n    ";
    for (const Json& row : value) {
      file.write(element + row.dump());
      element = ",\n    ";
    }
    file.write("\n  ]");
  }
  file.write("\n}\n");
  file.commit();
}

}  // namespace linchpin
