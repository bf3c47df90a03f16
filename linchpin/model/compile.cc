// compile(): from a spec's names to a model's arrays, in seven steps:
//   1. check each element by itself and look up its names;
//   2. sort the bodies depth first (without recursion: chains of 100000 links are normal);
//   3. split joints into one-axis, ball and free links; merge welded bodies into their parent's link;
//   4. move frames onto common normals (link_frames.h), and group links into runs;
//   5. find coordinates that move no mass (mobility.h);
//   6. resolve the names in constraints and springs (resolve_constraints.h);
//   7. place shapes on links and resolve contact pairs (resolve_contacts.h); resolve the names in actuators.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "linchpin/model/link_frames.h"
#include "linchpin/model/mobility.h"
#include "linchpin/model/model.h"
#include "linchpin/model/resolve_constraints.h"
#include "linchpin/model/resolve_contacts.h"
#include "linchpin/model/spec_check.h"
#include "linchpin/spatial/message.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {

class Compiler {
 public:
  explicit Compiler(const ModelSpec& spec) : spec_(spec) {}
  Result<Model> run();

 private:
  // Each step returns false after it has set error_.
  bool check_bodies();
  bool check_joints();
  bool check_frames();
  bool find_parent_joints();
  bool sort_bodies();
  bool fail_with_cycle();
  void add_world();
  void add_joint(const JointSpec& joint, int parent_body, const BodySpec& child);
  int add_links(const JointSpec& joint, int parent_link, const Transform<double>& X_P0F, Transform<double>& X_L0M);
  void settle_frames();
  void make_runs();
  bool check_mobility();
  template <class Spec, class Resolved>
  bool add_resolved(const char* kind, const std::vector<Spec>& specs, std::vector<Resolved>& to);
  bool add_contacts();
  bool add_actuators();

  template <class... Parts>
  bool fail(const Parts&... parts) {
    error_.message = (spec_.name.empty() ? "model" : "model '" + spec_.name + "'") + ": " + message(parts...);
    return false;
  }
  int add_link(LinkKind kind, int parent, const Transform<double>& X_P0F0, int nq, int nv);
  int add_axis(int parent, const Transform<double>& X_P0F0, double turn, double slide, double armature);

  const ModelSpec& spec_;
  Model model_;
  Error error_;
  std::unordered_map<std::string_view, int> body_of_name_;  // index into spec_.bodies, -1 for the world
  std::vector<int> joint_of_;                               // by spec body: index of the joint whose child it is
  std::vector<std::vector<int>> joints_from_;               // by spec body, then the world: joints whose parent it is
  std::vector<Transform<double>> X_P0F0_, X_L0B_;           // before settle_frames(): axes at z, frames at the joints
  std::vector<int> joint_of_link_;
};

namespace {

// Orthonormalises a rotation that a file may give with six digits only.
Transform<double> cleaned(const Transform<double>& X) { return {to_rotation(from_rotation(X.R)), X.p}; }

Transform<double> rotation(const Mat3<double>& R) { return {R, Vec3<double>::zero()}; }

// The inertia in the frame in which the body's frame has pose X. Computed directly from the centre of mass: moments
// about the origin of a distant body frame would lose digits.
RigidInertia<double> rigid_inertia(const InertiaSpec& spec,
                                   const Transform<double>& X = Transform<double>::identity()) {
  return RigidInertia<double>::about_centre(spec.mass, X * spec.centre, rotate(X.R, spec.moments));
}

}  // namespace

bool Compiler::check_bodies() {
  const Vec3<double>& g = spec_.gravity;
  if (!std::isfinite(g.x + g.y + g.z)) return fail("gravity (", g.x, ", ", g.y, ", ", g.z, ") m/s^2 is not finite");
  body_of_name_.emplace("world", -1);
  for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
    const BodySpec& body = spec_.bodies[i];
    if (body.name.empty()) return fail("body number ", i, " has no name");
    if (!body_of_name_.emplace(body.name, static_cast<int>(i)).second)
      return fail(body.name == "world" ? "'world' is the fixed body and cannot be declared"
                                       : "two bodies are called '" + body.name + "'");
    if (std::string fault = fault_of(body.inertia); !fault.empty()) return fail("body '", body.name, "': ", fault);
    for (const GeometrySpec& geometry : body.geometry)
      if (std::string fault = fault_of(geometry); !fault.empty())
        return fail("body '", body.name, "', geometry '", geometry.name, "': ", fault);
  }
  for (const GeometrySpec& geometry : spec_.world_geometry)
    if (std::string fault = fault_of(geometry); !fault.empty())
      return fail("world geometry '", geometry.name, "': ", fault);
  return true;
}

