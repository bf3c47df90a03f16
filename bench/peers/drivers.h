// What the drivers share: the mechanism as a list of bodies with their joints, parents first, read from the spec. Only
// the places of the coordinates come from linchpin's compiled Model, so that the peers stay independent witnesses of
// everything else that compile() does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/peers.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {

struct PeerNode {
  JointType type = JointType::weld;
  std::string joint;                                       // its name, for messages
  int parent = -1;                                         // another node, or -1 for the world
  int body = 0;                                            // of the Model
  int q = 0, v = 0, nq = 0, nv = 0;                        // linchpin's coordinates
  Transform<double> X_PF = Transform<double>::identity();  // as in JointSpec, rotations cleaned to sixteen digits
  Transform<double> X_CM = Transform<double>::identity();
  Vec3<double> axis{0, 0, 1};  // unit length
  InertiaSpec inertia;         // in the body's own frame
  double armature = 0;
};

// Depth first, in the order of the spec. An Error names a joint that no driver takes: one that is not weld, revolute,
// prismatic, ball or free.
Result<std::vector<PeerNode>> peer_nodes(const ModelSpec& spec, const Model& model);

// The reason for an engine without armature, or none.
std::optional<Error> refuse_armature(const std::string& engine, const std::vector<PeerNode>& nodes);
// The reason for an engine whose free bodies must hang on the world, or none.
std::optional<Error> refuse_inner_free_joints(const std::string& engine, const std::vector<PeerNode>& nodes);

// Which node's body a frame is fixed in.
std::size_t node_of(const std::vector<PeerNode>& nodes, const PeerFrame& frame);

// Inertia in frame M of the joint instead of the body's own frame.
InertiaSpec inertia_in_joint_frame(const PeerNode& node);

// Moments of inertia about the axes of R, which diagonalise I: I = R diag(moments) R'.
struct PrincipalMoments {
  Vec3<double> moments;
  Mat3<double> R;
};
PrincipalMoments principal_moments(const Sym3<double>& I);

// Blocks of 6 x 6 whose vectors are in axes A, one for each frame, are turned into the frames' own: R_AN of each.
void turn_to_frames(std::span<const Mat3<double>> R_AN, std::span<double> matrix);

inline Vec3<double> vec3_at(const double* x) { return {x[0], x[1], x[2]}; }
inline Quaternion<double> quaternion_at(const double* x) {
  return normalized(Quaternion<double>{x[0], x[1], x[2], x[3]});
}
inline void put(const Vec3<double>& v, double* x) {
  x[0] = v.x;
  x[1] = v.y;
  x[2] = v.z;
}
inline void put(const Quaternion<double>& a, double* x) {
  x[0] = a.w;
  x[1] = a.x;
  x[2] = a.y;
  x[3] = a.z;
}

std::unique_ptr<Peer> make_mujoco_peer();
std::unique_ptr<Peer> make_dart_peer();
std::unique_ptr<Peer> make_bullet_peer();
std::unique_ptr<Peer> make_simbody_peer();

}  // namespace linchpin
