// Simbody, one MobilizedBody per body (simbody_bodies.h).
//
// Quaternions and positions are the same numbers as linchpin's. Angular velocities are in F's axes instead of M's:
// u = R w, and u' = R w' since R' = R [w x]. Torques turn like them; everything linear is the same.

#include <algorithm>

#include <Eigen/Cholesky>

#include "bench/peers/simbody_bodies.h"

namespace linchpin {
namespace {

// calcM() and the factorisation take 1.5 s for 3000; beyond this, mass_matrix_and_solve() says no.
constexpr int largest_mass_matrix = 2000;

struct System : SimbodyMechanism {  // `applied` holds tau
  using SimbodyMechanism::SimbodyMechanism;
  SimTK::State state;
};

class SimbodyPeer final : public Peer {
 public:
  std::string name() const override { return "Simbody"; }
  std::string version() const override { return simbody_version(); }

  std::optional<Error> load(const ModelSpec& spec, const Model& model) override {
    system_.reset();
    Result<std::vector<PeerNode>> nodes = peer_nodes(spec, model);
    if (!nodes) return nodes.error();
    nodes_ = std::move(nodes).value();
    if (auto error = refuse_armature(name(), nodes_)) return error;
    try {
      system_ = std::make_unique<System>(simtk(spec.gravity));
      for (const PeerNode& node : nodes_) {
        SimTK::MobilizedBody& parent = node.parent < 0 ? system_->matter.updGround() : system_->bodies[node.parent];
        system_->bodies.push_back(add_body(parent, node));
      }
      system_->state = system_->multibody.realizeTopology();
      system_->multibody.realizeModel(system_->state);
    } catch (const std::exception& failure) {
      system_.reset();
      return Error{std::string("Simbody: ") + failure.what()};
    }
    q_place_.clear();
    u_place_.clear();
    for (const SimTK::MobilizedBody& body : system_->bodies) {
      q_place_.push_back(body.getFirstQIndex(system_->state));
      u_place_.push_back(body.getFirstUIndex(system_->state));
    }
    rotation_.assign(nodes_.size(), Mat3<double>::identity());
    q_.resize(system_->state.getNQ());
    for (SimTK::Vector* x : {&u_, &tau_, &udot_, &residual_, &solution_, &force_, &response_}) x->resize(model.nv());
    return std::nullopt;
  }

  void set_state(std::span<const double> q, std::span<const double> v, std::span<const double> tau) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      for (int k = 0; k < node.nq; ++k) q_[q_place_[i] + k] = q[node.q + k];
      if (turns_freely(node)) rotation_[i] = to_rotation(quaternion_at(&q[node.q]));
    }
    to_simbody(v, u_);
    to_simbody(tau, tau_);
    system_->applied.setAllMobilityForces(system_->state, tau_);
  }
  void set_accelerations(std::span<const double> qdd) override { to_simbody(qdd, udot_); }

  // Writing q and u drops all that Simbody had realized.
  bool forward_dynamics() override {
    system_->state.updQ() = q_;
    system_->state.updU() = u_;
    system_->multibody.realize(system_->state, SimTK::Stage::Acceleration);
    return true;
  }
  bool inverse_dynamics() override {
    system_->state.updQ() = q_;
    system_->state.updU() = u_;
    system_->multibody.realize(system_->state, SimTK::Stage::Velocity);
    system_->matter.calcResidualForceIgnoringConstraints(
        system_->state, SimTK::Vector(), system_->gravity.getBodyForces(system_->state), udot_, residual_);
    return true;
  }
  bool mass_matrix_and_solve() override {
    if (u_.size() > largest_mass_matrix) return false;
    system_->state.updQ() = q_;
    system_->multibody.realize(system_->state, SimTK::Stage::Position);
    system_->matter.calcM(system_->state, mass_);
    const int n = u_.size();
    llt_.compute(Eigen::Map<const Eigen::MatrixXd>(mass_.getContiguousScalarData(), n, n));
    Eigen::Map<Eigen::VectorXd>(solution_.updContiguousScalarData(), n) =
        llt_.solve(Eigen::Map<const Eigen::VectorXd>(tau_.getContiguousScalarData(), n));
    return true;
  }
  bool kinematics() override {
    system_->state.updQ() = q_;
    system_->multibody.realize(system_->state, SimTK::Stage::Position);
    return true;
  }

