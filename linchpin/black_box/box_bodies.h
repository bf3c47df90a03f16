// Kinds of bodies for black_box.h: rigid bodies with or without scaling, bodies in the plane, particles.
//
// A rigid body, with or without scaling, has its point X at
//     x = p + R S X,     S = 1, s 1 or diag(s)                                                                   (1)
// Its velocity is v = (w, pdot, sdot): angular velocity in the body's axes, velocity of its origin in the world's axes,
// as for a free joint, and the rates of scaling. With u = S X, Y = Sdot X, and all in the body's axes except p:
//     xdot = pdot + R (w x u + Y),     xddot = pddot + R (wdot x u + Sddot X) + bias
//     bias = R (w x (w x u) + 2 w x Y)                                                                           (2)
// The mass matrix and the forces are the integrals of J'J dm and -J' bias dm. They follow from the mass, the first
// moments and the second moments (the integral of X X' dm, which gives the moments of inertia). Positions are q =
// (quaternion w x y z, p, s).
#pragma once

#include <array>

#include "linchpin/black_box/black_box.h"

namespace linchpin {

// 0 scalings: rigid (dimension 6); 1: one scale for all axes (7); 3: one for each axis (9).
template <int scalings>
class ScaledRigidBody final : public AnyBody {
 public:
  // The inertia is about the origin, at natural size (S = 1). `stiffness` is that of a spring that pulls each scale to
  // 1, N/m for a metre of size.
  explicit ScaledRigidBody(const RigidInertia<double>& inertia, double stiffness = 0);

  int dimension() const override { return 6 + scalings; }
  int positions() const override { return 7 + scalings; }
  bool spins() const override { return true; }
  void start(std::span<double> q) const override;
  void mass(std::span<const double> q, std::span<double> M) const override;
  void force(std::span<const double> q, std::span<const double> v, const Vec3<double>& gravity,
             std::span<double> F) const override;
  double potential_energy(std::span<const double> q, const Vec3<double>& gravity) const override;
  void rate(std::span<const double> q, std::span<const double> v, std::span<double> qdot) const override;
  void settle(std::span<double> q) const override;
  void advance(std::span<double> q, std::span<const double> v, double dt) const override;
  void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
             PointMotion& out) const override;
  void spin(std::span<const double> q, std::span<const double> v, SpinMotion& out) const override;

 private:
  double mass_;
  Vec3<double> h_;  // first moments
  Sym3<double> P_;  // second moments, the integral of X X' dm
  double stiffness_;
};
using RigidBody = ScaledRigidBody<0>;
using ScalableBody = ScaledRigidBody<1>;
using StretchableBody = ScaledRigidBody<3>;

// A body in the plane z = 0: q = (angle, x, y), v = qdot. The z of its points is constant.
class PlaneBody final : public AnyBody {
 public:
  // `moment` is the moment of inertia about the centre of mass.
  PlaneBody(double mass, double moment, double centre_x = 0, double centre_y = 0);
  int dimension() const override { return 3; }
  bool spins() const override { return true; }
  void mass(std::span<const double> q, std::span<double> M) const override;
  void force(std::span<const double> q, std::span<const double> v, const Vec3<double>& gravity,
             std::span<double> F) const override;
  double potential_energy(std::span<const double> q, const Vec3<double>& gravity) const override;
  void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
             PointMotion& out) const override;
  void spin(std::span<const double> q, std::span<const double> v, SpinMotion& out) const override;

 private:
  double mass_, moment_;  // about the origin
  Vec3<double> centre_;
};

// A point mass, in space (dimension 3) or in the plane z = 0 (2); q is its position.
class Particle final : public AnyBody {
 public:
  explicit Particle(double mass, int dimension = 3);
  int dimension() const override { return dimension_; }
  void mass(std::span<const double> q, std::span<double> M) const override;
  void force(std::span<const double> q, std::span<const double> v, const Vec3<double>& gravity,
             std::span<double> F) const override;
  double potential_energy(std::span<const double> q, const Vec3<double>& gravity) const override;
  void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
             PointMotion& out) const override;

 private:
  double mass_;
  int dimension_;
};

extern template class ScaledRigidBody<0>;
extern template class ScaledRigidBody<1>;
extern template class ScaledRigidBody<3>;

}  // namespace linchpin
