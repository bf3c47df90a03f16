#include "apps/json_output.h"

#include <nlohmann/json.hpp>

namespace linchpin {
namespace {

// A path need not be UTF-8, which JSON must be: other bytes become U+FFFD.
std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void write_json(const Json& object, OutputFile& file) {
  if (!file) return;
  const char* field = "{\n";
  for (const auto& [name, value] : object.items()) {
    file.write(field + ("  " + text_of(name)) + ": ");
    field = ",\n";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      file.write(text_of(value));
      continue;
    }
    const char* element = "[\n    ";
    for (const Json& row : value) {
      file.write(element + text_of(row));
      element = ",\n    ";
    }
    file.write("\n  ]");
  }
  file.write("\n}\n");
  file.commit();
}

}  // namespace linchpin
