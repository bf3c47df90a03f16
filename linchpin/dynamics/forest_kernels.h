// What forest_factors.cc has kernels for.
#pragma once

namespace linchpin {

// Numbers of a rigid body's twist (angular over linear) that joints hold: all of them, all but the turn about z or the
// slide along z, the origin's three. Joints that have their axis along z and armature or none hold no others.
inline constexpr unsigned held_sets[] = {0b111111, 0b111011, 0b011111, 0b111000};

constexpr bool has_held_kernel(int size, unsigned held) {
  if (size != 6) return false;
  for (const unsigned set : held_sets)
    if (set == held) return true;
  return false;
}

}  // namespace linchpin
