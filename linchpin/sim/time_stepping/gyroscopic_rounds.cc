#include "linchpin/sim/time_stepping/gyroscopic_rounds.h"

#include <algorithm>

namespace linchpin {
namespace {

// Part of det I below which I + h/2 G counts as singular: corrections would be more than ten times too long.
constexpr double least_determinant = 0.1;

double determinant(const Mat3<double>& A) { return dot(cross(A.x, A.y), A.z); }

// By Cramer's rule.
Vec3<double> solve(const Mat3<double>& A, const Vec3<double>& b) {
  const double scale = 1 / determinant(A);
  return {scale * dot(cross(b, A.y), A.z), scale * dot(cross(A.x, b), A.z), scale * dot(cross(A.x, A.y), b)};
}

Mat3<double> scaled(double s, const Mat3<double>& A) { return {s * A.x, s * A.y, s * A.z}; }

// G of (2).
Mat3<double> gyroscopic(const Mat3<double>& I, const Vec3<double>& w) {
  const Vec3<double> Iw = I * w, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  return {cross(w, I.x) - cross(Iw, x), cross(w, I.y) - cross(Iw, y), cross(w, I.z) - cross(Iw, z)};
}

// The solution of (2), with right = F(x) - x.
Vec3<double> correction(const Mat3<double>& I, const Vec3<double>& w, double h, const Vec3<double>& right) {
  const Mat3<double> G = gyroscopic(I, w);
  Mat3<double> A = I + scaled(0.5 * h, G);
  if (!(determinant(A) > least_determinant * determinant(I))) A = I + scaled(0.25 * h, G + scaled(-1, transpose(G)));
  return solve(A, I * right);
}

}  // namespace

GyroscopicRounds::GyroscopicRounds(const StepPlan& plan)
    : plan_(plan), layout_(plan.model), crba_(plan.plan, layout_), M_(layout_) {}

// The block of M, of a free joint without the motion of the centre: its Schur complement.
Mat3<double> GyroscopicRounds::inertia_of(const WideLink<double>& link) const {
  const auto entry = [&](int i, int j) {  // of coordinates of one joint
    const int row = link.v + std::max(i, j), column = link.v + std::min(i, j);
    return M_.entries[layout_.row[row] + std::size_t(layout_.depth[row] - (row - column))];
  };
  const auto column = [&](int j) { return Vec3<double>{entry(0, j), entry(1, j), entry(2, j)}; };
  Mat3<double> I{column(0), column(1), column(2)};
  if (link.kind != LinkKind::free) return I;
  for (int k = 3; k < 6; ++k) {
    const Vec3<double> c = column(k);
    const double factor = 1 / entry(k, k);
    I.x -= (factor * c.x) * c;
    I.y -= (factor * c.y) * c;
    I.z -= (factor * c.z) * c;
  }
  return I;
}

void GyroscopicRounds::improve(std::span<const double> q, double h, std::span<const double> v,
                               std::span<const double> assumed, std::span<const double> found, std::span<double> next) {
  if (!has_inertia_) crba<double>(plan_.plan, layout_, q, crba_, M_);
  has_inertia_ = true;
  for (const WideLink<double>& link : plan_.plan.wide_links) {
    const auto at = [&](std::span<const double> x) { return Vec3<double>{x[link.v], x[link.v + 1], x[link.v + 2]}; };
    const Vec3<double> x = at(assumed), mean = 0.5 * (at(v) + x);
    const Vec3<double> better = x + correction(inertia_of(link), mean, h, at(found) - x);
    next[link.v] = better.x;
    next[link.v + 1] = better.y;
    next[link.v + 2] = better.z;
  }
}

}  // namespace linchpin
