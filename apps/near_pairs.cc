#include "apps/near_pairs.h"

#include <algorithm>

#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/geometry/scene/collision_scene.h"
#include "linchpin/model/signal_names.h"

namespace linchpin {
std::vector<NearPair> near_pairs(const Model& model, const State& state, double margin) {
  const CollisionScene scene(model.collision());
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  const std::vector<double> reach(scene.frames(), margin / 2);
  SceneWorkspace ws(scene);
  SceneContacts contacts;
  find_contacts(scene, {kin.X_WL.data(), kin.X_WL.size()}, reach, ws, contacts);

  std::vector<NearPair> out;
  for (const ShapePair& pair : contacts.pairs) {
    NearPair near{
        shape_name(model, pair.a), shape_name(model, pair.b), std::numeric_limits<double>::infinity(), 0, {}, {}};
    for (int i = pair.first; i < pair.first + pair.count; ++i) {
      const Manifold& m = contacts.manifolds[i];
      near.points += m.count;
      for (int k = 0; k < m.count; ++k)
        if (m.points[k].gap < near.distance) {
          near.distance = m.points[k].gap;
          near.at = m.points[k].p;
          near.normal = m.normal;
        }
    }
    out.push_back(std::move(near));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const NearPair& p, const NearPair& q) { return p.distance < q.distance; });
  return out;
}

}  // namespace linchpin
