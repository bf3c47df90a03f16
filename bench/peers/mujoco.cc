// MuJoCo, through MJCF text in memory.
//
// Bodies are handed over in their joint frames M (mujoco_model.h). Then coordinates agree but for the free joint:
// MuJoCo has position before quaternion and linear before angular velocity, and measures position and linear velocity
// in the world's axes where linchpin uses those of F.
#include <algorithm>

#include "bench/peers/mujoco_model.h"

namespace linchpin {
namespace {

// The sparse factorisation costs about the sum of squared depths: 3e8 for a chain of 1000, 0.1 s a time, and some
// hundred times that when MuJoCo first compiles the model. Beyond this sum a benchmark would wait for nothing else.
constexpr double largest_depth_square_sum = 5e8;

constexpr const char* only_smooth_dynamics =
    "><flag constraint='disable' contact='disable' passive='disable' actuation='disable' sensor='disable' "
    "warmstart='disable'/>";

std::optional<Error> refuse_cost(const std::vector<PeerNode>& nodes) {
  std::vector<double> depth(nodes.size());  // in degrees of freedom
  double squares = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    depth[i] = (nodes[i].parent < 0 ? 0 : depth[nodes[i].parent]) + nodes[i].nv;
    squares += nodes[i].nv * depth[i] * depth[i];
  }
  if (squares <= largest_depth_square_sum) return std::nullopt;
  std::string text = "MuJoCo is not asked: ";
  append(text, "its cost grows with the sum of squared depths, here %.2g, and the benchmark stops at %.2g", squares,
         largest_depth_square_sum);
  return Error{text};
}

class MujocoPeer final : public Peer {
 public:
  std::string name() const override { return "MuJoCo"; }
  std::string version() const override { return mj_versionString(); }

  std::optional<Error> load(const ModelSpec& spec, const Model& model) override {
    data_.reset();
    model_.reset();
    Result<std::vector<PeerNode>> nodes = peer_nodes(spec, model);
    if (!nodes) return nodes.error();
    nodes_ = std::move(nodes).value();
    if (auto error = refuse_inner_free_joints(name(), nodes_)) return error;
    if (auto error = refuse_cost(nodes_)) return error;

    Result<MujocoModel> loaded = load_mjcf(MjcfWriter(nodes_, spec.gravity, {.options = only_smooth_dynamics}));
    if (!loaded) return loaded.error();
    model_ = std::move(loaded).value();
    data_.reset(mj_makeData(model_.get()));

    qpos_.assign(nodes_.size(), -1);
    dof_.assign(nodes_.size(), -1);
    body_.assign(nodes_.size(), -1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      body_[i] = mj_name2id(model_.get(), mjOBJ_BODY, ("b" + std::to_string(i)).c_str());
      if (nodes_[i].nv == 0) continue;
      const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, ("j" + std::to_string(i)).c_str());
      qpos_[i] = model_->jnt_qposadr[joint];
      dof_[i] = model_->jnt_dofadr[joint];
    }
    const std::size_t nv = std::size_t(model_->nv);
    tau_.assign(nv, 0);
    qacc_.assign(nv, 0);
    forces_.assign(nv, 0);
    solution_.assign(nv, 0);
    return std::nullopt;
  }

