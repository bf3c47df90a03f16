// The numbers that algorithms over a Plan are compiled for, in one place. For this room's own files.
#pragma once

#include "linchpin/spatial/pack.h"

// instantiate(T) for each of them: one world in double or float, and packs of worlds.
#define LINCHPIN_FOR_EACH_SCALAR(instantiate) \
  instantiate(double) instantiate(float) instantiate(Double4) instantiate(Double8) instantiate(Float16)
