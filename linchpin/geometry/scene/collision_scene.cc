#include "linchpin/geometry/scene/collision_scene.h"

#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/bounds.h"

namespace linchpin {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool before(const ScenePair& p, const ScenePair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }

}  // namespace

CollisionScene::CollisionScene(SceneSpec spec) : spec_(std::move(spec)) {
  check(spec_.frames >= 1, "a scene has ", spec_.frames, " frames; it needs at least one, the world");
  const int count = static_cast<int>(spec_.shapes.size());
  for (int i = 0; i < count; ++i) {
    const SceneShape& s = spec_.shapes[at(i)];
    check(s.frame >= 0 && s.frame < spec_.frames, "shape ", i, " is on frame ", s.frame, " of ", spec_.frames);
    check(s.margin >= 0, "shape ", i, " has a margin of ", s.margin, " m, it must be at least 0");
  }
  has_named_.assign(at(count), 0);
  for (ScenePair& p : spec_.pairs) {
    check(p.a >= 0 && p.a < count && p.b >= 0 && p.b < count && p.a != p.b, "a pair of shapes ", p.a, " and ", p.b,
          " in a scene of ", count);
    if (p.a > p.b) std::swap(p.a, p.b);
    has_named_[at(p.a)] = 1;
  }
  std::stable_sort(spec_.pairs.begin(), spec_.pairs.end(), before);
  for (std::size_t i = 1; i < spec_.pairs.size(); ++i)
    check(before(spec_.pairs[i - 1], spec_.pairs[i]), "the pair of shapes ", spec_.pairs[i].a, " and ",
          spec_.pairs[i].b, " is named twice");

  std::vector<std::vector<int>> apart(at(spec_.frames));
  for (const SceneSpec::Apart& p : spec_.apart) {
    check(p.a >= 0 && p.a < spec_.frames && p.b >= 0 && p.b < spec_.frames, "frames ", p.a, " and ", p.b,
          " are kept apart in a scene of ", spec_.frames);
    apart[at(p.a)].push_back(p.b);
    apart[at(p.b)].push_back(p.a);
  }
  for (std::vector<int>& others : apart) {
    std::sort(others.begin(), others.end());
    apart_first_.push_back(static_cast<int>(apart_.size()));
    apart_.insert(apart_.end(), others.begin(), std::unique(others.begin(), others.end()));
  }
  apart_first_.push_back(static_cast<int>(apart_.size()));

  constexpr int most_for_bits = 2048;  // half a megabyte
  if (count > most_for_bits) return;
  std::vector<std::uint64_t> bits(bit(count, 0) / 64 + 1, 0);
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b)
      if (find_wanted(a, b)) bits[bit(a, b) / 64] |= std::uint64_t(1) << (bit(a, b) % 64);
  wanted_ = std::move(bits);
}

const ScenePair* CollisionScene::named(int a, int b) const {
  if (!has_named_[at(a)]) return nullptr;
  ScenePair wanted;
  wanted.a = a, wanted.b = b;
  const auto found = std::lower_bound(spec_.pairs.begin(), spec_.pairs.end(), wanted, before);
  return found != spec_.pairs.end() && found->a == a && found->b == b ? &*found : nullptr;
}

bool CollisionScene::find_wanted(int a, int b) const {
  const SceneShape &A = spec_.shapes[at(a)], &B = spec_.shapes[at(b)];
  const int f = A.frame, g = B.frame;
  if (f == g) return false;
  if (named(a, b)) return true;
  if (((A.groups & B.touches) | (B.groups & A.touches)) == 0) return false;  // (1)
  return !std::binary_search(apart_.begin() + apart_first_[at(f)], apart_.begin() + apart_first_[at(f) + 1], g);
}

double CollisionScene::margin(int a, int b) const {
  const ScenePair* pair = named(a, b);
  return pair && pair->margin ? *pair->margin : spec_.shapes[at(a)].margin + spec_.shapes[at(b)].margin;
}

PairMaterial CollisionScene::material(int a, int b) const {
  const ScenePair* pair = named(a, b);
  return pair && pair->material ? *pair->material
                                : combine(spec_.shapes[at(a)].material, spec_.shapes[at(b)].material, spec_.rules);
}

SceneWorkspace::SceneWorkspace(const CollisionScene& scene)
    : X_WS(scene.shapes().size()), boxes(scene.shapes().size()), margins(scene.shapes().size()) {}

void find_contacts(const CollisionScene& scene, std::span<const Transform<double>> X_WF, std::span<const double> reach,
                   SceneWorkspace& ws, SceneContacts& out) {
  const std::span<const SceneShape> shapes = scene.shapes();
  check(X_WF.size() == at(scene.frames()), "find_contacts: poses of ", X_WF.size(), " frames, the scene has ",
        scene.frames());
  check(reach.empty() || reach.size() == X_WF.size(), "find_contacts: reach of ", reach.size(),
        " frames, the scene has ", scene.frames());
  for (const double r : reach) check(r >= 0, "find_contacts: a reach of ", r, " m, it must be at least 0");
  const auto reach_of = [&](const SceneShape& s) { return reach.empty() ? 0.0 : reach[at(s.frame)]; };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ws.X_WS[i] = X_WF[at(shapes[i].frame)] * shapes[i].X_FS;
    ws.boxes[i] = bounds(shapes[i].shape, ws.X_WS[i]);
    ws.margins[i] = shapes[i].margin + reach_of(shapes[i]);
  }
  const auto margin = [&](int a, int b) {  // (2)
    return scene.margin(a, b) + reach_of(shapes[at(a)]) + reach_of(shapes[at(b)]);
  };

  ws.near.clear();
  for (const BoxPair& p : ws.broad_phase.find_pairs(ws.boxes, ws.margins)) {
    const int a = static_cast<int>(p.a), b = static_cast<int>(p.b);
    if (scene.wanted(a, b) && !scene.named(a, b)) ws.near.push_back(p);
  }
  if (!scene.named_pairs().empty()) {  // they have margins of their own, which the broad phase does not know
    for (const ScenePair& p : scene.named_pairs()) {
      const double m = margin(p.a, p.b);
      if (scene.wanted(p.a, p.b) && distance_squared(ws.boxes[at(p.a)], ws.boxes[at(p.b)]) <= m * m)
        ws.near.push_back({static_cast<std::uint32_t>(p.a), static_cast<std::uint32_t>(p.b)});
    }
    std::sort(ws.near.begin(), ws.near.end(),
              [](const BoxPair& p, const BoxPair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
  }

  out.pairs.clear();
  out.manifolds.clear();
  for (const BoxPair& p : ws.near) {
    const int a = static_cast<int>(p.a), b = static_cast<int>(p.b), first = static_cast<int>(out.manifolds.size());
    const int count =
        collide(shapes[p.a].shape, ws.X_WS[p.a], shapes[p.b].shape, ws.X_WS[p.b], margin(a, b), out.manifolds);
    if (count > 0) out.pairs.push_back({a, b, first, count});
  }
}

}  // namespace linchpin
