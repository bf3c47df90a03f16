#include "linchpin/geometry/scene/collision_scene.h"

#include <algorithm>
#include <utility>

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/bounds.h"

namespace linchpin {
namespace {

bool before(const ScenePair& p, const ScenePair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }

// The groups of all shapes of a frame, and all that they touch. (1) holds for some shapes of two frames exactly if it
// holds for these.
struct FrameGroups {
  std::uint32_t groups = 0, touches = 0;
};

}  // namespace

// Per group, the frames f that are in it are compared with the number of frames that touch it: if that exceeds the
// number of such frames among f itself and those that are kept apart from f, there is a pair.
bool any_may_touch(const SceneSpec& spec) {
  for (const ScenePair& p : spec.pairs)
    if (spec.shapes[p.a].frame != spec.shapes[p.b].frame) return true;

  std::vector<FrameGroups> frames(spec.frames);
  for (const SceneShape& s : spec.shapes) {
    frames[s.frame].groups |= s.groups;
    frames[s.frame].touches |= s.touches;
  }
  std::vector<std::pair<int, int>> apart;  // both ways, and every frame from itself
  apart.reserve(2 * spec.apart.size() + frames.size());
  for (int f = 0; f < spec.frames; ++f) apart.push_back({f, f});
  for (const SceneSpec::Apart& p : spec.apart) {
    apart.push_back({p.a, p.b});
    apart.push_back({p.b, p.a});
  }
  std::sort(apart.begin(), apart.end());
  apart.erase(std::unique(apart.begin(), apart.end()), apart.end());

  for (std::uint32_t group = 1; group != 0; group <<= 1) {
    const auto touches = [&](int f) { return (frames[f].touches & group) != 0; };
    int touching = 0;
    for (int f = 0; f < spec.frames; ++f) touching += touches(f);
    for (std::size_t first = 0, end = 0; first < apart.size(); first = end) {
      const int f = apart[first].first;
      int left = touching;
      for (end = first; end < apart.size() && apart[end].first == f; ++end) left -= touches(apart[end].second);
      if ((frames[f].groups & group) != 0 && left > 0) return true;
    }
  }
  return false;
}

CollisionScene::CollisionScene(SceneSpec spec) : spec_(std::move(spec)) {
  check(spec_.frames >= 1, "a scene has ", spec_.frames, " frames; it needs at least one, the world");
  const int count = int(spec_.shapes.size());
  for (int i = 0; i < count; ++i) {
    const SceneShape& s = spec_.shapes[i];
    check(s.frame >= 0 && s.frame < spec_.frames, "shape ", i, " is on frame ", s.frame, " of ", spec_.frames);
    check(s.margin >= 0, "shape ", i, " has a margin of ", s.margin, " m, it must be at least 0");
  }
  sort_named_pairs();
  list_apart();
  set_wanted_bits();
}

void CollisionScene::sort_named_pairs() {
  const int count = int(spec_.shapes.size());
  has_named_.assign(count, 0);
  for (ScenePair& p : spec_.pairs) {
    check(p.a >= 0 && p.a < count && p.b >= 0 && p.b < count && p.a != p.b, "a pair of shapes ", p.a, " and ", p.b,
          " in a scene of ", count);
    if (p.a > p.b) std::swap(p.a, p.b);
    has_named_[p.a] = 1;
  }
  std::stable_sort(spec_.pairs.begin(), spec_.pairs.end(), before);
  for (std::size_t i = 1; i < spec_.pairs.size(); ++i)
    check(before(spec_.pairs[i - 1], spec_.pairs[i]), "the pair of shapes ", spec_.pairs[i].a, " and ",
          spec_.pairs[i].b, " is named twice");
}

void CollisionScene::list_apart() {
  std::vector<std::vector<int>> apart(spec_.frames);
  for (const SceneSpec::Apart& p : spec_.apart) {
    check(p.a >= 0 && p.a < spec_.frames && p.b >= 0 && p.b < spec_.frames, "frames ", p.a, " and ", p.b,
          " are kept apart in a scene of ", spec_.frames);
    apart[p.a].push_back(p.b);
    apart[p.b].push_back(p.a);
  }
  for (std::vector<int>& others : apart) {
    std::sort(others.begin(), others.end());
    apart_first_.push_back(int(apart_.size()));
    apart_.insert(apart_.end(), others.begin(), std::unique(others.begin(), others.end()));
  }
  apart_first_.push_back(int(apart_.size()));
}

void CollisionScene::set_wanted_bits() {
  constexpr int most_for_bits = 2048;  // half a megabyte
  const int count = int(spec_.shapes.size());
  if (count > most_for_bits) return;
  std::vector<std::uint64_t> bits(bit(count, 0) / 64 + 1, 0);
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b)
      if (find_wanted(a, b)) bits[bit(a, b) / 64] |= std::uint64_t(1) << (bit(a, b) % 64);
  wanted_ = std::move(bits);
}

