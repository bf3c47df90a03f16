// Many bodies that come to rest on each other. g = 9.81.
#include <cmath>
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

// Cubes of 1 m and 1 kg, aligned and touching; the top one has a mass of `ratio` kg.
ModelSpec stack(int boxes, double ratio, double mu) {
  ModelSpec spec;
  add_floor(spec);
  for (int k = 1; k <= boxes; ++k) {
    BodySpec box{.name = "box_" + std::to_string(k), .inertia = {}, .geometry = {}};
    add_solid(box, Box{{0.5, 0.5, 0.5}}, k == boxes ? ratio : 1, Transform<double>::identity(), box.name);
    add_free(spec, std::move(box), translation(0, 0, k - 0.5));
  }
  make_all_of(spec, surface(mu));
  return spec;
}

// Dominoes of 48 x 24 x 7.5 mm in a row along x. The first leans over its front edge, beyond its balance (at 8.9
// degrees) and short of the next.
ModelSpec dominoes(int count, double spacing, double mu) {
  constexpr double lean = 12 * std::numbers::pi / 180;
  constexpr Vector half{0.00375, 0.012, 0.024};
  ModelSpec spec;
  add_floor(spec);
  for (int k = 1; k <= count; ++k) {
    BodySpec piece{.name = "piece_" + std::to_string(k), .inertia = {}, .geometry = {}};
    add_solid(piece, Box{half}, 0.012, Transform<double>::identity(), piece.name);
    const double x = (k - 1) * spacing;
    if (k > 1) {
      add_free(spec, std::move(piece), translation(x, 0, half.z));
      continue;
    }
    const Mat3<double> R = rotation_y(lean);
    const Vector edge{half.x, 0, -half.z}, centre = Vector{half.x, 0, 0} - R * edge;
    add_free(spec, std::move(piece), {Mat3<double>::identity(), centre}, R);
  }
  make_all_of(spec, surface(mu));
  return spec;
}

// Spheres of 1 kg and 0.1 m, or with radii from `smallest` to 0.1 m and masses in proportion to volume, poured into a
// square bin of half-spaces, `side` spheres wide: layers that start apart from each other, each sphere slightly
// displaced at random.
ModelSpec pile(int count, int side, double smallest, std::uint64_t seed) {
  constexpr double radius = 0.1, across = 0.215, up = 0.22, jitter = 0.005;
  const double half = 0.12 * side;
  Random random(seed);
  ModelSpec spec;
  add_floor(spec);
  add_half_space(spec, "wall_right", {frame_with_z({-1, 0, 0}), {half, 0, 0}});
  add_half_space(spec, "wall_left", {frame_with_z({1, 0, 0}), {-half, 0, 0}});
  add_half_space(spec, "wall_back", {frame_with_z({0, -1, 0}), {0, half, 0}});
  add_half_space(spec, "wall_front", {frame_with_z({0, 1, 0}), {0, -half, 0}});
  for (int k = 0; k < count; ++k) {
    BodySpec ball{.name = "ball_" + std::to_string(k + 1), .inertia = {}, .geometry = {}};
    const double r = smallest < radius ? random.between(smallest, radius) : radius, part = r / radius;
    add_solid(ball, Sphere{r}, part * part * part, Transform<double>::identity(), ball.name);
    const int i = k % side, j = k / side % side, layer = k / side / side;
    const Vector place{(i - 0.5 * (side - 1)) * across, (j - 0.5 * (side - 1)) * across, 0.12 + layer * up};
    add_free(spec, std::move(ball), {Mat3<double>::identity(), place + random.in_cube(jitter)});
  }
  make_all_of(spec, surface(0.5));
  return spec;
}

}  // namespace linchpin::scenes