  void set_frames(std::span<const PeerFrame> frames) override {
    frame_bodies_.clear();
    frame_origins_.clear();
    frame_nodes_.clear();
    frame_rotations_.clear();
    for (const PeerFrame& frame : frames) {
      frame_nodes_.push_back(node_of(nodes_, frame));
      frame_bodies_.push_back(system_->bodies[frame_nodes_.back()].getMobilizedBodyIndex());
      frame_origins_.push_back(simtk(frame.X_BN.p));
      frame_rotations_.push_back(frame.X_BN.R);
    }
    const int rows = 6 * static_cast<int>(frames.size());
    jacobian_.resize(rows, u_.size());
    responses_.resize(u_.size(), rows);
    frame_forces_.resize(static_cast<int>(frames.size()));
    frame_forces_.setToZero();
    compliance_.setZero(rows, rows);
  }
  std::vector<std::string> compliance_ways() const override { return {"operators", "jacobian"}; }
  void compliance(std::size_t way) override {
    system_->state.updQ() = q_;
    system_->multibody.realize(system_->state, SimTK::Stage::Position);
    if (way == 0)
      compliance_by_operators();
    else
      compliance_by_jacobian();
  }
  void compliance_matrix(std::span<double> matrix) const override {
    std::copy_n(compliance_.data(), matrix.size(), matrix.data());  // symmetric, so rows are columns
    std::vector<Mat3<double>> R_WN;
    for (std::size_t i = 0; i < frame_nodes_.size(); ++i) {
      const SimTK::Rotation& R = system_->bodies[frame_nodes_[i]].getBodyTransform(system_->state).R();
      R_WN.push_back(Mat3<double>{vec3(SimTK::Vec3(R.x())), vec3(SimTK::Vec3(R.y())), vec3(SimTK::Vec3(R.z()))} *
                     frame_rotations_[i]);
    }
    turn_to_frames(R_WN, matrix);
  }

  void accelerations(std::span<double> qdd) const override { from_simbody(system_->state.getUDot(), qdd); }
  void forces(std::span<double> tau) const override { from_simbody(residual_, tau); }
  void solution(std::span<double> x) const override { from_simbody(solution_, x); }
  void poses(std::span<Transform<double>> X_WB) const override {
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const SimTK::Transform& T = system_->bodies[i].getBodyTransform(system_->state);
      const SimTK::Rotation& R = T.R();
      X_WB[nodes_[i].body] = {{vec3(SimTK::Vec3(R.x())), vec3(SimTK::Vec3(R.y())), vec3(SimTK::Vec3(R.z()))},
                              vec3(T.p())};
    }
  }

 private:
  // In the world's axes.
  void compliance_by_operators() {
    const SimTK::SimbodyMatterSubsystem& matter = system_->matter;
    for (int j = 0; j < frame_forces_.size(); ++j)
      for (int k = 0; k < 6; ++k) {
        frame_forces_[j][k / 3][k % 3] = 1;
        matter.multiplyByFrameJacobianTranspose(system_->state, frame_bodies_, frame_origins_, frame_forces_, force_);
        frame_forces_[j][k / 3][k % 3] = 0;
        matter.multiplyByMInv(system_->state, force_, response_);
        matter.multiplyByFrameJacobian(system_->state, frame_bodies_, frame_origins_, response_, frame_motions_);
        for (int i = 0; i < frame_forces_.size(); ++i)
          for (int r = 0; r < 6; ++r) compliance_(6 * i + r, 6 * j + k) = frame_motions_[i][r / 3][r % 3];
      }
  }
  void compliance_by_jacobian() {
    const SimTK::SimbodyMatterSubsystem& matter = system_->matter;
    matter.calcFrameJacobian(system_->state, frame_bodies_, frame_origins_, jacobian_);
    const int rows = jacobian_.nrow(), n = jacobian_.ncol();
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < n; ++k) force_[k] = jacobian_(row, k);
      matter.multiplyByMInv(system_->state, force_, response_);
      responses_(row) = response_;
    }
    compliance_.noalias() = Eigen::Map<const Eigen::MatrixXd>(jacobian_.getContiguousScalarData(), rows, n) *
                            Eigen::Map<const Eigen::MatrixXd>(responses_.getContiguousScalarData(), n, rows);
  }

  static bool turns_freely(const PeerNode& node) {
    return node.type == JointType::ball || node.type == JointType::free;
  }

  // Velocities, accelerations and forces alike.
  void to_simbody(std::span<const double> x, SimTK::Vector& y) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      if (node.nv == 0) continue;
      double* to = &y[u_place_[i]];
      std::copy_n(x.data() + node.v, node.nv, to);
      if (turns_freely(node)) put(rotation_[i] * vec3_at(to), to);
    }
  }
  void from_simbody(const SimTK::Vector& y, std::span<double> x) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      if (node.nv == 0) continue;
      double* to = x.data() + node.v;
      std::copy_n(&y[u_place_[i]], node.nv, to);
      if (turns_freely(node)) put(transpose_times(rotation_[i], vec3_at(to)), to);
    }
  }

  std::vector<PeerNode> nodes_;
  std::unique_ptr<System> system_;
  std::vector<int> q_place_, u_place_;  // by node
  std::vector<Mat3<double>> rotation_;  // of M in F, by node; ball and free joints only
  SimTK::Vector q_, u_, tau_, udot_, residual_, solution_;
  SimTK::Matrix mass_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  std::vector<std::size_t> frame_nodes_;
  std::vector<Mat3<double>> frame_rotations_;  // R_BN
  SimTK::Array_<SimTK::MobilizedBodyIndex> frame_bodies_;
  SimTK::Array_<SimTK::Vec3> frame_origins_;
  SimTK::Vector_<SimTK::SpatialVec> frame_forces_, frame_motions_;
  SimTK::Vector force_, response_;
  SimTK::Matrix jacobian_, responses_;
  Eigen::MatrixXd compliance_;
};

}  // namespace

std::unique_ptr<Peer> make_simbody_peer() { return std::make_unique<SimbodyPeer>(); }

}  // namespace linchpin
