#include "linchpin/black_box/box_constraints.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/model/spec.h"

namespace linchpin {
namespace {

Vec3<double> unit(const Vec3<double>& a) {
  const double length = norm(a);
  check(length > 0, "a direction of length ", length);
  return (1 / length) * a;
}
constexpr Vec3<double> world_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
double component(const Vec3<double>& a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

// Adds a row along n for a and against it for b, and ndot . (xdot_a - xdot_b) to c.
void add_difference(const RowBlocks& out, int row, const Vec3<double>& n, const Moving& a, const Moving& b) {
  out.add(0, row, n, a);
  out.add(1, row, -n, b);
}
void check_two(std::span<const BodyView> on) {
  check(on.size() == 2, "a constraint on ", on.size(), " bodies; 2 are needed, counting the world");
}
void check_rows(int rows) { check(rows == 2 || rows == 3, rows, " rows for a point: 2 in the plane, 3 in space"); }

}  // namespace

PointsTogether::PointsTogether(const Vec3<double>& on_a, const Vec3<double>& on_b, int rows)
    : a_(on_a), b_(on_b), rows_(rows) {
  check_rows(rows);
}
void PointsTogether::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  check_two(on);
  const PointMotion a = on[0].point(a_), b = on[1].point(b_);
  for (int k = 0; k < rows_; ++k) {
    add_difference(out, k, world_axes[k], a, b);
    out.error[k] = component(a.at - b.at, k);
  }
}

PointFollows::PointFollows(const Vec3<double>& on_a, PointLaw law, int rows, const Vec3<double>& on_b)
    : a_(on_a), b_(on_b), law_(std::move(law)), rows_(rows) {
  check_rows(rows);
}
void PointFollows::evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const {
  check_two(on);
  const PointMotion a = on[0].point(a_), b = on[1].point(b_);
  const PointLawValue law = law_(t);
  for (int k = 0; k < rows_; ++k) {
    add_difference(out, k, world_axes[k], a, b);
    out.error[k] = component(a.at - b.at - law.value, k);
    out.speed[k] = component(law.rate, k);
    out.c[k] -= component(law.acceleration, k);
  }
}

DistanceRod::DistanceRod(const Vec3<double>& on_a, const Vec3<double>& on_b, double length, Kind kind)
    : a_(on_a), b_(on_b), length_(length), kind_(kind) {
  check(length > 0, "a rod of length ", length, "; for no length take PointsTogether");
}
RowLaw DistanceRod::law() const {
  return {.kind = kind_ == Kind::rod ? RowLaw::Kind::equality : RowLaw::Kind::nonnegative};
}
void DistanceRod::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  check_two(on);
  const PointMotion a = on[0].point(a_), b = on[1].point(b_);
  const double sign = kind_ == Kind::rope ? -1 : 1;
  const Vec3<double> d = a.at - b.at, v = a.rate - b.rate;
  const double distance = norm(d);
  const Vec3<double> n = (sign / distance) * d;
  add_difference(out, 0, n, a, b);
  const double along = dot(n, v);
  out.c[0] += sign * (dot(v, v) - along * along) / distance;
  out.error[0] = sign * (distance - length_);
}

SpeedAlong::SpeedAlong(const Vec3<double>& on_a, const Vec3<double>& direction, double speed, const Vec3<double>& on_b)
    : SpeedAlong(
          on_a, direction,
          [speed](double t) {
            return LawValue{speed * t, speed, 0};
          },
          on_b) {}
SpeedAlong::SpeedAlong(const Vec3<double>& on_a, const Vec3<double>& direction, Law law, const Vec3<double>& on_b)
    : a_(on_a), b_(on_b), direction_(unit(direction)), law_(std::move(law)) {}
void SpeedAlong::evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const {
  check_two(on);
  add_difference(out, 0, direction_, on[0].point(a_), on[1].point(b_));
  const LawValue law = law_(t);
  out.speed[0] = law.rate;
  out.c[0] -= law.acceleration;
}

KnifeEdge::KnifeEdge(const Vec3<double>& on_a, const Vec3<double>& sideways) : a_(on_a), sideways_(unit(sideways)) {}
void KnifeEdge::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  const PointMotion a = on[0].point(a_);
  const SpinMotion spin = on[0].spin();
  const Vec3<double> s = spin.R * sideways_;
  out.add(0, 0, s, a);
  out.c[0] += dot(cross(spin.rate, s), a.rate);
}

SpinGear::SpinGear(const Vec3<double>& axis_a, const Vec3<double>& axis_b, double ratio, Axes axes, double speed)
    : a_(unit(axis_a)), b_(unit(axis_b)), ratio_(ratio), speed_(speed), axes_(axes) {}
void SpinGear::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  check_two(on);
  const SpinMotion a = on[0].spin(), b = on[1].spin();
  const bool moving = axes_ == Axes::of_bodies;  // then (w x axis) . w = 0: no term in c
  out.add(0, 0, moving ? a.R * a_ : a_, a);
  out.add(1, 0, -ratio_ * (moving ? b.R * b_ : b_), b);
  out.speed[0] = speed_;
}

