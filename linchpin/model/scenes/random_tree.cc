// Trees that use every feature of a spec, for tests of functions that take any Model.
#include <algorithm>
#include <array>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

// Joint types come in blocks, each a permutation of all types: a random order in which each type recurs soon.
class TypeDeck {
 public:
  TypeDeck() {
    for (int i = 0; i < joint_type_count; ++i) deck_[static_cast<std::size_t>(i)] = static_cast<JointType>(i);
  }
  JointType draw(Random& random) {
    if (left_ == 0) left_ = joint_type_count;
    std::swap(deck_[static_cast<std::size_t>(random.below(left_))], deck_[static_cast<std::size_t>(left_ - 1)]);
    return deck_[static_cast<std::size_t>(--left_)];
  }
  // Draws the given type from the current block.
  void remove(JointType type) {
    if (left_ == 0) left_ = joint_type_count;
    std::swap(*std::ranges::find(deck_, type), deck_[static_cast<std::size_t>(left_ - 1)]);
    --left_;
  }

 private:
  std::array<JointType, joint_type_count> deck_;
  int left_ = 0;
};

Transform<double> random_pose(Random& random, double reach) {
  const Mat3<double> R = random.rotation();
  return {R, random.in_cube(reach)};
}

// Axes may have any length.
Vector random_axis(Random& random) {
  const double length = random.between(0.2, 3);
  return length * random.direction();
}

// Every valid inertia is that of some box.
BodySpec random_body(Random& random, std::string name) {
  BodySpec body{.name = std::move(name), .inertia = {}, .geometry = {}};
  const double x = random.between(0.1, 0.4), y = random.between(0.1, 0.4), z = random.between(0.1, 0.4);
  const double mass = random.between(0.2, 2);
  add_solid(body, Box{{x, y, z}}, mass, random_pose(random, 0.2), body.name);
  return body;
}

std::vector<DofSpec> random_dofs(Random& random, JointType type) {
  std::vector<DofSpec> dofs(static_cast<std::size_t>(velocity_count(type)));
  const bool armature = random.below(3) == 0, damping = random.below(3) == 0, spring = random.below(3) == 0;
  for (DofSpec& dof : dofs) {
    const double inertia = random.between(0.01, 0.3), friction = random.between(0.1, 1),
                 stiffness = random.between(1, 20), rest = random.between(-0.5, 0.5);
    if (damping) dof.damping = friction;
    if (type == JointType::free) continue;  // a free joint takes no other terms
    if (armature) dof.armature = inertia;
    if (spring) dof.stiffness = stiffness;
    if (spring && type != JointType::ball) dof.rest = rest;
  }
  if (type == JointType::ball)  // spec.h: the same in all three
    for (DofSpec& dof : dofs) {
      dof.armature = dofs[0].armature;
      dof.stiffness = dofs[0].stiffness;
    }
  return dofs;
}

JointSpec random_joint(Random& random, JointType type, const std::string& parent, const std::string& child) {
  // One draw per statement: arguments have no order of evaluation.
  const Transform<double> X_PF = random_pose(random, 0.5);
  const Vector axis = random_axis(random);
  JointSpec j = joint(type, parent, child, X_PF, axis);
  j.X_CM = random_pose(random, 0.3);
  do j.axis2 = random_axis(random);
  while (norm(cross(j.axis, j.axis2)) < 0.5 * norm(j.axis) * norm(j.axis2));  // at least 30 degrees apart
  j.pitch = random.between(-0.3, 0.3);
  j.dofs = random_dofs(random, type);
  return j;
}

}  // namespace

ModelSpec random_tree(int bodies, std::uint64_t seed, bool floating) {
  Random random(seed);
  TypeDeck deck;
  ModelSpec spec;
  spec.gravity = 9.81 * random.direction();
  for (int i = 0; i < bodies; ++i) {
    BodySpec body = random_body(random, "body_" + std::to_string(i + 1));
    // Half of the bodies continue from the last one, so that there are long limbs as well as bushes.
    const int parent = random.below(2) == 0 ? i : random.below(i + 1);
    const std::string parent_name = parent > 0          ? "body_" + std::to_string(parent)
                                    : floating && i > 0 ? "body_1"
                                                        : "world";
    JointType type = JointType::free;
    if (floating && i == 0)
      deck.remove(type);
    else
      type = deck.draw(random);
    JointSpec j = random_joint(random, type, parent_name, body.name);
    if (type == JointType::weld && random.below(2) == 0) body.inertia = {};  // a massless bracket
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(body));
  }
  spec.frames = {{"tip", spec.bodies.back().name, random_pose(random, 0.5)}};
  return spec;
}

}  // namespace linchpin::scenes
