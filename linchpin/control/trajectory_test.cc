#include "linchpin/control/trajectory.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

struct Sample {
  std::vector<double> x, u, a;
};
Sample sampled(const CubicSpline& spline, double t) {
  const std::size_t n = std::size_t(spline.dimension());
  Sample s{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  spline.sample(t, s.x, s.u, s.a);
  return s;
}

TEST(CubicSpline, IsThePolynomialItIsGiven) {
  // clamped through points of one cubic, it is that cubic
  const auto x = [](double t) { return 1 - 2 * t + 0.5 * t * t * t; };
  const auto u = [](double t) { return -2 + 1.5 * t * t; };
  const std::vector<double> times{-1, 0.2, 0.5, 2, 2.7};
  std::vector<double> points;
  for (const double t : times) points.insert(points.end(), {x(t), 3 * t});
  const CubicSpline spline(times, points, 2, {{u(-1), 3}, {u(2.7), 3}});
  for (double t = -1; t <= 2.7; t += 0.05) {
    const Sample s = sampled(spline, t);
    EXPECT_NEAR(s.x[0], x(t), 1e-13);
    EXPECT_NEAR(s.u[0], u(t), 1e-13);
    EXPECT_NEAR(s.a[0], 3 * t, 1e-12);
    EXPECT_NEAR(s.x[1], 3 * t, 1e-13);
    EXPECT_NEAR(s.u[1], 3, 1e-13);
    EXPECT_NEAR(s.a[1], 0, 1e-12);
  }
}

TEST(CubicSpline, PassesThePointsSmoothlyAndEndsAsItShould) {
  const std::vector<double> times{0, 0.4, 1.5, 2, 5}, points{1, -2, 4, 4, 0.5};
  for (const bool clamped : {false, true}) {
    const CubicSpline spline(times, points, 1, clamped ? SplineEnds{{7}, {-1}} : SplineEnds{});
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(sampled(spline, times[i]).x[0], points[i], 1e-14);
    for (std::size_t i = 1; i + 1 < times.size(); ++i) {
      const Sample before = sampled(spline, times[i] - 1e-9), after = sampled(spline, times[i] + 1e-9);
      EXPECT_NEAR(before.u[0], after.u[0], 1e-6);
      EXPECT_NEAR(before.a[0], after.a[0], 1e-5);
    }
    EXPECT_NEAR(clamped ? sampled(spline, 0).u[0] : sampled(spline, 0).a[0], clamped ? 7 : 0, 1e-13);
    EXPECT_NEAR(clamped ? sampled(spline, 5).u[0] : sampled(spline, 5).a[0], clamped ? -1 : 0, 1e-13);
    for (double t = 0.01; t < 5; t += 0.0937) {  // rates are differences
      const double h = 1e-5;
      EXPECT_NEAR((sampled(spline, t + h).x[0] - sampled(spline, t - h).x[0]) / (2 * h), sampled(spline, t).u[0], 1e-6);
      EXPECT_NEAR((sampled(spline, t + h).u[0] - sampled(spline, t - h).u[0]) / (2 * h), sampled(spline, t).a[0], 2e-3);
    }
    const Sample over = sampled(spline, 6), under = sampled(spline, -1);
    EXPECT_EQ(over.x[0], 0.5);
    EXPECT_EQ(over.u[0], 0);
    EXPECT_EQ(under.x[0], 1);
    EXPECT_EQ(under.a[0], 0);
  }
}

Transform<double> pose(const Vec3<double>& turn, const Vec3<double>& at) {
  return {to_rotation(exp_rotation(turn)), at};
}
double apart(const Mat3<double>& A, const Mat3<double>& B) {
  return norm(log_rotation(from_rotation(transpose(A) * B)));
}

TEST(PoseSpline, PassesTheFramesAndSaysHowItMoves) {
  const std::vector<double> times{0, 1, 1.7, 3};
  const std::vector<Transform<double>> frames{pose({0.3, -1, 0.2}, {1, 2, 3}), pose({1.5, 0.4, -2}, {0, 1, 0}),
                                              pose({-2, 1.9, 0.6}, {0, 0, 1}), pose({0, 0, 0}, {2, 2, 2})};
  const PoseSpline way(times, frames);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_LT(apart(way.at(times[i]).X_WN.R, frames[i].R), 1e-14);
    EXPECT_LT(norm(way.at(times[i]).X_WN.p - frames[i].p), 1e-14);
  }
  for (const double end : {0.0, 3.0}) {
    EXPECT_LT(norm(way.at(end).velocity.w) + norm(way.at(end).velocity.v), 1e-13);
  }
  for (double t = 0.02; t < 3; t += 0.061) {
    const double h = 1e-4;
    const FrameMotion here = way.at(t), before = way.at(t - h), after = way.at(t + h);
    const Vec3<double> turned =
        before.X_WN.R *
        log_rotation(from_rotation(transpose(before.X_WN.R) * after.X_WN.R));  // a small rotation: the same in all axes
    // second order in h, with third derivatives of a hundred and steps of acceleration at the frames
    EXPECT_LT(norm((1 / (2 * h)) * turned - here.velocity.w), 1e-2 * (1 + norm(here.velocity.w)) * 0.01 + 2e-5) << t;
    EXPECT_LT(norm((1 / (2 * h)) * (after.velocity.w - before.velocity.w) - here.acceleration.w), 2e-2) << t;
    EXPECT_LT(norm((1 / (2 * h)) * (after.X_WN.p - before.X_WN.p) - here.velocity.v), 1e-5) << t;
  }
}

