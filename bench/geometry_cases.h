// Pairs of shapes in contact, for timing narrow phases and for checking the drivers of other engines.
//
// Each case is one relative pose, told in a frame N whose z axis is the contact normal, from B towards A: B touches
// z = 0 from below, A from above, until A is raised or lowered to the distance asked for. It is given as many pairs:
// the same relative pose but for a hair, each moved as a whole by a rigid motion of its own, so that nothing is aligned
// with the world's axes and no branch is taken the same way for ever.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "linchpin/geometry/shapes/shape.h"

namespace linchpin {

// Shapes at rest in the world, and which of them are asked for their contacts.
struct PairScene {
  struct Body {
    Shape shape;
    Transform<double> X_WB;
  };
  struct Pair {
    std::size_t a, b;
  };
  std::vector<Body> bodies;
  std::vector<Pair> pairs;
};

struct GeometryCase {
  std::string name;
  Shape a, b;
  Transform<double> X_NA, X_NB;  // just touching
};

std::vector<GeometryCase> geometry_cases();

// By how much the relative pose differs from pair to pair: turned (rad), and shifted across the normal (m).
inline constexpr double hair = 1e-5;

// `count` pairs of bodies of their own at this distance (m, negative in penetration), up to what a turn by a hair does.
PairScene scene_of(const GeometryCase& c, double distance, int count);
// The normal of one of these pairs, but for the hair.
Vec3<double> normal_of(const GeometryCase& c, const PairScene& scene, std::size_t pair);

// 1000 boxes of 0.1 to 0.3 m in each direction, crammed like a pile, that swing and rock about their places: some 8000
// pairs of bounding boxes, each grown by the margin, overlap.
struct BoxCloud {
  static constexpr int steps = 500;       // of 1 ms, then all is as it was
  static constexpr double margin = 0.01;  // m
  struct Member {
    Box box;
    Vec3<double> reach, axis;  // swings by reach, rocks about axis
    Transform<double> place;
    double phase;
  };
  std::vector<Member> members;
  std::vector<PairScene::Body> at(int step) const;
};
BoxCloud box_cloud();

}  // namespace linchpin
