#include "linchpin/control/trajectory.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linchpin/base/check.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

// a and b of (2), and their derivatives with respect to the angle, divided by the angle.
struct Coefficients {
  double a, b, a1, b1;
};
Coefficients coefficients(double angle) {
  const double x = angle * angle;
  if (x < 0.01)  // series: the next terms are below 1e-17 of the first
    return {0.5 - x * (1.0 / 24 - x * (1.0 / 720 - x * (1.0 / 40320 - x / 3628800))),
            1.0 / 6 - x * (1.0 / 120 - x * (1.0 / 5040 - x * (1.0 / 362880 - x / 39916800))),
            -1.0 / 12 + x * (1.0 / 180 - x * (1.0 / 6720 - x / 453600)),
            -1.0 / 60 + x * (1.0 / 1260 - x * (1.0 / 60480 - x / 4989600))};
  const double s = std::sin(angle), half = std::sin(angle / 2);
  const double versine = 2 * half * half;  // 1 - cos, without cancellation
  return {versine / x, (angle - s) / (x * angle), (angle * s - 2 * versine) / (x * x),
          (angle * versine - 3 * (angle - s)) / (x * x * angle)};
}

// Of the equivalent rotation vectors, the one nearest to `before`.
Vec3<double> nearest(const Vec3<double>& phi, const Vec3<double>& before) {
  const double turn = 2 * std::numbers::pi, angle = norm(phi);
  const Vec3<double> axis =
      angle > 1e-12 ? (1 / angle) * phi : (norm(before) > 0 ? (1 / norm(before)) * before : Vec3<double>{1, 0, 0});
  const double along = dot(axis, before);
  return (angle + turn * std::round((along - angle) / turn)) * axis;
}

std::vector<double> rotation_and_position(const std::vector<Transform<double>>& X) {
  check(!X.empty(), "a spline through ", X.size(), " frames, needs 2 or more");
  std::vector<double> points;
  Vec3<double> phi = Vec3<double>::zero();
  for (std::size_t i = 0; i < X.size(); ++i) {
    phi = nearest(log_rotation(from_rotation(transpose(X[0].R) * X[i].R)), phi);
    points.insert(points.end(), {phi.x, phi.y, phi.z, X[i].p.x, X[i].p.y, X[i].p.z});
  }
  return points;
}

SplineEnds resting(bool at_rest) {
  if (!at_rest) return {};
  return {std::vector<double>(6, 0.0), std::vector<double>(6, 0.0)};
}

}  // namespace

CubicSpline::CubicSpline(std::vector<double> times, std::vector<double> points, int dimension, const SplineEnds& ends)
    : dimension_(dimension), times_(std::move(times)), points_(std::move(points)) {
  const std::size_t n = times_.size(), dim = std::size_t(dimension);
  check(dimension >= 1, "a spline of ", dimension, " dimensions");
  check(n >= 2, "a spline through ", n, " points, needs 2 or more");
  check(points_.size() == n * dim, points_.size(), " numbers for ", n, " points of ", dimension, " dimensions");
  for (std::size_t i = 0; i < n; ++i) {
    check(std::isfinite(times_[i]), "time ", i, " is ", times_[i]);
    check(i == 0 || times_[i] > times_[i - 1], "time ", i, " is ", times_[i], ", not after ", times_[i ? i - 1 : 0]);
  }
  for (std::size_t i = 0; i < points_.size(); ++i)
    check(std::isfinite(points_[i]), "point ", i / dim, " has ", points_[i], " as number ", i % dim);
  for (const std::vector<double>* rate : {&ends.start_rate, &ends.end_rate}) {
    check(rate->empty() || rate->size() == dim, "a rate of ", rate->size(), " numbers for ", dimension, " dimensions");
    for (const double x : *rate) check(std::isfinite(x), "a rate of ", x, " at an end of ", dimension, " dimensions");
  }
  curvature_.assign(points_.size(), 0);
  solve_curvatures(ends);
}

