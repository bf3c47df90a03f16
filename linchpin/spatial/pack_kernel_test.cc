// The tests of pack_test.cc, compiled for the machine as kernels are (CMakeLists.txt).
#define LINCHPIN_PACK_SUITE PackOfTheMachine
#include "linchpin/spatial/pack_test.cc"
