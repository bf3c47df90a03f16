// MuJoCo with its contacts, through MJCF text in memory (mujoco_model.h).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/engine_list.h"
#include "bench/peers/contact_peers.h"
#include "bench/peers/mujoco_model.h"

namespace linchpin {
namespace {

struct Way {
  const char* name;
  const char* options;
};
constexpr Way ways[] = {
    {"Newton", ""}, {"cones, noslip", "cone='elliptic' noslip_iterations='5'"}, {"CG", "solver='CG'"}};

// A contact that bounces: x'' = -w^2 x - 2 z w x' while it lasts. Parting over approaching speed is
//     e = exp(-z / sqrt(1 - z^2) (pi - 2 asin z))                                (1)
// where the force must not pull. The stiffer the better, up to what the step resolves.
std::string bouncing(double e, double dt) {
  if (e == 0) return "";  // as it comes
  const double w = 0.3 / dt;
  double low = 0, high = 0.9;
  for (int k = 0; k < 60; ++k) {
    const double z = (low + high) / 2;
    (std::exp(-z / std::sqrt(1 - z * z) * (std::numbers::pi - 2 * std::asin(z))) > e ? low : high) = z;  // (1)
  }
  std::string text;
  append(text, " solref='%.17g %.17g' solimp='0.999 0.999 0.001'", -w * w, -std::max(1e-12, 2 * low * w));
  return text;
}

class MujocoContact final : public ContactEngine {
 public:
  explicit MujocoContact(const Way& way) : way_(way) {
    mju_user_warning = [](const char*) {};  // else a file of them appears; step() looks at what counts
    // Else an error of MuJoCo's ends the program, with all that it has measured.
    mju_user_error = [](const char* what) { throw std::runtime_error(what); };
  }
  std::string name() const override { return "MuJoCo"; }
  std::string version() const override { return mj_versionString(); }
  std::string way() const override { return way_.name; }

  std::optional<Error> load(const ModelSpec& spec, const Model& model, double dt) override {
    data_.reset();
    model_.reset();
    Result<PeerScene> taken = peer_scene(spec, model);
    if (!taken) return taken.error();
    scene_ = std::move(taken).value();
    if (auto error = refuse_inner_free_joints(name(), scene_.nodes)) return error;

    surface_.clear();
    append(surface_, " friction='%.17g 0 0'", scene_.mu);
    surface_ += bouncing(scene_.restitution, dt);
    MjcfParts parts;
    append(parts.options, "timestep='%.17g' %s>", dt, way_.options);
    // More than any of the scenes has; with the coordinates of 666 balls more of them would pass MuJoCo's 2 GB.
    const std::size_t points = std::min<std::size_t>(4 * scene_.shapes.size() + 100, 1900);
    append(parts.sizes, "<size nconmax='%zu' njmax='%zu' nstack='20000000'/>", points, 4 * points);
    parts.world = geoms_of(-1, model);
    parts.inside = [&](std::size_t i) { return geoms_of(int(i), model); };
    Result<MujocoModel> loaded = load_mjcf(MjcfWriter(scene_.nodes, scene_.gravity, parts));
    if (!loaded) return loaded.error();
    model_ = std::move(loaded).value();
    data_.reset(mj_makeData(model_.get()));
    start();
    return {};
  }

  void push(int body, const Vec3<double>& force) override {
    put(force, data_->xfrc_applied + 6 * body_[scene_.node_of_body(body)]);
  }

  std::optional<Error> step() override {
    for (const PeerSpring& s : scene_.springs) {
      const std::size_t q = std::size_t(qpos_[s.node]), v = std::size_t(dof_[s.node]);
      data_->qfrc_applied[v] = -s.stiffness * (data_->qpos[q] - s.rest) - s.damping * data_->qvel[v];
    }
    try {
      mj_step(model_.get(), data_.get());
    } catch (const std::runtime_error& fault) {  // 666 balls in contact are more than its 2 GB hold
      return Error{fault.what()};
    }
    for (const int w : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL})
      if (data_->warning[w].number > 0) return Error{mju_warningText(w, std::size_t(data_->warning[w].lastinfo))};
    return {};
  }

  void poses(std::span<Transform<double>> X_WB) override {
    mj_kinematics(model_.get(), data_.get());  // mj_step() leaves those before its step
    X_WB[0] = Transform<double>::identity();
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const Transform<double> X_WM{to_rotation(quaternion_at(data_->xquat + 4 * body_[i])),
                                   vec3_at(data_->xpos + 3 * body_[i])};
      X_WB[scene_.nodes[i].body] = X_WM * inverse(scene_.nodes[i].X_CM);
    }
  }
  int contacts() const override { return data_->ncon; }

 private:
  std::string geoms_of(int node, const Model& model) const {
    std::string text;
    for (const PeerShape& g : scene_.shapes) {
      if (g.node != node) continue;
      const SceneShape& s = model.collision().shapes[g.index];
      append(text, "<geom contype='%u' conaffinity='%u'", s.groups & 0x7fffffffu, s.touches & 0x7fffffffu);
      if (std::holds_alternative<HalfSpace>(g.shape)) text += " type='plane' size='0 0 1'";
      if (const auto* b = std::get_if<Sphere>(&g.shape)) append(text, " type='sphere' size='%.17g'", b->radius);
      if (const auto* b = std::get_if<Capsule>(&g.shape))
        append(text, " type='capsule' size='%.17g %.17g'", b->radius, b->half_length);
      if (const auto* b = std::get_if<Box>(&g.shape))
        append(text, " type='box' size='%.17g %.17g %.17g'", b->half.x, b->half.y, b->half.z);
      append_pose(text, node < 0 ? g.X_BG : inverse(scene_.nodes[node].X_CM) * g.X_BG);
      text += surface_ + "/>";
    }
    return text;
  }

  void start() {
    const std::size_t n = scene_.nodes.size();
    qpos_.assign(n, -1);
    dof_.assign(n, -1);
    body_.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
      const PeerNode& node = scene_.nodes[i];
      body_[i] = mj_name2id(model_.get(), mjOBJ_BODY, ("b" + std::to_string(i)).c_str());
      if (node.nv == 0) continue;
      const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, ("j" + std::to_string(i)).c_str());
      qpos_[i] = model_->jnt_qposadr[joint];
      dof_[i] = model_->jnt_dofadr[joint];
      double *q = data_->qpos + qpos_[i], *v = data_->qvel + dof_[i];
      if (node.type == JointType::free) {
        const Transform<double> X_WM = scene_.X_WB[i] * node.X_CM;
        const Motion<double>& V = scene_.V_WB[i];
        put(X_WM.p, q);
        put(from_rotation(X_WM.R), q + 3);
        put(V.v + cross(V.w, X_WM.p - scene_.X_WB[i].p), v);
        put(transpose_times(X_WM.R, V.w), v + 3);
      } else if (node.nv == 1) {
        *q = scene_.q[i];
        *v = scene_.v[i];
      }
    }
  }

  Way way_;
  PeerScene scene_;
  std::string surface_;  // attributes of every geom
  MujocoModel model_;
  MujocoData data_;
  std::vector<int> qpos_, dof_, body_;  // by node
};

}  // namespace

ContactEngines make_mujoco_contact() { return engines_of<ContactEngines, MujocoContact>(ways); }

}  // namespace linchpin
