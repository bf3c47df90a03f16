// The pairs of convex kinds that have a closed form, for the table of convex_table.cc. Private to geometry/.
//
// Each function sets the manifold of A and B and returns true, or returns false when they are farther apart than the
// margin. The caller sets piece_a and piece_b. All other pairs are computed by convex_pair().
#pragma once

#include "linchpin/geometry/shapes/manifold.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

using Pose = Transform<double>;

// sphere_pairs.cc: the distance of a point from B
bool sphere_sphere(const Sphere& a, const Pose& X_WA, const Sphere& b, const Pose& X_WB, double margin, Manifold& m);
bool sphere_capsule(const Sphere& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin, Manifold& m);
bool sphere_box(const Sphere& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin, Manifold& m);
bool sphere_cylinder(const Sphere& a, const Pose& X_WA, const Cylinder& b, const Pose& X_WB, double margin,
                     Manifold& m);
bool sphere_ellipsoid(const Sphere& a, const Pose& X_WA, const Ellipsoid& b, const Pose& X_WB, double margin,
                      Manifold& m);
bool sphere_cone(const Sphere& a, const Pose& X_WA, const Cone& b, const Pose& X_WB, double margin, Manifold& m);

// capsule_pairs.cc: the distance of a segment from B
bool capsule_capsule(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin,
                     Manifold& m);
bool capsule_box(const Capsule& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin, Manifold& m);

// box_box.cc: the separating axis test with fifteen axes
bool box_box(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin, Manifold& m);

// half_space_pairs.cc: the lowest points of A over the plane of B
bool sphere_half_space(const Sphere& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin,
                       Manifold& m);
bool capsule_half_space(const Capsule& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin,
                        Manifold& m);
bool box_half_space(const Box& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin, Manifold& m);
bool cylinder_half_space(const Cylinder& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin,
                         Manifold& m);
bool ellipsoid_half_space(const Ellipsoid& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin,
                          Manifold& m);
bool cone_half_space(const Cone& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin, Manifold& m);
bool hull_half_space(const ConvexHull& a, const Pose& X_WA, const HalfSpace& b, const Pose& X_WB, double margin,
                     Manifold& m);

}  // namespace linchpin
