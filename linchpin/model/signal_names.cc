#include "linchpin/model/signal_names.h"

namespace linchpin {
namespace {

void add_names(const std::string& name, int count, std::vector<std::string>& names) {
  for (int k = 0; k < count; ++k) names.push_back(count == 1 ? name : name + "." + std::to_string(k));
}

}  // namespace

std::vector<std::string> position_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) add_names(joint.name, joint.nq, names);
  return names;
}

std::vector<std::string> velocity_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) add_names(joint.name, joint.nv, names);
  return names;
}

std::vector<std::string> reaction_names(const Model& model) {
  std::vector<std::string> names;
  for (const Constraint& constraint : model.constraints()) add_names(constraint.name, row_count(constraint), names);
  return names;
}

}  // namespace linchpin
