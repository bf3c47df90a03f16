// Ray casts through a scene, for range finders and picking.
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

// A bounding volume hierarchy over the shapes at their poses in the last find_contacts(). Make a new one after they
// have moved. The scene and the workspace must outlive it.
class SceneRays {
 public:
  SceneRays(const CollisionScene& scene, const SceneWorkspace& ws) : scene_(scene), ws_(ws), bvh_(ws.boxes) {}
  SceneRays(const CollisionScene&&, const SceneWorkspace&) = delete;
  SceneRays(const CollisionScene&, const SceneWorkspace&&) = delete;
  // The nearest hit; of equal ones that of the first shape. Only shapes in one of `groups` are considered.
  std::optional<SceneHit> cast(const Ray& ray, std::uint32_t groups = ~std::uint32_t(0)) const;

 private:
  const CollisionScene& scene_;
  const SceneWorkspace& ws_;
  Bvh bvh_;
};

}  // namespace linchpin
