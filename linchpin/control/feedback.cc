#include "linchpin/control/feedback.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

Quaternion<double> quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
Vec3<double> vector_at(std::span<const double> x, std::size_t i) {
  return x.empty() ? Vec3<double>::zero() : Vec3<double>{x[i], x[i + 1], x[i + 2]};
}

void check_target(const Model& model, const JointMotion& target) {
  const std::size_t nq = std::size_t(model.nq()), nv = std::size_t(model.nv());
  check(target.q.size() == nq, "the target's q has ", target.q.size(), " numbers, the model needs ", nq);
  check(target.v.empty() || target.v.size() == nv, "the target's v has ", target.v.size(),
        " numbers, the model needs none or ", nv);
  check(target.vdot.empty() || target.vdot.size() == nv, "the target's vdot has ", target.vdot.size(),
        " numbers, the model needs none or ", nv);
}

}  // namespace

void joint_feedback(const Model& model, std::span<const double> q, std::span<const double> v, const JointMotion& target,
                    std::span<const Gains> gains, std::span<double> out) {
  const std::size_t nq = std::size_t(model.nq()), nv = std::size_t(model.nv());
  check(q.size() == nq, "q has ", q.size(), " numbers, the model needs ", nq);
  check(v.size() == nv, "v has ", v.size(), " numbers, the model needs ", nv);
  check(out.size() == nv, "out has ", out.size(), " numbers, the model needs ", nv);
  check(gains.size() == 1 || gains.size() == nv, gains.size(), " gains, the model needs 1 or ", nv);
  check_target(model, target);
  const auto gain = [&](std::size_t k) { return gains.size() == 1 ? gains[0] : gains[k]; };
  const auto number = [](std::span<const double> x, std::size_t k) { return x.empty() ? 0 : x[k]; };
  const auto plain = [&](std::size_t iq, std::size_t k) {
    const Gains g = gain(k);
    out[k] = number(target.vdot, k) + g.kd * (number(target.v, k) - v[k]) + g.kp * (target.q[iq] - q[iq]);
  };
  for (const Link& link : model.links()) {
    const std::size_t iq = std::size_t(link.q), k = std::size_t(link.v);
    if (link.nv == 1) {
      plain(iq, k);
    } else if (link.nv > 1) {  // (2)
      const Quaternion<double> have = quaternion_at(q.data() + iq), want = quaternion_at(target.q.data() + iq);
      const Quaternion<double> E = normalized(Quaternion<double>{have.w, -have.x, -have.y, -have.z} * want);
      const Mat3<double> R = to_rotation(E);
      const Vec3<double> w = vector_at(v, k), w_d = R * vector_at(target.v, k);
      const Vec3<double> forward = R * vector_at(target.vdot, k) - cross(w, w_d), rate = w_d - w,
                         error = log_rotation(E);
      const double f[3] = {forward.x, forward.y, forward.z}, r[3] = {rate.x, rate.y, rate.z},
                   e[3] = {error.x, error.y, error.z};
      for (std::size_t i = 0; i < 3; ++i) out[k + i] = f[i] + gain(k + i).kd * r[i] + gain(k + i).kp * e[i];
      for (std::size_t i = 3; i < std::size_t(link.nv); ++i) plain(iq + i + 1, k + i);
    }
  }
}

Motion<double> tracking_acceleration(const Transform<double>& X_WN, const Motion<double>& velocity,
                                     const FrameMotion& target, const Gains& angular, const Gains& linear) {
  // the rotation vector is computed in the node's axes, then rotated to the world's
  const Vec3<double> turn = X_WN.R * log_rotation(from_rotation(transpose(X_WN.R) * target.X_WN.R));
  const Vec3<double> way = target.X_WN.p - X_WN.p;
  return {target.acceleration.w + angular.kd * (target.velocity.w - velocity.w) + angular.kp * turn,
          target.acceleration.v + linear.kd * (target.velocity.v - velocity.v) + linear.kp * way};
}

FeedbackWorkspace::FeedbackWorkspace(const Plan<double>& plan) : rnea(plan), zeros(plan.nv, 0.0), vdot(plan.nv, 0.0) {}

void gravity_forces(const Plan<double>& plan, std::span<const double> q, FeedbackWorkspace& ws, std::span<double> tau) {
  rnea<double>(plan, q, ws.zeros, ws.zeros, {}, ws.rnea, tau);
}

void bias_forces(const Plan<double>& plan, std::span<const double> q, std::span<const double> v, FeedbackWorkspace& ws,
                 std::span<double> tau) {
  rnea<double>(plan, q, v, ws.zeros, {}, ws.rnea, tau);
}

void computed_torque(const Model& model, const Plan<double>& plan, std::span<const double> q, std::span<const double> v,
                     const JointMotion& target, std::span<const Gains> gains, FeedbackWorkspace& ws,
                     std::span<double> tau) {
  joint_feedback(model, q, v, target, gains, ws.vdot);
  rnea<double>(plan, q, v, ws.vdot, {}, ws.rnea, tau);
  std::fill(ws.vdot.begin(), ws.vdot.end(), 0);
  add_passive_forces(model, q, v, ws.vdot);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] -= ws.vdot[k];
}

int limit_efforts(const Model& model, std::span<double> tau) {
  check(tau.size() == std::size_t(model.nv()), "tau has ", tau.size(), " numbers, the model needs ", model.nv());
  int cut = 0;
  for (std::size_t k = 0; k < tau.size(); ++k) {
    const double most = model.dofs()[k].effort_limit;
    if (!(std::abs(tau[k]) > most)) continue;
    tau[k] = tau[k] < 0 ? -most : most;
    ++cut;
  }
  return cut;
}

}  // namespace linchpin
