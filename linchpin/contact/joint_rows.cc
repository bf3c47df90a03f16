#include "linchpin/contact/joint_rows.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/larger.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/model/state.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// Adds the sides of a row on one coordinate: opposite unit forces across its joint.
void add_coordinate_sides(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin,
                          const Velocities& vel, int coordinate, Rows& rows) {
  const int link = plan.link[coordinate], parent = model.links()[link].parent;
  const Motion<double>& axis = vel.axis[coordinate];
  const bool turns = dot(axis.w, axis.w) > 0;  // also a screw joint: a moment about its axis acts on it
  const Force<double> F =
      turns ? Force<double>{axis.w, Vec3<double>::zero()} : Force<double>{Vec3<double>::zero(), axis.v};
  rows.add_side(link, F);
  const Vec3<double> r = kin.X_WL[link].p - kin.X_WL[parent].p;
  rows.add_side(parent, {-(F.n + cross(r, F.f)), -F.f});
}

// The ends of a spring between bodies, in the world.
struct SpringEnds {
  SpringEnds(const Model& model, const Kinematics<double>& kin, const Spring& s)
      : a(body_pose(model, kin, s.a.body) * s.a.X_BF.p), b(body_pose(model, kin, s.b.body) * s.b.X_BF.p) {
    const Vec3<double> d = b - a;
    length = norm(d);
    if (length > 0) along = (1 / length) * d;
  }

  // Of b against a.
  Vec3<double> relative_velocity(const Model& model, const Kinematics<double>& kin, const Velocities& vel,
                                 const Spring& s) const {
    const auto velocity = [&](const Attachment& at) { return point_velocity(model, kin, vel, at.body, at.X_BF.p).v; };
    return velocity(s.b) - velocity(s.a);
  }

  // The sides of a row that pushes b along `direction`, and a against it.
  void add_sides(const Model& model, const Kinematics<double>& kin, const Spring& s, const Vec3<double>& direction,
                 Rows& rows) const {
    const auto add = [&](const Attachment& at, const Vec3<double>& point, const Vec3<double>& f) {
      const int link = model.bodies()[at.body].link;
      rows.add_side(link, {cross(point - kin.X_WL[link].p, f), f});
    };
    add(s.b, b, direction);
    add(s.a, a, -direction);
  }

  Vec3<double> a, b, along{0, 0, 1};  // along: from a to b
  double length = 0;
};

Vec3<double> rotation_of(const JointLimit& limit, std::span<const double> q) {
  const double* at = q.data() + limit.position;
  return log_rotation(Quaternion<double>{at[0], at[1], at[2], at[3]});
}

// The axis of a ball joint's rotation; any axis if the rotation is zero.
Vec3<double> axis_of(const JointLimit& limit, std::span<const double> q) {
  const Vec3<double> turn = rotation_of(limit, q);
  const double angle = norm(turn);
  return angle > 0 ? (1 / angle) * turn : Vec3<double>{0, 0, 1};
}

}  // namespace

double gap_of(const JointLimit& limit, std::span<const double> q) {
  if (limit.position < 0) return unlimited;
  if (limit.kind == JointLimit::Kind::angle) return limit.bound - norm(rotation_of(limit, q));
  const double at = q[limit.position];
  return limit.kind == JointLimit::Kind::lower ? at - limit.bound : limit.bound - at;
}

double rate_of(const JointLimit& limit, std::span<const double> q, std::span<const double> v) {
  const double* at = v.data() + limit.coordinate;
  if (limit.kind == JointLimit::Kind::angle) return -dot(axis_of(limit, q), Vec3<double>{at[0], at[1], at[2]});
  return limit.kind == JointLimit::Kind::lower ? *at : -*at;
}

double overrun_of(std::span<const JointLimit> limits, std::span<const double> q) {
  double farthest = 0;
  for (const JointLimit& limit : limits) farthest = larger(farthest, -gap_of(limit, q));
  return farthest;
}

void bring_within(const JointLimit& limit, std::span<double> q) {
  const double gap = gap_of(limit, q);
  if (!(gap < 0)) return;
  double* at = q.data() + limit.position;
  if (limit.kind != JointLimit::Kind::angle) {
    *at = limit.bound;
    return;
  }
  const Quaternion<double> turn = exp_rotation(limit.bound * axis_of(limit, q));
  std::ranges::copy(std::initializer_list<double>{turn.w, turn.x, turn.y, turn.z}, at);
}

