// Surfaces f(X) = 0 for black_box.h. Near the surface f is about the distance from it.
#pragma once

#include "linchpin/black_box/black_box.h"

namespace linchpin {

// sqrt(sum (X_k / r_k)^2) - 1 times the mean radius; smooth except at the centre.
class EllipsoidSurface final : public ImplicitSurface {
 public:
  explicit EllipsoidSurface(const Vec3<double>& radii, const Vec3<double>& centre = {0, 0, 0});
  SurfaceValue at(const Vec3<double>& X) const override;

 private:
  Vec3<double> per_square_, centre_;
  double size_;
};

class PlaneSurface final : public ImplicitSurface {
 public:
  PlaneSurface(const Vec3<double>& point, const Vec3<double>& normal);
  SurfaceValue at(const Vec3<double>& X) const override;

 private:
  Vec3<double> point_, normal_;
};

// A ring about z: the distance from a circle of radius `ring`, minus `tube`, m.
class TorusSurface final : public ImplicitSurface {
 public:
  TorusSurface(double ring, double tube);
  SurfaceValue at(const Vec3<double>& X) const override;

 private:
  double ring_, tube_;
};

}  // namespace linchpin
