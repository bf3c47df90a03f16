#include "bench/contact_scene.h"

#include <algorithm>

#include "linchpin/base/larger.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {

SceneJudge::SceneJudge(const Model& model)
    : model_(model),
      scene_(model.collision()),
      ws_(scene_),
      X_WL_(model.links().size(), Transform<double>::identity()) {}

double SceneJudge::penetration(std::span<const Transform<double>> X_WB) {
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    const Body& body = model_.bodies()[b];  // links without a body carry no shapes
    X_WL_[body.link] = X_WB[b] * inverse(body.X_LB);
  }
  find_contacts(scene_, X_WL_, {}, ws_, contacts_);
  double deepest = 0;
  for (const Manifold& m : contacts_.manifolds.all()) deepest = larger(deepest, -m.distance);
  return deepest;
}

double SceneJudge::energy(std::span<const Transform<double>> before, std::span<const Transform<double>> after,
                          double dt) const {
  double sum = 0;
  for (std::size_t b = 1; b < after.size(); ++b) {
    const RigidInertia<double>& I = model_.bodies()[b].inertia;
    if (I.mass == 0) continue;
    const Vec3<double> centre = (1 / I.mass) * I.h, from = before[b] * centre, to = after[b] * centre;
    const Vec3<double> turn = log_rotation(from_rotation(transpose(before[b].R) * after[b].R));  // alike in both axes
    const RigidInertia<double> about_centre = inertia_to_parent({Mat3<double>::identity(), -centre}, I);
    sum += 0.5 / (dt * dt) * (I.mass * dot(to - from, to - from) + dot(about_centre.I * turn, turn));
    sum -= 0.5 * I.mass * dot(model_.gravity(), from + to);
  }
  return sum;
}

}  // namespace linchpin
