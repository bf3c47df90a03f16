// Serial chains in space for benchmarks and numerical trials.
#include <utility>

#include "linchpin/model/scenes/builders.h"

namespace linchpin::scenes {

ModelSpec chain(int links, std::uint64_t seed) {
  Random random(seed);
  ModelSpec spec;
  std::string before = "world";
  Vector end{0, 0, 0};  // of the previous link, in its frame
  for (int k = 1; k <= links; ++k) {
    BodySpec body{.name = "link_" + std::to_string(k), .inertia = {}, .geometry = {}};
    const Vector axis = random.direction();
    JointSpec j = joint(JointType::revolute, before, body.name, {Mat3<double>::identity(), end}, axis);
    j.name = "hinge_" + std::to_string(k);
    const double length = random.between(0.25, 0.35);  // one draw per statement: operands have no order of evaluation
    end = length * random.direction();
    // Half as thick as long: no moment of inertia is much smaller than the others.
    const PlacedShape rod = capsule_between({0, 0, 0}, end, 0.07);
    add_solid(body, rod.shape, random.between(0.5, 1.5), rod.X_SP, body.name);
    before = body.name;
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(body));
  }
  spec.frames = {{"tip", before, {Mat3<double>::identity(), end}}};
  return spec;
}

// The hard case of [003 s.7]: a light link that carries a heavy one. The light inertia is nearly lost in the sum with
// the heavy one, unless the projection that removes the heavy part comes first. With joint axes along coordinate axes
// the lost digits would fall on zeros and the error would not show; so both joint frames have random orientations, the
// same for every ratio. The first link is light, so that each light link has a heavy one outboard.
ModelSpec heavy_light(double ratio, int links) {
  constexpr double length = 1, radius = 0.1, light = 1;
  Random random(3);
  ModelSpec spec;
  std::string before = "world";
  for (int k = 1; k <= links; ++k) {
    BodySpec body{.name = "link_" + std::to_string(k), .inertia = {}, .geometry = {}};
    const double mass = k % 2 == 1 ? light : light * ratio;
    const PlacedShape rod = capsule_between({0, 0, -radius}, {0, 0, radius - length}, radius);
    add_solid(body, rod.shape, mass, rod.X_SP, body.name);
    JointSpec j = joint(JointType::revolute, before, body.name, translation(0, 0, k == 1 ? 0 : -length));
    j.name = "hinge_" + std::to_string(k);
    j.X_PF.R = random.rotation();
    j.X_CM.R = random.rotation();
    before = body.name;
    spec.joints.push_back(std::move(j));
    spec.bodies.push_back(std::move(body));
  }
  spec.frames = {{"tip", before, translation(0, 0, -length)}};
  return spec;
}

}  // namespace linchpin::scenes
