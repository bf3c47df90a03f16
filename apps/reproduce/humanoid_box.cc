#include "apps/reproduce/humanoid_box.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

constexpr Vec3<double> box_size{0.28, 0, 0.36};  // m; its width is the distance of the palms
constexpr double palm = 0.04;                    // m: from a hand's frame, in the forearm's axis, to its side
constexpr double box_mass = 4;                   // kg
constexpr double hand_to_centre = 0.09;          // m: hands hold the box behind its middle,
constexpr double hand_above_centre = 0.10;       //   and above it

void set(const Model& model, State& state, const std::string& joint, double angle) {
  const int index = model.find_joint(joint + "_joint");
  check(index >= 0, "no joint of '", joint, "' among ", model.joints().size());
  state.q[model.joints()[index].q] = angle;
}
// Knees bent, the trunk upright, elbows out, forearms forward and down to the box's sides. With arms in parallel planes
// the axes of both shoulders, and of both elbows, are one line: one of the hands' twelve rows would be lost.
void stand(const Model& model, State& state) {
  constexpr double bend = 0.4, upper_arm = -0.1, out = 0.4, in = -0.8, elbow = -0.9;
  for (const std::string side : {"left_", "right_"}) {
    set(model, state, side + "hip_pitch", -bend);
    set(model, state, side + "knee", 2 * bend);
    set(model, state, side + "ankle_pitch", -bend);
    set(model, state, side + "shoulder_pitch", upper_arm);
    const double left = side == "left_" ? 1 : -1;
    set(model, state, side + "shoulder_roll", left * out);
    set(model, state, side + "shoulder_yaw", left * in);
    set(model, state, side + "elbow", elbow);
  }
  // Soles on the floor: the free joint's q is a quaternion, then the displacement of the pelvis from its zero position.
  const Joint& free = model.joints()[model.find_joint("free")];
  state.q[free.q + 6] = 0.8 * (std::cos(bend) - 1);
}

std::vector<Transform<double>> poses(const Model& model, const State& state, const std::vector<Node>& nodes) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  std::vector<Transform<double>> out;
  for (const Node& node : nodes) out.push_back(node_pose(model, kin, node));
  return out;
}

ConstraintSpec weld(std::string name, FrameOnBody a, FrameOnBody b) {
  LoopSpec loop;
  loop.type = LoopType::weld;
  loop.a = std::move(a);
  loop.b = std::move(b);
  return {std::move(name), loop};
}

}  // namespace

BoxScene make_box_scene() {
  ModelSpec spec = scene("@humanoid24:floating=1").value();
  const std::vector<std::string> ends{"left_hand", "right_hand", "left_foot", "right_foot"};

  // The poses of hands and feet, from the robot alone.
  const Model robot = compile(spec).value();
  State standing = make_state(robot);
  stand(robot, standing);
  std::vector<Node> nodes;
  for (const std::string& end : ends) nodes.push_back(node_at(robot, end));
  const std::vector<Transform<double>> X_W = poses(robot, standing, nodes);
  const Vec3<double> middle = 0.5 * (X_W[0].p + X_W[1].p);
  const Transform<double> X_WO = translation(middle.x + hand_to_centre, 0, middle.z - hand_above_centre);

  const Vec3<double> half{box_size.x / 2, 0.5 * norm(X_W[0].p - X_W[1].p) - palm, box_size.z / 2};
  BodySpec box{.name = "box", .inertia = {}, .geometry = {}};
  add_solid(box, Box{half}, box_mass, Transform<double>::identity(), "box");
  spec.bodies.push_back(std::move(box));
  JointSpec free;
  free.name = "box";
  free.type = JointType::free;
  free.child = "box";
  free.X_PF = X_WO;
  spec.joints.push_back(std::move(free));
  spec.world_geometry.push_back({"floor", Box{{20, 20, 0.02}}, translation(0, 0, -0.02)});
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const FrameOnBody end{robot.bodies()[nodes[i].body].name, nodes[i].X_BN};
    if (i < 2)
      spec.constraints.push_back(weld(ends[i], end, {"box", inverse(X_WO) * X_W[i]}));
    else
      spec.constraints.push_back(weld(ends[i], {"world", X_W[i]}, end));
  }

  BoxScene out{.model = compile(spec).value(), .start = {}, .hands = {}, .feet = {}, .passive = {}, .half = half};
  out.box = out.model.find_body("box");
  out.start = make_state(out.model);
  stand(out.model, out.start);
  const AssemblyReport assembled = assemble(out.model, out.start);
  check(assembled.closed(), "the humanoid's hands miss the box by ", assembled.error, " m or rad");
  for (std::size_t i = 0; i < ends.size(); ++i) (i < 2 ? out.hands : out.feet).push_back(node_at(out.model, ends[i]));
  for (const char* name : {"free", "box"}) {
    const Joint& joint = out.model.joints()[out.model.find_joint(name)];
    for (int k = 0; k < joint.nv; ++k) out.passive.push_back(joint.v + k);
  }
  return out;
}

