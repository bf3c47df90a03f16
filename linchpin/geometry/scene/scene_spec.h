// The specification of a CollisionScene (collision_scene.h): shapes on frames, and the pairs that may touch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linchpin/geometry/shapes/material.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

struct SceneShape {
  Shape shape;
  int frame = 0;  // the frame F that it is fixed to; 0 is the world, which never moves
  Transform<double> X_FS = Transform<double>::identity();
  Material material = {};
  double margin = 0;  // m
  std::uint32_t groups = 1, touches = ~std::uint32_t(0);
};

// A named pair, with its own margin or material. Values that are not given are those of any other pair.
struct ScenePair {
  int a = 0, b = 0;  // shapes, in any order
  std::optional<double> margin = {};
  std::optional<PairMaterial> material = {};
};

struct SceneSpec {
  std::vector<SceneShape> shapes;
  int frames = 1;  // their number, including the world
  struct Apart {
    int a, b;  // frames whose shapes do not touch each other
  };
  std::vector<Apart> apart;
  std::vector<ScenePair> pairs;
  PairRules rules;
};

}  // namespace linchpin
