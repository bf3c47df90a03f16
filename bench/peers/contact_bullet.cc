// Bullet in double precision with its contacts: a world of rigid bodies where all fly free, else one of multibodies,
// one for each tree (bullet_links.h).
#include <btBulletDynamicsCommon.h>
#include <cmath>

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>

#include "bench/peers/bullet_links.h"
#include "bench/peers/contact_peers.h"

namespace linchpin {
namespace {

constexpr int ground = 2, moving = 1;  // collision groups

btTransform bt(const Transform<double>& X) { return btTransform(bt(from_rotation(X.R)), bt(X.p)); }
Transform<double> transform(const btQuaternion& a, const btVector3& p) {
  return {to_rotation(normalized(Quaternion<double>{a.w(), a.x(), a.y(), a.z()})), vec3(p)};
}

// Everything of one scene, in the order in which it must be made; undone in reverse.
struct BulletWorld {
  explicit BulletWorld(bool rigid) : dispatcher(&configuration) {
    if (rigid) {
      solver = std::make_unique<btSequentialImpulseConstraintSolver>();
      world = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, &broad_phase, solver.get(), &configuration);
    } else {
      auto own = std::make_unique<btMultiBodyConstraintSolver>();
      auto made = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher, &broad_phase, own.get(), &configuration);
      multibodies = made.get();
      solver = std::move(own);
      world = std::move(made);
    }
  }
  ~BulletWorld() {
    for (const auto& body : rigid_bodies) world->removeRigidBody(body.get());
    for (const auto& object : objects) world->removeCollisionObject(object.get());
    if (multibodies)
      for (const auto& body : trees) multibodies->removeMultiBody(body.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broad_phase;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> rigid_bodies;   // by node
  std::vector<std::unique_ptr<btCollisionObject>> objects;  // the world's, and colliders of links
  std::vector<std::unique_ptr<btMultiBody>> trees;
  std::unique_ptr<btConstraintSolver> solver;
  std::unique_ptr<btDiscreteDynamicsWorld> world;
  btMultiBodyDynamicsWorld* multibodies = nullptr;
};

class BulletContact final : public ContactEngine {
 public:
  std::string name() const override { return "Bullet"; }
  std::string version() const override {
    return std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100) + " (double)";
  }
  std::string way() const override { return "10 sweeps"; }

  std::optional<Error> load(const ModelSpec& spec, const Model& model, double dt) override {
    world_.reset();
    Result<PeerScene> taken = peer_scene(spec, model);
    if (!taken) return taken.error();
    scene_ = std::move(taken).value();
    if (auto error = refuse_inner_free_joints(name(), scene_.nodes)) return error;
    dt_ = dt;
    const bool rigid = scene_.all_free();
    world_ = std::make_unique<BulletWorld>(rigid);
    world_->world->setGravity(bt(scene_.gravity));
    btContactSolverInfo& info = world_->world->getSolverInfo();
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    if (scene_.restitution > 0) info.m_splitImpulsePenetrationThreshold = 0;
    among_bodies_ = scene_.among_bodies();
    for (const PeerShape& g : scene_.shapes)
      if (g.node < 0) add_ground(g);
    links_.clear();
    for (const PeerNode& node : scene_.nodes) links_.push_back(bullet_link(node));
    rigid ? add_rigid_bodies() : add_trees();
    return {};
  }

  void push(int body, const Vec3<double>& force) override { scene_.push = {scene_.node_of_body(body), force}; }

  std::optional<Error> step() override {
    for (const PeerSpring& s : scene_.springs) {
      btMultiBody& tree = *world_->trees[links_[s.node].tree];
      const int link = links_[s.node].link;
      tree.addJointTorque(link, -s.stiffness * (tree.getJointPos(link) - s.rest) - s.damping * tree.getJointVel(link));
    }
    if (scene_.push) add_push(*scene_.push);
    world_->world->stepSimulation(dt_, 0, dt_);
    return {};
  }

  void poses(std::span<Transform<double>> X_WB) override {
    X_WB[0] = Transform<double>::identity();
    btAlignedObjectArray<btQuaternion> world_to_local;
    btAlignedObjectArray<btVector3> origin;
    int tree = -1;
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      Transform<double> X_WL;
      if (!world_->multibodies) {
        const btTransform& T = world_->rigid_bodies[i]->getWorldTransform();
        X_WL = transform(T.getRotation(), T.getOrigin());
      } else {
        const BulletLink& link = links_[i];
        if (link.tree != tree) world_->trees[link.tree]->forwardKinematics(world_to_local, origin);
        tree = link.tree;
        X_WL = transform(world_to_local[link.link + 1].inverse(), origin[link.link + 1]);
      }
      X_WB[scene_.nodes[i].body] = X_WL * inverse(X_BL(i));
    }
  }