BoxPath::BoxPath(const Transform<double>& X_start, const Transform<double>& X_between, const Transform<double>& X_floor,
                 double travel, double rest)
    : down_({0, travel / 2, travel}, {X_start, X_between, X_floor}),
      up_({travel + rest, 1.5 * travel + rest, 2 * travel + rest}, {X_floor, X_between, X_start}) {}

BoxPath path_to_floor(const BoxScene& scene, double travel) {
  const Transform<double> X_start = poses(scene.model, scene.start, {Node{scene.box}})[0];
  Transform<double> X_floor = X_start, X_between = X_start;
  X_floor.p.x = 0.56;  // in front of the feet
  X_floor.p.z = scene.half.z;
  X_between.p.x = 0.52;  // first in front of the knees, which come forward
  X_between.p.z = 0.5 * (X_start.p.z + X_floor.p.z);
  return {X_start, X_between, X_floor, travel, 0.5};
}

namespace {

HeldObject held(const BoxScene& scene) { return held_body(scene.model, scene.start.q, scene.box, scene.hands); }

std::vector<FrameTask> tasks(const BoxScene& scene) {
  std::vector<FrameTask> all;
  for (const Node& hand : scene.hands) all.push_back({.node = hand});
  for (const Node& foot : scene.feet) all.push_back({.node = foot, .support = true});
  return all;
}

// Springs towards the start, N m/rad. Feet stay flat and the back is not bent to its limit; the rest is left to the
// legs' other joints.
std::vector<double> springs(const BoxScene& scene) {
  std::vector<double> stiffness(scene.model.nv(), 0);
  for (const Joint& joint : scene.model.joints()) {
    if (joint.nv != 1) continue;
    const bool ankle = joint.name.find("ankle") != std::string::npos, back = joint.name.starts_with("waist");
    stiffness[joint.v] = ankle ? 200 : back ? 100 : 60;
  }
  return stiffness;
}

}  // namespace

BoxServo::BoxServo(const BoxScene& scene, const Settings& settings)
    : scene_(scene),
      settings_(settings),
      object_(scene.model, held(scene)),
      control_(scene.model, tasks(scene), {.passive = scene.passive}),
      springs_(springs(scene)),
      advice_(scene.model.nv(), 0),
      advised_force_(advice_),
      demands_(scene.hands.size() + scene.feet.size()),
      press_(scene.hands.size()) {}

void BoxServo::advise(const State& state) {
  for (std::size_t k = 0; k < advice_.size(); ++k) advice_[k] = -settings_.damping * state.v[k];
  if (!settings_.posture) return;
  for (const Joint& joint : scene_.model.joints()) {
    if (joint.nv != 1) continue;
    const std::size_t k = std::size_t(joint.v), i = std::size_t(joint.q);
    advised_force_[k] = springs_[k] * (scene_.start.q[i] - state.q[i]);
  }
}

ServoReport BoxServo::torques(const State& state, const FrameMotion& target, std::span<double> tau) {
  const Gains gains = critically_damped(settings_.rate);
  object_.update(state.q, state.v);
  object_.squeeze(settings_.squeeze, press_);
  const Motion<double> wanted = tracking_acceleration(object_.pose(), object_.velocity(), target, gains, gains);
  const ObjectReport object = object_.share({wanted, press_}, std::span(demands_).first(scene_.hands.size()));
  advise(state);
  control_.update(state.q, state.v);
  const OperationalSpaceReport done =
      control_.torques(demands_, {.posture = advice_, .posture_force = advised_force_}, tau);

  ServoReport report{.ok = object.ok() && done.ok(),
                     .mobility = object.mobility,
                     .rank = done.levels[0].rank,
                     .uncarried = done.uncarried};
  double moment = 0, weight = 0;  // of the floor on both feet, about y through its origin
  for (std::size_t i = 0; i < scene_.feet.size(); ++i) {
    const int task = int(scene_.hands.size() + i);
    const Force<double> f = control_.support_force(task);
    moment += f.n.y + cross(control_.pose(task).p, f.f).y;
    weight += f.f.z;
  }
  report.pressure_x = -moment / weight;
  return report;
}

}  // namespace linchpin
