// For tests: does the compiler fuse products and sums of this file? Kernels are compiled with other flags than tests.
#pragma once

namespace linchpin {

#ifdef __FMA__
constexpr bool fused = true;
#else
constexpr bool fused = false;
#endif

}  // namespace linchpin
