// Simbody with its contacts: its semi-explicit time stepper, with one unilateral contact for every pair of shapes that
// may ever touch (simbody_bodies.h). There are contacts of spheres with spheres and planes and of points with planes,
// so that boxes have their eight corners, and boxes on boxes cannot be said.
#include <cstdio>
#include <iostream>
#include <map>

#include "bench/engine_list.h"
#include "bench/peers/contact_peers.h"
#include "bench/peers/simbody_bodies.h"
#include "linchpin/geometry/shapes/shape_check.h"

namespace linchpin {
namespace {

using Stepper = SimTK::SemiExplicitEulerTimeStepper;

// Each pair costs time in every step, whether near or not: a step with the 8000 of a pile takes minutes.
constexpr std::size_t most_pairs = 1000;

// Debian's Simbody traces every step, on std::cout and by printf. A stream that has failed writes nothing, and formats
// nothing either; stdout is a variable with the GNU library, and what still goes there is part of Simbody's time.
class Silence {
 public:
  Silence() : before_(std::cout.rdstate()), out_(stdout) {
    static std::FILE* const nowhere = std::fopen("/dev/null", "w");
    std::cout.setstate(std::ios::failbit);
    if (nowhere) stdout = nowhere;
  }
  ~Silence() {
    stdout = out_;
    std::cout.clear(before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  std::ios::iostate before_;
  std::FILE* out_;
};

struct SimbodyWorld : SimbodyMechanism {
  using SimbodyMechanism::SimbodyMechanism;
  std::unique_ptr<Stepper> stepper;
};

class SimbodyContact final : public ContactEngine {
 public:
  explicit SimbodyContact(bool pgs) : pgs_(pgs) {}
  std::string name() const override { return "Simbody"; }
  std::string version() const override { return simbody_version(); }
  std::string way() const override { return pgs_ ? "PGS" : "PLUS"; }

  std::optional<Error> load(const ModelSpec& spec, const Model& model, double dt) override {
    planes_.clear();
    world_.reset();
    Result<PeerScene> taken = peer_scene(spec, model);
    if (!taken) return taken.error();
    scene_ = std::move(taken).value();
    dt_ = dt;
    steps_ = 0;
    const Silence silence;
    try {
      world_ = std::make_unique<SimbodyWorld>(simtk(scene_.gravity));
      for (const PeerNode& node : scene_.nodes)
        world_->bodies.push_back(
            add_body(node.parent < 0 ? world_->matter.updGround() : world_->bodies[node.parent], node));
      std::size_t pairs = 0;
      for (std::size_t i = 0; i < scene_.shapes.size(); ++i)
        for (std::size_t j = i + 1; j < scene_.shapes.size(); ++j) {
          if (!may_touch(scene_.shapes[i], scene_.shapes[j])) continue;
          if (++pairs > most_pairs) return Error{"more than 1000 pairs that may touch"};
          if (auto error = add_contact(scene_.shapes[i], scene_.shapes[j])) return error;
        }
      start();
    } catch (const std::exception& failure) {
      return Error{failure.what()};
    }
    return {};
  }

  void push(int body, const Vec3<double>& force) override { scene_.push = {scene_.node_of_body(body), force}; }

  std::optional<Error> step() override {
    const Silence silence;
    try {
      SimTK::State& state = world_->stepper->updState();
      for (const PeerSpring& s : scene_.springs) {
        const SimTK::MobilizedBody& body = world_->bodies[s.node];
        world_->applied.setOneMobilityForce(
            state, body, SimTK::MobilizerUIndex(0),
            -s.stiffness * (body.getOneQ(state, 0) - s.rest) - s.damping * body.getOneU(state, 0));
      }
      if (scene_.push) {
        const SimTK::MobilizedBody& body = world_->bodies[scene_.push->node];
        world_->applied.clearAllBodyForces(state);
        world_->multibody.realize(state, SimTK::Stage::Position);
        world_->applied.addForceToBodyPoint(state, body, simtk(scene_.nodes[scene_.push->node].inertia.centre),
                                            simtk(scene_.push->force));
      }
      world_->stepper->stepTo(++steps_ * dt_);
    } catch (const std::exception& failure) {
      return Error{failure.what()};
    }
    return {};
  }

  void poses(std::span<Transform<double>> X_WB) override {
    const SimTK::State& state = world_->stepper->getState();
    world_->multibody.realize(state, SimTK::Stage::Position);
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const SimTK::Transform& T = world_->bodies[i].getBodyTransform(state);
      const SimTK::Rotation& R = T.R();
      X_WB[scene_.nodes[i].body] = {{vec3(SimTK::Vec3(R.x())), vec3(SimTK::Vec3(R.y())), vec3(SimTK::Vec3(R.z()))},
                                    vec3(T.p())};
    }
  }
  int contacts() const override {
    int count = 0;
    for (SimTK::UnilateralContactIndex i(0); i < world_->matter.getNumUnilateralContacts(); ++i)
      count += world_->matter.getUnilateralContact(i).isEnabled(world_->stepper->getState()) ? 1 : 0;
    return count;
  }

 private:
  bool may_touch(const PeerShape& a, const PeerShape& b) const { return a.node != b.node && scene_.wanted(a, b); }

  static Error no_contact(const PeerShape& a, const PeerShape& b) {
    return {"no contact of " + std::string(kind_name(a.shape)) + " and " + std::string(kind_name(b.shape))};
  }

  std::optional<Error> add_contact(const PeerShape& a, const PeerShape& b) {
    const auto *sphere_a = std::get_if<Sphere>(&a.shape), *sphere_b = std::get_if<Sphere>(&b.shape);
    const double e = scene_.restitution, mu = scene_.mu;
    if (sphere_a && sphere_b && a.node >= 0 && b.node >= 0) {
      world_->matter.adoptUnilateralContact(
          new SimTK::SphereSphereContact(world_->bodies[a.node], simtk(a.X_BG.p), sphere_a->radius,
                                         world_->bodies[b.node], simtk(b.X_BG.p), sphere_b->radius, e, mu, mu, 0));
      return {};
    }
    if (!std::holds_alternative<HalfSpace>(a.shape))
      return std::holds_alternative<HalfSpace>(b.shape) ? add_contact(b, a) : no_contact(a, b);
    const SimTK::UnitVec3 normal(simtk(a.X_BG.R.z));
    // Planes go through the origin of a body fixed there: by a plane with a height of its own bodies are held from
    // afar.
    if (!planes_.contains(a.index))
      planes_[a.index] = SimTK::MobilizedBody::Weld(world_->matter.updGround(), SimTK::Transform(simtk(a.X_BG.p)),
                                                    SimTK::Body::Massless(), SimTK::Transform());
    constexpr double height = 0;
    SimTK::MobilizedBody& body = world_->bodies[b.node];
    SimTK::MobilizedBody& ground = planes_[a.index];
    if (sphere_b) {
      world_->matter.adoptUnilateralContact(
          new SimTK::SpherePlaneContact(ground, normal, height, body, simtk(b.X_BG.p), sphere_b->radius, e, mu, mu, 0));
      return {};
    }
    const auto* box = std::get_if<Box>(&b.shape);
    if (!box) return no_contact(a, b);
    for (int k = 0; k < 8; ++k) {
      const Vec3<double> corner{(k & 1 ? 1 : -1) * box->half.x, (k & 2 ? 1 : -1) * box->half.y,
                                (k & 4 ? 1 : -1) * box->half.z};
      world_->matter.adoptUnilateralContact(
          new SimTK::PointPlaneContact(ground, normal, height, body, simtk(b.X_BG * corner), e, mu, mu, 0));
    }
    return {};
  }

  void start() {
    world_->multibody.realizeTopology();
    SimTK::State state = world_->multibody.getDefaultState();
    world_->multibody.realizeModel(state);
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const PeerNode& node = scene_.nodes[i];
      SimTK::MobilizedBody& body = world_->bodies[i];
      if (node.nv == 1) {
        body.setOneQ(state, 0, scene_.q[i]);
        body.setOneU(state, 0, scene_.v[i]);
      } else if (node.type == JointType::free) {
        const Transform<double> X_FM = inverse(node.X_PF) * scene_.X_WB[i] * node.X_CM;
        const Motion<double>& V = scene_.V_WB[i];
        const Vec3<double> v = V.v + cross(V.w, scene_.X_WB[i].R * node.X_CM.p);
        body.setQToFitTransform(state, simtk(X_FM));
        body.setUToFitVelocity(
            state, SimTK::SpatialVec(simtk(transpose_times(node.X_PF.R, V.w)), simtk(transpose_times(node.X_PF.R, v))));
      }
    }
    world_->stepper = std::make_unique<Stepper>(world_->multibody);
    world_->stepper->setImpulseSolverType(pgs_ ? Stepper::PGS : Stepper::PLUS);
    world_->stepper->initialize(state);
  }

  bool pgs_;
  PeerScene scene_;
  double dt_ = 0;
  int steps_ = 0;
  std::unique_ptr<SimbodyWorld> world_;
  std::map<int, SimTK::MobilizedBody> planes_;  // by shape
};

}  // namespace

ContactEngines make_simbody_contact() { return engines_of<ContactEngines, SimbodyContact>({false, true}); }

}  // namespace linchpin
