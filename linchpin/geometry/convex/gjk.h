// The distance of two cores, by the algorithm of Gilbert, Johnson and Keerthi (GJK): the point of A - B that is nearest
// to the origin. Private to the room.
//
// The algorithm keeps a simplex of up to four points of A - B. Let v be its point nearest to the origin and n = v/|v|.
// Then
//     s(n) <= d <= |v|                                                           (1)
// with s of core.h (5). Each iteration adds w(n) to the simplex and drops the points that v does not depend on, until
// both ends of (1) are equal or the origin is inside. The nearest point of a simplex is searched on those of its sides
// that face the origin, as determined by signed volumes and areas.
// [Gilbert, Johnson, Keerthi 1988; Montanari, Petrinic, Barbieri 2017]
#pragma once

#include "linchpin/geometry/convex/core.h"

namespace linchpin {

struct Simplex {
  int count;
  Difference points[4];
  double weights[4];  // v = sum of weights times w; not set when the origin is inside
  Vec3<double> v;
};

enum class Gjk {
  far,      // the cores are farther apart than `far`
  apart,    // the two ends of (1) differ by at most `gap`, or as little as rounding allows
  overlap,  // the origin is in the simplex, or so near to it that the direction of v is noise
};

// Starts from scratch. `far`: larger distances are of no interest; `gap`: the absolute tolerance of (1).
Gjk gjk(const CorePair& pair, double far, double gap, Simplex& simplex);
// Continues from a simplex for which gjk() returned Gjk::apart, with a smaller gap.
Gjk gjk_resume(const CorePair& pair, double far, double gap, Simplex& simplex);

// If |v| is below this number times the pair's size, v/|v| is noise: the error of n is eps size/|v|, here 2e-5.
inline constexpr double gjk_touch = 1e-11;

}  // namespace linchpin
