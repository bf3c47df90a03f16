// Bullet in double precision: a collision object for each body, an algorithm and a manifold for each pair; and its
// broad phases.
//
// Most of Bullet's shapes are a core grown by a margin. It takes the margin off boxes and cylinders by itself. The core
// of a hull is scaled down here so that core and margin together are about the hull that was asked for: a face at
// distance o from the centre comes out at o + margin (1 - o / mean), mean the average over the faces. (To move all
// faces by the margin, as btConvexHullComputer can, makes several vertices of each one, and Bullet three times as
// slow.) There are no ellipsoids: a scaled btMultiSphereShape is none.
#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "bench/engine_list.h"
#include "bench/peers/geometry_peers.h"
#include "linchpin/geometry/shapes/hull.h"

namespace linchpin {
namespace {

// A hull's margin over its radius. Half of a penetration of 1 mm is within it for hulls of 0.2 m and more: Bullet is at
// its best while margins overlap but cores do not.
constexpr double margin_over_radius = 0.0025;

btVector3 bt(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> vec3(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btTransform bt(const Transform<double>& X) {
  const Mat3<double>& R = X.R;
  return btTransform(btMatrix3x3(R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z), bt(X.p));
}

std::unique_ptr<btConvexHullShape> bullet_hull(const Hull& hull, bool features) {
  double mean = 0;
  for (const Hull::Face& face : hull.faces)
    mean += (face.offset - dot(face.normal, hull.centre)) / double(hull.faces.size());
  const double margin = margin_over_radius * hull.radius, scale = 1 - margin / mean;
  auto shape = std::make_unique<btConvexHullShape>();
  for (const Vec3<double>& v : hull.vertices) shape->addPoint(bt(fma(scale, v - hull.centre, hull.centre)), false);
  shape->recalcLocalAabb();
  shape->setMargin(margin);
  if (features) shape->initializePolyhedralFeatures();
  return shape;
}

// Null for a shape that Bullet does not have.
std::unique_ptr<btCollisionShape> bullet_shape(const Shape& shape, bool features) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return std::make_unique<btSphereShape>(s->radius);
  if (const auto* s = std::get_if<Capsule>(&shape))
    return std::make_unique<btCapsuleShapeZ>(s->radius, 2 * s->half_length);
  if (const auto* s = std::get_if<Box>(&shape)) {
    auto box = std::make_unique<btBoxShape>(bt(s->half));
    if (features) box->initializePolyhedralFeatures();
    return box;
  }
  if (const auto* s = std::get_if<Cylinder>(&shape))
    return std::make_unique<btCylinderShapeZ>(btVector3(s->radius, s->radius, s->half_length));
  if (std::holds_alternative<HalfSpace>(shape)) return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0);
  if (const auto* s = std::get_if<ConvexHull>(&shape)) return bullet_hull(*s->hull, features);
  return nullptr;
}

// For distances: the shape as it is, without a margin that rounds it. Null for a shape that is not convex.
std::unique_ptr<btConvexShape> bullet_sharp(const Shape& shape) {
  if (const auto* s = std::get_if<ConvexHull>(&shape)) {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vec3<double>& v : s->hull->vertices) hull->addPoint(bt(v), false);
    hull->recalcLocalAabb();
    hull->setMargin(0);
    return hull;
  }
  std::unique_ptr<btCollisionShape> made = bullet_shape(shape, false);
  if (!made || !made->isConvex()) return nullptr;
  const bool round = std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape);
  if (!round) made->setMargin(0);  // of round ones it is the radius
  return std::unique_ptr<btConvexShape>(static_cast<btConvexShape*>(made.release()));
}

// Configuration and dispatcher of one way of asking.
struct Dispatch {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  explicit Dispatch(bool several) {
    if (!several) return;
    configuration.setConvexConvexMultipointIterations();
    configuration.setPlaneConvexMultipointIterations();
  }
};

