// The built-in scenes, one function each, and the parts they are put together from. Internal to model/: the way in is
// scene() in scenes.h, which has the catalogue with defaults and ranges and gives each spec its name.
//
// A namespace of its own, since names such as top and chain are too common for the library's.
//
// Planar scenes live in the x-z plane and hang along -z at zero; their hinges turn about -y, so that a positive angle
// swings a hanging link to +x.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
ModelSpec quadruped_leg();  // one leg by itself, its hip held by the world
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

// rolling.cc
ModelSpec rolling_disc(double radius, bool hoop, double tilt);  // tilt in degrees
ModelSpec rattleback();

// linkage_biped.cc, parallel_robots.cc
ModelSpec linkage_biped();
ModelSpec stewart();
ModelSpec gripper();

// ---- with contact: at zero every body is where it starts ----

// sliding.cc. Angles in degrees.
ModelSpec slope(double angle, double mu, double heading, double turn, double speed);
ModelSpec roll(double speed, double radius, double mu);
ModelSpec painleve(double angle, double mu, double speed);

// impacts.cc
ModelSpec bounce(double radius, double height, double restitution, double speed);
ModelSpec cradle(int balls, double gap, double angle, double speed, double restitution);
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

inline constexpr Vector swing_axis{0, -1, 0};

// splitmix64 (Vigna 2015, public domain). The distributions of <random> differ between libraries, and so would scenes;
// for the same reason nothing here calls libm beyond sqrt.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double between(double low, double high);
  int below(int n);  // 0 .. n-1; n far below 2^32
  Vector in_cube(double half);
  Vector direction();       // even over the sphere
  Mat3<double> rotation();  // even over all rotations

 private:
  std::uint64_t state_;
};

// A shape to be seen and touched that adds no mass.
void add_shape(BodySpec& body, const Shape& shape, const Transform<double>& X_BG, std::string name);

// One material for all shapes there are so far, the world's included.
void make_all_of(ModelSpec& spec, const Material& material);
Material surface(double mu, double restitution = 0);

// A half-space in the world, its surface the x-y plane of X_WG and its normal z. The floor is the one at z = 0.
void add_half_space(ModelSpec& spec, const std::string& name, const Transform<double>& X_WG);
void add_floor(ModelSpec& spec);

// A body that flies free, its joint named after it. Its coordinates are its motion since the start, along the axes of
// X_WF, where its origin is at zero; R_FB is how it is turned there. Starts at this velocity of its origin, in F.
void add_free(ModelSpec& spec, BodySpec body, const Transform<double>& X_WF,
              const Mat3<double>& R_FB = Mat3<double>::identity(), const Vector& velocity = {0, 0, 0});

// Holds the posture: position servos on one-axis joints, with control 0 at zero.
void add_servo(ModelSpec& spec, const JointSpec& joint, double stiffness, double damping);
// Moves stops that lie at zero a little away from it, where a servo holds the joint: else both would.
void give_way_at_zero(JointSpec& joint);
// What a robot's shapes may touch: the world, not each other. feet_only: only those whose names have `foot` in them
// touch anything, the others are to be seen.
void touch_only_the_world(ModelSpec& spec, bool feet_only, const std::string& foot);

// A capsule whose axis runs from a to b, and the frame that puts it there. A sphere when a and b coincide.
struct PlacedShape {
  Shape shape;
  Transform<double> X;
};
PlacedShape capsule_between(const Vector& a, const Vector& b, double radius);

// A joint of type `type` from parent to child, named after the child. Frame M is the child's own frame.
JointSpec joint(JointType type, const std::string& parent, const std::string& child, const Transform<double>& X_PF,
                const Vector& axis = {0, 0, 1});

// One revolute link of a robot's limb. Its frame sits in its joint, and all frames are parallel at zero.
struct LimbLink {
  std::string name;
  Vector joint;  // where the joint is in the frame of the link before
  Vector axis;
  double lower, upper;  // limits, rad
  InertiaSpec inertia;
  Vector tip;  // its capsule runs from the joint to here
  double radius;
};

// The inertia of a homogeneous capsule from the joint to the tip.
InertiaSpec capsule_inertia(double mass, const Vector& tip, double radius);

// The same link on the other side of the x-z plane. Axes keep their directions, so turns about x and z change sign.
LimbLink mirrored(LimbLink link);

// Hangs the links one after the other on the parent body, names led by prefix; returns the name of the last.
std::string add_limb(ModelSpec& spec, const std::string& prefix, const std::string& parent,
                     std::span<const LimbLink> links);
// The same on both sides: `left_...` as given, then `right_...` mirrored.
struct BothSides {
  std::string left, right;  // names of the last links
};
BothSides add_limbs(ModelSpec& spec, const std::string& parent, std::span<const LimbLink> left);

BodySpec& body_named(ModelSpec& spec, const std::string& name);

// What closes loops: a point of a body, in the body's own axes, and a loop between two frames.
FrameOnBody point_on(const std::string& body, const Vector& at);
ConstraintSpec loop(std::string name, LoopType type, FrameOnBody a, FrameOnBody b);

// Copies a mechanism into another: every name led by prefix, its world at X_W in the other's. Gravity stays.
void append(ModelSpec& spec, const ModelSpec& part, const std::string& prefix, const Transform<double>& X_W);

}  // namespace linchpin::scenes