// h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (slope after - slope before), by forward elimination.
void CubicSpline::solve_curvatures(const SplineEnds& ends) {
  const std::size_t n = times_.size(), dim = std::size_t(dimension_);
  std::vector<double> diagonal(n, 1), above(n, 0), right(n, 0);
  for (std::size_t k = 0; k < dim; ++k) {
    const auto h = [&](std::size_t i) { return times_[i + 1] - times_[i]; };
    const auto slope = [&](std::size_t i) { return (points_[(i + 1) * dim + k] - points_[i * dim + k]) / h(i); };
    double below = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool first = i == 0, last = i + 1 == n;
      diagonal[i] = 1, above[i] = below = right[i] = 0;
      if (first && !ends.start_rate.empty()) {
        diagonal[i] = 2 * h(i), above[i] = h(i), right[i] = 6 * (slope(i) - ends.start_rate[k]);
      } else if (last && !ends.end_rate.empty()) {
        diagonal[i] = 2 * h(i - 1), below = h(i - 1), right[i] = 6 * (ends.end_rate[k] - slope(i - 1));
      } else if (!first && !last) {
        diagonal[i] = 2 * (h(i - 1) + h(i)), below = h(i - 1), above[i] = h(i);
        right[i] = 6 * (slope(i) - slope(i - 1));
      }
      if (first) continue;
      const double factor = below / diagonal[i - 1];
      diagonal[i] -= factor * above[i - 1];
      right[i] -= factor * right[i - 1];
    }
    for (std::size_t i = n; i-- > 0;)
      curvature_[i * dim + k] = (right[i] - (i + 1 < n ? above[i] * curvature_[(i + 1) * dim + k] : 0)) / diagonal[i];
  }
}

void CubicSpline::sample(double time, std::span<double> value, std::span<double> rate,
                         std::span<double> acceleration) const {
  const std::size_t dim = std::size_t(dimension_);
  check(value.size() == dim && rate.size() == dim && acceleration.size() == dim, "room for ", value.size(), ", ",
        rate.size(), " and ", acceleration.size(), " numbers, the spline has ", dimension_, " dimensions");
  check(!std::isnan(time), "time is ", time, ", not in ", start(), " to ", end());
  if (time < start() || time > end()) {
    const double* still = points_.data() + (time < start() ? 0 : (times_.size() - 1) * dim);
    std::copy(still, still + dim, value.begin());
    std::fill(rate.begin(), rate.end(), 0);
    std::fill(acceleration.begin(), acceleration.end(), 0);
    return;
  }
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, time);
  const std::size_t i = std::size_t(after - times_.begin()) - 1;
  const double h = times_[i + 1] - times_[i], s = (time - times_[i]) / h, r = 1 - s;
  for (std::size_t k = 0; k < dim; ++k) {
    const double x0 = points_[i * dim + k], x1 = points_[(i + 1) * dim + k];
    const double m0 = curvature_[i * dim + k], m1 = curvature_[(i + 1) * dim + k];
    value[k] = r * x0 + s * x1 - h * h / 6 * (r * (1 - r * r) * m0 + s * (1 - s * s) * m1);  // (1)
    rate[k] = (x1 - x0) / h + h / 6 * ((1 - 3 * r * r) * m0 - (1 - 3 * s * s) * m1);
    acceleration[k] = r * m0 + s * m1;
  }
}

PoseSpline::PoseSpline(const std::vector<double>& times, const std::vector<Transform<double>>& X_WN, bool at_rest)
    : R_0_(X_WN.empty() ? Mat3<double>::identity() : X_WN[0].R),
      spline_(times, rotation_and_position(X_WN), 6, resting(at_rest)) {}

FrameMotion PoseSpline::at(double time) const {
  double x[6], u[6], a[6];
  spline_.sample(time, x, u, a);
  const Vec3<double> phi{x[0], x[1], x[2]}, d{u[0], u[1], u[2]}, dd{a[0], a[1], a[2]};
  const Coefficients k = coefficients(norm(phi));
  const double grow = dot(phi, d);  // half the rate of |phi|^2
  const Vec3<double> pd = cross(phi, d), ppd = cross(phi, pd), pdd = cross(phi, dd);
  const Vec3<double> w = d + k.a * pd + k.b * ppd;  // (2)
  const Vec3<double> alpha = dd + k.a * pdd + k.b * (cross(phi, pdd) + cross(d, pd)) + grow * (k.a1 * pd + k.b1 * ppd);
  return {{R_0_ * to_rotation(exp_rotation(phi)), {x[3], x[4], x[5]}},
          {R_0_ * w, {u[3], u[4], u[5]}},
          {R_0_ * alpha, {a[3], a[4], a[5]}}};
}

}  // namespace linchpin
