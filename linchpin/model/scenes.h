// Built-in mechanisms for tests, benchmarks, examples and the command line.
//
// A scene is requested by text: "@pendulum:links=12". Parameters are key=value, separated by commas; each has a
// default. An unknown scene or parameter, or a value out of range, is an Error that lists the possible ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/model/spec.h"

namespace linchpin {

struct SceneParameter {
  std::string name;
  double value;  // the default
  double lowest, highest;
  std::string meaning;
};

struct SceneInfo {
  std::string name, description;
  std::vector<SceneParameter> parameters;
};

// All scenes, for help texts.
const std::vector<SceneInfo>& scene_catalogue();

// The scene described by text, with or without the leading '@'.
Result<ModelSpec> scene(std::string_view text);

}  // namespace linchpin
