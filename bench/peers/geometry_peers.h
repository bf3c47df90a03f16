// Other engines on the same pairs of shapes, in the same process.
//
// A GeometryPeer is given shapes with their poses, which it turns into objects of its own, and is then asked for the
// contacts of all pairs, one after the other. What is timed is the narrow phase alone, as each engine's users call it
// once their broad phase has found a pair:
//
// | ODE    | dCollide() into a buffer of eight dContactGeom. Poses were set before; bounding boxes, which ODE computes|
// |        | when a space asks for them, are not part of it                                                           |
// | Bullet | processCollision() of the algorithm that btCollisionDispatcher chose for the pair, in a btManifoldResult |
// |        | whose btPersistentManifold is cleared before: what is found in one step. "one point" is Bullet as it     |
// |        | comes: most pairs give one point each step and gather more over the steps. "several points" asks for a   |
// |        | manifold at once: polyhedral features for clipping, and multipoint iterations                            |
// | FCL    | fcl::collide() of two CollisionObject with contacts wanted, at most eight; solver "libccd" or "indep"    |
//
// While the shapes are apart ODE and FCL give nothing; Bullet gives a point for most pairs but balls on balls and boxes
// on boxes, within a threshold of its own (20 mm).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/geometry_cases.h"
#include "linchpin/base/result.h"
#include "linchpin/geometry/shapes/aabb.h"

namespace linchpin {

struct PeerContact {
  Vec3<double> p;       // W; on A, on B or between them, as the engine has it
  Vec3<double> normal;  // unit, from B towards A
  double gap;           // m
};

class GeometryPeer {
 public:
  virtual ~GeometryPeer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  // How it is asked, for engines that can be asked in several ways.
  virtual std::string way() const { return {}; }

  // Takes the scene over, in place of the one before. An Error says why this engine cannot hold it. Not timed.
  virtual std::optional<Error> load(const PairScene& scene) = 0;
  // Timed: contacts of all pairs. Returns how many points there are.
  virtual std::size_t collide() = 0;
  // Those of one pair. Not timed.
  virtual std::vector<PeerContact> contacts(std::size_t pair) = 0;
  // The distance of one pair while apart, from engines that tell it. Not timed.
  virtual std::optional<double> distance(std::size_t) { return {}; }
};

using GeometryPeers = std::vector<std::unique_ptr<GeometryPeer>>;

// Those that were installed when this was built, one for each way, with nothing loaded; and the names of the others.
GeometryPeers available_geometry_peers();
std::vector<std::string> missing_geometry_peers();

// Bullet's broad phases, both on btDbvt, a tree of bounding boxes, each grown by a margin when it is put in or has left
// its place:
//
// | tree       | btDbvt::update() of each box, optimizeIncremental(1), collideTT() with itself: all pairs anew       |
// | pair cache | btDbvtBroadphase: setAabb() of each box, calculateOverlappingPairs(). It keeps its pairs and only   |
// |            | looks at boxes that have left their place; its margin is always 50 mm                               |
class BroadPhasePeer {
 public:
  virtual ~BroadPhasePeer() = default;
  virtual std::string way() const = 0;
  virtual void start(std::span<const Aabb> boxes, double margin) = 0;
  // Timed: moves all boxes, then has all pairs of grown boxes that overlap. Returns how many.
  virtual std::size_t step(std::span<const Aabb> boxes) = 0;
};
using BroadPhasePeers = std::vector<std::unique_ptr<BroadPhasePeer>>;

// None where Bullet was not installed.
BroadPhasePeers available_broad_phases();

// What each driver gives to geometry_peers.cc.
GeometryPeers make_bullet_geometry();
GeometryPeers make_ode_geometry();
GeometryPeers make_fcl_geometry();
BroadPhasePeers make_bullet_broad_phases();

}  // namespace linchpin
