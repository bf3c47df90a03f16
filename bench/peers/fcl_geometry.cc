// FCL in double precision: one CollisionObject for each body.
//
// A half-space is n.x <= d in its own frame, as ours. Of these no distance() is asked: that crashes in FCL 0.7.
#include <algorithm>
#include <array>

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "bench/engine_list.h"
#include "bench/peers/geometry_peers.h"
#include "linchpin/geometry/shapes/hull.h"

namespace linchpin {
namespace {

constexpr std::size_t most_contacts = 8;

fcl::Vector3d eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> vec3(const fcl::Vector3d& v) { return {v[0], v[1], v[2]}; }

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry fcl_hull(const Hull& hull) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3<double>& v : hull.vertices) vertices->push_back(eigen(v));
  auto faces = std::make_shared<std::vector<int>>();  // count, corners; count, corners; ...
  for (const Hull::Face& face : hull.faces) {
    faces->push_back(face.count);
    for (int i = 0; i < face.count; ++i) faces->push_back(hull.corners[face.first + i]);
  }
  return std::make_shared<fcl::Convexd>(vertices, int(hull.faces.size()), faces);
}

// Null for a shape that FCL does not have.
Geometry fcl_shape(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return std::make_shared<fcl::Sphered>(s->radius);
  if (const auto* s = std::get_if<Capsule>(&shape))
    return std::make_shared<fcl::Capsuled>(s->radius, 2 * s->half_length);
  if (const auto* s = std::get_if<Box>(&shape)) return std::make_shared<fcl::Boxd>(2 * eigen(s->half));
  if (const auto* s = std::get_if<Cylinder>(&shape))
    return std::make_shared<fcl::Cylinderd>(s->radius, 2 * s->half_length);
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return std::make_shared<fcl::Ellipsoidd>(eigen(s->radii));
  if (std::holds_alternative<HalfSpace>(shape)) return std::make_shared<fcl::Halfspaced>(fcl::Vector3d::UnitZ(), 0.0);
  if (const auto* s = std::get_if<ConvexHull>(&shape)) return fcl_hull(*s->hull);
  return nullptr;
}

fcl::CollisionObjectd placed(const Geometry& geometry, const Transform<double>& X) {
  fcl::Matrix3d R;
  R << eigen(X.R.x), eigen(X.R.y), eigen(X.R.z);
  return {geometry, R, eigen(X.p)};
}

class FclGeometry : public GeometryPeer {
 public:
  explicit FclGeometry(fcl::GJKSolverType solver) { request_.gjk_solver_type = solver; }

  std::string name() const override { return "FCL"; }
  std::string version() const override { return FCL_VERSION; }
  std::string way() const override { return request_.gjk_solver_type == fcl::GST_LIBCCD ? "libccd" : "indep"; }

  std::optional<Error> load(const PairScene& scene) override {
    objects_.clear();
    pairs_.clear();
    for (const PairScene::Body& body : scene.bodies) {
      const Geometry geometry = fcl_shape(body.shape);
      if (!geometry) return Error{"FCL has no such shape"};
      objects_.push_back(placed(geometry, body.X_WB));
    }
    pairs_ = scene.pairs;
    has_half_spaces_ = std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const PairScene::Body& body) {
      return std::holds_alternative<HalfSpace>(body.shape);
    });
    return {};
  }

  std::size_t collide() override {
    std::size_t points = 0;
    for (const PairScene::Pair& pair : pairs_) points += collide(pair);
    return points;
  }

  std::vector<PeerContact> contacts(std::size_t i) override {
    std::vector<PeerContact> found(collide(pairs_[i]));
    for (std::size_t k = 0; k < found.size(); ++k) {
      const fcl::Contactd& c = result_.getContact(k);
      found[k] = {vec3(c.pos), -vec3(c.normal), -c.penetration_depth};  // theirs points from A to B
    }
    return found;
  }

  std::optional<double> distance(std::size_t i) override {
    if (has_half_spaces_) return {};
    fcl::DistanceRequestd request(true);
    request.gjk_solver_type = request_.gjk_solver_type;
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    return fcl::distance(&objects_[pairs_[i].a], &objects_[pairs_[i].b], request, result);
  }

 private:
  std::size_t collide(const PairScene::Pair& pair) {
    result_.clear();
    return fcl::collide(&objects_[pair.a], &objects_[pair.b], request_, result_);
  }

  std::vector<fcl::CollisionObjectd> objects_;
  std::vector<PairScene::Pair> pairs_;
  bool has_half_spaces_ = false;
  fcl::CollisionRequestd request_{most_contacts, true};
  fcl::CollisionResultd result_;
};

}  // namespace

GeometryPeers make_fcl_geometry() {
  return engines_of<GeometryPeers, FclGeometry>(std::array{fcl::GST_LIBCCD, fcl::GST_INDEP});
}

}  // namespace linchpin
