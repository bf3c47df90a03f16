// Several trees in one model: a test case for islands, sleeping and sparse solvers.
#include <iterator>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

struct Kind {
  const char* name;
  ModelSpec (*build)();
};
const Kind kinds[] = {
    {"chain", [] { return planar_chain(3, 0.5, 1); }},
    {"body", [] { return free_body(false); }},
    {"leg", quadruped_leg},
    {"cart", [] { return cart_pole(0.1, 1); }},
    {"top", top},
    {"arm", [] { return planar_arm(2); }},
};

}  // namespace

ModelSpec forest(int trees) {
  constexpr int row = 10;                    // number of trees in a row
  constexpr double spacing = 7, height = 3;  // no tree reaches its neighbours, or below z = 0 before it falls
  ModelSpec spec;
  for (int i = 0; i < trees; ++i) {
    const Kind& kind = kinds[static_cast<std::size_t>(i) % std::size(kinds)];
    append(spec, kind.build(), "tree_" + std::to_string(i + 1) + "_" + kind.name + "_",
           translation(spacing * (i % row), spacing * (i / row), height));
  }
  return spec;
}

}  // namespace linchpin::scenes