  // Those within a hair of touching: Bullet keeps points up to 20 mm apart.
  int contacts() const override {
    int count = 0;
    for (int i = 0; i < world_->dispatcher.getNumManifolds(); ++i) {
      const btPersistentManifold* m = world_->dispatcher.getManifoldByIndexInternal(i);
      for (int k = 0; k < m->getNumContacts(); ++k) count += m->getContactPoint(k).getDistance() <= 1e-3 ? 1 : 0;
    }
    return count;
  }

 private:
  // Forces are forgotten after each step.
  void add_push(const PeerPush& push) {
    const BulletLink& link = links_[push.node];
    if (!world_->multibodies)
      world_->rigid_bodies[push.node]->applyCentralForce(bt(push.force));
    else if (link.link < 0)
      world_->trees[link.tree]->addBaseForce(bt(push.force));
    else
      world_->trees[link.tree]->addLinkForce(link.link, bt(push.force));
  }

  Transform<double> X_BL(std::size_t i) const { return scene_.nodes[i].X_CM * links_[i].X_ML; }

  template <class S, class... Arguments>
  S* shape(Arguments&&... arguments) {
    world_->shapes.push_back(std::make_unique<S>(std::forward<Arguments>(arguments)...));
    return static_cast<S*>(world_->shapes.back().get());
  }
  btCollisionShape* shape_of(const Shape& s) {
    if (const auto* b = std::get_if<Sphere>(&s)) return shape<btSphereShape>(b->radius);
    if (const auto* b = std::get_if<Capsule>(&s)) return shape<btCapsuleShapeZ>(b->radius, 2 * b->half_length);
    const auto& box = std::get<Box>(s);
    return shape<btBoxShape>(bt(box.half));
  }
  // All shapes of a node, in its frame L; none where it has none.
  btCollisionShape* shape_of(std::size_t node) {
    std::vector<const PeerShape*> all;
    for (const PeerShape& g : scene_.shapes)
      if (g.node == int(node)) all.push_back(&g);
    if (all.empty()) return nullptr;
    const Transform<double> X_LB = inverse(X_BL(node)), X_LG = X_LB * all[0]->X_BG;
    if (all.size() == 1 && norm(X_LG.p) < 1e-14 && norm(X_LG.R.x - Vec3<double>{1, 0, 0}) < 1e-14 &&
        norm(X_LG.R.y - Vec3<double>{0, 1, 0}) < 1e-14)
      return shape_of(all[0]->shape);
    auto* const compound = shape<btCompoundShape>();
    for (const PeerShape* g : all) compound->addChildShape(bt(X_LB * g->X_BG), shape_of(g->shape));
    return compound;
  }

  // Bullet multiplies the two bodies' numbers.
  void set_surface(btCollisionObject& object) const {
    object.setFriction(std::sqrt(scene_.mu));
    object.setRestitution(std::sqrt(scene_.restitution));
    object.setActivationState(DISABLE_DEACTIVATION);
    if (scene_.restitution > 0) object.setContactProcessingThreshold(0);
  }
  int touched_by_bodies() const { return ground | (among_bodies_ ? moving : 0); }

  void add_ground(const PeerShape& g) {
    auto object = std::make_unique<btCollisionObject>();
    if (std::holds_alternative<HalfSpace>(g.shape)) {
      object->setCollisionShape(shape<btStaticPlaneShape>(bt(g.X_BG.R.z), dot(g.X_BG.R.z, g.X_BG.p)));
    } else {
      object->setCollisionShape(shape_of(g.shape));
      object->setWorldTransform(bt(g.X_BG));
    }
    set_surface(*object);
    world_->world->addCollisionObject(object.get(), ground, moving);
    world_->objects.push_back(std::move(object));
  }