JointRowPlan::JointRowPlan(const Model& model) : link(model.nv(), 0) {
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const Link& l = model.links()[i];
    const bool quaternion = l.kind == LinkKind::ball || l.kind == LinkKind::free;
    if (l.kind == LinkKind::ball && model.dofs()[l.v].upper != unlimited)
      limits.push_back({JointLimit::Kind::angle, l.v, l.q, model.dofs()[l.v].upper});
    for (int k = 0; k < l.nv; ++k) {
      link[l.v + k] = int(i);
      const DofSpec& dof = model.dofs()[l.v + k];
      const bool turns = quaternion && k < 3;
      const int position = turns ? -1 : l.q + k + (quaternion ? 1 : 0);
      const bool fast = dof.velocity_limit != unlimited;
      if (fast || (!turns && dof.lower != -unlimited))
        limits.push_back({JointLimit::Kind::lower, l.v + k, position, dof.lower, dof.velocity_limit});
      if (fast || (!turns && dof.upper != unlimited))
        limits.push_back({JointLimit::Kind::upper, l.v + k, position, dof.upper, dof.velocity_limit});
    }
  }
  for (int k = 0; k < model.nv(); ++k) {
    const DofSpec& dof = model.dofs()[k];
    if (dof.dry_friction != 0) frictional.push_back(k);
    if (dof.damping != 0) damped.push_back(k);
    passive = passive || dof.damping != 0 || dof.stiffness != 0;
  }
  for (std::size_t a = 0; a < model.actuators().size(); ++a)
    if (is_servo(model.actuators()[a]) && is_bounded(model.actuators()[a])) bounded_servos.push_back(int(a));
}

void add_limit_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   const JointLimit& limit, std::span<const double> q, double offset, Rows& rows) {
  if (limit.kind == JointLimit::Kind::upper) {  // z <= 0: the force only pulls back
    rows.begin_block(BlockKind::box, 1);
    add_coordinate_sides(model, plan, kin, vel, limit.coordinate, rows);
    rows.end_row(-offset, 0, limit.coordinate, -unlimited, 0);
    return;
  }
  rows.begin_block(BlockKind::nonnegative, 1);
  if (limit.kind == JointLimit::Kind::lower) {
    add_coordinate_sides(model, plan, kin, vel, limit.coordinate, rows);
  } else {
    const int link = plan.link[limit.coordinate];
    const Vec3<double> n = kin.X_WL[link].R * axis_of(limit, q);
    rows.add_side(link, {-n, Vec3<double>::zero()});
    rows.add_side(model.links()[link].parent, {n, Vec3<double>::zero()});
  }
  rows.end_row(offset, 0, limit.kind == JointLimit::Kind::lower ? limit.coordinate : -1);
}

void add_friction_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin,
                      const Velocities& vel, int coordinate, double offset, double h, Rows& rows) {
  const double most = h * model.dofs()[coordinate].dry_friction;
  rows.begin_block(BlockKind::box, 1);
  add_coordinate_sides(model, plan, kin, vel, coordinate, rows);
  rows.end_row(offset, 0, coordinate, -most, most);  // (2)
}

void add_servo_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   int actuator, double u, double q, double v, double theta, double h, Rows& rows) {
  const Actuator& a = model.actuators()[actuator];
  const double softness = 1 / (theta * (theta * h * h * a.stiffness + h * a.damping));
  const double offset = a.type == ActuatorType::velocity
                            ? ((1 - theta) * v - u) / theta
                            : (1 - theta) / theta * v - softness * h * a.stiffness * (u - q);  // (3)
  rows.begin_block(BlockKind::box, 1);
  add_coordinate_sides(model, plan, kin, vel, a.v, rows);
  rows.end_row(offset, softness, a.v, h * a.lower, h * a.upper);
}

bool add_spring_row(const Model& model, const Kinematics<double>& kin_0, const Velocities& vel_0,
                    const Kinematics<double>& kin, const Velocities& vel, int spring, double theta, double h,
                    Rows& rows) {
  const Spring& s = model.springs()[spring];
  const double give = theta * (theta * h * h * s.stiffness + h * s.damping);
  const SpringEnds start(model, kin_0, s), ends(model, kin, s);
  if (give == 0 || start.length == 0 || ends.length == 0) return false;
  const double rate = dot(start.along, start.relative_velocity(model, kin_0, vel_0, s));
  const double turning = dot(ends.along, ends.relative_velocity(model, kin, vel, s)) - rate;  // (J_m - J_0) v
  rows.begin_block(BlockKind::free, 1);
  ends.add_sides(model, kin, s, ends.along, rows);
  rows.end_row(turning + (1 - theta) / theta * rate + h * s.stiffness * (start.length - s.length) / give, 1 / give);
  return true;
}

double length_of(const Model& model, const Kinematics<double>& kin, const Spring& spring) {
  return SpringEnds(model, kin, spring).length;
}

bool add_length_row(const Model& model, const Kinematics<double>& kin, int spring, double offset, Rows& rows) {
  const Spring& s = model.springs()[spring];
  const SpringEnds ends(model, kin, s);
  if (ends.length == 0) return false;
  rows.begin_block(BlockKind::free, 1);
  ends.add_sides(model, kin, s, ends.along, rows);
  rows.end_row(offset);
  return true;
}

void add_sway_rows(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int spring, double ahead,
                   double theta, double stiffness, double h, Rows& rows) {
  const Spring& s = model.springs()[spring];
  const SpringEnds ends(model, kin, s);
  if (ends.length == 0) return;
  const Vec3<double> velocity = ends.relative_velocity(model, kin, vel, s);
  const Mat3<double> R = frame_with_z(ends.along);
  const double give = theta * theta * h * h * stiffness;
  rows.begin_block(BlockKind::free, 2);
  for (const Vec3<double>& t : {R * Vec3<double>{1, 0, 0}, R * Vec3<double>{0, 1, 0}}) {
    ends.add_sides(model, kin, s, t, rows);
    // The ends have moved ahead * velocity from the start already.
    rows.end_row((theta * (1 - theta) * h - ahead) / (theta * theta * h) * dot(t, velocity), 1 / give);  // (6)
  }
}