struct Body {
  Shape ours;
  std::unique_ptr<btCollisionShape> shape;
  btCollisionObject object;
  btCollisionObjectWrapper wrapped() const {
    return {nullptr, shape.get(), &object, object.getWorldTransform(), -1, -1};
  }
};

struct Pair {
  const Body *a, *b;
  btCollisionAlgorithm* algorithm;  // the dispatcher's, as is the manifold
  btPersistentManifold* manifold;
};

class BulletGeometry : public GeometryPeer {
 public:
  explicit BulletGeometry(bool several) : several_(several) {}
  ~BulletGeometry() override { clear(); }
  BulletGeometry(const BulletGeometry&) = delete;
  BulletGeometry& operator=(const BulletGeometry&) = delete;

  std::string name() const override { return "Bullet"; }
  std::string version() const override {
    return std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);
  }
  std::string way() const override { return several_ ? "several points" : "one point"; }

  std::optional<Error> load(const PairScene& scene) override {
    clear();
    dispatch_ = std::make_unique<Dispatch>(several_);
    for (const PairScene::Body& body : scene.bodies) {
      Body& made = *bodies_.emplace_back(std::make_unique<Body>());
      made.ours = body.shape;
      made.shape = bullet_shape(body.shape, several_);
      if (!made.shape) return Error{"Bullet has no such shape"};
      made.object.setCollisionShape(made.shape.get());
      made.object.setWorldTransform(bt(body.X_WB));
    }
    for (const PairScene::Pair& pair : scene.pairs) pairs_.push_back(made_pair(*bodies_[pair.a], *bodies_[pair.b]));
    return {};
  }

  std::size_t collide() override {
    std::size_t points = 0;
    for (const Pair& pair : pairs_) points += collide(pair);
    return points;
  }

  std::vector<PeerContact> contacts(std::size_t i) override {
    const Pair& pair = pairs_[i];
    std::vector<PeerContact> found(collide(pair));
    for (std::size_t k = 0; k < found.size(); ++k) {
      const btManifoldPoint& c = pair.manifold->getContactPoint(int(k));
      const bool swapped = pair.manifold->getBody0() != &pair.a->object;
      const Vec3<double> normal = vec3(c.m_normalWorldOnB);
      found[k] = {vec3(c.getPositionWorldOnB()), swapped ? -normal : normal, c.getDistance()};
    }
    return found;
  }

  std::optional<double> distance(std::size_t i) override {
    const Body &a = *pairs_[i].a, &b = *pairs_[i].b;
    const auto sharp_a = bullet_sharp(a.ours), sharp_b = bullet_sharp(b.ours);
    if (!sharp_a || !sharp_b) return {};
    btVoronoiSimplexSolver simplex;
    btGjkPairDetector detector(sharp_a.get(), sharp_b.get(), &simplex, nullptr);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = a.object.getWorldTransform();
    input.m_transformB = b.object.getWorldTransform();
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    if (!found.m_hasResult) return {};
    return found.m_distance;
  }

 private:
  // The algorithm makes its manifold by itself, some of them when they are called first.
  Pair made_pair(const Body& a, const Body& b) {
    const btCollisionObjectWrapper on_a = a.wrapped(), on_b = b.wrapped();
    Pair pair{&a, &b, dispatch_->dispatcher.findAlgorithm(&on_a, &on_b, nullptr, BT_CONTACT_POINT_ALGORITHMS), nullptr};
    process(pair);
    btManifoldArray manifolds;
    pair.algorithm->getAllContactManifolds(manifolds);
    if (manifolds.size() > 0) pair.manifold = manifolds[0];
    return pair;
  }

  void process(const Pair& pair) {
    const btCollisionObjectWrapper a = pair.a->wrapped(), b = pair.b->wrapped();
    btManifoldResult result(&a, &b);
    pair.algorithm->processCollision(&a, &b, info_, &result);
  }

  std::size_t collide(const Pair& pair) {
    if (!pair.manifold) return 0;
    pair.manifold->clearManifold();
    process(pair);
    return std::size_t(pair.manifold->getNumContacts());
  }

  void clear() {
    for (const Pair& pair : pairs_) {
      pair.algorithm->~btCollisionAlgorithm();
      dispatch_->dispatcher.freeCollisionAlgorithm(pair.algorithm);
    }
    pairs_.clear();
    bodies_.clear();
  }

  bool several_;
  std::unique_ptr<Dispatch> dispatch_;
  btDispatcherInfo info_;
  std::vector<std::unique_ptr<Body>> bodies_;
  std::vector<Pair> pairs_;
};

