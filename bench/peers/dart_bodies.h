// What the drivers of DART share: bodies of a Skeleton. Its joints have a frame on the parent and one on the child just
// as linchpin's, so nothing is re-expressed.
#pragma once

#include <algorithm>

// Not <dart/dart.hpp>: it asks for headers of further packages.
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include "bench/peers/drivers.h"

namespace linchpin {

namespace dd = dart::dynamics;

inline Eigen::Vector3d eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Vec3<double> vec3(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
inline Eigen::Isometry3d eigen(const Transform<double>& X) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear().col(0) = eigen(X.R.x);
  T.linear().col(1) = eigen(X.R.y);
  T.linear().col(2) = eigen(X.R.z);
  T.translation() = eigen(X.p);
  return T;
}
inline dd::Inertia eigen(const InertiaSpec& inertia) {
  const double mass = std::max(inertia.mass, 1e-100);  // DART warns of zero, as of a bracket without mass of its own
  const Vec3<double>& c = inertia.centre;
  const Sym3<double>& I = inertia.moments;
  return dd::Inertia(mass, c.x, c.y, c.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz);
}

template <class J, class Adjust>
dd::BodyNode* add_body(dd::Skeleton& skeleton, dd::BodyNode* parent, const PeerNode& node, std::size_t number,
                       const Adjust& adjust) {
  typename J::Properties joint;
  joint.mName = "j" + std::to_string(number);
  joint.mT_ParentBodyToJoint = eigen(node.X_PF);
  joint.mT_ChildBodyToJoint = eigen(node.X_CM);
  adjust(joint);
  const dd::BodyNode::AspectProperties body("b" + std::to_string(number), eigen(node.inertia));
  return skeleton.createJointAndBodyNodePair<J>(parent, joint, body).second;
}

inline dd::BodyNode* add_body(dd::Skeleton& skeleton, dd::BodyNode* parent, const PeerNode& node, std::size_t number) {
  const auto nothing = [](auto&) {};
  const auto set_axis = [&](auto& joint) { joint.mAxis = eigen(node.axis); };
  switch (node.type) {
    case JointType::revolute:
      return add_body<dd::RevoluteJoint>(skeleton, parent, node, number, set_axis);
    case JointType::prismatic:
      return add_body<dd::PrismaticJoint>(skeleton, parent, node, number, set_axis);
    case JointType::ball:
      return add_body<dd::BallJoint>(skeleton, parent, node, number, nothing);
    case JointType::free:
      return add_body<dd::FreeJoint>(skeleton, parent, node, number, nothing);
    default:
      return add_body<dd::WeldJoint>(skeleton, parent, node, number, nothing);
  }
}

}  // namespace linchpin
