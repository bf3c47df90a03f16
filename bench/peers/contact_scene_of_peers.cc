// A scene read from the spec for the drivers (contact_peers.h).
#include <algorithm>

#include "bench/peers/contact_peers.h"
#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

// Fills `shapes`, mu and restitution.
std::optional<Error> take_shapes(const Model& model, const std::vector<int>& node_of_body, PeerScene& scene) {
  for (std::size_t i = 0; i < model.shapes().size(); ++i) {
    const ShapeOnBody& at = model.shapes()[i];
    const GeometrySpec& g = model.bodies()[at.body].geometry[at.geometry];
    if (g.groups == 0 && g.touches == 0) continue;
    const int node = node_of_body[at.body];
    const bool plane = std::holds_alternative<HalfSpace>(g.shape);
    if (plane ? node >= 0
              : !std::holds_alternative<Sphere>(g.shape) && !std::holds_alternative<Box>(g.shape) &&
                    !std::holds_alternative<Capsule>(g.shape))
      return Error{"shape '" + g.name + "' is not driven"};
    const double mu = g.material.friction.mu_kinetic, e = g.material.restitution;
    if (scene.shapes.empty()) {
      scene.mu = mu;
      scene.restitution = e;
    }
    if (g.material.friction.mu_static != mu || mu != scene.mu || e != scene.restitution || g.material.directional)
      return Error{"surfaces that differ are not driven"};
    scene.shapes.push_back({node, int(i), g.shape, g.X_BG});
  }
  return {};
}

std::optional<Error> take_forces(const Model& model, PeerScene& scene) {
  if (!model.constraints().empty() || !model.springs().empty())
    return Error{"loops and springs between bodies are not driven"};
  const auto node_at = [&](int v) {
    return std::size_t(std::ranges::find_if(scene.nodes, [&](const PeerNode& n) { return n.nv == 1 && n.v == v; }) -
                       scene.nodes.begin());
  };
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    const PeerNode& node = scene.nodes[i];
    for (int k = node.v; k < node.v + node.nv; ++k) {
      const DofSpec& dof = model.dofs()[k];
      if (dof.armature != 0 || dof.dry_friction != 0 || (node.nv > 1 && (dof.stiffness != 0 || dof.damping != 0)))
        return Error{"joint '" + node.joint + "' has what is not driven"};
    }
    if (node.nv != 1) continue;
    const DofSpec& dof = model.dofs()[node.v];
    if (dof.stiffness != 0 || dof.damping != 0) scene.springs.push_back({i, dof.stiffness, dof.rest, dof.damping});
  }
  for (const Actuator& actuator : model.actuators()) {
    const std::size_t node = node_at(actuator.v);
    if (node == scene.nodes.size() || actuator.type != ActuatorType::position || actuator.lower != -unlimited ||
        actuator.upper != unlimited)
      return Error{"actuator '" + actuator.name + "' is not driven"};
    scene.springs.push_back({node, actuator.stiffness, actuator.control, actuator.damping});
  }
  return {};
}

}  // namespace

std::size_t PeerScene::node_of_body(int body) const {
  const auto at = std::ranges::find(nodes, body, &PeerNode::body);
  check(at != nodes.end(), "body ", body, " is not among those that move");
  return std::size_t(at - nodes.begin());
}

bool PeerScene::wanted(const PeerShape& a, const PeerShape& b) const {
  return collision->wanted(std::min(a.index, b.index), std::max(a.index, b.index));
}

bool PeerScene::among_bodies() const {
  for (const PeerShape& a : shapes)
    for (const PeerShape& b : shapes)
      if (a.node >= 0 && b.node >= 0 && a.node != b.node && wanted(a, b)) return true;
  return false;
}

bool PeerScene::all_free() const {
  return std::ranges::all_of(nodes,
                             [](const PeerNode& node) { return node.type == JointType::free && node.parent < 0; });
}

Result<PeerScene> peer_scene(const ModelSpec& spec, const Model& model) {
  Result<std::vector<PeerNode>> nodes = peer_nodes(spec, model);
  if (!nodes) return nodes.error();
  PeerScene scene;
  scene.nodes = std::move(nodes).value();
  scene.gravity = spec.gravity;
  scene.collision = std::make_shared<const CollisionScene>(model.collision());
  std::vector<int> node_of_body(model.bodies().size(), -1);
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) node_of_body[scene.nodes[i].body] = int(i);
  if (auto error = take_shapes(model, node_of_body, scene)) return *error;
  if (auto error = take_forces(model, scene)) return *error;

  const State state = make_state(model);
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, state.q, kin);
  velocities(model, kin, state.v, vel);
  for (const PeerNode& node : scene.nodes) {
    scene.X_WB.push_back(body_pose(model, kin, node.body));
    scene.V_WB.push_back(point_velocity(model, kin, vel, node.body, {0, 0, 0}));
    scene.q.push_back(node.nv == 1 ? state.q[node.q] : 0);
    scene.v.push_back(node.nv == 1 ? state.v[node.v] : 0);
  }
  return scene;
}

}  // namespace linchpin
