// Constraints between bodies of any kind (black_box.h), or a body and the world: `on` are the bodies a and b, either of
// which may be the world. Points and axes of a body are given in its own coordinates.
//
// For a row n . (xdot_a - xdot_b) with a moving direction n, c is n . (bias_a - bias_b) + ndot . (xdot_a - xdot_b).
#pragma once

#include <functional>
#include <memory>

#include "linchpin/black_box/black_box.h"

namespace linchpin {

// A law of time, with its first two derivatives.
struct LawValue {
  double value = 0, rate = 0, acceleration = 0;
};
struct PointLawValue {
  Vec3<double> value{0, 0, 0}, rate{0, 0, 0}, acceleration{0, 0, 0};
};
using Law = std::function<LawValue(double t)>;
using PointLaw = std::function<PointLawValue(double t)>;

// x_a - x_b = 0: 3 rows in space, 2 in the plane z = 0.
class PointsTogether final : public AnyConstraint {
 public:
  PointsTogether(const Vec3<double>& on_a, const Vec3<double>& on_b, int rows = 3);
  int rows() const override { return rows_; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, b_;
  int rows_;
};

// x_a - x_b - law(t) = 0.
class PointFollows final : public AnyConstraint {
 public:
  PointFollows(const Vec3<double>& on_a, PointLaw law, int rows = 3, const Vec3<double>& on_b = {0, 0, 0});
  int rows() const override { return rows_; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, b_;
  PointLaw law_;
  int rows_;
};

// |x_a - x_b| = length (rod), at most length (rope), or at least length (strut). The error is positive on the allowed
// side.
class DistanceRod final : public AnyConstraint {
 public:
  enum class Kind { rod, rope, strut };
  DistanceRod(const Vec3<double>& on_a, const Vec3<double>& on_b, double length, Kind kind = Kind::rod);
  int rows() const override { return 1; }
  RowLaw law() const override;
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, b_;
  double length_;
  Kind kind_;
};

// direction . (xdot_a - xdot_b) = rate of the law, whose value is not used. A constraint on velocity only. The
// direction is in the world's axes.
class SpeedAlong final : public AnyConstraint {
 public:
  SpeedAlong(const Vec3<double>& on_a, const Vec3<double>& direction, double speed,
             const Vec3<double>& on_b = {0, 0, 0});
  SpeedAlong(const Vec3<double>& on_a, const Vec3<double>& direction, Law law, const Vec3<double>& on_b = {0, 0, 0});
  int rows() const override { return 1; }
  int holonomic_rows() const override { return 0; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, b_, direction_;
  Law law_;
};

// A knife edge or skate: its point has zero velocity along `sideways`, an axis of body a.
class KnifeEdge final : public AnyConstraint {
 public:
  KnifeEdge(const Vec3<double>& on_a, const Vec3<double>& sideways);
  int rows() const override { return 1; }
  int holonomic_rows() const override { return 0; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, sideways_;
};

// A gear as a constraint on angular velocities only [004 s.2.2]: w_a . axis_a = ratio w_b . axis_b + speed. The axes
// move with their bodies, or are fixed in the world.
class SpinGear final : public AnyConstraint {
 public:
  enum class Axes { of_bodies, of_world };
  SpinGear(const Vec3<double>& axis_a, const Vec3<double>& axis_b, double ratio, Axes axes = Axes::of_bodies,
           double speed = 0);
  int rows() const override { return 1; }
  int holonomic_rows() const override { return 0; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, b_;
  double ratio_, speed_;
  Axes axes_;
};

// A disc on body a that rolls on a plane of the world: its lowest point touches the plane and does not slip. The first
// row is the height (holonomic), the others are the slip. With N the plane's normal, n the disc's axis:
//     e = (N - (N.n) n) / |...|,     x = centre - radius e,     xdot = centre' - w x radius e = 0
class RollingDisc final : public AnyConstraint {
 public:
  RollingDisc(const Vec3<double>& centre, const Vec3<double>& axis, double radius,
              const Vec3<double>& plane_point = {0, 0, 0}, const Vec3<double>& plane_normal = {0, 0, 1});
  int rows() const override { return 3; }
  int holonomic_rows() const override { return 1; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> centre_, axis_, point_;
  Mat3<double> plane_;  // tangents and normal
  double radius_;
};

// A point of a stays on a surface of b, or outside it (one_sided).
//
// X, the point in b's coordinates, obeys x_a = x_b(X) with x_b(X) = x_b(0) + G X, so with N = G^-T grad f
//     d/dt f = N . (xdot_a - xdot_b(X)),     Xdot = G^-1 (xdot_a - xdot_b(X))
//     c = N . (bias_a - bias_b(X) - 2 Gdot Xdot) + Xdot' H Xdot
class PointOnSurface final : public AnyConstraint {
 public:
  PointOnSurface(const Vec3<double>& on_a, std::shared_ptr<const ImplicitSurface> surface, bool one_sided = false);
  int rows() const override { return 1; }
  RowLaw law() const override;
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_;
  std::shared_ptr<const ImplicitSurface> surface_;
  bool one_sided_;
};

// A point of a above a plane of the world.
//   frictionless: one row, l >= 0.  cone: three rows, Coulomb's law.
//   sliding: one row with the force N - mu t, t the sliding direction, which is not along the row [004 s.8.1].
class PointOnPlane final : public AnyConstraint {
 public:
  enum class Kind { frictionless, sliding, cone };
  PointOnPlane(const Vec3<double>& on_a, Kind kind, double mu = 0, const Vec3<double>& plane_point = {0, 0, 0},
               const Vec3<double>& plane_normal = {0, 0, 1});
  int rows() const override { return kind_ == Kind::cone ? 3 : 1; }
  int holonomic_rows() const override { return 1; }
  RowLaw law() const override;
  bool own_directions() const override { return kind_ == Kind::sliding; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, point_;
  Mat3<double> plane_;
  Kind kind_;
  double mu_;
};

// Any equality with the same limits on the force of each row: a brake, a motor of limited torque, a clutch. It yields
// at the limits, so it has no position error.
class LimitedForce final : public AnyConstraint {
 public:
  LimitedForce(std::shared_ptr<const AnyConstraint> constraint, double lower, double upper);
  int rows() const override { return constraint_->rows(); }
  int holonomic_rows() const override { return 0; }
  RowLaw law() const override { return {.kind = RowLaw::Kind::box, .lower = lower_, .upper = upper_}; }
  bool own_directions() const override { return constraint_->own_directions(); }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  std::shared_ptr<const AnyConstraint> constraint_;
  double lower_, upper_;
};

// Drags a point of a to a target by a spring that acts on the position at the end of the move, not at its start (f = m
// v):
//     J v + softness l = (target - x) / time                                                                     (1)
// The point moves to the target, or as near as the other constraints allow, for any `time`. softness = 1 / (stiffness
// time).
class DraggedPoint final : public AnyConstraint {
 public:
  DraggedPoint(const Vec3<double>& on_a, const Vec3<double>& target, double stiffness, double time, int rows = 3);
  void set_target(const Vec3<double>& target) { target_ = target; }
  const Vec3<double>& target() const { return target_; }
  int rows() const override { return rows_; }
  int holonomic_rows() const override { return 0; }
  void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const override;

 private:
  Vec3<double> a_, target_;
  double stiffness_, time_;
  int rows_;
};

}  // namespace linchpin
