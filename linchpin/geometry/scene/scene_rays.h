// Rays through a scene: which shape each meets first, where and how it faces. For range finders and picking.
#pragma once

#include <optional>

#include "linchpin/geometry/scene/collision_scene.h"
#include "linchpin/geometry/shapes/bvh.h"
#include "linchpin/geometry/shapes/ray.h"

namespace linchpin {

struct SceneHit {
  int shape;
  RayHit hit;
};

// A hierarchy over the shapes where find_contacts() last saw them; made anew when they have moved. The scene and the
// workspace must stay while it is used.
class SceneRays {
 public:
  SceneRays(const CollisionScene& scene, const SceneWorkspace& ws) : scene_(scene), ws_(ws), bvh_(ws.boxes) {}
  // The nearest hit, of equals the one of the first shape; `groups`: only shapes that are in one of these.
  std::optional<SceneHit> cast(const Ray& ray, std::uint32_t groups = ~std::uint32_t(0)) const;

 private:
  const CollisionScene& scene_;
  const SceneWorkspace& ws_;
  Bvh bvh_;
};

}  // namespace linchpin
