// An order of elimination that keeps factors sparse. For this room's own files.
#pragma once

#include <vector>

namespace linchpin {

// neighbours[i]: the nodes that node i is coupled to, both ways, without itself. Returns the nodes in the order in
// which to eliminate them (approximate minimum degree).
std::vector<int> fill_reducing_order(const std::vector<std::vector<int>>& neighbours);

}  // namespace linchpin
