#include "linchpin/dynamics/tree/mechanics.h"

#include <algorithm>
#include <limits>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/springs.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

void check_poses(const Model& model, const Kinematics<double>& kin) {
  check(kin.X_WL.size() == model.links().size(), "kinematics of ", kin.X_WL.size(), " links, the model has ",
        model.links().size());
}
void check_velocities(const Model& model, const Velocities& vel) {
  check(vel.link.size() == model.links().size() && vel.axis.size() == std::size_t(model.nv()), "velocities of ",
        vel.link.size(), " links and ", vel.axis.size(), " coordinates, the model has ", model.links().size(), " and ",
        model.nv());
}
void check_coordinates(const char* what, std::size_t given, int needed) {
  check(given == std::size_t(needed), what, " has ", given, " numbers, the model needs ", needed);
}
void check_body(const Model& model, int body) {
  check(body >= 0 && std::size_t(body) < model.bodies().size(), "body ", body, " of ", model.bodies().size());
}

// The velocity of a link relative to its parent: sum s_k v_k, sum t_k v_k.
Motion<double> along_axes(const Link& link, std::span<const Motion<double>> axis, std::span<const double> v) {
  Motion<double> sum = Motion<double>::zero();
  for (int k = link.v; k < link.v + link.nv; ++k) sum = sum + v[k] * axis[k];
  return sum;
}

void one_axis(const Link& link, const Mat3<double>& R_WL, Motion<double>* axis) {
  axis[0] = {link.turn * R_WL.z, link.slide * R_WL.z};
}
// Angular velocity in the link's own axes.
void ball_axes(const Mat3<double>& R_WL, Motion<double>* axis) {
  const Vec3<double> still = Vec3<double>::zero();
  axis[0] = {R_WL.x, still};
  axis[1] = {R_WL.y, still};
  axis[2] = {R_WL.z, still};
}
// Free joint: angular velocity in the link's axes, then the velocity of its origin in F's axes.
void free_axes(const Mat3<double>& R_WL, const Mat3<double>& R_WF, Motion<double>* axis) {
  const Vec3<double> no_turn = Vec3<double>::zero();
  ball_axes(R_WL, axis);
  axis[3] = {no_turn, R_WF.x};
  axis[4] = {no_turn, R_WF.y};
  axis[5] = {no_turn, R_WF.z};
}

// A point fixed in a body: its link, and its position in the world.
struct CarriedPoint {
  std::size_t link;
  Vec3<double> x;
};
CarriedPoint carried_point(const Model& model, const Kinematics<double>& kin, int body, const Vec3<double>& point_B) {
  check_poses(model, kin);
  check_body(model, body);
  const Body& carrier = model.bodies()[body];
  return {std::size_t(carrier.link), kin.X_WL[carrier.link] * (carrier.X_LB * point_B)};
}

// Writes column k of a matrix of six rows.
void put_column(const Vec3<double>& angular, const Vec3<double>& linear, std::size_t k, std::size_t columns,
                double* J) {
  J[k] = angular.x;
  J[k + columns] = angular.y;
  J[k + 2 * columns] = angular.z;
  J[k + 3 * columns] = linear.x;
  J[k + 4 * columns] = linear.y;
  J[k + 5 * columns] = linear.z;
}

// Calls column(link, k) for each coordinate between a link and the base.
template <class Column>
void for_each_axis_below(const Model& model, std::size_t link, const Column& column) {
  for (std::size_t i = link; i != 0; i = std::size_t(model.links()[i].parent)) {
    const Link& joint = model.links()[i];
    for (int k = joint.v; k < joint.v + joint.nv; ++k) column(i, std::size_t(k));
  }
}

// The motion of a link at its own origin in its own axes, where its inertia is constant.
Motion<double> in_link(const Mat3<double>& R_WL, const Motion<double>& motion) {
  return {transpose_times(R_WL, motion.w), transpose_times(R_WL, motion.v)};
}

Vec3<double> rotation_vector(const double* q) { return log_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}); }

double spring_energy(const Model& model, const Link& link, const double* q) {
  if (link.nv == 0) return 0;
  const DofSpec& dof = model.dofs()[link.v];
  if (dof.stiffness == 0) return 0;
  if (link.nv == 1) {
    const double stretch = q[link.q] - dof.rest;
    return 0.5 * dof.stiffness * stretch * stretch;
  }
  const Vec3<double> turn = rotation_vector(q + link.q);  // of a ball; free joints have no stiffness
  return 0.5 * dof.stiffness * dot(turn, turn);
}

