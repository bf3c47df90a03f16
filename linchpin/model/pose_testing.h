// Body poses computed twice: from the spec's joints by the table in spec.h, and from the model's links.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "linchpin/base/compare_testing.h"
#include "linchpin/model/link_frames.h"
#include "linchpin/model/model.h"
#include "linchpin/spatial/testing.h"

namespace linchpin::compile_testing {

// The pose of M in F, as the table in spec.h says.
inline Transform<double> joint_pose(const JointSpec& joint, const double* q) {
  const auto unit = [](const Vec3<double>& v) { return (1 / norm(v)) * v; };
  const Vec3<double> u = unit(joint.axis), none{0, 0, 0};
  const Mat3<double> still = Mat3<double>::identity(), plane = frame_with_z(joint.axis);
  switch (joint.type) {
    case JointType::weld:
      return {still, none};
    case JointType::revolute:
      return {rotation_about(u, q[0]), none};
    case JointType::prismatic:
      return {still, q[0] * u};
    case JointType::screw:
      return {rotation_about(u, q[0]), (joint.pitch * q[0]) * u};
    case JointType::cylindrical:
      return {rotation_about(u, q[0]), q[1] * u};
    case JointType::universal:
      return {rotation_about(u, q[0]) * rotation_about(unit(joint.axis2), q[1]), none};
    case JointType::planar:
      return {rotation_about(u, q[2]), q[0] * plane.x + q[1] * plane.y};
    case JointType::translational:
      return {still, {q[0], q[1], q[2]}};
    case JointType::ball:
      return {to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), none};
    case JointType::free:
      return {to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), {q[4], q[5], q[6]}};
  }
  return {};
}
// Body poses from the spec; of the model only the layout of q is used.
inline std::map<std::string, Transform<double>> poses_by_spec(const ModelSpec& spec, const Model& model,
                                                              const std::vector<double>& q) {
  std::map<std::string, Transform<double>> X_W{{"world", Transform<double>::identity()}};
  std::map<std::string, const JointSpec*> joint_of;
  for (const JointSpec& joint : spec.joints) joint_of[joint.child] = &joint;
  const std::function<Transform<double>(const std::string&)> pose = [&](const std::string& body) {
    if (const auto known = X_W.find(body); known != X_W.end()) return known->second;
    const JointSpec& joint = *joint_of.at(body);
    const int j = model.find_joint(joint.name);
    return X_W[body] = pose(joint.parent) * joint.X_PF * joint_pose(joint, q.data() + model.joints()[j].q) *
                       inverse(joint.X_CM);
  };
  for (const BodySpec& body : spec.bodies) pose(body.name);
  return X_W;
}
// Link poses by the formula in model.h.
inline std::vector<Transform<double>> poses_by_links(const Model& model, const std::vector<double>& q) {
  std::vector<Transform<double>> X_W{Transform<double>::identity()};
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const double* x = q.data() + link.q;
    Transform<double> X = Transform<double>::identity();
    if (link.kind == LinkKind::revolute || link.kind == LinkKind::axial)
      X = screw_z(link.angle0 + link.turn * x[0], link.slide0 + link.slide * x[0]);
    else
      X = {to_rotation(Quaternion<double>{x[0], x[1], x[2], x[3]}),
           link.kind == LinkKind::free ? Vec3<double>{x[4], x[5], x[6]} : Vec3<double>::zero()};
    X_W.push_back(X_W[link.parent] * link.X_PF * X);
  }
  return X_W;
}
// The largest difference between the two.
inline double pose_error(const ModelSpec& spec, const Model& model, const std::vector<double>& q) {
  const auto expected = poses_by_spec(spec, model, q);
  const auto links = poses_by_links(model, q);
  double worst = 0;
  for (const Body& body : model.bodies()) {
    const Transform<double> X = links[body.link] * body.X_LB, &Y = expected.at(body.name);
    worst = larger(worst, larger(distance(X.R, Y.R), distance(X.p, Y.p)));
  }
  return worst;
}

}  // namespace linchpin::compile_testing
