// DART, a Skeleton built body by body (dart_bodies.h).
//
// Rotations are exponential coordinates in q; velocities are in the child's axes throughout, so that a free joint's
// linear velocity is u = R' v with linchpin's v (in F's axes) and R the orientation of M in F:
//     u' = R' v' - w x u                                                      (1)
// A force turns like a velocity.
#include <algorithm>

#include <Eigen/Cholesky>

#include "bench/peers/dart_bodies.h"

namespace linchpin {
namespace {

// A skeleton keeps a dense mass matrix and several more of its size, and makes them anew with each body that is added:
// 2 s for a chain of 1000, 5 minutes for 3000.
constexpr int largest_nv = 1500;

class DartPeer final : public Peer {
 public:
  std::string name() const override { return "DART"; }
  std::string version() const override { return DART_VERSION; }

  std::optional<Error> load(const ModelSpec& spec, const Model& model) override {
    Result<std::vector<PeerNode>> nodes = peer_nodes(spec, model);
    if (!nodes) return nodes.error();
    nodes_ = std::move(nodes).value();
    if (auto error = refuse_armature(name(), nodes_)) return error;
    if (model.nv() > largest_nv)
      return Error{"DART is not asked: it keeps dense matrices of all " + std::to_string(model.nv()) +
                   " degrees of freedom, and the benchmark stops at " + std::to_string(largest_nv)};
    skeleton_ = dd::Skeleton::create(spec.name);
    skeleton_->setGravity(eigen(spec.gravity));
    bodies_.clear();
    index_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      dd::BodyNode* parent = nodes_[i].parent < 0 ? nullptr : bodies_[nodes_[i].parent];
      bodies_.push_back(add_body(*skeleton_, parent, nodes_[i], i));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      index_.push_back(nodes_[i].nv ? Eigen::Index(joint(i)->getIndexInSkeleton(0)) : 0);
    rotation_.assign(nodes_.size(), Mat3<double>::identity());
    position_.setZero(model.nv());
    velocity_ = acceleration_ = tau_ = solution_ = position_;
    return std::nullopt;
  }

  void set_state(std::span<const double> q, std::span<const double> v, std::span<const double> tau) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      const double* from = q.data() + node.q;
      double* to = position_.data() + index_[i];
      if (node.type == JointType::ball || node.type == JointType::free) {
        rotation_[i] = to_rotation(quaternion_at(from));
        put(log_rotation(quaternion_at(from)), to);
        if (node.type == JointType::free) put(vec3_at(from + 4), to + 3);
      } else {
        std::copy_n(from, node.nq, to);
      }
    }
    to_dart(v, velocity_);
    to_dart(tau, tau_);
    skeleton_->setPositions(position_);
    skeleton_->setVelocities(velocity_);
    skeleton_->setForces(tau_);
    forces_are_tau_ = true;
  }
  void set_accelerations(std::span<const double> qdd) override {
    to_dart(qdd, acceleration_);
    for_each_free_joint([&](Eigen::Index k) {  // (1)
      acceleration_.segment<3>(k + 3) -= velocity_.segment<3>(k).cross(velocity_.segment<3>(k + 3));
    });
    accelerations_are_ours_ = false;
  }

  bool forward_dynamics() override {
    if (!forces_are_tau_) skeleton_->setForces(tau_);
    forces_are_tau_ = true;
    accelerations_are_ours_ = false;
    forget();
    skeleton_->computeForwardDynamics();
    return true;
  }
  bool inverse_dynamics() override {
    if (!accelerations_are_ours_) skeleton_->setAccelerations(acceleration_);
    accelerations_are_ours_ = true;
    forces_are_tau_ = false;
    forget();
    skeleton_->computeInverseDynamics();
    return true;
  }
  bool mass_matrix_and_solve() override {
    forget();
    llt_.compute(skeleton_->getMassMatrix());
    solution_ = llt_.solve(tau_);
    return true;
  }
  bool kinematics() override {
    forget();
    for (const dd::BodyNode* body : bodies_) body->getWorldTransform();
    return true;
  }

  void set_frames(std::span<const PeerFrame> frames) override {
    frames_.clear();
    for (const PeerFrame& frame : frames) {
      frames_.push_back({bodies_[node_of(nodes_, frame)], eigen(frame.X_BN.p), frame.X_BN.R});
    }
    const Eigen::Index rows = 6 * Eigen::Index(frames.size());
    J_.setZero(rows, position_.size());
    compliance_.setZero(rows, rows);
  }
  std::vector<std::string> compliance_ways() const override {
    if (weld_carries_joints()) return {"impulses"};
    return {"impulses", "inverse mass matrix"};
  }
  void compliance(std::size_t way) override {
    forget();
    if (way == 0)
      compliance_by_impulses();
    else
      compliance_by_inverse_mass_matrix();
  }
  void compliance_matrix(std::span<double> matrix) const override {
    std::copy_n(compliance_.data(), matrix.size(), matrix.data());  // symmetric, so rows are columns
    std::vector<Mat3<double>> R_BN;
    for (const Frame& frame : frames_) R_BN.push_back(frame.R_BN);
    turn_to_frames(R_BN, matrix);
  }

