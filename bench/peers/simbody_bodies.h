// What the drivers of Simbody share. Its mobilizers have a frame F on the parent and M on the child just as linchpin's
// joints; a Pin turns about z and a Slider slides along x of both, so these frames are turned to the axis.
#pragma once

// Simbody 3.7 was written before C++20, in which two things in its own headers do not compile.
// Its index types compare with plain integers only, so that a == b of two of them is now ambiguous (either could turn
// into an integer); an exact match settles it.
namespace SimTK {
template <class Index>
requires requires(const Index& i) { i.isValidExtended(); }
inline bool operator==(const Index& a, const Index& b) { return static_cast<int>(a) == static_cast<int>(b); }
}  // namespace SimTK
// And its graph maker uses vectors of types that are not complete yet, which clang refuses. We do without it.
#define SimTK_SIMMATH_MULTIBODY_GRAPH_MAKER_H_

#include <Simbody.h>
#include <algorithm>

#include "bench/peers/drivers.h"

namespace linchpin {

// Everything of one mechanism; the parts refer to each other and must not move.
struct SimbodyMechanism {
  explicit SimbodyMechanism(const SimTK::Vec3& g)
      : matter(multibody), forces(multibody), gravity(forces, matter, g), applied(forces, matter) {}
  SimTK::MultibodySystem multibody;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::Gravity gravity;
  SimTK::Force::DiscreteForces applied;
  std::vector<SimTK::MobilizedBody> bodies;  // by node
};

inline std::string simbody_version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor);
}

inline SimTK::Vec3 simtk(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Vec3<double> vec3(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }
inline SimTK::Transform simtk(const Transform<double>& X) {
  const SimTK::Mat33 R(X.R.x.x, X.R.y.x, X.R.z.x, X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z);
  return {SimTK::Rotation(R, true), simtk(X.p)};
}
inline SimTK::Body::Rigid simtk(const InertiaSpec& inertia) {
  const Sym3<double>& I = inertia.moments;
  const SimTK::Vec3 centre = simtk(inertia.centre);
  const SimTK::Inertia about_centre(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz);
  return SimTK::Body::Rigid(
      SimTK::MassProperties(inertia.mass, centre, about_centre.shiftFromMassCenter(centre, inertia.mass)));
}

inline SimTK::MobilizedBody add_body(SimTK::MobilizedBody& parent, const PeerNode& node) {
  const SimTK::Transform X_PF = simtk(node.X_PF), X_CM = simtk(node.X_CM);
  const SimTK::Body::Rigid body = simtk(node.inertia);
  switch (node.type) {
    case JointType::revolute: {
      const SimTK::Transform axis(SimTK::Rotation(SimTK::UnitVec3(simtk(node.axis)), SimTK::ZAxis));
      return SimTK::MobilizedBody::Pin(parent, X_PF * axis, body, X_CM * axis);
    }
    case JointType::prismatic: {
      const SimTK::Transform axis(SimTK::Rotation(SimTK::UnitVec3(simtk(node.axis)), SimTK::XAxis));
      return SimTK::MobilizedBody::Slider(parent, X_PF * axis, body, X_CM * axis);
    }
    case JointType::ball:
      return SimTK::MobilizedBody::Ball(parent, X_PF, body, X_CM);
    case JointType::free:
      return SimTK::MobilizedBody::Free(parent, X_PF, body, X_CM);
    default:
      return SimTK::MobilizedBody::Weld(parent, X_PF, body, X_CM);
  }
}

}  // namespace linchpin
