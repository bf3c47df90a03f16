// Where to put a link's frame so that the way to the next joint is cheap.
//
// A one-axis link may have its frame anywhere along its joint axis z and turned about it by any angle: the joint's own
// zero absorbs both. So the pose X of the next axis can be split as
//     X = Rz(phi) Tz(t)  Rx(alpha) Tx(a)  Rz(theta) Tz(d)
// where the first factor moves our frame onto the common normal of the two axes, the last becomes the zero of the next
// joint, and only Rx(alpha) Tx(a) is left to compute with (Denavit and Hartenberg 1955, in Craig's order).
#pragma once

#include <optional>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct CommonNormal {
  double phi, t;    // on our own axis
  double alpha, a;  // twist and length of the common normal
  double theta, d;  // on the next axis
};

// Empty when the axes are so nearly parallel, but not parallel, that the common normal is far away: moving the frame
// there would cost digits.
std::optional<CommonNormal> common_normal(const Transform<double>& X);

// Rz(angle) Tz(distance)
Transform<double> screw_z(double angle, double distance);
// Rx(angle) Tx(distance)
Transform<double> screw_x(double angle, double distance);

}  // namespace linchpin
