// Collision queries without dynamics: a scene of shapes, their signed gaps before and after touch, and a ray.
#include <cstdio>

#include "linchpin/geometry/scene/scene_rays.h"

int main() {
  using namespace linchpin;
  SceneSpec spec;
  spec.frames = 3;  // the world and two bodies
  spec.shapes.push_back({.shape = HalfSpace{}});
  spec.shapes.push_back({.shape = Box{{0.2, 0.1, 0.05}}, .frame = 1});
  spec.shapes.push_back({.shape = Sphere{0.05}, .frame = 2});
  spec.shapes[1].material.friction = {0.6, 0.5};
  spec.shapes[2].material.restitution = 0.8;
  const CollisionScene scene(spec);
  SceneWorkspace ws(scene);
  SceneContacts contacts;

  // The brick lies on the floor. The ball falls at 2 m/s, so it may move by 20 mm in a step of 10 ms: its reach.
  const std::vector<double> reach = {0, 0, 0.02};
  for (const double height : {0.2, 0.16, 0.15, 0.149}) {
    std::vector<Transform<double>> X_WF(3, Transform<double>::identity());
    X_WF[1].p = {0, 0, 0.05};
    X_WF[2].p = {0.05, 0.02, height};
    find_contacts(scene, X_WF, reach, ws, contacts);
    std::printf("ball's centre at %.3f m:\n", height);
    for (const ShapePair& pair : contacts.pairs) {
      const PairMaterial material = scene.material(pair.a, pair.b);
      for (int i = pair.first; i < pair.first + pair.count; ++i) {
        const Manifold& m = contacts.manifolds[i];
        std::printf("  shapes %d and %d (mu %.2f, e %.1f), normal (%.0f, %.0f, %.0f):", pair.a, pair.b,
                    material.friction.mu_static, material.restitution, m.normal.x, m.normal.y, m.normal.z);
        for (int k = 0; k < m.count; ++k) std::printf(" %.3g mm", 1e3 * m.points[k].gap);
        std::printf("\n");
      }
    }
  }

  const SceneRays rays(scene, ws);
  if (const auto hit = rays.cast({{0.05, 0.02, 1}, {0, 0, -1}}))
    std::printf("a ray straight down from 1 m meets shape %d after %.3f m\n", hit->shape, hit->hit.t);
}
