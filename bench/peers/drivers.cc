#include "bench/peers/drivers.h"

#include <unordered_map>

#include <Eigen/Eigenvalues>

namespace linchpin {
namespace {

Transform<double> cleaned(const Transform<double>& X) { return {to_rotation(from_rotation(X.R)), X.p}; }

Error refusal(const std::string& engine, const std::string& joint, const std::string& why) {
  return {engine + " cannot hold joint '" + joint + "': " + why};
}

}  // namespace

Result<std::vector<PeerNode>> peer_nodes(const ModelSpec& spec, const Model& model) {
  std::unordered_map<std::string_view, const BodySpec*> bodies;
  for (const BodySpec& body : spec.bodies) bodies.emplace(body.name, &body);
  std::unordered_map<std::string_view, std::vector<const JointSpec*>> joints_from;  // by parent
  for (const JointSpec& joint : spec.joints) joints_from[joint.parent].push_back(&joint);
  std::unordered_map<std::string_view, const Joint*> compiled;
  for (const Joint& joint : model.joints()) compiled.emplace(joint.name, &joint);

  std::vector<PeerNode> nodes;
  nodes.reserve(spec.bodies.size());
  struct Pending {
    const JointSpec* joint;
    int parent;
  };
  std::vector<Pending> stack;
  const auto push_children = [&](std::string_view body, int node) {
    const auto found = joints_from.find(body);
    if (found == joints_from.end()) return;
    for (auto joint = found->second.rbegin(); joint != found->second.rend(); ++joint) stack.push_back({*joint, node});
  };
  push_children("world", -1);
  while (!stack.empty()) {
    const auto [joint, parent] = stack.back();
    stack.pop_back();
    switch (joint->type) {
      case JointType::weld:
      case JointType::revolute:
      case JointType::prismatic:
      case JointType::ball:
      case JointType::free:
        break;
      default:
        return Error{"joint '" + joint->name + "' is " + std::string(to_string(joint->type)) +
                     "; peers are driven with weld, revolute, prismatic, ball and free joints"};
    }
    const auto place = compiled.find(joint->name);
    check(place != compiled.end(), "the model has no joint '", joint->name, "': it was not compiled from this spec");
    const Joint& at = *place->second;
    nodes.push_back({.type = joint->type,
                     .joint = joint->name,
                     .parent = parent,
                     .body = at.child,
                     .q = at.q,
                     .v = at.v,
                     .nq = at.nq,
                     .nv = at.nv,
                     .X_PF = cleaned(joint->X_PF),
                     .X_CM = cleaned(joint->X_CM),
                     .axis = (1 / norm(joint->axis)) * joint->axis,
                     .inertia = bodies.at(joint->child)->inertia,
                     .armature = joint->dofs.empty() ? 0 : joint->dofs.front().armature});
    push_children(joint->child, static_cast<int>(nodes.size()) - 1);
  }
  return nodes;
}

std::optional<Error> refuse_armature(const std::string& engine, const std::vector<PeerNode>& nodes) {
  for (const PeerNode& node : nodes)
    if (node.armature != 0) return refusal(engine, node.joint, "it has armature, and the engine has no such thing");
  return std::nullopt;
}

std::optional<Error> refuse_inner_free_joints(const std::string& engine, const std::vector<PeerNode>& nodes) {
  for (const PeerNode& node : nodes)
    if (node.type == JointType::free && node.parent >= 0)
      return refusal(engine, node.joint, "free joints must have the world as parent");
  return std::nullopt;
}

std::size_t node_of(const std::vector<PeerNode>& nodes, const PeerFrame& frame) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].body == frame.body) return i;
  check(false, "no body ", frame.body, " that moves, for a frame");
  return 0;
}

InertiaSpec inertia_in_joint_frame(const PeerNode& node) {
  const Transform<double> X_MC = inverse(node.X_CM);
  return {node.inertia.mass, X_MC * node.inertia.centre, rotate(X_MC.R, node.inertia.moments)};
}

void turn_to_frames(std::span<const Mat3<double>> R_AN, std::span<double> matrix) {
  const std::size_t n = 6 * R_AN.size();
  check(matrix.size() == n * n, "the matrix has ", matrix.size(), " numbers, ", R_AN.size(), " frames need ", n * n);
  const auto turn = [&](const Mat3<double>& R, double* first, std::size_t step) {
    const Vec3<double> x = transpose_times(R, Vec3<double>{first[0], first[step], first[2 * step]});
    first[0] = x.x, first[step] = x.y, first[2 * step] = x.z;
  };
  for (std::size_t row = 0; row < n; row += 3)
    for (std::size_t k = 0; k < n; ++k) turn(R_AN[row / 6], &matrix[row * n + k], n);
  for (std::size_t column = 0; column < n; column += 3)
    for (std::size_t k = 0; k < n; ++k) turn(R_AN[column / 6], &matrix[k * n + column], 1);
}

PrincipalMoments principal_moments(const Sym3<double>& I) {
  // Left alone when diagonal already: links built along their axes keep their exact numbers.
  if (I.xy == 0 && I.xz == 0 && I.yz == 0) return {{I.xx, I.yy, I.zz}, Mat3<double>::identity()};
  Eigen::Matrix3d matrix;
  matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(matrix);
  Eigen::Matrix3d V = solver.eigenvectors();
  if (V.determinant() < 0) V.col(2) = -V.col(2);
  const auto column = [&](int k) { return Vec3<double>{V(0, k), V(1, k), V(2, k)}; };
  const Eigen::Vector3d moments = solver.eigenvalues();
  return {{moments[0], moments[1], moments[2]}, {column(0), column(1), column(2)}};
}

}  // namespace linchpin