  void accelerations(std::span<double> qdd) const override {
    Eigen::VectorXd a = skeleton_->getAccelerations();
    for_each_free_joint([&](Eigen::Index k) {  // (1)
      a.segment<3>(k + 3) += velocity_.segment<3>(k).cross(velocity_.segment<3>(k + 3));
    });
    from_dart(a, qdd);
  }
  void forces(std::span<double> tau) const override { from_dart(skeleton_->getForces(), tau); }
  void solution(std::span<double> x) const override { from_dart(solution_, x); }
  void poses(std::span<Transform<double>> X_WB) const override {
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Eigen::Isometry3d& T = bodies_[i]->getWorldTransform();
      const Eigen::Matrix3d R = T.linear();
      X_WB[nodes_[i].body] = {{vec3(R.col(0)), vec3(R.col(1)), vec3(R.col(2))}, vec3(T.translation())};
    }
  }

 private:
  struct Frame {
    dd::BodyNode* body;
    Eigen::Vector3d p;
    Mat3<double> R_BN;
  };

  // DART 6.12: getInvMassMatrix() is then not the inverse of getMassMatrix(), by numbers as large as the inverse's own.
  bool weld_carries_joints() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const PeerNode& node) {
      return node.parent >= 0 && nodes_[node.parent].type == JointType::weld;
    });
  }
  // All in the bodies' axes: impulses and velocities at the body's origin, ours at the frame's.
  void compliance_by_impulses() {
    for (std::size_t j = 0; j < frames_.size(); ++j)
      for (int k = 0; k < 6; ++k) {
        Eigen::Vector6d impulse = Eigen::Vector6d::Unit(k);
        if (k >= 3) impulse.head<3>() = frames_[j].p.cross(impulse.tail<3>());
        skeleton_->clearConstraintImpulses();
        skeleton_->updateBiasImpulse(frames_[j].body, impulse);
        skeleton_->updateVelocityChange();
        for (std::size_t i = 0; i < frames_.size(); ++i) {
          const Eigen::Vector6d& change = frames_[i].body->getBodyVelocityChange();
          auto column = compliance_.block<6, 1>(6 * Eigen::Index(i), 6 * Eigen::Index(j) + k);
          column = change;
          column.tail<3>() += change.head<3>().cross(frames_[i].p);
        }
      }
    skeleton_->clearConstraintImpulses();
  }
  void compliance_by_inverse_mass_matrix() {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const dd::BodyNode& body = *frames_[i].body;
      const dart::math::Jacobian J = body.getJacobian(frames_[i].p);
      const std::vector<std::size_t>& where = body.getDependentGenCoordIndices();
      for (std::size_t k = 0; k < where.size(); ++k)
        J_.block<6, 1>(6 * Eigen::Index(i), Eigen::Index(where[k])) = J.col(Eigen::Index(k));
    }
    response_.noalias() = skeleton_->getInvMassMatrix() * J_.transpose();
    compliance_.noalias() = J_ * response_;
  }

  dd::Joint* joint(std::size_t i) const { return bodies_[i]->getParentJoint(); }

  // As if every q and v were new. Setting the same numbers again would not do: DART would see it and keep its results.
  void forget() {
    for (dd::BodyNode* body : bodies_) {
      body->getParentJoint()->notifyPositionUpdated();
      body->getParentJoint()->notifyVelocityUpdated();
    }
  }

  template <class Action>
  void for_each_free_joint(const Action& action) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].type == JointType::free) action(index_[i]);
  }

  // Velocities and forces alike.
  void to_dart(std::span<const double> x, Eigen::VectorXd& y) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      double* to = y.data() + index_[i];
      std::copy_n(x.data() + node.v, node.nv, to);
      if (node.type == JointType::free) put(transpose_times(rotation_[i], vec3_at(to + 3)), to + 3);
    }
  }
  void from_dart(const Eigen::VectorXd& y, std::span<double> x) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      double* to = x.data() + node.v;
      std::copy_n(y.data() + index_[i], node.nv, to);
      if (node.type == JointType::free) put(rotation_[i] * vec3_at(to + 3), to + 3);
    }
  }

  std::vector<PeerNode> nodes_;
  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> bodies_;   // by node
  std::vector<Eigen::Index> index_;     // first coordinate in the skeleton, by node
  std::vector<Mat3<double>> rotation_;  // of M in F, by node; ball and free joints only
  Eigen::VectorXd position_, velocity_, acceleration_, tau_, solution_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  std::vector<Frame> frames_;
  Eigen::MatrixXd J_, response_, compliance_;
  // Each dynamics overwrites the other's input; it is restored when they alternate, not within a timing loop.
  bool forces_are_tau_ = false, accelerations_are_ours_ = false;
};

}  // namespace

std::unique_ptr<Peer> make_dart_peer() { return std::make_unique<DartPeer>(); }

}  // namespace linchpin
