// Every installed header in one file, with the using-directive that README.md shows: no two headers define one name,
// and no function of ours competes with one of the C library's. all_headers.h is written by CMakeLists.txt.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "all_headers.h"

using namespace linchpin;

// Calls of the C library's functions, as a user writes them.
double calls(double x, double y, float f, int n) {
  double sine = 0, cosine = 0;
  ::sincos(x, &sine, &cosine);
  const double doubles = fma(x, y, x) + sqrt(x) + fabs(x) + fmin(x, y) + fmax(x, y) + hypot(x, y) + pow(x, y) + log(x) +
                         exp(x) + floor(x) + round(x) + sin(x) + cos(x) + atan2(x, y) + copysign(x, y) + fmod(x, y);
  const float floats = fma(f, f, f) + sqrtf(f) + std::min(f, f);
  return doubles + floats + abs(n) + std::abs(x) + std::min(x, y) + std::max(x, y) + std::fma(x, 2, y) + fma(x, 2, y) +
         double(strlen("name"));
}
