// linchpin among the engines of contact_scene.h: Stepper::time_stepping with its defaults.
#include <algorithm>

#include "bench/contact_scene.h"
#include "bench/engine_list.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {
namespace {

class LinchpinContact final : public ContactEngine {
 public:
  explicit LinchpinContact(bool cold) : cold_(cold) {}
  std::string name() const override { return "linchpin"; }
  std::string version() const override { return {}; }
  std::string way() const override { return cold_ ? "cold" : "warm"; }

  std::optional<Error> load(const ModelSpec&, const Model& model, double dt) override {
    run_.emplace(model, dt);
    report_ = {};
    push_ = {};
    return {};
  }
  void push(int body, const Vec3<double>& force) override { push_ = {body, force}; }
  std::optional<Error> step() override {
    if (cold_) run_->state.memory.clear();
    report_ = run_->simulation.step(run_->state, push_.body > 0 ? pushed() : Inputs{});
    if (!report_.ok()) return Error{report_.reason};
    return {};
  }
  void poses(std::span<Transform<double>> X_WB) override {
    kinematics<double>(run_->plan, run_->state.q, run_->kin);
    for (std::size_t b = 0; b < X_WB.size(); ++b) X_WB[b] = body_pose(run_->model, run_->kin, int(b));
  }
  int contacts() const override { return report_.contacts; }
  std::optional<double> residual() const override { return report_.residual; }
  std::optional<int> paradoxes() const override { return report_.painleve; }

 private:
  struct Run {
    Run(const Model& m, double dt) : model(m), simulation(m, options(dt)), state(make_state(m)), plan(m), kin(plan) {}
    static SimulationOptions options(double dt) {
      SimulationOptions options;
      options.stepper = Stepper::time_stepping;
      options.dt = dt;
      return options;
    }
    const Model& model;
    Simulation simulation;
    State state;
    Plan<double> plan;
    Kinematics<double> kin;
    std::vector<double> f_ext = {};
  };
  struct Push {
    int body = 0;
    Vec3<double> force{0, 0, 0};
  };

  // The push into the axes of its body, about its origin.
  Inputs pushed() {
    kinematics<double>(run_->plan, run_->state.q, run_->kin);
    const Vec3<double> F = transpose_times(body_pose(run_->model, run_->kin, push_.body).R, push_.force);
    const RigidInertia<double>& I = run_->model.bodies()[push_.body].inertia;
    const Vec3<double> n = cross((1 / I.mass) * I.h, F);
    run_->f_ext.assign(6 * run_->model.bodies().size(), 0.0);
    const double numbers[] = {n.x, n.y, n.z, F.x, F.y, F.z};
    std::ranges::copy(numbers, run_->f_ext.begin() + 6 * push_.body);
    return {.f_ext = run_->f_ext};
  }

  bool cold_;
  std::optional<Run> run_;
  StepReport report_;
  Push push_;
};

}  // namespace

ContactEngines linchpin_contact_engines() { return engines_of<ContactEngines, LinchpinContact>({false, true}); }

}  // namespace linchpin
