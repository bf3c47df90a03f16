// MODEL on the command line: a built-in scene such as @pendulum:links=12, or a file.
#pragma once

#include <string>

#include "linchpin/model/model.h"

namespace linchpin {

struct ModelArgument {
  std::string text;
  ModelSpec spec;
  Model model;
};

// UsageError when there is no such scene or file, or when it does not compile.
ModelArgument model_from(const std::string& text);

// For help texts: every scene with its parameters.
std::string describe_scenes();

// The name of position coordinate q (velocity coordinate v) as the command line and CSV files spell it: the joint's, or
// joint.k for the k-th of several.
std::string position_name(const Model& model, int q);
std::string velocity_name(const Model& model, int v);

}  // namespace linchpin
