// Helpers of the tests of several rooms: building models.
#pragma once

#include <string>

#include "linchpin/model/spec.h"

namespace linchpin {

inline JointSpec joint(const std::string& name, JointType type, const std::string& parent, const std::string& child) {
  JointSpec spec;
  spec.name = name;
  spec.type = type;
  spec.parent = parent;
  spec.child = child;
  return spec;
}

}  // namespace linchpin
