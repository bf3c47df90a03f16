// What the drivers of Bullet share: nodes as links of a btMultiBody.
//
// Bullet wants a link's frame L at its centre of mass, along its principal axes.
#pragma once

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include "bench/peers/drivers.h"

namespace linchpin {

inline btVector3 bt(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Vec3<double> vec3(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
inline btQuaternion bt(const Quaternion<double>& a) { return {a.x, a.y, a.z, a.w}; }
// Bullet's "rotation from A to B" turns A's coordinates into B's: the inverse of the orientation of B in A.
inline btQuaternion to_axes_of(const Mat3<double>& R_AB) { return bt(from_rotation(transpose(R_AB))); }

// A node as Bullet sees it.
struct BulletLink {
  int tree = 0, link = -1;  // link -1: the base
  double mass = 0;
  Vec3<double> moments{0, 0, 0};
  Transform<double> X_ML = Transform<double>::identity();  // of L in the joint's frame M
};

inline BulletLink bullet_link(const PeerNode& node) {
  const InertiaSpec inertia = inertia_in_joint_frame(node);
  const PrincipalMoments principal = principal_moments(inertia.moments);
  BulletLink link;
  link.mass = inertia.mass;
  link.moments = principal.moments;
  link.X_ML = {principal.R, inertia.centre};
  return link;
}

// Node i, which is no base, with all before it set up. touching_parent: whether the two may collide.
inline void set_up_link(btMultiBody& body, const std::vector<PeerNode>& nodes, const std::vector<BulletLink>& links,
                        std::size_t i, bool touching_parent) {
  const PeerNode& node = nodes[i];
  const BulletLink& link = links[i];
  int parent = -1;
  Transform<double> X_LpF = node.X_PF;
  if (node.parent >= 0) {
    const std::size_t p = std::size_t(node.parent);
    parent = links[p].link;
    X_LpF = inverse(nodes[p].X_CM * links[p].X_ML) * node.X_PF;
  }
  const Mat3<double>& R = link.X_ML.R;
  const btQuaternion from_parent = to_axes_of(X_LpF.R * R);
  const btVector3 to_pivot = bt(X_LpF.p), to_centre = bt(transpose_times(R, link.X_ML.p));
  const btVector3 axis = bt(transpose_times(R, node.axis)), moments = bt(link.moments);
  switch (node.type) {
    case JointType::revolute:
      body.setupRevolute(link.link, link.mass, moments, parent, from_parent, axis, to_pivot, to_centre,
                         !touching_parent);
      break;
    case JointType::prismatic:
      body.setupPrismatic(link.link, link.mass, moments, parent, from_parent, axis, to_pivot, to_centre,
                          !touching_parent);
      break;
    case JointType::ball:
      body.setupSpherical(link.link, link.mass, moments, parent, from_parent, to_pivot, to_centre, !touching_parent);
      break;
    default:
      body.setupFixed(link.link, link.mass, moments, parent, from_parent, to_pivot, to_centre, !touching_parent);
  }
}

}  // namespace linchpin