void add_damper_row(const Model& model, const JointRowPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                    int coordinate, double v, double factor, Rows& rows) {
  constexpr double nothing = 1e-150;  // m/s or rad/s; what a damper leaves of a speed would shrink out of range
  if (std::abs(v) < nothing) v = 0;
  rows.begin_block(BlockKind::free, 1);
  add_coordinate_sides(model, plan, kin, vel, coordinate, rows);
  rows.end_row(-v, 1 / factor, coordinate);  // (7)
}

double implicit_weight(double x, double numerical_damping) {
  return 0.5 + 0.5 * numerical_damping * (std::isfinite(x) ? x / (1 + x) : 1);  // (5)
}

double mobility_of(const Model& model, const Spring& spring) {
  const auto mobility = [&](const Attachment& at) {
    const Body& body = model.bodies()[at.body];
    return body.link == 0 ? 0.0 : 1 / body.inertia.mass;
  };
  return mobility(spring.a) + mobility(spring.b);
}

ImplicitWeights::ImplicitWeights(const Model& model, const Plan<double>& plan, double h, double numerical_damping,
                                 bool with_damper_rows)
    : coordinate(model.nv(), 0.5), inertia(model.nv(), unlimited) {
  ArticulatedFactor<double> factors(plan);
  factor<double>(plan, make_state(model).q, factors);
  for (int slot = 0; slot < plan.slots; ++slot) inertia[plan.v_of_slot[slot]] = 1 / factors.pivot[slot].D_inverse;
  for (std::size_t i = 0; i < plan.wide_links.size(); ++i) {
    const WideLink<double>& link = plan.wide_links[i];
    if (link.kind == LinkKind::free) {  // in any case not more than this
      const Sym3<double> I = factors.wide[i].IA.A;
      std::fill_n(inertia.begin() + link.v, 3, std::min({I.xx, I.yy, I.zz}));
      std::fill_n(inertia.begin() + link.v + 3, 3, link.inertia.mass);
      continue;
    }
    const Sym3<double>& D_inverse = factors.wide[i].D_inverse;
    const double least = 1 / std::max({D_inverse.xx, D_inverse.yy, D_inverse.zz});
    std::fill_n(inertia.begin() + link.v, 3, least);
  }
  const std::vector<double> one(model.nv(), 1.0);
  std::vector<double> added(model.nv());
  implicit_factors(model, one, h, true, added);
  if (!with_damper_rows) implicit_armature(model, added, added);
  for (std::size_t k = 0; k < coordinate.size(); ++k)
    coordinate[k] = implicit_weight(added[k] / inertia[k], numerical_damping);
  for (const Spring& s : model.springs())
    spring.push_back(implicit_weight((h * h * s.stiffness + h * s.damping) * mobility_of(model, s), numerical_damping));
}

void implicit_factors(const Model& model, std::span<const double> theta, double h, bool with_bounded_servos,
                      std::span<double> factors) {
  const auto factor = [&](int k, double stiffness, double damping) {
    return theta[k] * (theta[k] * h * h * stiffness + h * damping);
  };
  for (int k = 0; k < model.nv(); ++k) factors[k] = factor(k, model.dofs()[k].stiffness, model.dofs()[k].damping);
  for (const Actuator& a : model.actuators())
    if (is_servo(a) && (with_bounded_servos || !is_bounded(a))) factors[a.v] += factor(a.v, a.stiffness, a.damping);
}

void implicit_armature(const Model& model, std::span<const double> factors, std::span<double> armature) {
  for (const Link& link : model.links()) {
    double least = unlimited;
    for (int k = link.v; k < link.v + link.nv; ++k) least = std::min(least, factors[k]);
    for (int k = link.v; k < link.v + link.nv; ++k) armature[k] = link.kind == LinkKind::free ? 0 : least;
  }
}

void add_implicit_forces(const Model& model, const JointRowPlan& plan, std::span<const double> theta,
                         std::span<const double> q, std::span<const double> v, std::span<const double> controls,
                         double h, bool with_bounded_servos, std::span<double> moved_q, std::span<double> step,
                         std::span<double> tau) {
  if (plan.passive) {
    for (std::size_t k = 0; k < step.size(); ++k) step[k] = theta[k] * h * v[k];
    std::ranges::copy(q, moved_q.begin());
    integrate(model, step, moved_q);
    add_passive_forces(model, moved_q, v, tau);  // (4)
  }
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& a = model.actuators()[i];
    const double u = control_of(model, controls, i);
    if (a.type == ActuatorType::force)
      tau[a.v] += commanded_force(a, u);
    else if (is_servo(a) && (with_bounded_servos || !is_bounded(a)))
      tau[a.v] += servo_force(a, u, q[a.q], v[a.v], theta[a.v] * h);  // (4)
  }
}

}  // namespace linchpin
