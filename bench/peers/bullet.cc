// Bullet in double precision: one btMultiBody for each free body with all that hangs on it, and one with a fixed base
// for the rest.
//
// Bullet wants a link's frame L at its centre of mass, along its principal axes. With X_ML the pose of L in the joint
// frame M, and F the parent's side of the joint, the drivers' coordinates turn into Bullet's as
//     ball:  orientation of L as seen from where it stands at q = 0:  R' q R,  R the rotation of X_ML;
//            velocity and torque in L's axes
//     free:  pose of L in the world; angular velocity w in world axes; velocity of L's origin
//                v_L = v + w x c                                                (1)
//                v_L' = v' + w' x c + w x (w x c)                               (2)
//            with v the velocity of M's origin and c from there to the centre, all in world axes; a force f and
//            moment n at M's origin are f and n - c x f at the centre.          (3)
// Gravity is a force on each link, added before each call as Bullet's own world does.
//
// Debian's package has no BulletInverseDynamics, and btMultiBody alone has neither inverse dynamics nor a mass matrix.
#include <algorithm>

#include "bench/peers/bullet_links.h"

namespace linchpin {
namespace {

// A btMultiBody reserves the square of its degrees of freedom: 200 MB here.
constexpr int largest_nv = 5000;

struct Tree {
  std::unique_ptr<btMultiBody> body;
  int base = -1;  // node of a free base
  btAlignedObjectArray<btScalar> scratch_r;
  btAlignedObjectArray<btVector3> scratch_v, local_origin;
  btAlignedObjectArray<btMatrix3x3> scratch_m;
  btAlignedObjectArray<btQuaternion> world_to_local;
  // Where computeAccelerations...() leaves its results: base w', base v_L', then the joints.
  const double* accelerations() const { return &scratch_r[body->getNumDofs()]; }
};

// With its state in Bullet's coordinates.
struct LinkState {
  double q[4] = {}, v[3] = {}, tau[3] = {};
};

// Only for free bases.
struct BaseState {
  btQuaternion world_to_base{0, 0, 0, 1};
  btVector3 position{0, 0, 0}, velocity{0, 0, 0}, omega{0, 0, 0}, force{0, 0, 0}, torque{0, 0, 0};
  Mat3<double> R_WM = Mat3<double>::identity();
  Vec3<double> c{0, 0, 0};  // from M's origin to L's, in world axes
};

class BulletPeer final : public Peer {
 public:
  std::string name() const override { return "Bullet"; }
  std::string version() const override {
    return std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100) + " (double)";
  }

  std::optional<Error> load(const ModelSpec& spec, const Model& model) override {
    Result<std::vector<PeerNode>> nodes = peer_nodes(spec, model);
    if (!nodes) return nodes.error();
    nodes_ = std::move(nodes).value();
    if (auto error = refuse_armature(name(), nodes_)) return error;
    if (auto error = refuse_inner_free_joints(name(), nodes_)) return error;
    gravity_ = bt(spec.gravity);
    if (auto error = number_links()) return error;
    for (Tree& tree : trees_) make_tree(tree);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (links_[i].link >= 0) set_up_link(*trees_[links_[i].tree].body, nodes_, links_, i, /*touching_parent=*/true);
    for (Tree& tree : trees_) tree.body->finalizeMultiDof();
    bases_.assign(nodes_.size(), {});
    return std::nullopt;
  }

