// Shapes on frames and who may touch whom, as data: what a CollisionScene (collision_scene.h) is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linchpin/geometry/shapes/material.h"
#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

struct SceneShape {
  Shape shape;
  int frame = 0;  // the frame F it is fixed in; 0 is the world, which never moves
  Transform<double> X_FS = Transform<double>::identity();
  Material material = {};
  double margin = 0;  // m
  std::uint32_t groups = 1, touches = ~std::uint32_t(0);
};

// A pair by name. What is not given is as for any other pair.
struct ScenePair {
  int a = 0, b = 0;  // shapes, in any order
  std::optional<double> margin = {};
  std::optional<PairMaterial> material = {};
};

struct SceneSpec {
  std::vector<SceneShape> shapes;
  int frames = 1;  // how many there are, the world included
  struct Apart {
    int a, b;  // frames
  };
  std::vector<Apart> apart;
  std::vector<ScenePair> pairs;
  PairRules rules;
};

}  // namespace linchpin