RollingDisc::RollingDisc(const Vec3<double>& centre, const Vec3<double>& axis, double radius,
                         const Vec3<double>& plane_point, const Vec3<double>& plane_normal)
    : centre_(centre),
      axis_(unit(axis)),
      point_(plane_point),
      plane_(frame_with_z(unit(plane_normal))),
      radius_(radius) {
  check(radius > 0, "a disc of radius ", radius);
}
void RollingDisc::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  const PointMotion centre = on[0].point(centre_);
  const SpinMotion spin = on[0].spin();
  const Vec3<double> N = plane_.z, n = spin.R * axis_, n_dot = cross(spin.rate, n);
  const double cosine = dot(N, n), cosine_dot = dot(N, n_dot), sine = std::sqrt(1 - cosine * cosine),
               sine_dot = -cosine * cosine_dot / sine;
  const Vec3<double> e = (1 / sine) * (N - cosine * n);
  const Vec3<double> e_dot = (1 / sine) * (-cosine_dot * n - cosine * n_dot - sine_dot * e);
  const Vec3<double> rows[3] = {N, plane_.x, plane_.y};
  for (int k = 0; k < 3; ++k) {
    // n . (w x -r e) = w . (-r e x n)
    out.add(0, k, rows[k], centre);
    out.add(0, k, -radius_ * cross(e, rows[k]), spin);
    out.c[k] -= radius_ * dot(rows[k], cross(spin.rate, e_dot));
  }
  out.error[0] = dot(N, centre.at - point_) - radius_ * sine;
}

PointOnSurface::PointOnSurface(const Vec3<double>& on_a, std::shared_ptr<const ImplicitSurface> surface, bool one_sided)
    : a_(on_a), surface_(std::move(surface)), one_sided_(one_sided) {
  check(surface_ != nullptr, "a point on no surface");
}
RowLaw PointOnSurface::law() const { return {.kind = one_sided_ ? RowLaw::Kind::nonnegative : RowLaw::Kind::equality}; }
void PointOnSurface::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  check_two(on);
  check(on[1].affine(), "a surface on a body whose points do not move as x0 + G X");
  const PointMotion a = on[0].point(a_), origin = on[1].point({0, 0, 0});
  const Mat3<double> G{on[1].point({1, 0, 0}).at - origin.at, on[1].point({0, 1, 0}).at - origin.at,
                       on[1].point({0, 0, 1}).at - origin.at};
  // G^-T by its columns; G^-1 y = (columns)' y
  const double volume = dot(G.x, cross(G.y, G.z));
  const Mat3<double> T{(1 / volume) * cross(G.y, G.z), (1 / volume) * cross(G.z, G.x), (1 / volume) * cross(G.x, G.y)};
  const Vec3<double> X = transpose_times(T, a.at - origin.at);
  const PointMotion b = on[1].point(X);
  const Vec3<double> X_dot = transpose_times(T, a.rate - b.rate);
  const Vec3<double> G_dot_X_dot = on[1].point(X + X_dot).rate - b.rate;
  const SurfaceValue s = surface_->at(X);
  const Vec3<double> N = T * s.gradient;
  add_difference(out, 0, N, a, b);
  out.c[0] += dot(X_dot, s.hessian * X_dot) - 2 * dot(N, G_dot_X_dot);
  out.error[0] = s.f;
}

PointOnPlane::PointOnPlane(const Vec3<double>& on_a, Kind kind, double mu, const Vec3<double>& plane_point,
                           const Vec3<double>& plane_normal)
    : a_(on_a), point_(plane_point), plane_(frame_with_z(unit(plane_normal))), kind_(kind), mu_(mu) {
  check(mu >= 0, "friction of ", mu);
}
RowLaw PointOnPlane::law() const {
  if (kind_ == Kind::cone) return {.kind = RowLaw::Kind::cone, .mu = mu_};
  return {.kind = RowLaw::Kind::nonnegative};
}
void PointOnPlane::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  const PointMotion a = on[0].point(a_);
  const Vec3<double> N = plane_.z;
  out.add(0, 0, N, a);
  out.error[0] = dot(N, a.at - point_);
  if (kind_ == Kind::cone) {
    out.add(0, 1, plane_.x, a);
    out.add(0, 2, plane_.y, a);
  }
  if (kind_ == Kind::sliding) {
    const Vec3<double> slip = a.rate - dot(N, a.rate) * N;
    const double speed = norm(slip);
    out.add_direction(0, 0, speed > 0 ? N - (mu_ / speed) * slip : N, a);
  }
}

LimitedForce::LimitedForce(std::shared_ptr<const AnyConstraint> constraint, double lower, double upper)
    : constraint_(std::move(constraint)), lower_(lower), upper_(upper) {
  check(constraint_ != nullptr, "force limits without a constraint");
  check(constraint_->law().kind == RowLaw::Kind::equality, "force limits on a constraint that is not an equality");
  check(lower <= upper, "a force between ", lower, " and ", upper);
}
void LimitedForce::evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const {
  constraint_->evaluate(t, on, out);
  std::ranges::fill(out.error, 0.0);
}

DraggedPoint::DraggedPoint(const Vec3<double>& on_a, const Vec3<double>& target, double stiffness, double time,
                           int rows)
    : a_(on_a), target_(target), stiffness_(stiffness), time_(time), rows_(rows) {
  check(stiffness > 0 && time > 0, "dragging with stiffness ", stiffness, " over a time of ", time);
  check_rows(rows);
}
void DraggedPoint::evaluate(double, std::span<const BodyView> on, const RowBlocks& out) const {
  const PointMotion a = on[0].point(a_);
  for (int k = 0; k < rows_; ++k) {
    out.add(0, k, world_axes[k], a);
    out.speed[k] = component(target_ - a.at, k) / time_;
    out.softness[k] = 1 / (stiffness_ * time_);
    out.c[k] += component(a.rate, k) / time_;  // -d/dt of the speed (target - x) / time
  }
}

}  // namespace linchpin
