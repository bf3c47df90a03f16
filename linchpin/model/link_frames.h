// Placement of a link's frame that makes the transform to the next joint cheap.
//
// A one-axis link may have its frame anywhere along its joint axis z and at any angle about it: the zero of the joint
// coordinate absorbs both. The pose X of the next axis is therefore split as
//     X = Rz(phi) Tz(t)  Rx(alpha) Tx(a)  Rz(theta) Tz(d)
// The first factor moves our frame onto the common normal of the two axes, the last becomes the zero of the next
// joint, and only Rx(alpha) Tx(a) remains to be computed (Denavit and Hartenberg 1955, in Craig's order).
#pragma once

#include <optional>

#include "linchpin/spatial/spatial.h"

namespace linchpin {

struct CommonNormal {
  double phi, t;    // on our own axis
  double alpha, a;  // twist and length of the common normal
  double theta, d;  // on the next axis
};

// Empty if the axes are nearly but not exactly parallel: the common normal is then so far away that placing the frame
// there would lose digits.
std::optional<CommonNormal> common_normal(const Transform<double>& X);

// Rz(angle) Tz(distance)
Transform<double> screw_z(double angle, double distance);
// Rx(angle) Tx(distance)
Transform<double> screw_x(double angle, double distance);

}  // namespace linchpin
