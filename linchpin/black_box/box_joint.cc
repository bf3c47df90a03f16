#include "linchpin/black_box/box_joint.h"

#include <cmath>
#include <numbers>

#include "linchpin/base/check.h"

namespace linchpin {

JointConstraint::JointConstraint(const JointSpec& joint) : p_F_(joint.X_PF.p), p_M_(joint.X_CM.p) {
  check(joint.type != JointType::free, "a free joint constrains nothing");
  const Mat3<double>&F = joint.X_PF.R, &M = joint.X_CM.R;
  const Mat3<double> axes = frame_with_z(joint.axis);
  F_ = F * axes;
  M_ = M * axes;
  const auto turn = [&](const Vec3<double>& on_F, const Vec3<double>& on_M) {  // both in the joint's frames
    turns_.push_back({F * on_F, M * on_M, dot(on_F, on_M)});
  };
  const auto keep_axis = [&] {
    turn(axes.x, axes.z);
    turn(axes.y, axes.z);
  };
  const auto keep_all = [&] {
    keep_axis();
    turn(axes.x, axes.y);
  };
  switch (joint.type) {
    case JointType::weld:
      along_ = {F_.x, F_.y, F_.z};
      keep_all();
      break;
    case JointType::revolute:
      along_ = {F_.x, F_.y, F_.z};
      keep_axis();
      break;
    case JointType::prismatic:
      along_ = {F_.x, F_.y};
      keep_all();
      break;
    case JointType::screw:
      along_ = {F_.x, F_.y};
      keep_axis();
      screw_ = true;
      pitch_ = joint.pitch;
      break;
    case JointType::cylindrical:
      along_ = {F_.x, F_.y};
      keep_axis();
      break;
    case JointType::universal:
      along_ = {F_.x, F_.y, F_.z};
      turn(axes.z, frame_with_z(joint.axis2).z);
      break;
    case JointType::planar:
      along_ = {F_.z};
      keep_axis();
      break;
    case JointType::ball:
      along_ = {F_.x, F_.y, F_.z};
      break;
    case JointType::translational:
      keep_all();
      break;
    case JointType::free:
      break;
  }
}

void JointConstraint::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  check(on.size() == 2, "a joint on ", on.size(), " bodies; 2 are needed, counting the world");
  const PointMotion x_F = on[0].point(p_F_), x_M = on[1].point(p_M_);
  const SpinMotion a = on[0].spin(), b = on[1].spin();
  const Vec3<double> d = x_M.at - x_F.at, d_dot = x_M.rate - x_F.rate;
  int row = 0;
  const auto slide = [&](const Vec3<double>& on_F) {  // (1): d/dt of n . d with n on a
    const Vec3<double> n = a.R * on_F, n_dot = cross(a.rate, n);
    out.add(1, row, n, x_M);
    out.add(0, row, -n, x_F);
    out.add(0, row, cross(n, d), a);  // (w x n) . d
    out.c[row] += 2 * dot(n_dot, d_dot) + dot(cross(a.rate, n_dot), d);
    return dot(n, d);
  };
  for (const Vec3<double>& n : along_) {
    out.error[row] = slide(n);
    ++row;
  }
  for (const Turn& turn : turns_) {  // (2): (w_a - w_b) . (u x v)
    const Vec3<double> u = a.R * turn.F, v = b.R * turn.M, m = cross(u, v);
    out.add(0, row, m, a);
    out.add(1, row, -m, b);
    const Vec3<double> m_dot = cross(cross(a.rate, u), v) + cross(u, cross(b.rate, v));
    out.c[row] += dot(m_dot, a.rate - b.rate);
    out.error[row] = dot(u, v) - turn.at_zero;
    ++row;
  }
  if (screw_) {
    // distance - pitch angle. The rate of the angle is the relative angular velocity about the axis while the axes
    // agree. The angle is known up to whole turns; the error uses the nearest.
    const double distance = slide(F_.z);
    const Vec3<double> n = a.R * F_.z;
    out.add(1, row, -pitch_ * n, b);
    out.add(0, row, pitch_ * n, a);
    out.c[row] -= pitch_ * dot(cross(a.rate, n), b.rate - a.rate);
    const Vec3<double> x = b.R * M_.x;
    const double angle = std::atan2(dot(a.R * F_.y, x), dot(a.R * F_.x, x));
    const double turn = 2 * std::numbers::pi * pitch_, off = distance - pitch_ * angle;
    out.error[row] = turn != 0 ? std::remainder(off, turn) : off;
  }
}

}  // namespace linchpin