// Two frames: about the one axis that leads from one to the other.
TEST(PoseSpline, BetweenTwoFramesIsTheShortestWay) {
  const Transform<double> A = pose({0.3, -1, 0.2}, {0, 0, 0}), B = pose({-0.6, 1.2, 2}, {0, 0, 0});
  const PoseSpline way({0, 2}, {A, B});
  const Vec3<double> all = log_rotation(from_rotation(transpose(A.R) * B.R));
  for (double t = 0; t <= 2; t += 0.1) {
    const double s = t / 2, part = 3 * s * s - 2 * s * s * s;
    EXPECT_LT(apart(way.at(t).X_WN.R, A.R * to_rotation(exp_rotation(part * all))), 1e-13);
    EXPECT_LT(norm(way.at(t).velocity.w - A.R * ((3 * s - 3 * s * s) * all)), 1e-13);
  }
}

// A full turn in steps of less than half a turn continues in the same direction.
TEST(PoseSpline, GoesOnBeyondHalfATurn) {
  std::vector<double> times;
  std::vector<Transform<double>> frames;
  for (int i = 0; i <= 12; ++i) {
    times.push_back(i);
    frames.push_back(pose({0, 0, i * std::numbers::pi / 4}, {0, 0, 0}));
  }
  const PoseSpline way(times, frames, false);
  for (double t = 0; t <= 12; t += 0.25) {
    EXPECT_NEAR(way.at(t).velocity.w.z, std::numbers::pi / 4, 1e-12) << t;
    EXPECT_LT(norm(way.at(t).acceleration.w), 1e-11) << t;
  }
}

// Small angles by series, others by sines: both sides of the switch agree.
TEST(PoseSpline, HasNoStepWhereItsSeriesEnds) {
  const PoseSpline way({0, 1}, {pose({0, 0, 0}, {0, 0, 0}), pose({0.2, 0.1, -0.1}, {0, 0, 0})});
  double before = way.at(0).acceleration.w.x;
  for (double t = 0.001; t <= 1; t += 0.001) {
    const double now = way.at(t).acceleration.w.x;
    EXPECT_LT(std::abs(now - before), 0.01);
    before = now;
  }
}

