#include "linchpin/model/resolve_contacts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/model/spec_check.h"
#include "linchpin/spatial/message.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

constexpr int ambiguous = -1;

std::vector<SceneShape> shapes_on_links(const Model& model) {
  std::vector<SceneShape> shapes;
  for (const ShapeOnBody& at : model.shapes()) {
    const Body& body = model.bodies()[at.body];
    const GeometrySpec& g = body.geometry[at.geometry];
    const Transform<double> X_BG{to_rotation(from_rotation(g.X_BG.R)), g.X_BG.p};
    shapes.push_back({g.shape, body.link, body.X_LB * X_BG, g.material, g.margin, g.groups, g.touches});
  }
  return shapes;
}

// Pairs of links that a joint or a loop connects: their shapes usually overlap at the joint. Links fixed in the world
// are not excluded: a robot may touch the floor that it is mounted on.
std::vector<SceneSpec::Apart> neighbours(const Model& model) {
  std::vector<SceneSpec::Apart> apart;
  const auto keep_apart = [&](int body_a, int body_b) {
    const int a = model.bodies()[body_a].link, b = model.bodies()[body_b].link;
    if (a != 0 && b != 0 && a != b) apart.push_back({a, b});
  };
  for (const Joint& joint : model.joints()) keep_apart(joint.parent, joint.child);
  for (const Constraint& constraint : model.constraints())
    if (const Loop* loop = std::get_if<Loop>(&constraint.what)) keep_apart(loop->a.body, loop->b.body);
  return apart;
}

bool has_terrain(const Shape& shape) {
  if (const Compound* compound = std::get_if<Compound>(&shape))
    return std::any_of(compound->parts->begin(), compound->parts->end(),
                       [](const PlacedShape& part) { return has_terrain(part.shape); });
  return std::holds_alternative<Mesh>(shape) || std::holds_alternative<HeightField>(shape);
}

// Meshes and height fields must be fixed in the world.
std::optional<Error> check_terrain(const Model& model, const SceneSpec& scene) {
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    if (scene.shapes[i].frame == 0 || !has_terrain(scene.shapes[i].shape)) continue;
    const Body& body = model.bodies()[model.shapes()[i].body];
    return Error{message("body '", body.name, "', geometry '", body.geometry[model.shapes()[i].geometry].name, "': a ",
                         kind_name(scene.shapes[i].shape),
                         " of terrain cannot move; build a moving shape from convex pieces (convex_pieces.h)")};
  }
  return {};
}

std::optional<Error> add_exclusions(const ModelSpec& spec, const Model& model, SceneSpec& scene) {
  for (const ContactExclusionSpec& exclusion : spec.contact_exclusions) {
    int link[2];
    for (int k = 0; k < 2; ++k) {
      const std::string& name = k == 0 ? exclusion.a : exclusion.b;
      const int body = model.find_body(name);
      if (body < 0)
        return Error{message("exclusion of contact between '", exclusion.a, "' and '", exclusion.b,
                             "': there is no body '", name, "'")};
      link[k] = model.bodies()[body].link;
    }
    if (link[0] != link[1]) scene.apart.push_back({link[0], link[1]});
  }
  return {};
}

// Index of the shape with each name, or `ambiguous`.
std::unordered_map<std::string_view, int> shapes_by_name(const Model& model) {
  std::unordered_map<std::string_view, int> shape_of_name;
  for (std::size_t i = 0; i < model.shapes().size(); ++i) {
    const ShapeOnBody& at = model.shapes()[i];
    const auto [entry, fresh] =
        shape_of_name.emplace(model.bodies()[at.body].geometry[at.geometry].name, static_cast<int>(i));
    if (!fresh) entry->second = ambiguous;
  }
  return shape_of_name;
}

std::optional<Error> add_pairs(const ModelSpec& spec, const Model& model, SceneSpec& scene) {
  if (spec.contact_pairs.empty()) return {};
  const std::unordered_map<std::string_view, int> shape_of_name = shapes_by_name(model);
  std::unordered_map<std::uint64_t, int> seen;
  for (const ContactPairSpec& pair : spec.contact_pairs) {
    const auto refused = [&](const auto&... parts) {
      return Error{message("contact pair of '", pair.a, "' and '", pair.b, "': ", parts...)};
    };
    int shape[2];
    for (int k = 0; k < 2; ++k) {
      const std::string& name = k == 0 ? pair.a : pair.b;
      const auto found = shape_of_name.find(name);
      if (name.empty() || found == shape_of_name.end()) return refused("there is no geometry '", name, "'");
      if (found->second == ambiguous) return refused("several geometries are called '", name, "'");
      shape[k] = found->second;
    }
    if (scene.shapes[shape[0]].frame == scene.shapes[shape[1]].frame)
      return refused("they cannot move relative to each other: ",
                     shape[0] == shape[1] ? "they are the same shape" : "their bodies are welded together or the same");
    if (pair.margin && !(*pair.margin >= 0 && std::isfinite(*pair.margin)))
      return refused("margin is ", *pair.margin, " m; it must be finite and at least 0");
    if (pair.material)
      if (const std::string fault = fault_of(*pair.material); !fault.empty()) return refused(fault);
    const std::uint64_t low = std::uint64_t(std::min(shape[0], shape[1])),
                        high = std::uint64_t(std::max(shape[0], shape[1]));
    if (!seen.emplace(low << 32 | high, 0).second) return refused("the pair is given twice");
    scene.pairs.push_back({shape[0], shape[1], pair.margin, pair.material});
  }
  return {};
}

}  // namespace

Result<SceneSpec> resolve_contacts(const ModelSpec& spec, const Model& model) {
  SceneSpec scene;
  scene.shapes = shapes_on_links(model);
  scene.frames = static_cast<int>(model.links().size());
  if (std::optional<Error> error = check_terrain(model, scene)) return *error;
  scene.apart = neighbours(model);
  if (std::string fault = fault_of(spec.pair_rules); !fault.empty()) return Error{message("pair rules: ", fault)};
  scene.rules = spec.pair_rules;
  if (std::optional<Error> error = add_exclusions(spec, model, scene)) return *error;
  if (std::optional<Error> error = add_pairs(spec, model, scene)) return *error;
  return scene;
}

}  // namespace linchpin