class BulletTree : public BroadPhasePeer {
 public:
  std::string way() const override { return "tree"; }

  void start(std::span<const Aabb> boxes, double margin) override {
    margin_ = margin;
    tree_.clear();
    leaves_.clear();
    for (const Aabb& box : boxes) {
      btDbvtVolume volume = volume_of(box);
      volume.Expand(btVector3(margin, margin, margin));
      leaves_.push_back(tree_.insert(volume, nullptr));
      leaves_.back()->dataAsInt = int(leaves_.size()) - 1;
    }
  }

  std::size_t step(std::span<const Aabb> boxes) override {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      btDbvtVolume volume = volume_of(boxes[i]);
      tree_.update(leaves_[i], volume, margin_);
    }
    tree_.optimizeIncremental(1);  // as btDbvtBroadphase does in each step
    pairs_.found.clear();
    tree_.collideTT(tree_.m_root, tree_.m_root, pairs_);
    return pairs_.found.size();
  }

 private:
  struct Pairs : btDbvt::ICollide {
    std::vector<std::pair<int, int>> found;
    void Process(const btDbvtNode* a, const btDbvtNode* b) override { found.emplace_back(a->dataAsInt, b->dataAsInt); }
  };
  static btDbvtVolume volume_of(const Aabb& box) { return btDbvtVolume::FromMM(bt(box.lower), bt(box.upper)); }

  btDbvt tree_;
  std::vector<btDbvtNode*> leaves_;
  Pairs pairs_;
  double margin_ = 0;
};

class BulletPairCache : public BroadPhasePeer {
 public:
  BulletPairCache() = default;
  ~BulletPairCache() override { clear(); }
  BulletPairCache(const BulletPairCache&) = delete;
  BulletPairCache& operator=(const BulletPairCache&) = delete;

  std::string way() const override { return "pair cache"; }

  void start(std::span<const Aabb> boxes, double) override {
    clear();
    for (const Aabb& box : boxes)
      proxies_.push_back(broad_phase_.createProxy(bt(box.lower), bt(box.upper), BOX_SHAPE_PROXYTYPE, nullptr,
                                                  btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter,
                                                  nullptr));
  }

  std::size_t step(std::span<const Aabb> boxes) override {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      broad_phase_.setAabb(proxies_[i], bt(boxes[i].lower), bt(boxes[i].upper), nullptr);
    broad_phase_.calculateOverlappingPairs(nullptr);
    return std::size_t(pairs_.getNumOverlappingPairs());
  }

 private:
  void clear() {
    for (btBroadphaseProxy* const proxy : proxies_) broad_phase_.destroyProxy(proxy, nullptr);
    proxies_.clear();
  }

  btHashedOverlappingPairCache pairs_;
  btDbvtBroadphase broad_phase_{&pairs_};
  std::vector<btBroadphaseProxy*> proxies_;
};

}  // namespace

GeometryPeers make_bullet_geometry() { return engines_of<GeometryPeers, BulletGeometry>({false, true}); }

BroadPhasePeers make_bullet_broad_phases() {
  BroadPhasePeers both;
  both.push_back(std::make_unique<BulletTree>());
  both.push_back(std::make_unique<BulletPairCache>());
  return both;
}

}  // namespace linchpin
