#include "bench/contact_scene.h"

#include <algorithm>

namespace linchpin {

SceneJudge::SceneJudge(const Model& model)
    : model_(model),
      scene_(model.collision()),
      ws_(scene_),
      X_WL_(model.links().size(), Transform<double>::identity()) {}

double SceneJudge::penetration(std::span<const Transform<double>> X_WB) {
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    const Body& body = model_.bodies()[b];  // links without a body carry no shapes
    X_WL_[std::size_t(body.link)] = X_WB[b] * inverse(body.X_LB);
  }
  find_contacts(scene_, X_WL_, {}, ws_, contacts_);
  double deepest = 0;
  for (const Manifold& m : contacts_.manifolds.all()) deepest = std::max(deepest, -m.distance);
  return deepest;
}

}  // namespace linchpin
