// ODE in double precision: one dGeomID for each body, in no space. Its planes have no pose, so a half-space
// is given in world coordinates. There are no ellipsoids; cylinders on cylinders and hulls go through libccd.
#include <array>

#include <ode/ode.h>

#include "bench/peers/geometry_peers.h"
#include "linchpin/geometry/shapes/hull.h"

namespace linchpin {
namespace {

constexpr int most_contacts = 8;

void start_ode() {
  static const bool started = [] { return dInitODE2(0) != 0; }();
  static_cast<void>(started);
}

// A dConvex keeps pointers to its data.
struct OdeHull {
  std::vector<dReal> planes, points;
  std::vector<unsigned> polygons;  // count, corners; count, corners; ...
  explicit OdeHull(const Hull& hull) {
    for (const Vec3<double>& v : hull.vertices) points.insert(points.end(), {v.x, v.y, v.z});
    for (const Hull::Face& face : hull.faces) {
      planes.insert(planes.end(), {face.normal.x, face.normal.y, face.normal.z, face.offset});
      polygons.push_back(unsigned(face.count));
      for (int i = 0; i < face.count; ++i) polygons.push_back(unsigned(hull.corners[face.first + i]));
    }
  }
  dGeomID geom() {
    return dCreateConvex(nullptr, planes.data(), unsigned(planes.size() / 4), points.data(),
                         unsigned(points.size() / 3), polygons.data());
  }
};

class OdeGeometry : public GeometryPeer {
 public:
  OdeGeometry() { start_ode(); }
  ~OdeGeometry() override { clear(); }
  OdeGeometry(const OdeGeometry&) = delete;
  OdeGeometry& operator=(const OdeGeometry&) = delete;

  std::string name() const override { return "ODE"; }
  std::string version() const override { return dODE_VERSION; }

  std::optional<Error> load(const PairScene& scene) override {
    clear();
    for (const PairScene::Body& body : scene.bodies) {
      const dGeomID made = geom(body.shape, body.X_WB);
      if (!made) {
        clear();
        return Error{"ODE has no such shape"};
      }
      geoms_.push_back(made);
    }
    for (const PairScene::Pair& pair : scene.pairs) pairs_.push_back({geoms_[pair.a], geoms_[pair.b]});
    return {};
  }

  std::size_t collide() override {
    std::size_t points = 0;
    for (const Pair& pair : pairs_) points += std::size_t(collide(pair));
    return points;
  }

  std::vector<PeerContact> contacts(std::size_t i) override {
    std::vector<PeerContact> found(collide(pairs_[i]));
    for (std::size_t k = 0; k < found.size(); ++k) {
      const dContactGeom& c = buffer_[k];
      found[k] = {{c.pos[0], c.pos[1], c.pos[2]}, {c.normal[0], c.normal[1], c.normal[2]}, -c.depth};
    }
    return found;
  }

 private:
  struct Pair {
    dGeomID a, b;
  };

  int collide(const Pair& pair) {
    return dCollide(pair.a, pair.b, most_contacts, buffer_.data(), int(sizeof(dContactGeom)));
  }

  dGeomID geom(const Shape& shape, const Transform<double>& X) {
    if (std::holds_alternative<HalfSpace>(shape)) {
      const Vec3<double> n = X.R.z;
      return dCreatePlane(nullptr, n.x, n.y, n.z, dot(n, X.p));
    }
    dGeomID made = nullptr;
    if (const auto* s = std::get_if<Sphere>(&shape)) made = dCreateSphere(nullptr, s->radius);
    if (const auto* s = std::get_if<Capsule>(&shape)) made = dCreateCapsule(nullptr, s->radius, 2 * s->half_length);
    if (const auto* s = std::get_if<Box>(&shape))
      made = dCreateBox(nullptr, 2 * s->half.x, 2 * s->half.y, 2 * s->half.z);
    if (const auto* s = std::get_if<Cylinder>(&shape)) made = dCreateCylinder(nullptr, s->radius, 2 * s->half_length);
    if (const auto* s = std::get_if<ConvexHull>(&shape))
      made = hulls_.emplace_back(std::make_unique<OdeHull>(*s->hull))->geom();
    if (!made) return nullptr;
    const Mat3<double>& R = X.R;
    const dMatrix3 rows = {R.x.x, R.y.x, R.z.x, 0, R.x.y, R.y.y, R.z.y, 0, R.x.z, R.y.z, R.z.z, 0};
    dGeomSetRotation(made, rows);
    dGeomSetPosition(made, X.p.x, X.p.y, X.p.z);
    return made;
  }

  void clear() {
    for (const dGeomID made : geoms_) dGeomDestroy(made);
    geoms_.clear();
    pairs_.clear();
    hulls_.clear();
  }

  std::vector<dGeomID> geoms_;
  std::vector<Pair> pairs_;
  std::vector<std::unique_ptr<OdeHull>> hulls_;
  std::array<dContactGeom, most_contacts> buffer_;
};

}  // namespace

GeometryPeers make_ode_geometry() {
  GeometryPeers peers;
  peers.push_back(std::make_unique<OdeGeometry>());
  return peers;
}

}  // namespace linchpin
