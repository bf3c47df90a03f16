#include "linchpin/model/signal_names.h"

#include "linchpin/base/names.h"

namespace linchpin {
namespace {

void add_names(const std::string& name, int count, std::vector<std::string>& names) {
  for (int k = 0; k < count; ++k) names.push_back(count == 1 ? name : name + "." + std::to_string(k));
}

// One letter per coordinate: a angle, d distance, r component of a quaternion.
std::string positions_of(JointType type) {
  static constexpr EnumNames<JointType::translational> letters{
      "joint type", {"", "a", "d", "a", "ad", "aa", "dda", "rrrr", "rrrrddd", "ddd"}};
  return std::string(letters.of(type));
}
std::string velocities_of(JointType type) {
  std::string letters = positions_of(type);
  if (letters.starts_with("rrrr")) letters.replace(0, 4, "aaa");
  return letters;
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

std::vector<std::string> position_units(const Model& model) {
  std::vector<std::string> units;
  for (const Joint& joint : model.joints())
    for (const char letter : positions_of(joint.type))
      units.emplace_back(letter == 'a' ? "rad" : letter == 'd' ? "m" : "");
  return units;
}
std::vector<std::string> velocity_units(const Model& model) {
  std::vector<std::string> units;
  for (const Joint& joint : model.joints())
    for (const char letter : velocities_of(joint.type)) units.emplace_back(letter == 'a' ? "rad/s" : "m/s");
  return units;
}

std::string shape_name(const Model& model, int shape) {
  const ShapeOnBody& at = model.shapes()[shape];
  const Body& body = model.bodies()[at.body];
  const std::string& name = body.geometry[at.geometry].name;
  return body.name + "/" + (name.empty() ? std::to_string(at.geometry) : name);
}

std::vector<std::string> reaction_names(const Model& model) {
  std::vector<std::string> names;
  for (const Constraint& constraint : model.constraints()) add_names(constraint.name, row_count(constraint), names);
  return names;
}

}  // namespace linchpin
