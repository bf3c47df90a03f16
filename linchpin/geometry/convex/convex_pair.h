// The manifold of any two convex shapes. Private to the room.
//
// One way for all: the best direction n, near touch by a walk or a guess that are proved (facet_walk.h, guess.h), else by
// simplices, polytopes and Newton's method (gjk.h, epa.h, polish.h); the features that both shapes turn to each other (features.h), laid over each other along n (overlay.h); of the points
// where these meet at most eight (manifold_reduce.h). The equations are those of manifold.h.
#pragma once

#include "linchpin/geometry/convex/core.h"
#include "linchpin/geometry/pairs/pairs.h"

namespace linchpin {

// Spheres, capsules, boxes, cylinders, ellipsoids, cones and hulls, as in pairs.h.
bool convex_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m);

// The same for cores.
bool core_pair(const Core& a, const Pose& X_WA, const Core& b, const Pose& X_WB, double margin, Manifold& m);

// B is a triangle in the world, flat and of two sides.
bool core_triangle(const Core& a, const Pose& X_WA, const Vec3<double> corners_W[3], double margin, Manifold& m);

}  // namespace linchpin