bool Compiler::check_joints() {
  std::unordered_map<std::string_view, int> names;
  for (std::size_t i = 0; i < spec_.joints.size(); ++i) {
    const JointSpec& joint = spec_.joints[i];
    if (joint.name.empty()) return fail("joint number ", i, " has no name");
    if (!names.emplace(joint.name, 0).second) return fail("two joints are called '", joint.name, "'");
    for (const std::string* end : {&joint.parent, &joint.child})
      if (!body_of_name_.contains(*end)) return fail("joint '", joint.name, "': there is no body '", *end, "'");
    if (joint.child == "world") return fail("joint '", joint.name, "': the world cannot be a child");
    if (std::string fault = fault_of(joint); !fault.empty()) return fail("joint '", joint.name, "': ", fault);
  }
  return true;
}

bool Compiler::check_frames() {
  std::unordered_map<std::string_view, int> names;
  for (const FrameSpec& frame : spec_.frames) {
    if (frame.name.empty()) return fail("a frame on body '", frame.body, "' has no name");
    if (!names.emplace(frame.name, 0).second) return fail("two frames are called '", frame.name, "'");
    if (!body_of_name_.contains(frame.body))
      return fail("frame '", frame.name, "': there is no body '", frame.body, "'");
    if (std::string fault = fault_of(frame.X_BF); !fault.empty()) return fail("frame '", frame.name, "': ", fault);
  }
  return true;
}

bool Compiler::find_parent_joints() {
  const std::size_t n = spec_.bodies.size();
  joint_of_.assign(n, -1);
  joints_from_.resize(n + 1);
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    const JointSpec& joint = spec_.joints[j];
    int& joint_of_child = joint_of_[body_of_name_.at(joint.child)];
    if (joint_of_child >= 0)
      return fail("body '", joint.child, "' is the child of two joints, '", spec_.joints[joint_of_child].name,
                  "' and '", joint.name, "'; close loops with loop constraints instead");
    joint_of_child = static_cast<int>(j);
    const int parent = body_of_name_.at(joint.parent);
    joints_from_[parent < 0 ? n : std::size_t(parent)].push_back(static_cast<int>(j));
  }
  for (std::size_t i = 0; i < n; ++i)
    if (joint_of_[i] < 0)
      return fail("body '", spec_.bodies[i].name, "' has no joint; give it a free joint to the world to let it fly");
  return true;
}

void Compiler::add_world() {
  model_.bodies_.emplace_back();
  model_.bodies_.front().name = "world";
  model_.bodies_.front().geometry = spec_.world_geometry;
  model_.links_.push_back({});
  X_P0F0_.push_back(Transform<double>::identity());
  joint_of_link_.push_back(-1);
  X_L0B_.push_back(Transform<double>::identity());
}

bool Compiler::sort_bodies() {
  add_world();
  struct Pending {
    int joint, parent_body;
  };
  std::vector<Pending> stack;
  const auto push_children = [&](std::size_t parent_in_spec, int parent_body) {
    const std::vector<int>& joints = joints_from_[parent_in_spec];
    for (auto j = joints.rbegin(); j != joints.rend(); ++j) stack.push_back({*j, parent_body});
  };
  push_children(spec_.bodies.size(), 0);
  while (!stack.empty()) {
    const Pending next = stack.back();
    stack.pop_back();
    const JointSpec& joint = spec_.joints[next.joint];
    const std::size_t child = std::size_t(body_of_name_.at(joint.child));
    add_joint(joint, next.parent_body, spec_.bodies[child]);
    push_children(child, static_cast<int>(model_.bodies_.size()) - 1);
  }
  return model_.bodies_.size() == spec_.bodies.size() + 1 || fail_with_cycle();
}

