// How far apart two cores are: the point of A - B nearest to the origin, by the method of Gilbert, Johnson and Keerthi.
// Private to the room.
//
// A simplex of up to four points of A - B is kept; v is its point nearest to the origin and n = v/|v|. Then
//     s(n) <= d <= |v|                                                           (1)
// with s of core.h (5): the simplex takes in w(n) and drops the points that v does not need, until both ends of (1)
// meet or the origin is inside. The nearest point of a simplex is looked for on those of its sides that see the origin,
// which is decided by signed volumes and areas. [Gilbert, Johnson, Keerthi 1988; Montanari, Petrinic, Barbieri 2017]
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
  far,      // farther apart than asked
  apart,    // (1) closed as far as asked, or as far as it will go
  overlap,  // the origin is in the simplex, or so near that the direction of v is noise
};

// Starts from nothing but the pair. `far`: distances above are of no interest; `gap`: of (1), when to stop, absolute.
Gjk gjk(const CorePair& pair, double far, double gap, Simplex& simplex);
// Goes on from a simplex that gjk() left with Gjk::apart, say with a smaller gap.
Gjk gjk_resume(const CorePair& pair, double far, double gap, Simplex& simplex);

// v/|v| is noise below this part of the pair's size: n has errors of eps size/|v|, so 1e-5 here.
inline constexpr double gjk_touch = 1e-11;

}  // namespace linchpin
