// JSON with its fields in the order they were written, to a file that is whole or not there.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/output_file.h"

namespace linchpin {

using Json = nlohmann::ordered_json;

// Numbers that are not finite become null: JSON has no others.
inline void write_json(const Json& json, OutputFile& file) {
  if (!file) return;
  file.write(json.dump(2) + "\n");
  file.commit();
}

}  // namespace linchpin
