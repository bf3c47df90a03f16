// This file is compiled without machine flags, so overlap_bits() has the code for any machine; overlap_lanes() has that
// of this machine.
#include "linchpin/geometry/shapes/box_pack.h"

#include "linchpin/geometry/shapes/box_pack_kernel.h"
#include "linchpin/geometry/shapes/box_pack_testing.h"

namespace linchpin {
namespace {

TEST(BoxPack, OverlapsAsBoxesDo) {
  expect_overlap_bits(overlap_lanes);
  expect_overlap_bits([](const BoxPack& pack, const Aabb& box) { return overlap_bits(pack, box); });
}

}  // namespace
}  // namespace linchpin