void add_spring_force(const Model& model, const Link& link, const double* q, double* tau) {
  if (link.nv == 0) return;
  const DofSpec& dof = model.dofs()[link.v];
  if (dof.stiffness == 0) return;
  if (link.nv == 1) {
    tau[link.v] -= dof.stiffness * (q[link.q] - dof.rest);
    return;
  }
  // d|turn| = (turn/|turn|) . w dt in either frame's axes, so the gradient is the rotation vector itself.
  const Vec3<double> turn = rotation_vector(q + link.q);
  tau[link.v] -= dof.stiffness * turn.x;
  tau[link.v + 1] -= dof.stiffness * turn.y;
  tau[link.v + 2] -= dof.stiffness * turn.z;
}

}  // namespace

Velocities::Velocities(const Model& model)
    : axis(model.nv(), Motion<double>::zero()), link(model.links().size(), Motion<double>::zero()) {}

void joint_axes(const Model& model, const Kinematics<double>& kin, Velocities& out) {
  check_poses(model, kin);
  check_velocities(model, out);
  for (const Run& run : model.runs())
    for (std::size_t i = std::size_t(run.first); i < std::size_t(run.end); ++i) {
      const Link& link = model.links()[i];
      const Mat3<double>& R_WL = kin.X_WL[i].R;
      Motion<double>* axis = out.axis.data() + link.v;
      if (run.kind == LinkKind::revolute || run.kind == LinkKind::axial)
        one_axis(link, R_WL, axis);
      else if (run.kind == LinkKind::ball)
        ball_axes(R_WL, axis);
      else if (run.kind == LinkKind::free)
        free_axes(R_WL, kin.X_WL[link.parent].R * link.X_PF.R, axis);
    }
}

void velocities(const Model& model, const Kinematics<double>& kin, std::span<const double> v, Velocities& out) {
  joint_axes(model, kin, out);
  link_velocities(model, kin, out.axis, v, out.link);
}

void link_velocities(const Model& model, const Kinematics<double>& kin, std::span<const Motion<double>> axis,
                     std::span<const double> v, std::span<Motion<double>> out) {
  check_coordinates("v", v.size(), model.nv());
  Motion<double> last = out[0] = Motion<double>::zero();
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const std::size_t p = std::size_t(link.parent);
    if (p + 1 != i) last = out[p];  // within a chain it is still in registers
    const Motion<double> joint = along_axes(link, axis, v);
    const Vec3<double> r = kin.X_WL[i].p - kin.X_WL[p].p;
    last = {last.w + joint.w, last.v + (cross(last.w, r) + joint.v)};  // (1)
    out[i] = last;
  }
}

void accelerations(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<const double> v,
                   std::span<const double> vdot, std::span<Motion<double>> out) {
  check_poses(model, kin);
  check_velocities(model, vel);
  check_coordinates("v", v.size(), model.nv());
  check_coordinates("vdot", vdot.size(), model.nv());
  check(out.size() == model.links().size(), "room for ", out.size(), " accelerations, the model has ",
        model.links().size(), " links");
  out[0] = Motion<double>::zero();
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const std::size_t p = std::size_t(link.parent);
    const Vec3<double>& w = vel.link[p].w;
    const Vec3<double> r = kin.X_WL[i].p - kin.X_WL[p].p;
    const Motion<double> joint = along_axes(link, vel.axis, v), change = along_axes(link, vel.axis, vdot);
    const Vec3<double> alpha = out[p].w + cross(w, joint.w) + change.w;  // (2)
    const Vec3<double> turning = cross(out[p].w, r) + cross(w, cross(w, r) + 2.0 * joint.v);
    out[i] = {alpha, out[p].v + turning + change.v};  // (3)
  }
}

Transform<double> body_pose(const Model& model, const Kinematics<double>& kin, int body) {
  check_poses(model, kin);
  check_body(model, body);
  const Body& b = model.bodies()[body];
  return kin.X_WL[b.link] * b.X_LB;
}

Transform<double> frame_pose(const Model& model, const Kinematics<double>& kin, int frame) {
  check(frame >= 0 && std::size_t(frame) < model.frames().size(), "frame ", frame, " of ", model.frames().size());
  const Frame& f = model.frames()[frame];
  return body_pose(model, kin, f.body) * f.X_BF;
}

Motion<double> point_velocity(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                              const Vec3<double>& point_B) {
  check_velocities(model, vel);
  const CarriedPoint point = carried_point(model, kin, body, point_B);
  const Motion<double>& link = vel.link[point.link];
  return {link.w, link.v + cross(link.w, point.x - kin.X_WL[point.link].p)};
}

Motion<double> point_acceleration(const Model& model, const Kinematics<double>& kin, const Velocities& vel,
                                  std::span<const Motion<double>> link_acceleration, int body,
                                  const Vec3<double>& point_B) {
  check_velocities(model, vel);
  check(link_acceleration.size() == model.links().size(), "accelerations of ", link_acceleration.size(),
        " links, the model has ", model.links().size());
  const CarriedPoint point = carried_point(model, kin, body, point_B);
  const Motion<double>& a = link_acceleration[point.link];
  const Vec3<double>& w = vel.link[point.link].w;
  const Vec3<double> r = point.x - kin.X_WL[point.link].p;
  return {a.w, a.v + cross(a.w, r) + cross(w, cross(w, r))};
}