  void set_state(std::span<const double> q, std::span<const double> v, std::span<const double> tau) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      LinkState& state = states_[i];
      const Mat3<double>& R = links_[i].X_ML.R;
      if (node.type == JointType::free) {
        set_base_state(i, q, v, tau);
      } else if (node.type == JointType::ball) {
        const Quaternion<double> a = quaternion_at(&q[node.q]);
        const Vec3<double> axis = transpose_times(R, Vec3<double>{a.x, a.y, a.z});
        put(axis, state.q);
        state.q[3] = a.w;
        put(transpose_times(R, vec3_at(&v[node.v])), state.v);
        put(transpose_times(R, vec3_at(&tau[node.v])), state.tau);
      } else if (node.nv == 1) {
        state.q[0] = q[node.q];
        state.v[0] = v[node.v];
        state.tau[0] = tau[node.v];
      }
    }
  }
  void set_accelerations(std::span<const double>) override {}

  bool forward_dynamics() override {
    for (Tree& tree : trees_) tree.body->clearForcesAndTorques();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      write_position(i);
      write_velocity_and_force(i);
    }
    constexpr double no_step = 0;  // leaves the velocities as they are
    for (Tree& tree : trees_)
      tree.body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(no_step, tree.scratch_r, tree.scratch_v,
                                                                      tree.scratch_m, false, false, false);
    return true;
  }
  bool inverse_dynamics() override { return false; }
  bool mass_matrix_and_solve() override { return false; }
  bool kinematics() override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) write_position(i);
    for (Tree& tree : trees_) tree.body->forwardKinematics(tree.world_to_local, tree.local_origin);
    return true;
  }

  void set_frames(std::span<const PeerFrame> frames) override {
    frames_.clear();
    for (const PeerFrame& frame : frames) {
      const std::size_t i = node_of(nodes_, frame);
      const int dofs = 6 + trees_[links_[i].tree].body->getNumDofs();
      frames_.push_back({i, inverse(nodes_[i].X_CM * links_[i].X_ML) * frame.X_BN, dofs,
                         std::vector<btScalar>(6 * dofs), std::vector<btScalar>(dofs)});
    }
    compliance_.assign(36 * frames.size() * frames.size(), 0);
  }
  std::vector<std::string> compliance_ways() const override { return {"responses"}; }
  void compliance(std::size_t) override {
    forward_dynamics();  // nothing else leaves the articulated inertias
    for (Frame& frame : frames_) {
      const BulletLink& link = links_[frame.node];
      Tree& tree = trees_[link.tree];
      const btVector3 point = tree.body->localPosToWorld(link.link, bt(frame.X_LN.p));
      for (int k = 0; k < 6; ++k) {
        btVector3 turning(0, 0, 0), moving(0, 0, 0);
        (k < 3 ? turning : moving)[k % 3] = 1;
        tree.body->fillConstraintJacobianMultiDof(link.link, point, turning, moving, frame.J_row(k), tree.scratch_r,
                                                  tree.scratch_v, tree.scratch_m);
      }
    }
    const std::size_t n = 6 * frames_.size();
    for (std::size_t j = 0; j < frames_.size(); ++j)
      for (int k = 0; k < 6; ++k) {
        Tree& tree = trees_[links_[frames_[j].node].tree];
        tree.body->calcAccelerationDeltasMultiDof(frames_[j].J_row(k), frames_[j].response.data(), tree.scratch_r,
                                                  tree.scratch_v);
        for (std::size_t i = j; i < frames_.size(); ++i) {
          if (links_[frames_[i].node].tree != links_[frames_[j].node].tree) continue;  // zero for good
          for (int r = 0; r < 6; ++r) {
            const btScalar* J = frames_[i].J_row(r);
            double sum = 0;
            for (int d = 0; d < frames_[i].dofs; ++d) sum += J[d] * frames_[j].response[d];
            const std::size_t row = 6 * i + std::size_t(r), column = 6 * j + std::size_t(k);
            compliance_[row * n + column] = compliance_[column * n + row] = sum;
          }
        }
      }
  }
  void compliance_matrix(std::span<double> matrix) const override {
    std::copy_n(compliance_.data(), matrix.size(), matrix.data());
    std::vector<Mat3<double>> R_WN;
    for (const Frame& frame : frames_) {
      const BulletLink& link = links_[frame.node];
      const btMatrix3x3 B = trees_[link.tree].body->localFrameToWorld(link.link, btMatrix3x3::getIdentity());
      R_WN.push_back(Mat3<double>{vec3(B.getColumn(0)), vec3(B.getColumn(1)), vec3(B.getColumn(2))} * frame.X_LN.R);
    }
    turn_to_frames(R_WN, matrix);
  }

  void accelerations(std::span<double> qdd) const override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      const BulletLink& link = links_[i];
      const Tree& tree = trees_[link.tree];
      double* to = qdd.data() + node.v;
      if (node.type == JointType::free) {
        const BaseState& base = bases_[i];
        const Vec3<double> dw = vec3_at(tree.accelerations()), w = vec3(base.omega);
        const Vec3<double> dv =
            vec3_at(tree.accelerations() + 3) - cross(dw, base.c) - cross(w, cross(w, base.c));  // (2)
        put(transpose_times(base.R_WM, dw), to);
        put(transpose_times(node.X_PF.R, dv), to + 3);
        continue;
      }
      const double* from = tree.accelerations() + 6 + tree.body->getLink(link.link).m_dofOffset;
      if (node.type == JointType::ball) {
        put(link.X_ML.R * vec3_at(from), to);
      } else {
        std::copy_n(from, node.nv, to);
      }
    }
  }
  void forces(std::span<double>) const override { check(false, "Bullet has no inverse dynamics"); }
  void solution(std::span<double>) const override { check(false, "Bullet has no mass matrix"); }
  void poses(std::span<Transform<double>> X_WB) const override {
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const BulletLink& link = links_[i];
      const btMultiBody& body = *trees_[link.tree].body;
      const btTransform T =
          link.link < 0 ? body.getBaseWorldTransform() : body.getLink(link.link).m_cachedWorldTransform;
      const btMatrix3x3& B = T.getBasis();
      const Transform<double> X_WL{{vec3(B.getColumn(0)), vec3(B.getColumn(1)), vec3(B.getColumn(2))},
                                   vec3(T.getOrigin())};
      X_WB[nodes_[i].body] = X_WL * inverse(nodes_[i].X_CM * link.X_ML);
    }
  }

 private:
  struct Frame {
    std::size_t node;
    Transform<double> X_LN;
    int dofs;  // of its tree, with the six of the base
    std::vector<btScalar> J, response;
    btScalar* J_row(int k) { return &J[k * dofs]; }
  };

  // Which node is which link of which tree. The tree with the fixed base comes first, even when empty.
  std::optional<Error> number_links() {
    trees_.clear();
    trees_.resize(1);
    links_.assign(nodes_.size(), {});
    states_.assign(nodes_.size(), {});
    link_count_.assign(1, 0);
    std::vector<int> nv(1, 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      BulletLink& link = links_[i];
      link = bullet_link(node);
      if (node.type == JointType::free) {
        link.tree = static_cast<int>(trees_.size());
        trees_.emplace_back();
        trees_.back().base = static_cast<int>(i);
        link_count_.push_back(0);
        nv.push_back(6);
      } else {
        link.tree = node.parent < 0 ? 0 : links_[node.parent].tree;
        link.link = link_count_[link.tree]++;
        nv[link.tree] += node.nv;
      }
    }
    for (const int n : nv)
      if (n > largest_nv)
        return Error{"Bullet is not asked: a multibody of " + std::to_string(n) +
                     " degrees of freedom reserves the square of that, and the benchmark stops at " +
                     std::to_string(largest_nv)};
    return std::nullopt;
  }

  void make_tree(Tree& tree) {
    const int links = link_count_[&tree - trees_.data()];
    constexpr bool can_sleep = false;
    if (tree.base < 0) {
      tree.body = std::make_unique<btMultiBody>(links, 0, btVector3(0, 0, 0), true, can_sleep);
    } else {
      const BulletLink& base = links_[tree.base];
      tree.body = std::make_unique<btMultiBody>(links, base.mass, bt(base.moments), false, can_sleep);
    }
    tree.body->setLinearDamping(0);  // by default both are 0.04
    tree.body->setAngularDamping(0);
    tree.body->setUseGyroTerm(true);
  }

  void set_base_state(std::size_t i, std::span<const double> q, std::span<const double> v,
                      std::span<const double> tau) {
    const PeerNode& node = nodes_[i];
    const Transform<double>& X_ML = links_[i].X_ML;
    const double *qi = &q[node.q], *vi = &v[node.v], *ti = &tau[node.v];
    BaseState& base = bases_[i];
    const Transform<double> X_WM = node.X_PF * Transform<double>{to_rotation(quaternion_at(qi)), vec3_at(qi + 4)};
    base.R_WM = X_WM.R;
    base.c = X_WM.R * X_ML.p;
    base.world_to_base = to_axes_of(X_WM.R * X_ML.R);
    base.position = bt(X_WM * X_ML.p);
    const Vec3<double> w = X_WM.R * vec3_at(vi);
    base.omega = bt(w);
    base.velocity = bt(node.X_PF.R * vec3_at(vi + 3) + cross(w, base.c));  // (1)
    const Vec3<double> f = node.X_PF.R * vec3_at(ti + 3);
    base.force = bt(f);
    base.torque = bt(X_WM.R * vec3_at(ti) - cross(base.c, f));  // (3)
  }

  void write_position(std::size_t i) {
    const BulletLink& link = links_[i];
    btMultiBody& body = *trees_[link.tree].body;
    if (link.link < 0) {
      body.setBasePos(bases_[i].position);
      body.setWorldToBaseRot(bases_[i].world_to_base);
    } else if (nodes_[i].nv > 0) {
      body.setJointPosMultiDof(link.link, states_[i].q);
    }
  }
  void write_velocity_and_force(std::size_t i) {
    const BulletLink& link = links_[i];
    btMultiBody& body = *trees_[link.tree].body;
    if (link.link < 0) {
      const BaseState& base = bases_[i];
      body.setBaseVel(base.velocity);
      body.setBaseOmega(base.omega);
      body.addBaseForce(link.mass * gravity_ + base.force);
      body.addBaseTorque(base.torque);
      return;
    }
    body.addLinkForce(link.link, link.mass * gravity_);
    if (nodes_[i].nv == 0) return;
    body.setJointVelMultiDof(link.link, states_[i].v);
    body.addJointTorqueMultiDof(link.link, states_[i].tau);
  }

  std::vector<PeerNode> nodes_;
  btVector3 gravity_{0, 0, 0};
  std::vector<Tree> trees_;
  std::vector<int> link_count_;    // by tree
  std::vector<BulletLink> links_;  // by node
  std::vector<LinkState> states_;  // by node
  std::vector<BaseState> bases_;   // by node
  std::vector<Frame> frames_;
  std::vector<double> compliance_;
};

}  // namespace

std::unique_ptr<Peer> make_bullet_peer() { return std::make_unique<BulletPeer>(); }

}  // namespace linchpin
