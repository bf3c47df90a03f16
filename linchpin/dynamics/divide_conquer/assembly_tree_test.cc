#include "linchpin/dynamics/divide_conquer/assembly_tree.h"

#include <gtest/gtest.h>

namespace linchpin {
namespace {
}
}  // namespace linchpin
