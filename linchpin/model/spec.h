// Description of a mechanism as a user or a file gives it: names and numbers, freely editable, nothing derived.
//
// compile() (model.h) checks a spec and turns it into a const Model. Loaders and the built-in scenes (scenes.h) only
// produce specs. References are by name; the body "world" always exists and never moves. SI units.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/geometry/shapes/material.h"
#include "linchpin/geometry/shapes/shape.h"
#include "linchpin/model/constraint_spec.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// Motion that a joint allows its child frame M in its parent frame F. At zero coordinates M coincides with F.
//
// | type          | q                    | v                              | motion of M in F                          |
// |---------------|----------------------|--------------------------------|-------------------------------------------|
// | weld          | none                 | none                           | none                                      |
// | revolute      | angle                | rate                           | turn about `axis`                         |
// | prismatic     | distance             | rate                           | slide along `axis`                        |
// | screw         | angle                | rate                           | turn about and slide by pitch*angle       |
// | cylindrical   | angle, distance      | rates                          | turn about and slide along `axis`         |
// | universal     | angle, angle         | rates                          | turn about `axis`, then about `axis2`     |
// | planar        | x, y, angle          | rates                          | slide in the plane normal to `axis`, turn |
// | translational | x, y, z              | rates                          | slide along F's axes                      |
// | ball          | quaternion w x y z   | angular velocity, M's axes     | any rotation                              |
// | free          | quaternion, position | angular velocity in M's axes,  | any                                       |
// |               |                      | velocity of M's origin, F's    |                                           |
//
// The x and y axes of frame_with_z(axis) span the plane of a planar joint: for axis = z they are F's x and y axes.
enum class JointType { weld, revolute, prismatic, screw, cylindrical, universal, planar, ball, free, translational };

inline constexpr int joint_type_count = 10;

std::string_view to_string(JointType type);
std::optional<JointType> joint_type_from(std::string_view name);
int velocity_count(JointType type);
int position_count(JointType type);

inline constexpr double unlimited = std::numeric_limits<double>::infinity();

// Properties of one velocity coordinate.
struct DofSpec {
  double armature = 0;      // reflected rotor inertia, kg m^2 or kg: added to the diagonal of the mass matrix
  double damping = 0;       // N m s or N s/m: force -damping * v
  double stiffness = 0;     // N m or N/m: force -stiffness * (q - rest); for a ball joint equal in all three
  double rest = 0;          //   coordinates, with rest = 0; not allowed for a free joint
  double dry_friction = 0;  // N m or N
  double lower = -unlimited, upper = unlimited;  // range of q, rad or m; for a ball, upper bounds the rotation angle
  double effort_limit = unlimited, velocity_limit = unlimited;  // bounds of |actuator force| and of |v|
};

struct JointSpec {
  std::string name;
  JointType type = JointType::revolute;
  std::string parent = "world", child;
  Transform<double> X_PF = Transform<double>::identity();  // frame F on the parent body
  Transform<double> X_CM = Transform<double>::identity();  // frame M on the child body
  Vec3<double> axis{0, 0, 1};                              // in F; any nonzero length
  Vec3<double> axis2{0, 1, 0};                             // universal: the second axis, in F at zero
  double pitch = 0;                                        // screw: metres per radian
  std::vector<DofSpec> dofs;                               // empty, or one for each velocity coordinate
  std::vector<double> start_q, start_v;                    // initial values for make_state(); empty: zero
};

// Mass, centre of mass and moments of inertia about it, in the body's axes. A point mass has zero moments.
struct InertiaSpec {
  double mass = 0;
  Vec3<double> centre{0, 0, 0};
  Sym3<double> moments = Sym3<double>::zero();
};

// A shape on a body, with its contact properties (docs/shapes.md).
struct GeometrySpec {
  std::string name;
  Shape shape;
  Transform<double> X_BG = Transform<double>::identity();
  Material material = {};
  double margin = 0;  // m: contacts are reported from this gap on, in addition to the distance that motion may cover
  // Bit masks: the groups that the shape belongs to, and the groups that it touches. Two shapes may touch if either
  // touches a group of the other. Both 0: the shape is for display only.
  std::uint32_t groups = 1, touches = ~std::uint32_t(0);
};

// Two shapes, by name, that may touch whatever their groups and the exclusions. Their bodies must not be the same or
// welded together. Fields left empty are as for any other pair.
struct ContactPairSpec {
  std::string a, b;
  std::optional<double> margin = {};  // m, of the pair
  std::optional<PairMaterial> material = {};
};

// Two bodies whose shapes never touch. Bodies connected by a joint or a loop are excluded by default, unless one of the
// two is fixed in the world.
struct ContactExclusionSpec {
  std::string a, b;
};

struct BodySpec {
  std::string name;
  InertiaSpec inertia;
  std::vector<GeometrySpec> geometry;
};

struct FrameSpec {
  std::string name, body;
  Transform<double> X_BF = Transform<double>::identity();
};

// An actuator drives one coordinate of a joint by a control u, given in each step (Inputs). The force is clamped to the
// actuator's limits and to the joint's DofSpec::effort_limit. It acts with all steppers (contact/actuators.h).
//
// | kind     | force                            | u is        |
// |----------|----------------------------------|-------------|
// | force    | gear u                           | N m or N    |
// | position | stiffness (u - q) - damping v    | rad or m    |
// | velocity | damping (u - v)                  | rad/s, m/s  |
enum class ActuatorType { force, position, velocity };
std::string_view to_string(ActuatorType type);

struct ActuatorSpec {
  std::string name, joint;
  int coordinate = 0;  // index within the joint
  ActuatorType type = ActuatorType::force;
  double gear = 1;                               // force
  double stiffness = 0;                          // N m/rad or N/m: position
  double damping = 0;                            // N m s/rad or N s/m: position, velocity
  double lower = -unlimited, upper = unlimited;  // bounds of the force, N m or N
  double control = 0;                            // default u, used when Inputs has no controls
};

struct ModelSpec {
  std::string name;
  Vec3<double> gravity{0, 0, -9.81};
  std::vector<BodySpec> bodies;   // without the world
  std::vector<JointSpec> joints;  // each body is the child of exactly one joint; coordinates follow this order, up to
                                  //   the depth-first sort of compile()
  std::vector<GeometrySpec> world_geometry;
  std::vector<FrameSpec> frames;
  std::vector<ConstraintSpec> constraints;  // closed loops, couplings, prescribed motion
  std::vector<SpringSpec> springs;          // between bodies; joint springs are in DofSpec
  std::vector<ContactPairSpec> contact_pairs = {};
  std::vector<ContactExclusionSpec> contact_exclusions = {};
  PairRules pair_rules = {};  // how the materials of a pair combine
  std::vector<ActuatorSpec> actuators = {};
};

// Adds to the body's inertia.
void add_inertia(BodySpec& body, const InertiaSpec& inertia);
// Adds a homogeneous solid of this shape and mass at X_BG, and the shape to the body's geometry. If mass is not zero,
// the shape must have a volume (solid.h).
void add_solid(BodySpec& body, const Shape& shape, double mass, const Transform<double>& X_BG, std::string name = "");

// Rotations for writing specs.
Mat3<double> rotation_x(double angle);
Mat3<double> rotation_y(double angle);
Mat3<double> rotation_z(double angle);
inline Transform<double> translation(double x, double y, double z) { return {Mat3<double>::identity(), {x, y, z}}; }
// The smallest rotation that takes z to the axis (a half turn about x for axis = -z).
Mat3<double> frame_with_z(const Vec3<double>& axis);

}  // namespace linchpin