// Some body was not reached from the world: walking up from it ends in a cycle.
bool Compiler::fail_with_cycle() {
  std::unordered_map<std::string_view, int> reached;
  for (const Body& body : model_.bodies_) reached.emplace(body.name, 0);
  const auto parent_of = [&](int body) { return body_of_name_.at(spec_.joints[joint_of_[body]].parent); };
  int i = 0;
  while (reached.contains(spec_.bodies[i].name)) ++i;
  std::vector<bool> seen(spec_.bodies.size(), false);
  while (!seen[i]) {
    seen[i] = true;
    i = parent_of(i);
  }
  std::string cycle = "'" + spec_.bodies[i].name + "'";
  for (int k = parent_of(i);; k = parent_of(k)) {
    cycle += " <- '" + spec_.bodies[k].name + "'";
    if (k == i) break;
  }
  return fail("the joints form a cycle: ", cycle, "; no body in it is connected to the world");
}

int Compiler::add_link(LinkKind kind, int parent, const Transform<double>& X_P0F0, int nq, int nv) {
  Link link;
  link.kind = kind;
  link.parent = parent;
  link.q = model_.nq_;
  link.v = model_.nv();
  link.nq = nq;
  link.nv = nv;
  model_.nq_ += nq;
  model_.dofs_.resize(model_.dofs_.size() + std::size_t(nv));
  model_.links_.push_back(link);
  X_P0F0_.push_back(X_P0F0);
  joint_of_link_.push_back(static_cast<int>(model_.joints_.size()));
  return static_cast<int>(model_.links_.size()) - 1;
}

int Compiler::add_axis(int parent, const Transform<double>& X_P0F0, double turn, double slide, double armature) {
  const bool fast = turn == 1 && slide == 0 && armature == 0;
  const int i = add_link(fast ? LinkKind::revolute : LinkKind::axial, parent, X_P0F0, 1, 1);
  Link& link = model_.links_[i];
  link.turn = turn;
  link.slide = slide;
  link.armature = armature;
  return i;
}

// Adds the links of a joint; returns the last one, and the pose of M in it.
int Compiler::add_links(const JointSpec& spec, int parent_link, const Transform<double>& X_P0F,
                        Transform<double>& X_L0M) {
  const auto armature = [&](std::size_t k) { return spec.dofs.empty() ? 0.0 : spec.dofs[k].armature; };
  const Transform<double> A = rotation(frame_with_z(spec.axis));  // z along the axis
  const Transform<double> Ax = rotation(frame_with_z({1, 0, 0})), Ay = rotation(frame_with_z({0, 1, 0}));
  int link = parent_link;
  X_L0M = Transform<double>::identity();
  switch (spec.type) {
    case JointType::weld:
      X_L0M = X_P0F;
      break;
    case JointType::revolute:
      link = add_axis(link, X_P0F * A, 1, 0, armature(0));
      X_L0M = inverse(A);
      break;
    case JointType::prismatic:
      link = add_axis(link, X_P0F * A, 0, 1, armature(0));
      X_L0M = inverse(A);
      break;
    case JointType::screw:
      link = add_axis(link, X_P0F * A, 1, spec.pitch, armature(0));
      X_L0M = inverse(A);
      break;
    case JointType::cylindrical:
      link = add_axis(link, X_P0F * A, 1, 0, armature(0));
      link = add_axis(link, Transform<double>::identity(), 0, 1, armature(1));
      X_L0M = inverse(A);
      break;
    case JointType::universal: {
      const Transform<double> A2 = rotation(frame_with_z(spec.axis2));
      link = add_axis(link, X_P0F * A, 1, 0, armature(0));
      link = add_axis(link, inverse(A) * A2, 1, 0, armature(1));
      X_L0M = inverse(A2);
      break;
    }
    case JointType::planar:
      link = add_axis(link, X_P0F * A * Ax, 0, 1, armature(0));
      link = add_axis(link, inverse(Ax) * Ay, 0, 1, armature(1));
      link = add_axis(link, inverse(Ay), 1, 0, armature(2));
      X_L0M = inverse(A);
      break;
    case JointType::translational:
      link = add_axis(link, X_P0F * Ax, 0, 1, armature(0));
      link = add_axis(link, inverse(Ax) * Ay, 0, 1, armature(1));
      link = add_axis(link, inverse(Ay), 0, 1, armature(2));
      break;
    case JointType::ball:
      link = add_link(LinkKind::ball, link, X_P0F, 4, 3);
      model_.links_[link].armature = armature(0);
      break;
    case JointType::free:
      link = add_link(LinkKind::free, link, X_P0F, 7, 6);
      break;
  }
  return link;
}

