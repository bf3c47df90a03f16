#include "linchpin/geometry/shapes/hull_support.h"

namespace linchpin {

int support(const Hull& hull, const Vec3<double>& d) { return support_inlined(hull, d); }

int nearest_face(const Hull& hull, const Vec3<double>& x) { return nearest_face_inlined(hull, x); }

}  // namespace linchpin
