// Bullet in double precision: two collision objects, an algorithm and a manifold for each pair; and its tree of bounding
// boxes.
//
// Most of Bullet's shapes are a core grown by a margin. It takes the margin off boxes and cylinders by itself. Hulls are
// shrunk here with Bullet's own tool, so that core and margin together are the hull that was asked for, with its
// vertices rounded. Bullet has no ellipsoids: a scaled btMultiSphereShape is none.
#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
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
#include <LinearMath/btConvexHullComputer.h>

#include "bench/peers/geometry_peers.h"
#include "linchpin/geometry/hull.h"

namespace linchpin {
namespace {

// Of its radius, a hull's margin: small enough to change no pair's nature.
constexpr double margin_of_radius = 0.01;

btVector3 bt(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> vec3(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btTransform bt(const Transform<double>& X) {
  const Mat3<double>& R = X.R;
  return btTransform(btMatrix3x3(R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z), bt(X.p));
}

std::unique_ptr<btConvexHullShape> bullet_hull(const Hull& hull, bool features) {
  const double margin = margin_of_radius * hull.radius;
  btConvexHullComputer core;
  core.compute(&hull.vertices[0].x, int(sizeof hull.vertices[0]), int(hull.vertices.size()), margin, 0);
  auto shape = std::make_unique<btConvexHullShape>();
  for (int i = 0; i < core.vertices.size(); ++i) shape->addPoint(core.vertices[i], false);
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

struct Side {
  std::unique_ptr<btCollisionShape> shape;
  btCollisionObject object;
};

struct Pair {
  Side a, b;
  btCollisionAlgorithm* algorithm = nullptr;  // the dispatcher's, as is the manifold
  btPersistentManifold* manifold = nullptr;
};

class BulletGeometry : public GeometryPeer {
 public:
  ~BulletGeometry() override { clear(); }

  std::string name() const override { return "Bullet"; }
  std::string version() const override {
    return std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);
  }
  std::vector<std::string> ways() const override { return {"one point", "several points"}; }

  std::optional<Error> load(std::span<const PlacedPair> pairs, std::size_t way) override {
    clear();
    const bool several = way == 1;
    dispatch_ = std::make_unique<Dispatch>(several);
    for (const PlacedPair& pair : pairs) {
      Pair& made = *pairs_.emplace_back(std::make_unique<Pair>());
      if (!place(pair.a, pair.X_WA, several, made.a) || !place(pair.b, pair.X_WB, several, made.b)) {
        clear();
        return Error{"Bullet has no such shape"};
      }
      find_algorithm(made);
    }
    return {};
  }

  std::size_t collide() override {
    std::size_t points = 0;
    for (const std::unique_ptr<Pair>& pair : pairs_) points += collide(*pair);
    return points;
  }

  std::vector<PeerContact> contacts(std::size_t i) override {
    Pair& pair = *pairs_[i];
    std::vector<PeerContact> found(collide(pair));
    for (std::size_t k = 0; k < found.size(); ++k) {
      const btManifoldPoint& c = pair.manifold->getContactPoint(int(k));
      const bool swapped = pair.manifold->getBody0() != &pair.a.object;
      const Vec3<double> normal = vec3(c.m_normalWorldOnB);
      found[k] = {vec3(c.getPositionWorldOnB()), swapped ? -normal : normal, c.getDistance()};
    }
    return found;
  }

 private:
  static bool place(const Shape& shape, const Transform<double>& X, bool features, Side& side) {
    side.shape = bullet_shape(shape, features);
    if (!side.shape) return false;
    side.object.setCollisionShape(side.shape.get());
    side.object.setWorldTransform(bt(X));
    return true;
  }

  static btCollisionObjectWrapper wrapped(Side& side) {
    return {nullptr, side.shape.get(), &side.object, side.object.getWorldTransform(), -1, -1};
  }

  // The algorithm makes its manifold by itself, some of them when they are called first.
  void find_algorithm(Pair& pair) {
    const btCollisionObjectWrapper a = wrapped(pair.a), b = wrapped(pair.b);
    pair.algorithm = dispatch_->dispatcher.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    process(pair, a, b);
    btManifoldArray manifolds;
    pair.algorithm->getAllContactManifolds(manifolds);
    if (manifolds.size() > 0) pair.manifold = manifolds[0];
  }

  void process(Pair& pair, const btCollisionObjectWrapper& a, const btCollisionObjectWrapper& b) {
    btManifoldResult result(&a, &b);
    pair.algorithm->processCollision(&a, &b, info_, &result);
  }

  std::size_t collide(Pair& pair) {
    if (!pair.manifold) return 0;
    pair.manifold->clearManifold();
    process(pair, wrapped(pair.a), wrapped(pair.b));
    return std::size_t(pair.manifold->getNumContacts());
  }

  void clear() {
    for (const std::unique_ptr<Pair>& pair : pairs_) {
      if (!pair->algorithm) continue;
      pair->algorithm->~btCollisionAlgorithm();
      dispatch_->dispatcher.freeCollisionAlgorithm(pair->algorithm);
    }
    pairs_.clear();
  }

  std::unique_ptr<Dispatch> dispatch_;
  btDispatcherInfo info_;
  std::vector<std::unique_ptr<Pair>> pairs_;
};

class BulletTree : public BroadPhasePeer {
 public:
  void start(std::span<const Bounds> bounds, double margin) override {
    margin_ = margin;
    tree_.clear();
    leaves_.clear();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      btDbvtVolume volume = volume_of(bounds[i]);
      volume.Expand(btVector3(margin, margin, margin));
      leaves_.push_back(tree_.insert(volume, nullptr));
      leaves_.back()->dataAsInt = int(i);
    }
  }

  std::size_t step(std::span<const Bounds> bounds) override {
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      btDbvtVolume volume = volume_of(bounds[i]);
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
    void Process(const btDbvtNode* a, const btDbvtNode* b) override {
      found.emplace_back(a->dataAsInt, b->dataAsInt);
    }
  };
  static btDbvtVolume volume_of(const Bounds& b) { return btDbvtVolume::FromMM(bt(b.low), bt(b.high)); }

  btDbvt tree_;
  std::vector<btDbvtNode*> leaves_;
  Pairs pairs_;
  double margin_ = 0;
};

}  // namespace

std::unique_ptr<GeometryPeer> make_bullet_geometry() { return std::make_unique<BulletGeometry>(); }
std::unique_ptr<BroadPhasePeer> make_bullet_tree() { return std::make_unique<BulletTree>(); }

}  // namespace linchpin
