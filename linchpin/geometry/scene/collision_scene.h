// Many shapes on moving frames: which of them are near each other, and where.
//
// Two shapes A and B are looked at when they are on different frames, of which one moves, and
//     A is in a group that B touches, or B in one that A touches,                                        (1)
// unless their frames are kept apart; pairs that are named one by one are looked at whatever (1) and `apart` say. Their
// manifolds are wanted up to a gap of
//     margin = margin_A + margin_B + reach_A + reach_B                                                   (2)
// where reach is how far a frame's shapes may move in the step to come, so that no contact of that step is missed: the
// moving margin. What comes out is in rising order of (a, b, piece_a, piece_b) and depends on nothing but the input.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/geometry/collide/collide.h"
#include "linchpin/geometry/scene/broad_phase.h"
#include "linchpin/geometry/scene/scene_spec.h"

namespace linchpin {

// The const part: a Plan.
class CollisionScene {
 public:
  explicit CollisionScene(SceneSpec spec);
  std::span<const SceneShape> shapes() const { return spec_.shapes; }
  std::span<const ScenePair> named_pairs() const { return spec_.pairs; }  // sorted, a < b
  int frames() const { return spec_.frames; }
  // Whether two shapes that are near are looked at at all. a < b.
  bool wanted(int a, int b) const {
    return wanted_.empty() ? find_wanted(a, b) : (wanted_[bit(a, b) / 64] >> (bit(a, b) % 64) & 1) != 0;
  }
  // The named pair (a, b), a < b, or nothing.
  const ScenePair* named(int a, int b) const;
  // Without the reach of (2).
  double margin(int a, int b) const;
  PairMaterial material(int a, int b) const;

 private:
  bool find_wanted(int a, int b) const;
  std::size_t bit(int a, int b) const { return std::size_t(a) * spec_.shapes.size() + std::size_t(b); }

  SceneSpec spec_;
  std::vector<std::uint64_t> wanted_;     // a bit for each pair, where shapes are few enough
  std::vector<int> apart_first_, apart_;  // of frame f: apart_[apart_first_[f] .. apart_first_[f + 1]), sorted
  std::vector<char> has_named_;           // by shape
};

// Two shapes with contacts, a < b: manifolds [first, first + count) of SceneContacts.
struct ShapePair {
  int a, b;
  int first, count;
};
struct SceneContacts {
  std::vector<ShapePair> pairs;
  ManifoldList manifolds;
};

// What a contact point is known by from step to step.
struct ContactKey {
  std::uint32_t shape_a, shape_b, piece_a, piece_b, feature;
  friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};
inline ContactKey key(const ShapePair& pair, const Manifold& m, const ContactPoint& c) {
  return {static_cast<std::uint32_t>(pair.a), static_cast<std::uint32_t>(pair.b), m.piece_a, m.piece_b, c.feature};
}

// Scratch of find_contacts(), and where the shapes were at its last call: any content is fine before one.
struct SceneWorkspace {
  explicit SceneWorkspace(const CollisionScene& scene);
  std::vector<Transform<double>> X_WS;  // by shape
  std::vector<Aabb> boxes;              // by shape, without margins
  std::vector<double> margins;          // by shape, reach included
  BroadPhase broad_phase;
  std::vector<BoxPair> near;
};

// X_WF: by frame, the world's included. reach: by frame, m, or empty for none.
void find_contacts(const CollisionScene& scene, std::span<const Transform<double>> X_WF, std::span<const double> reach,
                   SceneWorkspace& ws, SceneContacts& out);

}  // namespace linchpin