const ScenePair* CollisionScene::named(int a, int b) const {
  if (!has_named_[a]) return nullptr;
  ScenePair wanted;
  wanted.a = a, wanted.b = b;
  const auto found = std::lower_bound(spec_.pairs.begin(), spec_.pairs.end(), wanted, before);
  return found != spec_.pairs.end() && found->a == a && found->b == b ? &*found : nullptr;
}

bool CollisionScene::find_wanted(int a, int b) const {
  const SceneShape &A = spec_.shapes[a], &B = spec_.shapes[b];
  const int f = A.frame, g = B.frame;
  if (f == g) return false;
  if (named(a, b)) return true;
  if (((A.groups & B.touches) | (B.groups & A.touches)) == 0) return false;  // (1)
  return !std::binary_search(apart_.begin() + apart_first_[f], apart_.begin() + apart_first_[f + 1], g);
}

double CollisionScene::margin(int a, int b) const {
  const ScenePair* pair = named(a, b);
  return pair && pair->margin ? *pair->margin : spec_.shapes[a].margin + spec_.shapes[b].margin;
}

PairMaterial CollisionScene::material(int a, int b) const {
  const ScenePair* pair = named(a, b);
  return pair && pair->material ? *pair->material
                                : combine(spec_.shapes[a].material, spec_.shapes[b].material, spec_.rules);
}

SceneWorkspace::SceneWorkspace(const CollisionScene& scene)
    : X_WS(scene.shapes().size()), boxes(scene.shapes().size()), margins(scene.shapes().size()) {}

