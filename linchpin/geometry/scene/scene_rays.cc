#include "linchpin/geometry/scene/scene_rays.h"

namespace linchpin {

std::optional<SceneHit> SceneRays::cast(const Ray& ray, std::uint32_t groups) const {
  std::optional<SceneHit> first;
  bvh_.along(ray, [&](std::uint32_t i, double limit) {
    if ((scene_.shapes()[i].groups & groups) == 0) return limit;
    Ray shorter = ray;
    shorter.limit = limit;
    const std::optional<RayHit> hit = linchpin::cast(shorter, scene_.shapes()[i].shape, ws_.X_WS[i]);
    if (!hit || (first && hit->t == first->hit.t && first->shape < int(i))) return limit;
    first = {int(i), *hit};
    return hit->t;
  });
  return first;
}

}  // namespace linchpin