  void set_state(std::span<const double> q, std::span<const double> v, std::span<const double> tau) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      if (node.nv == 0) continue;
      double* qpos = data_->qpos + qpos_[i];
      if (node.type == JointType::free) {
        put(node.X_PF * vec3_at(&q[node.q + 4]), qpos);
        put(from_rotation(node.X_PF.R) * quaternion_at(&q[node.q]), qpos + 3);
      } else if (node.type == JointType::ball) {
        put(quaternion_at(&q[node.q]), qpos);
      } else {
        *qpos = q[node.q];
      }
    }
    to_mujoco(v, data_->qvel);
    to_mujoco(tau, tau_.data());
    mju_copy(data_->qfrc_applied, tau_.data(), model_->nv);
  }
  void set_accelerations(std::span<const double> qdd) override { to_mujoco(qdd, qacc_.data()); }

  // MuJoCo keeps nothing from one call to the next, so q and v need not be written again.
  bool forward_dynamics() override {
    mj_forward(model_.get(), data_.get());
    return true;
  }
  bool inverse_dynamics() override {
    mju_copy(data_->qacc, qacc_.data(), model_->nv);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 1, forces_.data());
    for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k] += model_->dof_armature[k] * qacc_[k];
    return true;
  }
  bool mass_matrix_and_solve() override {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    mj_solveM(model_.get(), data_.get(), solution_.data(), tau_.data(), 1);
    return true;
  }
  bool kinematics() override {
    mj_kinematics(model_.get(), data_.get());
    return true;
  }

  void set_frames(std::span<const PeerFrame> frames) override {
    frames_.clear();
    for (const PeerFrame& frame : frames) {
      const std::size_t node = node_of(nodes_, frame);
      frames_.push_back({body_[node], inverse(nodes_[node].X_CM) * frame.X_BN});
    }
    jacobian_.assign(6 * frames.size() * std::size_t(model_->nv), 0);
    half_ = jacobian_;
    compliance_.assign(36 * frames.size() * frames.size(), 0);
  }
  std::vector<std::string> compliance_ways() const override { return {"half solves"}; }
  void compliance(std::size_t) override {
    const int rows = 6 * static_cast<int>(frames_.size()), nv = model_->nv;
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      double point[3];
      put(X_WM(frames_[i].body) * frames_[i].X_MN.p, point);
      double* J = &jacobian_[6 * i * std::size_t(nv)];
      mj_jac(model_.get(), data_.get(), J + 3 * nv, J, point, frames_[i].body);
    }
    mj_solveM2(model_.get(), data_.get(), half_.data(), jacobian_.data(), rows);
    mju_transpose(jacobian_.data(), half_.data(), rows, nv);  // the Jacobian has served
    mju_sqrMatTD(compliance_.data(), jacobian_.data(), nullptr, nv, rows);
  }
  void compliance_matrix(std::span<double> matrix) const override {
    std::copy_n(compliance_.data(), matrix.size(), matrix.data());
    std::vector<Mat3<double>> R_WN;
    for (const Frame& frame : frames_) R_WN.push_back(X_WM(frame.body).R * frame.X_MN.R);
    turn_to_frames(R_WN, matrix);
  }

  void accelerations(std::span<double> qdd) const override { from_mujoco(data_->qacc, qdd); }
  void forces(std::span<double> tau) const override { from_mujoco(forces_.data(), tau); }
  void solution(std::span<double> x) const override { from_mujoco(solution_.data(), x); }
  void poses(std::span<Transform<double>> X_WB) const override {
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      X_WB[nodes_[i].body] = X_WM(body_[i]) * inverse(nodes_[i].X_CM);
    }
  }

 private:
  struct Frame {
    int body;  // MuJoCo's
    Transform<double> X_MN;
  };
  Transform<double> X_WM(int body) const {
    return {to_rotation(quaternion_at(data_->xquat + 4 * body)), vec3_at(data_->xpos + 3 * body)};
  }

  // Velocities, accelerations and forces all change coordinates alike: the change is a fixed rotation.
  void to_mujoco(std::span<const double> x, double* y) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      const double* from = x.data() + node.v;
      if (node.type == JointType::free) {
        put(node.X_PF.R * vec3_at(from + 3), y + dof_[i]);
        put(vec3_at(from), y + dof_[i] + 3);
      } else {
        std::copy_n(from, node.nv, y + dof_[i]);
      }
    }
  }
  void from_mujoco(const double* y, std::span<double> x) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const PeerNode& node = nodes_[i];
      double* to = x.data() + node.v;
      if (node.type == JointType::free) {
        put(vec3_at(y + dof_[i] + 3), to);
        put(transpose_times(node.X_PF.R, vec3_at(y + dof_[i])), to + 3);
      } else {
        std::copy_n(y + dof_[i], node.nv, to);
      }
    }
  }

  std::vector<PeerNode> nodes_;
  MujocoModel model_;
  MujocoData data_;
  std::vector<int> qpos_, dof_, body_;                  // MuJoCo's places, by node
  std::vector<double> tau_, qacc_, forces_, solution_;  // in MuJoCo's coordinates
  std::vector<Frame> frames_;
  std::vector<double> jacobian_, half_, compliance_;
};

}  // namespace

std::unique_ptr<Peer> make_mujoco_peer() { return std::make_unique<MujocoPeer>(); }

}  // namespace linchpin
