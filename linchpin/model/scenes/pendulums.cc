// Links that hang on hinges about -y, one below the other.
#include <numbers>
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {
namespace {

constexpr double wall = 4;  // position of the wall in [000 s.8], m

const Sym3<double> no_moments = Sym3<double>::zero();

// Link number k (from 1) hangs on the previous link, or on the world; `drop` is how far its hinge lies below the
// previous hinge (negative: above the world's origin).
void hang(ModelSpec& spec, int k, double drop, BodySpec body) {
  body.name = "link_" + std::to_string(k);
  for (GeometrySpec& geometry : body.geometry) geometry.name = body.name + "_" + geometry.name;
  const std::string parent = k == 1 ? "world" : "link_" + std::to_string(k - 1);
  JointSpec j = joint(JointType::revolute, parent, body.name, translation(0, 0, -drop), swing_axis);
  j.name = "hinge_" + std::to_string(k);
  spec.joints.push_back(std::move(j));
  spec.bodies.push_back(std::move(body));
}

// A rod without thickness: no moment along it. (A homogeneous capsule would not give the textbook's numbers.)
BodySpec thin_rod(double length, double mass) {
  const double across = mass * length * length / 12;
  BodySpec body;
  body.inertia = {mass, {0, 0, -length / 2}, Sym3<double>::diagonal(across, across, 0)};
  const PlacedShape rod = capsule_between({0, 0, 0}, {0, 0, -length}, length / 50);
  add_shape(body, rod.shape, rod.X_SP, "rod");
  return body;
}

BodySpec point_mass(double length, double mass) {
  BodySpec body;
  body.inertia = {mass, {0, 0, -length}, no_moments};
  const PlacedShape rod = capsule_between({0, 0, 0}, {0, 0, -length}, length / 100);
  add_shape(body, rod.shape, rod.X_SP, "rod");
  add_shape(body, Sphere{length / 20}, translation(0, 0, -length), "bob");
  return body;
}

}  // namespace

// [000 s.8]: the length is divided among the links, so that for every n the chain is 12 m long, hung 10 m above the
// ground. The floor at z = 0 and the wall at x = 4 are thick boxes. At zero the chain hangs into the floor; the paper
// starts it at -pi/4 in the first hinge, swinging at +1 rad/s (swing() below).
ModelSpec pendulum(int links) {
  constexpr double length = 12, height = 10, mass = 1;
  const double radius = length / 2 / links;
  ModelSpec spec;
  spec.gravity = {0, 0, -9.8};
  spec.world_geometry = {{"floor", Box{{30, 30, 1}}, translation(0, 0, -1)},
                         {"wall", Box{{1, 30, 15}}, translation(wall + 1, 0, 15)}};
  for (int k = 1; k <= links; ++k) {
    BodySpec body;
    add_solid(body, Sphere{radius}, mass, translation(0, 0, -radius), "sphere");
    hang(spec, k, k == 1 ? -height : 2 * radius, std::move(body));
  }
  return spec;
}

// The run of the paper: half-spaces as floor and wall, which nothing can pass, and its start. Neighbouring links do not
// touch, since the hinge holds them; all others may.
ModelSpec swing(int links, double mu, double restitution) {
  ModelSpec spec = pendulum(links);
  spec.world_geometry.clear();
  add_floor(spec);
  add_half_space(spec, "wall", {frame_with_z({-1, 0, 0}), {wall, 0, 0}});
  make_all_of(spec, surface(mu, restitution));
  spec.joints.front().start_q = {-std::numbers::pi / 4};
  spec.joints.front().start_v = {1};
  return spec;
}

ModelSpec planar_chain(int links, double length, double mass) {
  ModelSpec spec;
  for (int k = 1; k <= links; ++k) hang(spec, k, k == 1 ? 0 : length, thin_rod(length, mass));
  return spec;
}

ModelSpec simple_pendulum() {
  ModelSpec spec;
  hang(spec, 1, 0, point_mass(1, 1));
  return spec;
}

ModelSpec double_pendulum(bool rods) {
  if (rods) return planar_chain(2, 1, 1);
  ModelSpec spec;
  hang(spec, 1, 0, point_mass(1, 1));
  hang(spec, 2, 1, point_mass(1, 1));
  return spec;
}

}  // namespace linchpin::scenes
