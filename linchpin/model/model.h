// A compiled mechanism: const, in double precision, shareable between threads.
//
// compile() merges welded bodies, sorts the tree depth first, splits joints into one-axis links, and orients each
// link's frame so that its axis is z. Algorithms work on:
//
//   link  one node of the tree, world = 0, parent[i] < i. Its frame L is fixed in it; its pose in the parent's frame is
//             X_PL(q) = X_PF  Rz(angle0 + turn q) Tz(slide0 + slide q)
//         for the one-axis kinds (revolute: turn 1, slide 0; prismatic: 0, 1; screw: 1, pitch), or X_PF times the pose
//         given by q for ball and free. For one-axis links X_PF is split along the common normal of the two axes,
//             X_PF = Rz(phi) Tz(t) Rx(alpha) Tx(a)
//         which costs a fraction of a general transform (link_frames.h).
//   run   an unbranched chain of links of one kind, contiguous in memory. Within a run phi = t = 0, and also at its
//         first link where the parent's frame could be chosen so. Branches and changes of kind occur only between runs,
//         so the inner loops need no test per link.
//
// docs/link_frames.md derives the placement and says where it does not pay.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/geometry/scene/scene_spec.h"
#include "linchpin/model/spec.h"

namespace linchpin {

enum class LinkKind {
  world,
  revolute,  // turns about z, no armature: the fast case
  axial,     // any other joint with one coordinate: prismatic, screw, or with armature
  ball,
  free,
};

struct Link {
  LinkKind kind = LinkKind::world;
  int parent = 0;
  int run = 0;
  int q = 0, v = 0;    // first position and velocity coordinate
  int nq = 0, nv = 0;  // number of coordinates
  Transform<double> X_PF = Transform<double>::identity();
  bool split = false;  // X_PF = Rz(phi) Tz(t) Rx(alpha) Tx(a); false if the axes are nearly parallel (common_normal())
  double phi = 0, t = 0, alpha = 0, a = 0;
  double angle0 = 0, slide0 = 0, turn = 0, slide = 0;
  RigidInertia<double> inertia = RigidInertia<double>::zero();  // about the link's origin, in its axes
  double armature = 0;                                          // the same for all coordinates of a ball
};

struct Run {
  LinkKind kind = LinkKind::world;
  int first = 0, end = 0;  // links [first, end)
  int parent = 0;          // run whose last link is the parent of our first link (0: the world)
};

struct Body {
  std::string name;
  int link = 0;
  int joint = -1;  // joint whose child it is; -1 for the world
  Transform<double> X_LB = Transform<double>::identity();
  RigidInertia<double> inertia = RigidInertia<double>::zero();  // in the body's own frame
  std::vector<GeometrySpec> geometry;
};

struct Joint {
  std::string name;
  JointType type = JointType::weld;
  int parent = 0, child = 0;  // bodies
  int q = 0, v = 0, nq = 0, nv = 0;
  JointSpec spec;
};

struct Frame {
  std::string name;
  int body = 0;
  Transform<double> X_BF = Transform<double>::identity();
};

// Frame on a body to which a constraint or a spring is attached.
struct Attachment {
  int body = 0;
  Transform<double> X_BF = Transform<double>::identity();
};

// The constraints of constraint_spec.h, with names resolved to indices.
struct Loop {
  LoopType type = LoopType::pin;
  Attachment a, b;
  double pitch = 0;
  std::array<TimeLaw, 3> displacement;
};
struct Rod {
  Attachment a, b;
  double length = 1;
  TimeLaw extension;
};
struct Rolling {
  Attachment a, b;
  Vec3<double> half_axes{1, 1, 1};
  bool sliding = false;
};
struct VelocityCondition {
  Attachment a, b;
  Vec3<double> angular{0, 0, 0}, linear{0, 0, 0};
  TimeLaw speed;
};
struct Coupling {
  struct Term {
    int link = 0, q = 0, v = 0;  // one-axis link of the coordinate
    std::vector<double> polynomial{0, 1};
  };
  std::vector<Term> terms;
  TimeLaw value;
};
struct Constraint {
  std::string name;
  std::variant<Loop, Rod, Rolling, VelocityCondition, Coupling> what;
};
int row_count(const Constraint& constraint);

struct Spring {
  std::string name;
  Attachment a, b;
  double stiffness = 0, damping = 0, length = 0;
};

// The actuators of spec.h, with names resolved to indices; lower and upper include the joint's effort limit.
struct Actuator {
  std::string name;
  ActuatorType type = ActuatorType::force;
  int q = -1, v = 0;  // q = -1 on a ball or free joint, where only `force` actuators are allowed
  double gear = 1, stiffness = 0, damping = 0;
  double lower = -unlimited, upper = unlimited;
  double control = 0;
};

// A shape of the model: bodies()[body].geometry[geometry].
struct ShapeOnBody {
  int body = 0, geometry = 0;
};

class Model {
 public:
  const std::string& name() const { return name_; }
  const Vec3<double>& gravity() const { return gravity_; }
  int nq() const { return nq_; }                             // number of position coordinates
  int nv() const { return static_cast<int>(dofs_.size()); }  // degrees of freedom
  std::span<const Link> links() const { return links_; }     // [0] is the world
  std::span<const Run> runs() const { return runs_; }        // [0] is the world
  std::span<const Body> bodies() const { return bodies_; }   // [0] is the world
  std::span<const Joint> joints() const { return joints_; }
  std::span<const Frame> frames() const { return frames_; }
  std::span<const DofSpec> dofs() const { return dofs_; }  // one per velocity coordinate
  std::span<const Constraint> constraints() const { return constraints_; }
  std::span<const Spring> springs() const { return springs_; }
  std::span<const Actuator> actuators() const { return actuators_; }
  // All shapes, body after body, and the spec of the CollisionScene: the same shapes in the same order, with links as
  // its frames.
  std::span<const ShapeOnBody> shapes() const { return shapes_; }
  const SceneSpec& collision() const { return collision_; }
  double total_mass() const;

  // Index of the element with this name, or -1.
  int find_body(std::string_view name) const;
  int find_joint(std::string_view name) const;
  int find_frame(std::string_view name) const;
  int find_constraint(std::string_view name) const;
  int find_actuator(std::string_view name) const;

  // A copy with armature added: `more` by velocity coordinate; for a ball joint three equal values, for a free joint
  // zero. Implicit steppers account for springs and dampers in this way.
  Model with_more_armature(std::span<const double> more) const;

 private:
  friend class Compiler;
  std::string name_;
  Vec3<double> gravity_{0, 0, 0};
  int nq_ = 0;
  std::vector<Link> links_;
  std::vector<Run> runs_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<Frame> frames_;
  std::vector<DofSpec> dofs_;
  std::vector<Constraint> constraints_;
  std::vector<Spring> springs_;
  std::vector<Actuator> actuators_;
  std::vector<ShapeOnBody> shapes_;
  SceneSpec collision_;
  std::vector<int> bodies_by_name_, joints_by_name_, frames_by_name_;  // indices sorted by name
  void index_names();
};

// Returns a Model, or an Error that names the faulty element: duplicate or unknown names, a cycle, a body without a
// joint, an impossible inertia (both numbers in the message), NaN anywhere, a coordinate that moves no mass.
Result<Model> compile(const ModelSpec& spec);

}  // namespace linchpin
