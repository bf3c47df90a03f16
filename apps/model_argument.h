// MODEL on the command line: a built-in scene such as @pendulum:links=12, or a file of a model (io/spec_json.h).
#pragma once

#include <string>

#include "linchpin/model/model.h"

namespace linchpin {

struct ModelArgument {
  std::string text;
  ModelSpec spec;
  Model model;
};

// Throws a UsageError if there is no such scene or file, or if it does not compile.
ModelArgument model_from(const std::string& text);

// For help texts: every scene with its parameters.
std::string describe_scenes();

}  // namespace linchpin