void Compiler::add_joint(const JointSpec& spec, int parent_body, const BodySpec& child) {
  Joint joint{.name = spec.name,
              .type = spec.type,
              .parent = parent_body,
              .child = static_cast<int>(model_.bodies_.size()),
              .q = model_.nq_,
              .v = model_.nv(),
              .nq = position_count(spec.type),
              .nv = velocity_count(spec.type),
              .spec = spec};
  const Transform<double> X_P0F = X_L0B_[parent_body] * cleaned(spec.X_PF);
  const Transform<double> X_MB = inverse(cleaned(spec.X_CM));
  Transform<double> X_L0M = Transform<double>::identity();
  const int link = add_links(spec, model_.bodies_[parent_body].link, X_P0F, X_L0M);
  std::copy(spec.dofs.begin(), spec.dofs.end(), model_.dofs_.begin() + joint.v);

  Body body;
  body.name = child.name;
  body.link = link;
  body.joint = static_cast<int>(model_.joints_.size());
  body.inertia = rigid_inertia(child.inertia);
  body.geometry = child.geometry;
  const Transform<double> X_L0B = X_L0M * X_MB;
  Link& carrier = model_.links_[link];
  carrier.inertia = carrier.inertia + rigid_inertia(child.inertia, X_L0B);
  model_.bodies_.push_back(std::move(body));
  X_L0B_.push_back(X_L0B);
  model_.joints_.push_back(std::move(joint));
}

// L = L0 Rz(phi) Tz(t) for each one-axis link, with phi and t chosen so that the next link in the arrays, if it is a
// one-axis child, lies on the common normal. Other children get phi and t of their own (Link::phi, t).
void Compiler::settle_frames() {
  std::vector<Link>& links = model_.links_;
  const auto one_axis = [&](std::size_t i) { return i < links.size() && links[i].nv == 1; };
  std::vector<Transform<double>> X_L0L(links.size(), Transform<double>::identity());
  for (std::size_t i = 1; i < links.size(); ++i) {
    Link& link = links[i];
    const std::size_t p = std::size_t(link.parent);
    link.X_PF = inverse(X_L0L[p]) * X_P0F0_[i];
    if (!one_axis(i)) continue;
    std::optional<CommonNormal> normal = common_normal(link.X_PF);
    if (!normal) continue;
    link.split = true;
    if (p == i - 1 && one_axis(p)) {  // the first child: our parent's frame is still free to move along its axis
      X_L0L[p] = screw_z(normal->phi, normal->t);
      links[p].angle0 += normal->phi;
      links[p].slide0 += normal->t;
      normal->phi = normal->t = 0;
    }
    link.phi = normal->phi;
    link.t = normal->t;
    link.alpha = normal->alpha;
    link.a = normal->a;
    link.angle0 += normal->theta;
    link.slide0 += normal->d;
    link.X_PF = screw_z(link.phi, link.t) * screw_x(link.alpha, link.a);
  }
  for (std::size_t i = 1; i < links.size(); ++i)
    links[i].inertia = inertia_to_parent(inverse(X_L0L[i]), links[i].inertia);
  for (std::size_t b = 0; b < model_.bodies_.size(); ++b) {
    Body& body = model_.bodies_[b];
    body.X_LB = inverse(X_L0L[body.link]) * X_L0B_[b];
  }
  std::unordered_map<std::string_view, int> index;
  for (std::size_t b = 0; b < model_.bodies_.size(); ++b) index.emplace(model_.bodies_[b].name, static_cast<int>(b));
  for (const FrameSpec& frame : spec_.frames)
    model_.frames_.push_back({frame.name, index.at(frame.body), cleaned(frame.X_BF)});
}

// A link continues its parent's run if it is the only child, of the same one-axis kind, and on the common normal.
void Compiler::make_runs() {
  std::vector<Link>& links = model_.links_;
  std::vector<int> children(links.size(), 0);
  for (std::size_t i = 1; i < links.size(); ++i) ++children[links[i].parent];
  model_.runs_.push_back({LinkKind::world, 0, 1, 0});
  for (std::size_t i = 1; i < links.size(); ++i) {
    Link& link = links[i];
    const std::size_t p = std::size_t(link.parent);
    if (p == i - 1 && children[p] == 1 && links[p].kind == link.kind && link.split)
      ++model_.runs_.back().end;
    else
      model_.runs_.push_back({link.kind, static_cast<int>(i), static_cast<int>(i) + 1, links[p].run});
    link.run = static_cast<int>(model_.runs_.size()) - 1;
  }
}

