#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/model/scenes/builders.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin::scenes {

double Random::between(double low, double high) { return low + (high - low) * bits_.unit(); }
int Random::below(int n) { return static_cast<int>(((bits_.next() >> 32) * static_cast<std::uint64_t>(n)) >> 32); }

Vector Random::in_cube(double half) {
  const double x = between(-half, half), y = between(-half, half), z = between(-half, half);
  return {x, y, z};
}
// Uniform in a cube, rejected outside the ball: the direction is then uniform.
Vector Random::direction() {
  for (;;) {
    const Vector v = in_cube(1);
    const double length = norm(v);
    if (length < 1 && length > 0.1) return (1 / length) * v;
  }
}
Mat3<double> Random::rotation() {
  for (;;) {
    const double w = between(-1, 1);
    const Vector v = in_cube(1);
    const double square = w * w + dot(v, v);
    if (square < 1 && square > 0.01) return to_rotation(Quaternion<double>{w, v.x, v.y, v.z});
  }
}

void add_shape(BodySpec& body, const Shape& shape, const Transform<double>& X_BG, std::string name) {
  body.geometry.push_back({std::move(name), shape, X_BG});
}

void make_all_of(ModelSpec& spec, const Material& material) {
  for (GeometrySpec& g : spec.world_geometry) g.material = material;
  for (BodySpec& body : spec.bodies)
    for (GeometrySpec& g : body.geometry) g.material = material;
}

Material surface(double mu, double restitution) {
  return {.name = {}, .friction = {mu, mu}, .restitution = restitution};
}

void add_half_space(ModelSpec& spec, const std::string& name, const Transform<double>& X_WG) {
  spec.world_geometry.push_back({name, HalfSpace{}, X_WG});
}
void add_floor(ModelSpec& spec) { add_half_space(spec, "floor", Transform<double>::identity()); }

void add_free(ModelSpec& spec, BodySpec body, const Transform<double>& X_WF, const Mat3<double>& R_FB,
              const Vector& velocity) {
  JointSpec free = joint(JointType::free, "world", body.name, X_WF);
  free.X_CM.R = transpose(R_FB);
  free.start_v = {0, 0, 0, velocity.x, velocity.y, velocity.z};
  spec.joints.push_back(std::move(free));
  spec.bodies.push_back(std::move(body));
}

void add_servo(ModelSpec& spec, const JointSpec& joint, double stiffness, double damping) {
  spec.actuators.push_back({.name = joint.child + "_servo",
                            .joint = joint.name,
                            .type = ActuatorType::position,
                            .stiffness = stiffness,
                            .damping = damping});
}

void give_way_at_zero(JointSpec& joint) {
  constexpr double way = 0.1;  // rad
  for (DofSpec& dof : joint.dofs) {
    if (dof.lower == 0) dof.lower = -way;
    if (dof.upper == 0) dof.upper = way;
  }
}

void touch_only_the_world(ModelSpec& spec, bool feet_only, const std::string& foot) {
  constexpr std::uint32_t ground = 1, robot = 2;
  for (GeometrySpec& g : spec.world_geometry) g.groups = ground;
  for (BodySpec& body : spec.bodies)
    for (GeometrySpec& g : body.geometry) {
      const bool seen_only = feet_only && g.name.find(foot) == std::string::npos;
      g.groups = seen_only ? 0 : robot;
      g.touches = seen_only ? 0 : ground;
    }
}

PlacedShape capsule_between(const Vector& a, const Vector& b, double radius) {
  const Vector along = b - a, middle = 0.5 * (a + b);
  const double length = norm(along);
  if (length == 0) return {Sphere{radius}, {Mat3<double>::identity(), middle}};
  return {Capsule{radius, length / 2}, {frame_with_z(along), middle}};
}

JointSpec joint(JointType type, const std::string& parent, const std::string& child, const Transform<double>& X_PF,
                const Vector& axis) {
  JointSpec j;
  j.name = child + "_joint";
  j.type = type;
  j.parent = parent;
  j.child = child;
  j.X_PF = X_PF;
  j.axis = axis;
  return j;
}

InertiaSpec capsule_inertia(double mass, const Vector& tip, double radius) {
  BodySpec body;
  const PlacedShape capsule = capsule_between({0, 0, 0}, tip, radius);
  add_solid(body, capsule.shape, mass, capsule.X_SP);
  return body.inertia;
}