namespace {

double reach_of(const SceneShape& shape, std::span<const double> reach) {
  return reach.empty() ? 0.0 : reach[shape.frame];
}
double margin_of(const CollisionScene& scene, int a, int b, std::span<const double> reach) {  // (2)
  return scene.margin(a, b) + reach_of(scene.shapes()[a], reach) + reach_of(scene.shapes()[b], reach);
}
double margin_of(const CollisionScene& scene, int a, int b, std::span<const double> reach, const SceneMotion* motion) {
  const double own = scene.margin(a, b);
  const double reaches = reach_of(scene.shapes()[a], reach) + reach_of(scene.shapes()[b], reach);
  // Near rest the limit is hardly less than the reaches, and not worth its computation.
  if (!motion || reaches <= 2 * motion->extra) return own + reaches;
  return own + std::min(reaches, motion->closing_distance(scene.shapes()[a].frame, scene.shapes()[b].frame));
}

// Sets ws.near to the wanted pairs that are near: by the broad phase or, for named pairs, by the distance of their
// boxes.
void select_near_pairs(const CollisionScene& scene, std::span<const double> reach, SceneWorkspace& ws) {
  ws.near.clear();
  for (const BoxPair& p : ws.broad_phase.find_pairs(ws.boxes, ws.margins)) {
    const int a = int(p.a), b = int(p.b);
    if (scene.wanted(a, b) && !scene.named(a, b)) ws.near.push_back(p);
  }
  if (scene.named_pairs().empty()) return;
  // Named pairs have margins of their own, which the broad phase does not know.
  for (const ScenePair& p : scene.named_pairs()) {
    const double m = margin_of(scene, p.a, p.b, reach);
    if (scene.wanted(p.a, p.b) && distance_squared(ws.boxes[p.a], ws.boxes[p.b]) <= m * m)
      ws.near.push_back({std::uint32_t(p.a), std::uint32_t(p.b)});
  }
  std::sort(ws.near.begin(), ws.near.end(),
            [](const BoxPair& p, const BoxPair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
}

// The contacts of ws.near within (2), which `motion` limits where it is not null.
void collide_near_pairs(const CollisionScene& scene, std::span<const double> reach, const SceneMotion* motion,
                        const SceneWorkspace& ws, SceneContacts& out) {
  const std::span<const SceneShape> shapes = scene.shapes();
  out.pairs.clear();
  out.manifolds.clear();
  for (const BoxPair& p : ws.near) {
    const int a = int(p.a), b = int(p.b), first = int(out.manifolds.size());
    const double margin = margin_of(scene, a, b, reach, motion);
    if (motion && distance_squared(ws.boxes[a], ws.boxes[b]) > margin * margin) continue;
    const int count = collide(shapes[a].shape, ws.X_WS[a], shapes[b].shape, ws.X_WS[b], margin, out.manifolds);
    if (count > 0) out.pairs.push_back({a, b, first, count});
  }
}

}  // namespace

double closing_speed(const MovingSphere& a, const MovingSphere& b) {
  const Vec3<double> u = a.v - b.v, d = a.centre - b.centre;
  const double turn = norm(a.w - b.w);
  const auto part_of_turn = [&](double radius) { return turn > 0 ? turn * radius : 0; };  // the radius may be infinite
  return std::min(norm(u - cross(b.w, d)) + part_of_turn(a.radius), norm(u - cross(a.w, d)) + part_of_turn(b.radius));
}

double SceneMotion::closing_distance(int frame_a, int frame_b) const {
  const MovingSphere &a = frames[frame_a], &b = frames[frame_b];
  return time * (1.1 + time * (norm(a.w) + norm(b.w))) * closing_speed(a, b) + extra;
}

void find_near_pairs(const CollisionScene& scene, std::span<const Transform<double>> X_WF,
                     std::span<const double> reach, SceneWorkspace& ws) {
  const std::span<const SceneShape> shapes = scene.shapes();
  check(int(X_WF.size()) == scene.frames(), "find_contacts: poses of ", X_WF.size(), " frames, the scene has ",
        scene.frames());
  check(reach.empty() || reach.size() == X_WF.size(), "find_contacts: reach of ", reach.size(),
        " frames, the scene has ", scene.frames());
  for (const double r : reach) check(r >= 0, "find_contacts: a reach of ", r, " m, it must be at least 0");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ws.X_WS[i] = X_WF[shapes[i].frame] * shapes[i].X_FS;
    ws.boxes[i] = bounds(shapes[i].shape, ws.X_WS[i]);
    ws.margins[i] = shapes[i].margin + reach_of(shapes[i], reach);
  }
  select_near_pairs(scene, reach, ws);
}

void find_near_contacts(const CollisionScene& scene, std::span<const double> reach, const SceneMotion& motion,
                        const SceneWorkspace& ws, SceneContacts& out) {
  check(int(motion.frames.size()) == scene.frames(), "find_near_contacts: motion of ", motion.frames.size(),
        " frames, the scene has ", scene.frames());
  collide_near_pairs(scene, reach, &motion, ws, out);
}

void find_contacts(const CollisionScene& scene, std::span<const Transform<double>> X_WF, std::span<const double> reach,
                   SceneWorkspace& ws, SceneContacts& out) {
  find_near_pairs(scene, X_WF, reach, ws);
  collide_near_pairs(scene, reach, nullptr, ws, out);
}

bool may_miss_contacts(const CollisionScene& scene, std::span<const double> reach, const SceneMotion& motion,
                       const SceneMotion& after, const SceneWorkspace& ws) {
  return std::ranges::any_of(ws.near, [&](const BoxPair& p) {
    const int a = int(p.a), b = int(p.b);
    const double searched = margin_of(scene, a, b, reach, &motion);
    if (searched >= margin_of(scene, a, b, reach)) return false;  // as far as the reaches go
    const double margin = margin_of(scene, a, b, reach, &after);
    return margin > searched && distance_squared(ws.boxes[a], ws.boxes[b]) <= margin * margin;
  });
}

}  // namespace linchpin
