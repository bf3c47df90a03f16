// The tests of sincos_test.cc, compiled for the machine as kernels are (CMakeLists.txt).
#define LINCHPIN_SINCOS_SUITE SincosOfTheMachine
#include "linchpin/spatial/sincos_test.cc"
