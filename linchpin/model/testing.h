// Helpers of the tests of several rooms: building models.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "linchpin/model/model.h"
#include "linchpin/model/scenes.h"

namespace linchpin {

// The model of a built-in scene, such as "@chain:links=3".
inline Model model_of(const std::string& text) {
  const Result<ModelSpec> spec = scene(text);
  if (!spec) throw std::runtime_error(spec.error().message);
  Result<Model> model = compile(spec.value());
  if (!model) throw std::runtime_error(model.error().message);
  return std::move(model).value();
}

inline JointSpec joint(const std::string& name, JointType type, const std::string& parent, const std::string& child) {
  JointSpec spec;
  spec.name = name;
  spec.type = type;
  spec.parent = parent;
  spec.child = child;
  return spec;
}

}  // namespace linchpin