  void add_rigid_bodies() {
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      btRigidBody::btRigidBodyConstructionInfo info(links_[i].mass, nullptr, shape_of(i), bt(links_[i].moments));
      info.m_startWorldTransform = bt(scene_.X_WB[i] * X_BL(i));
      auto body = std::make_unique<btRigidBody>(info);
      set_surface(*body);
      const Motion<double>& V = scene_.V_WB[i];
      body->setLinearVelocity(bt(V.v + cross(V.w, scene_.X_WB[i].R * X_BL(i).p)));
      body->setAngularVelocity(bt(V.w));
      body->setDamping(0, 0);
      world_->world->addRigidBody(body.get(), moving, touched_by_bodies());
      world_->rigid_bodies.push_back(std::move(body));
    }
  }

  void add_trees() {
    std::vector<int> count;  // links, by tree
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const PeerNode& node = scene_.nodes[i];
      if (node.parent < 0) count.push_back(0);
      links_[i].tree = node.parent < 0 ? int(count.size()) - 1 : links_[node.parent].tree;
      if (node.type != JointType::free) links_[i].link = count[links_[i].tree]++;
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const PeerNode& node = scene_.nodes[i];
      const BulletLink& link = links_[i];
      if (node.parent < 0) {
        const bool fixed = node.type != JointType::free;
        world_->trees.push_back(std::make_unique<btMultiBody>(
            count[link.tree], fixed ? 0 : link.mass, fixed ? btVector3(0, 0, 0) : bt(link.moments), fixed, false));
      }
      if (link.link >= 0) set_up_link(*world_->trees[link.tree], scene_.nodes, links_, i, /*touching_parent=*/false);
    }
    for (const auto& tree : world_->trees) {
      tree->finalizeMultiDof();
      tree->setLinearDamping(0);
      tree->setAngularDamping(0);
      tree->setUseGyroTerm(true);
      tree->setMaxCoordinateVelocity(1e9);  // by default 100, and impulses of 1000
      tree->setMaxAppliedImpulse(1e9);
      tree->setHasSelfCollision(among_bodies_);
      world_->multibodies->addMultiBody(tree.get(), moving, touched_by_bodies());
    }
    for (std::size_t i = 0; i < links_.size(); ++i) start(i);
    add_colliders();
  }

  void start(std::size_t i) {
    btMultiBody& tree = *world_->trees[links_[i].tree];
    if (scene_.nodes[i].nv == 1) {
      tree.setJointPos(links_[i].link, scene_.q[i]);
      tree.setJointVel(links_[i].link, scene_.v[i]);
    } else if (links_[i].link < 0) {
      const Transform<double> X_WL = scene_.X_WB[i] * X_BL(i);
      const Motion<double>& V = scene_.V_WB[i];
      tree.setBasePos(bt(X_WL.p));
      tree.setWorldToBaseRot(to_axes_of(X_WL.R));
      tree.setBaseVel(bt(V.v + cross(V.w, X_WL.p - scene_.X_WB[i].p)));
      tree.setBaseOmega(bt(V.w));
    }
  }

  void add_colliders() {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      btCollisionShape* const its = shape_of(i);
      if (!its) continue;
      btMultiBody& tree = *world_->trees[links_[i].tree];
      auto collider = std::make_unique<btMultiBodyLinkCollider>(&tree, links_[i].link);
      collider->setCollisionShape(its);
      set_surface(*collider);
      if (links_[i].link < 0)
        tree.setBaseCollider(collider.get());
      else
        tree.getLink(links_[i].link).m_collider = collider.get();
      collider->setWorldTransform(bt(scene_.X_WB[i] * X_BL(i)));
      world_->world->addCollisionObject(collider.get(), moving, touched_by_bodies());
      world_->objects.push_back(std::move(collider));
    }
    btAlignedObjectArray<btQuaternion> world_to_local;
    btAlignedObjectArray<btVector3> origin;
    for (const auto& tree : world_->trees) {
      tree->forwardKinematics(world_to_local, origin);
      tree->updateCollisionObjectWorldTransforms(world_to_local, origin);
    }
  }

  PeerScene scene_;
  double dt_ = 0;
  bool among_bodies_ = false;
  std::vector<BulletLink> links_;  // by node
  std::unique_ptr<BulletWorld> world_;
};

}  // namespace

ContactEngines make_bullet_contact() {
  ContactEngines engines;
  engines.push_back(std::make_unique<BulletContact>());
  return engines;
}

}  // namespace linchpin
