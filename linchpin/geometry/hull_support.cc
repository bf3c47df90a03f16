#include "linchpin/geometry/hull_support.h"

namespace linchpin {

int support(const Hull& hull, const Vec3<double>& d) { return support_inlined(hull, d); }

}  // namespace linchpin
