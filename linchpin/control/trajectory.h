// Smooth trajectories through points: cubic splines of vectors and of rotations, with rates and accelerations.
//
// Between points i and i + 1, h apart in time, with second derivatives m_i at the points and s in 0..1 the fraction of
// h,
//     x = (1 - s) x_i + s x_i+1 - h^2/6 ((1 - s)(1 - (1 - s)^2) m_i + s (1 - s^2) m_i+1)                            (1)
// The m_i make the rates continuous at every point: one tridiagonal system. At the ends m = 0 (natural), or the rate is
// given (clamped) [001 figure 6: "cubic spline motion" of the box].
//
// Rotations: with the first point's rotation R_0 and rotation vectors phi_i = log(R_0' R_i), of which the equivalent
// nearest to the previous one is taken (they repeat every full turn), phi follows (1) and
//     R = R_0 exp(phi),   w = R_0 (phidot + a phi x phidot + b phi x (phi x phidot))                               (2)
// a = (1 - cos |phi|) / |phi|^2, b = (|phi| - sin |phi|) / |phi|^3. Twice differentiable, exact at the points; between
// two points alone it is the shortest rotation (slerp) with the timing of (1).
#pragma once

#include <span>
#include <vector>

#include "linchpin/control/frame_task.h"

namespace linchpin {

// Natural if empty; otherwise clamped to these rates, one per dimension.
struct SplineEnds {
  std::vector<double> start_rate = {}, end_rate = {};
};

class CubicSpline {
 public:
  // At least two points at increasing times, `dimension` numbers each, point after point.
  CubicSpline(std::vector<double> times, std::vector<double> points, int dimension, const SplineEnds& ends = {});

  int dimension() const { return dimension_; }
  double start() const { return times_.front(); }
  double end() const { return times_.back(); }

  // Before the start and after the end: the first and the last point, at rest.
  void sample(double time, std::span<double> value, std::span<double> rate, std::span<double> acceleration) const;

 private:
  void solve_curvatures(const SplineEnds& ends);
  int dimension_;
  std::vector<double> times_, points_, curvature_;  // curvature_: m_i
};

// A spline of frames: positions by (1), rotations by (2).
class PoseSpline {
 public:
  // Clamped to rest at both ends, or with natural ends.
  PoseSpline(const std::vector<double>& times, const std::vector<Transform<double>>& X_WN, bool at_rest = true);

  double start() const { return spline_.start(); }
  double end() const { return spline_.end(); }
  FrameMotion at(double time) const;  // in the world's axes

 private:
  Mat3<double> R_0_;
  CubicSpline spline_;  // phi, then the position
};

}  // namespace linchpin