void point_jacobian(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                    const Vec3<double>& point_B, std::span<double> J) {
  check_velocities(model, vel);
  check_coordinates("J", J.size(), 6 * model.nv());
  const CarriedPoint point = carried_point(model, kin, body, point_B);
  std::ranges::fill(J, 0);
  for_each_axis_below(model, point.link, [&](std::size_t i, std::size_t k) {
    const Motion<double>& axis = vel.axis[k];
    const Vec3<double> linear = axis.v + cross(axis.w, point.x - kin.X_WL[i].p);  // (4)
    put_column(axis.w, linear, k, std::size_t(model.nv()), J.data());
  });
}

void point_jacobian_rate(const Model& model, const Kinematics<double>& kin, const Velocities& vel, int body,
                         const Vec3<double>& point_B, std::span<double> Jdot) {
  check_coordinates("Jdot", Jdot.size(), 6 * model.nv());
  const Vec3<double> xdot = point_velocity(model, kin, vel, body, point_B).v;
  const CarriedPoint point = carried_point(model, kin, body, point_B);
  std::ranges::fill(Jdot, 0);
  for_each_axis_below(model, point.link, [&](std::size_t i, std::size_t k) {
    const Motion<double>&axis = vel.axis[k], &link = vel.link[i];
    const Vec3<double>& w_parent = vel.link[model.links()[i].parent].w;
    const Vec3<double> sdot = cross(link.w, axis.w), tdot = cross(w_parent, axis.v);
    const Vec3<double> lever = cross(sdot, point.x - kin.X_WL[i].p) + cross(axis.w, xdot - link.v);
    put_column(sdot, tdot + lever, k, std::size_t(model.nv()), Jdot.data());  // (5)
  });
}

CentreOfMass centre_of_mass(const Model& model, const Kinematics<double>& kin, const Velocities& vel) {
  check_poses(model, kin);
  check_velocities(model, vel);
  double mass = 0;
  Vec3<double> moment = Vec3<double>::zero(), flow = Vec3<double>::zero();  // mass times position, times velocity
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const RigidInertia<double>& I = model.links()[i].inertia;
    const Vec3<double> h = kin.X_WL[i].R * I.h;
    mass += I.mass;
    moment += I.mass * kin.X_WL[i].p + h;
    flow += I.mass * vel.link[i].v + cross(vel.link[i].w, h);
  }
  const double per_mass = mass > 0 ? 1 / mass : std::numeric_limits<double>::quiet_NaN();
  return {mass, per_mass * moment, per_mass * flow};
}

Force<double> momentum(const Model& model, const Kinematics<double>& kin, const Velocities& vel) {
  check_poses(model, kin);
  check_velocities(model, vel);
  Force<double> sum = Force<double>::zero();
  for (std::size_t i = 1; i < model.links().size(); ++i)
    sum += force_to_parent(kin.X_WL[i], model.links()[i].inertia * in_link(kin.X_WL[i].R, vel.link[i]));
  return sum;
}

Energy energy(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<const double> q,
              std::span<const double> v) {
  check_poses(model, kin);
  check_velocities(model, vel);
  check_coordinates("q", q.size(), model.nq());
  check_coordinates("v", v.size(), model.nv());
  Energy sum{0, 0, 0};
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const Motion<double> motion = in_link(kin.X_WL[i].R, vel.link[i]);
    sum.kinetic += 0.5 * dot(link.inertia * motion, motion);
    sum.gravity -= dot(model.gravity(), link.inertia.mass * kin.X_WL[i].p + kin.X_WL[i].R * link.inertia.h);
    sum.springs += spring_energy(model, link, q.data());
  }
  for (std::size_t k = 0; k < v.size(); ++k) sum.kinetic += 0.5 * model.dofs()[k].armature * v[k] * v[k];
  sum.springs += spring_energy(model, kin);
  return sum;
}

void add_passive_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                        std::span<double> tau) {
  check_coordinates("q", q.size(), model.nq());
  check_coordinates("v", v.size(), model.nv());
  check_coordinates("tau", tau.size(), model.nv());
  for (const Link& link : model.links()) add_spring_force(model, link, q.data(), tau.data());
  for (std::size_t k = 0; k < v.size(); ++k) tau[k] -= model.dofs()[k].damping * v[k];
}

double damping_power(const Model& model, std::span<const double> v) {
  check_coordinates("v", v.size(), model.nv());
  double power = 0;
  for (std::size_t k = 0; k < v.size(); ++k) power -= model.dofs()[k].damping * v[k] * v[k];
  return power;
}

}  // namespace linchpin
