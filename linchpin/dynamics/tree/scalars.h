// The scalar types that algorithms over a Plan are compiled for. For files of dynamics/ only.
#pragma once

#include "linchpin/spatial/pack.h"

// instantiate(T) for each of them: one world in double or float, and packs of worlds. Files listed as LANES in their
// room's CMakeLists.txt are compiled once for double, and a second time, apart, for all others (cmake/room.cmake).
#if !defined(LINCHPIN_LANES_APART)
#define LINCHPIN_FOR_EACH_SCALAR(instantiate) \
  instantiate(double) instantiate(float) instantiate(Double4) instantiate(Double8) instantiate(Float16)
#elif !defined(LINCHPIN_APART)
#define LINCHPIN_FOR_EACH_SCALAR(instantiate) instantiate(double)
#else
#define LINCHPIN_FOR_EACH_SCALAR(instantiate) \
  instantiate(float) instantiate(Double4) instantiate(Double8) instantiate(Float16)
#endif
