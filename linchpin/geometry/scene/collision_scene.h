// Collision detection for many shapes on moving frames.
//
// Two shapes A and B are tested if they are on different frames, and
//     A is in a group that B touches, or B is in a group that A touches,                                 (1)
// unless their frames are excluded (SceneSpec::apart). Named pairs on different frames are tested whatever (1) and
// `apart` say, and may have a margin in place of margin_A + margin_B below.
// Manifolds are computed up to a gap of
//     margin = margin_A + margin_B + reach_A + reach_B                                                   (2)
// where reach is a bound of the way that the shapes of a frame move in the coming step, so that no contact of that step
// is missed. If the motion of the frames is known, reach_A + reach_B is at most the way that the two come nearer,
// closing_distance(): bodies that fall side by side do not approach each other. Pairs of shapes are in rising order of
// (a, b), the manifolds of a pair in that of collide(). The result depends on the input only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/base/index.h"
#include "linchpin/geometry/collide/collide.h"
#include "linchpin/geometry/scene/broad_phase.h"
#include "linchpin/geometry/scene/scene_spec.h"

namespace linchpin {

// True if any pair of shapes of a valid spec is to be tested when near. O(n log n) for n shapes, frames and pairs.
bool any_may_touch(const SceneSpec& spec);

// The constant part: shapes and filters.
class CollisionScene {
 public:
  explicit CollisionScene(SceneSpec spec);
  std::span<const SceneShape> shapes() const { return spec_.shapes; }
  std::span<const ScenePair> named_pairs() const { return spec_.pairs; }  // sorted, a < b
  int frames() const { return spec_.frames; }
  // True if the pair of shapes is to be tested when it is near. a < b.
  bool wanted(int a, int b) const {
    return wanted_.empty() ? find_wanted(a, b) : (wanted_[bit(a, b) / 64] >> (bit(a, b) % 64) & 1) != 0;
  }
  // The named pair (a, b), a < b, or nullptr.
  const ScenePair* named(int a, int b) const;
  // The margin (2) without the reach.
  double margin(int a, int b) const;
  PairMaterial material(int a, int b) const;

 private:
  void sort_named_pairs();
  void list_apart();
  void set_wanted_bits();
  bool find_wanted(int a, int b) const;
  std::size_t bit(int a, int b) const { return index(a) * spec_.shapes.size() + index(b); }

  SceneSpec spec_;
  std::vector<std::uint64_t> wanted_;     // a bit for each pair; empty if there are too many shapes
  std::vector<int> apart_first_, apart_;  // of frame f: apart_[apart_first_[f] .. apart_first_[f + 1]), sorted
  std::vector<char> has_named_;           // by shape
};

// Two shapes in contact, a < b, with the manifolds [first, first + count) of SceneContacts.
struct ShapePair {
  int a, b;
  int first, count;
};
struct SceneContacts {
  std::vector<ShapePair> pairs;
  ManifoldList manifolds;
};

// The key that identifies a contact point across steps.
struct ContactKey {
  std::uint32_t shape_a, shape_b, piece_a, piece_b, feature;
  friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};
inline ContactKey key(const ShapePair& pair, const Manifold& m, const ContactPoint& c) {
  return {std::uint32_t(pair.a), std::uint32_t(pair.b), m.piece_a, m.piece_b, c.feature};
}

// The rigid motion of a frame, by a sphere that holds its bounded shapes: its centre and the centre's velocity, the
// angular velocity, all in W; m, m/s, rad/s.
struct MovingSphere {
  Vec3<double> centre = Vec3<double>::zero(), v = Vec3<double>::zero(), w = Vec3<double>::zero();
  double radius = 0;  // m; infinite if a shape of the frame is unbounded
};

// A bound of the speed at which a point of one frame's shapes comes nearer to the other's, m/s. Seen from B, a point of
// A moves by the relative twist, and so it is no faster than
//     |u| + |w_A - w_B| radius_A,   u = v_A - v_B - w_B x (centre_A - centre_B)                           (3)
// The same holds with A and B exchanged; the smaller bound is taken. Infinite for two unbounded frames.
double closing_speed(const MovingSphere& a, const MovingSphere& b);

// A bound of how much nearer two frames come within `time`, which is h in (4), m. If frames turn, u in (3) changes
// during the step, by a share of at most h |w| to first order:
//     h (1.1 + h |w_A| + h |w_B|) closing_speed + extra                                                   (4)
// The 10 percent and `extra` (m) are for the velocity that forces add.
struct SceneMotion {
  std::span<const MovingSphere> frames;  // by frame; only those of the pairs in question are read
  double time = 0, extra = 0;
  double closing_distance(int frame_a, int frame_b) const;
};

// Workspace of find_contacts(), and the poses of the shapes at its last call. Any content is valid before a call.
struct SceneWorkspace {
  explicit SceneWorkspace(const CollisionScene& scene);
  std::vector<Transform<double>> X_WS;  // by shape
  std::vector<Aabb> boxes;              // by shape, without margins
  std::vector<double> margins;          // by shape, reach included
  BroadPhase broad_phase;
  std::vector<BoxPair> near;  // pairs whose boxes are within (2) by the reaches alone
};

// X_WF: poses of the frames, including the world's. reach: (2), by frame, m; empty for 0.
void find_contacts(const CollisionScene& scene, std::span<const Transform<double>> X_WF, std::span<const double> reach,
                   SceneWorkspace& ws, SceneContacts& out);
// The same in two parts: find_near_pairs() fills ws.near, find_near_contacts() the contacts of those pairs. In between
// the motion of the frames of ws.near can be found, which limits the reach of each pair.
void find_near_pairs(const CollisionScene& scene, std::span<const Transform<double>> X_WF,
                     std::span<const double> reach, SceneWorkspace& ws);
void find_near_contacts(const CollisionScene& scene, std::span<const double> reach, const SceneMotion& motion,
                        const SceneWorkspace& ws, SceneContacts& out);

// After find_near_contacts(): true if frames that move by `after` may bring a pair of shapes into contact that was not
// searched far enough. No frame may move farther than its reach.
bool may_miss_contacts(const CollisionScene& scene, std::span<const double> reach, const SceneMotion& motion,
                       const SceneMotion& after, const SceneWorkspace& ws);

}  // namespace linchpin