bool Compiler::check_mobility() {
  const int link = link_that_moves_no_mass(model_);
  if (link < 0) return true;
  const Joint& joint = model_.joints_[joint_of_link_[link]];
  return fail("body '", model_.bodies_[joint.child].name, "': its joint '", joint.name, "' (", to_string(joint.type),
              ") has a coordinate that moves no mass, so the mass matrix is singular; give the body ",
              "or the bodies it carries mass or moments of inertia about that axis, or give the joint armature");
}

template <class Spec, class Resolved>
bool Compiler::add_resolved(const char* kind, const std::vector<Spec>& specs, std::vector<Resolved>& to) {
  std::unordered_set<std::string_view> names;
  for (const Spec& spec : specs) {
    if (spec.name.empty()) return fail(kind, " number ", to.size(), " has no name");
    if (!names.insert(spec.name).second) return fail("two ", kind, "s are called '", spec.name, "'");
    Result<Resolved> resolved = resolve(spec, model_);
    if (!resolved) return fail(resolved.error().message);
    to.push_back(std::move(resolved).value());
  }
  return true;
}

bool Compiler::add_contacts() {
  for (std::size_t b = 0; b < model_.bodies_.size(); ++b)
    for (std::size_t g = 0; g < model_.bodies_[b].geometry.size(); ++g)
      model_.shapes_.push_back({static_cast<int>(b), static_cast<int>(g)});
  Result<SceneSpec> scene = resolve_contacts(spec_, model_);
  if (!scene) return fail(scene.error().message);
  model_.collision_ = std::move(scene).value();
  return true;
}

bool Compiler::add_actuators() {
  for (const ActuatorSpec& spec : spec_.actuators) {
    if (spec.name.empty()) return fail("actuator number ", model_.actuators_.size(), " has no name");
    if (model_.find_actuator(spec.name) >= 0) return fail("two actuators are called '", spec.name, "'");
    if (std::string fault = fault_of(spec); !fault.empty()) return fail("actuator '", spec.name, "': ", fault);
    const int index = model_.find_joint(spec.joint);
    if (index < 0) return fail("actuator '", spec.name, "': there is no joint '", spec.joint, "'");
    const Joint& joint = model_.joints_[index];
    if (spec.coordinate < 0 || spec.coordinate >= joint.nv)
      return fail("actuator '", spec.name, "': joint '", spec.joint, "' (", to_string(joint.type), ") has ", joint.nv,
                  " coordinates; there is no coordinate ", spec.coordinate);
    const bool has_position = joint.type != JointType::ball && joint.type != JointType::free;
    if (!has_position && spec.type != ActuatorType::force)
      return fail("actuator '", spec.name, "': a ", to_string(spec.type),
                  " servo needs a joint with scalar coordinates, but '", spec.joint, "' is a ", to_string(joint.type),
                  " joint");
    const double effort = model_.dofs_[joint.v + spec.coordinate].effort_limit;
    model_.actuators_.push_back({.name = spec.name,
                                 .type = spec.type,
                                 .q = has_position ? joint.q + spec.coordinate : -1,
                                 .v = joint.v + spec.coordinate,
                                 .gear = spec.gear,
                                 .stiffness = spec.type == ActuatorType::position ? spec.stiffness : 0,
                                 .damping = spec.type == ActuatorType::force ? 0 : spec.damping,
                                 .lower = std::clamp(spec.lower, -effort, effort),
                                 .upper = std::clamp(spec.upper, -effort, effort),
                                 .control = spec.control});
  }
  return true;
}

Result<Model> Compiler::run() {
  model_.name_ = spec_.name;
  model_.gravity_ = spec_.gravity;
  if (!check_bodies() || !check_joints() || !check_frames()) return error_;
  if (!find_parent_joints() || !sort_bodies()) return error_;
  settle_frames();
  make_runs();
  if (!check_mobility()) return error_;
  model_.index_names();
  if (!add_resolved("constraint", spec_.constraints, model_.constraints_) ||
      !add_resolved("spring", spec_.springs, model_.springs_) || !add_contacts() || !add_actuators())
    return error_;
  return std::move(model_);
}

Result<Model> compile(const ModelSpec& spec) { return Compiler(spec).run(); }

}  // namespace linchpin