LimbLink mirrored(LimbLink link) {
  link.joint.y = -link.joint.y;
  link.tip.y = -link.tip.y;
  link.inertia.centre.y = -link.inertia.centre.y;
  link.inertia.moments.xy = -link.inertia.moments.xy;
  link.inertia.moments.yz = -link.inertia.moments.yz;
  if (link.axis.y == 0) {
    std::swap(link.lower, link.upper);
    link.lower = -link.lower;
    link.upper = -link.upper;
  }
  return link;
}

std::string add_limb(ModelSpec& spec, const std::string& prefix, const std::string& parent,
                     std::span<const LimbLink> links) {
  std::string before = parent;
  for (const LimbLink& link : links) {
    BodySpec body{.name = prefix + link.name, .inertia = link.inertia, .geometry = {}};
    const PlacedShape capsule = capsule_between({0, 0, 0}, link.tip, link.radius);
    add_shape(body, capsule.shape, capsule.X_SP, body.name);
    JointSpec j = joint(JointType::revolute, before, body.name, {Mat3<double>::identity(), link.joint}, link.axis);
    j.dofs = {DofSpec{.lower = link.lower, .upper = link.upper}};
    before = body.name;
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(body));
  }
  return before;
}

BothSides add_limbs(ModelSpec& spec, const std::string& parent, std::span<const LimbLink> left) {
  std::vector<LimbLink> right;
  for (const LimbLink& link : left) right.push_back(mirrored(link));
  std::string left_end = add_limb(spec, "left_", parent, left);
  return {std::move(left_end), add_limb(spec, "right_", parent, right)};
}

BodySpec& body_named(ModelSpec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.bodies, name, &BodySpec::name);
  check(found != spec.bodies.end(), "scene has no body '", name, "'");
  return *found;
}

FrameOnBody point_on(const std::string& body, const Vector& at) { return {body, {Mat3<double>::identity(), at}}; }

ConstraintSpec loop(std::string name, LoopType type, FrameOnBody a, FrameOnBody b) {
  LoopSpec spec;
  spec.type = type;
  spec.a = std::move(a);
  spec.b = std::move(b);
  return {std::move(name), std::move(spec)};
}

void append(ModelSpec& spec, const ModelSpec& part, const std::string& prefix, const Transform<double>& X_W) {
  const auto renamed = [&](const std::string& name) { return name == "world" ? name : prefix + name; };
  for (BodySpec body : part.bodies) {
    body.name = renamed(body.name);
    for (GeometrySpec& geometry : body.geometry) geometry.name = prefix + geometry.name;
    spec.bodies.push_back(std::move(body));
  }
  for (JointSpec j : part.joints) {
    if (j.parent == "world") j.X_PF = X_W * j.X_PF;
    j.name = prefix + j.name;
    j.parent = renamed(j.parent);
    j.child = renamed(j.child);
    spec.joints.push_back(std::move(j));
  }
  for (GeometrySpec geometry : part.world_geometry) {
    geometry.name = prefix + geometry.name;
    geometry.X_BG = X_W * geometry.X_BG;
    spec.world_geometry.push_back(std::move(geometry));
  }
  for (FrameSpec frame : part.frames) {
    if (frame.body == "world") frame.X_BF = X_W * frame.X_BF;
    frame.name = prefix + frame.name;
    frame.body = renamed(frame.body);
    spec.frames.push_back(std::move(frame));
  }
  const auto moved = [&](FrameOnBody& frame) {
    if (frame.body == "world") frame.X_BF = X_W * frame.X_BF;
    frame.body = renamed(frame.body);
  };
  for (ConstraintSpec constraint : part.constraints) {
    constraint.name = prefix + constraint.name;
    std::visit(
        [&](auto& what) {
          if constexpr (requires { what.a; }) {
            moved(what.a);
            moved(what.b);
          } else {
            for (CouplingSpec::Term& term : what.terms) term.joint = prefix + term.joint;
          }
        },
        constraint.what);
    spec.constraints.push_back(std::move(constraint));
  }
  for (SpringSpec spring : part.springs) {
    spring.name = prefix + spring.name;
    moved(spring.a);
    moved(spring.b);
    spec.springs.push_back(std::move(spring));
  }
  for (ContactPairSpec pair : part.contact_pairs) {
    pair.a = prefix + pair.a;
    pair.b = prefix + pair.b;
    spec.contact_pairs.push_back(std::move(pair));
  }
  for (const ContactExclusionSpec& exclusion : part.contact_exclusions)
    spec.contact_exclusions.push_back({renamed(exclusion.a), renamed(exclusion.b)});
  for (ActuatorSpec actuator : part.actuators) {
    actuator.name = prefix + actuator.name;
    actuator.joint = prefix + actuator.joint;
    spec.actuators.push_back(std::move(actuator));
  }
}

}  // namespace linchpin::scenes
