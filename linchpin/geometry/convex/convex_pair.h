// The manifold of any two convex shapes. Private to geometry/.
//
// The steps are the same for all kinds. The best direction n is found, near touch by a walk over facets or a guess that
// is then verified (facet_walk.h, guess.h), else by GJK, EPA and Newton's method (gjk.h, epa.h, polish.h). The features
// of both shapes that face each other along n (features.h) are projected along n and intersected (overlay.h). At most
// eight of these points are kept (manifold_reduce.h). The equations are those of manifold.h.
#pragma once

#include "linchpin/geometry/convex/core.h"
#include "linchpin/geometry/pairs/pairs.h"

namespace linchpin {

// Spheres, capsules, boxes, cylinders, ellipsoids, cones and hulls, as in pairs.h.
bool convex_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Manifold& m);

// The same for cores (core.h).
bool core_pair(const Core& a, const Pose& X_WA, const Core& b, const Pose& X_WB, double margin, Manifold& m);

// B is a triangle in the world, flat and two-sided.
bool core_triangle(const Core& a, const Pose& X_WA, const Vec3<double> corners_W[3], double margin, Manifold& m);

}  // namespace linchpin