// (2) of trajectory.h in extended precision, for a rotation vector phi and its rate. Above 1e-4 rad the coefficients
// lose less than 1e-12 of 1e-19 to cancellation.
using Three = std::array<long double, 3>;
Three crossed(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Three turning(const Three& phi, const Three& rate) {
  const long double x = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2], angle = std::sqrt(x);
  const long double half = std::sin(angle / 2), a = 2 * half * half / x, b = (angle - std::sin(angle)) / (x * angle);
  const Three once = crossed(phi, rate), twice = crossed(phi, once);
  Three w;
  for (std::size_t k = 0; k < 3; ++k) w[k] = rate[k] + a * once[k] + b * twice[k];
  return w;
}

// Angular velocities and accelerations to rounding, for rotations below and above 0.1 rad, where series end.
TEST(PoseSpline, TurnsToTheLastDigits) {
  const Vec3<double> first{0.7, -0.2, 0.5}, second{-0.3, 0.9, 0.1};  // of different directions
  for (const double size : {0.01, 0.05, 0.08, 0.095, 0.105, 0.3, 1.0, 2.0}) {
    const std::vector<double> times{0, 1, 2};
    const Vec3<double> one = size * first, two = size * second;
    const PoseSpline way(times, {pose({0, 0, 0}, {0, 0, 0}), pose(one, {0, 0, 0}), pose(two, {0, 0, 0})}, false);
    const CubicSpline vectors(times, {0, 0, 0, one.x, one.y, one.z, two.x, two.y, two.z}, 3);
    for (double t = 0.55; t < 2; t += 0.13) {
      const Sample s = sampled(vectors, t);
      const auto at = [&](long double h) {  // w at t + h
        Three phi, rate;
        for (std::size_t k = 0; k < 3; ++k) {
          phi[k] = s.x[k] + h * s.u[k] + h * h / 2 * s.a[k];
          rate[k] = s.u[k] + h * s.a[k];
        }
        return turning(phi, rate);
      };
      const Three w = at(0);
      const long double h = 1e-3L;  // differences of fourth order: 1e-12, and rounding 1e-19 / h
      const Three a = at(-2 * h), b = at(-h), c = at(h), d = at(2 * h);
      const FrameMotion got = way.at(t);
      const double velocity[] = {got.velocity.w.x, got.velocity.w.y, got.velocity.w.z},
                   acceleration[] = {got.acceleration.w.x, got.acceleration.w.y, got.acceleration.w.z};
      for (std::size_t k = 0; k < 3; ++k) {
        // the rotation vectors of the frames have rounding errors of 1e-16 themselves
        EXPECT_NEAR(velocity[k], double(w[k]), 1e-15 * (1 + 4 * size)) << size << " " << t;
        EXPECT_NEAR(acceleration[k], double((a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h)),
                    4e-15 + 1e-11 * size * size * size)
            << size << " " << t;
      }
    }
  }
}

TEST(Trajectory, SaysWhatDoesNotFit) {
  const double nan = std::nan("");
  EXPECT_THROW(CubicSpline({0}, {1}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 0}, {1, 2}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {1, 2, 3}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {1, nan}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, nan}, {1, 2}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({nan, 1}, {1, 2}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({-std::numeric_limits<double>::infinity(), 1}, {1, 2}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {nan, 2}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 2, 1}, {1, 2, 3}, 1), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {}, 0), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {1, 2}, 1, {{}, {1, 2}}), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {1, 2}, 1, {{nan}, {}}), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {1, 2}, 1, {{}, {nan}}), CheckFailed);
  EXPECT_THROW(CubicSpline({0, 1}, {1, 2}, 1, {{1, 2}, {}}), CheckFailed);
  EXPECT_THROW(PoseSpline({0, 1}, {}), CheckFailed);
  const CubicSpline spline({0, 1}, {1, 2}, 1);
  std::vector<double> one(1), two(2);
  EXPECT_THROW(spline.sample(0, one, one, two), CheckFailed);
  EXPECT_THROW(spline.sample(0, one, two, one), CheckFailed);
  EXPECT_THROW(spline.sample(0, two, one, one), CheckFailed);
  EXPECT_THROW(spline.sample(nan, one, one, one), CheckFailed);
}

}  // namespace
}  // namespace linchpin
