// The built-in scenes, one function each, and the parts they are built from. Internal to model/: the public entry is
// scene() in scenes.h, which has the catalogue with defaults and ranges and sets each spec's name.
//
// They have a namespace of their own, since names such as top and chain are too common for namespace linchpin.
//
// Unless their functions say otherwise, planar scenes are in the x-z plane and hang along -z at zero; their hinges turn
// about -y, so that a positive angle swings a hanging link to +x.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linchpin/base/splitmix.h"
#include "linchpin/model/spec.h"

namespace linchpin::scenes {

// pendulums.cc
ModelSpec pendulum(int links);
ModelSpec swing(int links, double mu, double restitution);
ModelSpec planar_chain(int links, double length, double mass);
ModelSpec simple_pendulum();
ModelSpec double_pendulum(bool rods);

// planar.cc
ModelSpec cart_pole(double pole_mass, double length);
ModelSpec planar_arm(int links);
ModelSpec planar_walker();

// chains.cc
ModelSpec chain(int links, std::uint64_t seed);
ModelSpec heavy_light(double ratio, int links);

// humanoids.cc
ModelSpec humanoid24(bool floating);
ModelSpec humanoid();
ModelSpec stand(bool feet_only);

// quadruped.cc
ModelSpec quadruped();
ModelSpec quadruped_leg();  // a single leg, its hip fixed to the world
ModelSpec stand4(bool feet_only);

// dual_arm.cc, rigid_bodies.cc, random_tree.cc, forest.cc
ModelSpec dual_arm();
ModelSpec top();
ModelSpec free_body(bool symmetric);
ModelSpec random_tree(int bodies, std::uint64_t seed, bool floating);
ModelSpec forest(int trees);

// linkages.cc
ModelSpec four_bar(int loops);
ModelSpec squeezer();
ModelSpec bricard(double section);
ModelSpec governor();
ModelSpec slider_crank();
ModelSpec loose_slider(double clearance, double mu, double restitution);

// rolling.cc
ModelSpec rolling_disc(double radius, bool hoop, double tilt);  // tilt in degrees
ModelSpec rattleback();

// linkage_biped.cc, parallel_robots.cc
ModelSpec linkage_biped();
ModelSpec stewart();
ModelSpec gripper();

// ---- with contact: free bodies start at zero coordinates ----

// sliding.cc. Angles in degrees.
ModelSpec slope(double angle, double mu, double heading, double turn, double speed);
ModelSpec roll(double speed, double radius, double mu);
ModelSpec painleve(double angle, double mu, double speed);

// impacts.cc
ModelSpec bounce(double radius, double height, double restitution, double speed);
ModelSpec cradle(int balls, double gap, double angle, double speed, double restitution);
ModelSpec falling_chain(int links, double height, double angle, bool spatial);  // angle in degrees
ModelSpec billiard(double speed, double gap, double mu, double restitution);
ModelSpec thin_wall(double speed, double radius, double thickness, double restitution);

// workshop.cc
ModelSpec workshop();

// stacks.cc, arch.cc, grip.cc
ModelSpec stack(int boxes, double ratio, double mu);
ModelSpec dominoes(int count, double spacing, double mu);
ModelSpec pile(int count, int side, double smallest, std::uint64_t seed);
ModelSpec arch(int stones, double thickness, double mu);
ModelSpec grip(double hold, double mu);

// ---- parts.cc ----

using Vector = Vec3<double>;

inline constexpr Vector x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};
inline constexpr Vector swing_axis{0, -1, 0};

// Random numbers that are the same on every platform (splitmix.h); for the same reason the class calls nothing of libm
// but sqrt.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double between(double low, double high);
  int below(int n);  // 0 .. n-1; n far below 2^32
  Vector in_cube(double half);
  Vector direction();       // uniform on the sphere
  Mat3<double> rotation();  // uniform over all rotations

 private:
  SplitMix bits_;
};

// Adds a shape for display and contact, without mass.
void add_shape(BodySpec& body, const Shape& shape, const Transform<double>& X_BG, std::string name);

// Sets one material for all shapes that exist so far, those of the world included.
void make_all_of(ModelSpec& spec, const Material& material);
Material surface(double mu, double restitution = 0);

// Adds a half-space to the world: its surface is the x-y plane of X_WG, its normal z. The floor is the one at z = 0.
void add_half_space(ModelSpec& spec, const std::string& name, const Transform<double>& X_WG);
void add_floor(ModelSpec& spec);

// Adds a body on a free joint named after it. At zero the body's origin is at X_WF and its orientation in F is R_FB, so
// its coordinates are its motion since the start, along the axes of X_WF. `velocity`: of its origin at the start, in F.
void add_free(ModelSpec& spec, BodySpec body, const Transform<double>& X_WF,
              const Mat3<double>& R_FB = Mat3<double>::identity(), const Vector& velocity = {0, 0, 0});

// Adds a position servo with control 0 to a one-axis joint: it holds the joint at zero.
void add_servo(ModelSpec& spec, const JointSpec& joint, double stiffness, double damping);
// Moves joint limits that are at zero away from it. A servo holds the joint there, and both would carry the load.
void give_way_at_zero(JointSpec& joint);
// Lets a robot's shapes touch the world but not each other. feet_only: only shapes whose names contain `foot` touch
// anything; the others are for display.
void touch_only_the_world(ModelSpec& spec, bool feet_only, const std::string& foot);

// A capsule whose axis runs from a to b. A sphere when a and b coincide.
PlacedShape capsule_between(const Vector& a, const Vector& b, double radius);

// A joint of type `type` from parent to child, named after the child. Frame M is the child's own frame.
JointSpec joint(JointType type, const std::string& parent, const std::string& child, const Transform<double>& X_PF,
                const Vector& axis = {0, 0, 1});

// One revolute link of a robot's limb. Its frame is at its joint, and all frames are parallel at zero.
struct LimbLink {
  std::string name;
  Vector joint;  // position of the joint in the frame of the previous link
  Vector axis;
  double lower, upper;  // limits, rad
  InertiaSpec inertia;
  Vector tip;  // its capsule runs from the joint to here
  double radius;
};

// The inertia of a homogeneous capsule from the joint to the tip.
InertiaSpec capsule_inertia(double mass, const Vector& tip, double radius);

// The mirror image of a link in the x-z plane. Axes keep their directions, so rotations about x and z change sign.
LimbLink mirrored(LimbLink link);

// Attaches the links one after the other to the parent body, with `prefix` before each name; returns the last name.
std::string add_limb(ModelSpec& spec, const std::string& prefix, const std::string& parent,
                     std::span<const LimbLink> links);
// The same on both sides: `left_...` as given, then `right_...` mirrored.
struct BothSides {
  std::string left, right;  // names of the last links
};
BothSides add_limbs(ModelSpec& spec, const std::string& parent, std::span<const LimbLink> left);

BodySpec& body_named(ModelSpec& spec, const std::string& name);

// Parts of loops: a frame at a point of a body, parallel to the body's axes; and a loop between two frames.
FrameOnBody point_on(const std::string& body, const Vector& at);
ConstraintSpec loop(std::string name, LoopType type, FrameOnBody a, FrameOnBody b);

// Copies a mechanism into `spec`: `prefix` before each name, the part's world at X_W. spec keeps its own gravity.
void append(ModelSpec& spec, const ModelSpec& part, const std::string& prefix, const Transform<double>& X_W);

}  // namespace linchpin::scenes
