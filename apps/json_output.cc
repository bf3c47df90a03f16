#include "apps/json_output.h"

#include <nlohmann/json.hpp>

namespace linchpin {

void write_json(const Json& object, OutputFile& file) {
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
