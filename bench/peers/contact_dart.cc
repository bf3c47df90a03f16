// DART with its contacts: a World with a Skeleton for each tree (dart_bodies.h) and one for each shape of the world.
//
// Contacts are found by DART's own detector, which knows spheres and boxes only; so half-spaces are boxes, thick and
// wide enough for the scenes that are driven.
#include <cmath>

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/simulation/World.hpp>

#include "bench/engine_list.h"
#include "bench/peers/contact_peers.h"
#include "bench/peers/dart_bodies.h"

namespace linchpin {
namespace {

constexpr double half_of_a_half_space = 100;  // m
constexpr std::size_t most_contacts = 5000;   // by default 1000

class DartContact final : public ContactEngine {
 public:
  explicit DartContact(bool pgs) : pgs_(pgs) {}
  std::string name() const override { return "DART"; }
  std::string version() const override { return DART_VERSION; }
  std::string way() const override { return pgs_ ? "PGS" : "Dantzig"; }

  std::optional<Error> load(const ModelSpec& spec, const Model& model, double dt) override {
    world_.reset();
    bodies_.clear();
    Result<PeerScene> taken = peer_scene(spec, model);
    if (!taken) return taken.error();
    scene_ = std::move(taken).value();
    for (const PeerShape& g : scene_.shapes)
      if (std::holds_alternative<Capsule>(g.shape)) return Error{"no capsules"};
    world_ = dart::simulation::World::create();
    world_->setTimeStep(dt);
    world_->setGravity(eigen(scene_.gravity));
    auto solver = std::make_unique<dart::constraint::BoxedLcpConstraintSolver>();
    if (pgs_) {
      solver->setBoxedLcpSolver(std::make_shared<dart::constraint::PgsBoxedLcpSolver>());
      solver->setSecondaryBoxedLcpSolver(nullptr);
    }
    world_->setConstraintSolver(std::move(solver));
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    world_->getConstraintSolver()->getCollisionOption().maxNumContacts = most_contacts;
    add_trees();
    add_ground();
    return {};
  }

  void push(int body, const Vec3<double>& force) override { scene_.push = {scene_.node_of_body(body), force}; }

  std::optional<Error> step() override {
    for (const PeerSpring& s : scene_.springs) {
      dd::Joint& joint = *bodies_[s.node]->getParentJoint();
      joint.setForce(0, -s.stiffness * (joint.getPosition(0) - s.rest) - s.damping * joint.getVelocity(0));
    }
    if (scene_.push) {  // forgotten after the step
      dd::BodyNode& body = *bodies_[scene_.push->node];
      body.addExtForce(eigen(scene_.push->force), body.getLocalCOM(), /*force in its axes=*/false);
    }
    world_->step();
    return {};
  }

  void poses(std::span<Transform<double>> X_WB) override {
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Eigen::Isometry3d& T = bodies_[i]->getWorldTransform();
      X_WB[scene_.nodes[i].body] = {{vec3(T.linear().col(0)), vec3(T.linear().col(1)), vec3(T.linear().col(2))},
                                    vec3(T.translation())};
    }
  }
  int contacts() const override { return int(world_->getLastCollisionResult().getNumContacts()); }

 private:
  // Friction is the smaller of the two bodies', restitution their product.
  void add_shape(dd::BodyNode& body, const Shape& shape, const Transform<double>& X_BG) {
    std::shared_ptr<dd::Shape> made;
    Transform<double> X = X_BG;
    if (const auto* s = std::get_if<Sphere>(&shape)) made = std::make_shared<dd::SphereShape>(s->radius);
    if (const auto* s = std::get_if<Box>(&shape)) made = std::make_shared<dd::BoxShape>(2 * eigen(s->half));
    if (std::holds_alternative<HalfSpace>(shape)) {
      made = std::make_shared<dd::BoxShape>(Eigen::Vector3d::Constant(2 * half_of_a_half_space));
      X.p = X.p - half_of_a_half_space * X.R.z;
    }
    dd::ShapeNode* const node = body.createShapeNode(made);
    node->setRelativeTransform(eigen(X));
    node->createCollisionAspect();
    node->createDynamicsAspect();
    node->getDynamicsAspect()->setFrictionCoeff(scene_.mu);
    node->getDynamicsAspect()->setRestitutionCoeff(std::sqrt(scene_.restitution));
  }

  void add_trees() {
    std::vector<dd::SkeletonPtr> skeletons;
    std::vector<std::size_t> tree(scene_.nodes.size());
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const PeerNode& node = scene_.nodes[i];
      if (node.parent < 0) skeletons.push_back(dd::Skeleton::create("tree" + std::to_string(skeletons.size())));
      tree[i] = node.parent < 0 ? skeletons.size() - 1 : tree[node.parent];
      bodies_.push_back(add_body(*skeletons[tree[i]], node.parent < 0 ? nullptr : bodies_[node.parent], node, i));
      start(i);
    }
    for (const PeerShape& g : scene_.shapes)
      if (g.node >= 0) add_shape(*bodies_[g.node], g.shape, g.X_BG);
    for (const PeerShape& a : scene_.shapes)
      for (const PeerShape& b : scene_.shapes) {
        if (a.node < 0 || b.node <= a.node || tree[a.node] != tree[b.node]) continue;
        if (scene_.wanted(a, b)) skeletons[tree[a.node]]->enableSelfCollisionCheck();
      }
    for (const dd::SkeletonPtr& skeleton : skeletons) {
      skeleton->disableAdjacentBodyCheck();
      world_->addSkeleton(skeleton);
    }
  }

  void start(std::size_t i) {
    const PeerNode& node = scene_.nodes[i];
    dd::Joint& joint = *bodies_[i]->getParentJoint();
    if (node.nv == 1) {
      joint.setPosition(0, scene_.q[i]);
      joint.setVelocity(0, scene_.v[i]);
    } else if (node.type == JointType::free) {
      const Transform<double> X_FM = inverse(node.X_PF) * scene_.X_WB[i] * node.X_CM;
      const Motion<double>& V = scene_.V_WB[i];
      auto& free = static_cast<dd::FreeJoint&>(joint);
      free.setPositions(dd::FreeJoint::convertToPositions(eigen(X_FM)));
      free.setLinearVelocity(eigen(V.v));
      free.setAngularVelocity(eigen(V.w));
    }
  }

  void add_ground() {
    const dd::SkeletonPtr ground = dd::Skeleton::create("ground");
    dd::BodyNode* const body = ground->createJointAndBodyNodePair<dd::WeldJoint>(nullptr).second;
    for (const PeerShape& g : scene_.shapes)
      if (g.node < 0) add_shape(*body, g.shape, g.X_BG);
    world_->addSkeleton(ground);
  }

  bool pgs_;
  PeerScene scene_;
  dart::simulation::WorldPtr world_;
  std::vector<dd::BodyNode*> bodies_;  // by node
};

}  // namespace

ContactEngines make_dart_contact() { return engines_of<ContactEngines, DartContact>({false, true}); }

}  // namespace linchpin
